//! Shapes: what may not be in a text, found and rewritten by one engine.
//!
//! Invariant: rewriting is idempotent, and what was rewritten holds no shape.
//!
//! Must not know: ACP, fixtures, disk.

mod clean;

pub use clean::{Clean, CredentialOnly, Diagnostic, Payload, Provenance, Raw, TierMark};

// PROVISIONAL: replaced by the redact room.
/// Provisional.
#[derive(Debug)]
pub struct Redactor {}
/// Provisional.
#[derive(Debug)]
pub struct Scope<T>(std::marker::PhantomData<T>);
impl Redactor {
    /// Provisional.
    #[must_use]
    pub fn embedded() -> &'static Self {
        &Self {}
    }
    /// Provisional.
    #[must_use]
    pub fn scope<T: TierMark>(&self) -> Scope<T> {
        Scope(std::marker::PhantomData)
    }
}
impl<T: TierMark> Scope<T> {
    /// Provisional.
    pub fn clean(&mut self, raw: Raw<&str>) -> Clean<T> {
        Clean::new((*raw.as_inner()).to_owned())
    }
}

//! Shapes: what may not be in a text, found and rewritten by one engine.
//!
//! Invariant: rewriting is idempotent, and what was rewritten holds no shape.
//!
//! Must not know: ACP, fixtures, disk.

mod clean;

pub use clean::{Clean, CredentialOnly, Diagnostic, Payload, Provenance, Raw, TierMark};

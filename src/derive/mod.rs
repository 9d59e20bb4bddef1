//! A raw transcript to a fixture: the frames that matter, redacted, with an expectation that both layers computed.
//!
//! Invariant: nothing is invented. Every frame is one that the transcript holds, in its order; what the format of a
//! fixture can not say is a refusal with its reason, never a silent omission.
//!
//! Must not know: processes, paths, how a transcript was recorded.

mod assemble;
mod cleaning;
mod frames;
mod refusal;
mod select;

#[cfg(test)]
mod tests;

pub use assemble::{Derived, Wanted, derive};
pub use refusal::Refusal;

//! A raw transcript to a fixture: the frames that matter, redacted, with an expectation that both layers computed.
//!
//! Invariant: nothing is invented. Every frame is one that the transcript holds, in its order; what the format of a
//! fixture can not say is a refusal with its reason. Left out is only what is evidence of nothing: titles, usage counts,
//! lists of commands.
//!
//! Must not know: processes, paths, how a transcript was recorded.

mod assemble;
mod cleaning;
mod frames;
mod refusal;
mod select;

#[cfg(test)]
mod scenario_tests;
#[cfg(test)]
mod tests;

pub use assemble::{Derived, Sought, Wanted, derive};
pub use refusal::Refusal;

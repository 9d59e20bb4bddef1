//! Events and time in, decisions out: what one attempt proves, and what may happen next.
//!
//! Invariant: fences only go from false to true; what is unknown is never safe.
//!
//! Must not know: JSON, frames, agents, disk, clock; of `acp` it sees only `acp::event`.

mod attempt;
mod disposition;
mod refusal;
#[cfg(test)]
pub(crate) mod samples;

pub use attempt::{Attempt, Observed, Recorded, Terminal};
pub use disposition::{Decision, Means, disposition};
pub use refusal::Refusal;

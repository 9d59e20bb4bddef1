//! Events and time in, decisions and effects out: what one attempt proves, and what may happen next.
//!
//! Invariant: fences only rise, and what is unknown is never safe; a session has at most one owner, one timer and one
//! notice; nothing is sent again by itself after output, after an effect or on evidence of another prompt.
//!
//! Must not know: JSON, frames, agents, disk, clock; of `acp` it sees only `acp::event`.

mod attempt;
mod disposition;
pub mod notice;
pub mod policy;
mod refusal;
pub mod retry;
#[cfg(test)]
pub(crate) mod samples;
pub mod session;
pub mod transcript;

pub use attempt::{Attempt, Observed, Recorded, Terminal};
pub use disposition::{Decision, Means, disposition};
pub use refusal::Refusal;

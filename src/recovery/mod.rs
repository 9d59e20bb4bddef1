//! The decision: events and time in, decisions and effects out.
//!
//! Invariant: fences only rise; a session has at most one owner, one timer and one notice; nothing is sent again after
//! output, after an effect or on evidence of another prompt.
//!
//! Must not know: JSON, frames, agents, disk, clock; of `acp` it sees `acp::event` only.

pub mod notice;
pub mod policy;
pub mod retry;
pub mod transcript;

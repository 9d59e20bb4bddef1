//! The conversion boundary: bytes to frames to events. The marker is minted here and nowhere else, raw error `data` ends
//! here, and this is the only place that may name an agent.
//!
//! Invariant: reading an agent's output never fails, and what can not be read never makes a replay look safer.
//!
//! Must not know: fences, policy, storage.

pub(crate) mod convert;
mod dialect;
pub mod dialogue;
pub mod event;
pub mod frame;
pub mod projection;
pub mod session;

pub use dialect::AGENTS;

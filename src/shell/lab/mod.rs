//! A model provider on loopback that fails on purpose: Anthropic Messages, OpenAI Chat Completions and Responses, and
//! Gemini, spoken well enough that a real agent starts a turn.
//!
//! HTTP is written here on plain sockets: the lab must break it on purpose (a reset before the first byte, a body that
//! stops, a status no library knows), and the libraries for small servers make exactly that impossible. It binds
//! 127.0.0.1, reads bounded requests, and never opens a connection of its own.
//!
//! Invariant: every connection and every wait is bounded; dropping the lab ends it.
//!
//! Must not know: agents, fixtures, what a failure means.

mod call;
mod http;
mod scenario;
mod server;
mod speech;
mod wire;

pub use http::{Request, requests};
pub use scenario::{Envelope, Fault, LabData, LabDataError, Reply};
pub use server::{Lab, LabEvent, LabOptions};

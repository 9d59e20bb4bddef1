//! The binary as its users meet it.

#![expect(clippy::disallowed_methods, reason = "end-to-end tests run the binary on files of their own")]

mod canon;
mod check;
mod classify;
mod explain;
mod redact;
mod replay;
mod run;
mod secrets;
mod simulate;
mod usage;

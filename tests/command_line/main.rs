//! The binary as its users meet it.

#![expect(clippy::disallowed_methods, reason = "end-to-end tests run the binary on files of their own")]

mod canon;
mod check;
mod classify;
mod diff;
mod explain;
mod first_minutes;
mod formats;
mod hostile;
#[path = "../support/json_schema.rs"]
mod json_schema;
mod redact;
mod replay;
mod run;
mod secrets;
mod simulate;
mod usage;
#[path = "../support/xml.rs"]
mod xml;

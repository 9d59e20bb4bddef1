//! The one spelling of a JSON value, and bounded reading of the YAML that people write.
//!
//! Invariant: encoding is idempotent and byte-stable; duplicate keys are refused.
//!
//! Must not know: ACP, disk.

pub mod yaml;

//! The one spelling of a JSON value, and bounded reading of the YAML that people write.
//!
//! Invariant: encoding is idempotent and byte-stable, whatever order a map keeps; duplicate keys, numbers that JSON can
//! not carry exactly and documents that are too large or too deep are refused, each with its place.
//!
//! Must not know: ACP, disk.

mod bounds;
mod json;
mod spelling;
#[cfg(test)]
mod tests;
pub mod yaml;

pub use bounds::{JsonError, JsonProblem, NESTING_LIMIT, SIZE_LIMIT_BYTES, text};
pub use json::{Document, parse};
pub use spelling::{Tree, canonical};

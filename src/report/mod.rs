//! Results to text for people and to the formats of other programs.
//!
//! Invariant: untrusted text is stripped of control characters and of every shape before it is shown; colour never
//! carries meaning alone.
//!
//! Must not know: how to decide anything.

pub mod check;
pub mod classification;
pub mod excerpt;
pub mod finding;
pub mod replay;
pub mod style;
pub mod turn;

/// One JSON document, indented, with a final line feed.
///
/// The documents of this room are plain data, so writing them can not fail.
pub(crate) fn json_document(document: &impl serde::Serialize) -> String {
    match serde_json::to_string_pretty(document) {
        Ok(text) => text + "\n",
        Err(error) => format!("{{\"error\": \"{error}\"}}\n"),
    }
}

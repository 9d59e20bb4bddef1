//! Results to text for people and to the formats of other programs.
//!
//! Invariant: untrusted text is stripped of control characters and of every shape before it is shown; colour never
//! carries meaning alone.
//!
//! Must not know: how to decide anything.

pub mod check;
pub mod classification;
pub mod diff;
pub mod escape;
pub mod excerpt;
pub mod finding;
pub mod github;
pub mod junit;
pub mod markdown;
pub mod replay;
pub mod sarif;
pub mod style;
pub mod summary;
pub mod turn;

/// One JSON document, indented, with a final line feed.
///
/// The documents of this room are plain data, so writing them can not fail.
pub(crate) fn json_document(document: &impl serde::Serialize) -> String {
    match serde_json::to_string_pretty(document) {
        Ok(text) => uncommanded(text) + "\n",
        Err(error) => format!("{{\"error\": \"{error}\"}}\n"),
    }
}

/// One JSON document on a line of its own.
pub(crate) fn json_line(document: &impl serde::Serialize) -> String {
    uncommanded(serde_json::to_string(document).unwrap_or_default()) + "\n"
}

/// The same document, spelled so that a build log finds no command in it (see [`style::without_commands`]): number signs
/// stand in strings only.
fn uncommanded(json: String) -> String {
    if json.contains("##") { json.replace("##", "\\u0023#") } else { json }
}

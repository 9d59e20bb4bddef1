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
pub mod explain;
pub mod finding;
pub mod github;
pub mod junit;
pub mod list;
pub mod markdown;
pub mod redact;
pub mod replay;
pub mod sarif;
pub mod schema;
pub mod style;
pub mod summary;
pub mod turn;

use serde_json::Value;

use crate::redact::{Payload, Raw, Redactor};

/// Keys whose text is the tool's own or was typed by the user: paths, names, commands, versions.
const OWN_TEXT: &[&str] =
    &["file", "help", "version", "code", "catalogue", "input", "base", "head", "$schema", "uri", "ruleId", "id"];

/// One JSON document, indented, with a final line feed. Every text in it that comes from an input is cleaned.
///
/// The documents of this room are plain data, so writing them can not fail.
pub(crate) fn json_document(document: &impl serde::Serialize) -> String {
    let written = serde_json::to_value(document).map(cleaned).and_then(|value| serde_json::to_string_pretty(&value));
    match written {
        Ok(text) => uncommanded(text) + "\n",
        Err(error) => format!("{{\"error\": \"{error}\"}}\n"),
    }
}

/// The same on a line of its own.
pub(crate) fn json_line(document: &impl serde::Serialize) -> String {
    let written = serde_json::to_value(document).map(cleaned).map(|value| value.to_string());
    uncommanded(written.unwrap_or_default()) + "\n"
}

/// The same document, spelled so that a build log finds no command in it (see [`style::without_commands`]): number signs
/// stand in strings only.
fn uncommanded(json: String) -> String {
    if json.contains("##") { json.replace("##", "\\u0023#") } else { json }
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(cleaned).collect()),
        Value::Object(fields) => {
            let field = |(key, value): (String, Value)| {
                let value = if OWN_TEXT.contains(&key.as_str()) { value } else { cleaned(value) };
                (key, value)
            };
            Value::Object(fields.into_iter().map(field).collect())
        }
        other => other,
    }
}

/// Text of an input without any forbidden shape.
pub(crate) fn clean(text: &str) -> String {
    Redactor::embedded().clean::<Payload>(Raw::new(text)).into_string()
}

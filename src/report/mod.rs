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

use std::fmt::Write as _;

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

/// The same JSON, spelled so that a build log finds no command in it and a terminal no character that reorders or
/// controls (see [`style::without_commands`]): all of those stand in strings only.
fn uncommanded(json: String) -> String {
    if !is_obeyed(&json) {
        return json;
    }
    let mut spelled = String::with_capacity(json.len() + 16);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        let command = c == '#' && rest.peek() == Some(&'#');
        if command || is_acted_on(c) {
            let _ = write!(spelled, "\\u{:04x}", u32::from(c));
        } else {
            spelled.push(c);
        }
    }
    spelled
}

/// The same for what was written to a buffer of JSON from `start` on.
pub(crate) fn spell_harmlessly(buffer: &mut Vec<u8>, start: usize) {
    let bytes = buffer.get(start..).unwrap_or_default();
    // Nearly every line ends here; written so that it vectorises.
    if bytes.iter().fold(true, |all, &byte| all & (byte < 0x7f) & (byte != b'#')) {
        return;
    }
    let Ok(written) = std::str::from_utf8(bytes) else { return };
    if is_obeyed(written) {
        let spelled = uncommanded(written.to_owned());
        buffer.truncate(start);
        buffer.extend_from_slice(spelled.as_bytes());
    }
}

fn is_obeyed(json: &str) -> bool {
    let characters =
        if json.is_ascii() { json.bytes().any(|byte| byte == 0x7f) } else { json.chars().any(is_acted_on) };
    characters || json.contains("##")
}

fn is_acted_on(c: char) -> bool {
    (c.is_control() && c != '\n') || style::changes_direction(c)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmless_spelling_is_the_same_document() {
        for (text, expected) in [
            ("plain", "\"plain\""),
            ("ü", "\"ü\""),
            ("##[x]", "\"\\u0023#[x]\""),
            ("###[x]", "\"\\u0023\\u0023#[x]\""),
            ("a\u{202e}b\u{7f}\u{9b}", "\"a\\u202eb\\u007f\\u009b\""),
        ] {
            let spelled = uncommanded(Value::from(text).to_string());
            assert_eq!(spelled, expected, "{text:?}");
            assert_eq!(serde_json::from_str::<Value>(&spelled).unwrap(), Value::from(text), "{text:?}");
        }
    }
}

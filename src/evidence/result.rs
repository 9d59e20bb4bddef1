//! The failure text that a prompt result may carry in its `_meta`.
//!
//! Only texts are read, never a category or another kind field: the catalogue's rules decide what a text means.

use serde_json::Value;

/// Deepest object that is looked into.
const DEPTH_LIMIT: usize = 6;
/// Longest text that is taken, in bytes.
const TEXT_LIMIT_BYTES: usize = 16 * 1024;
/// Keys under which agents put a failure.
const FAILURE_KEYS: &[&str] = &["sessionFailure", "error", "failure", "lastError"];
/// Keys of a failure that hold a text for people, the telling one first.
const TEXT_KEYS: &[&str] = &["message", "title", "description", "details", "detail", "text", "reason"];

/// The failure text in a result's `_meta`, when there is a failure object with a text.
#[must_use]
pub fn failure_text(meta: &Value) -> Option<String> {
    find(meta, 0).filter(|text| !text.trim().is_empty())
}

fn find(value: &Value, depth: usize) -> Option<String> {
    let object = value.as_object().filter(|_| depth < DEPTH_LIMIT)?;
    FAILURE_KEYS
        .iter()
        .find_map(|key| object.get(*key).and_then(text_of))
        .or_else(|| object.values().find_map(|inner| find(inner, depth + 1)))
}

fn text_of(failure: &Value) -> Option<String> {
    match failure {
        Value::String(text) => Some(crate::text::head(text, TEXT_LIMIT_BYTES).to_owned()),
        Value::Object(object) => {
            let texts: Vec<&str> = TEXT_KEYS.iter().filter_map(|key| object.get(*key)?.as_str()).collect();
            let joined = texts.join("\n");
            (!joined.is_empty()).then(|| crate::text::head(&joined, TEXT_LIMIT_BYTES).to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_failures_are_found_and_kinds_are_not() {
        let mut wrong = Vec::new();
        for (meta, expected) in [
            (r#"{"a":{"b":{"sessionFailure":{"category":"overloaded","title":"busy"}}}}"#, Some("busy")),
            (r#"{"error":"x failed"}"#, Some("x failed")),
            (r#"{"error":{"code":"quota"}}"#, None),
            (r#"{"quota":{"token_count":1}}"#, None),
            ("null", None),
        ] {
            let got = failure_text(&serde_json::from_str(meta).unwrap());
            if got.as_deref() != expected {
                wrong.push(format!("{meta}: {got:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

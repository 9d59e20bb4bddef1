//! One classification as one line of JSON, in the field order that other programs rely on.
//!
//! Invariant: the line holds nothing of the input but the redacted excerpt and the id.
//!
//! Must not know: where the line goes.

use serde::Serialize;
use serde_json::Value;

use crate::evidence::wire::LineError;
use crate::vocab::RuleId;

use super::Classification;

/// Room for a usual line, in bytes.
const LINE_BYTES: usize = 1_024;

#[derive(Serialize)]
struct Failed<'a> {
    id: Option<&'a Value>,
    error: FailedError<'a>,
}

#[derive(Serialize)]
struct FailedError<'a> {
    code: &'a str,
    message: &'a str,
}

/// Appends the line of a classification, with its line feed.
///
/// Closed words, numbers and rule ids are written as they are; only text goes through the escaping writer.
pub fn write(into: &mut Vec<u8>, id: Option<&Value>, classification: &Classification) {
    let policy = classification.code.policy();
    into.reserve(LINE_BYTES);
    into.extend_from_slice(b"{\"id\":");
    escaped(into, &id);
    word(into, ",\"code\":", Some(classification.code.as_str()));
    word(into, ",\"class\":", Some(policy.class.as_str()));
    word(into, ",\"confidence\":", Some(classification.confidence.as_str()));
    word(into, ",\"scope\":", classification.scope.map(crate::vocab::Scope::as_str));
    text(into, ",\"rule\":", classification.rule.as_ref().map(RuleId::as_str));
    text(into, ",\"catalogue\":", Some(&classification.catalogue));
    flag(into, ",\"auto_retry\":", classification.auto_retry());
    flag(into, ",\"fallback\":", policy.fallback);
    flag(into, ",\"user_action\":", policy.user_action);
    into.extend_from_slice(b",\"retry_after_ms\":");
    match classification.hint {
        Some(hint) => into.extend_from_slice(hint.retry_after_ms.to_string().as_bytes()),
        None => into.extend_from_slice(b"null"),
    }
    word(into, ",\"reset_at\":", classification.hint.map(|hint| hint.reset_at.to_string()).as_deref());
    text(into, ",\"remediation\":", classification.remediation.as_deref());
    text(into, ",\"safe_excerpt\":", classification.safe_excerpt.as_ref().map(crate::redact::Clean::as_str));
    list(into, ",\"outranked\":", &classification.outranked);
    list(into, ",\"vetoed\":", &classification.vetoed);
    into.extend_from_slice(b"}\n");
}

/// A word of a closed list: it needs no escaping.
fn word(into: &mut Vec<u8>, key: &str, value: Option<&str>) {
    into.extend_from_slice(key.as_bytes());
    match value {
        Some(value) => quoted(into, value),
        None => into.extend_from_slice(b"null"),
    }
}

fn quoted(into: &mut Vec<u8>, plain: &str) {
    into.push(b'"');
    into.extend_from_slice(plain.as_bytes());
    into.push(b'"');
}

fn text(into: &mut Vec<u8>, key: &str, value: Option<&str>) {
    into.extend_from_slice(key.as_bytes());
    match value {
        Some(value) => string(into, value),
        None => into.extend_from_slice(b"null"),
    }
}

/// Most texts need no escaping.
fn string(into: &mut Vec<u8>, value: &str) {
    // Written so that it vectorises.
    let plain = |byte: u8| (byte >= 0x20) & (byte != b'"') & (byte != b'\\');
    if value.bytes().fold(true, |all, byte| all & plain(byte)) {
        quoted(into, value);
    } else {
        escaped(into, &value);
    }
}

fn flag(into: &mut Vec<u8>, key: &str, value: bool) {
    into.extend_from_slice(key.as_bytes());
    into.extend_from_slice(if value { b"true" } else { b"false" });
}

fn list(into: &mut Vec<u8>, key: &str, values: &[RuleId]) {
    into.extend_from_slice(key.as_bytes());
    into.push(b'[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            into.push(b',');
        }
        string(into, value.as_str());
    }
    into.push(b']');
}

fn escaped(into: &mut Vec<u8>, value: &impl Serialize) {
    let start = into.len();
    // Writing these types into memory has no way to fail; a half-written value would be worse than none.
    if serde_json::to_writer(&mut *into, value).is_err() {
        into.truncate(start);
        into.extend_from_slice(b"null");
    }
}

/// Appends the line that stands in for a line that was not valid.
pub fn write_error(into: &mut Vec<u8>, error: &LineError) {
    escaped(into, &Failed { id: error.id.as_ref(), error: FailedError { code: error.code, message: &error.message } });
    into.push(b'\n');
}

//! `cursor-acp`: a retriable control frame arrives as an ordinary chunk (.12 to .14).
//!
//! Invariant: a control frame is suppressed in the active generation only, and yields at most one failure.
//!
//! Must not know: what a text classifies to.

use serde_json::Value;

use super::{Dialect, Projected, Reading};
use crate::acp::convert::Update;
use crate::vocab::ErrorSource;

/// How a control frame begins, in any letter case.
const PREFIX: &str = "error: retriableerror:";
/// Longest text after the prefix, in bytes, trimmed.
const SUFFIX_LIMIT_BYTES: usize = 256;
/// Signatures, in lower case, of a cancellation, a deadline or an escalation: such a chunk stays ordinary output.
const ORDINARY: &[&str] = &[
    "context canceled",
    "context cancelled",
    "context deadline exceeded",
    "cancel escalated",
    "prompt abandoned after cancel",
    "aborted by user",
    "exceeded max retries",
    "max retries exceeded",
    "retries exhausted",
    "giving up after",
];

/// The trimmed text of a control frame, or nothing.
fn control_frame(text: &str) -> Option<&str> {
    let text = text.trim();
    let suffix = text
        .get(..PREFIX.len())
        .filter(|prefix| prefix.eq_ignore_ascii_case(PREFIX))
        .map(|prefix| text[prefix.len()..].trim())?;
    if suffix.is_empty() || suffix.len() > SUFFIX_LIMIT_BYTES {
        return None;
    }
    let lower = suffix.to_lowercase();
    (!ORDINARY.iter().any(|signature| lower.contains(signature))).then_some(text)
}

/// State within one prompt.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    pending: Option<String>,
}

impl Dialect for Cursor {
    fn begin(&mut self) {
        self.pending = None;
    }

    fn read(&mut self, update: &Update<'_>, active: bool) -> Reading {
        match update {
            Update::Assistant(chunk) => {
                if let Some(frame) = control_frame(chunk.text.as_inner()).filter(|_| active) {
                    self.pending = Some(frame.to_owned());
                    return Reading::Suppressed;
                }
                if !chunk.is_blank() {
                    self.pending = None;
                }
            }
            Update::Thought(chunk) if !chunk.is_blank() => self.pending = None,
            // An update of a tool that was already running is no sign of renewed generation; a new call is.
            Update::ToolCall { .. } => self.pending = None,
            _ => {}
        }
        Reading::Ordinary
    }

    fn settle(&mut self, result: &Value) -> Option<Projected> {
        let text = self.pending.take()?;
        let cancelled = result.get("stopReason").and_then(Value::as_str) == Some("cancelled");
        (!cancelled).then_some(Projected { source: ErrorSource::CursorAcp, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_bounded_frame_is_a_control_frame() {
        let longest = format!("Error: RetriableError: {}", "é".repeat(128));
        let too_long = format!("Error: RetriableError: {}", "x".repeat(257));
        let rows = [
            ("Error: RetriableError: [unavailable] PING timed out", true),
            ("\u{3000}\n error: RETRIABLEERROR: Connection stalled \u{a0}", true),
            ("Error: RetriableError:x", true),
            ("Error: RetriableError: [canceled] http/2 stream closed", true),
            (&longest, true),
            (&too_long, false),
            ("Error: RetriableError:", false),
            ("Error: RetriableError: \u{2003}", false),
            ("Error: Retriable", false),
            ("It said Error: RetriableError: Connection stalled", false),
            ("Error: RetriableError: context canceled", false),
            ("Error: RetriableError: Context Deadline Exceeded", false),
            ("Error: RetriableError: exceeded max retries", false),
            ("Error: RetriableError: giving up after 3", false),
            ("érror: RetriableError: Connection stalled", false),
            ("", false),
        ];
        let wrong: Vec<_> = rows.iter().filter(|(text, expected)| control_frame(text).is_some() != *expected).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

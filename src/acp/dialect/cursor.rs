//! `cursor-acp`: a retriable control frame arrives as an ordinary chunk (.12 to .14).
//!
//! Invariant: a control frame is suppressed in the active generation only, and yields at most one failure.
//!
//! Must not know: what a text classifies to.

use serde_json::Value;

use super::{Dialect, Projected, Reading};
use crate::acp::convert::Update;
use crate::catalogue::retriable_suffix;
use crate::vocab::ErrorSource;

/// The trimmed text of a control frame, or nothing. The catalogue's rule has the one definition of prefix and bound.
fn control_frame(text: &str) -> Option<&str> {
    retriable_suffix(text).map(|_| text.trim())
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

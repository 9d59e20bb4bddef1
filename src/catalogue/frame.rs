//! Cursor's retriable control frame: the one definition that the rule and the dialect share (criteria .12 and .14).

use crate::redact::{TOLD_BYTES, length_before};

/// The prefix, in any letter case.
pub const RETRIABLE_PREFIX: &str = "error: retriableerror:";
/// Longest suffix in UTF-8 bytes, after trimming.
pub const RETRIABLE_SUFFIX_BYTES: usize = 256;
const _: () = assert!(RETRIABLE_SUFFIX_BYTES <= TOLD_BYTES, "redaction tells lengths up to the bound only");
/// Texts that say that somebody already gave up (this frame only).
const ESCALATIONS: &[&str] = &["exceeded max retries", "max retries exceeded", "retries exhausted", "giving up after"];

/// The suffix of a control frame: `text`, trimmed of Unicode white space, begins with the prefix, the trimmed rest is not
/// empty and of at most 256 bytes, and says nothing of cancellation, deadline or retry escalation.
#[must_use]
pub fn retriable_suffix(text: &str) -> Option<&str> {
    let text = text.trim();
    let head = text.get(..RETRIABLE_PREFIX.len())?;
    if !head.eq_ignore_ascii_case(RETRIABLE_PREFIX) {
        return None;
    }
    let suffix = text[RETRIABLE_PREFIX.len()..].trim();
    // A suffix that redaction made short was as long as what its placeholders stand for: too long stays too long.
    if suffix.is_empty() || length_before(suffix) > RETRIABLE_SUFFIX_BYTES {
        return None;
    }
    let lower = suffix.to_ascii_lowercase();
    let refused = ESCALATIONS.iter().any(|phrase| lower.contains(phrase)) || super::veto::cancels(suffix);
    (!refused).then_some(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_anchored_bounded_and_vetoed() {
        let mut wrong = Vec::new();
        let long = format!("Error: RetriableError: {}", "x".repeat(257));
        let most = format!("Error: RetriableError: {}", "é".repeat(128));
        for (text, expected) in [
            ("Error: RetriableError: [unavailable] PING timed out", true),
            ("\u{a0}\n error: RETRIABLEERROR: Connection stalled \u{2003}", true),
            ("Error: RetriableError: [canceled] stream closed", true),
            (most.as_str(), true),
            (long.as_str(), false),
            ("Error: RetriableError: [unavailable] stream of [redacted_id_1] to [redacted_url_1] was reset", true),
            ("Error: RetriableError: [redacted_run_1][redacted_run_1][redacted_run_1][redacted_run_1]", true),
            ("Error: RetriableError: x[redacted_run_1][redacted_run_1][redacted_run_1][redacted_run_1]", false),
            ("Error: RetriableError: [redacted_url_1] [redacted_url_2] [redacted_path_1] [redacted_run_1] lost", false),
            ("Error: RetriableError:  ", false),
            ("Saw Error: RetriableError: Connection stalled", false),
            ("Error: RetriableError: context canceled", false),
            ("Error: RetriableError: context deadline exceeded", false),
            ("Error: RetriableError: step failed, exceeded max retries", false),
        ] {
            if retriable_suffix(text).is_some() != expected {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

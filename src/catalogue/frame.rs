//! Cursor's retriable control frame: the one definition that the rule and the dialect share (criteria .12 and .14).

use crate::redact::{Profile, Redactor};
use crate::vocab::Tier;

/// The prefix, in any letter case.
pub const RETRIABLE_PREFIX: &str = "error: retriableerror:";
/// Longest suffix in UTF-8 bytes, after trimming.
pub const RETRIABLE_SUFFIX_BYTES: usize = 256;
/// Texts that say that somebody already gave up (this frame only).
const ESCALATIONS: &[&str] = &["exceeded max retries", "max retries exceeded", "retries exhausted", "giving up after"];

/// The suffix of a control frame: `text`, trimmed of Unicode white space, begins with the prefix, the trimmed rest is not
/// empty and of at most 256 bytes, holds no identifier that redaction replaces, and says nothing of cancellation, deadline or
/// retry escalation.
#[must_use]
pub fn retriable_suffix(text: &str) -> Option<&str> {
    let text = text.trim();
    let head = text.get(..RETRIABLE_PREFIX.len())?;
    if !head.eq_ignore_ascii_case(RETRIABLE_PREFIX) {
        return None;
    }
    let suffix = text[RETRIABLE_PREFIX.len()..].trim();
    if suffix.is_empty() || suffix.len() > RETRIABLE_SUFFIX_BYTES || is_unmeasured(suffix) {
        return None;
    }
    let lower = suffix.to_ascii_lowercase();
    let refused = ESCALATIONS.iter().any(|phrase| lower.contains(phrase)) || super::veto::cancels(suffix);
    (!refused).then_some(suffix)
}

/// Whether redaction did or would change the length: nobody who sees only the placeholder knows whether the bound was kept,
/// and both must get the same answer, so it is a person's.
fn is_unmeasured(suffix: &str) -> bool {
    let redactor = Redactor::embedded();
    crate::redact::holds_placeholder(suffix)
        || [Tier::Payload, Tier::Diagnostic]
            .iter()
            .any(|tier| !redactor.scan(*tier, Profile::Standard, suffix).is_empty())
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
            ("Error: RetriableError: [unavailable] stream to [redacted_url_1] was reset", false),
            ("Error: RetriableError: [unavailable] stream to https://api.example.com/v1 was reset", false),
            ("Error: RetriableError: [redacted_run_1]", false),
            ("Error: RetriableError: [redacted_by_hand] stream was reset", true),
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

//! Texts that say that somebody stopped the request: they veto every transient rule.

use std::sync::OnceLock;

use super::pattern::Pattern;
use crate::text::literals::Literals;

/// Words of which at least one is in every vetoing text; looked for in the one prefilter pass.
pub(crate) const LITERALS: &[&str] =
    &["cancel", "context deadline", "abort", "interrupted", "client closed request", "ctrl-c"];

const PATTERN: &str = concat!(
    r"\bcontext (?:was )?cancell?ed\b|\bcontext deadline exceeded\b|\bcancel escalated\b",
    r"|\babandoned after cancel|\baborted by (?:the )?(?:user|signal|client|caller)\b|\baborterror\b",
    r"|\b(?:operation|request|retry|turn|stream|prompt|query|call|fetch|generation|this operation) (?:was |has been )?aborted\b",
    r"|\bcancell?ed by (?:the )?(?:user|client|caller)\b|\buser (?:has )?(?:cancell?ed|aborted|interrupted)\b",
    r"|\b(?:request|operation|prompt|turn|query|call|task|retry) (?:was |has been )?cancell?ed\b",
    r"|\binterrupted by (?:the )?user\b|\binterrupted \(|\bclient closed request\b|\bcancell?ederror\b",
    r"|\bcode ?= ?cancell?ed\b|\bctrl-c\b|\boperation cancell?ed\b"
);

/// Whether `text` says that the request was cancelled, ran into a deadline of ours or was given up.
#[must_use]
pub fn cancels(text: &str) -> bool {
    static WORDS: OnceLock<Literals> = OnceLock::new();
    static PHRASES: Pattern = Pattern::fixed(PATTERN);
    WORDS.get_or_init(|| Literals::new(LITERALS.iter().copied())).is_in(text) && PHRASES.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_is_a_phrase_not_a_word() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("context canceled: connection closed", true),
            ("context deadline exceeded", true),
            ("cancel escalated: prompt abandoned after cancel", true),
            ("AbortError: The operation was aborted", true),
            ("Request cancelled by user while waiting", true),
            ("[canceled] http/2 stream closed with error code CANCEL (0x8)", false),
            ("stream closed with error code CANCEL", false),
            ("the cancellation policy of the hotel", false),
        ] {
            let lower = text.to_ascii_lowercase();
            let prefiltered = LITERALS.iter().any(|literal| lower.contains(literal));
            if (cancels(text) && prefiltered) != expected {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

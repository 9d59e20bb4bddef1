//! An agent's own "Retrying in 4 seconds (attempt 4/10)": telemetry about a retry that it owns itself.

use crate::catalogue::Pattern;

const PATTERN: &str = concat!(
    r"\bretrying (?:in|after|with|api|the|now|request)\b|\bretrying\.\.\.|\bretrying \(|\[retrying|",
    r"\breconnecting(?: to|\.\.\.| in)|\battempt #?\d+ ?(?:/|of) ?\d+\b|\battempt \d+ failed\b|\bwill retry (?:in|after)\b"
);

/// Whether `text` announces a retry of the agent's own.
#[must_use]
pub(crate) fn announces_retry(text: &str) -> bool {
    static ANNOUNCEMENTS: Pattern = Pattern::fixed(PATTERN);
    // A cheap look first: the pattern is compiled only for texts that can match.
    let bytes = text.as_bytes();
    let parts: [&[u8]; 3] = [b"etry", b"ttempt", b"econnecting"];
    if !memchr::memchr_iter(b't', bytes).any(|at| {
        parts.iter().any(|part| {
            let back = part.iter().position(|byte| *byte == b't').unwrap_or(0);
            at.checked_sub(back).and_then(|start| bytes.get(start..start + part.len())) == Some(*part)
        })
    }) {
        return false;
    }
    ANNOUNCEMENTS.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::announces_retry;

    #[test]
    fn announcements_are_told_from_advice() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("API Error (x) · Retrying in 4 seconds… (attempt 4/10)", true),
            ("Attempt 1 failed: x. Retrying after 6173ms...", true),
            ("quota exceeded [retrying in ~2 weeks attempt #1]", true),
            ("Reconnecting... 1/5", true),
            ("You can retry your request", false),
            ("Please retry in 5s", false),
            ("All 2 attempts failed", false),
            ("exceeded retry limit, last status: 429", false),
        ] {
            if announces_retry(text) != expected {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

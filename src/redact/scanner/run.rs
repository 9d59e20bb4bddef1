//! Long runs of token characters.
//!
//! Invariant: every run of at least the asked length is met, whatever stands around it.
//!
//! Must not know: what the run means.

use super::{Extent, Text};

/// Characters of base64 in both alphabets and of tokens.
const RUN: [bool; 256] = {
    let mut run = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        run[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'+' | b'/' | b'=' | b'_' | b'-');
        byte += 1;
    }
    run
};

const fn is_run(byte: u8) -> bool {
    RUN[byte as usize]
}

/// The first run of at least `least` bytes in `from..to`. Looks at every `least`-th byte only, until one is in a run.
pub(in crate::redact) fn next(text: &Text<'_>, from: usize, to: usize, least: usize) -> Option<Extent> {
    let mut at = from + least - 1;
    let mut floor = from;
    while at < to {
        if !is_run(text.bytes[at]) {
            floor = at + 1;
            at += least;
            continue;
        }
        let before = &text.bytes[floor..at];
        let start = floor + before.iter().rposition(|&byte| !is_run(byte)).map_or(0, |last| last + 1);
        let ahead = &text.bytes[at..to];
        let end = at + ahead.iter().position(|&byte| !is_run(byte)).unwrap_or(ahead.len());
        if end - start >= least {
            return Extent::new(start, end);
        }
        floor = end + 1;
        at = end + least;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_at_every_offset() {
        for before in 0..40 {
            for length in [9, 10, 11, 30] {
                let text = format!("{}{} tail", " ".repeat(before), "x".repeat(length));
                let expected = (length >= 10).then_some(Extent { start: before, end: before + length });
                assert_eq!(next(&Text::plain(text.as_bytes()), 0, text.len(), 10), expected, "{text:?}");
            }
        }
    }
}

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
        let end = end_of(text.bytes, at, to);
        if end - start >= least {
            return Extent::new(start, end);
        }
        floor = end + 1;
        at = end + least;
    }
    None
}

/// Where the run ends that `at` is in. Whole blocks first, by comparisons that vectorise: an image is one long run.
fn end_of(bytes: &[u8], mut at: usize, to: usize) -> usize {
    let holds = |byte: u8| {
        let letter = byte | 0x20;
        (letter.wrapping_sub(b'a') < 26)
            | (byte.wrapping_sub(b'/') < 11)
            | (byte == b'+')
            | (byte == b'=')
            | (byte == b'_')
            | (byte == b'-')
    };
    while let Some(block) = bytes[at..to].first_chunk::<32>() {
        if !block.iter().fold(true, |all, &byte| all & holds(byte)) {
            break;
        }
        at += block.len();
    }
    at + bytes[at..to].iter().position(|&byte| !is_run(byte)).unwrap_or(to - at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_what_a_run_holds() {
        for byte in 0..=255u8 {
            let mut bytes = [b'x'; 64];
            bytes[20] = byte;
            assert_eq!(end_of(&bytes, 0, 64), if is_run(byte) { 64 } else { 20 }, "{byte}");
        }
    }

    #[test]
    fn runs_are_found_at_every_offset() {
        for before in 0..40 {
            for length in [9, 10, 11, 30, 32, 64, 65, 200] {
                let text = format!("{}{} tail", " ".repeat(before), "x".repeat(length));
                let expected = (length >= 10).then_some(Extent { start: before, end: before + length });
                assert_eq!(next(&Text::plain(text.as_bytes()), 0, text.len(), 10), expected, "{text:?}");
            }
        }
    }
}

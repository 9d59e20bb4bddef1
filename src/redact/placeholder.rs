//! The spelling of a placeholder.
//!
//! Invariant: a placeholder matches no shape, is ASCII and shorter than 32 bytes; the placeholders of a text stand for at
//! least as many bytes as their values had, up to [`TOLD_BYTES`].
//!
//! Must not know: which value it stands for.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::shape::Kind;

const OPEN: &[u8] = b"[redacted_";
/// Longest placeholder that is recognised, in bytes.
const LONGEST: usize = 31;

/// Lengths are told up to here: readers bound a text by at most as much.
pub const TOLD_BYTES: usize = 256;

/// Most bytes that one placeholder stands for: what the usual value of its kind has. A longer value repeats its
/// placeholder, so that a text that was too long for a reader is not made to fit by what was cut out of it.
const fn room(kind: Kind) -> usize {
    match kind {
        Kind::Key => 112,
        Kind::Id | Kind::Ip => 40,
        Kind::Url | Kind::Path | Kind::Email | Kind::Host | Kind::Run => 64,
    }
}

/// How often the placeholder of a value of so many bytes is written.
pub(super) fn repeats(kind: Kind, bytes: usize) -> usize {
    bytes.div_ceil(room(kind)).clamp(1, TOLD_BYTES / room(kind) + 1)
}

/// The most bytes that a text can have had before redaction, up to [`TOLD_BYTES`]; its length when it holds no
/// placeholder.
#[must_use]
pub fn length_before(text: &str) -> usize {
    let mut bytes = text.len();
    each(text.as_bytes(), |length, kind, _| bytes += room(kind).saturating_sub(length));
    bytes
}

/// Appends the placeholder of `kind` and `number`.
pub(super) fn push(text: &mut String, kind: Kind, number: u64) {
    use std::fmt::Write as _;
    let _ = write!(text, "[redacted_{kind}_{number}]");
}

/// A placeholder at the beginning of `bytes`: its length, kind and number.
pub(super) fn parse(bytes: &[u8]) -> Option<(usize, Kind, u64)> {
    let rest = bytes.strip_prefix(OPEN)?;
    let kind = *Kind::ALL
        .iter()
        .find(|kind| rest.starts_with(kind.as_str().as_bytes()) && rest.get(kind.as_str().len()) == Some(&b'_'))?;
    let digits = &rest[kind.as_str().len() + 1..];
    let count = digits.iter().take(LONGEST).take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 || digits.get(count) != Some(&b']') {
        return None;
    }
    let number = std::str::from_utf8(&digits[..count]).ok()?.parse().ok()?;
    Some((OPEN.len() + kind.as_str().len() + 1 + count + 1, kind, number))
}

/// The length of the placeholders that `bytes` begins with, one after another.
pub(super) fn prefix_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some((more, ..)) = parse(&bytes[length..]) {
        length += more;
    }
    length
}

/// The start of a placeholder that `at` falls into, when it does.
pub(super) fn cut_by(bytes: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(LONGEST);
    (from..at).rev().find(|&start| bytes[start] == b'[' && parse(&bytes[start..]).is_some_and(|(l, ..)| start + l > at))
}

/// Calls `see` with the length, kind and number of every placeholder in `bytes`.
pub(super) fn each(bytes: &[u8], mut see: impl FnMut(usize, Kind, u64)) {
    static OPENING: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(OPEN));
    for start in OPENING.find_iter(bytes) {
        if let Some((length, kind, number)) = parse(&bytes[start..]) {
            see(length, kind, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_never_taken_for_shorter_than_it_was() {
        let mut wrong = Vec::new();
        for &kind in Kind::ALL {
            for bytes in [1, 39, 40, 41, 64, 65, 112, 113, 128, 200, 255, 256, 257, 300, 5_000] {
                let mut text = "12 letters, ".to_owned();
                (0..repeats(kind, bytes)).for_each(|_| push(&mut text, kind, 1));
                let (before, told) = (12 + bytes, length_before(&text));
                if told < before.min(TOLD_BYTES + 1) || told > before + room(kind) {
                    wrong.push(format!("{kind} of {bytes} bytes: {text:?} counts as {told}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(length_before("no [placeholder_1]"), 18);
    }

    #[test]
    fn placeholders_parse_back_and_nothing_else_does() {
        for &kind in Kind::ALL {
            for number in [1, 42, 18_446_744_073] {
                let mut text = String::new();
                push(&mut text, kind, number);
                assert_eq!(parse(text.as_bytes()), Some((text.len(), kind, number)));
                assert!(text.len() < 32, "{text}");
                assert_eq!(cut_by(text.as_bytes(), 4), Some(0), "{text}");
            }
        }
        for text in ["[redacted_]", "[redacted_key_]", "[redacted_key_1", "[redacted_keys_1]", "redacted_key_1]", ""] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}

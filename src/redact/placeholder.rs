//! The spelling of a placeholder.
//!
//! Invariant: a placeholder matches no shape, is ASCII and shorter than 32 bytes.
//!
//! Must not know: which value it stands for.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::shape::Kind;

const OPEN: &[u8] = b"[redacted_";
/// Longest placeholder that is recognised, in bytes.
const LONGEST: usize = 31;

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

/// Calls `see` with every placeholder in `bytes`.
pub(super) fn each(bytes: &[u8], mut see: impl FnMut(Kind, u64)) {
    static OPENING: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(OPEN));
    for start in OPENING.find_iter(bytes) {
        if let Some((_, kind, number)) = parse(&bytes[start..]) {
            see(kind, number);
        }
    }
}

/// Whether `text` holds a placeholder: something was there whose length nobody knows any more.
#[must_use]
pub fn holds_placeholder(text: &str) -> bool {
    let mut any = false;
    each(text.as_bytes(), |_, _| any = true);
    any
}

#[cfg(test)]
mod tests {
    use super::*;

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

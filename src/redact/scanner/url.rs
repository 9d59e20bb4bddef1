//! URLs: the whole, what follows the host, the user name in front of it.
//!
//! Invariant: sentence marks and brackets around a URL do not belong to it.
//!
//! Must not know: which hosts are private.

use super::{Extent, Text};
use crate::redact::placeholder;

/// Bytes that end a URL.
const fn ends(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'|' | b'{' | b'}' | b'^' | 0x7f)
}

/// The scheme whose `://` is at `at`: where it begins.
pub(in crate::redact) fn scheme(text: &Text<'_>, at: usize) -> Option<usize> {
    let start = text.run_back(at, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let gap = (start..at).rev().find(|&place| text.has_gap(place));
    let start = gap.unwrap_or(start);
    let skipped = text.slice(start, at).iter().take_while(|byte| !byte.is_ascii_alphabetic()).count();
    (start + skipped < at).then_some(start + skipped)
}

/// Whether the scheme before the `://` at `at` is that of the web, with the place where it begins.
pub(in crate::redact) fn web_scheme(text: &Text<'_>, at: usize) -> Option<usize> {
    let of = |scheme: &[u8]| at.checked_sub(scheme.len()).filter(|&start| text.has(start, scheme));
    of(b"https").or_else(|| of(b"http"))
}

/// The end of the URL whose rest begins at `from` (after `://`).
pub(in crate::redact) fn end_of(text: &Text<'_>, from: usize) -> usize {
    let mut depth = 0u32;
    let mut at = from;
    while at < text.bytes.len() {
        let byte = text.bytes[at];
        if byte == b'[' {
            at += placeholder::prefix_length(&text.bytes[at..]).max(1);
            continue;
        }
        match byte {
            _ if ends(byte) => break,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            0x80.. if is_foreign_mark(&text.bytes[at..]) => break,
            _ => {}
        }
        at += 1;
    }
    trim(text, from, at)
}

/// Moves `end` back over what a sentence puts after a URL; a bracket that the URL opened stays.
fn trim(text: &Text<'_>, from: usize, mut end: usize) -> usize {
    while end > from {
        let last = text.bytes[end - 1];
        let kept = match last {
            b']' => text.slice(from, end).contains(&b'['),
            b')' => text.slice(from, end).contains(&b'('),
            _ => !b".,;:!?*_~".contains(&last),
        };
        if kept {
            return end;
        }
        end -= 1;
    }
    end
}

/// Quotation marks, dashes, spaces and full stops outside ASCII.
fn is_foreign_mark(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xe2, 0x80, ..] | [0xe3, 0x80, ..] | [0xc2, 0xa0 | 0xb7 | 0xab | 0xbb, ..] | [0xef, 0xbc, 0x8c | 0x89, ..]
    )
}

/// The whole URL around the `://` at `at`: web URLs, and any other that carries user name and password.
pub(in crate::redact) fn whole(text: &Text<'_>, at: usize) -> Option<Extent> {
    let from = at + 3;
    match web_scheme(text, at) {
        Some(start) => {
            let end = end_of(text, from);
            (end > from).then_some(())?;
            Extent::new(start, end)
        }
        None => {
            user_info(text, at)?;
            Extent::new(scheme(text, at)?, end_of(text, from))
        }
    }
}

/// Where the authority that begins at `from` ends.
pub(in crate::redact) fn authority_end(text: &Text<'_>, from: usize) -> usize {
    let end = text.run(from, |byte| !ends(byte) && !matches!(byte, b'/' | b'?' | b'#' | b')' | b',' | b';'));
    super::trim_closers(text.bytes, from, end).max(closed_bracket(text, from, end))
}

/// `[::1]` keeps its bracket.
fn closed_bracket(text: &Text<'_>, from: usize, end: usize) -> usize {
    let inside = text.slice(from, end);
    let close = inside.iter().rposition(|&byte| byte == b']');
    close.filter(|_| inside.contains(&b'[')).map_or(from, |close| from + close + 1)
}

/// User name and password (without the `@`) of the URL whose `://` is at `at`. The last `@` before the path counts,
/// because passwords hold `@` too.
pub(in crate::redact) fn user_info(text: &Text<'_>, at: usize) -> Option<Extent> {
    scheme(text, at)?;
    let from = at + 3;
    let end = text.run(from, |byte| !ends(byte) && !matches!(byte, b'/' | b'?' | b'#')).min(from + 1024);
    let sign = text.slice(from, end).iter().rposition(|&byte| byte == b'@')?;
    let host = text.byte(from + sign + 1);
    if !(host.is_ascii_alphanumeric() || host == b'[' || host >= 0x80) || is_quiet(text.slice(from, from + sign)) {
        return None;
    }
    Extent::new(from, from + sign)
}

/// Placeholders, references to variables and masks are no user names.
fn is_quiet(user: &[u8]) -> bool {
    placeholder::prefix_length(user) == user.len()
        || user.iter().all(|byte| b"*:".contains(byte))
        || user.starts_with(b"$") && !user.contains(&b':')
}

/// What follows `scheme://host` of the web URL whose `://` is at `at`, when anything does.
pub(in crate::redact) fn rest(text: &Text<'_>, at: usize) -> Option<Extent> {
    web_scheme(text, at)?;
    let from = at + 3;
    let end = end_of(text, from);
    let user = user_info(text, at).filter(|user| user.end < end);
    if let Some(user) = user {
        return Extent::new(user.start, end);
    }
    let host =
        text.run(from, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') || byte >= 0x80);
    let host = host.min(end);
    // `https://host/` says no more than `https://host`, and a placeholder has nothing left to say.
    let slash = usize::from(text.byte(host) == b'/');
    let tail = text.slice(host + slash, end);
    if tail.is_empty() || placeholder::prefix_length(tail) == tail.len() {
        return None;
    }
    Extent::new(host + slash, end)
}

//! `Authorization`, `Cookie` and the tokens after their scheme words.
//!
//! Invariant: the scheme word stays, the value goes.
//!
//! Must not know: tiers.

use super::{Extent, Text, is_space, is_token, prose, value};

/// Characters of a bearer token (RFC 6750) and of what people put there.
const fn is_bearer(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'%' | b':' | b'|')
}

/// The token after the word `Bearer`, whose end is at `from`.
pub(in crate::redact) fn bearer(text: &Text<'_>, from: usize) -> Option<Extent> {
    let separator = text.run(from, |byte| is_space(byte) || matches!(byte, b':' | b'"' | b'\'' | b'='));
    let start = if text.has(from, b"%20") { from + 3 } else { separator };
    if start == from && !text.has_gap(from) || start - from > 8 {
        return None;
    }
    let end = super::trim_closers(text.bytes, start, text.run(start, is_bearer));
    let token = text.slice(start, end);
    let loose = token.iter().any(|byte| b"-/:".contains(byte)) && !prose::has_digit(token);
    let secret = token.len() >= 4 && prose::is_not_prose(token) && !loose || token.len() >= 24;
    if !secret || value::is_quiet(token) || value::is_code(token) {
        return None;
    }
    Extent::new(start, wrapped_end(text, start, end))
}

/// The value of an `Authorization` header, whose name ends at `from`.
pub(in crate::redact) fn authorization(text: &Text<'_>, from: usize) -> Option<Extent> {
    let close = text.run(from, |byte| matches!(byte, b'"' | b'\'' | b'\\')).min(from + 4);
    let sign = text.run(close, |byte| byte == b' ' || byte == b'\t');
    let tight = text.byte(sign) == b'=';
    if !(text.byte(sign) == b':' || tight) {
        return None;
    }
    let open = text.run(sign + 1, |byte| is_space(byte) || matches!(byte, b'"' | b'\'' | b'\\' | b'[' | b'`'));
    let word_end = text.run(open, is_token);
    let word = text.slice(open, word_end);
    let scheme = [
        &b"basic"[..],
        b"bearer",
        b"token",
        b"digest",
        b"negotiate",
        b"ntlm",
        b"apikey",
        b"api-key",
        b"aws4-hmac-sha256",
        b"hawk",
        b"dpop",
    ]
    .iter()
    .any(|known| word.eq_ignore_ascii_case(known));
    let start = if scheme { text.run(word_end, |byte| is_space(byte) || byte == b'=') } else { open };
    let end = line_end(text, start, word);
    let found = text.slice(start, end);
    let first = found.split(|&byte| is_space(byte)).next().unwrap_or_default();
    let secret = if scheme { prose::is_not_prose(first) || first.len() >= 12 } else { is_bare_secret(first) };
    (secret && !value::is_quiet(found) && !value::is_code(first)).then_some(())?;
    Extent::new(start, wrapped_end(text, start, end))
}

/// A value without scheme needs the look of a token.
fn is_bare_secret(word: &[u8]) -> bool {
    word.len() >= 8 && (prose::has_digit(word) || prose::has_mixed_case(word))
}

/// One word, except for schemes whose value has parts.
fn line_end(text: &Text<'_>, start: usize, scheme: &[u8]) -> usize {
    let parts = scheme.eq_ignore_ascii_case(b"digest") || scheme.len() > 8;
    let end = text.run(start, |byte| {
        if parts {
            byte != b'\n' && byte != b'\r'
        } else {
            !is_space(byte) && !matches!(byte, b'"' | b'\'' | b'\\' | b'`' | b'<')
        }
    });
    super::trim_closers(text.bytes, start, end)
}

/// Base64 of `user:password` after the word `Basic`, whose end is at `from`.
pub(in crate::redact) fn basic(text: &Text<'_>, from: usize) -> Option<Extent> {
    let start = text.run(from, |byte| byte == b' ' || byte == b'\t');
    let end = text.run(start, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_'));
    let token = text.slice(start, end);
    let decoded = base64(&token[..token.len().min(512)])?;
    let printable = decoded.iter().all(|byte| (b' '..0x7f).contains(byte) || *byte >= 0x80);
    (start > from && token.len() >= 8 && printable && decoded.contains(&b':')).then_some(())?;
    Extent::new(start, end)
}

/// Decoded base64 of either alphabet; `None` when a character does not belong.
pub(in crate::redact) fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len()), 0u32, 0);
    let kept = text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1);
    for &byte in &text[..kept] {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

/// The value of a cookie header, whose name ends at `from`: the rest of the line when it holds a pair.
pub(in crate::redact) fn cookie(text: &Text<'_>, from: usize) -> Option<Extent> {
    let close = text.run(from, |byte| matches!(byte, b'"' | b'\'' | b'\\')).min(from + 4);
    let sign = text.run(close, |byte| byte == b' ' || byte == b'\t');
    if !matches!(text.byte(sign), b':' | b'=') {
        return None;
    }
    let start = text.run(sign + 1, |byte| byte == b' ' || byte == b'\t' || matches!(byte, b'"' | b'\'' | b'\\' | b'['));
    let end = text.run(start, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\'));
    let end = super::trim_closers(text.bytes, start, end);
    let found = text.slice(start, end);
    let name = found.iter().take_while(|&&byte| is_token(byte) || byte == b'.').count();
    let content = found.get(name + 1..).unwrap_or_default();
    let pair = name > 0 && found.get(name) == Some(&b'=') && !content.is_empty();
    (pair && !value::is_quiet(found) && !value::is_quiet(content)).then_some(())?;
    Extent::new(start, end)
}

/// The end of a token that a terminal broke at the end of a line: the next line goes on with what can only be its rest.
pub(in crate::redact) fn wrapped_end(text: &Text<'_>, start: usize, end: usize) -> usize {
    let line = if text.byte(end) == b'\r' { end + 1 } else { end };
    if text.byte(line) != b'\n' || end - start < 12 || !text.slice(start, end).iter().all(|&byte| is_bearer(byte)) {
        return end;
    }
    let rest = text.run(line + 1, is_token);
    let more = text.slice(line + 1, rest);
    let closed =
        rest >= text.bytes.len() || is_space(text.byte(rest)) || matches!(text.byte(rest), b'"' | b'\'' | b',' | b'.');
    let both = more.iter().any(u8::is_ascii_lowercase) && more.iter().any(u8::is_ascii_uppercase);
    let random = more.len() >= 8 && prose::has_digit(more) && both && !prose::is_slug(more);
    if closed && random { rest } else { end }
}

//! Values that are assigned to the name of a secret: `key=value`, `key: value`, JSON, YAML, shell, command-line flags.
//!
//! Invariant: a tight `=` or a quoted value needs no further evidence; `name: word` in prose does.
//!
//! Must not know: tiers.

use super::key_name::{self, KeyName};
use super::{Extent, Text, is_space, prose, value};

/// Longest name.
const NAME_BYTES: usize = 80;

/// How a value is attached to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `name=value`.
    Tight,
    /// `name: value`, `name = value`.
    Loose,
    /// `--name value`.
    Flag,
}

/// The value assigned to the name around the anchor at `at..anchor_end`.
pub(in crate::redact) fn assigned(text: &Text<'_>, at: usize, anchor_end: usize) -> Option<Extent> {
    let is_name = |byte: u8| super::is_token(byte) || byte == b'.';
    let start = text.run_back(at, is_name).max(at.saturating_sub(NAME_BYTES));
    // An anchor may hold the sign after the name, as `_key=` does.
    let end = if is_name(text.before(anchor_end)) { text.run(anchor_end, is_name) } else { text.run(at, is_name) };
    if end - start > NAME_BYTES + 40 {
        return None;
    }
    let name = text.slice(start, end);
    let kind = key_name::classify(name);
    if kind == KeyName::Plain {
        return None;
    }
    let (form, from) = separator(text, start, end)?;
    value_at(text, from, form, kind, name)
}

/// What separates the name `start..end` from its value, and where the value begins.
fn separator(text: &Text<'_>, start: usize, end: usize) -> Option<(Form, usize)> {
    let close = text.run(end, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b']' | b'`')).min(end + 5);
    let sign = text.run(close, |byte| byte == b' ' || byte == b'\t').min(close + 3);
    let length = match (text.byte(sign), text.byte(sign + 1)) {
        (b':' | b'=', b'=' | b'~') if text.byte(sign) == b'=' => return None,
        (b':', b'=') | (b'=', b'>') => 2,
        (b':', b':') => return None,
        (b':' | b'=', _) => 1,
        _ => return flag(text, start, end),
    };
    let from = text.run(sign + length, |byte| byte == b' ' || byte == b'\t').min(sign + length + 8);
    let tight = text.byte(sign) == b'=' && length == 1 && sign == end && from == sign + 1;
    Some((if tight { Form::Tight } else { Form::Loose }, from))
}

/// `--name value`: the name of a flag and a space.
fn flag(text: &Text<'_>, start: usize, end: usize) -> Option<(Form, usize)> {
    let dashes =
        text.slice(start, end).starts_with(b"-") && (start == 0 || !text.before(start).is_ascii_alphanumeric());
    let from = text.run(end, |byte| byte == b' ' || byte == b'\t');
    (dashes && from > end && text.byte(from) != b'-').then_some((Form::Flag, from))
}

/// The value at `from`.
fn value_at(text: &Text<'_>, from: usize, form: Form, kind: KeyName, name: &[u8]) -> Option<Extent> {
    if let Some((open, quote)) = quote_at(text, from) {
        let end = quoted_end(text, open, text.slice(from, open), quote);
        let inside = text.slice(open, end);
        let quiet = value::is_quiet(inside) || kind == KeyName::Plural && !is_evidence(inside, kind);
        return if quiet { None } else { wrapped(text, open, end) };
    }
    let end = bare_end(text, from, form);
    let kept = super::trim_closers(text.bytes, from, end);
    let bare = text.slice(from, if kept == from { end } else { kept });
    // `PWD` is a folder more often than a password.
    let folder = name.to_ascii_lowercase().ends_with(b"pwd") && matches!(bare.first(), Some(b'/' | b'~' | b'\\'));
    if folder {
        return None;
    }
    // The cheap questions come first: counts of tokens are common in logs.
    let secret = match form {
        Form::Tight => kind == KeyName::Secret && !is_same_name(bare, name) || is_evidence(bare, kind),
        Form::Loose => is_evidence(bare, kind),
        Form::Flag => kind == KeyName::Secret && (prose::is_not_prose(bare) || bare.len() >= 8),
    };
    let lone = |byte: &u8| b".,;:!?)]}>'\"`*({[<".contains(byte);
    if !secret || bare.iter().all(lone) || value::is_quiet(bare) || value::is_code(text.slice(from, end)) {
        return None;
    }
    wrapped(text, from, from + bare.len())
}

/// Whether `value`, all of it, is the secret of a JSON member whose key says `kind`.
pub(in crate::redact) fn is_secret(value: &[u8], kind: KeyName) -> bool {
    !value::is_quiet(value) && (kind == KeyName::Secret || kind == KeyName::Plural && is_evidence(value, kind))
}

/// `password=password` in code.
fn is_same_name(bare: &[u8], name: &[u8]) -> bool {
    bare.eq_ignore_ascii_case(name)
        || bare.starts_with(b"self.")
        || bare.starts_with(b"this.")
        || bare.starts_with(b"args.")
}

/// Whether an unquoted value is evidently no word of a sentence.
fn is_evidence(bare: &[u8], kind: KeyName) -> bool {
    let digits = bare.iter().filter(|byte| byte.is_ascii_digit()).count();
    let marks = bare.iter().filter(|byte| b",._:-+%/T".contains(byte)).count();
    if digits + marks == bare.len() {
        return kind == KeyName::Secret && digits >= 4 && marks == 0;
    }
    if kind == KeyName::Plural {
        return bare.len() >= 12 && prose::has_digit_and_letter(bare) && prose::has_mixed_case(bare);
    }
    let symbol = bare.iter().any(|byte| b"!@#$%^&*+~|?".contains(byte));
    let path = bare.contains(&b'/') && !prose::has_digit(bare);
    bare.len() >= 4 && !path && (digits > 0 || symbol || prose::has_mixed_case(bare) || prose::is_not_prose(bare))
}

/// Backslashes and a quote at `from`: where the value begins, and the quote.
fn quote_at(text: &Text<'_>, from: usize) -> Option<(usize, u8)> {
    let at = text.run(from, |byte| byte == b'\\').min(from + 8);
    matches!(text.byte(at), b'"' | b'\'' | b'`').then(|| (at + 1, text.byte(at)))
}

/// Where the value that `open` (backslashes and `quote`) opened ends: at the same spelling followed by a delimiter, else at
/// the end of the line.
fn quoted_end(text: &Text<'_>, from: usize, open: &[u8], quote: u8) -> usize {
    let slashes = open.len() - 1;
    let mut at = from;
    while at < text.bytes.len() {
        match text.bytes[at] {
            b'\n' | b'\r' => return at,
            byte if byte == quote => {
                let before = text.run_back(at, |byte| byte == b'\\');
                if at - before.max(from) == slashes && closes(text, at + 1) {
                    return at - slashes;
                }
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// Whether what follows a quote can follow a closing one.
fn closes(text: &Text<'_>, after: usize) -> bool {
    after >= text.bytes.len() || is_space(text.byte(after)) || b",}]);:&|<>\\\"'`".contains(&text.byte(after))
}

/// The end of the unquoted value at `from`.
fn bare_end(text: &Text<'_>, from: usize, form: Form) -> usize {
    let mut at = from;
    while at < text.bytes.len() {
        let (byte, next) = (text.bytes[at], text.byte(at + 1));
        let stop = is_space(byte)
            || byte == b'\\' && matches!(next, b'"' | b'\'' | b'n' | b'r')
            || byte == b'&' && next_parameter(text, at + 1)
            || matches!(byte, b'"' | b'\'') && form != Form::Flag && ends_string(text, at + 1)
            || byte == b'<' && next == b'/';
        if stop {
            break;
        }
        at += 1;
    }
    at
}

/// Whether `name=` stands at `at`: another parameter of a query begins.
fn next_parameter(text: &Text<'_>, at: usize) -> bool {
    let end = text.run(at, |byte| super::is_token(byte) || byte == b'.');
    end > at && text.byte(end) == b'='
}

/// Whether a quote before `at` ends a string that began before the name: a comma or bracket of JSON follows.
fn ends_string(text: &Text<'_>, at: usize) -> bool {
    at >= text.bytes.len()
        || is_space(text.byte(at))
        || matches!((text.byte(at), text.byte(at + 1)), (b',', b'"' | b'\'' | b' ') | (b'}' | b']', _))
}

/// A terminal may have broken the value over two lines.
fn wrapped(text: &Text<'_>, start: usize, end: usize) -> Option<Extent> {
    Extent::new(start, super::header::wrapped_end(text, start, end))
}

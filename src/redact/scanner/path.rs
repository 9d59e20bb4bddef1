//! Paths of the machine.
//!
//! Invariant: a path ends before the line number, the closing bracket or the sentence mark that follows it.
//!
//! Must not know: other shapes.

use super::{Extent, Text};

/// Characters that a path goes on with.
const fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'/' | b'.' | b'_' | b'-' | b'~' | b'+' | b'@' | b'%' | b'=' | b'#' | b'$' | b'&' | b'!' | b'^'
        )
        || byte >= 0x80
}

/// The end of the path that goes on at `from`, where `separator` separates its parts.
fn end_of(text: &Text<'_>, from: usize, backslash: bool) -> usize {
    let mut at = from;
    loop {
        at = text.run(at, |byte| is_path(byte) || backslash && byte == b'\\');
        let escaped_space = text.byte(at) == b'\\' && text.byte(at + 1) == b' ';
        if escaped_space {
            at += 2;
        } else if let Some(more) = spaced_name(text, at) {
            at = more;
        } else {
            break;
        }
    }
    let end = super::trim_closers(text.bytes, from, at);
    from + text.slice(from, end).iter().rposition(|&byte| byte != b'\\').map_or(0, |last| last + 1)
}

/// `/Users/First Last/x`: a space, one capitalised word and a separator go on with the name of a person.
fn spaced_name(text: &Text<'_>, at: usize) -> Option<usize> {
    if text.byte(at) != b' ' || !text.byte(at + 1).is_ascii_uppercase() {
        return None;
    }
    let word = text.run(at + 1, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
    let separator = matches!(text.byte(word), b'/' | b'\\') && super::is_token(text.byte(word + 1));
    let before = text.run_back(at, |byte| byte.is_ascii_alphanumeric());
    let named = text.slice(before.saturating_sub(7), before).to_ascii_lowercase();
    let home = [&b"/users/"[..], b"\\users\\", b"/home/"].iter().any(|home| named.ends_with(home));
    (separator && home && word - at < 40).then_some(word)
}

/// The absolute path around the anchor `/home/` (or another) at `at..anchor_end`.
pub(in crate::redact) fn home(text: &Text<'_>, at: usize, anchor_end: usize) -> Option<Extent> {
    if !(super::is_token(text.byte(anchor_end)) || matches!(text.byte(anchor_end), b'.' | b'$' | b'%' | b'@' | 0x80..))
    {
        return None;
    }
    let mut start = at;
    if !text.has_gap(at) {
        start = text.run_back(at, |byte| is_path(byte) && byte != b'=' && byte != b'&' && byte != b'#');
    }
    // `file://` and a drive letter end at a colon, so what is left begins with a slash when it is absolute.
    let first = text.slice(start, at + 1).iter().position(|&byte| byte == b'/')?;
    if first > 0 {
        let lead = text.slice(start, start + first);
        let relative =
            lead.iter().any(|&byte| super::is_token(byte) || matches!(byte, b'.' | b'~' | b'$' | b'%' | 0x80..));
        if relative {
            return None;
        }
        start += first;
    }
    Extent::new(start, end_of(text, anchor_end, false))
}

/// The Windows or UNC path around the anchor `\users\` (or another) at `at..anchor_end`.
pub(in crate::redact) fn windows(text: &Text<'_>, at: usize, anchor_end: usize) -> Option<Extent> {
    let next = text.run(anchor_end, |byte| matches!(byte, b'\\' | b'/'));
    if !(super::is_token(text.byte(next)) || matches!(text.byte(next), b'.' | b'%' | b'$' | 0x80..)) {
        return None;
    }
    let lead = text.run_back(at, |byte| byte == b'\\' || byte == b'/');
    let start = if text.before(lead) == b':' && text.before(lead - 1).is_ascii_alphabetic() {
        lead - 2
    } else {
        let folders =
            text.run_back(at, |byte| super::is_token(byte) || matches!(byte, b'\\' | b'/' | b'.' | b'$' | b'?'));
        let drive = text.before(folders) == b':' && folders >= 2 && text.before(folders - 1).is_ascii_alphabetic();
        let absolute = matches!(text.byte(folders), b'\\' | b'/');
        match (drive, absolute) {
            (true, _) => folders - 2,
            (false, true) => folders,
            (false, false) => return None,
        }
    };
    Extent::new(start, end_of(text, next, true))
}

/// An absolute path of at least two parts that begins at the slash at `at` (diagnostic tier), or a Windows path whose
/// drive letter stands there.
pub(in crate::redact) fn any(text: &Text<'_>, at: usize) -> Option<Extent> {
    let before = text.before(at);
    let opens = before == 0 || text.has_gap(at) || super::is_space(before) || b"\"'`([{<=:,;|>".contains(&before);
    if !opens || !(super::is_token(text.byte(at + 1)) || matches!(text.byte(at + 1), b'.' | b'@' | 0x80..)) {
        return None;
    }
    let end = end_of(text, at + 1, false);
    let parts = text.slice(at, end).iter().filter(|&&byte| byte == b'/').count();
    (parts >= 2 || is_hidden_file(text.slice(at, end))).then_some(())?;
    Extent::new(at, end)
}

fn is_hidden_file(path: &[u8]) -> bool {
    path.len() > 2 && path[1] == b'.'
}

/// A Windows path after the drive letter and colon whose colon is at `at`.
pub(in crate::redact) fn drive(text: &Text<'_>, at: usize) -> Option<Extent> {
    let letter = at.checked_sub(1)?;
    if !text.byte(letter).is_ascii_alphabetic() || !text.begins_word(letter) {
        return None;
    }
    let from = text.run(at + 1, |byte| byte == b'\\' || byte == b'/');
    if from == at + 1 || !super::is_token(text.byte(from)) || text.byte(at + 1) == b'/' && text.byte(at + 2) == b'/' {
        return None;
    }
    Extent::new(letter, end_of(text, from, true))
}

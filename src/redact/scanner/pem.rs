//! PEM private key blocks.
//!
//! Invariant: a block that was cut off ends where its base64 ends.
//!
//! Must not know: other shapes.

use super::{Extent, Text};

/// The block whose `-----BEGIN ... PRIVATE KEY...-----` line is `start..header_end`.
pub(in crate::redact) fn block(text: &Text<'_>, start: usize, header_end: usize) -> Option<Extent> {
    let rest = text.slice(header_end, text.bytes.len());
    if let Some(end) = memchr::memmem::find(rest, b"-----END ") {
        let foot = header_end + end + 9;
        // Another block that begins first means that this one was cut off.
        let other = memchr::memmem::find(&rest[..end], b"-----BEGIN ");
        if other.is_none() {
            let close = text.run(foot, |byte| byte != b'-' && byte != b'\n');
            return Extent::new(start, text.run(close, |byte| byte == b'-'));
        }
    }
    Extent::new(start, cut_off(text, header_end))
}

/// The end of a block without its last line: lines of base64 and of `Name: value` before the first of them.
fn cut_off(text: &Text<'_>, from: usize) -> usize {
    let (mut end, mut at) = (from, from);
    loop {
        // Line breaks may be written out as `\n`.
        while text.has(at, b"\\n") || text.has(at, b"\\r") || super::is_space(text.byte(at)) && at < text.bytes.len() {
            at += if text.byte(at) == b'\\' { 2 } else { 1 };
        }
        let line =
            text.run(at, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_'));
        let header = text.byte(line) == b':' && line > at;
        let next = if header { text.run(line, |byte| byte != b'\n' && byte != b'\\') } else { line };
        let length = next - at;
        if length == 0 || (!header && length < 16 && text.byte(next.saturating_sub(1)) != b'=') {
            return end;
        }
        (end, at) = (next, next);
    }
}

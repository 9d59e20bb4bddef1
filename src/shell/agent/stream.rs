//! Lines of a byte stream, bounded.

use std::io::{self, Read};

/// Longest line that is kept in one piece; what is longer arrives in pieces, nothing is lost.
pub const LINE_LIMIT_BYTES: usize = 16 << 20;

const READ_BYTES: usize = 64 << 10;

/// Whether reading goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Read on.
    GoOn,
    /// Stop reading.
    Stop,
}

/// Hands out every line with its end, the last one also without. A line over the limit arrives in pieces.
///
/// # Errors
/// When reading fails for another reason than an interruption.
pub(super) fn for_each_line(mut stream: impl Read, mut each: impl FnMut(&[u8]) -> Then) -> io::Result<()> {
    let mut line: Vec<u8> = Vec::new();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &buffer[..count];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            line.extend_from_slice(&rest[..=end]);
            rest = &rest[end + 1..];
            if each(&line) == Then::Stop {
                return Ok(());
            }
            line.clear();
            // One giant line does not keep its room for the rest of the session.
            line.shrink_to(READ_BYTES);
        }
        line.extend_from_slice(rest);
        if line.len() >= LINE_LIMIT_BYTES {
            if each(&line) == Then::Stop {
                return Ok(());
            }
            line.clear();
        }
    }
    if !line.is_empty() {
        each(&line);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_ends_and_the_last_one_may_have_none() {
        let mut lines = Vec::new();
        for_each_line(&b"a\r\n\nb\xff\nlast"[..], |line| {
            lines.push(line.to_vec());
            Then::GoOn
        })
        .unwrap();
        assert_eq!(lines, [b"a\r\n".to_vec(), b"\n".to_vec(), b"b\xff\n".to_vec(), b"last".to_vec()]);
    }

    #[test]
    fn a_line_without_end_arrives_in_bounded_pieces() {
        let endless = io::repeat(b'x').take(LINE_LIMIT_BYTES as u64 * 2 + 5);
        let (mut total, mut longest) = (0, 0);
        for_each_line(endless, |piece| {
            total += piece.len();
            longest = longest.max(piece.len());
            Then::GoOn
        })
        .unwrap();
        assert_eq!(total, LINE_LIMIT_BYTES * 2 + 5);
        assert!(longest < LINE_LIMIT_BYTES + READ_BYTES, "{longest}");
    }
}

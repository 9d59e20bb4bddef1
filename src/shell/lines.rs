//! Lines of a stream with a bound, in batches that never wait for what has not been sent.

use std::io::{self, BufRead};

/// Longest line that is kept, in bytes.
pub const LINE_LIMIT_BYTES: usize = 16 << 20;
/// Most lines of one batch.
const BATCH_LINES: usize = 4_096;

/// Room for what arrives at once, in bytes.
const BUFFER_BYTES: usize = 256 << 10;

/// A reader for [`batch`].
pub fn reader<R: io::Read>(source: R) -> io::BufReader<R> {
    io::BufReader::with_capacity(BUFFER_BYTES, source)
}

/// One line, without its line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The bytes.
    Bytes(Vec<u8>),
    /// Longer than [`LINE_LIMIT_BYTES`]: its bytes are gone.
    TooLong,
}

/// Reads the next line, waiting for it, and every further line that has already arrived. Empty at the end.
///
/// # Errors
/// When reading fails.
pub fn batch(reader: &mut io::BufReader<impl io::Read>) -> io::Result<Vec<Line>> {
    let mut lines = Vec::new();
    while let Some(line) = next(reader)? {
        lines.push(line);
        if lines.len() >= BATCH_LINES || memchr::memchr(b'\n', reader.buffer()).is_none() {
            break;
        }
    }
    Ok(lines)
}

fn next(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut line, mut read, mut too_long) = (Vec::new(), false, false);
    loop {
        let available = reader.fill_buf()?;
        if available.is_empty() {
            break;
        }
        read = true;
        let end = memchr::memchr(b'\n', available);
        let part = &available[..end.unwrap_or(available.len())];
        if line.len() + part.len() > LINE_LIMIT_BYTES {
            too_long = true;
            line = Vec::new();
        } else if !too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            break;
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(read.then_some(if too_long { Line::TooLong } else { Line::Bytes(line) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_an_endless_one_is_dropped() {
        let mut input = b"a\r\n\nlast".to_vec();
        let mut reader = io::BufReader::new(&input[..]);
        let lines: Vec<Line> = std::iter::from_fn(|| next(&mut reader).unwrap()).collect();
        assert_eq!(lines, [&b"a"[..], b"", b"last"].map(|line| Line::Bytes(line.to_vec())));

        input = vec![b'x'; LINE_LIMIT_BYTES + 1];
        input.extend(b"\nnext\n");
        let mut reader = io::BufReader::new(&input[..]);
        assert_eq!(next(&mut reader).unwrap(), Some(Line::TooLong));
        assert_eq!(next(&mut reader).unwrap(), Some(Line::Bytes(b"next".to_vec())));
    }

    #[test]
    fn a_batch_takes_what_has_arrived_and_no_more() {
        let mut reader = io::BufReader::new(&b"1\n2\n3"[..]);
        assert_eq!(batch(&mut reader).unwrap().len(), 2, "the third line has no end yet");
        assert_eq!(batch(&mut reader).unwrap().len(), 1);
        assert!(batch(&mut reader).unwrap().is_empty());
    }
}

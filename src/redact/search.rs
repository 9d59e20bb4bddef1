//! Looks for a byte that is usually near: eight bytes at a time, without the set-up of a vector search.
//!
//! Invariant: the first place is found, however far it is.
//!
//! Must not know: what the bytes mean.

/// How many bytes are looked at before a vector search takes over.
const NEAR: usize = 64;
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The first place at or after `from` where `A` or `B` stands.
pub(super) fn first_of<const A: u8, const B: u8>(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at < from + NEAR {
        let rest = bytes.get(at..)?;
        let Some(chunk) = rest.first_chunk::<8>() else {
            return rest.iter().position(|&byte| byte == A || byte == B).map(|found| at + found);
        };
        let word = u64::from_le_bytes(*chunk);
        // The lowest bit is right in each: a borrow disturbs only the bytes after a match.
        let found = zeros(word ^ (ONES * A as u64)) | zeros(word ^ (ONES * B as u64));
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    memchr::memchr2(A, B, bytes.get(at..)?).map(|found| at + found)
}

/// A high bit for each byte that is zero, and perhaps for bytes after the first of them.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_is_found_at_every_distance() {
        for length in 0..150 {
            for place in 0..=length {
                for (byte, other) in [(b'"', b'\\'), (b'\\', b'"')] {
                    let mut bytes = vec![b'!'; length];
                    bytes.insert(place, byte);
                    bytes.push(other);
                    let found = first_of::<b'"', b'\\'>(&bytes, 0);
                    assert_eq!(found, Some(place), "{length} {byte}");
                    assert_eq!(first_of::<b'#', b'#'>(&bytes, place), None, "{length} {byte}");
                }
            }
        }
        assert_eq!(first_of::<b'a', b'a'>(b"a", 2), None);
    }
}

//! Short strings come again and again: keys, method names, the id of the session. What was decided once is looked up.
//!
//! Invariant: a look-up answers for exactly the same bytes; memory is fixed.
//!
//! Must not know: why it was decided so.

/// Longest string that is remembered, in bytes.
const LONGEST: usize = 64;
/// Slots; a power of two.
const SLOTS: usize = 1024;

/// What was decided about a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing is in it.
    Quiet,
    /// It becomes this.
    Becomes(String),
}

/// Decisions by string; a new one takes the slot of an old one.
#[derive(Debug, Default)]
pub(super) struct Memo {
    slots: Vec<Option<(Box<[u8]>, Said)>>,
}

impl Memo {
    /// What was said about `text`.
    pub(super) fn look_up(&self, text: &[u8]) -> Option<&Said> {
        if text.len() > LONGEST {
            return None;
        }
        let (known, said) = self.slots.get(slot(text))?.as_ref()?;
        (**known == *text).then_some(said)
    }

    /// Remembers what was said, when `text` is short enough.
    pub(super) fn remember(&mut self, text: &[u8], said: Said) {
        if text.len() > LONGEST {
            return;
        }
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, None);
        }
        self.slots[slot(text)] = Some((text.into(), said));
    }
}

/// Mixes length, the first eight and the last eight bytes.
fn slot(text: &[u8]) -> usize {
    let (first, last) = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => short(text),
    };
    let mixed = (first ^ last.rotate_left(29) ^ text.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 54) as usize & (SLOTS - 1)
}

/// The same for fewer than eight bytes.
fn short(text: &[u8]) -> (u64, u64) {
    match (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        (Some(first), Some(last)) => (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last))),
        _ => (text.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_bytes_are_remembered() {
        let mut memo = Memo::default();
        assert_eq!(memo.look_up(b"a"), None);
        memo.remember(b"jsonrpc", Said::Quiet);
        memo.remember(&[b'x'; 65], Said::Quiet);
        assert_eq!(memo.look_up(b"jsonrpc"), Some(&Said::Quiet));
        assert_eq!(memo.look_up(b"jsonrpd"), None);
        assert_eq!(memo.look_up(&[b'x'; 65]), None);
    }
}

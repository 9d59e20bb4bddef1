//! A list of literals, searched for together, blind to the letter case.
//!
//! One pass asks for every four bytes whether a literal has them as its rarest four; the few places at which one does are
//! compared in full.
//!
//! Invariant: every place at which a literal stands is found, overlapping ones too. A false alarm is possible: bytes that
//! differ only in the bit that tells `a` from `A` count as equal, `[` and `{` among them.
//!
//! Must not know: what a literal is for.

use std::collections::HashMap;

/// How many places are looked at together.
const BLOCK: usize = 16;
/// Bits of a key: few texts wake a key by accident, and the bit set stays in the nearest cache.
const KEY_BITS: u32 = 17;
const WORDS: usize = 1 << (KEY_BITS - 6);
/// Turns the upper-case letters of four bytes into lower-case ones, and some other bytes into each other.
const FOLD: u32 = 0x2020_2020;
/// Bytes of English prose and error texts, the most common one first; what is missing is rare.
const COMMON: &[u8; 28] = b" etaonirslducmpfgh.vyw0ebkx\"";
/// How common each byte is; digits as common as `0`.
const COMMONNESS: [u8; 256] = {
    let mut commonness = [0; 256];
    let mut rank = 0;
    while rank < COMMON.len() {
        if commonness[COMMON[rank] as usize] == 0 {
            commonness[COMMON[rank] as usize] = (COMMON.len() - rank) as u8;
        }
        rank += 1;
    }
    let mut digit = b'1';
    while digit <= b'9' {
        commonness[digit as usize] = commonness[b'0' as usize];
        digit += 1;
    }
    commonness
};

/// What another literal with the same four bytes costs, in steps of [`COMMON`].
const SHARED: usize = 8;
/// An empty place of the table.
const NONE: u16 = u16::MAX;

/// Literals of three bytes or more, ready to be searched for.
pub(crate) struct Literals {
    /// One bit for each key that some literal has.
    bits: Box<[u64; WORDS]>,
    /// Where the entries of a key begin; a table with open addresses, at most half full.
    table: Vec<u16>,
    /// In order of their keys.
    entries: Vec<Entry>,
    /// Folded.
    literals: Vec<Box<[u8]>>,
}

/// Four bytes of a literal, folded.
#[derive(Clone, Copy)]
struct Entry {
    four: u32,
    /// The first four bytes: what most other texts around the same four bytes do not have.
    head: u32,
    literal: u16,
    offset: u16,
}

impl Literals {
    /// The literals, numbered as they come; at most 65,535. One of fewer than three bytes is never found.
    pub(crate) fn new<'a>(literals: impl IntoIterator<Item = &'a str>) -> Self {
        let literals: Vec<Box<[u8]>> =
            literals.into_iter().map(|one| one.bytes().map(|byte| byte | FOLD as u8).collect()).collect();
        let mut used = HashMap::new();
        let mut entries = Vec::with_capacity(literals.len());
        for (number, literal) in (0u16..).zip(&literals) {
            match **literal {
                // Whatever follows, the end of the text included.
                [first, second, third] => entries.extend((0..=u8::MAX).filter(|next| next & 0x20 != 0).map(|next| {
                    let four = folded([first, second, third, next]);
                    Entry { four, head: four, literal: number, offset: 0 }
                })),
                [first, second, third, fourth, ..] => {
                    let head = folded([first, second, third, fourth]);
                    entries.extend(rarest(literal, &mut used).map(|(offset, four)| Entry {
                        four,
                        head,
                        literal: number,
                        offset,
                    }));
                }
                _ => {}
            }
        }
        entries.sort_unstable_by_key(|entry| (entry.four, entry.literal));
        let mut bits = Box::new([0u64; WORDS]);
        let mut table = vec![NONE; (2 * entries.len()).next_power_of_two()];
        for (place, entry) in (0u16..NONE).zip(&entries) {
            let key = key(entry.four);
            bits[key >> 6] |= 1 << (key & 63);
            if place == 0 || entries[usize::from(place) - 1].four != entry.four {
                let mask = table.len() - 1;
                let mut slot = key & mask;
                while table[slot] != NONE {
                    slot = (slot + 1) & mask;
                }
                table[slot] = place;
            }
        }
        Self { bits, table, entries, literals }
    }

    /// Calls `found` with the number of each literal, for each place at which it stands.
    pub(crate) fn each(&self, text: &str, mut found: impl FnMut(usize)) {
        let text = text.as_bytes();
        let mut start = 0;
        // No branch depends on what is in a block, so that the processor can work ahead.
        while let Some(block) = text[start..].first_chunk::<{ BLOCK + 3 }>() {
            let mut hits = 0u32;
            for at in 0..BLOCK {
                hits |= self.bit(folded([block[at], block[at + 1], block[at + 2], block[at + 3]])) << at;
            }
            while hits != 0 {
                let at = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                self.compare(
                    text,
                    start + at,
                    folded([block[at], block[at + 1], block[at + 2], block[at + 3]]),
                    &mut found,
                );
            }
            start += BLOCK;
        }
        for at in start..text.len().saturating_sub(2) {
            let four = folded([text[at], text[at + 1], text[at + 2], text.get(at + 3).copied().unwrap_or(0)]);
            if self.bit(four) == 1 {
                self.compare(text, at, four, &mut found);
            }
        }
    }

    /// Whether any of them is in `text`.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let mut any = false;
        self.each(text, |_| any = true);
        any
    }

    /// 1 when a literal may have these four bytes, else 0.
    fn bit(&self, four: u32) -> u32 {
        let key = key(four);
        (self.bits[key >> 6] >> (key & 63)) as u32 & 1
    }

    /// The entries that have exactly these four bytes.
    fn entries(&self, four: u32) -> impl Iterator<Item = &Entry> {
        let mask = self.table.len() - 1;
        let mut slot = key(four) & mask;
        let first = loop {
            match self.entries.get(usize::from(self.table[slot])) {
                Some(entry) if entry.four == four => break usize::from(self.table[slot]),
                Some(_) => slot = (slot + 1) & mask,
                None => break self.entries.len(),
            }
        };
        self.entries[first..].iter().take_while(move |entry| entry.four == four)
    }

    fn compare(&self, text: &[u8], at: usize, four: u32, found: &mut impl FnMut(usize)) {
        for entry in self.entries(four) {
            let Some(rest) = at.checked_sub(usize::from(entry.offset)).map(|start| &text[start..]) else { continue };
            if entry.offset > 0 && rest.first_chunk::<4>().is_none_or(|&head| folded(head) != entry.head) {
                continue;
            }
            let literal = &self.literals[usize::from(entry.literal)];
            if rest.get(..literal.len()).is_some_and(|part| is_same(part, literal)) {
                found(usize::from(entry.literal));
            }
        }
    }
}

/// Whether `part`, folded, is the folded `literal` of the same length; four bytes at a time, the last four overlap.
fn is_same(part: &[u8], literal: &[u8]) -> bool {
    let four = |at: usize| part[at..].first_chunk().zip(literal[at..].first_chunk());
    let same = |at: usize| four(at).is_some_and(|(one, other)| folded(*one) == u32::from_le_bytes(*other));
    match literal.len().checked_sub(4) {
        Some(last) => (0..last).step_by(4).all(same) && same(last),
        None => part.iter().zip(literal).all(|(one, other)| one | FOLD as u8 == *other),
    }
}

const fn folded(four: [u8; 4]) -> u32 {
    u32::from_le_bytes(four) | FOLD
}

const fn key(four: u32) -> usize {
    (four.wrapping_mul(0x9e37_79b1) >> (32 - KEY_BITS)) as usize
}

/// The four bytes of a literal that other texts, and other literals, have least, and where they are.
fn rarest(literal: &[u8], used: &mut HashMap<u32, usize>) -> Option<(u16, u32)> {
    let windows = (0u16..).zip(literal.windows(4)).map(|(at, four)| {
        let cost = four.iter().map(|&byte| usize::from(COMMONNESS[usize::from(byte)])).sum::<usize>();
        (cost, at, folded([four[0], four[1], four[2], four[3]]))
    });
    let (_, offset, four) =
        windows.min_by_key(|(cost, _, four)| cost + SHARED * used.get(four).copied().unwrap_or_default())?;
    *used.entry(four).or_default() += 1;
    Some((offset, four))
}

impl std::fmt::Debug for Literals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Literals").field("count", &self.literals.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_there_is_found(
            literals in proptest::collection::vec("[a-d4é·-]{3,5}|rate limit", 1..12),
            text in "[a-dA-D4é· -]{0,60}|(rate|Limit| ){0,9}",
        ) {
            let lower = text.to_ascii_lowercase();
            let mut found = vec![false; literals.len()];
            Literals::new(literals.iter().map(String::as_str)).each(&text, |number| found[number] = true);
            // No two bytes of this alphabet are folded into each other but letters: nothing else is found either.
            let expected: Vec<bool> = literals.iter().map(|one| lower.contains(one.as_str())).collect();
            prop_assert_eq!(found, expected, "{:?} in {:?}", literals, text);
        }
    }

    #[test]
    fn every_letter_case_is_found_at_both_ends() {
        let literals = Literals::new(["429", "quota", "é:x", "of"]);
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("429", vec![0]),
            ("QUOTA 429", vec![1, 0]),
            ("uota quot 42", vec![]),
            ("É:X é:X", vec![2, 2]),
            ("of", vec![]),
            ("", vec![]),
        ] {
            let mut found = Vec::new();
            literals.each(text, |number| found.push(number));
            if found != expected {
                wrong.push(format!("{text:?}: {found:?}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

//! The one pass over the bytes: where could any shape of a plan begin? A bit per trigram of byte classes answers.
//!
//! Invariant: no anchor is passed over; what is returned may be a false alarm. Linear, no allocation.
//!
//! Must not know: what a shape is.

/// Class of a byte, below 32. Letters of both cases share one; so do bytes that no anchor tells apart.
const CLASS: [u8; 256] = {
    let mut class = [0u8; 256];
    let mut letter = 0;
    while letter < 26 {
        class[b'a' as usize + letter] = letter as u8 + 1;
        class[b'A' as usize + letter] = letter as u8 + 1;
        letter += 1;
    }
    let mut digit = b'0';
    while digit <= b'9' {
        class[digit as usize] = DIGIT as u8;
        digit += 1;
    }
    class[b'-' as usize] = 28;
    class[b'_' as usize] = 29;
    class[b'.' as usize] = MARK as u8;
    class[b':' as usize] = MARK as u8;
    class[b'@' as usize] = MARK as u8;
    class[b'=' as usize] = MARK as u8;
    class[b'/' as usize] = 31;
    class[b'\\' as usize] = 31;
    class
};

const DIGIT: usize = 27;
const MARK: usize = 30;

/// How common a class is in prose and code, roughly in powers of two.
const WEIGHT: [u32; 32] =
    [12, 11, 7, 9, 9, 12, 8, 8, 9, 10, 5, 6, 9, 8, 10, 10, 8, 4, 10, 10, 11, 8, 7, 7, 5, 7, 4, 12, 6, 5, 8, 7];

/// Trigrams that words and frames are full of.
const COMMON: &[&[u8]] = &[
    b"ing", b"ion", b"ent", b"the", b"and", b"tio", b"par", b"con", b"com", b"pro", b"res", b"req", b"ses", b"ate",
    b"ect", b"use", b"cou", b"acc", b"cod", b"fil", b"loc", b"log", b"ter", b"str", b"tri", b"rin", b"sta", b"tex",
    b"ext", b"ont", b"nte", b"ten", b"ess", b"sio", b"mes", b"ser", b"est", b"ort", b"tra", b"tok",
];

/// Number of different trigrams.
const TRIGRAMS: usize = 1 << 15;
/// Number of different pairs.
const PAIRS: usize = 1 << 10;

const fn trigram(first: usize, second: usize, third: usize) -> usize {
    first << 10 | second << 5 | third
}

/// Which trigrams an anchor wakes up at, and how far the anchor is from there.
pub(super) struct Filter {
    /// Which third classes wake an anchor, one bit each, by the two classes before.
    bits: Box<[u32; PAIRS]>,
    /// Bucket by trigram, 0 for none.
    buckets: Vec<u16>,
    /// What is to be tried, by bucket; the first is empty.
    lists: Vec<Vec<Entry>>,
}

/// One anchor in a bucket.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Number of the anchor, as the caller counts.
    pub(super) anchor: u16,
    /// Bytes from the start of the anchor to the start of the trigram; -1 when the trigram begins before the anchor.
    pub(super) offset: i8,
}

impl Filter {
    /// A filter for `anchors`, each a non-empty literal. Anchors of one byte are special: `@`, `.`, `-` and `:` wake
    /// up between the characters that addresses and UUIDs have around them, `/` everywhere.
    pub(super) fn new<'a>(anchors: impl Iterator<Item = &'a str>) -> Self {
        let mut filter = Self { bits: Box::new([0; PAIRS]), buckets: vec![0; TRIGRAMS], lists: vec![Vec::new()] };
        for (number, anchor) in anchors.enumerate() {
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            filter.add(number, anchor.as_bytes());
        }
        filter
    }

    fn add(&mut self, anchor: u16, literal: &[u8]) {
        let class = |at: usize| CLASS[literal[at] as usize] as usize;
        let hex: Vec<usize> = (1..=6).chain([DIGIT]).collect();
        let word: Vec<usize> = (1..=29).collect();
        let wide: Vec<usize> = (0..32).collect();
        match literal {
            b"-" => self.wake(&hex, 28, &hex, Entry { anchor, offset: -1 }),
            b"." => self.wake(&[DIGIT], MARK, &[DIGIT], Entry { anchor, offset: -1 }),
            b":" => self.wake(&hex, MARK, &hex, Entry { anchor, offset: -1 }),
            b"/" => wide.iter().for_each(|&next| self.wake(&[31], next, &wide, Entry { anchor, offset: 0 })),
            b"@" => self.wake(&word, MARK, &word, Entry { anchor, offset: -1 }),
            _ if literal.len() >= 3 => {
                // The rarest trigram of the anchor: `on_` of `session_`, not `ses`.
                let common = |at: usize| if COMMON.contains(&&literal[at..at + 3]) { 20 } else { 0 };
                let weight = |at: &usize| common(*at) + (0..3).map(|next| WEIGHT[class(at + next)]).sum::<u32>();
                let at = (0..literal.len().min(100) - 2).min_by_key(weight).unwrap_or(0);
                let offset = i8::try_from(at).unwrap_or(0);
                self.wake(&[class(at)], class(at + 1), &[class(at + 2)], Entry { anchor, offset });
            }
            _ if literal.len() == 2 => self.wake(&[class(0)], class(1), &wide, Entry { anchor, offset: 0 }),
            // The loader refuses other anchors of one byte.
            _ => {}
        }
    }

    fn wake(&mut self, first: &[usize], second: usize, third: &[usize], entry: Entry) {
        for &a in first {
            for &c in third {
                let index = trigram(a, second, c);
                self.bits[index >> 5] |= 1 << (index & 31);
                let list = self.lists[self.buckets[index] as usize].iter().copied().chain([entry]).collect();
                self.buckets[index] = self.bucket(list);
            }
        }
    }

    /// Equal lists share a bucket.
    fn bucket(&mut self, list: Vec<Entry>) -> u16 {
        let found = self.lists.iter().position(|known| *known == list).unwrap_or_else(|| {
            self.lists.push(list);
            self.lists.len() - 1
        });
        u16::try_from(found).unwrap_or(0)
    }

    /// The places in `bytes` at which the trigram of an anchor stands, from left to right.
    pub(super) fn places<'p>(&'p self, bytes: &'p [u8]) -> Places<'p> {
        Places { filter: self, bytes, block: 0, found: 0, next: 0 }
    }

    /// 1 when `third` after `pair` wakes an anchor, else 0.
    fn hits(&self, pair: u32, third: u32) -> u32 {
        self.bits[pair as usize & (PAIRS - 1)] >> third & 1
    }
}

/// How many places are looked at together.
const BLOCK: usize = 16;

/// Places at which anchors are to be tried.
pub(super) struct Places<'p> {
    filter: &'p Filter,
    bytes: &'p [u8],
    /// Where the block begins whose hits are in `found`.
    block: usize,
    /// One bit for each hit that was not given out.
    found: u32,
    /// Where the next block begins.
    next: usize,
}

impl<'p> Places<'p> {
    /// The next place at or after `from`, and the anchors to try there.
    pub(super) fn next(&mut self, from: usize) -> Option<(usize, &'p [Entry])> {
        loop {
            if self.found == 0 {
                self.next = self.next.max(from);
                self.fill()?;
                continue;
            }
            let at = self.block + self.found.trailing_zeros() as usize;
            self.found &= self.found - 1;
            if at >= from {
                let index = trigram_at(&self.bytes[at..]) as usize;
                return Some((at, &self.filter.lists[self.filter.buckets[index] as usize]));
            }
        }
    }

    /// Looks at the next block. No branch depends on what is in it, so that the processor can work ahead.
    fn fill(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.next..).filter(|rest| rest.len() >= 3)?;
        let mut found = 0;
        self.block = self.next;
        if let Some(block) = rest.first_chunk::<{ BLOCK + 2 }>() {
            let mut pair = class(block[0]) << 5 | class(block[1]);
            for (at, &byte) in block[2..].iter().enumerate() {
                let third = class(byte);
                found |= self.filter.hits(pair, third) << at;
                pair = pair << 5 | third;
            }
            self.next += BLOCK;
        } else {
            for (at, window) in rest.windows(3).enumerate() {
                found |= self.filter.hits(trigram_at(window) >> 5, class(window[2])) << at;
            }
            self.next = self.bytes.len();
        }
        self.found = found;
        Some(())
    }
}

fn trigram_at(bytes: &[u8]) -> u32 {
    class(bytes[0]) << 10 | class(bytes[1]) << 5 | class(bytes[2])
}

const fn class(byte: u8) -> u32 {
    CLASS[byte as usize] as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(anchors: &[&str], text: &str) -> Vec<usize> {
        let filter = Filter::new(anchors.iter().copied());
        let (mut from, mut places, mut found) = (0, Vec::new(), filter.places(text.as_bytes()));
        while let Some((at, entries)) = found.next(from) {
            places.extend(entries.iter().filter_map(|entry| at.checked_add_signed(-isize::from(entry.offset))));
            from = at + 1;
        }
        places
    }

    #[test]
    fn anchors_are_found_in_any_letter_case_and_at_both_ends() {
        for (anchors, text, expected) in [
            (&["sk-"][..], "SK-a sk-", vec![0, 5]),
            (&["@"], "a@b @c d@e", vec![1, 8]),
            (&["://", "token"], "http://Token", vec![4, 7]),
            (&["-"], "1-2 a-f x-y", vec![1, 5]),
            (&["::"], "::1", vec![0]),
            (&["token"], "to", vec![]),
        ] {
            assert_eq!(places(anchors, text), expected, "{anchors:?} in {text:?}");
        }
    }
}

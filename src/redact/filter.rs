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

/// Number of different trigrams.
const TRIGRAMS: usize = 1 << 15;

const fn trigram(first: usize, second: usize, third: usize) -> usize {
    first << 10 | second << 5 | third
}

/// Which trigrams an anchor wakes up at, and how far the anchor is from there.
pub(super) struct Filter {
    bits: Vec<u64>,
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
    /// Bytes from the start of the trigram to the start of the anchor.
    pub(super) offset: u8,
}

impl Filter {
    /// A filter for `anchors`, each a non-empty literal. Anchors of one byte are special: `@`, `.`, `-` and `:` wake
    /// up between the characters that addresses and UUIDs have around them, `/` everywhere.
    pub(super) fn new<'a>(anchors: impl Iterator<Item = &'a str>) -> Self {
        let mut filter = Self { bits: vec![0; TRIGRAMS / 64], buckets: vec![0; TRIGRAMS], lists: vec![Vec::new()] };
        for (number, anchor) in anchors.enumerate() {
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            filter.add(number, anchor.as_bytes());
        }
        filter
    }

    fn add(&mut self, anchor: u16, literal: &[u8]) {
        let class = |at: usize| CLASS[literal[at] as usize] as usize;
        let hex: Vec<usize> = (1..=6).chain([DIGIT]).collect();
        let word: Vec<usize> = (0..=29).collect();
        let wide: Vec<usize> = (0..32).collect();
        match literal {
            b"-" => self.wake(&hex, 28, &hex, Entry { anchor, offset: 1 }),
            b"." => self.wake(&[DIGIT], MARK, &[DIGIT], Entry { anchor, offset: 1 }),
            b":" => self.wake(&hex, MARK, &hex, Entry { anchor, offset: 1 }),
            b"/" => wide.iter().for_each(|&next| self.wake(&[31], next, &wide, Entry { anchor, offset: 0 })),
            b"@" => self.wake(&word, MARK, &word, Entry { anchor, offset: 1 }),
            _ if literal.len() >= 3 => self.wake(&[class(0)], class(1), &[class(2)], Entry { anchor, offset: 0 }),
            _ if literal.len() == 2 => self.wake(&[class(0)], class(1), &wide, Entry { anchor, offset: 0 }),
            // The loader refuses other anchors of one byte.
            _ => {}
        }
    }

    fn wake(&mut self, first: &[usize], second: usize, third: &[usize], entry: Entry) {
        for &a in first {
            for &c in third {
                let index = trigram(a, second, c);
                self.bits[index >> 6] |= 1 << (index & 63);
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

    /// The first place at or after `from` at which an anchor could begin, and what to try there.
    pub(super) fn next(&self, bytes: &[u8], from: usize) -> Option<(usize, &[Entry])> {
        let mut rest = bytes.get(from..)?.windows(3).enumerate();
        let (bits, buckets) = (&self.bits[..TRIGRAMS / 64], &self.buckets[..TRIGRAMS]);
        rest.find_map(|(at, window)| {
            let class = |byte: u8| (CLASS[byte as usize] & 31) as usize;
            let index = trigram(class(window[0]), class(window[1]), class(window[2]));
            (bits[index >> 6] >> (index & 63) & 1 == 1)
                .then(|| (from + at, self.lists[buckets[index] as usize].as_slice()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(anchors: &[&str], text: &str) -> Vec<usize> {
        let filter = Filter::new(anchors.iter().copied());
        let (mut from, mut places) = (0, Vec::new());
        while let Some((at, entries)) = filter.next(text.as_bytes(), from) {
            places.extend(entries.iter().map(|entry| at + entry.offset as usize));
            from = at + 1;
        }
        places
    }

    #[test]
    fn anchors_are_found_in_any_letter_case_and_at_both_ends() {
        for (anchors, text, expected) in [
            (&["sk-"][..], "SK-a sk-", vec![0, 5]),
            (&["@"], "a@b @c", vec![1, 4]),
            (&["://", "token"], "http://Token", vec![4, 7]),
            (&["-"], "1-2 a-f x-y", vec![1, 5]),
            (&["::"], "::1", vec![0]),
            (&["token"], "to", vec![]),
        ] {
            assert_eq!(places(anchors, text), expected, "{anchors:?} in {text:?}");
        }
    }
}

//! Which placeholder stands for which value, within one scope.
//!
//! Invariant: equal values share a placeholder, different values never do, and a number that the input used already is
//! not given out again. Memory is bounded: after [`VALUE_BYTES`] the values are forgotten and the numbers go on.
//!
//! Must not know: how values are found.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use super::placeholder;
use super::shape::Kind;

/// Bytes of values that are remembered.
const VALUE_BYTES: usize = 8 << 20;
/// Values longer than this are remembered by their digest.
const LONG_VALUE: usize = 256;
/// Shortest beginning of a value that stands for it at the end of a text, in bytes.
pub(super) const LEAST_PREFIX: usize = 6;

/// A placeholder's kind and number.
type Mark = (Kind, u64);

/// What is known about a value.
#[derive(Debug, Clone, Default)]
struct Known {
    /// Its placeholder; several when it is spelled as a beginning and a rest.
    marks: Vec<Mark>,
    /// Whether a text ended with it.
    ended: bool,
}

/// The values of one scope.
#[derive(Debug, Default)]
pub(super) struct Interner {
    values: HashMap<Arc<str>, Known>,
    /// The values in order, so that a longer one is found by its beginning.
    ordered: BTreeSet<Arc<str>>,
    long_values: HashMap<(usize, u64, u64), Mark>,
    /// Values that a text ended with: they may be beginnings that were cut off.
    ends: BTreeSet<Arc<str>>,
    used: BTreeMap<Kind, u64>,
    bytes: usize,
    /// Grows with every new value.
    generation: u64,
    /// Grows whenever the values are forgotten.
    epoch: u64,
}

impl Interner {
    /// Takes note of the placeholders that `text` holds already.
    pub(super) fn reserve(&mut self, text: &str) {
        placeholder::each(text.as_bytes(), |kind, number| {
            let used = self.used.entry(kind).or_default();
            *used = (*used).max(number);
        });
    }

    /// How many different values there were.
    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    /// How often the values were forgotten.
    pub(super) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Appends the placeholder of `value`. `at_end` says that the text ends with it.
    pub(super) fn push(&mut self, text: &mut String, kind: Kind, value: &str, at_end: bool) {
        if value.len() > LONG_VALUE {
            let mark = self.long(kind, value);
            return placeholder::push(text, mark.0, mark.1);
        }
        if !self.values.contains_key(value) {
            let marks = self.marks_of_new(kind, value, at_end);
            self.generation += 1;
            self.insert(value, marks);
        }
        if let Some(known) = self.values.get_mut(value) {
            known.marks.iter().for_each(|&(kind, number)| placeholder::push(text, kind, number));
            if at_end && !known.ended {
                known.ended = true;
                self.note_end(value);
            }
        }
        if self.bytes > VALUE_BYTES {
            self.forget();
        }
    }

    fn insert(&mut self, value: &str, marks: Vec<Mark>) {
        self.bytes += value.len();
        let shared: Arc<str> = value.into();
        self.ordered.insert(shared.clone());
        self.values.insert(shared, Known { marks, ended: false });
    }

    /// Remembers that a text ended with `value`.
    pub(super) fn note_end(&mut self, value: &str) {
        if value.len() >= LEAST_PREFIX && value.len() <= LONG_VALUE && !self.ends.contains(value) {
            self.bytes += value.len();
            self.ends.insert(value.into());
        }
    }

    /// The longer value that begins with `prefix`.
    pub(super) fn longer(&self, prefix: &str) -> Option<&str> {
        let value = self.ordered.range::<str, _>((Excluded(prefix), Unbounded)).next()?;
        value.starts_with(prefix).then_some(value.as_ref())
    }

    /// All values that are remembered in full.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.ordered.iter().map(AsRef::as_ref)
    }

    /// A value that was cut off at the end of a text takes the placeholder of the longer one; a value whose beginning a
    /// text ended with is spelled as that beginning and a rest. Both keep the one contained in the other.
    fn marks_of_new(&mut self, kind: Kind, value: &str, at_end: bool) -> Vec<Mark> {
        if at_end && value.len() >= LEAST_PREFIX && !self.ends.contains(value) {
            let longer = self.longer(value).map(str::to_owned);
            if let Some(known) = longer.and_then(|longer| self.values.get(longer.as_str())) {
                return known.marks.clone();
            }
        }
        let Some(beginning) = self.beginning(value).map(str::to_owned) else {
            return vec![self.next(kind)];
        };
        let mut marks = match self.values.get(beginning.as_str()) {
            Some(known) => known.marks.clone(),
            None => {
                let marks = self.marks_of_new(kind, &beginning, false);
                self.insert(&beginning, marks.clone());
                marks
            }
        };
        marks.push(self.next(kind));
        marks
    }

    /// The longest value shorter than `value` that a text ended with and that `value` begins with.
    fn beginning(&self, value: &str) -> Option<&str> {
        let mut bound = value;
        loop {
            let known = self.ends.range::<str, _>((Unbounded, Excluded(bound))).next_back()?;
            if value.starts_with(known.as_ref()) {
                return Some(known.as_ref());
            }
            let shared = value.bytes().zip(known.bytes()).take_while(|(a, b)| a == b).count();
            if shared < LEAST_PREFIX {
                return None;
            }
            // Everything between shares less with `value`; what is equal to the shared part itself may still be known.
            let shared = crate::text::head(value, shared);
            if let Some(exact) = self.ends.get(shared) {
                return Some(exact.as_ref());
            }
            bound = shared;
        }
    }

    fn long(&mut self, kind: Kind, value: &str) -> Mark {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        let key = (value.len(), hasher.finish(), mixed(value.as_bytes()));
        if let Some(&mark) = self.long_values.get(&key) {
            return mark;
        }
        let mark = self.next(kind);
        self.bytes += 64;
        self.long_values.insert(key, mark);
        mark
    }

    fn next(&mut self, kind: Kind) -> Mark {
        let used = self.used.entry(kind).or_default();
        *used += 1;
        (kind, *used)
    }

    fn forget(&mut self) {
        self.epoch += 1;
        self.values.clear();
        self.ordered.clear();
        self.long_values.clear();
        self.ends.clear();
        self.bytes = 0;
    }
}

/// A second digest, of another kind than the first.
fn mixed(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8);
    let rest = words.remainder().iter().fold(0u64, |rest, &byte| rest << 8 | u64::from(byte));
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    words
        .map(word)
        .chain([rest])
        .fold(0x9e37_79b9_7f4a_7c15, |mix, word| (mix ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(values: &[(&str, bool)]) -> Vec<String> {
        let mut interner = Interner::default();
        let spelled = |&(value, at_end): &(&str, bool)| {
            let mut text = String::new();
            interner.push(&mut text, Kind::Id, value, at_end);
            text.replace("redacted_id_", "")
        };
        values.iter().map(spelled).collect()
    }

    #[test]
    fn equal_values_share_and_beginnings_stay_contained() {
        for (values, expected) in [
            (&[("abcdefgh", false), ("other", false), ("abcdefgh", true)][..], &["[1]", "[2]", "[1]"][..]),
            (&[("abcdef", true), ("abcdefgh", false), ("abcdefgh", false)], &["[1]", "[1][2]", "[1][2]"]),
            (&[("abcdefgh", false), ("abcdef", true)], &["[1]", "[1]"]),
            (&[("abcdef", false), ("abcdefgh", false)], &["[1]", "[2]"]),
            (&[("/home/a", true), ("/home/a/b", true), ("/home/a/b/c", false)], &["[1]", "[1][2]", "[1][2][3]"]),
        ] {
            assert_eq!(marks(values), expected, "{values:?}");
        }
    }

    #[test]
    fn numbers_of_the_input_are_not_given_out() {
        let mut interner = Interner::default();
        interner.reserve("[redacted_id_7] [redacted_key_2]");
        let mut text = String::new();
        interner.push(&mut text, Kind::Id, "value", false);
        assert_eq!(text, "[redacted_id_8]");
    }
}

//! Which placeholder stands for which value, within one scope.
//!
//! Invariant: equal values share a placeholder, different values never do, and a number that the input used already is
//! not given out again. Memory is bounded: after [`VALUE_BYTES`] the values are forgotten and the numbers go on.
//!
//! Must not know: how values are found.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Bound::{Excluded, Unbounded};

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

/// The values of one scope.
#[derive(Debug, Default)]
pub(super) struct Interner {
    /// Placeholders by value, in the order of the values, so that a longer value is found by its beginning.
    values: BTreeMap<Box<str>, Vec<Mark>>,
    long_values: HashMap<(usize, u64, u64), Mark>,
    /// Values that a text ended with: they may be beginnings that were cut off.
    ends: BTreeMap<Box<str>, ()>,
    used: BTreeMap<Kind, u64>,
    bytes: usize,
    /// Grows with every new value.
    generation: u64,
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

    /// Appends the placeholder of `value`. `at_end` says that the text ends with it.
    pub(super) fn push(&mut self, text: &mut String, kind: Kind, value: &str, at_end: bool) {
        if value.len() > LONG_VALUE {
            let mark = self.long(kind, value);
            return placeholder::push(text, mark.0, mark.1);
        }
        if !self.values.contains_key(value) {
            let marks = self.marks_of_new(kind, value, at_end);
            self.bytes += value.len();
            self.generation += 1;
            self.values.insert(value.into(), marks);
        }
        if at_end {
            self.note_end(value);
        }
        for &(kind, number) in &self.values[value] {
            placeholder::push(text, kind, number);
        }
        if self.bytes > VALUE_BYTES {
            self.forget();
        }
    }

    /// Remembers that a text ended with `value`.
    pub(super) fn note_end(&mut self, value: &str) {
        if value.len() >= LEAST_PREFIX && value.len() <= LONG_VALUE && !self.ends.contains_key(value) {
            self.bytes += value.len();
            self.ends.insert(value.into(), ());
        }
    }

    /// The longer value that begins with `prefix`.
    pub(super) fn longer(&self, prefix: &str) -> Option<&str> {
        let (value, _) = self.values.range::<str, _>((Excluded(prefix), Unbounded)).next()?;
        value.starts_with(prefix).then_some(value)
    }

    /// All values that are remembered in full.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(AsRef::as_ref)
    }

    /// A value that was cut off at the end of a text takes the placeholder of the longer one; a value whose beginning a
    /// text ended with is spelled as that beginning and a rest. Both keep the one contained in the other.
    fn marks_of_new(&mut self, kind: Kind, value: &str, at_end: bool) -> Vec<Mark> {
        if at_end && value.len() >= LEAST_PREFIX && !self.ends.contains_key(value) {
            let longer = self.longer(value).map(str::to_owned);
            if let Some(marks) = longer.and_then(|longer| self.values.get(longer.as_str())) {
                return marks.clone();
            }
        }
        let Some(beginning) = self.beginning(value).map(str::to_owned) else {
            return vec![self.next(kind)];
        };
        let mut marks = match self.values.get(beginning.as_str()) {
            Some(marks) => marks.clone(),
            None => {
                let marks = self.marks_of_new(kind, &beginning, false);
                self.values.insert(beginning.as_str().into(), marks.clone());
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
            let (known, ()) = self.ends.range::<str, _>((Unbounded, Excluded(bound))).next_back()?;
            if value.starts_with(known.as_ref()) {
                return Some(known);
            }
            let shared = value.bytes().zip(known.bytes()).take_while(|(a, b)| a == b).count();
            if shared < LEAST_PREFIX {
                return None;
            }
            // Everything between shares less with `value`; what is equal to the shared part itself may still be known.
            let shared = crate::text::head(value, shared);
            if let Some((exact, ())) = self.ends.get_key_value(shared) {
                return Some(exact);
            }
            bound = shared;
        }
    }

    fn long(&mut self, kind: Kind, value: &str) -> Mark {
        let digest = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, value).hash(&mut hasher);
            hasher.finish()
        };
        let key = (value.len(), digest(1), digest(2));
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
        self.values.clear();
        self.long_values.clear();
        self.ends.clear();
        self.bytes = 0;
    }
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

//! Finds values literally: where no shape shows them, because their context is missing.
//!
//! Invariant: the longest value wins where several begin.
//!
//! Must not know: placeholders.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// Up to this many values are searched for one after the other; building an automaton costs more.
const FEW: usize = 8;

/// Known values, ready to be found.
pub(super) enum Repeats {
    /// Longest first.
    Few(Vec<String>),
    Many(AhoCorasick),
}

impl Repeats {
    pub(super) fn new<'v>(values: impl Iterator<Item = &'v str>) -> Self {
        let mut values: Vec<String> = values.map(str::to_owned).collect();
        values.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        if values.len() > FEW {
            let kind = Some(AhoCorasickKind::NoncontiguousNFA);
            let built = AhoCorasick::builder().kind(kind).match_kind(MatchKind::LeftmostLongest).build(&values);
            if let Ok(automaton) = built {
                return Self::Many(automaton);
            }
        }
        Self::Few(values)
    }

    /// Calls `see` with the start and end of every occurrence.
    pub(super) fn each(&self, text: &str, mut see: impl FnMut(usize, usize)) {
        match self {
            Self::Few(values) => {
                for value in values {
                    memchr::memmem::find_iter(text.as_bytes(), value).for_each(|start| see(start, start + value.len()));
                }
            }
            Self::Many(automaton) => automaton.find_iter(text).for_each(|found| see(found.start(), found.end())),
        }
    }
}

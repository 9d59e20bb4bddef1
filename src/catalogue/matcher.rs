//! One prefilter pass over a text, then single patterns for the candidates only.
//!
//! Invariant: the prefilter never hides a rule that would match (every match holds one of the rule's literals).

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

use crate::vocab::Class;

use super::rule::{Origin, Rule};
use super::veto;
use super::view::View;
use super::wrapper;

/// A rule that matched a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Index of the rule in [`super::Catalogue::rules`].
    pub rule: usize,
    /// Whether a cancellation in the same text vetoes the rule.
    pub vetoed: bool,
}

/// The prefilter of one catalogue. Ways to match are numbered over all rules.
#[derive(Debug)]
pub(crate) struct Matcher {
    automaton: Option<AhoCorasick>,
    /// For each literal the ways to match that have it; the last literals belong to the vetoes and have none.
    ways_of: Vec<Vec<u16>>,
    veto_from: usize,
    /// For each way its rule, and which of the rule's ways it is.
    ways: Vec<(u16, u16)>,
}

impl Matcher {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut literals: Vec<&str> = Vec::new();
        let mut ways_of: Vec<Vec<u16>> = Vec::new();
        let mut ways = Vec::new();
        let mut place = std::collections::HashMap::new();
        for (index, rule) in rules.iter().enumerate() {
            for (way, set) in rule.document().literals.iter().enumerate() {
                let number = narrow(ways.len());
                ways.push((narrow(index), narrow(way)));
                for literal in set {
                    let slot = *place.entry(literal.as_str()).or_insert_with(|| {
                        literals.push(literal);
                        ways_of.push(Vec::new());
                        ways_of.len() - 1
                    });
                    ways_of[slot].push(number);
                }
            }
        }
        let veto_from = literals.len();
        literals.extend(veto::LITERALS);
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&literals)
            .ok();
        Self { automaton, ways_of, veto_from, ways }
    }

    /// Every rule that matches `raw`, in the order of the rules.
    pub(crate) fn hits(&self, rules: &[Rule], raw: &str, view: &View<'_>, origin: Origin<'_>) -> Vec<Hit> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let mut candidates = Candidates::new(self.ways.len());
        let mut cancel_word = false;
        for found in automaton.find_overlapping_iter(view.flat()) {
            let literal = found.pattern().as_usize();
            if literal >= self.veto_from {
                cancel_word = true;
            } else {
                self.ways_of[literal].iter().for_each(|&way| candidates.add(way));
            }
        }
        if candidates.is_empty() {
            return Vec::new();
        }
        let framed = origin.channel != crate::vocab::Channel::MessageChunk || wrapper::is_framed(view.flat());
        let mut hits: Vec<Hit> = Vec::new();
        let mut cancelled = None;
        // The rule that was refused or has matched: its other ways need no look.
        let mut settled = usize::MAX;
        for number in candidates.iter() {
            let Some(&(index, way)) = self.ways.get(number) else { continue };
            let (index, way) = (usize::from(index), usize::from(way));
            let Some(rule) = rules.get(index).filter(|_| index != settled) else { continue };
            if !rule.admits(origin, framed) {
                settled = index;
                continue;
            }
            if !rule.alternative_matches(way, raw, view, !framed) {
                continue;
            }
            settled = index;
            if rule.is_open(view) {
                let vetoed = rule.code().class() == Class::Transient
                    && cancel_word
                    && *cancelled.get_or_insert_with(|| veto::cancels(view.flat()));
                hits.push(Hit { rule: index, vetoed });
            }
        }
        hits
    }
}

/// A catalogue has far fewer rules and ways than 65,535; what is beyond is never looked at.
fn narrow(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// A set of ways to match that is cheap to fill and walks in order.
struct Candidates {
    bits: [u64; Self::WORDS],
    more: Vec<u64>,
}

impl Candidates {
    const WORDS: usize = 12;

    fn new(ways: usize) -> Self {
        let words = ways.div_ceil(64);
        Self { bits: [0; Self::WORDS], more: vec![0; words.saturating_sub(Self::WORDS)] }
    }

    fn add(&mut self, way: u16) {
        let (word, bit) = (usize::from(way) / 64, u32::from(way) % 64);
        let slot = if word < Self::WORDS { Some(&mut self.bits[word]) } else { self.more.get_mut(word - Self::WORDS) };
        if let Some(slot) = slot {
            *slot |= 1 << bit;
        }
    }

    fn is_empty(&self) -> bool {
        self.bits.iter().chain(&self.more).all(|&word| word == 0)
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.bits.iter().chain(&self.more).enumerate().flat_map(|(word, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros() as usize;
                    left &= left - 1;
                    word * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Candidates;

    #[test]
    fn candidates_walk_in_order_over_any_number_of_rules() {
        let mut set = Candidates::new(1400);
        for way in [1399, 0, 63, 64, 767, 768] {
            set.add(way);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 767, 768, 1399]);
    }
}

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
    /// Byte range of the match in the text that the rule sees.
    pub span: (usize, usize),
    /// Whether a cancellation in the same text vetoes the rule.
    pub vetoed: bool,
}

/// The prefilter of one catalogue.
#[derive(Debug)]
pub(crate) struct Matcher {
    automaton: Option<AhoCorasick>,
    /// For each literal the rules that have it; the last literals belong to the vetoes and have none.
    rules_of: Vec<Vec<u16>>,
    veto_from: usize,
    rule_count: usize,
}

impl Matcher {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut literals: Vec<String> = Vec::new();
        let mut rules_of: Vec<Vec<u16>> = Vec::new();
        let mut place = std::collections::HashMap::new();
        for (index, rule) in rules.iter().enumerate() {
            for literal in &rule.document().literals {
                let literal = literal.to_ascii_lowercase();
                let slot = *place.entry(literal.clone()).or_insert_with(|| {
                    literals.push(literal);
                    rules_of.push(Vec::new());
                    rules_of.len() - 1
                });
                rules_of[slot].push(u16::try_from(index).unwrap_or(u16::MAX));
            }
        }
        let veto_from = literals.len();
        literals.extend(veto::LITERALS.iter().map(|&literal| literal.to_owned()));
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&literals)
            .ok();
        Self { automaton, rules_of, veto_from, rule_count: rules.len() }
    }

    /// Every rule that matches `raw`, in the order of the rules.
    pub(crate) fn hits(&self, rules: &[Rule], raw: &str, view: &View<'_>, origin: Origin<'_>) -> Vec<Hit> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let mut candidates = Candidates::new(self.rule_count);
        let mut cancel_word = false;
        for found in automaton.find_overlapping_iter(view.flat()) {
            let literal = found.pattern().as_usize();
            if literal >= self.veto_from {
                cancel_word = true;
            } else {
                self.rules_of[literal].iter().for_each(|&rule| candidates.add(rule));
            }
        }
        if candidates.is_empty() {
            return Vec::new();
        }
        let framed = origin.channel != crate::vocab::Channel::MessageChunk || wrapper::is_framed(view.flat());
        let mut hits = Vec::new();
        let mut cancelled = None;
        for index in candidates.iter() {
            let Some(rule) = rules.get(index) else { continue };
            if !rule.admits(origin, framed) {
                continue;
            }
            let Some(span) = rule.find(raw, view, !framed) else { continue };
            let vetoed = rule.code().class() == Class::Transient
                && cancel_word
                && *cancelled.get_or_insert_with(|| veto::cancels(view.flat()));
            hits.push(Hit { rule: index, span, vetoed });
        }
        hits
    }
}

/// A set of rule indices that is cheap to fill and walks in order.
struct Candidates {
    bits: [u64; Self::WORDS],
    more: Vec<u64>,
}

impl Candidates {
    const WORDS: usize = 4;

    fn new(rules: usize) -> Self {
        let words = rules.div_ceil(64);
        Self { bits: [0; Self::WORDS], more: vec![0; words.saturating_sub(Self::WORDS)] }
    }

    fn add(&mut self, rule: u16) {
        let (word, bit) = (usize::from(rule) / 64, u32::from(rule) % 64);
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
        let mut set = Candidates::new(400);
        for rule in [399, 0, 63, 64, 255, 256] {
            set.add(rule);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 255, 256, 399]);
    }
}

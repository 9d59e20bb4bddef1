//! One prefilter pass over a text, then single patterns for the candidates only.
//!
//! Invariant: the prefilter never hides a rule that would match (every match holds one of the rule's literals, and one of
//! its second ones).

use std::collections::HashMap;

use crate::text::literals::Literals;
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
    /// Whether the same text vetoes the rule.
    pub vetoed: bool,
}

/// The prefilter of one catalogue. Everything that waits for a literal is numbered: the ways to match of all rules, then the
/// conditions of all rules, then the second places of the ways, then the veto.
#[derive(Debug)]
pub(crate) struct Matcher {
    literals: Literals,
    /// For each literal what waits for it: words of [`Candidates`] and their bits.
    wakes: Vec<Vec<(usize, u64)>>,
    ways: Vec<Way>,
    /// For each rule the number of its first condition.
    conditions: Vec<u16>,
    veto: u16,
    /// What no literal is needed for.
    always: Candidates,
}

/// A way to match.
#[derive(Debug)]
struct Way {
    /// Its rule.
    rule: u16,
    /// Which of the rule's ways it is.
    alternative: u16,
    /// What must be there besides.
    second: u16,
}

impl Matcher {
    pub(crate) fn new(rules: &[Rule]) -> Self {
        let mut literals = Waiting::default();
        let mut ways = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            for (way, set) in rule.document().literals.iter().enumerate() {
                set.iter().for_each(|literal| literals.add(literal, narrow(ways.len())));
                ways.push(Way { rule: narrow(index), alternative: narrow(way), second: 0 });
            }
        }
        let (mut number, mut conditions, mut unconditional) = (ways.len(), Vec::new(), Vec::new());
        for rule in rules {
            conditions.push(narrow(number));
            for set in &rule.document().condition_literals {
                set.iter().for_each(|literal| literals.add(literal, narrow(number)));
                if set.is_empty() {
                    unconditional.push(narrow(number));
                }
                number += 1;
            }
        }
        for way in &mut ways {
            let document = rules[usize::from(way.rule)].document();
            let set = document.second_literals.get(usize::from(way.alternative)).map_or(&[][..], Vec::as_slice);
            way.second = narrow(number);
            set.iter().for_each(|literal| literals.add(literal, way.second));
            if set.is_empty() {
                unconditional.push(way.second);
            }
            number += 1;
        }
        let veto = narrow(number);
        veto::LITERALS.iter().for_each(|literal| literals.add(literal, veto));
        let mut always = Candidates::new(number + 1);
        unconditional.into_iter().for_each(|number| always.add(number));
        let wakes = literals.wakes.iter().map(|numbers| words_of(numbers)).collect();
        Self { literals: Literals::new(literals.list), wakes, ways, conditions, veto, always }
    }

    /// Every rule that matches `raw`, in the order of the rules.
    pub(crate) fn hits(&self, rules: &[Rule], raw: &str, view: &View<'_>, origin: Origin<'_>) -> Vec<Hit> {
        let candidates = self.candidates(view.flat());
        let mut hits: Vec<Hit> = Vec::new();
        let (mut framed, mut cancelled) = (None, None);
        // The rule that was refused or has matched: its other ways need no look.
        let mut settled = usize::MAX;
        for way in candidates.iter().map_while(|number| self.ways.get(number)) {
            let index = usize::from(way.rule);
            let Some(rule) = rules.get(index).filter(|_| index != settled) else { continue };
            if !candidates.has(usize::from(way.second)) {
                continue;
            }
            let framed = *framed.get_or_insert_with(|| {
                origin.channel != crate::vocab::Channel::MessageChunk || wrapper::is_framed(view.flat())
            });
            if !rule.admits(origin, framed) {
                settled = index;
                continue;
            }
            if !rule.alternative_matches(usize::from(way.alternative), raw, view, !framed) {
                continue;
            }
            settled = index;
            let first = usize::from(self.conditions[index]);
            if rule.is_open(view, |condition| candidates.has(first + condition)) {
                let vetoed = rule.code().class() == Class::Transient
                    && candidates.has(usize::from(self.veto))
                    && *cancelled.get_or_insert_with(|| veto::vetoes(view.flat()));
                hits.push(Hit { rule: index, vetoed });
            }
        }
        hits
    }

    /// What the literals in `text` wake up.
    fn candidates(&self, text: &str) -> Candidates {
        let mut candidates = self.always.clone();
        self.literals
            .each(text, |literal| self.wakes[literal].iter().for_each(|&(word, bits)| candidates.mark(word, bits)));
        candidates
    }
}

/// Literals, each once, and what waits for them.
#[derive(Default)]
struct Waiting<'r> {
    list: Vec<&'r str>,
    wakes: Vec<Vec<u16>>,
    place: HashMap<&'r str, usize>,
}

impl<'r> Waiting<'r> {
    fn add(&mut self, literal: &'r str, number: u16) {
        let place = *self.place.entry(literal).or_insert_with(|| {
            self.list.push(literal);
            self.wakes.push(Vec::new());
            self.wakes.len() - 1
        });
        self.wakes[place].push(number);
    }
}

/// The numbers as words and their bits.
fn words_of(numbers: &[u16]) -> Vec<(usize, u64)> {
    let mut words: Vec<(usize, u64)> = Vec::new();
    for (word, bit) in numbers.iter().map(|&number| (usize::from(number) / 64, 1 << (number % 64))) {
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, bits)) => *bits |= bit,
            None => words.push((word, bit)),
        }
    }
    words
}

/// A catalogue has far fewer rules, ways and conditions than 65,535; what is beyond is never looked at.
fn narrow(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// A set of small numbers that is cheap to fill and walks in order.
#[derive(Debug, Clone)]
struct Candidates {
    bits: [u64; Self::WORDS],
    more: Vec<u64>,
}

impl Candidates {
    const WORDS: usize = 32;

    fn new(count: usize) -> Self {
        let words = count.div_ceil(64);
        Self { bits: [0; Self::WORDS], more: vec![0; words.saturating_sub(Self::WORDS)] }
    }

    fn add(&mut self, number: u16) {
        self.mark(usize::from(number) / 64, 1 << (number % 64));
    }

    fn mark(&mut self, word: usize, bits: u64) {
        let slot = if word < Self::WORDS { Some(&mut self.bits[word]) } else { self.more.get_mut(word - Self::WORDS) };
        if let Some(slot) = slot {
            *slot |= bits;
        }
    }

    fn has(&self, number: usize) -> bool {
        let word = if number / 64 < Self::WORDS {
            self.bits.get(number / 64)
        } else {
            self.more.get(number / 64 - Self::WORDS)
        };
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
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
        let mut set = Candidates::new(2600);
        for way in [2599, 0, 63, 64, 2047, 2048] {
            set.add(way);
        }
        let all = [0, 63, 64, 2047, 2048, 2599];
        assert_eq!(set.iter().collect::<Vec<_>>(), all);
        assert_eq!((0..2600).filter(|&way| set.has(way)).collect::<Vec<_>>(), all);
    }
}

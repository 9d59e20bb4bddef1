//! Which of several matching rules decides (criterion .5).
//!
//! What a retry can not cure beats what it might: non-transient rules come first, then the tier, then `outranks`. A guess
//! is heard only when nothing else matched.

use crate::vocab::Class;

use super::rule::Rule;

/// The rule that decides among textual matches.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    /// The winner.
    pub rule: &'a Rule,
    /// Whether another rule of the same tier and another code had an equal claim.
    pub conflict: bool,
}

/// Decides among the rules that matched one text, vetoed ones left out.
#[must_use]
pub fn decide<'a>(matched: &[&'a Rule]) -> Option<Decision<'a>> {
    if let [rule] = matched {
        return Some(Decision { rule, conflict: false });
    }
    let best = matched.iter().map(|rule| standing(rule)).min()?;
    let peers: Vec<&'a Rule> = matched.iter().copied().filter(|rule| standing(rule) == best).collect();
    let mut open: Vec<&'a Rule> =
        peers.iter().copied().filter(|rule| !peers.iter().any(|other| beats(other, rule))).collect();
    if open.is_empty() {
        open = peers;
    }
    let rule = open.iter().copied().min_by(|one, other| preference(one).cmp(&preference(other)))?;
    Some(Decision { rule, conflict: open.iter().any(|other| other.code() != rule.code()) })
}

/// Whether `one` beats `other` by its own words and not the other way round.
#[must_use]
pub(crate) fn beats(one: &Rule, other: &Rule) -> bool {
    one.outranks(other) && !other.outranks(one)
}

/// Whether it is a guess, group and tier; smaller is stronger.
pub(crate) fn standing(rule: &Rule) -> (bool, bool, super::Authority) {
    (rule.authority() == super::Authority::Guess, rule.code().class() == Class::Transient, rule.authority())
}

fn preference(rule: &Rule) -> (crate::vocab::Confidence, &str) {
    (rule.confidence(), rule.id().as_str())
}

//! The rules that come closest to a text that none of them matches.

use std::collections::BTreeSet;

use crate::catalogue::{Catalogue, Origin, Rule, View};
use crate::classify::Trace;
use crate::evidence::Evidence;
use crate::vocab::RuleId;

/// A rule and what keeps it from matching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// The rule.
    pub rule: RuleId,
    /// Words of its closest sample that the text has too.
    pub shared: Vec<String>,
    /// What is missing.
    pub missed: Missed,
}

/// Which part of a rule did not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missed {
    /// It is for other agents.
    Agent,
    /// It does not look at this channel, or not at prose in it.
    Channel,
    /// It matches, and another part silences it or is missing.
    Condition,
    /// None of its patterns is found.
    Pattern,
}

impl Missed {
    /// The part in words.
    #[must_use]
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Agent => "it is for other agents",
            Self::Channel => "it does not look at this channel, or not at prose in it",
            Self::Condition => "a pattern that it requires is missing, or one that silences it is there",
            Self::Pattern => "none of its patterns is found",
        }
    }
}

/// The `most` rules whose samples share most with the text; a shared rare word counts more than a common one.
pub(super) fn nearest(catalogue: &Catalogue, evidence: &Evidence, trace: &Trace<'_>, most: usize) -> Vec<Nearest> {
    let text = words(&trace.flat);
    let rules: Vec<(&Rule, Vec<BTreeSet<String>>)> = catalogue
        .rules()
        .iter()
        .filter(|rule| rule.is_textual())
        .map(|rule| (rule, rule.samples().positive.iter().map(|sample| words(&sample.text)).collect()))
        .collect();
    let spread =
        |word: &String| rules.iter().filter(|(_, samples)| samples.iter().any(|one| one.contains(word))).count();
    let mut scored: Vec<(u64, &Rule, Vec<String>)> = Vec::new();
    for (rule, samples) in &rules {
        let best = samples
            .iter()
            .map(|sample| {
                let shared: Vec<String> = sample.intersection(&text).cloned().collect();
                let score = shared.iter().map(|word| 1_000 / spread(word).max(1) as u64).sum::<u64>();
                (score, shared)
            })
            .max();
        if let Some((score, shared)) = best.filter(|(score, _)| *score >= 200) {
            scored.push((score, rule, shared));
        }
    }
    scored.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.id().cmp(other.1.id())));
    let missed = |rule: &Rule| missed(rule, evidence, trace);
    scored
        .into_iter()
        .take(most)
        .map(|(_, rule, shared)| Nearest { rule: rule.id().clone(), shared, missed: missed(rule) })
        .collect()
}

fn missed(rule: &Rule, evidence: &Evidence, trace: &Trace<'_>) -> Missed {
    let origin = Origin { channel: trace.channel, provider: evidence.provider() };
    let agents = &rule.document().providers;
    if !agents.is_empty() && !evidence.provider().is_some_and(|agent| agents.contains(agent)) {
        return Missed::Agent;
    }
    if !rule.admits(origin, true) {
        return Missed::Channel;
    }
    let raw = trace.raw.as_deref().unwrap_or_default();
    let view = View::of(raw);
    if rule.matches_without_conditions(raw, &view) { Missed::Condition } else { Missed::Pattern }
}

/// The words of a text that could tell a failure: four letters or more, in lower case, no bare numbers.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= 4 && !word.bytes().all(|byte| byte.is_ascii_digit()))
        .map(str::to_lowercase)
        .collect()
}

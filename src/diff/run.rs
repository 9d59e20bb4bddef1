//! The whole comparison: the same inputs through both sides.

use jiff::Timestamp;

use super::change::{Change, Group};
use super::expectation::{self, Edit};
use super::input::{self, EvidenceSource, Input, InputKind};
use super::outputs::Outputs;
use super::rules::{self, RuleChanges};
use super::verdict::Verdict;
use crate::acp::session::Knowledge;
use crate::classify::Classifier;
use crate::fixture::{Fixture, FixtureFile};
use crate::matrix::Matrix;
use crate::recording::Recording;
use crate::redact::Redactor;
use crate::replay::{Direct, Setting, replay, turns};
use crate::vocab::{AgentId, Finding};

/// One of the two states that are compared.
#[derive(Debug, Clone, Copy)]
pub struct Side<'s> {
    /// Its rules.
    pub classifier: &'s Classifier,
    /// Its shapes.
    pub redactor: &'s Redactor,
    /// What is wrong with its rules, warnings included.
    pub findings: &'s [Finding],
    /// Its fixtures, with paths relative to its root.
    pub fixtures: &'s [FixtureFile],
    /// Its matrix; `None` when there is none of its own.
    pub matrix: Option<&'s Matrix>,
}

/// What the comparison gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    /// The base's catalogue.
    pub base: String,
    /// The head's catalogue.
    pub head: String,
    /// How many inputs both sides judged.
    pub inputs: usize,
    /// The inputs that are judged differently, worst first.
    pub changes: Vec<Change>,
    /// What changed in the catalogues themselves.
    pub catalogue: RuleChanges,
    /// Expectations that were edited or dropped.
    pub edits: Vec<Edit>,
    /// Inputs that only one of two outputs has.
    pub unpaired: Vec<Input>,
    /// Inputs that could not be judged: a fixture that can not be played.
    pub unplayable: Vec<Input>,
}

impl Diff {
    /// How many changes are in a group.
    #[must_use]
    pub fn count(&self, group: Group) -> usize {
        self.changes.iter().filter(|change| change.group == group).count()
    }

    /// Whether a client would act where a person was needed before.
    #[must_use]
    pub fn is_widened(&self) -> bool {
        self.count(Group::Widened) > 0
    }

    /// Whether anything that is compared differs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changes.is_empty()
            && self.catalogue.rules.is_empty()
            && self.catalogue.shapes.is_empty()
            && self.edits.is_empty()
            && self.unpaired.is_empty()
    }

    /// Whether something is newly wrong with the head's rules.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        !self.catalogue.collisions.is_empty() || !self.catalogue.problems.is_empty()
    }

    fn compare(&mut self, input: Input, before: Verdict, after: Verdict) {
        self.inputs += 1;
        self.changes.extend(Change::between(input, before, after));
    }

    fn sorted(mut self) -> Self {
        self.changes.sort_by(|one, other| one.rank().cmp(&other.rank()));
        self
    }
}

/// Compares two states over the fixtures and samples of both, and over further evidence.
#[must_use]
pub fn diff(base: &Side<'_>, head: &Side<'_>, evidence: &[EvidenceSource], now: Timestamp) -> Diff {
    let mut diff = Diff {
        base: base.classifier.catalogue().version().to_owned(),
        head: head.classifier.catalogue().version().to_owned(),
        catalogue: rules::changes(base, head),
        edits: expectation::edits(base, head),
        ..Diff::default()
    };
    for (input, fixture) in input::fixtures(base.fixtures, head.fixtures) {
        match (played(base, fixture, now), played(head, fixture, now)) {
            (Some(before), Some(after)) => diff.compare(input, before, after),
            _ => diff.unplayable.push(input),
        }
    }
    for (input, sample) in input::samples(base.classifier.catalogue(), head.classifier.catalogue()) {
        let judged = |side: &Side<'_>| Verdict::of_evidence(&side.classifier.classify(&sample, now));
        diff.compare(input, judged(base), judged(head));
    }
    for source in evidence {
        match source {
            EvidenceSource::Line { file, number, line } => {
                let name = input::line_name(file, *number, line.id.as_ref());
                let now = line.now.unwrap_or(now);
                let judged = |side: &Side<'_>| Verdict::of_evidence(&side.classifier.classify(&line.evidence, now));
                diff.compare(Input::new(InputKind::Evidence, name), judged(base), judged(head));
            }
            EvidenceSource::Transcript { file, recording } => transcript(&mut diff, base, head, file, recording, now),
        }
    }
    diff.sorted()
}

fn setting<'s>(side: &Side<'s>, now: Timestamp) -> Setting<'s> {
    Setting { knowledge: Knowledge { classifier: side.classifier, redactor: side.redactor }, now }
}

/// The direct exchange observes exactly what the real connection does, and needs none.
fn played(side: &Side<'_>, fixture: &Fixture, now: Timestamp) -> Option<Verdict> {
    replay(fixture, &Direct, setting(side, now)).ok().map(|replayed| Verdict::of_replay(&replayed))
}

/// The turns of a transcript. Both sides read the agent's name with the head's matrix, so that both see the same input.
fn transcript(diff: &mut Diff, base: &Side<'_>, head: &Side<'_>, file: &str, recording: &Recording, now: Timestamp) {
    let matrix = head.matrix.unwrap_or_else(|| Matrix::embedded());
    let names = |name: &str| -> Option<AgentId> { matrix.agent_named(name).cloned() };
    let before = turns(recording, None, &names, setting(base, now));
    let after = turns(recording, None, &names, setting(head, now));
    for (before, after) in before.iter().zip(&after) {
        let input = Input::new(InputKind::Evidence, format!("{file} turn {}", after.number));
        diff.compare(input, Verdict::of_turn(before), Verdict::of_turn(after));
    }
}

/// Compares two outputs of `classify`.
#[must_use]
pub fn diff_outputs(base: &Outputs, head: &Outputs) -> Diff {
    let versions = |outputs: &Outputs| outputs.catalogues.iter().cloned().collect::<Vec<_>>().join(", ");
    let mut diff = Diff { base: versions(base), head: versions(head), ..Diff::default() };
    for (name, before) in &base.verdicts {
        match head.verdicts.get(name) {
            Some(after) => diff.compare(Outputs::input(name), before.clone(), after.clone()),
            None => diff.unpaired.push(Outputs::input(&format!("{name}@base"))),
        }
    }
    let new = head.verdicts.keys().filter(|name| !base.verdicts.contains_key(*name));
    diff.unpaired.extend(new.map(|name| Outputs::input(name)));
    diff.sorted()
}

//! What is judged by both sides: fixtures, the catalogues' own samples, evidence.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::evidence::Evidence;
use crate::evidence::wire::Line;
use crate::fixture::{Fixture, FixtureFile};
use crate::recording::Recording;
use crate::vocab::word_enum;

word_enum! {
    /// Where an input comes from.
    pub enum InputKind("input kind") {
        /// A replay fixture.
        Fixture = "fixture",
        /// A line of evidence or a turn of a transcript.
        Evidence = "evidence",
        /// A sample of a rule.
        Sample = "sample",
    }
}

/// Names one input. Ordered by kind, then name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Input {
    /// Where it comes from.
    pub kind: InputKind,
    /// A fixture's path, a line's id, `<file> turn <n>`, or `<rule>/positive/<n>`. What only the base has ends in
    /// `@base`.
    #[serde(rename = "input")]
    pub name: String,
}

impl Input {
    pub(super) fn new(kind: InputKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }
}

/// Further material that both sides judge.
#[derive(Debug, Clone, PartialEq)]
pub enum EvidenceSource {
    /// One line of the evidence format.
    Line {
        /// The file it is in.
        file: String,
        /// Its number, from 1.
        number: usize,
        /// The line.
        line: Line,
    },
    /// A transcript.
    Transcript {
        /// The file it is.
        file: String,
        /// What it says.
        recording: Recording,
    },
}

/// The name of a line: its id, or its place when it has none.
pub(super) fn line_name(file: &str, number: usize, id: Option<&serde_json::Value>) -> String {
    match id {
        Some(serde_json::Value::String(id)) => id.clone(),
        Some(id) if !id.is_null() => id.to_string(),
        _ => format!("{file}:{number}"),
    }
}

/// The fixtures of both sides. One that differs in more than its expectation is judged as both sides have it.
pub(super) fn fixtures<'f>(base: &'f [FixtureFile], head: &'f [FixtureFile]) -> Vec<(Input, &'f Fixture)> {
    let plays = |one: &Fixture, other: &Fixture| {
        (&one.cell, &one.agent, &one.identity, &one.frames)
            == (&other.cell, &other.agent, &other.identity, &other.frames)
    };
    let by_path: BTreeMap<&str, &Fixture> = head.iter().map(|file| (file.path.as_str(), &file.fixture)).collect();
    let mut inputs: Vec<_> =
        head.iter().map(|file| (Input::new(InputKind::Fixture, &file.path), &file.fixture)).collect();
    for file in base {
        if !by_path.get(file.path.as_str()).is_some_and(|fixture| plays(fixture, &file.fixture)) {
            inputs.push((Input::new(InputKind::Fixture, format!("{}@base", file.path)), &file.fixture));
        }
    }
    inputs
}

/// The samples of both catalogues as evidence, each text once.
pub(super) fn samples(base: &Catalogue, head: &Catalogue) -> Vec<(Input, Evidence)> {
    let mut inputs = Vec::new();
    let mut seen = Vec::new();
    for (catalogue, suffix) in [(head, ""), (base, "@base")] {
        for rule in catalogue.rules() {
            for (word, samples) in [("positive", &rule.samples().positive), ("negative", &rule.samples().negative)] {
                for (index, sample) in samples.iter().enumerate() {
                    let evidence = rule.observed(sample);
                    // The same text under the same rule is the same input, wherever in the list it stands.
                    let key = (rule.id().clone(), evidence.clone());
                    if suffix.is_empty() {
                        seen.push(key);
                    } else if seen.contains(&key) {
                        continue;
                    }
                    let name = format!("{}/{word}/{}{suffix}", rule.id(), index + 1);
                    inputs.push((Input::new(InputKind::Sample, name), evidence));
                }
            }
        }
    }
    inputs
}

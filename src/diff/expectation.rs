//! What was expected and is expected differently, or not at all: the part of a change that makes a gate green by
//! itself.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::run::Side;
use crate::catalogue::Sample;
use crate::fixture::FixtureFile;

/// One expectation that the head edits or drops. New ones are no edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Edit {
    /// The file that held it.
    pub file: String,
    /// What was expected there, such as `expect.preResultSafe` or `samples.positive`.
    pub field: String,
    /// As the base has it, as JSON.
    pub before: String,
    /// As the head has it; `None` when it is gone.
    pub after: Option<String>,
}

pub(super) fn edits(base: &Side<'_>, head: &Side<'_>) -> Vec<Edit> {
    let mut edits = fixture_edits(base.fixtures, head.fixtures);
    edits.extend(sample_edits(base, head));
    edits.extend(cell_edits(base, head));
    edits.sort();
    edits
}

fn fixture_edits(base: &[FixtureFile], head: &[FixtureFile]) -> Vec<Edit> {
    let by_path: BTreeMap<&str, &FixtureFile> = head.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut edits = Vec::new();
    for before in base {
        let edit = |field: &str, was: String, is: Option<String>| Edit {
            file: before.path.clone(),
            field: field.to_owned(),
            before: was,
            after: is,
        };
        let Some(after) = by_path.get(before.path.as_str()) else {
            edits.push(edit("fixture", "the fixture".to_owned(), None));
            continue;
        };
        let (was, is) = (expectations(before), expectations(after));
        for field in was.keys().chain(is.keys().filter(|field| !was.contains_key(*field))) {
            let value = |side: &BTreeMap<String, String>| side.get(field).cloned();
            if value(&was) != value(&is) {
                edits.push(edit(field, value(&was).unwrap_or_else(|| "nothing".to_owned()), value(&is)));
            }
        }
        if before.fixture.frames != after.fixture.frames {
            let count = |file: &FixtureFile| format!("{} frames", file.fixture.frames.len());
            edits.push(edit("frames", count(before), Some(format!("{}, not the same", count(after)))));
        }
    }
    edits
}

/// Every field of `expect`, and what the document says about its gateway, as JSON.
fn expectations(file: &FixtureFile) -> BTreeMap<String, String> {
    let document: Value = serde_json::from_str(&file.fixture.on_disk()).unwrap_or_default();
    let mut fields = BTreeMap::new();
    if let Some(classifying) = document.get("classifying") {
        fields.insert("classifying".to_owned(), classifying.to_string());
    }
    for (name, value) in document.get("expect").and_then(Value::as_object).into_iter().flatten() {
        fields.insert(format!("expect.{name}"), value.to_string());
    }
    fields
}

/// Samples that a rule lost, or that changed sides.
fn sample_edits(base: &Side<'_>, head: &Side<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for before in base.classifier.catalogue().rules() {
        let Some(after) = head.classifier.catalogue().rule(before.id()) else { continue };
        let (was, is) = (before.samples(), after.samples());
        for (field, other, old, new, turned) in [
            ("samples.positive", "samples.negative", &was.positive, &is.positive, &is.negative),
            ("samples.negative", "samples.positive", &was.negative, &is.negative, &is.positive),
        ] {
            for sample in old.iter().filter(|sample| !holds(new, sample)) {
                edits.push(Edit {
                    file: format!("{}/{}.yaml", crate::catalogue::RULES_FOLDER, before.id()),
                    field: field.to_owned(),
                    before: shown(sample),
                    after: holds(turned, sample).then(|| format!("now in {other}")),
                });
            }
        }
    }
    edits
}

/// Whether a list holds a sample that observes the same; the reason of a near miss is prose.
fn holds(samples: &[Sample], wanted: &Sample) -> bool {
    samples.iter().any(|sample| {
        let observed = |sample: &Sample| Sample { reason: None, ..sample.clone() };
        observed(sample) == observed(wanted)
    })
}

fn shown(sample: &Sample) -> String {
    let Sample { text, status, exit, stop_reason, .. } = sample;
    let structured = [
        status.map(|status| format!("status {status}")),
        exit.map(|exit| format!("exit {exit}")),
        stop_reason.as_ref().map(|reason| format!("stop reason {reason}")),
    ];
    let words =
        structured.into_iter().flatten().chain((!text.is_empty()).then(|| Value::from(text.as_str()).to_string()));
    words.collect::<Vec<_>>().join(", ")
}

/// Cells that the matrix required and does not any more.
fn cell_edits(base: &Side<'_>, head: &Side<'_>) -> Vec<Edit> {
    let (Some(before), Some(after)) = (base.matrix, head.matrix) else { return Vec::new() };
    let cells = |matrix: &crate::matrix::Matrix| -> Vec<String> {
        let cells = matrix.required().map(|(gateway, case)| format!("{}/{case}", gateway.id));
        cells.chain(matrix.scenarios.iter().map(|row| format!("dialects/{}/{}", row.agent, row.id))).collect()
    };
    let kept = cells(after);
    let lost = cells(before).into_iter().filter(|cell| !kept.contains(cell));
    lost.map(|cell| Edit { file: before.file.clone(), field: "required".to_owned(), before: cell, after: None })
        .collect()
}

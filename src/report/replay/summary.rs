//! Replays in the terms that the review formats share.

use super::{Replays, Shown, timeline};
use crate::check::mismatch_findings;
use crate::report::check::count;
use crate::report::summary::{Case, Entry, Field, Note, Section, Summary, Table};
use crate::text::without_control;
use crate::vocab::{Finding, Place};

/// Characters a line of a timeline has in a comment.
const TIMELINE_WIDTH: usize = 100;

/// The replays for a review format.
#[must_use]
pub fn summary(replays: &Replays<'_>) -> Summary {
    let numbers = replays.summary();
    let failed = if numbers.failed == 0 { String::new() } else { format!(", {} failed", numbers.failed) };
    let mut notes: Vec<Note> = replays.unread.iter().map(Note::from).collect();
    let mut cases = unread_cases(replays.unread);
    for shown in &replays.fixtures {
        let failures: Vec<Note> = failures(shown).iter().map(Note::from).collect();
        let suite = shown.cell.rsplit_once('/').map_or("", |(suite, _)| suite);
        let name = shown.cell.rsplit('/').next().unwrap_or_default();
        notes.extend(failures.clone());
        cases.push(case(suite, name, failures));
    }
    Summary {
        command: "replay",
        ok: replays.passed(),
        verdict: format!("{}: {} passed{failed}", count(numbers.fixtures, "fixture"), numbers.passed),
        table: table(replays),
        sections: sections(replays),
        notes,
        cases,
    }
}

/// One case for each file that could not be read, under the name that its path gives it: a fixture that breaks turns
/// red where it was green before.
fn unread_cases(unread: &[Finding]) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for finding in unread {
        let path = finding.place.file.as_str();
        let below = path.rsplit_once("fixtures/").map_or(path, |(_, below)| below);
        let (suite, name) = below.strip_suffix(".json").unwrap_or(below).rsplit_once('/').unwrap_or(("unread", below));
        match cases.last_mut().filter(|case| case.suite == suite && case.name == name) {
            Some(case) => case.failures.push(Note::from(finding)),
            None => cases.push(case(suite, name, vec![Note::from(finding)])),
        }
    }
    cases
}

fn case(suite: &str, name: &str, failures: Vec<Note>) -> Case {
    Case { suite: suite.to_owned(), name: name.to_owned(), failures }
}

fn failures(shown: &Shown<'_>) -> Vec<Finding> {
    match &shown.result {
        Ok(replayed) => mismatch_findings(shown.file, replayed),
        Err(error) => {
            let message = format!("{}: failed to {error}", shown.cell);
            vec![Finding::error("refrain::replay::exchange", Place::file(&shown.file.path), message)]
        }
    }
}

/// What failed comes first.
fn table(replays: &Replays<'_>) -> Table {
    let headers = ["fixture", "replay", "code", "pre-result safe", "next"].map(str::to_owned).to_vec();
    let mut shown: Vec<&Shown<'_>> = replays.fixtures.iter().collect();
    shown.sort_by_key(|shown| shown.passed());
    let row = |shown: &&Shown<'_>| {
        let words = |text: &str| Field::Words(text.to_owned());
        let passed = words(if shown.passed() { "✓" } else { "✗ differs" });
        let mut row = vec![Field::Code(shown.cell.clone()), passed];
        match &shown.result {
            Ok(replayed) => {
                row.push(words(replayed.transport.diagnostic_code.map_or("", |code| code.as_str())));
                row.push(words(if replayed.evidence.pre_result_safe { "yes" } else { "no" }));
                row.push(words(replayed.evidence.disposition.map_or("", |next| next.as_str())));
            }
            Err(_) => row.extend([words("not played"), words(""), words("")]),
        }
        row
    };
    Table { headers, rows: shown.iter().map(row).collect() }
}

fn sections(replays: &Replays<'_>) -> Vec<Section> {
    let failed: Vec<&Shown<'_>> = replays.fixtures.iter().filter(|shown| !shown.passed()).collect();
    let timelines = failed.iter().map(|shown| Entry {
        name: shown.cell.clone(),
        body: without_control(&timeline(shown, TIMELINE_WIDTH)).into_owned(),
    });
    let unread = replays.unread.iter().map(|finding| Note::from(finding).entry());
    vec![
        Section { title: format!("Timelines of {}", count(failed.len(), "fixture")), entries: timelines.collect() },
        Section { title: format!("{} in files", count(replays.unread.len(), "problem")), entries: unread.collect() },
    ]
}

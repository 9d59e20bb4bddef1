//! Replays: the timeline of each fixture for a person, and the machine interface's document.

mod summary;

use std::fmt::Write as _;

use serde::Serialize;

pub use summary::summary;

use super::check::count;
use super::finding::{FindingJson, Sources, clean_message, graphical};
use super::style::{BAD, DIM, GOOD, STRONG, one_line, pad, paint};
use crate::fixture::{Cell, FixtureFile, Provenance};
use crate::replay::{Mismatch, Replayed, Step};
use crate::vocab::{Case, Disposition, Finding, Gateway};

/// One fixture and what its replay gave.
pub struct Shown<'s> {
    /// Name of the cell.
    pub cell: String,
    /// The fixture.
    pub file: &'s FixtureFile,
    /// The replay, or why it could not be played, as a fragment after "failed to".
    pub result: Result<&'s Replayed, String>,
}

impl Shown<'_> {
    fn passed(&self) -> bool {
        self.result.as_ref().is_ok_and(|replayed| replayed.passed())
    }
}

/// Everything that one `replay` gave.
pub struct Replays<'s> {
    /// The fixtures, by path.
    pub fixtures: Vec<Shown<'s>>,
    /// What is wrong with files that could not be read as fixtures.
    pub unread: &'s [Finding],
    /// How many files those are.
    pub unread_files: usize,
}

impl Replays<'_> {
    /// Whether everything was read and observed as expected.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.unread.is_empty() && self.fixtures.iter().all(Shown::passed)
    }

    fn summary(&self) -> Summary {
        let passed = self.fixtures.iter().filter(|shown| shown.passed()).count();
        let fixtures = self.fixtures.len() + self.unread_files;
        Summary { fixtures, passed, failed: fixtures - passed }
    }
}

#[derive(Serialize)]
struct Summary {
    fixtures: usize,
    passed: usize,
    failed: usize,
}

#[derive(Serialize)]
struct Document<'s> {
    summary: Summary,
    fixtures: Vec<FixtureJson<'s>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingJson>,
}

#[derive(Serialize)]
struct FixtureJson<'s> {
    file: &'s str,
    gateway: Option<&'s Gateway>,
    case: Option<Case>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<&'s str>,
    passed: bool,
    transport: Option<&'s crate::replay::TransportLayer>,
    evidence: Option<&'s crate::replay::EvidenceLayer>,
    mismatches: &'s [Mismatch],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'s str>,
}

/// The machine interface's document with a final line feed.
#[must_use]
pub fn json(replays: &Replays<'_>) -> String {
    let document = Document {
        summary: replays.summary(),
        fixtures: replays.fixtures.iter().map(fixture_json).collect(),
        findings: replays.unread.iter().map(FindingJson::from).collect(),
    };
    super::json_document(&document)
}

fn fixture_json<'s>(shown: &'s Shown<'s>) -> FixtureJson<'s> {
    let (gateway, case, scenario) = match &shown.file.fixture.cell {
        Cell::Matrix { gateway, case, .. } => (Some(gateway), Some(*case), None),
        Cell::Dialect { scenario } => (None, None, Some(scenario.as_str())),
    };
    let replayed = shown.result.as_ref().ok();
    FixtureJson {
        file: &shown.file.path,
        gateway,
        case,
        scenario,
        passed: shown.passed(),
        transport: replayed.map(|replayed| &replayed.transport),
        evidence: replayed.map(|replayed| &replayed.evidence),
        mismatches: replayed.map_or(&[], |replayed| replayed.mismatches.as_slice()),
        error: shown.result.as_ref().err().map(String::as_str),
    }
}

/// One line a fixture, one line a file that could not be read, then one line with the numbers.
#[must_use]
pub fn jsonl(replays: &Replays<'_>) -> String {
    #[derive(Serialize)]
    struct Line<T> {
        kind: &'static str,
        #[serde(flatten)]
        content: T,
    }
    let fixtures = replays.fixtures.iter().map(fixture_json);
    let mut text: String = fixtures.map(|content| super::json_line(&Line { kind: "fixture", content })).collect();
    for content in replays.unread.iter().map(FindingJson::from) {
        text.push_str(&super::json_line(&Line { kind: "finding", content }));
    }
    text.push_str(&super::json_line(&Line { kind: "summary", content: replays.summary() }));
    text
}

/// The replays for a person. Several fixtures get a line each and a timeline where something differs; one gets its
/// timeline.
#[must_use]
pub fn human(replays: &Replays<'_>, sources: &Sources, width: usize, quiet: bool) -> String {
    let mut text = String::new();
    let single = replays.fixtures.len() == 1 && replays.unread.is_empty();
    for shown in &replays.fixtures {
        if single || !shown.passed() {
            text.push_str(&timeline(shown, width));
        } else if !quiet {
            let _ = writeln!(text, "{} {}", paint(GOOD, "✓"), clean_message(&shown.cell));
        }
    }
    for finding in replays.unread {
        text.push_str(&graphical(finding, sources, width));
        text.push('\n');
    }
    let summary = replays.summary();
    if !quiet || summary.failed > 0 {
        let failed = match summary.failed {
            0 => String::new(),
            failed => format!(", {}", paint(BAD, &format!("{failed} failed"))),
        };
        let _ = writeln!(text, "{}: {} passed{failed}", count(summary.fixtures, "fixture"), summary.passed);
    }
    super::style::guarded(text)
}

fn timeline(shown: &Shown<'_>, width: usize) -> String {
    let mut text = headline(shown);
    match &shown.result {
        Err(error) => {
            let _ = writeln!(text, "  {} failed to {}", paint(BAD, "✗"), clean_message(error));
        }
        Ok(replayed) => {
            let two = width >= 90;
            let left = if two { width / 2 } else { width.saturating_sub(6) };
            if two {
                let _ = writeln!(text, "  {}{}", paint(DIM, &pad("transport", left + 2)), paint(DIM, "evidence"));
            }
            for (index, step) in replayed.timeline.iter().enumerate() {
                row(&mut text, index + 1, step, left, two);
            }
            conclusion(&mut text, replayed);
        }
    }
    text.push('\n');
    text
}

fn headline(shown: &Shown<'_>) -> String {
    let fixture = &shown.file.fixture;
    let capture = match &fixture.provenance {
        Provenance::Recorded { captured_at, .. } => format!("recorded {}", clean_message(captured_at)),
        Provenance::Reconstructed { .. } => "reconstructed".to_owned(),
    };
    format!(
        "{}   {capture}   {}   generation {}\n",
        paint(STRONG, &clean_message(&shown.cell)),
        clean_message(fixture.agent.as_str()),
        fixture.identity.generation
    )
}

fn row(text: &mut String, number: usize, step: &Step, left: usize, two: bool) {
    let token = step.token.map_or("", |token| token.as_str());
    let name = clean_message(&step.name);
    let words: Vec<&str> = [token, name.as_str()].into_iter().filter(|word| !word.is_empty()).collect();
    let mut what = format!("{number} {}", words.join("  "));
    if let Some(excerpt) = &step.text {
        let room = left.saturating_sub(what.chars().count() + 4).max(12);
        let _ = write!(what, " \"{}\"", one_line(excerpt.as_str(), room));
    }
    let notes = step.notes.join("   ");
    if two {
        let mut notes = step.notes.chunks(2).map(|pair| pair.join("   "));
        let line = format!("  {}{}", pad(&what, left + 2), notes.next().unwrap_or_default());
        let _ = writeln!(text, "{}", line.trim_end());
        for more in notes {
            let _ = writeln!(text, "  {}{more}", " ".repeat(left + 2));
        }
    } else {
        let _ = writeln!(text, "  {what}");
        if !notes.is_empty() {
            let _ = writeln!(text, "      {}", paint(DIM, &notes));
        }
    }
}

fn conclusion(text: &mut String, replayed: &Replayed) {
    let evidence = &replayed.evidence;
    let safe = if evidence.pre_result_safe { "pre-result safe" } else { "not pre-result safe" };
    let next = match evidence.disposition {
        Some(Disposition::AutomaticRetry) => paint(GOOD, "automatic retry"),
        Some(disposition) => disposition.as_str().replace('_', " "),
        None => "nothing: the prompt did not fail".to_owned(),
    };
    let reasons: Vec<&str> = evidence.reasons.iter().map(|reason| reason.as_str()).collect();
    let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
    if replayed.passed() {
        let _ = writeln!(text, "  → {safe} → {next}{why}   expected: the same  {}", paint(GOOD, "✓"));
        return;
    }
    let _ = writeln!(text, "  → {safe} → {next}{why}");
    for mismatch in &replayed.mismatches {
        let shown = |value: &str| if value.is_empty() { "nothing".to_owned() } else { clean_message(value) };
        let _ = writeln!(
            text,
            "  {} {}: expected {}, got {}",
            paint(BAD, "✗"),
            mismatch.field,
            shown(&mismatch.expected),
            shown(&mismatch.got)
        );
    }
}

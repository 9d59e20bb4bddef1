//! The gate's result: a grid cell by cell, the findings, one line of verdict; and the same facts as JSON.

mod summary;

use std::fmt::Write as _;

use serde::Serialize;

pub use summary::summary;

use super::finding::{FindingJson, Sources, clean_message, graphical};
use super::style::{BAD, DIM, GOOD, STRONG, WARN, pad, paint};
use crate::check::{CellState, MatrixSummary, Narrowed, Outcome, Row, ScenarioState};
use crate::vocab::{CaptureMode, Case, Severity};

/// Most findings that are drawn; the rest is counted. JSON lists all of them.
const DRAWN_FINDINGS: usize = 50;

#[derive(Serialize)]
struct Document<'outcome> {
    ok: bool,
    matrix: MatrixJson,
    catalogue: CatalogueJson<'outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingJson>>,
}

#[derive(Serialize)]
struct MatrixJson {
    required: usize,
    present: usize,
    missing: Vec<String>,
    recorded: usize,
    reconstructed: usize,
}

#[derive(Serialize)]
struct CatalogueJson<'outcome> {
    version: &'outcome str,
    rules: usize,
    shapes: usize,
}

/// The result as one JSON document with a final line feed.
#[must_use]
pub fn json(outcome: &Outcome) -> String {
    super::json_document(&document(outcome))
}

fn document(outcome: &Outcome) -> Document<'_> {
    let matrix = outcome.matrix();
    Document {
        ok: outcome.ok(),
        matrix: MatrixJson {
            required: matrix.required,
            present: matrix.present,
            missing: matrix.missing,
            recorded: matrix.recorded,
            reconstructed: matrix.reconstructed,
        },
        catalogue: CatalogueJson {
            version: &outcome.catalogue.version,
            rules: outcome.catalogue.rules,
            shapes: outcome.catalogue.shapes,
        },
        findings: Some(outcome.findings.iter().map(FindingJson::from).collect()),
    }
}

/// One line a finding, then one line with the numbers.
#[must_use]
pub fn jsonl(outcome: &Outcome) -> String {
    #[derive(Serialize)]
    struct Line<T> {
        kind: &'static str,
        #[serde(flatten)]
        content: T,
    }
    let findings = outcome.findings.iter().map(FindingJson::from);
    let mut text: String = findings.map(|content| super::json_line(&Line { kind: "finding", content })).collect();
    let content = Document { findings: None, ..document(outcome) };
    text.push_str(&super::json_line(&Line { kind: "summary", content }));
    text
}

/// The result for a person: at most `width` characters a line. Quiet leaves out what is fine.
#[must_use]
pub fn human(outcome: &Outcome, sources: &Sources, width: usize, quiet: bool, seconds: f64) -> String {
    let mut text = String::new();
    if !quiet {
        text.push_str(&catalogue_line(outcome));
        text.push_str(&grid(outcome, width));
        text.push_str(&selected_scenarios(outcome));
        text.push('\n');
    }
    for finding in outcome.findings.iter().take(DRAWN_FINDINGS) {
        text.push_str(&graphical(finding, sources, width));
        text.push('\n');
    }
    if let Some(rest) = outcome.findings.len().checked_sub(DRAWN_FINDINGS).filter(|rest| *rest > 0) {
        let _ = writeln!(text, "… and {rest} more; `--format json` lists all of them\n");
    }
    if !quiet || !outcome.ok() {
        let (symbol, style) = match (outcome.ok(), outcome.findings.is_empty()) {
            (true, true) => ("✓", GOOD),
            (true, false) => ("✓", WARN),
            (false, _) => ("✗", BAD),
        };
        let seconds = paint(DIM, &format!("{seconds:.2} s"));
        let _ = writeln!(text, "{} {}   {seconds}", paint(style, symbol), verdict(outcome));
    }
    super::style::guarded(text)
}

fn catalogue_line(outcome: &Outcome) -> String {
    let catalogue = &outcome.catalogue;
    if catalogue.version.is_empty() {
        return format!("catalogue  {}\n", paint(BAD, "✗ did not load"));
    }
    let self_test = if catalogue.sound { paint(GOOD, "self-test ok") } else { paint(BAD, "✗ self-test fails") };
    format!(
        "catalogue  {}   {} rules   {} shapes   {self_test}\n",
        paint(STRONG, &catalogue.version),
        catalogue.rules,
        catalogue.shapes
    )
}

/// Symbol, word and colour of a state; the word says everything.
pub(crate) const fn state_words(state: CellState) -> (&'static str, anstyle::Style) {
    match state {
        CellState::NotRequired => ("·", DIM),
        CellState::Missing => ("✗ missing", BAD),
        CellState::Unreadable => ("✗ broken", BAD),
        CellState::Failing(_) => ("✗ fails", BAD),
        CellState::Fine(CaptureMode::Recorded) => ("● rec", GOOD),
        CellState::Fine(_) => ("○ recon", GOOD),
        CellState::NotSelected(CaptureMode::Recorded) => ("- rec", DIM),
        CellState::NotSelected(_) => ("- recon", DIM),
    }
}

/// Without the gateways that a narrowed run is not about.
fn rows(outcome: &Outcome) -> Vec<&Row> {
    let shown = |row: &&Row| {
        let narrowed = outcome.narrowed.as_ref();
        narrowed.is_none_or(|narrowed| narrowed.cells.iter().any(|(gateway, ..)| *gateway == row.gateway))
    };
    outcome.grid.iter().filter(shown).collect()
}

fn selected_scenarios(outcome: &Outcome) -> String {
    let scenarios = outcome.narrowed.iter().flat_map(|narrowed| &narrowed.scenarios);
    let row = |row: &ScenarioState| {
        let (word, style) = state_words(row.state);
        format!("{}   {}\n", clean_message(&row.name), paint(style, word))
    };
    scenarios.map(row).collect()
}

fn grid(outcome: &Outcome, width: usize) -> String {
    if outcome.narrowed.is_some() && rows(outcome).is_empty() {
        return String::new();
    }
    let first =
        outcome.grid.iter().map(|row| clean_message(&row.gateway).chars().count()).max().unwrap_or(0).max(7) + 2;
    let cases = cases(outcome);
    let columns: Vec<usize> = cases.iter().map(|case| case.as_str().len().max(9) + 1).collect();
    if first + columns.iter().sum::<usize>() <= width + 1 {
        wide_grid(outcome, first, &cases, &columns)
    } else {
        tall_grid(outcome)
    }
}

fn cases(outcome: &Outcome) -> Vec<Case> {
    outcome.grid.first().map(|row| row.cells.iter().map(|(case, _)| *case).collect()).unwrap_or_default()
}

fn wide_grid(outcome: &Outcome, first: usize, cases: &[Case], columns: &[usize]) -> String {
    let mut text = pad("", first);
    for (index, (case, column)) in cases.iter().zip(columns).enumerate() {
        let last = index + 1 == cases.len();
        text.push_str(&paint(DIM, &pad(case.as_str(), if last { 0 } else { *column })));
    }
    text.push('\n');
    for row in rows(outcome) {
        let mut line = pad(&clean_message(&row.gateway), first);
        for ((_, state), column) in row.cells.iter().zip(columns) {
            let (word, style) = state_words(*state);
            line.push_str(&paint(style, word));
            line.push_str(&" ".repeat(column.saturating_sub(word.chars().count())));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// One line a cell, for narrow terminals.
fn tall_grid(outcome: &Outcome) -> String {
    let mut text = String::new();
    for row in rows(outcome) {
        let _ = writeln!(text, "{}", paint(STRONG, &clean_message(&row.gateway)));
        for (case, state) in &row.cells {
            let (word, style) = state_words(*state);
            let _ = writeln!(text, "  {} {}", pad(case.as_str(), 14), paint(style, word));
        }
    }
    text
}

/// The verdict in one line.
fn verdict(outcome: &Outcome) -> String {
    let mut line = match &outcome.narrowed {
        None => everything(outcome),
        Some(narrowed) => selected(outcome, narrowed),
    };
    let errors = outcome.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let warnings = outcome.findings.len() - errors;
    if errors > 0 {
        let _ = write!(line, ", {}", count(errors, "problem"));
    }
    if warnings > 0 {
        let _ = write!(line, ", {}", count(warnings, "warning"));
    }
    line
}

fn everything(outcome: &Outcome) -> String {
    let matrix = outcome.matrix();
    let mut line = format!("{} cells: {}", matrix.required, states(&matrix, outcome.failing()));
    let scenarios = outcome.scenario_presence();
    if scenarios.required > 0 {
        let _ = write!(line, ", {} of {} scenarios", scenarios.present, scenarios.required);
    }
    line
}

/// What was looked at, out of what there is.
fn selected(outcome: &Outcome, narrowed: &Narrowed) -> String {
    let (cells, scenarios) = narrowed.failing();
    let mut parts = Vec::new();
    if !narrowed.cells.is_empty() {
        let matrix = narrowed.matrix();
        parts.push(format!(
            "{} of {} cells: {}",
            narrowed.cells.len(),
            outcome.matrix().required,
            states(&matrix, cells)
        ));
    }
    if !narrowed.scenarios.is_empty() {
        let missing = narrowed.scenarios.iter().filter(|row| row.state == CellState::Missing).count();
        parts.push(format!(
            "{} of {} scenarios: {}",
            narrowed.scenarios.len(),
            outcome.scenarios.len(),
            counts(narrowed.scenarios.len() - scenarios - missing, missing, scenarios)
        ));
    }
    if parts.is_empty() { "a cell that no list requires".to_owned() } else { parts.join(", ") }
}

fn states(matrix: &MatrixSummary, failing: usize) -> String {
    let counts = counts(matrix.present.saturating_sub(failing), matrix.missing.len(), failing);
    format!("{counts} ({} recorded, {} reconstructed)", matrix.recorded, matrix.reconstructed)
}

fn counts(fine: usize, missing: usize, failing: usize) -> String {
    let mut parts = vec![format!("{fine} ok")];
    if missing > 0 {
        parts.push(format!("{missing} missing"));
    }
    if failing > 0 {
        parts.push(format!("{failing} failing"));
    }
    parts.join(", ")
}

/// A number and its noun, in the plural where it belongs.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

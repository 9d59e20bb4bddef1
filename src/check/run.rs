//! The order of one run: read, spell, lint, judge the corpus, replay, compare, shape.

use super::outcome::{CatalogueSummary, CellState, Narrowed, Outcome, Row};
use super::scenarios::scenarios;
use super::selection::{Selection, cell_name, cell_of_path};
use crate::acp::session::Knowledge;
use crate::catalogue::{Catalogue, Origin};
use crate::fixture::{self, Cell, FixtureFile, Frame, Strictness};
use crate::matrix::{self, Facts, Grid, GridCell, Matrix};
use crate::redact::{Profile, Redactor};
use crate::replay::{ExchangeError, Replayed};
use crate::vocab::{Case, Channel, Finding, Place};

/// Replays many fixtures; results in the order of the fixtures.
pub type Replays<'r> = &'r dyn Fn(&[&FixtureFile]) -> Vec<Result<Replayed, ExchangeError>>;

/// What a run needs.
pub struct Inputs<'i> {
    /// The catalogue in numbers.
    pub catalogue: CatalogueSummary,
    /// What is wrong with the catalogue: load errors and samples that do not behave.
    pub catalogue_findings: Vec<Finding>,
    /// Rules and shapes; `None` when the rules did not load, which leaves nothing to replay with.
    pub knowledge: Option<Knowledge<'i>>,
    /// The shapes that no fixture may hold.
    pub redactor: &'i Redactor,
    /// The matrix, or what is wrong with it.
    pub matrix: Result<&'i Matrix, Vec<Finding>>,
    /// The fixture files: path and bytes, by path.
    pub fixtures: &'i [(String, Vec<u8>)],
    /// The cells that the run is about, by name; all when empty.
    pub cells: &'i [String],
}

/// Runs the gate.
///
/// # Errors
/// When a selected cell does not exist.
pub fn run(inputs: Inputs<'_>, replays: Replays<'_>) -> Result<Outcome, super::UnknownCell> {
    let mut findings = inputs.catalogue_findings;
    let (files, unread) = read(inputs.fixtures, &mut findings);
    let matrix = match inputs.matrix {
        Ok(matrix) => matrix,
        Err(problems) => {
            findings.extend(problems);
            findings.sort();
            return Ok(Outcome {
                catalogue: inputs.catalogue,
                grid: Vec::new(),
                scenarios: Vec::new(),
                findings,
                narrowed: None,
            });
        }
    };
    let selection = Selection::new(inputs.cells, matrix, &files)?;
    let selected: Vec<&FixtureFile> =
        files.iter().filter(|file| selection.contains(&cell_name(&file.fixture))).collect();
    for file in &selected {
        findings.extend(file.spelling());
    }
    for (path, bytes) in inputs.fixtures {
        findings.extend(lint(path, bytes, inputs.redactor));
    }
    findings.extend(matrix::judge(matrix, &files, &unread));
    if let Some(knowledge) = inputs.knowledge {
        findings.extend(replayed(&selected, knowledge, matrix, replays));
    }
    if !selection.is_everything() {
        let paths: Vec<&str> = selected.iter().map(|file| file.path.as_str()).collect();
        findings.retain(|finding| concerns(finding, &paths, &selection, &files, &unread));
    }
    findings.sort();
    findings.dedup();
    let grid = grid(matrix, &files, &unread, &findings, &selection);
    let scenarios = scenarios(matrix, &files, &unread, &findings, &selection);
    let narrowed = (!selection.is_everything()).then(|| Narrowed {
        cells: selected_cells(&grid, &selection),
        scenarios: scenarios.iter().filter(|row| selection.contains(&row.name)).cloned().collect(),
    });
    Ok(Outcome { catalogue: inputs.catalogue, grid, scenarios, findings, narrowed })
}

/// The fixtures that could be read, the paths of those that could not, and why.
fn read(fixtures: &[(String, Vec<u8>)], findings: &mut Vec<Finding>) -> (Vec<FixtureFile>, Vec<String>) {
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    for (path, bytes) in fixtures {
        match FixtureFile::read(path, bytes, Strictness::Strict) {
            Ok(file) => files.push(file),
            Err(problems) => {
                unread.push(path.clone());
                findings.extend(problems);
            }
        }
    }
    (files, unread)
}

/// Shapes in a document, also in one that is no valid fixture.
fn lint(path: &str, bytes: &[u8], redactor: &Redactor) -> Vec<Finding> {
    fixture::lint(path, bytes, |tier, text| {
        let hits = redactor.scan(tier, Profile::Standard, text);
        hits.into_iter().map(|hit| (hit.shape, hit.start..hit.end)).collect()
    })
}

fn replayed(files: &[&FixtureFile], knowledge: Knowledge<'_>, matrix: &Matrix, replays: Replays<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, result) in files.iter().zip(replays(files)) {
        let replayed = match result {
            Ok(replayed) => replayed,
            Err(error) => {
                let message = format!("{}: failed to {error}", cell_name(&file.fixture));
                findings.push(Finding::error("refrain::replay::exchange", Place::file(&file.path), message));
                continue;
            }
        };
        findings.extend(mismatch_findings(file, &replayed));
        let facts =
            Facts::observed(&file.fixture, &replayed.marks, replayed.classification.as_ref(), knowledge.classifier);
        findings.extend(matrix::shape(matrix, file, &facts));
        findings.extend(collisions(file, knowledge.classifier.catalogue()));
        if let Cell::Matrix { gateway, case: Case::Matched, .. } = &file.fixture.cell {
            let row = matrix.gateway(gateway);
            findings.extend(row.and_then(|row| matrix::classifying_holds(matrix, row, facts.terminal)));
        }
    }
    findings
}

/// Two rules of different codes with an equal claim on a text of the fixture.
fn collisions(file: &FixtureFile, catalogue: &Catalogue) -> Vec<Finding> {
    let provider = Some(&file.fixture.agent);
    let claims = |(index, frame): (usize, &Frame)| {
        let (channel, text, key) = match frame {
            Frame::MessageChunk { text, .. } => (Channel::MessageChunk, text, "text"),
            Frame::PromptError { message, .. } => (Channel::PromptError, message, "message"),
            Frame::Exit { stderr: Some(stderr), .. } => (Channel::Stderr, stderr, "stderr"),
            _ => return Vec::new(),
        };
        let place = || file.place(&format!("/frames/{index}/{key}"));
        catalogue.collisions(text, Origin { channel, provider }, place, "this text")
    };
    file.fixture.frames.iter().enumerate().flat_map(claims).collect()
}

/// One finding for each field in which a replay differs from the fixture's `expect`.
#[must_use]
pub fn mismatch_findings(file: &FixtureFile, replayed: &Replayed) -> Vec<Finding> {
    let cell = cell_name(&file.fixture);
    let finding = |mismatch: &crate::replay::Mismatch| {
        let place = file.place(&format!("/expect/{}", mismatch.field.replace('.', "/")));
        let shown = |value: &str| if value.is_empty() { "nothing".to_owned() } else { format!("`{value}`") };
        let message = format!(
            "{cell}: {} is {} in the fixture, replay saw {}",
            mismatch.field,
            shown(&mismatch.expected),
            shown(&mismatch.got)
        );
        Finding::error("refrain::replay::expectation", place, message)
            .label(format!("replay: {}", shown(&mismatch.got)))
            .help(format!(
                "`refrain replay {cell}` shows the timeline; if the new answer is right, `refrain replay --accept {cell}`"
            ))
    };
    replayed.mismatches.iter().map(finding).collect()
}

/// Whether a finding is about a selected cell: about its file, or about its absence.
fn concerns(
    finding: &Finding,
    selected: &[&str],
    selection: &Selection,
    files: &[FixtureFile],
    unread: &[String],
) -> bool {
    let path = finding.place.file.as_str();
    // Two files that are equal have one finding, in the later of them.
    if selected.contains(&path) || finding.rival.as_deref().is_some_and(|rival| selected.contains(&rival)) {
        return true;
    }
    if files.iter().any(|file| file.path == path) {
        return false;
    }
    // A file that can not be read is about the cell that its path names.
    if unread.iter().any(|file| file == path) {
        return selection.contains(&cell_of_path(path, files));
    }
    // What is about no cell, such as the catalogue, is about every one.
    finding.absent.as_ref().is_none_or(|cell| selection.contains(&cell.to_string()))
}

fn grid(
    matrix: &Matrix,
    files: &[FixtureFile],
    unread: &[String],
    findings: &[Finding],
    selection: &Selection,
) -> Vec<Row> {
    let grid = Grid::new(matrix, files, unread);
    let state = |gateway: &str, case: Case, cell: &GridCell| match cell {
        GridCell::NotRequired => CellState::NotRequired,
        GridCell::Missing => CellState::Missing,
        GridCell::Unreadable => CellState::Unreadable,
        GridCell::Present { capture, .. } if !selection.contains(&format!("{gateway}/{case}")) => {
            CellState::NotSelected(*capture)
        }
        GridCell::Present { path, capture } => {
            let fails = findings.iter().any(|finding| finding.place.file == *path);
            if fails { CellState::Failing(*capture) } else { CellState::Fine(*capture) }
        }
    };
    let row = |row: &matrix::GridRow| Row {
        gateway: row.gateway.to_string(),
        cells: grid
            .cases
            .iter()
            .zip(&row.cells)
            .map(|(case, cell)| (*case, state(row.gateway.as_str(), *case, cell)))
            .collect(),
    };
    grid.rows.iter().map(row).collect()
}

fn selected_cells(grid: &[Row], selection: &Selection) -> Vec<(String, Case, CellState)> {
    let cells = grid.iter().flat_map(|row| row.cells.iter().map(|(case, state)| (row.gateway.clone(), *case, *state)));
    cells
        .filter(|(_, _, state)| *state != CellState::NotRequired)
        .filter(|(gateway, case, _)| selection.contains(&format!("{gateway}/{case}")))
        .collect()
}

//! The gate's result in the terms that the review formats share.

use super::{state_words, verdict};
use crate::check::{CellState, Outcome};
use crate::report::summary::{Case, Entry, Field, Note, Section, Summary, Table};
use crate::vocab::{Finding, Place, Severity};

/// The suite of what belongs to no cell.
const PROJECT: &str = "project";

/// The gate's result for a review format.
#[must_use]
pub fn summary(outcome: &Outcome) -> Summary {
    let mut notes: Vec<Note> = outcome.findings.iter().map(Note::from).collect();
    notes.sort_by_key(|note| note.level);
    let entries: Vec<Entry> = notes.iter().map(Note::entry).collect();
    let title = format!("{} to look at", super::count(entries.len(), "finding"));
    Summary {
        command: "check",
        ok: outcome.ok(),
        verdict: verdict(outcome),
        table: table(outcome),
        sections: vec![Section { title, entries }],
        notes,
        cases: cases(outcome),
    }
}

fn table(outcome: &Outcome) -> Table {
    let mut headers = vec![String::from("gateway")];
    headers.extend(super::cases(outcome).iter().map(ToString::to_string));
    let row = |row: &crate::check::Row| {
        let states = row.cells.iter().map(|(_, state)| Field::Words(state_words(*state).0.to_owned()));
        std::iter::once(Field::Code(row.gateway.clone())).chain(states).collect()
    };
    Table { headers, rows: outcome.grid.iter().map(row).collect() }
}

/// One case for each cell and each scenario that must exist, and for everything else that is wrong one of its own. A
/// narrowed run does not ask for what it was not asked about.
fn cases(outcome: &Outcome) -> Vec<Case> {
    let errors: Vec<&Finding> = outcome.findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    let mut told = vec![false; errors.len()];
    let mut cases = Vec::new();
    for (suite, name, state) in required(outcome) {
        let cell = format!("{suite}/{name}");
        let mut failures = Vec::new();
        for (finding, told) in errors.iter().zip(&mut told).filter(|(finding, _)| is_about(finding, &cell)) {
            *told = true;
            failures.push(Note::from(*finding));
        }
        let absent = matches!(state, CellState::Missing | CellState::Unreadable);
        if failures.is_empty() && absent && outcome.narrowed.is_some() {
            continue;
        }
        if failures.is_empty() {
            failures.extend(unexplained(state, &cell));
        }
        cases.push(Case { suite, name, failures });
    }
    let rest: Vec<_> = errors.iter().zip(told).filter(|(_, told)| !told).map(|(finding, _)| *finding).collect();
    if rest.is_empty() {
        cases.push(Case { suite: PROJECT.to_owned(), name: "everything else".to_owned(), failures: Vec::new() });
    }
    cases.extend(rest.into_iter().map(|finding| {
        let note = Note::from(finding);
        Case { suite: PROJECT.to_owned(), name: format!("{} {}", finding.code, note.address()), failures: vec![note] }
    }));
    cases
}

/// Suite, name and state of what must exist and was selected: cells by gateway, then scenarios by agent.
fn required(outcome: &Outcome) -> impl Iterator<Item = (String, String, CellState)> {
    let cells = outcome
        .grid
        .iter()
        .flat_map(|row| row.cells.iter().map(|(case, state)| (row.gateway.clone(), case.to_string(), *state)));
    let scenarios = outcome.scenarios.iter().filter_map(|scenario| {
        let (suite, name) = scenario.name.rsplit_once('/')?;
        Some((suite.to_owned(), name.to_owned(), scenario.state))
    });
    let judged = |state| !matches!(state, CellState::NotRequired | CellState::NotSelected(_));
    cells.chain(scenarios).filter(move |(_, _, state)| judged(*state))
}

/// Whether a finding is in the cell's file, or says that there is none.
fn is_about(finding: &Finding, cell: &str) -> bool {
    let file = finding.place.file.trim_end_matches(".json");
    let in_file = [cell.to_owned(), cell.replacen('/', "-", 1)]
        .iter()
        .any(|name| file.strip_suffix(name.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/')));
    in_file || finding.absent.as_ref().is_some_and(|absent| absent.to_string() == cell)
}

/// A cell that is not fine has failed, also when its finding is told elsewhere.
fn unexplained(state: CellState, cell: &str) -> Option<Note> {
    let message = match state {
        CellState::Missing => format!("{cell} is required and has no file"),
        CellState::Unreadable => format!("{cell} could not be read as a fixture"),
        CellState::Failing(_) => format!("{cell} fails; its finding names another file"),
        _ => return None,
    };
    Some(Note::from(&Finding::error("refrain::matrix::cell", Place::default(), message)))
}

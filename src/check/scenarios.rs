//! The dialect scenarios of a run, each with its state.

use super::outcome::{CellState, ScenarioState};
use super::selection::{Selection, cell_name};
use crate::fixture::FixtureFile;
use crate::matrix::{Matrix, names_scenario};
use crate::vocab::Finding;

/// The state of every listed scenario, in the order of `matrix.yaml`.
pub(super) fn scenarios(
    matrix: &Matrix,
    files: &[FixtureFile],
    unread: &[String],
    findings: &[Finding],
    selection: &Selection,
) -> Vec<ScenarioState> {
    let state = |name: &str, agent: &str, scenario: &str| {
        let Some(file) = files.iter().find(|file| cell_name(&file.fixture) == name) else {
            let broken = unread.iter().any(|path| names_scenario(path, agent, scenario));
            return if broken { CellState::Unreadable } else { CellState::Missing };
        };
        let capture = file.fixture.provenance.mode();
        if !selection.contains(name) {
            CellState::NotSelected(capture)
        } else if findings.iter().any(|finding| finding.place.file == file.path) {
            CellState::Failing(capture)
        } else {
            CellState::Fine(capture)
        }
    };
    let row = |row: &crate::matrix::ScenarioRow| {
        let name = format!("dialects/{}/{}", row.agent, row.id);
        ScenarioState { state: state(&name, row.agent.as_str(), &row.id), name }
    };
    matrix.scenarios.iter().map(row).collect()
}

//! The matrix as a picture: which cell is filled, by what kind of capture.

use std::collections::BTreeSet;

use super::path::named_cell;
use super::table::Matrix;
use crate::fixture::{Cell, FixtureFile};
use crate::vocab::{CaptureMode, Case, Gateway};

/// The cells of a corpus, by gateway and case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The columns.
    pub cases: Vec<Case>,
    /// The rows.
    pub rows: Vec<GridRow>,
}

/// One gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridRow {
    /// The gateway.
    pub gateway: Gateway,
    /// One cell for each of the grid's cases.
    pub cells: Vec<GridCell>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GridCell {
    /// No file, and none is needed.
    NotRequired,
    /// No file, and one is required.
    Missing,
    /// A file that could not be read.
    Unreadable,
    /// A fixture.
    Present {
        /// Its path.
        path: String,
        /// Where its frames come from.
        capture: CaptureMode,
    },
}

impl Grid {
    /// The grid of a corpus. `unread` are paths of fixture files that could not be read.
    #[must_use]
    pub fn new(matrix: &Matrix, files: &[FixtureFile], unread: &[String]) -> Self {
        let cases: Vec<Case> = matrix.cases.iter().map(|row| row.id).collect();
        let gateways: Vec<Gateway> = match &matrix.gateways {
            Some(rows) => rows.iter().map(|row| row.id.clone()).collect(),
            None => {
                let ids: BTreeSet<_> =
                    files.iter().filter_map(|file| cell_of(file).map(|(id, _)| id.clone())).collect();
                ids.into_iter().collect()
            }
        };
        let required: BTreeSet<_> = matrix.required().map(|(gateway, case)| (&gateway.id, case)).collect();
        let broken: BTreeSet<_> = unread.iter().filter_map(|path| named_cell(path, matrix)).collect();
        let cell = |gateway: &Gateway, case: Case| {
            let fills = |file: &&FixtureFile| cell_of(file) == Some((gateway, case));
            match files.iter().filter(fills).min_by(|a, b| a.path.cmp(&b.path)) {
                Some(file) => GridCell::Present { path: file.path.clone(), capture: file.fixture.provenance.mode() },
                None if broken.contains(&(gateway.clone(), case)) => GridCell::Unreadable,
                None if required.contains(&(gateway, case)) => GridCell::Missing,
                None => GridCell::NotRequired,
            }
        };
        let row =
            |gateway: Gateway| GridRow { cells: cases.iter().map(|&case| cell(&gateway, case)).collect(), gateway };
        let rows = gateways.into_iter().map(row).collect();
        Self { cases, rows }
    }

    /// Every cell with its gateway and case, by row.
    pub fn cells(&self) -> impl Iterator<Item = (&Gateway, Case, &GridCell)> {
        self.rows
            .iter()
            .flat_map(|row| self.cases.iter().zip(&row.cells).map(move |(case, cell)| (&row.gateway, *case, cell)))
    }

    /// Names of the missing cells, such as `litellm/queued`, by row.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let missing = self.cells().filter(|(_, _, cell)| **cell == GridCell::Missing);
        missing.map(|(gateway, case, _)| format!("{gateway}/{case}")).collect()
    }

    /// How many cells hold a fixture of this capture mode.
    #[must_use]
    pub fn count(&self, mode: CaptureMode) -> usize {
        let of_mode = |cell: &GridCell| matches!(cell, GridCell::Present { capture, .. } if *capture == mode);
        self.cells().filter(|(_, _, cell)| of_mode(cell)).count()
    }
}

fn cell_of(file: &FixtureFile) -> Option<(&Gateway, Case)> {
    match &file.fixture.cell {
        Cell::Matrix { gateway, case, .. } => Some((gateway, *case)),
        Cell::Dialect { .. } => None,
    }
}

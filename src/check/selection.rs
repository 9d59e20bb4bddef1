//! Narrowing a run to some cells.

use std::fmt;

use crate::fixture::{Cell, Fixture, FixtureFile};
use crate::matrix::Matrix;

/// The name of the cell that a fixture fills: `litellm/matched`, `dialects/cursor-acp/control-frame`.
#[must_use]
pub fn cell_name(fixture: &Fixture) -> String {
    match &fixture.cell {
        Cell::Matrix { gateway, case, .. } => format!("{gateway}/{case}"),
        Cell::Dialect { scenario } => format!("dialects/{}/{scenario}", fixture.agent),
    }
}

/// A name that is no cell of the matrix and no fixture of the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownCell {
    /// The name as it was given.
    pub name: String,
    /// The known name that is closest to it, when one is close.
    pub closest: Option<String>,
}

impl fmt::Display for UnknownCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "find a cell `{}`", self.name)
    }
}

impl std::error::Error for UnknownCell {}

/// Which cells a run is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    names: Vec<String>,
}

impl Selection {
    /// The named cells; every cell when there is no name.
    ///
    /// A name is a cell (`litellm/matched`), a gateway (`litellm`), or a scenario (`dialects/cursor-acp/control-frame`).
    ///
    /// # Errors
    /// The first name that the matrix does not require and no fixture fills.
    pub fn new(names: &[String], matrix: &Matrix, files: &[FixtureFile]) -> Result<Self, UnknownCell> {
        let mut known: Vec<String> =
            matrix.required().map(|(gateway, case)| format!("{}/{case}", gateway.id)).collect();
        known.extend(files.iter().map(|file| cell_name(&file.fixture)));
        known.extend(matrix.scenarios.iter().map(|row| format!("dialects/{}/{}", row.agent, row.id)));
        let selection = Self { names: names.iter().map(|name| name.trim_matches('/').to_owned()).collect() };
        for name in &selection.names {
            if !known.iter().any(|cell| covers(name, cell)) {
                return Err(UnknownCell { name: name.clone(), closest: closest(name, &known) });
            }
        }
        Ok(selection)
    }

    /// Whether the run is about everything.
    #[must_use]
    pub const fn is_everything(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a cell is selected.
    #[must_use]
    pub fn contains(&self, cell: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| covers(name, cell))
    }
}

fn covers(name: &str, cell: &str) -> bool {
    cell.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn closest(name: &str, known: &[String]) -> Option<String> {
    let distances = known.iter().map(|cell| (distance(name, cell), cell));
    distances.min().filter(|(distance, _)| *distance <= 3).map(|(_, cell)| cell.clone())
}

/// Levenshtein distance over bytes; the inputs are short names.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.bytes().enumerate() {
            let cost = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_cells_gateways_and_suggest_what_was_meant() {
        let matrix = Matrix::embedded();
        for (names, cell, expected) in [
            (vec![], "litellm/matched", true),
            (vec!["litellm"], "litellm/matched", true),
            (vec!["litellm/matched"], "litellm/matched", true),
            (vec!["litellm/matched"], "litellm/mismatched", false),
            (vec!["teamclaude/", "litellm/queued"], "teamclaude/queued", true),
        ] {
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let selection = Selection::new(&names, matrix, &[]).unwrap();
            assert_eq!(selection.contains(cell), expected, "{names:?} {cell}");
        }
        let error = Selection::new(&["litelm/matched".to_owned()], matrix, &[]).unwrap_err();
        assert_eq!(error.closest.as_deref(), Some("litellm/matched"));
        assert_eq!(Selection::new(&["lite".to_owned()], matrix, &[]).unwrap_err().closest, None);
    }
}

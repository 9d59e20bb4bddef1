//! Narrowing a run to some cells.

use std::fmt;

use crate::fixture::{Fixture, FixtureFile};
use crate::matrix::Matrix;
use crate::text::closest;

/// The name of the cell that a fixture fills: `litellm/matched`, `dialects/cursor-acp/control-frame`.
#[must_use]
pub fn cell_name(fixture: &Fixture) -> String {
    fixture.name().to_string()
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
    /// A name is a cell (`litellm/matched`), a gateway (`litellm`), a scenario (`dialects/cursor-acp/control-frame`), or
    /// the path of a fixture or of a folder of them, as a shell completes it.
    ///
    /// # Errors
    /// The first name that the matrix does not require and no fixture fills.
    pub fn new(names: &[String], matrix: &Matrix, files: &[FixtureFile]) -> Result<Self, UnknownCell> {
        let mut known: Vec<String> =
            matrix.required().map(|(gateway, case)| format!("{}/{case}", gateway.id)).collect();
        known.extend(files.iter().map(|file| cell_name(&file.fixture)));
        known.extend(matrix.scenarios.iter().map(|row| format!("dialects/{}/{}", row.agent, row.id)));
        let mut selection = Self::default();
        for given in names {
            let name = cell_of_path(given, files);
            if name.is_empty() {
                return Ok(Self::default());
            }
            if !known.iter().any(|cell| covers(&name, cell)) {
                return Err(UnknownCell { name: given.clone(), closest: meant(&name, &known) });
            }
            selection.names.push(name);
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

/// The cell behind a path, or the name itself; empty for the folder of all fixtures.
pub(super) fn cell_of_path(given: &str, files: &[FixtureFile]) -> String {
    let path = given.trim_start_matches("./").trim_end_matches('/');
    if let Some(file) = files.iter().find(|file| file.path.trim_start_matches("./") == path) {
        return cell_name(&file.fixture);
    }
    let below = match path.rsplit_once("fixtures/") {
        Some((before, below)) if before.is_empty() || before.ends_with('/') => below,
        _ if path == "fixtures" || path.ends_with("/fixtures") => return String::new(),
        _ => path,
    };
    below.trim_end_matches(".json").to_owned()
}

/// The known name that differs in a few letters, or that the given one is the end of.
fn meant(name: &str, known: &[String]) -> Option<String> {
    let gateways = known.iter().filter_map(|cell| cell.split('/').next());
    let near = closest(name, known.iter().map(String::as_str).chain(gateways), 3);
    let end = || known.iter().find(|cell| cell.strip_suffix(name).is_some_and(|before| before.ends_with('/')));
    near.map(str::to_owned).or_else(|| end().cloned())
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
            (vec!["fixtures/litellm/matched.json"], "litellm/matched", true),
            (vec!["./fixtures/litellm/"], "litellm/matched", true),
            (vec!["./fixtures/litellm/"], "teamclaude/matched", false),
            (vec!["../elsewhere/fixtures/litellm/matched.json"], "litellm/matched", true),
            (vec!["fixtures/dialects/codex-acp"], "dialects/codex-acp/retry-boundary", true),
            (vec!["fixtures"], "teamclaude/matched", true),
        ] {
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let selection = Selection::new(&names, matrix, &[]).unwrap();
            assert_eq!(selection.contains(cell), expected, "{names:?} {cell}");
        }
        let mut wrong = Vec::new();
        for (name, closest) in [
            ("litelm/matched", Some("litellm/matched")),
            ("litelm", Some("litellm")),
            ("fixtures/litellm/matchd.json", Some("litellm/matched")),
            ("codex-acp/retry-flag-false", Some("dialects/codex-acp/retry-flag-false")),
            ("queued", Some("claude-direct/queued")),
            ("lite", Some("litellm")),
            ("mystery", None),
            ("/nope", None),
        ] {
            let got = Selection::new(&[name.to_owned()], matrix, &[]).unwrap_err();
            if got.closest.as_deref() != closest || got.name != name {
                wrong.push(format!("{name}: expected {closest:?}, got {got:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

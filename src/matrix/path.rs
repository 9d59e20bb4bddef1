//! What the path of a fixture says: its place in the matrix, nested (`<gateway>/<case>.json`) or flat
//! (`<gateway>-<case>.json`).

use super::table::Matrix;
use crate::vocab::{Case, Gateway};

/// The last two parts of a path, the file's without `.json`.
fn ends(path: &str) -> (Option<&str>, &str) {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    (parts.next(), name.strip_suffix(".json").unwrap_or(name))
}

/// Whether the path names this cell, in either layout.
pub(super) fn names_cell(path: &str, gateway: &Gateway, case: Case) -> bool {
    let (folder, stem) = ends(path);
    let flat = stem.strip_prefix(gateway.as_str()).and_then(|rest| rest.strip_prefix('-'));
    (folder == Some(gateway.as_str()) && stem == case.as_str()) || flat == Some(case.as_str())
}

/// Whether the path names this dialect scenario.
#[must_use]
pub fn names_scenario(path: &str, agent: &str, scenario: &str) -> bool {
    let (folder, stem) = ends(path);
    folder == Some(agent) && stem == scenario
}

/// The known cell that the path names, whatever the document in it declares.
pub(super) fn named_cell(path: &str, matrix: &Matrix) -> Option<(Gateway, Case)> {
    let (folder, stem) = ends(path);
    let known = |name: &str| {
        let gateway = Gateway::new(name).ok()?;
        (matrix.gateways.is_none() || matrix.gateway(&gateway).is_some()).then_some(gateway)
    };
    if let (Some(folder), Ok(case)) = (folder, stem.parse::<Case>()) {
        return known(folder).map(|gateway| (gateway, case));
    }
    // The longest case wins: `x-prose-matched` is no `matched` of a gateway `x-prose`.
    let flat = |case: &Case| stem.strip_suffix(case.as_str()).and_then(|rest| rest.strip_suffix('-')).map(str::len);
    let case = Case::ALL.iter().copied().filter(|case| flat(case).is_some()).max_by_key(|case| case.as_str().len())?;
    known(&stem[..flat(&case)?]).map(|gateway| (gateway, case))
}

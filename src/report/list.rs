//! What there is: rules, codes, shapes and cells as a table or as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::style::{DIM, one_line, pad, paint};
use crate::catalogue::Catalogue;
use crate::fixture::FixtureFile;
use crate::matrix::{Grid, GridCell, Matrix};
use crate::redact::Shapes;
use crate::vocab::{AutoRetry, Code, word_enum};

word_enum! {
    /// What can be listed.
    pub enum ListKind("list") {
        /// Rules of the catalogue.
        Rules = "rules",
        /// Semantic codes and what each permits.
        Codes = "codes",
        /// Redaction shapes.
        Shapes = "shapes",
        /// Cells of the matrix and dialect scenarios.
        Cells = "cells",
    }
}

/// Rows with one field a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// What is listed.
    pub kind: ListKind,
    /// Each row's fields, in the order of the columns.
    pub rows: Vec<Map<String, Value>>,
}

impl Listing {
    fn new(kind: ListKind, rows: impl IntoIterator<Item = Value>) -> Self {
        let object = |row| match row {
            Value::Object(row) => Some(row),
            _ => None,
        };
        Self { kind, rows: rows.into_iter().filter_map(object).collect() }
    }

    /// The rules.
    #[must_use]
    pub fn rules(catalogue: &Catalogue) -> Self {
        let row = |rule: &crate::catalogue::Rule| {
            let document = rule.document();
            json!({
                "id": document.id, "code": document.code, "class": document.code.class(),
                "confidence": document.confidence, "tier": document.tier, "providers": document.providers,
                "channels": document.channels, "title": document.title,
            })
        };
        Self::new(ListKind::Rules, catalogue.rules().iter().map(row))
    }

    /// The codes.
    #[must_use]
    pub fn codes() -> Self {
        Self::new(ListKind::Codes, Code::ALL.iter().map(|code| code_row(*code)))
    }

    /// The shapes.
    #[must_use]
    pub fn shapes(shapes: &Shapes) -> Self {
        let row = |shape: &crate::redact::Shape| {
            json!({
                "id": shape.id, "class": shape.class, "kind": shape.kind, "tiers": shape.tiers, "title": shape.title,
            })
        };
        Self::new(ListKind::Shapes, shapes.iter().map(row))
    }

    /// The cells that must exist, and what fills them. `unread` are the files that are no fixtures.
    #[must_use]
    pub fn cells(matrix: &Matrix, files: &[FixtureFile], unread: &[String]) -> Self {
        let grid = Grid::new(matrix, files, unread);
        let mut rows = Vec::new();
        for row in &grid.rows {
            for (case, cell) in grid.cases.iter().zip(&row.cells) {
                let (state, file) = match cell {
                    GridCell::NotRequired => continue,
                    GridCell::Missing => ("missing", None),
                    GridCell::Unreadable => ("unreadable", None),
                    GridCell::Present { path, capture } => (capture.as_str(), Some(path)),
                };
                rows.push(json!({"cell": format!("{}/{case}", row.gateway), "state": state, "file": file}));
            }
        }
        for scenario in &matrix.scenarios {
            let name = format!("dialects/{}/{}", scenario.agent, scenario.id);
            let file = files.iter().find(|file| crate::check::cell_name(&file.fixture) == name);
            let state = file.map_or("missing", |file| match &file.fixture.provenance {
                crate::fixture::Provenance::Recorded { .. } => "recorded",
                crate::fixture::Provenance::Reconstructed { .. } => "reconstructed",
            });
            rows.push(json!({"cell": name, "state": state, "file": file.map(|file| &file.path)}));
        }
        Self::new(ListKind::Cells, rows)
    }

    /// Keeps rows that hold every word somewhere, without regard to letter case.
    #[must_use]
    pub fn holding(mut self, words: &[String]) -> Self {
        self.rows.retain(|row| {
            let text = row.values().map(shown).collect::<Vec<_>>().join("\n").to_lowercase();
            words.iter().all(|word| text.contains(&word.to_lowercase()))
        });
        self
    }

    /// Keeps rows whose field has this value, or holds it in a list.
    #[must_use]
    pub fn with(mut self, field: &str, wanted: &str) -> Self {
        self.rows.retain(|row| match row.get(field) {
            Some(Value::Array(items)) => items.iter().any(|item| shown(item) == wanted),
            Some(value) => shown(value) == wanted,
            None => false,
        });
        self
    }

    /// Whether the rows have a field.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        self.rows.first().is_some_and(|row| row.contains_key(field))
    }
}

/// A code and what it permits.
pub(super) fn code_row(code: Code) -> Value {
    let policy = code.policy();
    let retry = match policy.auto_retry {
        AutoRetry::Yes => "yes",
        AutoRetry::WithShortHint => "with_short_hint",
        AutoRetry::No => "no",
    };
    json!({
        "code": code, "class": policy.class, "auto_retry": retry, "fallback": policy.fallback,
        "user_action": policy.user_action, "remediation": policy.remediation,
    })
}

/// The columns of the table, widest last; JSON has all fields.
const fn columns(kind: ListKind) -> &'static [&'static str] {
    match kind {
        ListKind::Rules => &["id", "code", "confidence", "tier", "title"],
        ListKind::Codes => &["code", "class", "auto_retry", "fallback", "user_action", "remediation"],
        ListKind::Shapes => &["id", "class", "kind", "title"],
        _ => &["cell", "state", "file"],
    }
}

/// Longest cell of a column in the middle of a table, in characters.
const COLUMN_CHARACTERS: usize = 60;
/// Longest cell of the last column, in characters.
const LAST_CHARACTERS: usize = 400;

/// The table, at most `width` characters a line where the first columns allow it.
#[must_use]
pub fn human(listing: &Listing, width: usize) -> String {
    let columns = columns(listing.kind);
    let limit = |column: &str| if columns.last() == Some(&column) { LAST_CHARACTERS } else { COLUMN_CHARACTERS };
    let cell = |row: &Map<String, Value>, column: &str| {
        one_line(&row.get(column).map(shown).unwrap_or_default(), limit(column))
    };
    let wide: Vec<usize> = columns
        .iter()
        .map(|column| {
            listing.rows.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0).max(column.len())
        })
        .collect();
    let room = width.saturating_sub(wide.iter().rev().skip(1).map(|wide| wide + 2).sum()).max(16);
    let line = |cells: &dyn Fn(&str) -> String| {
        let mut line = String::new();
        for (index, column) in columns.iter().enumerate() {
            let last = index + 1 == columns.len();
            line.push_str(&if last { one_line(&cells(column), room) } else { pad(&cells(column), wide[index] + 2) });
        }
        line.trim_end().to_owned()
    };
    let mut text = format!("{}\n", paint(DIM, &line(&|column| column.replace('_', " "))));
    for row in &listing.rows {
        let _ = writeln!(text, "{}", line(&|column| cell(row, column)));
    }
    super::style::guarded(text)
}

/// A field in words.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// One JSON document with a final line feed: `{"rules": [...]}`.
#[must_use]
pub fn json(listing: &Listing) -> String {
    super::json_document(&json!({listing.kind.as_str(): listing.rows}))
}

/// One JSON document a row.
#[must_use]
pub fn jsonl(listing: &Listing) -> String {
    listing.rows.iter().map(super::json_line).collect()
}

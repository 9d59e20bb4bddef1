//! What `redact --check` found: for programs and for review formats.

use serde::Serialize;

use super::check::count;
use super::finding::FindingJson;
use super::summary::{Case, Entry, Field, Note, Section, Summary, Table};
use crate::vocab::Finding;

/// One text that was searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    /// Its path; `-` for standard input.
    pub path: String,
    /// The forbidden values, without their text.
    pub findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Numbers {
    ok: bool,
    files: usize,
    values: usize,
}

impl Numbers {
    fn of(searched: &[Searched]) -> Self {
        let values = searched.iter().map(|one| one.findings.len()).sum();
        Self { ok: values == 0, files: searched.len(), values }
    }

    fn verdict(&self) -> String {
        let files = count(self.files, "file");
        if self.ok {
            format!("{files}, nothing to redact")
        } else {
            format!("{} in {files}", count(self.values, "value"))
        }
    }
}

/// One JSON document with a final line feed.
#[must_use]
pub fn json(searched: &[Searched]) -> String {
    #[derive(Serialize)]
    struct Document {
        #[serde(flatten)]
        numbers: Numbers,
        findings: Vec<FindingJson>,
    }
    let findings = searched.iter().flat_map(|one| &one.findings).map(FindingJson::from).collect();
    super::json_document(&Document { numbers: Numbers::of(searched), findings })
}

/// The result for a review format.
#[must_use]
pub fn summary(searched: &[Searched]) -> Summary {
    let numbers = Numbers::of(searched);
    let notes: Vec<Note> = searched.iter().flat_map(|one| &one.findings).map(Note::from).collect();
    let rows = searched.iter().filter(|one| !one.findings.is_empty());
    let row = |one: &Searched| vec![Field::Code(one.path.clone()), Field::Words(one.findings.len().to_string())];
    let entries: Vec<Entry> = notes.iter().map(Note::entry).collect();
    let case = |one: &Searched| Case {
        suite: "files".to_owned(),
        name: one.path.clone(),
        failures: one.findings.iter().map(Note::from).collect(),
    };
    Summary {
        command: "redact",
        ok: numbers.ok,
        verdict: numbers.verdict(),
        table: Table { headers: ["file", "values"].map(str::to_owned).to_vec(), rows: rows.map(row).collect() },
        sections: vec![Section { title: count(entries.len(), "value"), entries }],
        cases: searched.iter().map(case).collect(),
        notes,
    }
}

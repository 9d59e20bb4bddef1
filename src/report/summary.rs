//! One command's result in the terms that every review format shares. Each command says once what it found; each format
//! says once how that is written.

use crate::vocab::{Finding, Place, Severity, word_enum};

word_enum! {
    /// How much a note matters.
    pub enum Level("level") {
        /// Fails the command.
        Error = "error",
        /// Should be looked at.
        Warning = "warning",
        /// Good to know.
        Notice = "notice",
    }
}

/// One result. No text in it is trusted: every format escapes and bounds what it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The command, such as `check`; also names the hidden marker by which a comment is found again.
    pub command: &'static str,
    /// Whether it is green.
    pub ok: bool,
    /// The verdict in one line.
    pub verdict: String,
    /// The overview.
    pub table: Table,
    /// What is shown on demand.
    pub sections: Vec<Section>,
    /// What points at a place, worst first.
    pub notes: Vec<Note>,
    /// What passed and what failed.
    pub cases: Vec<Case>,
}

/// A table; every row has as many cells as there are headers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The header cells.
    pub headers: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Field>>,
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// Our own words.
    Words(String),
    /// A name or a text of the input, shown as it is.
    Code(String),
}

/// A part of the result that is shown on demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Our own words.
    pub title: String,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// One entry of a [`Section`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// A name or place.
    pub name: String,
    /// Lines of text; may be empty.
    pub body: String,
}

/// Something that points at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// How much it matters.
    pub level: Level,
    /// Stable code.
    pub code: &'static str,
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl From<&Finding> for Note {
    fn from(finding: &Finding) -> Self {
        Self {
            level: match finding.severity {
                Severity::Warning => Level::Warning,
                _ => Level::Error,
            },
            code: finding.code,
            place: finding.place.clone(),
            message: finding.message.clone(),
            help: finding.help.clone(),
        }
    }
}

impl Note {
    /// `file:line:column`, as far as known.
    #[must_use]
    pub fn address(&self) -> String {
        let Place { file, line, column, .. } = &self.place;
        if *line == 0 { file.clone() } else { format!("{file}:{line}:{column}") }
    }

    /// As an entry of a section.
    #[must_use]
    pub fn entry(&self) -> Entry {
        let help = self.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
        Entry { name: self.address(), body: format!("{}: {}\n{}{help}", self.level, self.code, self.message) }
    }
}

/// Something that passed or failed. There is no third way: what must be there and is not has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What it belongs to, such as a gateway.
    pub suite: String,
    /// Its name.
    pub name: String,
    /// Why it failed; empty when it passed.
    pub failures: Vec<Note>,
}

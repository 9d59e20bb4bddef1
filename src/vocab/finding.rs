//! What a problem looks like to every reporter: a stable code, a place, a sentence and what to do.

use super::cell::CellName;
use super::words::word_enum;

word_enum! {
    /// How bad a finding is.
    pub enum Severity("severity") {
        /// Fails a gate.
        Error = "error",
        /// Does not fail a gate.
        Warning = "warning",
    }
}

/// Where a finding is. Lines and columns count from 1; columns count characters. The span is in bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// Path as the user would type it, with `/` between folders.
    pub file: String,
    /// Line, from 1; 0 when the finding is about the whole file.
    pub line: usize,
    /// Column in characters, from 1; 0 when the finding is about the whole file.
    pub column: usize,
    /// Byte offset and byte length in the file, when known.
    pub span: Option<(usize, usize)>,
}

impl Place {
    /// The whole file.
    #[must_use]
    pub fn file(file: &str) -> Self {
        Self { file: file.to_owned(), ..Self::default() }
    }

    /// A byte range of a file whose text is `source`; offsets past the end are moved to the end.
    #[must_use]
    pub fn span(file: &str, source: &str, start: usize, length: usize) -> Self {
        let mut start = start.min(source.len());
        while !source.is_char_boundary(start) {
            start -= 1;
        }
        let before = &source[..start];
        let line_start = before.rfind('\n').map_or(0, |index| index + 1);
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span: Some((start, length.min(source.len() - start))),
        }
    }
}

/// One problem. Ordered by place, then code, so that a list of findings has one order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// Stable code such as `refrain::fixture::duplicate_cell`.
    pub code: &'static str,
    /// What is wrong, one sentence without a final stop; never a secret.
    pub message: String,
    /// What the underlined span is, when a label helps.
    pub label: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// How bad.
    pub severity: Severity,
    /// The place that has no fixture, for a finding about an absence: its own place is where the matrix asks for one.
    pub absent: Option<CellName>,
    /// The other file, for a finding about two that exclude each other.
    pub rival: Option<String>,
}

impl Finding {
    /// An error finding without help; add it with [`Finding::help`].
    #[must_use]
    pub fn error(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            code,
            message: message.into(),
            label: None,
            help: None,
            severity: Severity::Error,
            absent: None,
            rival: None,
        }
    }

    /// The same as a warning, which does not fail a gate.
    #[must_use]
    pub fn warning(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, place, message) }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says which place has no fixture.
    #[must_use]
    pub fn absent(mut self, cell: CellName) -> Self {
        self.absent = Some(cell);
        self
    }

    /// Says which other file it is about.
    #[must_use]
    pub fn rival(mut self, file: &str) -> Self {
        self.rival = Some(file.to_owned());
        self
    }

    /// Adds a label for the underlined span.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = "a\nüb\n";
        for (start, expected) in [(0, (1, 1)), (2, (2, 1)), (4, (2, 2)), (99, (3, 1))] {
            let place = Place::span("f", source, start, 1);
            assert_eq!((place.line, place.column), expected, "offset {start}");
        }
    }
}

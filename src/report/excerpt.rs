//! The line of a file that a finding points at: bounded, harmless, and without the secrets it may hold.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::style::changes_direction;
use crate::redact::{Profile, Redactor};
use crate::vocab::Tier;

/// Columns that the frame around a line takes.
const FRAME_COLUMNS: usize = 10;

/// A window on one line of a file. Offsets stay those of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    file: String,
    /// Same byte length as the window of the file.
    shown: String,
    window_start: usize,
    line: usize,
    column: usize,
    span: (usize, usize),
}

impl Excerpt {
    /// The window around `span` (byte offset and length) of `source` that fits into `width` columns.
    #[must_use]
    pub fn new(file: &str, source: &str, span: (usize, usize), width: usize) -> Self {
        let room = width.saturating_sub(FRAME_COLUMNS).max(20);
        let shown = span.1.min(room / 2);
        let side = (room - shown) / 2;
        let start = floor_boundary(source, span.0.min(source.len()));
        let line_start = source[..start].rfind('\n').map_or(0, |index| index + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |index| start + index);
        let end = floor_boundary(source, start + shown).clamp(start, line_end.max(start));
        let window_start = floor_boundary(source, start.saturating_sub(side)).max(line_start);
        let window_end = floor_boundary(source, (end + side).min(line_end)).max(end);
        let before = &source[..window_start];
        Self {
            file: file.to_owned(),
            shown: harmless(&source[line_start..line_end], window_start - line_start, window_end - line_start),
            window_start,
            line: before.matches('\n').count(),
            column: source[line_start..window_start].chars().count(),
            span: (start, end - start),
        }
    }

    /// The span that is underlined, in bytes of the file.
    #[must_use]
    pub const fn span(&self) -> (usize, usize) {
        self.span
    }
}

/// The window of a line with every shape and every control character overwritten, byte for byte.
fn harmless(line: &str, from: usize, to: usize) -> String {
    let mut bytes = line.as_bytes().to_vec();
    for hit in Redactor::embedded().scan(Tier::Payload, Profile::Standard, line) {
        bytes[hit.start..hit.end].fill(b'*');
    }
    for (index, c) in line.char_indices() {
        if c.is_control() || changes_direction(c) {
            bytes[index..index + c.len_utf8()].fill(b' ');
        }
    }
    // The second of two number signs: see `style::without_commands`.
    for at in 1..bytes.len() {
        if bytes[at - 1..=at] == *b"##" {
            bytes[at] = b' ';
        }
    }
    String::from_utf8_lossy(&bytes[from..to]).into_owned()
}

fn floor_boundary(text: &str, mut index: usize) -> usize {
    index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        _lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let end = self.window_start + self.shown.len();
        if span.offset() < self.window_start || span.offset() + span.len() > end {
            return Err(MietteError::OutOfBounds);
        }
        // Without context, the question is where the span itself starts.
        let skipped = if lines_before == 0 { span.offset() - self.window_start } else { 0 };
        let (before, shown) = self.shown.split_at(skipped);
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            shown.as_bytes(),
            (self.window_start + skipped, shown.len()).into(),
            self.line,
            self.column + before.chars().count(),
            1,
        )))
    }
}

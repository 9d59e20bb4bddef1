//! A result as annotations of a workflow: one command a line, every property and message escaped.

use super::escape::{workflow_message, workflow_property};
use super::summary::{Level, Note, Summary};

/// The annotations, worst first, then the verdict as an ordinary line.
#[must_use]
pub fn github(summary: &Summary) -> String {
    let mut text: String = summary.notes.iter().map(annotation).collect();
    let symbol = if summary.ok { "✓" } else { "✗" };
    text.push_str(&format!("{symbol} refrain {}: {}\n", summary.command, super::escape::line(&summary.verdict, 400)));
    text
}

fn annotation(note: &Note) -> String {
    let level = match note.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "notice",
    };
    let mut properties = Vec::new();
    if !note.place.file.is_empty() {
        properties.push(format!("file={}", workflow_property(&note.place.file)));
    }
    if note.place.line > 0 {
        properties.push(format!("line={}", note.place.line));
        properties.push(format!("col={}", note.place.column));
    }
    properties.push(format!("title={}", workflow_property(note.code)));
    let help = note.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
    format!("::{level} {}::{}\n", properties.join(","), workflow_message(&format!("{}{help}", note.message)))
}

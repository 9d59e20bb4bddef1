//! A result as a comment on a pull request: a hidden marker by which the comment is found again, the verdict in one line,
//! the table, and the rest on demand.
//!
//! Text of the input appears in code spans and fenced blocks only, so it can neither mention a person nor draw anything.

use std::fmt::Write as _;

use super::escape::{code_span, fenced, line};
use super::summary::{Field, Section, Summary, Table};

/// Most characters of a comment.
pub const LIMIT_CHARACTERS: usize = 65_536;
/// Characters that are kept for closing what is open and for saying what was left out.
const RESERVE: usize = 512;
/// Most characters of one name in a table.
const NAME_CHARACTERS: usize = 160;

/// The comment, of at most [`LIMIT_CHARACTERS`].
#[must_use]
pub fn markdown(summary: &Summary) -> String {
    let mut page = Page::default();
    let symbol = if summary.ok { "✅" } else { "❌" };
    page.always(&format!("<!-- refrain:{} -->\n", summary.command));
    page.always(&format!("**refrain {}** {symbol} {}\n", summary.command, words(&summary.verdict)));
    table(&mut page, &summary.table);
    for one in &summary.sections {
        section(&mut page, one);
    }
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
    characters: usize,
}

impl Page {
    fn always(&mut self, part: &str) {
        self.characters += part.chars().count();
        self.text.push_str(part);
    }

    /// Writes a part when there is room for it.
    fn fits(&mut self, part: &str) -> bool {
        let fits = self.characters + part.chars().count() + RESERVE <= LIMIT_CHARACTERS;
        if fits {
            self.always(part);
        }
        fits
    }

    /// What is said in the reserve.
    fn left_out(&mut self, number: usize, what: &str) {
        let part = format!("\n… {number} more {what}; `--format json` lists all of them\n");
        if self.characters + part.chars().count() + 64 <= LIMIT_CHARACTERS {
            self.always(&part);
        }
    }
}

/// Our own words around what may be a name of the input: nothing in it draws.
fn words(text: &str) -> String {
    let mut escaped = String::new();
    for c in line(text, 400).chars() {
        if "\\`*_{}[]<>#|!~&@$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    // A mention survives a backslash.
    escaped.replace("\\@", "&#64;")
}

fn table(page: &mut Page, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    let headers: Vec<String> = table.headers.iter().map(|header| words(header)).collect();
    let head = format!("\n| {} |\n|{}\n", headers.join(" | "), " --- |".repeat(headers.len()));
    if !page.fits(&head) {
        return;
    }
    for (index, row) in table.rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(field).collect();
        if !page.fits(&format!("| {} |\n", cells.join(" | "))) {
            page.left_out(table.rows.len() - index, "rows");
            return;
        }
    }
}

fn field(field: &Field) -> String {
    match field {
        Field::Words(text) => words(text),
        Field::Code(text) => code_span(text, NAME_CHARACTERS, true),
    }
}

fn section(page: &mut Page, section: &Section) {
    let open = format!("\n<details><summary>{}</summary>\n", words(&section.title));
    if section.entries.is_empty() || !page.fits(&open) {
        return;
    }
    for (index, entry) in section.entries.iter().enumerate() {
        let mut part = format!("\n{}\n", code_span(&entry.name, NAME_CHARACTERS, false));
        if !entry.body.trim().is_empty() {
            let _ = write!(part, "\n{}", fenced(&entry.body));
        }
        if !page.fits(&part) {
            page.left_out(section.entries.len() - index, "entries");
            break;
        }
    }
    page.always("\n</details>\n");
}

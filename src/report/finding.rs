//! Findings as miette diagnostics for people and as JSON for programs.

use std::collections::BTreeMap;
use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity as MietteSeverity, SourceCode};
use serde::Serialize;

use super::excerpt::Excerpt;
use super::style;
use crate::vocab::{Finding, Severity};

/// The texts of the files that findings point into, by path.
pub type Sources = BTreeMap<String, String>;

/// Longest message that is shown, in characters.
const MESSAGE_CHARACTERS: usize = 600;

/// Untrusted words inside a message, cleaned and bounded.
#[must_use]
pub fn clean_message(message: &str) -> String {
    style::one_line(&super::clean(message), MESSAGE_CHARACTERS)
}

/// A finding as other programs read it.
#[derive(Debug, Serialize)]
pub struct FindingJson {
    code: &'static str,
    severity: Severity,
    file: String,
    line: usize,
    column: usize,
    message: String,
    help: Option<String>,
}

impl From<&Finding> for FindingJson {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code,
            severity: finding.severity,
            file: finding.place.file.clone(),
            line: finding.place.line,
            column: finding.place.column,
            message: clean_message(&finding.message),
            help: finding.help.clone(),
        }
    }
}

/// A finding as a person reads it: code, sentence, underlined place, what to do.
#[must_use]
pub fn graphical(finding: &Finding, sources: &Sources, width: usize) -> String {
    let shown = Shown::new(finding, sources, width);
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode())
        .with_width(width.clamp(40, 120))
        .with_links(false)
        .with_context_lines(1);
    let mut text = String::new();
    match handler.render_report(&mut text, &shown) {
        Ok(()) => text,
        // Rendering into a string fails only when the excerpt can not be cut: say it without the excerpt.
        Err(fmt::Error) => format!("{}\n  × {}\n", finding.code, shown.message),
    }
}

#[derive(Debug)]
struct Shown {
    message: String,
    code: &'static str,
    help: Option<String>,
    label: Option<String>,
    severity: Severity,
    excerpt: Option<Excerpt>,
}

impl Shown {
    fn new(finding: &Finding, sources: &Sources, width: usize) -> Self {
        let place = &finding.place;
        let excerpt = place.span.and_then(|span| {
            let file = super::escape::path(&place.file);
            sources.get(&place.file).map(|source| Excerpt::new(&file, source, span, width))
        });
        let mut message = clean_message(&finding.message);
        if excerpt.is_none() && !place.file.is_empty() {
            let line = if place.line == 0 { String::new() } else { format!(":{}:{}", place.line, place.column) };
            message = format!("{}{line}: {message}", super::escape::path(&place.file));
        }
        Self {
            message,
            code: finding.code,
            help: finding.help.clone(),
            label: finding.label.as_deref().map(clean_message),
            severity: finding.severity,
            excerpt,
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn severity(&self) -> Option<MietteSeverity> {
        Some(match self.severity {
            Severity::Error => MietteSeverity::Error,
            Severity::Warning => MietteSeverity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_deref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|excerpt| excerpt as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.excerpt.as_ref()?;
        let label = self.label.clone().unwrap_or_else(|| "here".to_owned());
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(label), excerpt.span()))))
    }
}

//! One scenario, read and checked.

use std::fmt;

use jiff::Timestamp;

use super::document::{Document, Word};
use super::expect::Expectation;
use super::offset::Offset;
use crate::canon::yaml;
use crate::vocab::{AgentId, Finding, Place};

pub use super::document::Kind;

/// A scenario that can be played.
pub struct Scenario {
    /// What it shows, one sentence.
    pub title: String,
    /// The criterion it shows, such as `.9`.
    pub criterion: String,
    /// Whether it shows that something happens or that it does not.
    pub kind: Kind,
    /// What its timeline has to hold.
    pub expect: Expectation,
    pub(super) agent: Option<AgentId>,
    pub(super) start: Timestamp,
    pub(super) until: Option<Offset>,
    pub(super) steps: Vec<(Offset, Word)>,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scenario({}, {} steps)", self.title, self.steps.len())
    }
}

/// Most steps of one scenario.
const STEP_LIMIT: usize = 10_000;

impl Scenario {
    /// Reads the text of a scenario file; `file` is for the findings.
    ///
    /// # Errors
    /// When it is no scenario, or its steps can not be played in their order.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let document: Document = yaml::parse(text).map_err(|error| {
            let place = Place { line: error.line, column: error.column, ..Place::file(file) };
            vec![Finding::error("refrain::simulate::unreadable", place, error.message)]
        })?;
        let mut findings = Vec::new();
        let mut find = |code, message: String| findings.push(Finding::error(code, Place::file(file), message));
        let start = match document.start.as_deref().unwrap_or("2026-11-30T12:00:00Z").parse() {
            Ok(start) => start,
            Err(error) => {
                find("refrain::simulate::start", format!("`start` is no instant: {error}"));
                Timestamp::UNIX_EPOCH
            }
        };
        if document.steps.is_empty() || document.steps.len() > STEP_LIMIT {
            let message = format!("a scenario has 1 to {STEP_LIMIT} steps, this one {}", document.steps.len());
            find("refrain::simulate::steps", message);
        }
        let mut steps = Vec::new();
        let mut last = Offset::default();
        for (number, step) in (1..).zip(document.steps) {
            let at = step.at;
            if at < last {
                find("refrain::simulate::order", format!("step {number} comes before the one above it"));
            }
            last = last.max(at);
            match step.word() {
                Ok(word) => steps.push((at, word)),
                Err(count) => find(
                    "refrain::simulate::word",
                    format!("step {number} has {count} words, it needs exactly one such as `prompt` or `fail`"),
                ),
            }
        }
        if document.until.is_some_and(|until| until < last) {
            find("refrain::simulate::order", "`until` comes before the last step".to_owned());
        }
        if !findings.is_empty() {
            return Err(findings);
        }
        let Document { title, criterion, kind, agent, until, expect, .. } = document;
        Ok(Self { title, criterion, kind, expect, agent, start, until, steps })
    }
}

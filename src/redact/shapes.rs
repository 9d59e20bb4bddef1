//! All shapes of a catalogue, loaded from files or from the embedded copy, with their patterns compiled on first use.
//!
//! Invariant: ids are unique and sorted; what was loaded is what is enforced.
//!
//! Must not know: disk, tiers' plans.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::shape::{Scanner, Shape};
use crate::canon::yaml;
use crate::vocab::{Finding, Place, ShapeId};

/// The generated copy of `catalogue/shapes`, held equal by a test.
const EMBEDDED: &str = include_str!("embedded.json");

/// Largest compiled pattern, in bytes.
const PATTERN_SIZE_LIMIT: usize = 1 << 20;

/// A shape and its pattern.
pub(super) struct Compiled {
    pub(super) shape: Shape,
    pub(super) id: ShapeId,
    pattern: OnceLock<Option<Regex>>,
}

impl Compiled {
    /// `None` when the id is none; the loader said so already.
    fn new(shape: Shape) -> Option<Self> {
        Some(Self { id: ShapeId::new(&shape.id).ok()?, shape, pattern: OnceLock::new() })
    }

    /// The pattern, anchored at the start of what it is given.
    pub(super) fn pattern(&self) -> Option<&Regex> {
        self.pattern.get_or_init(|| compile(&self.shape.pattern).ok()).as_ref()
    }
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&format!(r"\A(?:{pattern})")).unicode(false).size_limit(PATTERN_SIZE_LIMIT).build()
}

/// A set of shapes, sorted by id.
pub struct Shapes {
    list: Vec<Compiled>,
}

impl std::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(|shape| &shape.id)).finish()
    }
}

impl Shapes {
    /// The shapes that were built in.
    pub(super) fn embedded() -> Self {
        // The generated file is held by a test; a broken one leaves nothing to enforce, which the same test refuses.
        Self::from_list(serde_json::from_str(EMBEDDED).unwrap_or_default())
    }

    fn from_list(mut list: Vec<Shape>) -> Self {
        list.sort_by(|a, b| a.id.cmp(&b.id));
        Self { list: list.into_iter().filter_map(Compiled::new).collect() }
    }

    /// One shape alone, for its samples.
    pub(super) fn of_one(shape: &Shape) -> Self {
        Self::from_list(vec![shape.clone()])
    }

    /// Reads shape files, given as path and text.
    ///
    /// # Errors
    /// Every problem of every file: unreadable YAML, an id that is not the file's stem, an unusable pattern or anchor, a
    /// duplicate.
    pub fn load<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<Self, Vec<Finding>> {
        let (mut list, mut findings) = (Vec::<Shape>::new(), Vec::new());
        for (path, text) in files {
            match yaml::parse::<Shape>(text) {
                Ok(shape) => {
                    findings.extend(problems(&shape, path));
                    if list.iter().any(|known| known.id == shape.id) {
                        findings.push(finding(
                            path,
                            "refrain::redact::duplicate_shape",
                            format!("`{}` is declared twice", shape.id),
                        ));
                    }
                    list.push(shape);
                }
                Err(error) => {
                    let message = if text.trim().is_empty() { "the file is empty" } else { error.message.as_str() };
                    let message = format!("this is no shape: {message}");
                    findings.push(
                        Finding::error("refrain::redact::unreadable_shape", place_of(path, text, &error), message)
                            .help("`refrain schema shape` prints the format"),
                    );
                }
            }
        }
        if findings.is_empty() { Ok(Self::from_list(list)) } else { Err(findings) }
    }

    /// The shapes by id.
    pub fn iter(&self) -> impl Iterator<Item = &Shape> {
        self.list.iter().map(|compiled| &compiled.shape)
    }

    /// The generated copy: what `src/redact/embedded.json` must hold.
    #[must_use]
    pub fn to_embedded(&self) -> String {
        let lines: Vec<_> = self.iter().map(|shape| serde_json::to_string(shape).unwrap_or_default()).collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
    }

    pub(super) fn compiled(&self) -> &[Compiled] {
        &self.list
    }
}

/// Where the parser stopped, or the unknown word that it names: it only knows where its document starts.
fn place_of(path: &str, text: &str, error: &yaml::YamlError) -> Place {
    let word = error.message.split_once("unknown ").and_then(|(_, rest)| rest.split('`').nth(1));
    if let Some((word, at)) = word.and_then(|word| text.find(word).map(|at| (word, at))) {
        return Place::span(path, text, at, word.len());
    }
    let start = text.split_inclusive('\n').take(error.line.saturating_sub(1)).map(str::len).sum::<usize>();
    let line = text[start.min(text.len())..].lines().next().unwrap_or_default();
    let column = line.char_indices().nth(error.column.saturating_sub(1)).map_or(0, |(at, _)| at);
    Place::span(path, text, start + column, line.len().saturating_sub(column))
}

fn finding(path: &str, code: &'static str, message: String) -> Finding {
    Finding::error(code, Place::file(path), message)
}

fn problems(shape: &Shape, path: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut refuse = |message: String| found.push(finding(path, "refrain::redact::bad_shape", message));
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".yaml");
    if stem != shape.id {
        refuse(format!("the id `{}` is not the file's name `{stem}`", shape.id));
    }
    if let Err(error) = compile(&shape.pattern) {
        refuse(format!("the pattern does not compile: {error}"));
    }
    if shape.anchors.is_empty() != (shape.scanner == Scanner::Run) {
        refuse("every shape but a run needs an anchor, and a run has none".into());
    }
    for anchor in shape.anchors.iter().filter(|anchor| !is_usable(anchor)) {
        refuse(format!("the anchor `{anchor}` is too short or not lower-case ASCII"));
    }
    if shape.tiers.is_empty() || shape.positive.is_empty() || shape.negative.is_empty() {
        refuse("tiers, positive and negative samples are required".into());
    }
    found
}

fn is_usable(anchor: &str) -> bool {
    let lower = anchor.is_ascii() && !anchor.bytes().any(|byte| byte.is_ascii_uppercase());
    lower && (anchor.len() >= 2 || ["@", ".", "-", ":", "/"].contains(&anchor))
}

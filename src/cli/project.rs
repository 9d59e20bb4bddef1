//! What every command that judges needs: the catalogue, the shapes, the matrix, and how fixtures are replayed.

use std::path::Path;

use super::exit::Failure;
use super::output::Output;
use super::shapes::Own;
use crate::acp::session::Knowledge;
use crate::catalogue::Catalogue;
use crate::check::CatalogueSummary;
use crate::classify::Classifier;
use crate::fixture::FixtureFile;
use crate::redact::Redactor;
use crate::replay::{ExchangeError, Replayed, Setting, replay};
use crate::report::check::count;
use crate::report::finding::Sources;
use crate::shell::jobs;
use crate::shell::link::Link;
use crate::shell::progress::Progress;
use crate::shell::tree::{File, Part, Tree, root_above};
use crate::vocab::Finding;

/// Rules and shapes that were loaded, or what is wrong with them.
pub(super) struct Loaded {
    classifier: Option<Classifier>,
    embedded: bool,
    shapes: Own,
    /// The catalogue in numbers.
    pub(super) summary: CatalogueSummary,
    /// Load errors.
    pub(super) findings: Vec<Finding>,
}

impl Loaded {
    /// Loads the catalogue of a tree.
    ///
    /// # Errors
    /// When one of its files is no text.
    pub(super) fn new(tree: &Tree) -> Result<Self, Failure> {
        let own = Own::load(&tree.shapes)?;
        let shapes = own.enforced().shapes().iter().count();
        let mut findings = own.findings.clone();
        let Part::Files(files) = &tree.rules else {
            let summary = summary(Classifier::embedded().catalogue(), shapes);
            return Ok(Self { classifier: None, embedded: true, shapes: own, summary, findings });
        };
        let (classifier, summary) = match Catalogue::load(texts(files)?) {
            Ok(catalogue) => {
                let summary = summary(&catalogue, shapes);
                (Some(Classifier::new(catalogue)), summary)
            }
            Err(problems) => {
                findings.extend(problems);
                (None, CatalogueSummary { shapes, ..CatalogueSummary::default() })
            }
        };
        Ok(Self { classifier, embedded: false, shapes: own, summary, findings })
    }

    /// Adds what the catalogue's own samples say.
    pub(super) fn self_test(&mut self) {
        let classifier = self.knowledge().map(|knowledge| knowledge.classifier);
        let mut findings = classifier.map(|classifier| classifier.catalogue().self_test()).unwrap_or_default();
        findings.extend(classifier.map(Classifier::self_test).unwrap_or_default());
        findings.extend(self.shapes.self_test());
        self.summary.sound = self.findings.is_empty() && findings.is_empty();
        self.findings.extend(findings);
    }

    /// Rules and shapes for a command that can do nothing without them.
    ///
    /// # Errors
    /// When the rules did not load; the first problem is named.
    pub(super) fn judging(&self) -> Result<Knowledge<'_>, Failure> {
        self.knowledge().ok_or_else(|| {
            let first = self.findings.first().map(|finding| finding.message.as_str()).unwrap_or_default();
            let message = format!("load the catalogue: {first}");
            Failure::usage("refrain::catalogue::broken", message).help("`refrain check` shows every problem")
        })
    }

    /// Rules and shapes to judge with; `None` when the rules did not load.
    pub(super) fn knowledge(&self) -> Option<Knowledge<'_>> {
        let classifier = match (&self.classifier, self.embedded) {
            (Some(classifier), _) => classifier,
            (None, true) => Classifier::embedded(),
            (None, false) => return None,
        };
        Some(Knowledge { classifier, redactor: self.redactor() })
    }
}

impl Loaded {
    /// The shapes that are enforced.
    pub(super) fn redactor(&self) -> &Redactor {
        self.shapes.enforced()
    }
}

fn summary(catalogue: &Catalogue, shapes: usize) -> CatalogueSummary {
    CatalogueSummary { version: catalogue.version().to_owned(), rules: catalogue.rules().len(), shapes, sound: true }
}

/// The files as path and text.
///
/// # Errors
/// When one of them is no text.
pub(super) fn texts(files: &[File]) -> Result<Vec<(String, String)>, Failure> {
    files.iter().map(|file| Ok((file.path.clone(), file.text()?.to_owned()))).collect()
}

/// Replays fixtures over the real connection on `threads` threads, with progress on a terminal unless it is `quiet`.
pub(super) fn replay_all(
    files: &[&FixtureFile],
    setting: Setting<'_>,
    threads: Option<usize>,
    quiet: bool,
) -> Vec<Result<Replayed, ExchangeError>> {
    let threads = threads.unwrap_or_else(jobs::default_count);
    let progress = Progress::new(files.len(), "fixtures", !quiet);
    jobs::map(files, threads, |file| {
        let replayed = replay(&file.fixture, &Link::default(), setting);
        progress.step();
        replayed
    })
}

/// The tree of a command: below `root`, or else of the project that the current folder is or is inside of.
///
/// # Errors
/// When a part of it can not be read.
pub(super) fn tree(root: Option<&Path>) -> Result<Tree, Failure> {
    let above = if root.is_none() { root_above() } else { None };
    Tree::load(root.or(above.as_deref())).map_err(|error| {
        Failure::from(error)
            .help("a project holds catalogue/, matrix.yaml or fixtures/; without --root the built-in ones are used")
    })
}

/// Where each part of a tree comes from, in one line.
pub(super) fn origins(tree: &Tree) -> String {
    let files = |part: &Part, noun: &str| match part {
        Part::Embedded => format!("{noun}s built in"),
        Part::Files(files) => count(files.len(), &format!("{noun} file")),
    };
    let matrix = if tree.embedded_matrix { "built in" } else { tree.matrix.path.as_str() };
    let fixtures = count(tree.fixtures.len(), "fixture");
    let fixtures = if tree.embedded_fixtures { format!("{fixtures} built in") } else { fixtures };
    format!("data: {}, {}, matrix {matrix}, {fixtures}", files(&tree.rules, "rule"), files(&tree.shapes, "shape"))
}

/// Says that the result is about the binary's own data: who mistook the folder would take it for theirs.
pub(super) fn say_built_in(tree: &Tree, output: &mut Output) {
    if tree.is_built_in() && !output.quiet() {
        output.message("no project here: these are the built-in fixtures; `refrain init` starts a project");
    }
}

/// The texts that findings point into.
pub(super) fn sources(files: &[(String, Vec<u8>)]) -> Sources {
    files.iter().map(|(path, bytes)| (path.clone(), String::from_utf8_lossy(bytes).into_owned())).collect()
}

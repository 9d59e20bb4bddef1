//! `refrain diff`: what a change of the catalogue does.

use std::path::{Path, PathBuf};

use super::arguments::{DiffArguments, DiffFormat, FailOn};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project;
use super::shapes::Own;
use crate::catalogue::Catalogue;
use crate::classify::Classifier;
use crate::diff::{self, Diff, EvidenceSource, Outputs, Side};
use crate::evidence::wire;
use crate::fixture::{FixtureFile, Strictness};
use crate::matrix::Matrix;
use crate::recording::{self, Recording};
use crate::redact::Redactor;
use crate::report;
use crate::report::check::count;
use crate::shell::tree::{File, Part, Tree, is_project, root_above};
use crate::shell::{clock, disk, git};
use crate::vocab::{Finding, Severity};

/// Compares two states, or two outputs.
pub(super) fn run(arguments: &DiffArguments, output: &mut Output) -> Result<Exit, Failure> {
    let diff = match arguments.outputs.as_slice() {
        [before, after] => diff::diff_outputs(&outputs(before)?, &outputs(after)?),
        _ => states(arguments, output)?,
    };
    if diff.inputs == 0 && diff.is_empty() {
        let failure = Failure::usage("refrain::diff::nothing", "find an input that both sides can judge");
        return Err(failure.exit(Exit::NothingSelected));
    }
    let fails = fails(&diff, arguments);
    let text = match arguments.format {
        DiffFormat::Human => report::diff::human(&diff, output.width()),
        DiffFormat::Json => report::diff::json(&diff),
        DiffFormat::Jsonl => report::diff::jsonl(&diff),
        DiffFormat::Markdown => report::markdown::markdown(&report::diff::summary(&diff, !fails)),
        DiffFormat::Github => report::github::github(&report::diff::summary(&diff, !fails)),
    };
    output.result(&text);
    Ok(if fails { Exit::Findings } else { Exit::Clean })
}

/// What is newly wrong with the head's rules always fails; changes only when it was asked for.
fn fails(diff: &Diff, arguments: &DiffArguments) -> bool {
    let wanted = match arguments.fail_on {
        Some(FailOn::Widened) => diff.is_widened(),
        Some(FailOn::Any) => !diff.changes.is_empty() || !diff.unpaired.is_empty(),
        None => false,
    };
    wanted || diff.is_broken() || (arguments.exit_code && !diff.is_empty())
}

fn outputs(path: &Path) -> Result<Outputs, Failure> {
    Outputs::parse(&disk::read_text(path)?).map_err(|error| {
        Failure::usage("refrain::diff::output", format!("{error} ({})", path.display()))
            .help("both files are what `refrain classify --format jsonl` wrote; catalogues are compared with --base")
    })
}

fn states(arguments: &DiffArguments, output: &mut Output) -> Result<Diff, Failure> {
    let mut evidence = Vec::new();
    for path in &arguments.evidence {
        evidence.extend(sources(path)?);
    }
    let base = match &arguments.base {
        Some(name) => State::read(Some(name), "base")?,
        None => State::last(arguments.head.as_deref(), output)?,
    };
    let head = State::read(arguments.head.as_deref(), "head")?;
    for (side, state) in [("base", &base), ("head", &head)] {
        output.detail(|| state.numbers(side));
        for finding in &state.unread {
            output.message(&report::finding::graphical(finding, &report::finding::Sources::new(), output.width()));
        }
    }
    if !base.unread.is_empty() || !head.unread.is_empty() {
        return Err(Failure::usage("refrain::diff::unreadable", "read both states")
            .help("`refrain check` shows every problem with its place"));
    }
    Ok(diff::diff(&base.side(), &head.side(), &evidence, arguments.now.unwrap_or_else(clock::now)))
}

/// One of the two states, read.
struct State {
    classifier: Classifier,
    redactor: Redactor,
    findings: Vec<Finding>,
    fixtures: Vec<FixtureFile>,
    matrix: Matrix,
    unread: Vec<Finding>,
}

impl State {
    /// A folder, a revision, or the current folder when nothing is named.
    fn read(name: Option<&str>, side: &str) -> Result<Self, Failure> {
        let above = root_above();
        let (tree, root) = match name {
            None => (project::tree(None)?, above.as_deref()),
            Some(name) if is_project(Path::new(name)) => (project::tree(Some(Path::new(name)))?, Some(Path::new(name))),
            Some(BUILT_IN) => (built_in(project::tree(None)?), above.as_deref()),
            Some(revision) => {
                let help = format!(
                    "--{side} takes a git revision, a folder that holds catalogue/, fixtures/ or matrix.yaml, or \
                     `{BUILT_IN}` for the catalogue of the tool itself"
                );
                let folder = above.as_deref().unwrap_or(Path::new("."));
                (git::tree(folder, revision).map_err(|error| Failure::from(error).help(help))?, None)
            }
        };
        Self::of(relative(tree, root))
    }

    /// What was read, in one line.
    fn numbers(&self, side: &str) -> String {
        let rules = count(self.classifier.catalogue().rules().len(), "rule");
        let shapes = count(self.redactor.shapes().iter().count(), "shape");
        format!("{side}: {rules}, {shapes}, {}", count(self.fixtures.len(), "fixture"))
    }

    /// What a change is compared with when nothing is named: the last commit, or the tool's own catalogue in a project
    /// that has none yet.
    fn last(head: Option<&str>, output: &mut Output) -> Result<Self, Failure> {
        let here = root_above().unwrap_or_else(|| PathBuf::from("."));
        match Self::read(Some("HEAD"), "base") {
            Err(failure) if head.is_none() && failure.code == "refrain::git::revision" && is_project(&here) => {
                let why = failure.message.split_once(": ").map_or("there is no commit of it", |(_, why)| why);
                output.message(&format!("{why}: compared with the built-in catalogue"));
                Self::read(Some(BUILT_IN), "base")
            }
            other => other,
        }
    }

    fn of(tree: Tree) -> Result<Self, Failure> {
        let mut unread = Vec::new();
        let (catalogue, findings) = match &tree.rules {
            Part::Embedded => (Catalogue::embedded_copy(), Catalogue::embedded().self_test()),
            Part::Files(files) => Catalogue::examine(project::texts(files)?),
        };
        // Rules that could not be read would look like rules that were removed.
        let (broken, findings): (Vec<_>, Vec<_>) = findings
            .into_iter()
            .partition(|finding| finding.severity == Severity::Error && !JUDGED.contains(&finding.code));
        unread.extend(broken);
        let own = Own::load(&tree.shapes)?;
        let (lost, broken): (Vec<_>, Vec<_>) =
            own.findings.iter().cloned().partition(|finding| JUDGED.contains(&finding.code));
        unread.extend(broken);
        let findings = [findings, lost].concat();
        let redactor = own.enforced().clone();
        let mut fixtures = Vec::new();
        for file in &tree.fixtures {
            match FixtureFile::read(&file.path, &file.bytes, Strictness::Lenient) {
                Ok(fixture) => fixtures.push(fixture),
                Err(problems) => unread.extend(problems),
            }
        }
        let matrix = Matrix::parse(&tree.matrix.path, tree.matrix.text()?).unwrap_or_else(|problems| {
            unread.extend(problems);
            Matrix::embedded().clone()
        });
        Ok(Self { classifier: Classifier::new(catalogue), redactor, findings, fixtures, matrix, unread })
    }

    fn side(&self) -> Side<'_> {
        Side {
            classifier: &self.classifier,
            redactor: &self.redactor,
            findings: &self.findings,
            fixtures: &self.fixtures,
            matrix: Some(&self.matrix),
        }
    }
}

/// Errors of a catalogue that can nevertheless be compared: every rule was read.
const JUDGED: &[&str] = &[
    "refrain::catalogue::collision",
    "refrain::catalogue::silent_sample",
    "refrain::catalogue::firing_near_miss",
    "refrain::catalogue::outranks",
    "refrain::catalogue::unordered",
    "refrain::redact::enforced_missing",
];

/// The name of the state that the tool itself carries.
const BUILT_IN: &str = "built-in";

/// The rules and shapes of the tool over the inputs of a project.
fn built_in(tree: Tree) -> Tree {
    Tree { rules: Part::Embedded, shapes: Part::Embedded, ..tree }
}

/// Both sides name their files from their own root.
fn relative(mut tree: Tree, root: Option<&Path>) -> Tree {
    let Some(prefix) = root else { return tree };
    let cut = |file: &mut File| {
        if let Ok(below) = Path::new(&file.path).strip_prefix(prefix) {
            file.path = below.display().to_string().replace('\\', "/");
        }
    };
    for part in [&mut tree.rules, &mut tree.shapes] {
        if let Part::Files(files) = part {
            files.iter_mut().for_each(cut);
        }
    }
    tree.fixtures.iter_mut().for_each(cut);
    cut(&mut tree.matrix);
    tree
}

/// A transcript, or every line of evidence.
fn sources(path: &Path) -> Result<Vec<EvidenceSource>, Failure> {
    let text = disk::read_text(path)?;
    let file = path.display().to_string();
    if text.lines().next().is_some_and(recording::is_recording) {
        let recording = Recording::parse(&text)
            .map_err(|error| Failure::usage("refrain::recording::damaged", format!("{error} ({file})")))?;
        return Ok(vec![EvidenceSource::Transcript { file, recording }]);
    }
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line = wire::parse(line)
            .map_err(|error| Failure::usage(error.code, format!("read evidence at {file}:{}: {error}", index + 1)))?;
        lines.push(EvidenceSource::Line { file: file.clone(), number: index + 1, line });
    }
    Ok(lines)
}

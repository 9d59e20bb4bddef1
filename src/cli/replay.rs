//! `refrain replay`: fixtures through both layers, with their timelines.

use std::path::{Path, PathBuf};

use super::arguments::{Format, ReplayArguments};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project::{self, Loaded};
use crate::check::{Selection, cell_name};
use crate::fixture::{FixtureFile, Strictness};
use crate::matrix::{self, Matrix};
use crate::replay::{ExchangeError, Replayed, Setting};
use crate::report;
use crate::report::replay::{Replays, Shown};
use crate::shell::tree::{File, Tree, json_files};
use crate::shell::{clock, disk};
use crate::vocab::Finding;

/// Replays what was selected.
pub(super) fn run(arguments: &ReplayArguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.accept && is_ci() {
        let failure =
            Failure::usage("refrain::replay::accept_in_ci", "accept: `CI` is set, and a gate judges but never accepts");
        return Err(failure);
    }
    let tree = project::tree(arguments.root.as_deref())?;
    output.detail(|| project::origins(&tree));
    let loaded = Loaded::new(&tree)?;
    let knowledge = loaded.judging()?;
    let corpus = Corpus::read(arguments, &tree)?;
    let setting = Setting { knowledge, now: clock::now() };
    if arguments.format == Format::Human && arguments.selection.is_empty() && arguments.corpus.is_none() {
        project::say_built_in(&tree, output);
    }
    let results = project::replay_all(&corpus.selected(), setting, arguments.jobs, output.quiet());
    if arguments.accept {
        return accept(&corpus.selected(), &results, output);
    }
    let replays = Replays {
        fixtures: corpus.selected().into_iter().zip(&results).map(shown).collect(),
        unread: &corpus.findings,
        unread_files: corpus.unread.len(),
    };
    let text = match arguments.format {
        Format::Json => report::replay::json(&replays),
        Format::Jsonl => report::replay::jsonl(&replays),
        Format::Markdown => report::markdown::markdown(&report::replay::summary(&replays)),
        Format::Github => report::github::github(&report::replay::summary(&replays)),
        Format::Junit => report::junit::junit(&report::replay::summary(&replays)),
        Format::Sarif => report::sarif::sarif(&report::replay::summary(&replays)),
        Format::Human => {
            report::replay::human(&replays, &project::sources(&corpus.texts), output.width(), output.quiet())
        }
    };
    output.result(&text);
    Ok(if replays.passed() { Exit::Clean } else { Exit::Findings })
}

fn shown<'s>((file, result): (&'s FixtureFile, &'s Result<Replayed, ExchangeError>)) -> Shown<'s> {
    let result = result.as_ref().map_err(ToString::to_string);
    Shown { cell: cell_name(&file.fixture), file, result }
}

#[expect(clippy::disallowed_methods, reason = "the environment is read in cli")]
fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// The fixtures of one call.
struct Corpus {
    files: Vec<FixtureFile>,
    selection: Selection,
    unread: Vec<String>,
    findings: Vec<Finding>,
    texts: Vec<(String, Vec<u8>)>,
}

impl Corpus {
    fn read(arguments: &ReplayArguments, tree: &Tree) -> Result<Self, Failure> {
        let (paths, cells): (Vec<&String>, Vec<&String>) =
            arguments.selection.iter().partition(|name| Path::new(name).exists());
        let cells: Vec<String> = cells.into_iter().cloned().collect();
        let (matrix, mut files) = match &arguments.corpus {
            Some(folder) => (corpus_matrix(folder, tree)?, corpus_files(folder)?),
            None => (tree_matrix(tree)?, tree.fixtures.clone()),
        };
        if !paths.is_empty() {
            let mut named = Vec::new();
            for path in paths {
                named.extend(json_files(&PathBuf::from(path))?);
            }
            if cells.is_empty() {
                files = named;
            } else {
                files.extend(named);
            }
        }
        let strictness = if arguments.lenient { Strictness::Lenient } else { Strictness::Strict };
        let mut corpus = Self::parse(files, strictness);
        if arguments.corpus.is_some() {
            corpus.findings.extend(matrix::judge(&matrix, &corpus.files, &corpus.unread));
            corpus.findings.sort();
        }
        corpus.selection = Selection::new(&cells, &matrix, &corpus.files).map_err(|unknown| {
            let help = match &unknown.closest {
                Some(closest) => format!("did you mean `{closest}`?"),
                None => "name a cell such as `litellm/matched`, a gateway, a fixture file or a folder; \
                         `refrain list cells` shows them"
                    .to_owned(),
            };
            let failure = Failure::usage("refrain::replay::unknown_cell", unknown.to_string());
            failure.help(help).exit(Exit::NothingSelected)
        })?;
        if corpus.selected().is_empty() && corpus.findings.is_empty() {
            let failure = Failure::usage("refrain::replay::nothing", "find a fixture to replay");
            return Err(failure.exit(Exit::NothingSelected));
        }
        Ok(corpus)
    }

    fn parse(files: Vec<File>, strictness: Strictness) -> Self {
        let mut corpus = Self {
            files: Vec::new(),
            selection: Selection::default(),
            unread: Vec::new(),
            findings: Vec::new(),
            texts: Vec::new(),
        };
        for file in files {
            match FixtureFile::read(&file.path, &file.bytes, strictness) {
                Ok(fixture) => corpus.files.push(fixture),
                Err(findings) => {
                    corpus.findings.extend(findings);
                    corpus.unread.push(file.path.clone());
                }
            }
            corpus.texts.push((file.path, file.bytes));
        }
        corpus
    }

    fn selected(&self) -> Vec<&FixtureFile> {
        self.files.iter().filter(|file| self.selection.contains(&cell_name(&file.fixture))).collect()
    }
}

fn tree_matrix(tree: &Tree) -> Result<Matrix, Failure> {
    matrix_of(&tree.matrix)
}

fn matrix_of(file: &File) -> Result<Matrix, Failure> {
    Matrix::parse(&file.path, file.text()?).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        Failure::usage("refrain::matrix::broken", format!("read {}: {first}", file.path))
    })
}

/// A foreign corpus is judged by its own matrix when it has one, and never by ours.
fn corpus_matrix(folder: &Path, tree: &Tree) -> Result<Matrix, Failure> {
    let own = folder.join("matrix.yaml");
    if own.is_file() {
        return matrix_of(&File { path: own.display().to_string(), bytes: disk::read(&own)? });
    }
    Ok(tree_matrix(tree)?.for_foreign_corpus())
}

/// The corpus is the folder's `fixtures` when it has one, else everything below it.
fn corpus_files(folder: &Path) -> Result<Vec<File>, Failure> {
    let nested = folder.join("fixtures");
    Ok(json_files(if nested.is_dir() { &nested } else { folder })?)
}

/// Rewrites `expect` of every fixture whose replay saw something else.
fn accept(
    files: &[&FixtureFile],
    results: &[Result<Replayed, ExchangeError>],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (mut accepted, mut unplayable) = (0, 0);
    for (file, result) in files.iter().zip(results) {
        match result {
            Err(error) => {
                unplayable += 1;
                output.message(&format!("{}: failed to {error}", cell_name(&file.fixture)));
            }
            Ok(replayed) if replayed.passed() => {}
            Ok(replayed) => {
                if !Path::new(&file.path).is_file() {
                    let message = format!("accept {}: it is built into the binary, not a file here", file.path);
                    return Err(Failure::usage("refrain::replay::accept_embedded", message));
                }
                let mut fixture = file.fixture.clone();
                fixture.expect = replayed.as_expectation(&file.fixture);
                disk::replace(Path::new(&file.path), fixture.on_disk().as_bytes())?;
                accepted += 1;
                output.result(&format!("accepted {}\n", file.path));
            }
        }
    }
    if !output.quiet() {
        output.message(&format!("{accepted} of {} rewritten", report::check::count(files.len(), "fixture")));
    }
    Ok(if unplayable > 0 { Exit::Findings } else { Exit::Clean })
}

//! `refrain canon`: the one spelling of fixtures, and duplicates among them.

use std::path::{Path, PathBuf};

use super::arguments::CanonArguments;
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project::{self, Loaded};
use crate::fixture::{FixtureFile, Recorded, Strictness};
use crate::matrix::{self, Matrix};
use crate::replay::{Direct, Setting, replay};
use crate::report;
use crate::shell::tree::{File, json_files, root_above};
use crate::shell::{clock, disk};
use crate::vocab::Finding;

/// Re-encodes fixtures, or reports which are not in canonical form.
pub(super) fn run(arguments: &CanonArguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.paths.iter().any(|path| path == "-") {
        return stream(arguments, output);
    }
    let mut files = Vec::new();
    for path in paths(arguments)? {
        files.extend(json_files(&path)?);
    }
    if files.is_empty() {
        let failure = Failure::usage("refrain::canon::nothing", "find a fixture to re-encode");
        return Err(failure.exit(Exit::NothingSelected));
    }
    let strictness = if arguments.upgrade { Strictness::Lenient } else { Strictness::Strict };
    let (mut read, mut findings) = (Vec::new(), Vec::new());
    for file in &files {
        match FixtureFile::read(&file.path, &file.bytes, strictness) {
            Ok(file) => read.push(upgraded(file, arguments.upgrade)?),
            Err(problems) => findings.extend(problems),
        }
    }
    let same = |finding: &Finding| ["equal_frames", "duplicate_cell"].iter().any(|word| finding.code.ends_with(word));
    findings.extend(matrix::judge(&Matrix::embedded().for_foreign_corpus(), &read, &[]).into_iter().filter(same));
    let rewritten = rewrite(&read, arguments.check, &mut findings)?;
    report(&files, findings, rewritten, arguments.check, output)
}

/// What was named, or the fixtures of the project.
fn paths(arguments: &CanonArguments) -> Result<Vec<PathBuf>, Failure> {
    if !arguments.paths.is_empty() {
        return Ok(arguments.paths.iter().map(PathBuf::from).collect());
    }
    let fixtures = root_above().unwrap_or_default().join("fixtures");
    if !fixtures.is_dir() {
        let failure = Failure::usage("refrain::canon::nothing", "find a fixture to re-encode: here is no fixtures/");
        return Err(failure.help("name files or folders, or run it in a project").exit(Exit::NothingSelected));
    }
    Ok(vec![fixtures])
}

/// Fills in what documents from before `recordedDiagnosticCode` leave open: what a replay says.
fn upgraded(mut file: FixtureFile, upgrade: bool) -> Result<FixtureFile, Failure> {
    if !upgrade || file.fixture.expect.recorded != Recorded::Unstated {
        return Ok(file);
    }
    let tree = project::tree(None)?;
    let loaded = Loaded::new(&tree)?;
    let knowledge = loaded.judging()?;
    let setting = Setting { knowledge, now: clock::now() };
    let replayed = replay(&file.fixture, &Direct, setting)
        .map_err(|error| Failure::usage("refrain::replay::exchange", error.to_string()))?;
    file.fixture.expect.recorded = replayed.evidence.recorded_diagnostic_code.map_or(Recorded::Nothing, Recorded::Code);
    Ok(file)
}

/// Writes every file that is not in its one spelling, or reports it.
fn rewrite(files: &[FixtureFile], check: bool, findings: &mut Vec<Finding>) -> Result<Vec<String>, Failure> {
    let mut rewritten = Vec::new();
    for file in files {
        let Some(finding) = file.spelling() else { continue };
        if check {
            findings.push(finding);
        } else {
            disk::replace(Path::new(&file.path), file.fixture.on_disk().as_bytes())?;
            rewritten.push(file.path.clone());
        }
    }
    Ok(rewritten)
}

fn report(
    files: &[File],
    mut findings: Vec<Finding>,
    rewritten: Vec<String>,
    check: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    findings.sort();
    let texts: Vec<_> = files.iter().map(|file| (file.path.clone(), file.bytes.clone())).collect();
    let sources = project::sources(&texts);
    for finding in &findings {
        output.result(&report::style::guarded(report::finding::graphical(finding, &sources, output.width())));
    }
    for path in &rewritten {
        output.result(&format!("rewritten {path}\n"));
    }
    if !output.quiet() {
        let what = if check { "not in order" } else { "rewritten" };
        let number = if check { findings.len() } else { rewritten.len() };
        output.message(&format!("{}, {number} {what}", report::check::count(files.len(), "fixture")));
    }
    Ok(if findings.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// One document from standard input to standard output.
fn stream(arguments: &CanonArguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.paths.len() > 1 {
        return Err(Failure::usage("refrain::canon::usage", "read `-` together with files"));
    }
    let bytes = disk::read_stdin()?;
    let strictness = if arguments.upgrade { Strictness::Lenient } else { Strictness::Strict };
    let files = [File { path: "-".to_owned(), bytes }];
    match FixtureFile::read("-", &files[0].bytes, strictness) {
        // A document was asked for on stdout: what is wrong with it is no document.
        Err(findings) if !arguments.check => {
            let sources = project::sources(&[(files[0].path.clone(), files[0].bytes.clone())]);
            for finding in &findings {
                output.message(&report::finding::graphical(finding, &sources, output.width()));
            }
            Ok(Exit::Findings)
        }
        Err(findings) => report(&files, findings, Vec::new(), true, output),
        Ok(file) => {
            let file = upgraded(file, arguments.upgrade)?;
            if arguments.check {
                return report(&files, file.spelling().into_iter().collect(), Vec::new(), true, output);
            }
            output.result(&file.fixture.on_disk());
            Ok(Exit::Clean)
        }
    }
}

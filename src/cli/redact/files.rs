//! Files: rewritten in place or into another file, or only reported.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::rewrite::{Kind, Rewriting};
use crate::cli::arguments::{RedactArguments, RedactFormat};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::Output;
use crate::fixture::{FixtureFile, Strictness, containment_kept};
use crate::recording::Correlated;
use crate::redact::{AllowList, BrokenContainment, Hit};
use crate::report;
use crate::report::check::count;
use crate::report::finding::{Sources, graphical};
use crate::report::redact::Searched;
use crate::report::style::{DIM, guarded, one_line, paint};
use crate::shell::tree::json_files;
use crate::shell::{clock, disk};
use crate::vocab::{Finding, Place};

/// Every named file; a folder stands for the JSON files in it.
pub(super) fn run(arguments: &RedactArguments, output: &mut Output) -> Result<Exit, Failure> {
    let rewriting = Rewriting::new(arguments)?;
    let mut exit = Exit::Clean;
    let mut searched = Vec::new();
    for path in paths(arguments)? {
        let text = disk::read_text(Path::new(&path))?;
        if one(arguments, &rewriting, &path, &text, &mut searched, output)? == Exit::Findings {
            exit = Exit::Findings;
        }
    }
    reported(arguments, &searched, output);
    Ok(exit)
}

fn paths(arguments: &RedactArguments) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    for path in &arguments.paths {
        if Path::new(path).is_dir() {
            paths.extend(json_files(Path::new(path))?.into_iter().map(|file| file.path));
        } else {
            paths.push(path.clone());
        }
    }
    if paths.is_empty() {
        let failure = Failure::usage("refrain::redact::nothing", "find a file to redact");
        return Err(failure.exit(Exit::NothingSelected));
    }
    Ok(paths)
}

/// One text: reported, shown, or written where it belongs.
pub(super) fn one(
    arguments: &RedactArguments,
    rewriting: &Rewriting,
    path: &str,
    text: &str,
    searched: &mut Vec<Searched>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let kind = arguments.kind.unwrap_or_else(|| Kind::of(path, text));
    let mut hits = rewriting.hits(kind, text);
    if arguments.check {
        let allowed = allow_list(arguments, rewriting)?;
        let today = clock::now().to_string();
        let today = today.get(..10).unwrap_or_default();
        hits.retain(|hit| !allowed.allows(hit, text, today, rewriting.redactor()));
        let findings = findings(path, text, &hits, &allowed);
        if arguments.format == RedactFormat::Text {
            drawn(path, text, &findings, &hits, output);
        } else {
            searched.push(Searched { path: path.to_owned(), findings });
        }
        return Ok(if hits.is_empty() { Exit::Clean } else { Exit::Findings });
    }
    let clean = rewriting.clean(kind, text);
    correlated(kind, path, text, &clean).map_err(|broken| {
        Failure::usage("refrain::redact::containment", format!("redact {path}: {broken}")).exit(Exit::Findings)
    })?;
    if arguments.diff {
        output.result(&difference(path, text, &clean, &hits, output.width()));
        return Ok(Exit::Clean);
    }
    match (&arguments.output, path) {
        (Some(target), _) => disk::replace(target, clean.as_bytes())?,
        (None, "-") => output.data(clean.as_bytes()),
        (None, _) if clean == text => {}
        (None, path) => disk::replace(Path::new(path), clean.as_bytes())?,
    }
    if path != "-" && !output.quiet() {
        let done = match &arguments.output {
            Some(target) => format!(", written to {}", target.display()),
            None if clean == text => String::new(),
            None => ", rewritten in place".to_owned(),
        };
        output.message(&format!("{path}: {}{done}", summary(&hits)));
    }
    Ok(Exit::Clean)
}

fn allow_list(arguments: &RedactArguments, rewriting: &Rewriting) -> Result<AllowList, Failure> {
    let Some(path) = &arguments.allow else { return Ok(AllowList::default()) };
    let shown = path.display().to_string();
    AllowList::parse(&shown, &disk::read_text(path)?, rewriting.redactor()).map_err(|findings| {
        let first = findings.into_iter().next().map(|finding| finding.message).unwrap_or_default();
        Failure::usage("refrain::redact::allow_list", format!("read {shown}: {first}"))
    })
}

/// Redaction must keep whether a diagnostic is contained in its terminal message.
fn correlated(kind: Kind, path: &str, text: &str, clean: &str) -> Result<(), BrokenContainment> {
    match kind {
        Kind::Text => Ok(()),
        Kind::Json => {
            let read = |text: &str| FixtureFile::read(path, text.as_bytes(), Strictness::Lenient);
            match (read(text), read(clean)) {
                (Ok(raw), Ok(clean)) => containment_kept(&raw.fixture, &clean.fixture),
                _ => Ok(()),
            }
        }
        Kind::Jsonl => {
            let mut walk = Correlated::default();
            text.lines().zip(clean.lines()).try_for_each(|(raw, clean)| walk.line(raw, clean))
        }
    }
}

/// What `--check` found in all files, for programs and reviewers; people were told file by file.
pub(super) fn reported(arguments: &RedactArguments, searched: &[Searched], output: &mut Output) {
    let text = match arguments.format {
        RedactFormat::Text | RedactFormat::Jsonl => return,
        RedactFormat::Json => report::redact::json(searched),
        RedactFormat::Markdown => report::markdown::markdown(&report::redact::summary(searched)),
        RedactFormat::Github => report::github::github(&report::redact::summary(searched)),
        RedactFormat::Junit => report::junit::junit(&report::redact::summary(searched)),
        RedactFormat::Sarif => report::sarif::sarif(&report::redact::summary(searched)),
    };
    output.result(&text);
}

fn findings(path: &str, text: &str, hits: &[Hit], allowed: &AllowList) -> Vec<Finding> {
    let finding = |hit: &Hit| {
        let length = hit.end - hit.start;
        let message = format!("a value of the shape `{}`, {}", hit.shape, count(length, "byte"));
        let finding =
            Finding::error("refrain::redact::forbidden_shape", Place::span(path, text, hit.start, length), message)
                .label(hit.shape.to_string());
        if Rewriting::is_enforced(hit) {
            return finding;
        }
        let fingerprint = allowed.fingerprint(hit, text);
        finding.help(format!("a reviewed false positive is allowed by its fingerprint {fingerprint}"))
    };
    hits.iter().map(finding).collect()
}

fn drawn(path: &str, text: &str, findings: &[Finding], hits: &[Hit], output: &mut Output) {
    let sources = Sources::from([(path.to_owned(), text.to_owned())]);
    for finding in findings {
        output.result(&guarded(graphical(finding, &sources, output.width())));
    }
    if !output.quiet() {
        output.message(&format!("{path}: {}", summary(hits)));
    }
}

fn summary(hits: &[Hit]) -> String {
    let mut shapes: BTreeMap<&str, usize> = BTreeMap::new();
    for hit in hits {
        *shapes.entry(hit.shape.as_str()).or_default() += 1;
    }
    if shapes.is_empty() {
        return "nothing to redact".to_owned();
    }
    let list: Vec<String> = shapes.iter().map(|(shape, number)| format!("{shape} ×{number}")).collect();
    format!("{} of {}", count(hits.len(), "value"), list.join(", "))
}

/// The lines that would change, as they would be; what they hold now is not shown.
fn difference(path: &str, text: &str, clean: &str, hits: &[Hit], width: usize) -> String {
    let mut shown = String::new();
    for (number, (old, new)) in text.lines().zip(clean.lines()).enumerate() {
        if old != new {
            let start = new.bytes().zip(old.bytes()).take_while(|(new, old)| new == old).count();
            let from = new[..floor(new, start)].char_indices().rev().nth(20).map_or(0, |(at, _)| at);
            let place = format!("{path}:{}", number + 1);
            let room = width.saturating_sub(place.chars().count() + 3).max(20);
            let _ = writeln!(shown, "{} + {}", paint(DIM, &place), one_line(&new[from..], room));
        }
    }
    let _ = writeln!(shown, "{path}: {}", summary(hits));
    shown
}

fn floor(text: &str, mut index: usize) -> usize {
    index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

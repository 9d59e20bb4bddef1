//! A transcript to a fixture file: derived, shown, asked about, written.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use similar::{ChangeTag, TextDiff};

use super::arguments::CaptureArguments;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::Output;
use crate::cli::project::{self, Loaded};
use crate::derive::{Derived, Refusal, Sought, Wanted, derive as derive_fixture};
use crate::fixture::Provenance;
use crate::matrix::Matrix;
use crate::recording::Recording;
use crate::replay::{Setting, turns};
use crate::report::style::{BAD, DIM, GOOD, STRONG, paint};
use crate::shell::clock;
use crate::shell::disk;
use crate::shell::link::Link;
use crate::shell::tree::Tree;
use crate::text::closest;
use crate::vocab::CellName;

/// Lines around a change that are shown with it.
const CONTEXT_LINES: usize = 3;

/// Whether a capture can become the fixture that it is for, as far as that is known before it runs.
///
/// # Errors
/// When no list has the gateway, or the file is there and nobody can be asked about it.
pub(super) fn ready(arguments: &CaptureArguments) -> Result<(), Failure> {
    let Some(gateway) = &arguments.gateway else { return Ok(()) };
    let root = arguments.root.as_path();
    let matrix = matrix(&project::tree(has_parts(root).then_some(root))?)?;
    if let Some(rows) = &matrix.gateways
        && !rows.iter().any(|row| row.id == *gateway)
    {
        let known: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let near = closest(gateway.as_str(), known.iter().copied(), 3);
        let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let message = format!("record for the gateway `{gateway}`: matrix.yaml does not list it");
        return Err(Failure::usage("refrain::capture::unknown_gateway", message)
            .help(format!("{near}known are {}; a new one is listed in matrix.yaml first", known.join(", "))));
    }
    let Some(case) = arguments.case else { return Ok(()) };
    let target = target(root, &CellName::Matrix { gateway: gateway.clone(), case });
    if arguments.from.is_none() && !arguments.dry_run && !arguments.force && !can_ask(arguments) && target.exists() {
        return Err(exists(&target));
    }
    Ok(())
}

fn matrix(tree: &Tree) -> Result<Matrix, Failure> {
    Matrix::parse(&tree.matrix.path, tree.matrix.text()?)
        .map_err(|_| Failure::usage("refrain::capture::matrix", "read matrix.yaml").help("`refrain check` says why"))
}

fn target(root: &Path, cell: &CellName) -> PathBuf {
    let below = Path::new("fixtures").join(format!("{cell}.json"));
    if root == Path::new(".") { below } else { root.join(below) }
}

fn exists(target: &Path) -> Failure {
    let message = format!("write {}: it exists", target.display());
    Failure::usage("refrain::capture::exists", message)
        .help("`--force` writes over it, `--dry-run` shows what would be written")
}

/// Whether a person is there to be asked.
fn can_ask(arguments: &CaptureArguments) -> bool {
    !arguments.yes && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Derives, or says what the transcript holds when no gateway is given.
pub(super) fn derive(
    arguments: &CaptureArguments,
    recording: &Recording,
    path: &Path,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let root = arguments.root.as_path();
    let tree = project::tree(has_parts(root).then_some(root))?;
    let loaded = Loaded::new(&tree)?;
    let matrix = matrix(&tree)?;
    let knowledge = loaded.judging()?;
    let setting = Setting { knowledge, now: clock::now() };
    let sought = match (&arguments.gateway, &arguments.scenario) {
        (Some(gateway), _) => Sought::Cell { gateway: gateway.clone(), case: arguments.case },
        (None, Some(scenario)) => Sought::Scenario(scenario.clone()),
        (None, None) => return Ok(summary(arguments, recording, path, &matrix, setting, output)),
    };
    let wanted = Wanted {
        sought,
        agent: arguments.agent.clone(),
        turn: arguments.turn,
        provenance: provenance(arguments, recording)?,
    };
    let derived = derive_fixture(recording, &wanted, &matrix, &Link::default(), setting).map_err(refused)?;
    let cell = derived.fixture.name();
    let target = target(root, &cell);
    let text = derived.fixture.on_disk();
    let before = if target.exists() { Some(disk::read_text(&target)?) } else { None };
    output.result(&shown(&derived, &target, before.as_deref(), &text));
    write(arguments, &target, before.as_deref(), &text, &cell, output)
}

/// A new project has no part yet: the built-in ones are used.
fn has_parts(root: &Path) -> bool {
    root != Path::new(".") && ["catalogue", "matrix.yaml", "fixtures"].iter().any(|part| root.join(part).exists())
}

fn refused(refusal: Refusal) -> Failure {
    let failure = Failure::usage(refusal.code(), refusal.to_string()).exit(Exit::Findings);
    match refusal.help() {
        Some(help) => failure.help(help),
        None => failure,
    }
}

/// Where the frames come from: what the header of the transcript says, or what was given.
fn provenance(arguments: &CaptureArguments, recording: &Recording) -> Result<Provenance, Failure> {
    let said = |key: &str| {
        recording
            .header
            .as_ref()
            .and_then(|header| header.get(key))
            .and_then(serde_json::Value::as_str)
            .map(str::to_owned)
    };
    let source = arguments.source.clone().or_else(|| said("source"));
    let day = said("started").and_then(|moment| moment.get(..10).map(str::to_owned));
    let captured_at = arguments.captured_at.clone().or(day);
    match (source, captured_at) {
        (Some(source), Some(captured_at)) => {
            Ok(Provenance::Recorded { source: with_agent(source, recording), captured_at })
        }
        _ => Err(Failure::usage(
            "refrain::capture::origin",
            "say where the frames come from: the transcript has no header",
        )
        .help("`--source TEXT` gives the command that recorded it, `--captured-at DATE` the day")),
    }
}

/// Name and version of the agent belong to the origin: another version has another wording.
fn with_agent(source: String, recording: &Recording) -> String {
    let info = recording.entries.iter().find_map(|entry| match &entry.what {
        crate::recording::Observed::ToClient(frame) => frame.pointer("/result/agentInfo").cloned(),
        _ => None,
    });
    let text = |key: &str| info.as_ref().and_then(|info| info.get(key)).and_then(serde_json::Value::as_str);
    match (text("name"), text("version")) {
        (Some(name), Some(version)) if !source.contains(name) => format!("{source}; agent: {name} {version}"),
        _ => source,
    }
}

fn summary(
    arguments: &CaptureArguments,
    recording: &Recording,
    path: &Path,
    matrix: &Matrix,
    setting: Setting<'_>,
    output: &mut Output,
) -> Exit {
    let names = |name: &str| matrix.agent_named(name).cloned();
    let found = turns(recording, arguments.agent.clone(), &names, setting);
    let mut text = String::new();
    for turn in &found {
        let code = turn.classification.as_ref().map_or("no failure", |verdict| verdict.code.as_str());
        let next = turn.decision.as_ref().map_or("", |decision| decision.disposition.as_str());
        text.push_str(&format!("turn {}: {} {code} {next}\n", turn.number, turn.end).replace("  ", " "));
    }
    output.result(&text);
    if !output.quiet() {
        output.message(&format!(
            "next: `refrain capture --from {} --gateway <gateway>` derives a fixture, `--scenario <name>` a scenario",
            path.display()
        ));
    }
    Exit::Clean
}

/// The fixture as a change of what is there, and what was redacted: shape and count, never a value.
fn shown(derived: &Derived, target: &Path, before: Option<&str>, text: &str) -> String {
    let mut shown = format!("{}\n", paint(STRONG, &target.display().to_string()));
    shown.push_str(&change(before.unwrap_or_default(), text));
    let fits: Vec<&str> = derived.fits.iter().map(|case| case.as_str()).collect();
    let this = derived.fixture.cell.case().map_or("", |case| case.as_str());
    let words = match fits.len() {
        0 => derived.fixture.name().to_string(),
        1 => fits.join(""),
        _ => format!("{}: taken as {this}", fits.join(" or ")),
    };
    shown.push_str(&format!("prompt {} of the transcript is {words}", derived.turn));
    shown.push_str(if derived.overlapped { "; another prompt was in flight\n" } else { "\n" });
    let redacted: Vec<String> = derived.redacted.iter().map(|(shape, count)| format!("{shape} ×{count}")).collect();
    let redacted = if redacted.is_empty() { "nothing".to_owned() } else { redacted.join(", ") };
    shown.push_str(&paint(DIM, &format!("redacted: {redacted}")));
    shown.push('\n');
    shown
}

/// What differs, with a few lines around it.
fn change(before: &str, after: &str) -> String {
    if before == after {
        return " unchanged\n".to_owned();
    }
    let diff = TextDiff::from_lines(before, after);
    let mut shown = String::new();
    for (number, group) in diff.grouped_ops(CONTEXT_LINES).iter().enumerate() {
        if number > 0 {
            shown.push_str(&format!("{}\n", paint(DIM, " …")));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let line = change.value().trim_end_matches('\n');
            match change.tag() {
                ChangeTag::Delete => shown.push_str(&format!("{}\n", paint(BAD, &format!("-{line}")))),
                ChangeTag::Insert => shown.push_str(&format!("{}\n", paint(GOOD, &format!("+{line}")))),
                ChangeTag::Equal => shown.push_str(&format!(" {line}\n")),
            }
        }
    }
    shown
}

fn write(
    arguments: &CaptureArguments,
    target: &Path,
    before: Option<&str>,
    text: &str,
    cell: &CellName,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if arguments.dry_run || before == Some(text) {
        return Ok(Exit::Clean);
    }
    let asks = can_ask(arguments);
    if before.is_some() && !arguments.force && !asks {
        return Err(exists(target));
    }
    if asks {
        output.message(if before.is_some() { "write over it? [y/N]" } else { "write it? [y/N]" });
        let mut answer = String::new();
        // No answer is a no.
        let _ = io::stdin().lock().read_line(&mut answer);
        if !answer.trim().eq_ignore_ascii_case("y") {
            output.message("nothing written");
            return Ok(Exit::Clean);
        }
    }
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder).map_err(|error| disk::DiskError::Write(folder.to_owned(), error))?;
    }
    disk::replace(target, text.as_bytes())?;
    if !output.quiet() {
        output.message(&format!("written; next: `refrain check {cell}`"));
    }
    Ok(Exit::Clean)
}

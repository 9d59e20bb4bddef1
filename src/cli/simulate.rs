//! `refrain simulate`: scenarios through the core, in simulated time.

use serde_json::{Value, json};

use super::arguments::{PlainFormat, SimulateArguments};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project::{self, Loaded};
use crate::report;
use crate::report::finding::clean_message;
use crate::report::style::{BAD, DIM, paint, plain_lines};
use crate::shell::disk;
use crate::simulate::{Played, Scenario, play};

/// Plays every scenario and says what was not as expected.
pub(super) fn run(arguments: &SimulateArguments, output: &mut Output) -> Result<Exit, Failure> {
    let tree = project::tree(arguments.root.as_deref())?;
    output.detail(|| project::origins(&tree));
    let loaded = Loaded::new(&tree)?;
    let knowledge = loaded.judging()?;
    let (mut texts, mut findings, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for path in &arguments.files {
        let file = path.to_string_lossy().replace('\\', "/");
        let text = disk::read_text(path)?;
        match Scenario::parse(&file, &text) {
            Err(problems) => findings.extend(problems),
            Ok(scenario) => {
                let played = play(&scenario, knowledge)
                    .map_err(|error| Failure::usage("refrain::simulate::names", error.to_string()))?;
                rows.push((file.clone(), scenario, played));
            }
        }
        texts.push((file, text.into_bytes()));
    }
    let passed = findings.is_empty() && rows.iter().all(|(_, _, played)| played.unmet.is_empty());
    match arguments.format {
        PlainFormat::Json => {
            let scenarios: Vec<_> = rows.iter().map(|(file, scenario, played)| row(file, scenario, played)).collect();
            let problems: Vec<_> = findings.iter().map(|f| json!({"code": f.code, "file": f.place.file, "line": f.place.line, "column": f.place.column, "message": clean_message(&f.message)})).collect();
            output.result(&report::json_document(&json!({"ok": passed, "scenarios": scenarios, "findings": problems})));
        }
        PlainFormat::Human => {
            let sources = project::sources(&texts);
            for finding in &findings {
                output.result(&report::finding::graphical(finding, &sources, output.width()));
            }
            for (file, scenario, played) in &rows {
                human(file, scenario, played, output);
            }
        }
    }
    Ok(if passed { Exit::Clean } else { Exit::Findings })
}

fn row(file: &str, scenario: &Scenario, played: &Played) -> Value {
    let entry =
        |entry: &crate::simulate::Entry| json!({"at_ms": entry.at_ms, "voice": entry.voice, "text": entry.text});
    let timeline: Vec<_> = played.timeline.entries().iter().map(entry).collect();
    json!({
        "file": file, "title": clean_message(&scenario.title), "criterion": clean_message(&scenario.criterion), "kind": scenario.kind,
        "passed": played.unmet.is_empty(), "timeline": timeline, "unmet": played.unmet,
    })
}

fn human(file: &str, scenario: &Scenario, played: &Played, output: &mut Output) {
    let passed = played.unmet.is_empty();
    if output.quiet() && passed {
        return;
    }
    let title = paint(DIM, &clean_message(&scenario.title));
    let mut text = format!("{file}  {title}\n{}", plain_lines(&played.timeline.to_string()));
    for problem in &played.unmet {
        text.push_str(&format!("{} {}\n", paint(BAD, "✗"), plain_lines(problem)));
    }
    if passed {
        text.push_str("✓ as expected\n");
    }
    output.result(&output.fitted(text));
}

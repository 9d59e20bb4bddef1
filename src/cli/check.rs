//! `refrain check`: the gate.

use super::arguments::{CheckArguments, Format};
use super::exit::{Exit, Failure};
use super::output::Output;
use super::project::{self, Loaded};
use crate::check::{self, Inputs};
use crate::matrix::Matrix;
use crate::replay::Setting;
use crate::report;
use crate::shell::clock::{Stopwatch, now};
use crate::shell::tree::{File, Part};

/// Runs the gate.
pub(super) fn run(arguments: &CheckArguments, output: &mut Output) -> Result<Exit, Failure> {
    let watch = Stopwatch::start();
    let tree = project::tree(arguments.root.as_deref())?;
    output.detail(|| project::origins(&tree));
    if arguments.format == Format::Human {
        project::say_built_in(&tree, output);
    }
    let mut loaded = Loaded::new(&tree)?;
    loaded.self_test();
    let matrix = Matrix::parse(&tree.matrix.path, tree.matrix.text()?);
    let fixtures = pairs(&tree.fixtures);
    let now = now();
    let inputs = Inputs {
        catalogue: loaded.summary.clone(),
        catalogue_findings: loaded.findings.clone(),
        knowledge: loaded.knowledge(),
        redactor: loaded.redactor(),
        matrix: matrix.as_ref().map_err(Clone::clone),
        fixtures: &fixtures,
        cells: &arguments.cells,
    };
    let quiet = output.quiet();
    let replays = |files: &[&crate::fixture::FixtureFile]| match loaded.knowledge() {
        Some(knowledge) => project::replay_all(files, Setting { knowledge, now }, arguments.jobs, quiet),
        None => Vec::new(),
    };
    let outcome = check::run(inputs, &replays).map_err(|unknown| {
        let help = match &unknown.closest {
            Some(closest) => format!("did you mean `{closest}`?"),
            None => "name a cell such as `litellm/matched`, a gateway, a fixture file or a folder; \
                     `refrain list cells` shows them"
                .to_owned(),
        };
        Failure::usage("refrain::check::unknown_cell", unknown.to_string()).help(help).exit(Exit::NothingSelected)
    })?;
    if outcome.grid.is_empty() && outcome.ok() {
        let failure = Failure::usage("refrain::check::nothing", "find anything to check: the matrix requires no cell");
        return Err(failure.exit(Exit::NothingSelected));
    }
    let text = match arguments.format {
        Format::Json => report::check::json(&outcome),
        Format::Jsonl => report::check::jsonl(&outcome),
        Format::Markdown => report::markdown::markdown(&report::check::summary(&outcome)),
        Format::Github => report::github::github(&report::check::summary(&outcome)),
        Format::Junit => report::junit::junit(&report::check::summary(&outcome)),
        Format::Sarif => report::sarif::sarif(&report::check::summary(&outcome)),
        Format::Human => {
            let mut sources = project::sources(&fixtures);
            sources.extend(project::sources(&pairs(std::slice::from_ref(&tree.matrix))));
            for part in [&tree.rules, &tree.shapes] {
                if let Part::Files(files) = part {
                    sources.extend(project::sources(&pairs(files)));
                }
            }
            let seconds = watch.seconds();
            output.fitted(report::check::human(&outcome, &sources, output.width(), output.quiet(), seconds))
        }
    };
    output.result(&text);
    Ok(if outcome.ok() { Exit::Clean } else { Exit::Findings })
}

fn pairs(files: &[File]) -> Vec<(String, Vec<u8>)> {
    files.iter().map(|file| (file.path.clone(), file.bytes.clone())).collect()
}

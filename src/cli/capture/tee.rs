//! `capture --tee`: nothing of ours on stdout, the agent's exit code is ours.

use std::io;

use serde_json::Value;

use super::arguments::CaptureArguments;
use super::live::{environment, record_into};
use crate::cli::exit::{Exit, Failure};
use crate::shell::agent::{Launch, tee};
use crate::shell::clock;

/// Runs the tee until the agent ends.
pub(super) fn run(arguments: &CaptureArguments) -> Result<Exit, Failure> {
    if arguments.command.is_empty() {
        return Err(Failure::usage("refrain::capture::no_command", "stand beside an agent: no command is given")
            .help("refrain capture --tee -- <agent command>"));
    }
    let launch =
        Launch { command: arguments.command.clone(), environment: environment(arguments)?, ..Launch::default() };
    let now = clock::now();
    let program = arguments.command[0].to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let facts = [("mode", Value::from("tee")), ("started", Value::from(now.to_string()))];
    let (_, recorder) = record_into(arguments, now, &format!("tee-{program}"), &facts)?;
    let outcome = tee(&launch, &recorder, io::stdin(), io::stdout(), io::stderr())
        .map_err(|error| Failure::usage("refrain::capture::start", error.to_string()))?;
    Ok(Exit::Passed(outcome.exit.shell_code()))
}

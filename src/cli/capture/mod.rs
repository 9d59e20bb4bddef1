//! `refrain capture`: records an agent, or reads a transcript, and derives a fixture.

mod arguments;
mod fixture;
mod live;
mod source;
mod tee;

pub(super) use live::interruption;

pub(super) use arguments::CaptureArguments;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::recording::Recording;
use crate::shell::agent::Why;
use crate::shell::disk;

/// Runs `capture`.
pub(super) fn run(mut arguments: CaptureArguments, output: &mut Output) -> Result<Exit, Failure> {
    arguments.enter_project();
    let arguments = &arguments;
    if arguments.tee {
        return tee::run(arguments);
    }
    // What can not become a fixture is said before an agent runs for it.
    fixture::ready(arguments)?;
    if let Some(path) = &arguments.from {
        let recording = read(path)?;
        return fixture::derive(arguments, &recording, path, output);
    }
    let recorded = live::run(arguments, output)?;
    if !output.quiet() {
        output.message(&format!("transcript {}", recorded.path.display()));
    }
    if recorded.why == Why::Interrupted {
        return Ok(Exit::Interrupted);
    }
    let recording = read(&recorded.path)?;
    let result = fixture::derive(arguments, &recording, &recorded.path, output);
    if recorded.why != Why::Deadline {
        return result;
    }
    // What went wrong first is what the caller has to know.
    result.map(|_| Exit::Deadline).map_err(|failure| failure.exit(Exit::Deadline))
}

fn read(path: &std::path::Path) -> Result<Recording, Failure> {
    let text = disk::read_text(path)?;
    Recording::read(&text).map_err(|error| {
        Failure::usage("refrain::recording::unreadable", format!("{error} ({})", path.display()))
            .help("a transcript is JSON Lines of `capture`, or plain newline-delimited JSON-RPC")
    })
}

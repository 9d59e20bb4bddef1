//! `refrain capture`: records an agent, or reads a transcript, and derives a fixture.

mod arguments;
mod fixture;
mod live;
mod source;
mod tee;

pub(super) use live::interruption;

pub use arguments::CaptureArguments;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::recording::Recording;
use crate::shell::agent::Why;
use crate::shell::disk;

/// Runs `capture`.
pub(super) fn run(arguments: &CaptureArguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.tee {
        return tee::run(arguments);
    }
    if let Some(path) = &arguments.from {
        let recording = read(path)?;
        return fixture::derive(arguments, &recording, path, output);
    }
    let recorded = live::run(arguments, output)?;
    output.message(&format!("transcript {}", recorded.path.display()));
    match recorded.why {
        Why::Interrupted => return Ok(Exit::Interrupted),
        Why::Deadline if arguments.gateway.is_none() => return Ok(Exit::Deadline),
        _ => {}
    }
    let recording = read(&recorded.path)?;
    match fixture::derive(arguments, &recording, &recorded.path, output) {
        // What went wrong first is what the caller has to know.
        Err(failure) if recorded.why == Why::Deadline => Err(failure.exit(Exit::Deadline)),
        result => result,
    }
}

fn read(path: &std::path::Path) -> Result<Recording, Failure> {
    let text = disk::read_text(path)?;
    Recording::read(&text).map_err(|error| {
        Failure::usage("refrain::recording::unreadable", format!("{error} ({})", path.display()))
            .help("a transcript is JSON Lines of `capture`, or plain newline-delimited JSON-RPC")
    })
}

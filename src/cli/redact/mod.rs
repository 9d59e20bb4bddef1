//! `refrain redact`: text, JSON and JSON Lines without forbidden shapes.

mod files;
mod rewrite;
mod wire;

use std::io::IsTerminal as _;

use super::arguments::{RedactArguments, RedactFormat};
use super::exit::{Exit, Failure};
use super::output::Output;
use crate::shell::disk;
pub(super) use rewrite::Kind;
use rewrite::Rewriting;

/// Rewrites or reports.
pub(super) fn run(arguments: &RedactArguments, output: &mut Output) -> Result<Exit, Failure> {
    if arguments.format == RedactFormat::Jsonl {
        return wire::run(arguments, output);
    }
    if arguments.format != RedactFormat::Text && !arguments.check {
        return Err(Failure::usage("refrain::redact::usage", "use this format: it reports what `--check` found"));
    }
    let streams = arguments.paths.iter().filter(|path| *path == "-").count();
    if streams > 0 && arguments.paths.len() > 1 {
        return Err(Failure::usage("refrain::redact::usage", "read `-` together with files"));
    }
    if arguments.output.is_some() && arguments.paths.len() > 1 {
        return Err(Failure::usage("refrain::redact::usage", "write several files to one `--output`"));
    }
    if arguments.paths.is_empty() && std::io::stdin().is_terminal() {
        return Err(Failure::usage("refrain::redact::nothing", "find anything to redact")
            .help("name a file, pipe a text in, or type one after `refrain redact -`")
            .exit(Exit::NothingSelected));
    }
    if arguments.paths.is_empty() || streams > 0 {
        return stream(arguments, output);
    }
    files::run(arguments, output)
}

/// Standard input to standard output, or to `--output`.
fn stream(arguments: &RedactArguments, output: &mut Output) -> Result<Exit, Failure> {
    let rewriting = Rewriting::new(arguments)?;
    if arguments.kind == Some(Kind::Jsonl) && arguments.output.is_none() && !arguments.check && !arguments.diff {
        return rewriting.lines(std::io::stdin().lock(), output);
    }
    let text = disk::read_stdin_text()?;
    let mut searched = Vec::new();
    let exit = files::one(arguments, &rewriting, "-", &text, &mut searched, output)?;
    files::reported(arguments, &searched, output);
    Ok(exit)
}

//! `refrain schema`, `refrain completions` and `refrain man`: what the tool says about itself.

use clap::CommandFactory as _;

use super::arguments::{Arguments, CompletionsArguments, ManArguments, SchemaArguments};
use super::exit::{Exit, Failure};
use super::output::Output;
use crate::report::schema::schema;

/// Prints a JSON Schema.
pub(super) fn schemas(arguments: &SchemaArguments, output: &mut Output) -> Exit {
    output.result(&schema(arguments.kind));
    Exit::Clean
}

/// Prints the completions of a shell.
pub(super) fn completions(arguments: &CompletionsArguments, output: &mut Output) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "refrain", &mut script);
    output.data(&script);
    Exit::Clean
}

/// Prints the manual page of the tool or of one command.
pub(super) fn man(arguments: &ManArguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    command.build();
    let page = match &arguments.command {
        None => command,
        Some(name) => {
            let known = command.get_subcommands().find(|known| known.get_name() == name).cloned();
            let known =
                known.ok_or_else(|| Failure::usage("refrain::man::unknown", format!("find a command `{name}`")))?;
            let name = format!("refrain-{name}");
            known.display_name(name)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::usage("refrain::man::unwritable", format!("write the page: {error}")))?;
    output.data(&text);
    Ok(Exit::Clean)
}

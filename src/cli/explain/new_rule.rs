//! `refrain explain --new-rule`: a rule file to start from, printed or put where it belongs.

use std::path::{Path, PathBuf};

use super::channel;
use crate::cli::arguments::ExplainArguments;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::Output;
use crate::cli::project::Loaded;
use crate::explain::draft;
use crate::shell::disk;
use crate::shell::tree::root_above;
use crate::vocab::AgentId;

/// Prints a draft, or writes it.
pub(super) fn run(
    arguments: &ExplainArguments,
    loaded: &Loaded,
    agent: Option<&AgentId>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let subject = arguments.subject.trim();
    let text = match Path::new(subject) {
        _ if subject == "-" => disk::read_stdin_text()?,
        path if path.is_file() => disk::read_text(path)?,
        _ => subject.to_owned(),
    };
    let draft = draft(loaded.redactor(), &text, channel(arguments.source), agent);
    if !arguments.write {
        output.result(&draft.text);
        return Ok(Exit::Clean);
    }
    let root = arguments.root.clone().or_else(root_above).unwrap_or_default();
    if !root.join("catalogue").is_dir() {
        return Err(Failure::usage("refrain::explain::no_project", "write a rule: here is no catalogue/")
            .help("`refrain init` starts a project; without --write the rule is only printed"));
    }
    let path: PathBuf = root.join(format!("catalogue/rules/{}.yaml", draft.id));
    disk::create(&path, draft.text.as_bytes())?;
    if !output.quiet() {
        output.result(&format!(
            "wrote {}\n\nnext\n  edit every line that says EDIT\n  refrain check    whether its samples behave\n  \
             refrain diff     what is judged differently now\n",
            path.display()
        ));
    }
    Ok(Exit::Clean)
}

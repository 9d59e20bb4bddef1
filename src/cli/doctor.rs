//! `refrain doctor`: which agents are installed, and how to get the others.

use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::report::style::{DIM, GOOD, WARN, one_line, pad, paint};
use crate::shell::agent::{Preset, find_program, presets, search_path, version_of};
use crate::shell::tree::root_above;

/// Where npm agents are installed in a project.
pub(super) const AGENTS: &str = ".refrain/agents";

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Where npm agents are installed.
    #[arg(long, value_name = "DIR", default_value = AGENTS)]
    pub agents: PathBuf,
}

/// Looks, installs nothing.
pub(super) fn run(arguments: &DoctorArguments, output: &mut Output) -> Result<Exit, Failure> {
    let absolute = std::path::absolute(agents(arguments))
        .map_err(|error| Failure::usage("refrain::doctor::agents", error.to_string()))?;
    #[expect(clippy::disallowed_methods, reason = "the environment is read in cli")]
    let path = search_path(&absolute, std::env::var_os("PATH"));
    let mut text = String::new();
    for (program, what) in [("node", "runs npm agents; the claude agent wants 22 or newer"), ("npm", "installs them")] {
        let state = match find_program(program, &path) {
            Some(file) => paint(GOOD, &one_line(&version_of(&file, &path).unwrap_or_else(|| "found".into()), 20)),
            None => paint(WARN, "missing"),
        };
        text.push_str(&format!("{} {state}  {}\n", pad(program, 10), paint(DIM, what)));
    }
    let all = presets().map_err(|error| Failure::usage("refrain::doctor::presets", error.to_string()))?;
    for preset in &all {
        match find_program(&preset.command[0], &path) {
            Some(file) => {
                text.push_str(&format!("{} {}  {}\n", pad(&preset.id, 10), paint(GOOD, "installed"), file.display()));
            }
            None => text.push_str(&format!(
                "{} {}  {}\n",
                pad(&preset.id, 10),
                paint(WARN, "missing"),
                install_line(preset, &agents(arguments))
            )),
        }
    }
    output.result(&text);
    Ok(Exit::Clean)
}

/// The folder that was named, or that of the project that the current folder is inside of.
fn agents(arguments: &DoctorArguments) -> PathBuf {
    let root = if arguments.agents == Path::new(AGENTS) { root_above() } else { None };
    root.map_or_else(|| arguments.agents.clone(), |root| root.join(AGENTS))
}

/// The command that installs a preset's packages.
pub(super) fn install_line(preset: &Preset, agents: &Path) -> String {
    format!("npm install --prefix {} {}", agents.display(), preset.packages.join(" "))
}

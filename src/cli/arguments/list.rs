//! What can be typed after `refrain list`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::words;
use crate::report::list::ListKind;
use crate::vocab::Code;

/// Formats of `list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// A table.
    Human,
    /// One JSON document.
    Json,
    /// One JSON document a row.
    Jsonl,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct ListArguments {
    /// What to list.
    #[arg(value_parser = words::<ListKind>(ListKind::WORDS))]
    pub kind: ListKind,
    /// Only rows that hold all of these words.
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Only rows of this code.
    #[arg(long, value_parser = words::<Code>(Code::WORDS), hide_possible_values = true)]
    pub code: Option<Code>,
    /// Only rows of this class: of a code or rule `transient`, `hard`, `unclassified`; of a shape `enforced`, `extended`,
    /// `strict`.
    #[arg(long)]
    pub class: Option<String>,
    /// Only rules for this agent.
    #[arg(long)]
    pub agent: Option<String>,
    /// Only cells in this state: `recorded`, `reconstructed`, `missing`, `unreadable`.
    #[arg(long)]
    pub state: Option<String>,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = ListFormat::Human)]
    pub format: ListFormat,
    /// The project; without it the current folder, with the built-in data for what is not there.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

const LIST_EXAMPLES: &str = "\
Examples:
  refrain list codes                      every semantic code and what it permits
  refrain list rules --code rate_limited  the rules that say so
  refrain list rules quota --format json  rules that speak of quotas
  refrain list cells --state missing      what still has to be recorded";

//! What can be typed after `refrain diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Formats of `diff`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON document a line.
    Jsonl,
    /// A comment for a pull request.
    Markdown,
    /// Annotations of a GitHub workflow.
    Github,
}

/// Which changes fail the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A client would act where a person was needed before.
    Widened,
    /// Any input is judged differently.
    Any,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub struct DiffArguments {
    /// Two outputs of `classify --format jsonl` to compare instead of two catalogues.
    #[arg(value_name = "BEFORE AFTER", num_args = 2, conflicts_with_all = ["base", "head", "evidence", "now"])]
    pub outputs: Vec<PathBuf>,
    /// The state before: a git revision, a folder that holds `catalogue/`, `fixtures/` or `matrix.yaml`, or `built-in` for
    /// the tool's own catalogue; `HEAD` when absent.
    #[arg(long, value_name = "REV|DIR")]
    pub base: Option<String>,
    /// The state after; the current folder when absent.
    #[arg(long, value_name = "REV|DIR")]
    pub head: Option<String>,
    /// Further inputs for both sides: JSON Lines of evidence, or a transcript.
    #[arg(long, value_name = "FILE")]
    pub evidence: Vec<PathBuf>,
    /// Exit with 1 when there is such a change.
    #[arg(long, value_enum, value_name = "WHICH")]
    pub fail_on: Option<FailOn>,
    /// Exit with 1 when anything differs, in the catalogues or in how an input is judged.
    #[arg(long)]
    pub exit_code: bool,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = DiffFormat::Human)]
    pub format: DiffFormat,
    /// The time that hints are measured from; the system clock, read once, when absent.
    #[arg(long, value_name = "RFC3339")]
    pub now: Option<jiff::Timestamp>,
}

const DIFF_EXAMPLES: &str = "\
Examples:
  refrain diff                                      the work tree against HEAD
  refrain diff --base origin/main --fail-on widened a gate for pull requests
  refrain diff --base built-in                      what your rules add to the tool's own
  refrain diff --base main --evidence errors.jsonl  over further evidence
  refrain diff before.jsonl after.jsonl             two outputs of classify";

//! What can be typed.

mod describe;
mod diff;
mod list;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(super) use describe::{CompletionsArguments, InitArguments, ManArguments, SchemaArguments};
pub(super) use diff::{DiffArguments, DiffFormat, FailOn};
pub(super) use list::{ListArguments, ListFormat};

use super::redact::Kind;
use crate::redact::Profile;
use crate::vocab::{Tier, UnknownWord};

/// Decides, the same way every time, what an agent client may do after its model provider failed.
#[derive(Debug, Parser)]
#[command(name = "refrain", version, about, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
}

const EXIT_CODES: &str = "\
Exit codes: 0 clean, 1 findings, 2 wrong usage or unreadable input, 3 deadline passed, 4 nothing selected, 130
interrupted.

Examples:
  refrain check                         the gate: catalogue, matrix, fixtures, both replay layers
  refrain replay litellm/matched        the timeline of one cell
  refrain classify \"API Error: 529 …\"   what a text would be
  refrain redact --check notes.txt      what must not be shared, and where
  refrain canon --check fixtures        whether every fixture is in canonical form
  refrain diff --base origin/main       what a change of the catalogue does";

/// Options of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// When to use colour; `NO_COLOR` is respected.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Say only what is wrong.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also say where the data comes from and how long the work took, on stderr.
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The gate: structure, canonical form, redaction lint, matrix, case shapes, catalogue, both replay layers.
    Check(CheckArguments),
    /// Replays fixtures through a real ACP connection and through the recovery core.
    Replay(ReplayArguments),
    /// Says what failure a text, a transcript or JSON Lines of evidence is.
    Classify(ClassifyArguments),
    /// Says why a text, a fixture, a transcript, a rule or a code is what it is.
    Explain(ExplainArguments),
    /// Re-encodes fixtures in canonical form and finds duplicates.
    Canon(CanonArguments),
    /// Shows what a change of the catalogue does: every input that is judged differently, worst first.
    Diff(DiffArguments),
    /// Lists rules, codes, shapes or cells.
    List(ListArguments),
    /// Starts a project of your own: matrix, catalogue and fixtures, green from the first check.
    Init(InitArguments),
    /// Prints the JSON Schema of a format, for completion in editors.
    Schema(SchemaArguments),
    /// Prints completions for a shell.
    Completions(CompletionsArguments),
    /// Prints the manual page of the tool or of one command.
    Man(ManArguments),
    /// Records an agent against the fault lab, a proxy or a provider, and derives a fixture.
    #[cfg(unix)]
    Capture(Box<super::capture::CaptureArguments>),
    /// A model provider on loopback that fails on purpose.
    #[cfg(unix)]
    Lab(super::lab::LabArguments),
    /// Says which agents are installed and how to get the others.
    #[cfg(unix)]
    Doctor(super::doctor::DoctorArguments),
    /// Removes raw transcripts.
    #[cfg(unix)]
    Clean(super::clean::CleanArguments),
    /// Rewrites text, transcripts or fixtures without credentials, identifiers, URLs and paths.
    Redact(RedactArguments),
    /// Plays scenarios through the recovery core in simulated time and prints every decision.
    Simulate(SimulateArguments),
}

/// Formats of `check` and `replay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
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
    /// JUnit XML for a CI service.
    Junit,
    /// SARIF 2.1.0 for code scanning.
    Sarif,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArguments {
    /// Cells, gateways, or paths of fixtures to check, such as `litellm/matched`; all when none is given.
    #[arg(value_name = "CELL")]
    pub cells: Vec<String>,
    /// The project to check; without it the one that the current folder is or is inside of, with the built-in data for
    /// what is not there.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Threads; the result never depends on it.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  refrain check                              the whole project
  refrain check litellm/matched              one cell
  refrain check --format github              annotations in a workflow
  refrain check --format junit > check.xml   for a CI service";

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArguments {
    /// Cells such as `litellm/matched`, fixture files, or folders; all when none is given.
    #[arg(value_name = "CELL|PATH")]
    pub selection: Vec<String>,
    /// Another corpus of the same format.
    #[arg(long, value_name = "DIR", conflicts_with = "root")]
    pub corpus: Option<PathBuf>,
    /// The project; without it the current folder, with the built-in data for what is not there.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Accept documents written before `recordedDiagnosticCode`.
    #[arg(long)]
    pub lenient: bool,
    /// Rewrite `expect` with what replay saw; refused when `CI` is set.
    #[arg(long)]
    pub accept: bool,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Threads; the result never depends on it.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  refrain replay litellm/matched                     its timeline
  refrain replay --corpus ../other/fixtures          another corpus
  refrain replay --accept litellm/matched            make what it saw the expectation";

/// Formats of `classify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClassifyFormat {
    /// For people.
    Human,
    /// One JSON document a line.
    Jsonl,
}

/// Where a text on the command line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum TextSource {
    /// The message of the error that ended a prompt.
    PromptError,
    /// A chunk of an assistant message.
    MessageChunk,
    /// The agent's stderr, without any other evidence.
    Stderr,
}

/// Arguments of `classify`.
#[derive(Debug, Args)]
#[command(after_help = CLASSIFY_EXAMPLES)]
pub struct ClassifyArguments {
    /// A text, a transcript file, a file of evidence (JSON Lines), or `-` for standard input.
    #[arg(value_name = "TEXT|FILE|-")]
    pub inputs: Vec<String>,
    /// How the result is written.
    #[arg(long, value_enum)]
    pub format: Option<ClassifyFormat>,
    /// The time that hints are measured from; the system clock, read once, when absent.
    #[arg(long, value_name = "RFC3339")]
    pub now: Option<jiff::Timestamp>,
    /// The agent that a text comes from, such as `claude-acp`.
    #[arg(long, value_name = "AGENT")]
    pub provider: Option<String>,
    /// Where a text comes from: the message of a failed prompt, a chunk of a message, or the agent's stderr.
    #[arg(long = "as", value_enum, default_value_t = TextSource::PromptError, value_name = "SOURCE")]
    pub source: TextSource,
    /// Threads; the order of the output never depends on it.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub jobs: usize,
    /// A project whose catalogue is used instead of the current folder's or the built-in one.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

const CLASSIFY_EXAMPLES: &str = "\
Examples:
  refrain classify \"API Error: 529 Overloaded\"           a text
  refrain classify --provider claude-acp session.jsonl   a transcript, one verdict a prompt
  refrain classify --format jsonl -                      evidence line by line, kept open as a child";

/// Arguments of `canon`.
#[derive(Debug, Args)]
#[command(after_help = CANON_EXAMPLES)]
pub struct CanonArguments {
    /// Fixture files or folders, or `-` for one document from standard input to standard output; `fixtures` when none
    /// is given.
    #[arg(value_name = "PATH|-")]
    pub paths: Vec<String>,
    /// Report only; nothing is written.
    #[arg(long)]
    pub check: bool,
    /// Add `recordedDiagnosticCode` to documents written before it existed.
    #[arg(long)]
    pub upgrade: bool,
}

const CANON_EXAMPLES: &str = "\
Examples:
  refrain canon fixtures                  give every fixture its one spelling
  refrain canon --check fixtures          only say which are not
  refrain canon - < one.json > other.json one document";

/// Tiers of `redact`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TierChoice {
    /// What a fixture may hold.
    Payload,
    /// What a fixture's provenance may hold.
    Provenance,
    /// Provider output and failure reasons, at most 4,096 bytes.
    Diagnostic,
    /// Credentials only, any length: a launch prompt.
    CredentialOnly,
}

impl From<TierChoice> for Tier {
    fn from(tier: TierChoice) -> Self {
        match tier {
            TierChoice::Payload => Self::Payload,
            TierChoice::Provenance => Self::Provenance,
            TierChoice::Diagnostic => Self::Diagnostic,
            TierChoice::CredentialOnly => Self::CredentialOnly,
        }
    }
}

/// Profiles of `redact`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProfileChoice {
    /// Prose that merely holds a prefix passes.
    Standard,
    /// Such prose is refused too.
    Strict,
}

impl From<ProfileChoice> for Profile {
    fn from(profile: ProfileChoice) -> Self {
        match profile {
            ProfileChoice::Standard => Self::Standard,
            ProfileChoice::Strict => Self::Strict,
        }
    }
}

/// Formats of `redact`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RedactFormat {
    /// Plain text in and out.
    Text,
    /// The machine interface: `{"id", "text", "as"}` a line in, `{"id", "text", "hits"}` a line out.
    Jsonl,
    /// With `--check`: one JSON document.
    Json,
    /// With `--check`: a comment for a pull request.
    Markdown,
    /// With `--check`: annotations of a GitHub workflow.
    Github,
    /// With `--check`: JUnit XML for a CI service.
    Junit,
    /// With `--check`: SARIF 2.1.0 for code scanning.
    Sarif,
}

/// Arguments of `redact`.
#[derive(Debug, Args)]
#[command(after_help = REDACT_EXAMPLES)]
pub struct RedactArguments {
    /// Files that are rewritten in place (a folder stands for its JSON files), or `-` for standard input to standard
    /// output.
    #[arg(value_name = "FILE|-")]
    pub paths: Vec<String>,
    /// What may stay.
    #[arg(long, value_enum, default_value_t = TierChoice::Payload)]
    pub tier: TierChoice,
    /// How prose that merely looks like a credential is treated.
    #[arg(long, value_enum, default_value_t = ProfileChoice::Standard)]
    pub profile: ProfileChoice,
    /// What the input is; told from its name and its first line when absent.
    #[arg(long = "as", value_enum, value_name = "KIND")]
    pub kind: Option<Kind>,
    /// Text, the machine interface, or how `--check` reports.
    #[arg(long, value_enum, default_value_t = RedactFormat::Text)]
    pub format: RedactFormat,
    /// Report only; nothing is written.
    #[arg(long)]
    pub check: bool,
    /// Show the lines that would change, as they would be; nothing is written.
    #[arg(long, conflicts_with = "check")]
    pub diff: bool,
    /// Write the result here instead of in place.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["check", "diff"])]
    pub output: Option<PathBuf>,
    /// Reviewed false positives for `--check`; values of enforced shapes are never allowed.
    #[arg(long, value_name = "FILE")]
    pub allow: Option<PathBuf>,
    /// The project whose shapes are used; without it the one that the current folder is or is inside of, else the
    /// built-in ones.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

const REDACT_EXAMPLES: &str = "\
Examples:
  refrain redact --check notes.txt                   what must not be shared, and where
  refrain redact session.jsonl -o shared.jsonl       a transcript that may leave the machine
  refrain redact --check fixtures --format github    a gate in a workflow";

/// Formats of `simulate` and `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlainFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub struct SimulateArguments {
    /// Scenario files; `docs/SCENARIOS.md` says what is in one.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The project whose catalogue is used; without it the current folder, with the built-in data for what is not there.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = PlainFormat::Human)]
    pub format: PlainFormat,
}

/// A closed word list of the core as the values of an argument, with suggestions for mistyped ones.
fn words<T>(known: &'static [&'static str]) -> impl clap::builder::TypedValueParser<Value = T>
where
    T: std::str::FromStr<Err = UnknownWord> + Clone + Send + Sync + 'static,
{
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(known).try_map(|word| word.parse::<T>())
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub struct ExplainArguments {
    /// A text, a fixture or transcript file, a cell, the id of a rule, a code, or `-` for a text from standard input.
    #[arg(value_name = "TEXT|FILE|CELL|RULE|CODE|-")]
    pub subject: String,
    /// Print a rule file to start from instead.
    #[arg(long)]
    pub new_rule: bool,
    /// Write it to `catalogue/rules/<id>.yaml` of the project.
    #[arg(long, requires = "new_rule")]
    pub write: bool,
    /// Where a text comes from.
    #[arg(long = "as", value_enum, default_value_t = TextSource::PromptError, value_name = "SOURCE")]
    pub source: TextSource,
    /// The agent that a text comes from, such as `claude-acp`.
    #[arg(long, value_name = "AGENT")]
    pub provider: Option<String>,
    /// The time that hints are measured from; the system clock when absent.
    #[arg(long, value_name = "RFC3339")]
    pub now: Option<jiff::Timestamp>,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t = PlainFormat::Human)]
    pub format: PlainFormat,
    /// A project whose catalogue is used instead of the current folder's or the built-in one.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  refrain explain \"API Error: 529 Overloaded\"            why it is what it is
  refrain explain litellm/matched                         the failure of one cell
  refrain explain quota_limited                           a code and its rules
  refrain explain --new-rule --write \"Node pool is cold\"  a rule to start from";

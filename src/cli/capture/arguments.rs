//! What `capture` can be told.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::doctor::AGENTS;
use crate::shell::tree::root_above;
use crate::vocab::{AgentId, Case, Gateway};

/// Arguments of `capture`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CaptureArguments {
    /// Label of the envelope shape; with it a fixture is derived.
    #[arg(long, value_name = "GATEWAY", value_parser = gateway)]
    pub gateway: Option<Gateway>,
    /// The case that the frames must be; without it, the one that they are.
    #[arg(long, value_name = "CASE", value_parser = case, requires = "gateway")]
    pub case: Option<Case>,
    /// Derive a scenario of the agent's dialect instead of a cell: the prompt may end in any way.
    #[arg(long, value_name = "NAME", value_parser = scenario, conflicts_with_all = ["gateway", "case"])]
    pub scenario: Option<String>,
    /// The agent's identity, when it does not say who it is.
    #[arg(long, value_name = "AGENT", value_parser = agent)]
    pub agent: Option<AgentId>,
    /// A known agent: command, environment and isolation.
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<String>,
    /// Start the fault lab for this capture and let it fail this way.
    #[arg(long, value_name = "FAULT", conflicts_with_all = ["tee", "from", "base_url"])]
    pub fault: Option<String>,
    /// Whose spelling of an error the lab uses; that of the gateway or else of the API when absent.
    #[arg(long, value_name = "ENVELOPE", requires = "fault")]
    pub envelope: Option<String>,
    /// Let only so many model requests fail.
    #[arg(long, value_name = "N", requires = "fault")]
    pub fail_first: Option<usize>,
    /// What the model says; `{host}` is the lab's host and port.
    #[arg(long, value_name = "TEXT", requires = "fault")]
    pub model_text: Option<String>,
    /// Point the preset at this provider or proxy instead of the lab.
    #[arg(long, value_name = "URL", requires = "preset")]
    pub base_url: Option<String>,
    /// What the agent talks to, for the fixture's `source`; the lab says it by itself.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["tee", "from", "fault"])]
    pub provider: Option<String>,
    /// The prompt; more than one is sent one after the other.
    #[arg(long, value_name = "TEXT", default_value = "Say hello, then run the echo tool once.")]
    pub prompt: Vec<String>,
    /// Set a variable for the agent.
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// Seconds until everything must be over.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub deadline: u64,
    /// Milliseconds to listen on after the last answer.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=600_000))]
    pub linger: u64,
    /// Grant permission and file requests; without it everything is denied.
    #[arg(long)]
    pub allow_tools: bool,
    /// Stand between an editor and the agent: both streams pass byte for byte.
    #[arg(long, conflicts_with_all = ["from", "gateway", "scenario", "prompt", "preset"])]
    pub tee: bool,
    /// Derive from a saved transcript instead of running anything.
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Which prompt of the transcript, from 1; the last one that failed when absent.
    #[arg(long, value_name = "N")]
    pub turn: Option<usize>,
    /// How a transcript without a header was recorded: the command, for the fixture's `source`.
    #[arg(long, value_name = "TEXT", requires = "from")]
    pub source: Option<String>,
    /// When a transcript without a header was recorded.
    #[arg(long, value_name = "DATE", requires = "from")]
    pub captured_at: Option<String>,
    /// Where the transcript goes; a new file below `.refrain/transcripts` when absent.
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// Where npm agents are installed.
    #[arg(long, value_name = "DIR", default_value = AGENTS)]
    pub agents: PathBuf,
    /// The project whose fixtures, matrix and catalogue are used; the one that the current folder is inside of.
    #[arg(long, value_name = "DIR", default_value = HERE)]
    pub root: PathBuf,
    /// Show the fixture, write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Write over an existing fixture.
    #[arg(long)]
    pub force: bool,
    /// Do not ask before writing.
    #[arg(short, long)]
    pub yes: bool,
    /// The agent's command; the preset's own when absent.
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

const HERE: &str = ".";

impl CaptureArguments {
    /// Below the top of a project, what is not named otherwise is that of the project.
    pub(super) fn enter_project(&mut self) {
        if self.root != Path::new(HERE) {
            return;
        }
        if let Some(root) = root_above() {
            if self.agents == Path::new(AGENTS) {
                self.agents = root.join(AGENTS);
            }
            self.root = root;
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  refrain capture --preset claude --fault 529 --gateway claude-direct --case matched
  refrain capture --gateway litellm -- claude-agent-acp
  refrain capture --tee -- claude-agent-acp          as the agent command of an editor
  refrain capture --from .refrain/transcripts/x.jsonl --gateway litellm --case queued
  refrain capture --preset codex --fault 529 --scenario retry-then-failure";

fn gateway(text: &str) -> Result<Gateway, String> {
    let label = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    match Gateway::new(text) {
        Ok(gateway) if label => Ok(gateway),
        Ok(_) => Err("a gateway is spelled with a-z, 0-9 and `-`".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn scenario(text: &str) -> Result<String, String> {
    gateway(text).map(|name| name.to_string()).map_err(|_| "a scenario is spelled with a-z, 0-9 and `-`".into())
}

fn agent(text: &str) -> Result<AgentId, String> {
    AgentId::new(text).map_err(|error| error.to_string())
}

fn case(text: &str) -> Result<Case, String> {
    text.parse().map_err(|error: crate::vocab::UnknownWord| error.to_string())
}

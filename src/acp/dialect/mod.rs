//! What one agent means by its updates: a file per agent, chosen by agent id; unknown agents are neutral.
//!
//! Invariant: a dialect can only withhold the marker, suppress a control frame or report what structured proof says; it
//! never makes a chunk a candidate that its text does not.
//!
//! Must not know: fences, policy.

mod claude;
mod codex;
mod cursor;
mod neutral;

use std::fmt;

use serde_json::Value;

use super::convert::Update;
use crate::vocab::{AgentId, ErrorSource};

const CLAUDE: &str = "claude-acp";
const CODEX: &str = "codex-acp";
const CURSOR: &str = "cursor-acp";

/// The agent ids that have a dialect of their own, in order; every other agent is neutral.
pub const AGENTS: &[&str] = &[CLAUDE, CODEX, CURSOR];

/// What a dialect makes of one update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::acp) enum Reading {
    /// Nothing special.
    Ordinary,
    /// The model wrote this chunk, so it is no diagnostic of the agent whatever its text says.
    ModelOrigin,
    /// A control frame: no event at all.
    Suppressed,
    /// The provider abandoned its response attempt (.26).
    ResponseAttemptReset,
}

/// A failure that arrived as a normal end of turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::acp) struct Projected {
    pub(in crate::acp) source: ErrorSource,
    pub(in crate::acp) text: String,
}

/// The state of one agent's dialect in one session.
pub(in crate::acp) trait Dialect: fmt::Debug + Send {
    /// A prompt was sent: forget the last one.
    fn begin(&mut self);

    /// One update. `active` says that exactly one prompt of the session is unanswered.
    fn read(&mut self, update: &Update<'_>, active: bool) -> Reading;

    /// The prompt returned `result` and everything before it was read.
    fn settle(&mut self, result: &Value) -> Option<Projected>;
}

/// The dialect of an agent.
pub(in crate::acp) fn of(agent: Option<&AgentId>) -> Box<dyn Dialect> {
    match agent.map(AgentId::as_str) {
        Some(CLAUDE) => Box::<claude::Claude>::default(),
        Some(CODEX) => Box::<codex::Codex>::default(),
        Some(CURSOR) => Box::<cursor::Cursor>::default(),
        _ => Box::new(neutral::Neutral),
    }
}

/// Whether a result says that the turn ended by itself.
fn ended_by_itself(result: &Value) -> bool {
    result.get("stopReason").and_then(Value::as_str) == Some("end_turn")
}

/// The failure notice of a result as a projection.
fn failure_notice(result: &Value) -> Option<Projected> {
    let text = super::convert::session_failure(result)?;
    Some(Projected { source: ErrorSource::AcpResult, text })
}

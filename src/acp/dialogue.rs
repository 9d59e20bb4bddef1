//! A whole connection as a state machine: frames of both directions in, events out. What a transcript and a live client
//! have in common.
//!
//! Invariant: a prompt is settled once, by its own answer or by the end of the agent; prompts of a session are numbered
//! from 1 in the order they were sent.
//!
//! Must not know: how frames were carried or stored.

use std::collections::BTreeMap;

use serde_json::Value;

use super::event::{Event, EventKind};
use super::frame::{self, Defect, Frame, RequestId};
use super::session::{Knowledge, Outcome, Session};
use crate::text;
use crate::vocab::{AgentId, ExecutionId, Generation, Invocation, SessionId};

/// Longest session id, in bytes; a longer one is cut, so that it still names one session.
const SESSION_LIMIT_BYTES: usize = 128;

/// Turns an agent's own name (`agentInfo.name`) into its agent id: data that comes from above.
pub type AgentNames<'k> = &'k dyn Fn(&str) -> Option<AgentId>;

/// How an agent process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Departure {
    /// Exit code, when it exited.
    pub code: Option<i32>,
    /// Signal number, when it was killed.
    pub signal: Option<i32>,
    /// Managed stderr that belongs to the unanswered prompts.
    pub stderr: Option<String>,
}

/// A request of the client that waits for its answer.
#[derive(Debug)]
enum Waiting {
    Initialize,
    /// Opens a session: the answer names it, unless the request did.
    Open(Option<String>),
    Prompt {
        session: String,
        generation: Generation,
    },
    /// Anything else about a session; its answer may publish a model.
    Setting(String),
    Other,
}

/// One session and how many prompts it had.
#[derive(Debug)]
struct Numbered<'k> {
    session: Session<'k>,
    id: SessionId,
    prompts: u64,
}

/// A connection between a client and an agent, as seen from the client.
pub struct Dialogue<'k> {
    knowledge: Knowledge<'k>,
    names: AgentNames<'k>,
    execution: ExecutionId,
    agent: Option<AgentId>,
    sessions: BTreeMap<String, Numbered<'k>>,
    waiting: BTreeMap<RequestId, Waiting>,
    prompts: Vec<Invocation>,
}

impl<'k> Dialogue<'k> {
    /// A connection of one execution of an agent that has not said yet who it is.
    #[must_use]
    pub fn new(knowledge: Knowledge<'k>, names: AgentNames<'k>, execution: ExecutionId) -> Self {
        let (sessions, waiting, prompts) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self { knowledge, names, execution, agent: None, sessions, waiting, prompts }
    }

    /// Names the agent, when that is known before it says so itself.
    #[must_use]
    pub fn with_agent(mut self, agent: Option<AgentId>) -> Self {
        self.agent = agent;
        self
    }

    /// The negotiated agent, once it is known.
    #[must_use]
    pub const fn agent(&self) -> Option<&AgentId> {
        self.agent.as_ref()
    }

    /// Every prompt so far, in the order they were sent.
    #[must_use]
    pub fn prompts(&self) -> &[Invocation] {
        &self.prompts
    }

    /// A frame from the client to the agent.
    pub fn to_agent(&mut self, frame: &Frame) -> Vec<Event> {
        let Frame::Request { id, method, params } = frame else {
            return Vec::new();
        };
        let named = params.get("sessionId").and_then(Value::as_str).map(session_key);
        let (waiting, events) = match (method.as_str(), named) {
            ("initialize", _) => (Waiting::Initialize, Vec::new()),
            ("session/prompt", Some(session)) => self.prompt(session),
            ("session/new" | "session/load" | "session/resume" | "session/fork", named) => {
                if let Some(session) = &named {
                    self.open(session);
                }
                (Waiting::Open(named), Vec::new())
            }
            (_, Some(session)) => (Waiting::Setting(session), Vec::new()),
            (_, None) => (Waiting::Other, Vec::new()),
        };
        self.waiting.insert(id.clone(), waiting);
        events
    }

    /// A frame from the agent to the client.
    pub fn to_client(&mut self, frame: &Frame) -> Vec<Event> {
        match frame {
            Frame::Notification { method, params } if method == "session/update" => {
                match frame::session_update(params) {
                    Some((session, update)) => self.update(session, update),
                    None => self.unreadable(Defect::NotJsonRpc),
                }
            }
            Frame::Notification { .. } => Vec::new(),
            Frame::Request { method, params, .. } => {
                let named = params.get("sessionId").and_then(Value::as_str).map(session_key);
                let sessions = self.sessions.iter().filter(|(id, _)| named.as_ref().is_none_or(|named| named == *id));
                sessions.map(|(_, numbered)| numbered.session.agent_request(method)).collect()
            }
            Frame::Response { id, outcome } => {
                let outcome = match outcome {
                    Ok(result) => Outcome::Result(result.clone()),
                    Err(error) => Outcome::Error(error.clone()),
                };
                self.waiting.remove(id).map_or_else(Vec::new, |waiting| self.answered(waiting, outcome))
            }
            Frame::Malformed(defect) => self.unreadable(*defect),
        }
    }

    /// The agent is gone: every unanswered prompt fails, and without one the launch or the session did.
    pub fn gone(&mut self, departure: &Departure) -> Vec<Event> {
        let Departure { code, signal, stderr } = departure.clone();
        let outcome = Outcome::Gone { code, signal, stderr };
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().flat_map(|waiting| self.answered(waiting, outcome.clone())).collect()
    }

    fn prompt(&mut self, session: String) -> (Waiting, Vec<Event>) {
        let execution = self.execution.clone();
        let Some(numbered) = self.open(&session) else {
            return (Waiting::Other, Vec::new());
        };
        numbered.prompts += 1;
        let Some(generation) = Generation::new(numbered.prompts) else {
            return (Waiting::Other, Vec::new());
        };
        let invocation = Invocation { session: numbered.id.clone(), execution, generation };
        let events = numbered.session.begin(invocation.clone());
        self.prompts.push(invocation);
        (Waiting::Prompt { session, generation }, events)
    }

    /// The session of this id, opened when it is new. An id that is no identifier opens nothing.
    fn open(&mut self, id: &str) -> Option<&mut Numbered<'k>> {
        if !self.sessions.contains_key(id) {
            let session = Session::new(self.knowledge, self.agent.clone());
            let numbered = Numbered { session, id: SessionId::new(id).ok()?, prompts: 0 };
            self.sessions.insert(id.to_owned(), numbered);
        }
        self.sessions.get_mut(id)
    }

    fn update(&mut self, session: &str, update: &Value) -> Vec<Event> {
        self.open(&session_key(session)).map_or_else(Vec::new, |numbered| numbered.session.update(update))
    }

    /// Whose line it was is not known, so every session is told.
    fn unreadable(&self, defect: Defect) -> Vec<Event> {
        self.sessions.values().map(|numbered| numbered.session.malformed(defect)).collect()
    }

    fn answered(&mut self, waiting: Waiting, outcome: Outcome) -> Vec<Event> {
        match (waiting, outcome) {
            (Waiting::Prompt { session, generation }, outcome) => {
                let numbered = self.sessions.get_mut(&session);
                numbered.and_then(|numbered| numbered.session.settle(generation, outcome)).into_iter().collect()
            }
            (Waiting::Initialize, Outcome::Result(result)) => {
                let name = result.get("agentInfo").and_then(|info| info.get("name")?.as_str());
                self.agent = name.and_then(self.names).or_else(|| self.agent.take());
                Vec::new()
            }
            (Waiting::Open(named), Outcome::Result(result)) => {
                let answered = result.get("sessionId").and_then(Value::as_str).map(session_key);
                if let Some(numbered) = answered.or(named).and_then(|id| self.open(&id)) {
                    numbered.session.response(&result);
                }
                Vec::new()
            }
            (Waiting::Setting(session), Outcome::Result(result)) => {
                if let Some(numbered) = self.sessions.get_mut(&session) {
                    numbered.session.response(&result);
                }
                Vec::new()
            }
            (Waiting::Initialize | Waiting::Open(_), outcome) => vec![self.unopened(outcome)],
            (Waiting::Setting(_) | Waiting::Other, _) => Vec::new(),
        }
    }

    /// A failure before any prompt.
    fn unopened(&self, outcome: Outcome) -> Event {
        let error = Session::new(self.knowledge, self.agent.clone()).failure(outcome);
        Event { invocation: None, kind: EventKind::Failure(error) }
    }
}

impl std::fmt::Debug for Dialogue<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialogue").field("agent", &self.agent).field("sessions", &self.sessions.len()).finish()
    }
}

fn session_key(id: &str) -> String {
    text::head(id, SESSION_LIMIT_BYTES).to_owned()
}

#[cfg(test)]
mod tests;

//! One session as a state machine: raw updates and prompt outcomes in, events out. The marker is minted here (.20).
//!
//! Invariant: one outcome gives one terminal event, built after everything that was read before it; same input, same
//! events.
//!
//! Must not know: connections, queues, fences.

use serde_json::Value;

use super::convert::{self, Update};
use super::dialect::{self, Dialect, Projected, Reading};
use super::event::{Chunk, End, Event, EventKind, Implies, Marker, ProviderError};
use super::frame::{Defect, RpcError};
use super::projection::error_kind;
use crate::classify::Classifier;
use crate::redact::{Clean, Diagnostic, Raw, Redactor, Scope};
use crate::text;
use crate::vocab::{AgentId, ErrorSource, Generation, Invocation, ModelId};

/// What the conversion boundary asks: the rules and the shapes.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge<'k> {
    /// Answers the marker question.
    pub classifier: &'k Classifier,
    /// Sanitizes what crosses the boundary.
    pub redactor: &'k Redactor,
}

/// How a prompt call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// `session/prompt` returned a result, as sent.
    Result(Value),
    /// `session/prompt` returned an error, as sent.
    Error(RpcError),
    /// The connection or the process ended first.
    Gone {
        /// Exit code, when the process exited.
        code: Option<i32>,
        /// Signal number, when it was killed.
        signal: Option<i32>,
        /// Managed stderr of the attempt.
        stderr: Option<String>,
    },
}

/// Message of a failure that no answer carried.
const GONE: &str = "the agent ended the connection before it answered the prompt";
/// Longest stop reason or method name that is kept, in bytes.
const NAME_LIMIT_BYTES: usize = 128;

/// Most stderr that is looked at, in bytes, unless its last line alone is longer. Below the bound of the diagnostic tier.
const STDERR_LIMIT_BYTES: usize = 3_584;

/// The adapter's state for one session.
#[derive(Debug)]
pub struct Session<'k> {
    knowledge: Knowledge<'k>,
    agent: Option<AgentId>,
    dialect: Box<dyn Dialect>,
    model: Option<ModelId>,
    current: Option<Prompt>,
    unanswered: Vec<Invocation>,
}

/// The prompt that was sent last.
#[derive(Debug)]
struct Prompt {
    invocation: Invocation,
    // One scope per generation: equal values get equal placeholders, so that containment survives (.23).
    scope: Scope<Diagnostic>,
}

impl<'k> Session<'k> {
    /// A session of the negotiated agent; `None` is an unknown one.
    #[must_use]
    pub fn new(knowledge: Knowledge<'k>, agent: Option<AgentId>) -> Self {
        let dialect = dialect::of(agent.as_ref());
        Self { knowledge, agent, dialect, model: None, current: None, unanswered: Vec::new() }
    }

    /// The model that was published last.
    #[must_use]
    pub const fn model(&self) -> Option<&ModelId> {
        self.model.as_ref()
    }

    /// Reads the settled model out of a response: `session/new`, `session/load`, `session/set_config_option` and their
    /// kin publish one.
    pub fn response(&mut self, result: &Value) {
        if let Some(model) = convert::settled_model(result) {
            self.model = Some(model);
        }
    }

    /// A prompt was sent. While another one is unanswered no update belongs to either for sure, and both are told so.
    pub fn begin(&mut self, invocation: Invocation) -> Vec<Event> {
        let scope = self.knowledge.redactor.scope();
        // While another prompt is unanswered its signs still count: forgetting them could lose a suppressed frame.
        if self.unanswered.is_empty() {
            self.dialect.begin();
        }
        self.unanswered.push(invocation.clone());
        self.current = Some(Prompt { invocation, scope });
        if self.unanswered.len() < 2 {
            return Vec::new();
        }
        let overlap = |prompt: &Invocation| Event { invocation: Some(prompt.clone()), kind: EventKind::Overlap };
        self.unanswered.iter().map(overlap).collect()
    }

    /// One raw `session/update` of this session, in the order of arrival.
    pub fn update(&mut self, raw: &Value) -> Vec<Event> {
        let update = convert::update(raw);
        let reading = self.dialect.read(&update, self.unanswered.len() == 1);
        match reading {
            Reading::Suppressed => Vec::new(),
            Reading::ResponseAttemptReset => {
                let titled = raw.get("title").is_some() || raw.get("updatedAt").is_some();
                let info = titled.then(|| self.event(EventKind::SessionInfo));
                info.into_iter().chain([self.event(EventKind::ResponseAttemptReset)]).collect()
            }
            Reading::Ordinary | Reading::ModelOrigin => {
                let kind = self.kind(update, reading == Reading::Ordinary);
                vec![self.event(kind)]
            }
        }
    }

    /// A request of the agent to the client, such as a permission question or a file write: tool activity, whatever it
    /// is answered.
    #[must_use]
    pub fn agent_request(&self, method: &str) -> Event {
        let tool = ["session/request_permission", "fs/", "terminal/"].iter().any(|prefix| method.starts_with(prefix));
        self.other(method, tool.then_some(Implies::Effect))
    }

    /// A line of the agent that is no frame. One that may have hidden output counts as output.
    #[must_use]
    pub fn malformed(&self, defect: Defect) -> Event {
        self.other(defect.word(), defect.hides_evidence().then_some(Implies::Output))
    }

    /// The prompt of `generation` was answered, or never will be. `None` when no such prompt is unanswered: an answer is
    /// counted once.
    pub fn settle(&mut self, generation: Generation, outcome: Outcome) -> Option<Event> {
        let index = self.unanswered.iter().position(|prompt| prompt.generation == generation)?;
        let invocation = self.unanswered.remove(index);
        let kind = match outcome {
            Outcome::Result(result) => self.result(&result),
            outcome => EventKind::Failure(self.failure(outcome)),
        };
        Some(Event { invocation: Some(invocation), kind })
    }

    /// The projection of an outcome that is a failure by itself; a result counts as one without a message.
    pub(in crate::acp) fn failure(&mut self, outcome: Outcome) -> ProviderError {
        match outcome {
            Outcome::Error(error) => self.error(&error),
            Outcome::Gone { code, signal, stderr } => {
                let stderr = stderr.map(|text| self.clean(last_lines(&text)));
                self.projection(ErrorSource::AcpConnection, GONE, End::Gone { code, signal, stderr })
            }
            Outcome::Result(_) => {
                self.projection(ErrorSource::AcpResult, "", End::Result { stop_reason: String::new() })
            }
        }
    }

    fn event(&self, kind: EventKind) -> Event {
        Event { invocation: self.current.as_ref().map(|prompt| prompt.invocation.clone()), kind }
    }

    fn other(&self, name: &str, implies: Option<Implies>) -> Event {
        self.event(EventKind::Other { name: text::head(name, NAME_LIMIT_BYTES).to_owned(), implies })
    }

    fn kind(&mut self, update: Update<'_>, candidate: bool) -> EventKind {
        match update {
            Update::Assistant(chunk) => {
                let marker = if candidate { self.marker(&chunk) } else { None };
                EventKind::AssistantChunk { chunk, marker }
            }
            Update::User(chunk) => EventKind::UserChunk(chunk),
            Update::Thought(chunk) => EventKind::ThoughtChunk(chunk),
            Update::ToolCall { id, title, status } => EventKind::ToolCall { id, title: Raw::new(title), status },
            Update::ToolChange { id, status } => EventKind::ToolUpdate { id, status },
            Update::Model(model) => {
                self.model = Some(model.clone());
                EventKind::ModelSettled(model)
            }
            Update::Usage { model } => EventKind::ModelUsage(model),
            Update::SessionInfo(_) => EventKind::SessionInfo,
            Update::Other { name, implies } => EventKind::Other { name, implies },
        }
    }

    /// The one place where a marker is decided (.16, .20).
    fn marker(&mut self, chunk: &Chunk) -> Option<Marker> {
        if chunk.beyond_text || chunk.is_blank() {
            return None;
        }
        let text = chunk.text.as_inner();
        let code = self.knowledge.classifier.candidate(text, self.agent.as_ref())?;
        Some(Marker::new(code, self.clean(text)))
    }

    fn result(&mut self, result: &Value) -> EventKind {
        let stop_reason = result.get("stopReason").and_then(Value::as_str).unwrap_or_default();
        let stop_reason = text::head(stop_reason, NAME_LIMIT_BYTES).to_owned();
        match self.dialect.settle(result) {
            Some(Projected { source, text }) => {
                EventKind::Failure(self.projection(source, &text, End::Result { stop_reason }))
            }
            None => EventKind::Complete { stop_reason },
        }
    }

    fn error(&mut self, error: &RpcError) -> ProviderError {
        let mut projection = self.projection(ErrorSource::AcpPrompt, &error.message, End::Error);
        projection.rpc_code = error.code;
        projection.error_kind = error_kind(error.data.as_ref());
        projection
    }

    fn projection(&mut self, source: ErrorSource, message: &str, end: End) -> ProviderError {
        let message = self.clean(message);
        let (provider, model) = (self.agent.clone(), self.model.clone());
        ProviderError { source, message, rpc_code: 0, error_kind: None, provider, model, end }
    }

    fn clean(&mut self, text: &str) -> Clean<Diagnostic> {
        match &mut self.current {
            Some(prompt) => prompt.scope.clean(Raw::new(text)),
            None => self.knowledge.redactor.scope().clean(Raw::new(text)),
        }
    }
}

/// The end of a managed stderr, in whole lines: what killed a process is said last. Whole lines, because a secret that
/// is cut in half is not recognised any more.
fn last_lines(stderr: &str) -> &str {
    let mut start = stderr.len();
    for line in stderr.split_inclusive('\n').rev() {
        if start < stderr.len() && stderr.len() - start + line.len() > STDERR_LIMIT_BYTES {
            break;
        }
        start -= line.len();
    }
    &stderr[start..]
}

#[cfg(test)]
mod tests;

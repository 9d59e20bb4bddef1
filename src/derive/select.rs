//! Which records of a transcript belong to one prompt.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::acp::convert;
use crate::acp::frame::{self, Frame, RequestId, RpcError};
use crate::recording::{Observed, Recording};
use crate::vocab::ModelId;

/// How a prompt ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Terminal {
    /// With an error.
    Error(RpcError),
    /// With a result.
    Result(Value),
    /// The process ended first, by itself.
    Gone {
        /// Exit code, when it exited.
        code: Option<i32>,
        /// Signal number, when it was killed.
        signal: Option<i32>,
        /// What it printed since the prompt was sent.
        stderr: Option<String>,
    },
    /// The transcript ends first, or the client ended the agent.
    Never,
}

/// What the agent sent while a prompt ran.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sent {
    /// The `update` of a session update.
    Update(Value),
    /// A request to the client, by its method.
    Request(String),
    /// A line that is no frame.
    Unreadable,
}

/// One prompt with everything that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prompt {
    session: String,
    /// The model that was published before it was sent.
    pub(super) model: Option<ModelId>,
    /// What the agent sent, in order.
    pub(super) sent: Vec<Sent>,
    /// How it ended.
    pub(super) terminal: Terminal,
    /// How much of it had been sent when the client cancelled it, when it did.
    pub(super) cancelled_after: Option<usize>,
    /// Whether another prompt of its session was unanswered at the same time.
    pub(super) overlapped: bool,
}

/// A transcript by prompts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Dialogue {
    /// What the agent calls itself.
    pub(super) agent: Option<String>,
    /// Every prompt, in the order they were sent.
    pub(super) prompts: Vec<Prompt>,
    /// What happened when no prompt was sent.
    pub(super) instead: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Asked {
    Initialize,
    Session,
    Prompt(usize),
    Other,
}

/// Reads a transcript by prompts. Updates belong to the oldest unanswered prompt of their session: an agent that holds a
/// second prompt works on the first one.
pub(super) fn select(recording: &Recording) -> Dialogue {
    let mut reader = Reader::default();
    for entry in &recording.entries {
        match &entry.what {
            Observed::ToAgent(value) => reader.went_to_agent(&frame::from_value(value.clone())),
            Observed::ToClient(value) => reader.went_to_client(frame::from_value(value.clone())),
            Observed::Unparsed { from_agent: true, text } if !text.trim().is_empty() => reader.unreadable(),
            Observed::Stderr(text) => reader.stderr.push(text),
            Observed::Exit { code, signal, how } => reader.gone(*code, *signal, how.as_deref()),
            _ => {}
        }
    }
    reader.dialogue
}

#[derive(Debug, Default)]
struct Reader<'r> {
    dialogue: Dialogue,
    asked: BTreeMap<RequestId, Asked>,
    models: BTreeMap<String, ModelId>,
    /// A model that was published before the session had a name.
    opening: Option<String>,
    /// Managed stderr since the last prompt was sent.
    stderr: Vec<&'r str>,
}

impl Reader<'_> {
    fn went_to_agent(&mut self, frame: &Frame) {
        match frame {
            Frame::Request { id, method, params } => {
                let session = params.get("sessionId").and_then(Value::as_str);
                let asked = match (method.as_str(), session) {
                    ("initialize", _) => Asked::Initialize,
                    ("session/prompt", Some(session)) => self.prompt(session),
                    ("session/new" | "session/load" | "session/resume", session) => {
                        self.opening = session.map(str::to_owned);
                        Asked::Session
                    }
                    _ => Asked::Other,
                };
                self.asked.insert(id.clone(), asked);
            }
            Frame::Notification { method, params } if method == "session/cancel" => {
                let session = params.get("sessionId").and_then(Value::as_str);
                for prompt in &mut self.dialogue.prompts {
                    if prompt.terminal == Terminal::Never && Some(prompt.session.as_str()) == session {
                        prompt.cancelled_after.get_or_insert(prompt.sent.len());
                    }
                }
            }
            _ => {}
        }
    }

    fn prompt(&mut self, session: &str) -> Asked {
        let mut overlapped = false;
        for prompt in self.dialogue.prompts.iter_mut().filter(|prompt| prompt.session == session) {
            if prompt.terminal == Terminal::Never {
                (prompt.overlapped, overlapped) = (true, true);
            }
        }
        self.dialogue.prompts.push(Prompt {
            session: session.to_owned(),
            model: self.models.get(session).cloned(),
            sent: Vec::new(),
            terminal: Terminal::Never,
            cancelled_after: None,
            overlapped,
        });
        self.stderr.clear();
        Asked::Prompt(self.dialogue.prompts.len() - 1)
    }

    fn went_to_client(&mut self, frame: Frame) {
        match frame {
            Frame::Notification { method, params } if method == "session/update" => {
                if let Some((session, update)) = frame::session_update(&params) {
                    self.update(session, update);
                }
            }
            Frame::Request { method, params, .. } => {
                let session = params.get("sessionId").and_then(Value::as_str).map(str::to_owned);
                self.working(session.as_deref(), Sent::Request(method));
            }
            Frame::Response { id, outcome } => {
                if let Some(asked) = self.asked.remove(&id) {
                    self.answered(&asked, outcome);
                }
            }
            Frame::Notification { .. } => {}
            Frame::Malformed(_) => self.unreadable(),
        }
    }

    fn update(&mut self, session: &str, update: &Value) {
        if let convert::Update::Model(model) = convert::update(update) {
            self.models.insert(session.to_owned(), model);
        }
        self.working(Some(session), Sent::Update(update.clone()));
    }

    /// Adds to the oldest unanswered prompt of the session.
    fn working(&mut self, session: Option<&str>, sent: Sent) {
        let open = |prompt: &&mut Prompt| {
            prompt.terminal == Terminal::Never && session.is_none_or(|session| session == prompt.session)
        };
        if let Some(prompt) = self.dialogue.prompts.iter_mut().find(open) {
            prompt.sent.push(sent);
        }
    }

    fn unreadable(&mut self) {
        self.working(None, Sent::Unreadable);
    }

    fn answered(&mut self, asked: &Asked, outcome: Result<Value, RpcError>) {
        match (asked, outcome) {
            (Asked::Initialize, Ok(result)) => {
                let name = result.pointer("/agentInfo/name").and_then(Value::as_str);
                self.dialogue.agent = name.map(str::to_owned);
            }
            (Asked::Session, Ok(result)) => {
                let named = result.get("sessionId").and_then(Value::as_str).map(str::to_owned);
                if let (Some(session), Some(model)) =
                    (named.or_else(|| self.opening.take()), convert::settled_model(&result))
                {
                    self.models.insert(session, model);
                }
            }
            (Asked::Initialize, Err(error)) => self.instead(format!("`initialize` failed with code {}", error.code)),
            (Asked::Session, Err(error)) => self.instead(format!("no session was opened: code {}", error.code)),
            (Asked::Prompt(index), outcome) => {
                if let Some(prompt) = self.dialogue.prompts.get_mut(*index) {
                    prompt.terminal = outcome.map_or_else(Terminal::Error, Terminal::Result);
                }
            }
            (Asked::Other, _) => {}
        }
    }

    fn instead(&mut self, what: String) {
        self.dialogue.instead.get_or_insert(what);
    }

    /// An agent that the client ended had stalled: how it went down says nothing about the prompt.
    fn gone(&mut self, code: Option<i32>, signal: Option<i32>, how: Option<&str>) {
        if how.is_none_or(|how| how == "self_exit") {
            let stderr = (!self.stderr.is_empty()).then(|| self.stderr.join("\n"));
            for prompt in self.dialogue.prompts.iter_mut().filter(|prompt| prompt.terminal == Terminal::Never) {
                prompt.terminal = Terminal::Gone { code, signal, stderr: stderr.clone() };
            }
        }
        self.instead("the agent ended first".to_owned());
    }
}

//! What a replaying agent says in one prompt: session updates as they go over the wire, then one ending.
//!
//! Invariant: the same script is the same bytes each time; message ids follow from the position alone.
//!
//! Must not know: what is expected of it.

use serde_json::{Map, Value, json};

use crate::acp::frame::RpcError;
use crate::acp::session::Outcome;
use crate::vocab::{AgentId, Invocation, ToolStatus};

/// Who wrote a chunk; decides the message id it is sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The model: `msg_replay_N`.
    Model,
    /// The agent: a UUID that follows from the position.
    Agent,
}

/// One update that the replaying agent sends.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Message {
    /// Assistant text.
    Assistant {
        /// The text.
        text: String,
        /// Who wrote it, when known.
        origin: Option<Origin>,
    },
    /// An echo of the user's text.
    User {
        /// The text.
        text: String,
        /// Who wrote it, when known.
        origin: Option<Origin>,
    },
    /// Thinking.
    Thought {
        /// The text.
        text: String,
    },
    /// A new tool call.
    ToolCall {
        /// Protocol id.
        id: String,
        /// Title, when it has one.
        title: Option<String>,
        /// Status.
        status: ToolStatus,
    },
    /// An update of a tool call.
    ToolUpdate {
        /// Protocol id.
        id: String,
        /// New status.
        status: ToolStatus,
    },
    /// A configuration update that publishes the session's model.
    ModelSettled {
        /// Its id.
        model: String,
    },
    /// A usage update that names the model.
    ModelUsage {
        /// Its id.
        model: String,
    },
    /// A session information update with extension metadata.
    SessionInfo {
        /// The metadata.
        meta: Map<String, Value>,
    },
    /// Any update, sent as it is: what scenarios about unknown or malformed updates need.
    Raw(Value),
}

/// How the replaying agent ends the prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// It answers with an error.
    Error(RpcError),
    /// It answers with a result.
    Result(Value),
    /// It closes the connection without an answer.
    Disconnect,
    /// Its process ends without an answer.
    Exit {
        /// Exit code.
        code: Option<i32>,
        /// Signal number.
        signal: Option<i32>,
        /// What it wrote to stderr.
        stderr: Option<String>,
    },
    /// It never answers and stays connected.
    Stall,
}

impl Ending {
    /// The outcome that the prompt call sees; `None` for a prompt that never settles.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Error(error) => Some(Outcome::Error(error.clone())),
            Self::Result(result) => Some(Outcome::Result(result.clone())),
            Self::Disconnect => Some(Outcome::Gone { code: None, signal: None, stderr: None }),
            Self::Exit { code, signal, stderr } => {
                Some(Outcome::Gone { code: *code, signal: *signal, stderr: stderr.clone() })
            }
            Self::Stall => None,
        }
    }
}

/// One prompt as a replaying agent plays it.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The agent it is played as.
    pub agent: AgentId,
    /// The prompt it belongs to.
    pub invocation: Invocation,
    /// What is sent before the ending, in order.
    pub messages: Vec<Message>,
    /// How the prompt ends.
    pub ending: Ending,
    /// Whether the client's queue is held at a gate until the prompt could have returned: the `queued` case.
    pub held: bool,
}

impl Script {
    /// The updates as they go over the wire.
    #[must_use]
    pub fn updates(&self) -> Vec<Value> {
        self.messages.iter().zip(1..).map(|(message, number)| message.update(number)).collect()
    }
}

impl Message {
    /// The `update` object of the `session/update` at position `number`, from 1.
    #[must_use]
    pub fn update(&self, number: u64) -> Value {
        match self {
            Self::Assistant { text, origin } => chunk("agent_message_chunk", text, origin.map(|o| o.id(number))),
            Self::User { text, origin } => chunk("user_message_chunk", text, origin.map(|o| o.id(number))),
            Self::Thought { text } => chunk("agent_thought_chunk", text, None),
            Self::ToolCall { id, title, status } => {
                let title = title.as_deref().unwrap_or_default();
                json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": title, "status": status})
            }
            Self::ToolUpdate { id, status } => {
                json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status})
            }
            Self::ModelSettled { model } => json!({
                "sessionUpdate": "config_option_update",
                "configOptions": [{
                    "id": "model", "name": "Model", "category": "model", "type": "select",
                    "currentValue": model, "options": [{"value": model, "name": model}],
                }],
            }),
            Self::ModelUsage { model } => {
                json!({"sessionUpdate": "usage_update", "used": 1, "size": 200_000, "_meta": {"_claude/model": model}})
            }
            Self::SessionInfo { meta } => json!({"sessionUpdate": "session_info_update", "_meta": meta}),
            Self::Raw(update) => update.clone(),
        }
    }
}

impl Origin {
    fn id(self, number: u64) -> String {
        match self {
            Self::Model => format!("msg_replay_{number}"),
            Self::Agent => format!("00000000-0000-4000-8000-{number:012x}"),
        }
    }
}

fn chunk(kind: &str, text: &str, message_id: Option<String>) -> Value {
    let mut update = json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
    if let Some(id) = message_id {
        update["messageId"] = id.into();
    }
    update
}

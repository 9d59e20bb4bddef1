//! Fixture frames to a script: the one place that knows both words.
//!
//! Invariant: every frame becomes exactly one message or the ending.
//!
//! Must not know: what the fixture expects.

use serde_json::{Value, json};

use super::script::{Ending, Message, Origin, Script};
use crate::acp::frame::RpcError;
use crate::fixture::{ExitStatus, Fixture, Frame, Origin as Written, Role};
use crate::vocab::Case;

impl Script {
    /// The script that a fixture declares. Its `queued` case is played with the client's queue held.
    #[must_use]
    pub fn of(fixture: &Fixture) -> Self {
        let mut script = Self {
            agent: fixture.agent.clone(),
            invocation: fixture.identity.clone(),
            messages: Vec::with_capacity(fixture.frames.len()),
            // A fixture without a terminal frame is structurally refused; were one built by hand, it never settles.
            ending: Ending::Stall,
            held: fixture.cell.case() == Some(Case::Queued),
        };
        for frame in &fixture.frames {
            match part(frame) {
                Part::Message(message) => script.messages.push(message),
                Part::Ending(ending) => script.ending = ending,
            }
        }
        script
    }
}

enum Part {
    Message(Message),
    Ending(Ending),
}

fn part(frame: &Frame) -> Part {
    Part::Message(match frame.clone() {
        Frame::MessageChunk { role: Role::User, text, origin } => Message::User { text, origin: origin.map(writer) },
        Frame::MessageChunk { text, origin, .. } => Message::Assistant { text, origin: origin.map(writer) },
        Frame::ThoughtChunk { text } => Message::Thought { text },
        Frame::ToolCall { id, title, status } => Message::ToolCall { id, title, status },
        Frame::ToolUpdate { id, status } => Message::ToolUpdate { id, status },
        Frame::ModelSettled { model } => Message::ModelSettled { model },
        Frame::ModelUsage { model } => Message::ModelUsage { model },
        Frame::SessionInfo { meta } => Message::SessionInfo { meta },
        Frame::PromptError { code, message, data } => {
            return Part::Ending(Ending::Error(RpcError { code, message, data }));
        }
        Frame::PromptResult { stop_reason, meta } => {
            let mut result = json!({"stopReason": stop_reason});
            if let Some(meta) = meta {
                result["_meta"] = Value::Object(meta);
            }
            return Part::Ending(Ending::Result(result));
        }
        Frame::Disconnect => return Part::Ending(Ending::Disconnect),
        Frame::Exit { status, stderr } => {
            let (code, signal) = match status {
                ExitStatus::Code(code) => (Some(code), None),
                ExitStatus::Signal(signal) => (None, Some(signal)),
            };
            return Part::Ending(Ending::Exit { code, signal, stderr });
        }
        Frame::Stall => return Part::Ending(Ending::Stall),
    })
}

const fn writer(origin: Written) -> Origin {
    match origin {
        Written::Agent => Origin::Agent,
        Written::Model => Origin::Model,
    }
}

//! What the agent sent, as frames of a fixture, still raw.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::refusal::Refusal;
use super::select::{Prompt, Sent, Terminal};
use crate::acp::convert::{self, Update};
use crate::acp::event::Chunk;
use crate::fixture::{ExitStatus, Frame, Origin, Role};
use crate::vocab::{ModelId, ToolStatus};

/// How a provider's own message ids begin.
const PROVIDER_MESSAGE: &str = "msg_";

/// What the fixture can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A cell of the matrix: it ends in an error.
    Cell,
    /// A scenario of a dialect: it ends in any way and tells the session's information.
    Scenario,
}

/// The frames of a prompt, still raw. A scenario that the client cancelled stalls where it did: what comes after is an
/// answer to the client.
///
/// # Errors
/// When a cell did not end in an error, or the prompt holds what a fixture can not say.
pub(super) fn frames(prompt: &Prompt, turn: usize, format: Format) -> Result<Vec<Frame>, Refusal> {
    let mut writer = Writer { turn, format, frames: Vec::new(), tools: BTreeMap::new(), model: None };
    if let Some(model) = &prompt.model {
        writer.settled(model);
    }
    let stalled = prompt.cancelled_after.filter(|_| format == Format::Scenario);
    for sent in &prompt.sent[..stalled.unwrap_or(prompt.sent.len())] {
        writer.sent(sent)?;
    }
    let ending = match format {
        Format::Cell => error(prompt, turn)?,
        Format::Scenario if stalled.is_some() => Frame::Stall,
        Format::Scenario => ending(prompt, turn)?,
    };
    let mut frames = writer.frames;
    frames.push(ending);
    Ok(frames)
}

/// Any end.
fn ending(prompt: &Prompt, turn: usize) -> Result<Frame, Refusal> {
    Ok(match &prompt.terminal {
        Terminal::Error(_) => return error(prompt, turn),
        Terminal::Result(result) => {
            let stop_reason =
                result.get("stopReason").and_then(Value::as_str).filter(|reason| !reason.trim().is_empty());
            let Some(stop_reason) = stop_reason else {
                return Err(Refusal::Unrepresentable { turn, what: "a result without a stop reason".into() });
            };
            Frame::PromptResult { stop_reason: stop_reason.to_owned(), meta: meta(result) }
        }
        Terminal::Gone { code: Some(code), stderr, .. } => {
            Frame::Exit { status: ExitStatus::Code(*code), stderr: stderr.clone() }
        }
        Terminal::Gone { signal: Some(signal), stderr, .. } => {
            Frame::Exit { status: ExitStatus::Signal(*signal), stderr: stderr.clone() }
        }
        Terminal::Gone { .. } => Frame::Disconnect,
        Terminal::Never => Frame::Stall,
    })
}

/// The vendor's metadata, when there is any.
fn meta(holder: &Value) -> Option<Map<String, Value>> {
    holder.get("_meta").and_then(Value::as_object).filter(|meta| !meta.is_empty()).cloned()
}

fn error(prompt: &Prompt, turn: usize) -> Result<Frame, Refusal> {
    match &prompt.terminal {
        Terminal::Error(error) => Ok(Frame::PromptError {
            code: error.code,
            message: error.message.clone(),
            data: error.data.clone().filter(|data| !data.is_null()),
        }),
        Terminal::Result(result) => {
            let stop_reason = result.get("stopReason").and_then(Value::as_str).unwrap_or("nothing");
            let stop_reason = stop_reason.to_owned();
            Err(Refusal::NotAnError { turn, stop_reason, cancelled: prompt.cancelled_after.is_some() })
        }
        Terminal::Gone { .. } => Err(Refusal::AgentEnded { turn }),
        Terminal::Never => Err(Refusal::Unanswered { turn }),
    }
}

struct Writer {
    turn: usize,
    format: Format,
    frames: Vec<Frame>,
    /// Names of this fixture for the protocol's ids.
    tools: BTreeMap<String, String>,
    model: Option<ModelId>,
}

impl Writer {
    fn sent(&mut self, sent: &Sent) -> Result<(), Refusal> {
        match sent {
            Sent::Update(raw) => self.update(convert::update(raw)),
            // The tool call that asks is a frame of its own; without one, the request is an effect nobody would see.
            Sent::Request(method) if is_tool(method) && self.tools.is_empty() => {
                self.cannot_say(format!("the request `{method}` without a tool call"))
            }
            Sent::Request(_) => Ok(()),
            Sent::Unreadable => self.cannot_say("a line that is no frame".into()),
        }
    }

    fn update(&mut self, update: Update<'_>) -> Result<(), Refusal> {
        match update {
            Update::Assistant(chunk) => self.chunk(&chunk, Role::Assistant),
            Update::User(chunk) => self.chunk(&chunk, Role::User),
            Update::Thought(chunk) => {
                if chunk.beyond_text {
                    return self.cannot_say("a thought that is no text".into());
                }
                if !chunk.is_blank() {
                    self.frames.push(Frame::ThoughtChunk { text: chunk.text.as_inner().clone() });
                }
                Ok(())
            }
            Update::ToolCall { id, title, status } => self.tool_call(&id, &title, status),
            Update::ToolChange { id, status } => self.tool_change(&id, status),
            Update::Model(model) => {
                self.settled(&model);
                Ok(())
            }
            Update::Usage { model: Some(model) } => {
                let frame = Frame::ModelUsage { model: model.to_string() };
                // Usage is reported many times; after the first one it says nothing new.
                if !self.frames.contains(&frame) {
                    self.frames.push(frame);
                }
                Ok(())
            }
            Update::Other { name, implies: Some(_) } => self.cannot_say(format!("the update `{name}`")),
            Update::SessionInfo(raw) if self.format == Format::Scenario => self.session_info(raw),
            Update::Usage { model: None } | Update::SessionInfo(_) | Update::Other { .. } => Ok(()),
        }
    }

    fn chunk(&mut self, chunk: &Chunk, role: Role) -> Result<(), Refusal> {
        if chunk.beyond_text {
            return self.cannot_say("a message that is no text".into());
        }
        let text = chunk.text.as_inner();
        let origin = chunk.message_id.as_deref().and_then(origin);
        if text.trim().is_empty() {
            // White space belongs to the piece before it.
            if let Some(Frame::MessageChunk { text: before, origin: of, .. }) = self.frames.last_mut()
                && *of == origin
            {
                before.push_str(text);
            }
            return Ok(());
        }
        self.frames.push(Frame::MessageChunk { role, text: text.clone(), origin });
        Ok(())
    }

    /// A title and its time say nothing about a failure; the vendor's metadata may.
    fn session_info(&mut self, raw: &Value) -> Result<(), Refusal> {
        let told = ["sessionUpdate", "_meta", "title", "updatedAt"];
        let strange = raw.as_object().and_then(|fields| fields.keys().find(|key| !told.contains(&key.as_str())));
        if let Some(key) = strange {
            return self.cannot_say(format!("session information with a `{key}` outside of `_meta`"));
        }
        if let Some(meta) = meta(raw) {
            self.frames.push(Frame::SessionInfo { meta });
        }
        Ok(())
    }

    fn tool_call(&mut self, id: &str, title: &str, status: ToolStatus) -> Result<(), Refusal> {
        if self.tools.contains_key(id) {
            return self.tool_change(id, Some(status));
        }
        let name = format!("tool_{}", self.tools.len() + 1);
        self.tools.insert(id.to_owned(), name.clone());
        let title = Some(title.to_owned()).filter(|title| !title.trim().is_empty());
        self.frames.push(Frame::ToolCall { id: name, title, status });
        Ok(())
    }

    fn tool_change(&mut self, id: &str, status: Option<ToolStatus>) -> Result<(), Refusal> {
        match (self.tools.get(id), status) {
            (Some(name), Some(status)) => self.frames.push(Frame::ToolUpdate { id: name.clone(), status }),
            (Some(_), None) => {}
            (None, _) => return self.cannot_say("an update of a tool call that was never announced".into()),
        }
        Ok(())
    }

    fn settled(&mut self, model: &ModelId) {
        if self.model.as_ref() != Some(model) {
            self.model = Some(model.clone());
            self.frames.push(Frame::ModelSettled { model: model.to_string() });
        }
    }

    fn cannot_say(&self, what: String) -> Result<(), Refusal> {
        Err(Refusal::Unrepresentable { turn: self.turn, what })
    }
}

fn is_tool(method: &str) -> bool {
    ["session/request_permission", "fs/", "terminal/"].iter().any(|prefix| method.starts_with(prefix))
}

/// A provider's id is the model's, a UUID the agent's; another id says nothing.
fn origin(id: &str) -> Option<Origin> {
    let is_uuid = id.len() == 36
        && id
            .char_indices()
            .all(|(at, c)| if matches!(at, 8 | 13 | 18 | 23) { c == '-' } else { c.is_ascii_hexdigit() });
    if id.starts_with(PROVIDER_MESSAGE) { Some(Origin::Model) } else { is_uuid.then_some(Origin::Agent) }
}

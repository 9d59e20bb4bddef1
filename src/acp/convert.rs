//! One raw `session/update` to one typed update. No marker is minted here and nothing is decided.
//!
//! Invariant: reading is total; an update of a known kind that can not be read still says what it may have hidden.
//!
//! Must not know: prompts, dialects, the catalogue.

use serde_json::Value;

use super::event::{Chunk, Implies};
use crate::evidence::failure_text;
use crate::redact::Raw;
use crate::text;
use crate::vocab::{ModelId, ToolStatus};

/// Longest protocol id or kind that is kept, in bytes.
const NAME_LIMIT_BYTES: usize = 128;

/// A session update as sent, typed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Update<'a> {
    Assistant(Chunk),
    User(Chunk),
    Thought(Chunk),
    ToolCall {
        id: String,
        title: String,
        status: ToolStatus,
    },
    ToolChange {
        id: String,
        status: Option<ToolStatus>,
    },
    Model(ModelId),
    Usage {
        model: Option<ModelId>,
    },
    /// The whole update: dialects read proof of a retry boundary out of it.
    SessionInfo(&'a Value),
    Other {
        name: String,
        implies: Option<Implies>,
    },
}

/// Reads one update.
pub(crate) fn update(raw: &Value) -> Update<'_> {
    let Some(kind) = raw.get("sessionUpdate").and_then(Value::as_str) else {
        return Update::Other { name: String::new(), implies: None };
    };
    match kind {
        "agent_message_chunk" => chunk(raw).map_or_else(|| unreadable(kind, Implies::Output), Update::Assistant),
        "agent_thought_chunk" => chunk(raw).map_or_else(|| unreadable(kind, Implies::Output), Update::Thought),
        "user_message_chunk" => chunk(raw).map_or_else(|| other(kind, None), Update::User),
        "tool_call" => tool_call(raw),
        "tool_call_update" => Update::ToolChange { id: name(raw.get("toolCallId")), status: status(raw) },
        // A plan is written by the model, and agents that send one suppress the tool call that wrote it.
        "plan" => unreadable(kind, Implies::Output),
        "config_option_update" | "current_model_update" => {
            settled_model(raw).map_or_else(|| other(kind, None), Update::Model)
        }
        "usage_update" => Update::Usage { model: usage_model(raw) },
        "session_info_update" => Update::SessionInfo(raw),
        _ => other(kind, None),
    }
}

fn other(kind: &str, implies: Option<Implies>) -> Update<'static> {
    Update::Other { name: text::head(kind, NAME_LIMIT_BYTES).to_owned(), implies }
}

fn unreadable(kind: &str, implies: Implies) -> Update<'static> {
    other(kind, Some(implies))
}

fn name(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).map_or_else(String::new, |id| text::head(id, NAME_LIMIT_BYTES).to_owned())
}

fn chunk(raw: &Value) -> Option<Chunk> {
    let content = raw.get("content")?;
    let (text, beyond_text) = match content.get("type")?.as_str()? {
        "text" => (content.get("text")?.as_str()?.to_owned(), false),
        _ => (String::new(), true),
    };
    let message_id = raw.get("messageId").and_then(Value::as_str);
    let message_id = message_id.map(|id| text::head(id, NAME_LIMIT_BYTES).to_owned());
    Some(Chunk { text: Raw::new(text), beyond_text, message_id })
}

fn tool_call(raw: &Value) -> Update<'static> {
    let title = raw.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
    Update::ToolCall { id: name(raw.get("toolCallId")), title, status: status(raw).unwrap_or(ToolStatus::Pending) }
}

fn status(raw: &Value) -> Option<ToolStatus> {
    raw.get("status")?.as_str()?.parse().ok()
}

/// The model that a configuration update or a response publishes: the option of category `model`, or the older
/// `currentModelId`. An empty or malformed id publishes nothing (.22).
pub(crate) fn settled_model(raw: &Value) -> Option<ModelId> {
    let options = raw.get("configOptions").and_then(Value::as_array);
    let option = options.into_iter().flatten().find(|option| option.get("category").is_some_and(|c| c == "model"));
    let current = option
        .and_then(|option| option.get("currentValue"))
        .or_else(|| raw.get("currentModelId"))
        .or_else(|| raw.get("models")?.get("currentModelId"));
    ModelId::new(current?.as_str()?).ok()
}

fn usage_model(raw: &Value) -> Option<ModelId> {
    ModelId::new(raw.get("_meta")?.get("_claude/model")?.as_str()?).ok()
}

/// Text of a result's failure notice (`_meta.jetbrains.air.sessionFailure`), unless the notice is only a warning. Its kind
/// words decide nothing.
pub(in crate::acp) fn session_failure(result: &Value) -> Option<String> {
    let notice = result.get("_meta")?.get("jetbrains")?.get("air")?;
    let severity = notice.get("sessionFailure")?.get("severity");
    if severity.is_some_and(|severity| severity != "error") {
        return None;
    }
    failure_text(notice)
}

#[cfg(test)]
mod tests;

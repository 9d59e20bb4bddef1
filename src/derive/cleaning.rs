//! Raw frames to clean ones. The only place of this room that touches the redactor.

use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::fixture::Frame;
use crate::redact::{Payload, Raw, Redactor, Scope};
use crate::text::contains_normalized;

/// Redacts every text of the frames under one scope, so that equal values stay equal.
///
/// # Errors
/// When redaction would change whether the terminal contains a chunk.
pub(super) fn clean(frames: Vec<Frame>, redactor: &Redactor) -> Result<Vec<Frame>, Refusal> {
    let mut scope = redactor.scope::<Payload>();
    let raw = contained(&frames);
    let cleaned: Vec<Frame> = frames.into_iter().map(|frame| frame_of(frame, &mut scope)).collect();
    match raw.iter().zip(contained(&cleaned)).position(|(before, after)| *before != after) {
        Some(index) => Err(Refusal::Containment { frame: index + 1 }),
        None => Ok(cleaned),
    }
}

/// A provenance text without anything that may not be in one.
pub(super) fn provenance(text: &str, redactor: &Redactor) -> String {
    redactor.scope::<Payload>().clean(Raw::new(text)).into_string()
}

/// For each frame, whether the terminal contains its text.
fn contained(frames: &[Frame]) -> Vec<bool> {
    let message = frames.iter().rev().find_map(|frame| match frame {
        Frame::PromptError { message, .. } => Some(message.as_str()),
        _ => None,
    });
    let inside = |frame: &Frame| match (frame, message) {
        (Frame::MessageChunk { text, .. }, Some(message)) => contains_normalized(message, text),
        _ => false,
    };
    frames.iter().map(inside).collect()
}

fn frame_of(frame: Frame, scope: &mut Scope<Payload>) -> Frame {
    let mut text = |raw: String| scope.clean(Raw::new(&raw)).into_string();
    match frame {
        Frame::MessageChunk { role, text: raw, origin } => Frame::MessageChunk { role, text: text(raw), origin },
        Frame::ThoughtChunk { text: raw } => Frame::ThoughtChunk { text: text(raw) },
        Frame::ToolCall { id, title, status } => Frame::ToolCall { id, title: title.map(text), status },
        Frame::ModelSettled { model } => Frame::ModelSettled { model: text(model) },
        Frame::ModelUsage { model } => Frame::ModelUsage { model: text(model) },
        Frame::PromptError { code, message, data } => {
            let message = text(message);
            Frame::PromptError { code, message, data: data.map(|data| value_of(data, scope)) }
        }
        other => other,
    }
}

fn value_of(value: Value, scope: &mut Scope<Payload>) -> Value {
    match value {
        Value::String(text) => Value::from(scope.clean(Raw::new(&text)).into_string()),
        Value::Array(items) => items.into_iter().map(|item| value_of(item, scope)).collect(),
        Value::Object(map) => {
            let clean = map.into_iter().map(|(key, value)| {
                let key = scope.clean(Raw::new(&key)).into_string();
                (key, value_of(value, scope))
            });
            Value::Object(clean.collect::<Map<String, Value>>())
        }
        other => other,
    }
}

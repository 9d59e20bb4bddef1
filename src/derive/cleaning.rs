//! Raw frames to clean ones. The only place of this room that touches the redactor.

use std::collections::BTreeMap;

use serde_json::Value;

use super::refusal::Refusal;
use crate::fixture::Frame;
use crate::redact::{Payload, Profile, Raw, Redactor, Scope};
use crate::text::contains_normalized;
use crate::vocab::{ShapeId, Tier};

/// Redacts every text of the frames under one scope, so that equal values stay equal. Neighbouring pieces of one message
/// are read together, so that nothing hides in a seam.
///
/// # Errors
/// When redaction would change whether the terminal contains a chunk.
pub(super) fn clean(mut frames: Vec<Frame>, redactor: &Redactor) -> Result<Vec<Frame>, Refusal> {
    let mut scope = redactor.scope::<Payload>();
    let raw = contained(&frames);
    let groups = groups(&frames);
    let texts: Vec<Vec<String>> =
        groups.iter().map(|group| group.iter().map(|at| text_of(&frames[*at])).collect()).collect();
    let pieces: Vec<Vec<Raw<&str>>> =
        texts.iter().map(|group| group.iter().map(|text| Raw::new(text.as_str())).collect()).collect();
    scope.learn(pieces.iter().map(Vec::as_slice));
    for (group, pieces) in groups.iter().zip(&pieces) {
        for (at, clean) in group.iter().zip(scope.clean_pieces(pieces)) {
            set_text(&mut frames[*at], clean.into_string());
        }
    }
    for frame in &mut frames {
        match frame {
            Frame::PromptError { data: Some(data), .. } => *data = clean_json(data, &mut scope),
            Frame::SessionInfo { meta } | Frame::PromptResult { meta: Some(meta), .. } => {
                // An object stays one: redaction rewrites strings.
                if let Value::Object(clean) = clean_json(&Value::Object(std::mem::take(meta)), &mut scope) {
                    *meta = clean;
                }
            }
            _ => {}
        }
    }
    if let Some(index) = raw.iter().zip(contained(&frames)).position(|(before, after)| *before != after) {
        return Err(Refusal::Containment { frame: index + 1 });
    }
    // A piece whose whole text was the end of a value that begins in the piece before it.
    frames.retain(|frame| !matches!(frame, Frame::MessageChunk { text, .. } | Frame::ThoughtChunk { text } if text.trim().is_empty()));
    Ok(frames)
}

/// A provenance text without anything that may not be in one.
pub(super) fn provenance(text: &str, redactor: &Redactor) -> String {
    if redactor.scan(Tier::Provenance, Profile::Standard, text).is_empty() {
        return text.to_owned();
    }
    redactor.clean::<Payload>(Raw::new(text)).into_string()
}

/// How often each shape is in the frames, by shape.
pub(super) fn tally(frames: &[Frame], redactor: &Redactor) -> Vec<(ShapeId, usize)> {
    let mut counts = BTreeMap::new();
    for frame in frames {
        let mut hits = redactor.scan(Tier::Payload, Profile::Standard, &text_of(frame));
        let json = match frame {
            Frame::PromptError { data: Some(data), .. } => Some(data.to_string()),
            Frame::SessionInfo { meta } | Frame::PromptResult { meta: Some(meta), .. } => {
                Some(Value::Object(meta.clone()).to_string())
            }
            _ => None,
        };
        if let Some(json) = json {
            hits.extend(redactor.scan_json(Tier::Payload, Profile::Standard, &json));
        }
        for hit in hits {
            *counts.entry(hit.shape).or_insert(0) += 1;
        }
    }
    counts.into_iter().collect()
}

/// Positions of the frames whose texts are pieces of one message.
fn groups(frames: &[Frame]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        let joins = at > 0 && continues(&frames[at - 1], frame);
        match groups.last_mut() {
            Some(group) if joins => group.push(at),
            _ => groups.push(vec![at]),
        }
    }
    groups
}

fn continues(before: &Frame, frame: &Frame) -> bool {
    match (before, frame) {
        (Frame::MessageChunk { role: one, origin: from, .. }, Frame::MessageChunk { role: other, origin, .. }) => {
            one == other && from == origin
        }
        (Frame::ThoughtChunk { .. }, Frame::ThoughtChunk { .. }) => true,
        _ => false,
    }
}

fn text_of(frame: &Frame) -> String {
    match frame {
        Frame::MessageChunk { text, .. } | Frame::ThoughtChunk { text } => text.clone(),
        Frame::ToolCall { title, .. } => title.clone().unwrap_or_default(),
        Frame::ModelSettled { model } | Frame::ModelUsage { model } => model.clone(),
        Frame::PromptError { message, .. } => message.clone(),
        Frame::PromptResult { stop_reason, .. } => stop_reason.clone(),
        Frame::Exit { stderr: Some(stderr), .. } => stderr.clone(),
        _ => String::new(),
    }
}

fn set_text(frame: &mut Frame, clean: String) {
    match frame {
        Frame::MessageChunk { text, .. } | Frame::ThoughtChunk { text } => *text = clean,
        Frame::ToolCall { title: Some(title), .. } => *title = clean,
        Frame::ModelSettled { model } | Frame::ModelUsage { model } => *model = clean,
        Frame::PromptError { message, .. } => *message = clean,
        Frame::PromptResult { stop_reason, .. } => *stop_reason = clean,
        Frame::Exit { stderr: Some(stderr), .. } => *stderr = clean,
        _ => {}
    }
}

/// The rewritten document is JSON again; should it not be, nothing of it stays.
fn clean_json(data: &Value, scope: &mut Scope<Payload>) -> Value {
    let clean = scope.clean_json(Raw::new(&data.to_string()));
    serde_json::from_str(clean.as_str()).unwrap_or(Value::Null)
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

//! A replay step by step, for people: what the transport gave and what the evidence made of it.
//!
//! Invariant: texts are sanitized before they are shown.
//!
//! Must not know: colours, columns.

use super::exchange::Observation;
use super::run::Failed;
use crate::acp::event::{Event, EventKind, ProviderError};
use crate::acp::session::Knowledge;
use crate::recovery::{Attempt, Observed, Recorded};
use crate::redact::{Clean, Diagnostic, Raw, Scope};
use crate::text;
use crate::vocab::Token;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The word of the step; `None` for one that `expect.events` does not count.
    pub token: Option<Token>,
    /// What it is, when it has no word, or the metadata of a failure.
    pub name: String,
    /// Sanitized text, when it has one.
    pub text: Option<Clean<Diagnostic>>,
    /// What the evidence layer made of it, short phrases in order.
    pub notes: Vec<String>,
}

/// The rows of one replay.
pub(super) fn steps(
    observation: &Observation,
    failure: Option<&Failed<'_>>,
    recorded: Option<&Recorded>,
    attempt: &Attempt,
    knowledge: Knowledge<'_>,
) -> Vec<Step> {
    let mut scope = knowledge.redactor.scope();
    let mut seen = Attempt::begin(attempt.invocation().clone());
    let mut rows: Vec<Step> = observation.events.iter().map(|event| row(event, &mut seen, &mut scope)).collect();
    match (failure, &observation.terminal) {
        (Some(failed), _) => rows.push(failed_row(failed, recorded, attempt)),
        (None, Some(event)) => rows.push(row(event, &mut seen, &mut scope)),
        (None, None) => rows.push(Step {
            token: None,
            name: "never settled".to_owned(),
            text: None,
            notes: vec!["everything came to rest and the prompt had not returned".to_owned()],
        }),
    }
    rows
}

fn row(event: &Event, seen: &mut Attempt, scope: &mut Scope<Diagnostic>) -> Step {
    let before = seen.clone();
    let observed = seen.observe(event);
    Step { token: event.token(), name: name(event), text: shown(event, scope), notes: notes(&before, seen, observed) }
}

fn notes(before: &Attempt, after: &Attempt, observed: Observed) -> Vec<String> {
    let mut notes = Vec::new();
    match observed {
        Observed::Stale => notes.push("stale: ignored".to_owned()),
        Observed::Unidentified => notes.push("no identity: evidence unknown".to_owned()),
        Observed::Current => {}
    }
    match (before.diagnostic(), after.diagnostic()) {
        (None, Some(recorded)) => notes.push(format!("diagnostic = {}, text kept", recorded.code)),
        (Some(_), None) => notes.push("diagnostic cleared".to_owned()),
        _ => {}
    }
    if !before.output() && after.output() {
        notes.push("output seen".to_owned());
    }
    if !before.effect() && after.effect() {
        notes.push("effect seen".to_owned());
    }
    notes
}

fn failed_row(failed: &Failed<'_>, recorded: Option<&Recorded>, attempt: &Attempt) -> Step {
    let classification = &failed.classification;
    let rule = classification.rule.as_ref().map_or_else(|| "phase fallback".to_owned(), |rule| format!("rule {rule}"));
    let mut notes = vec![format!("terminal = {} ({}, {rule})", classification.code, classification.confidence)];
    if let Some(recorded) = recorded {
        let contained = text::contains_normalized(failed.error.message.as_str(), &recorded.text);
        notes.push(format!("contained: {}", yes(contained)));
    }
    notes.push(format!("output: {}", yes(attempt.output())));
    notes.push(format!("effect: {}", yes(attempt.effect())));
    Step { token: Some(Token::Error), name: metadata(failed.error), text: Some(failed.error.message.clone()), notes }
}

fn metadata(error: &ProviderError) -> String {
    let code = (error.rpc_code != 0).then(|| error.rpc_code.to_string());
    code.into_iter().chain(error.error_kind.clone()).collect::<Vec<_>>().join(" ")
}

const fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

fn name(event: &Event) -> String {
    match &event.kind {
        EventKind::ModelSettled(_) => "model_settled".to_owned(),
        EventKind::ModelUsage(_) => "model_usage".to_owned(),
        EventKind::SessionInfo => "session_info".to_owned(),
        EventKind::Overlap => "overlap".to_owned(),
        EventKind::ToolUpdate { status: Some(status), .. } | EventKind::ToolCall { status, .. } => status.to_string(),
        EventKind::Complete { stop_reason: word } | EventKind::Other { name: word, .. } => plain(word),
        _ => String::new(),
    }
}

/// An agent's own word, if it is one that can be shown.
fn plain(word: &str) -> String {
    let harmless = word.len() <= 40 && word.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_/".contains(&byte));
    if harmless { word.to_owned() } else { String::new() }
}

fn shown(event: &Event, scope: &mut Scope<Diagnostic>) -> Option<Clean<Diagnostic>> {
    let raw = match &event.kind {
        EventKind::AssistantChunk { marker: Some(marker), .. } => return Some(marker.text().clone()),
        EventKind::AssistantChunk { chunk, marker: None }
        | EventKind::UserChunk(chunk)
        | EventKind::ThoughtChunk(chunk) => chunk.text.as_inner(),
        EventKind::ToolCall { title, .. } => title.as_inner(),
        EventKind::ModelSettled(model) | EventKind::ModelUsage(Some(model)) => model.as_str(),
        _ => return None,
    };
    Some(scope.clean(Raw::new(raw)))
}

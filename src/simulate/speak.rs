//! Effects and events as lines. Nothing here is read back.

use jiff::Timestamp;

use super::timeline::Voice;
use crate::acp::event::{Event, EventKind};
use crate::recovery::notice::Notice;
use crate::recovery::retry::{Answer, Dispatch, Effect, Manual, Prepare, Target};
use crate::recovery::transcript::TranscriptEffect;
use crate::text;

/// Longest text of a line, in bytes.
const TEXT_LIMIT_BYTES: usize = 80;

/// A text in quotes, on one line, with its end cut.
pub(super) fn quoted(text: &str) -> String {
    let line = text::normalized(&text::without_control(text));
    let head = text::head(&line, TEXT_LIMIT_BYTES);
    if head.len() < line.len() { format!("\"{head}…\"") } else { format!("\"{head}\"") }
}

/// An instant as seconds since the start.
pub(super) fn instant(at: Timestamp, start: Timestamp) -> String {
    let ms = at.as_millisecond().saturating_sub(start.as_millisecond());
    format!("{}.{:03} s", ms.div_euclid(1_000), ms.rem_euclid(1_000))
}

pub(super) fn effect(effect: &Effect, start: Timestamp) -> String {
    match effect {
        Effect::Prepare(prepare) => prepared(prepare),
        Effect::Dispatch(dispatch) => dispatched(dispatch),
        Effect::StartFresh { prompt, target } => {
            format!("start fresh with {} to {}", quoted(prompt.as_str()), to(target))
        }
        Effect::ArmTimer { timer, at } => format!("arm timer {} for {}", timer.number(), instant(*at, start)),
        Effect::DisarmTimer(timer) => format!("disarm timer {}", timer.number()),
        Effect::AbandonPrompt(invocation) => {
            format!("abandon generation {} under {}", invocation.generation, invocation.execution)
        }
        Effect::NoticeWritten(notice) => written(notice, start),
        Effect::NoticeRetired(id) => format!("notice {} retired", id.number()),
        Effect::NoticeStorageFailed { operation, notice, error } => {
            let which = notice.map_or_else(String::new, |id| format!(" {}", id.number()));
            format!("notice storage failed to {}{which}: {error}", operation.as_str())
        }
        Effect::Manual(manual) => decided(manual),
        Effect::Reply(Answer::Idle) => "reply idle".to_owned(),
        Effect::Reply(Answer::Done) => "reply done".to_owned(),
    }
}

fn prepared(prepare: &Prepare) -> String {
    let not = prepare.not_under.as_ref().map_or_else(String::new, |execution| format!(", not under {execution}"));
    format!("prepare generation {} for {}{not}", prepare.reservation.generation, to(&prepare.target))
}

fn dispatched(dispatch: &Dispatch) -> String {
    let (invocation, reason) = (&dispatch.invocation, dispatch.reason.as_str());
    format!(
        "dispatch attempt {} ({reason}) generation {} under {} to {}: {}",
        dispatch.attempt,
        invocation.generation,
        invocation.execution,
        to(&dispatch.target),
        quoted(dispatch.prompt.as_str())
    )
}

fn to(target: &Target) -> String {
    let model = target.model.as_ref().map_or_else(String::new, |model| format!(" model {model}"));
    format!("{}{model}", target.provider)
}

fn written(notice: &Notice, start: Timestamp) -> String {
    format!(
        "notice written: {} {} at {}, attempt {} of {}, due {}",
        notice.state.as_str(),
        notice.code,
        notice.provider,
        notice.attempt,
        notice.max_attempts,
        instant(notice.deadline, start)
    )
}

fn decided(manual: &Manual) -> String {
    let words: Vec<_> = manual.refusals.iter().map(|refusal| refusal.as_str()).collect();
    let refusals = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let code = manual.code.map_or_else(String::new, |code| format!(" after {code}"));
    let actions: Vec<_> = manual.actions.iter().map(|action| action.as_str()).collect();
    format!("manual recovery{code}: {}{refusals}; offered: {}", manual.reason.as_str(), actions.join(", "))
}

pub(super) fn transcript(effect: &TranscriptEffect) -> String {
    match effect {
        TranscriptEffect::Show { record, part, text } => {
            format!("show record {} ({}) {}", record.number(), part.as_str(), quoted(text))
        }
        TranscriptEffect::Remove(record) => format!("remove record {}", record.number()),
        TranscriptEffect::History { record, text } => format!("history record {} {}", record.number(), quoted(text)),
        TranscriptEffect::StorageFailed { record, removal, error } => {
            let what = if *removal { "remove" } else { "write" };
            format!("transcript storage failed to {what} record {}: {error}", record.number())
        }
    }
}

/// An event, for those that have a word.
pub(super) fn event(event: &Event) -> Option<(Voice, String)> {
    let token = event.token().map(|token| token.as_str());
    let word = match (&event.kind, token) {
        (EventKind::Failure(error), _) => format!("error {}", quoted(error.message.as_str())),
        (EventKind::Overlap, _) => "overlap".to_owned(),
        (EventKind::ModelSettled(model), _) => format!("model {model}"),
        (EventKind::Other { name, implies: Some(_) }, _) => format!("other {name}"),
        (_, Some(token)) => token.to_owned(),
        (_, None) => return None,
    };
    let of = event.invocation.as_ref().map_or_else(String::new, |of| format!(" of generation {}", of.generation));
    Some((Voice::Event, format!("{word}{of}")))
}

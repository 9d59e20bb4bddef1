//! Effects and events as lines. Nothing here is read back, and no line holds what a fixture may not hold.

use jiff::Timestamp;

use super::timeline::Voice;
use crate::acp::event::{Event, EventKind};
use crate::recovery::notice::Notice;
use crate::recovery::retry::{Answer, Dispatch, Effect, Manual, Prepare, Target};
use crate::recovery::transcript::TranscriptEffect;
use crate::redact::{Payload, Raw, Scope};
use crate::text;

/// Longest text of a line, in bytes.
const TEXT_LIMIT_BYTES: usize = 80;

/// Writes the lines of one run; equal values get equal placeholders.
pub(super) struct Speaker {
    start: Timestamp,
    scope: Scope<Payload>,
}

impl Speaker {
    pub(super) const fn new(start: Timestamp, scope: Scope<Payload>) -> Self {
        Self { start, scope }
    }

    /// A text in quotes, on one line, cleaned before its end is cut.
    pub(super) fn quoted(&mut self, text: &str) -> String {
        let line = self.line(text);
        let head = text::head(&line, TEXT_LIMIT_BYTES);
        if head.len() < line.len() { format!("\"{head}…\"") } else { format!("\"{head}\"") }
    }

    /// A whole line, cleaned.
    pub(super) fn line(&mut self, text: &str) -> String {
        let line = text::normalized(&text::without_control(text));
        self.scope.clean(Raw::new(&line)).into_string()
    }

    /// An instant as seconds since the start.
    fn instant(&self, at: Timestamp) -> String {
        let ms = at.as_millisecond().saturating_sub(self.start.as_millisecond());
        format!("{}.{:03} s", ms.div_euclid(1_000), ms.rem_euclid(1_000))
    }

    pub(super) fn effect(&mut self, effect: &Effect) -> String {
        match effect {
            Effect::Prepare(prepare) => prepared(prepare),
            Effect::Dispatch(dispatch) => self.dispatched(dispatch),
            Effect::StartFresh { prompt, target } => {
                format!("start fresh with {} to {}", self.quoted(prompt.as_str()), to(target))
            }
            Effect::ArmTimer { timer, at } => format!("arm timer {} for {}", timer.number(), self.instant(*at)),
            Effect::DisarmTimer(timer) => format!("disarm timer {}", timer.number()),
            Effect::AbandonPrompt(invocation) => {
                format!("abandon generation {} under {}", invocation.generation, invocation.execution)
            }
            Effect::NoticeWritten(notice) => self.written(notice),
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

    fn dispatched(&mut self, dispatch: &Dispatch) -> String {
        let (invocation, reason) = (&dispatch.invocation, dispatch.reason.as_str());
        format!(
            "dispatch attempt {} ({reason}) generation {} under {} to {}: {}",
            dispatch.attempt,
            invocation.generation,
            invocation.execution,
            to(&dispatch.target),
            self.quoted(dispatch.prompt.as_str())
        )
    }

    fn written(&self, notice: &Notice) -> String {
        format!(
            "notice written: {} {} at {}, attempt {} of {}, due {}",
            notice.state.as_str(),
            notice.code,
            notice.provider,
            notice.attempt,
            notice.max_attempts,
            self.instant(notice.deadline)
        )
    }

    pub(super) fn transcript(&mut self, effect: &TranscriptEffect) -> String {
        match effect {
            TranscriptEffect::Show { record, part, text } => {
                format!("show record {} ({}) {}", record.number(), part.as_str(), self.quoted(text))
            }
            TranscriptEffect::Remove(record) => format!("remove record {}", record.number()),
            TranscriptEffect::History { record, text } => {
                format!("history record {} {}", record.number(), self.quoted(text))
            }
            TranscriptEffect::StorageFailed { record, removal, error } => {
                let what = if *removal { "remove" } else { "write" };
                format!("transcript storage failed to {what} record {}: {error}", record.number())
            }
        }
    }

    /// An event, for those that have a word.
    pub(super) fn event(&mut self, event: &Event) -> Option<(Voice, String)> {
        let token = event.token().map(|token| token.as_str());
        let word = match (&event.kind, token) {
            (EventKind::Failure(error), _) => format!("error {}", self.quoted(error.message.as_str())),
            (EventKind::Overlap, _) => "overlap".to_owned(),
            (EventKind::ModelSettled(model), _) => format!("model {model}"),
            (EventKind::Other { name, implies: Some(_) }, _) => format!("other {name}"),
            (_, Some(token)) => token.to_owned(),
            (_, None) => return None,
        };
        let of = event.invocation.as_ref().map_or_else(String::new, |of| format!(" of generation {}", of.generation));
        Some((Voice::Event, format!("{word}{of}")))
    }
}

fn prepared(prepare: &Prepare) -> String {
    let not = prepare.not_under.as_ref().map_or_else(String::new, |execution| format!(", not under {execution}"));
    format!("prepare generation {} for {}{not}", prepare.reservation.generation, to(&prepare.target))
}

fn to(target: &Target) -> String {
    let model = target.model.as_ref().map_or_else(String::new, |model| format!(" model {model}"));
    format!("{}{model}", target.provider)
}

fn decided(manual: &Manual) -> String {
    let words: Vec<_> = manual.refusals.iter().map(|refusal| refusal.as_str()).collect();
    let refusals = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let code = manual.code.map_or_else(String::new, |code| format!(" after {code}"));
    let actions: Vec<_> = manual.actions.iter().map(|action| action.as_str()).collect();
    format!("manual recovery{code}: {}{refusals}; offered: {}", manual.reason.as_str(), actions.join(", "))
}

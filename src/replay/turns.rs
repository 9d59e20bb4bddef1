//! A transcript through both layers: one verdict a prompt, with the attempt's evidence applied.
//!
//! Invariant: every prompt of the transcript gives exactly one turn, in the order they were sent; without any prompt a
//! failed launch or session gives one turn, number 0.
//!
//! Must not know: where the transcript is stored.

use serde::Serialize;
use serde_json::Value;

use super::run::Setting;
use crate::acp::dialogue::{AgentNames, Departure, Dialogue};
use crate::acp::event::{End, Event, EventKind, ProviderError};
use crate::acp::frame::{self, Frame};
use crate::classify::Classification;
use crate::recording::{Observed, Recording};
use crate::recovery::{Attempt, Decision, Means, Refusal, Terminal, disposition};
use crate::vocab::{AgentId, Class, Code, Confidence, Disposition, ErrorSource, ExecutionId, Phase, RuleId, word_enum};

word_enum! {
    /// How a turn of a transcript ended.
    pub enum TurnEnd("turn end") {
        /// The prompt was answered with an error.
        PromptError = "prompt_error",
        /// The prompt was answered with a result.
        PromptResult = "prompt_result",
        /// The agent process ended before it answered.
        Exit = "exit",
        /// Starting the agent or opening the session failed.
        SessionError = "session_error",
        /// The transcript ends before the prompt was answered.
        Unanswered = "unanswered",
        /// The transcript ends before any prompt was sent, and nothing failed.
        Unprompted = "unprompted",
    }
}

/// One prompt of a transcript and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Position from 1 in the order the prompts were sent; 0 for a failure before any prompt.
    pub number: usize,
    /// The negotiated agent.
    pub provider: Option<AgentId>,
    /// How it ended.
    pub end: TurnEnd,
    /// What the failure classifies to; `None` when the turn did not fail.
    pub classification: Option<Classification>,
    /// Whether the failure came before any result and without any effect.
    pub pre_result_safe: bool,
    /// What may happen next; `None` when the turn did not fail.
    pub decision: Option<Decision>,
}

/// A turn as the machine interface prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnLine<'t> {
    /// The transcript.
    pub file: &'t str,
    /// Position from 1; 0 for a failure before any prompt.
    pub turn: usize,
    /// Semantic code; `null` when the turn did not fail.
    pub code: Option<Code>,
    /// Its class.
    pub class: Option<Class>,
    /// Confidence.
    pub confidence: Option<Confidence>,
    /// The rule that decided; `null` for the phase fallback.
    pub rule: Option<&'t RuleId>,
    /// Whether the failure came before any result and without any effect.
    pub pre_result_safe: bool,
    /// What may happen next; `null` when the turn did not fail.
    pub disposition: Option<Disposition>,
    /// Why it is not an automatic retry.
    pub reasons: &'t [Refusal],
    /// How it ended.
    pub terminal: TurnEnd,
}

impl Turn {
    /// The turn as a line about `file`.
    #[must_use]
    pub fn line<'t>(&'t self, file: &'t str) -> TurnLine<'t> {
        let classification = self.classification.as_ref();
        TurnLine {
            file,
            turn: self.number,
            code: classification.map(|verdict| verdict.code),
            class: classification.map(Classification::class),
            confidence: classification.map(|verdict| verdict.confidence),
            rule: classification.and_then(|verdict| verdict.rule.as_ref()),
            pre_result_safe: self.pre_result_safe,
            disposition: self.decision.as_ref().map(|decision| decision.disposition),
            reasons: self.decision.as_ref().map_or(&[], |decision| &decision.refusals),
            terminal: self.end,
        }
    }
}

/// Every turn of a transcript. `agent` names the agent when the transcript itself can not; `names` reads what it says.
#[must_use]
pub fn turns(recording: &Recording, agent: Option<AgentId>, names: AgentNames<'_>, setting: Setting<'_>) -> Vec<Turn> {
    let Ok(execution) = ExecutionId::new("transcript") else {
        return Vec::new();
    };
    let dialogue = Dialogue::new(setting.knowledge, names, execution).with_agent(agent);
    let mut reader = Reader { dialogue, open: Vec::new(), early: None, stderr: Vec::new() };
    for entry in &recording.entries {
        reader.read(&entry.what);
    }
    reader.verdicts(setting)
}

/// One prompt that was sent.
struct Open {
    attempt: Attempt,
    terminal: Option<Event>,
    /// Whether the client cancelled it before it was answered.
    cancelled: bool,
}

impl Open {
    fn is_waiting_in(&self, session: &str) -> bool {
        self.terminal.is_none() && self.attempt.invocation().session.as_str() == session
    }
}

struct Reader<'k, 'r> {
    dialogue: Dialogue<'k>,
    open: Vec<Open>,
    /// The first failure before any prompt.
    early: Option<Event>,
    /// Managed stderr since the last prompt was sent.
    stderr: Vec<&'r str>,
}

impl<'r> Reader<'_, 'r> {
    fn read(&mut self, what: &'r Observed) {
        let events = match what {
            Observed::ToAgent(value) => self.sent(&frame::from_value(value.clone())),
            Observed::ToClient(value) => self.dialogue.to_client(&frame::from_value(value.clone())),
            Observed::Unparsed { from_agent: true, text } => self.dialogue.to_client(&frame::decode(text.as_bytes())),
            Observed::Unparsed { .. } => Vec::new(),
            Observed::Stderr(text) => {
                self.stderr.push(text);
                Vec::new()
            }
            Observed::Exit { code, signal, how } => {
                let departure = self.departure(*code, *signal, how.as_deref());
                self.dialogue.gone(&departure)
            }
        };
        for event in events {
            self.observe(event);
        }
    }

    /// When the client ended the agent, a prompt without an answer had stalled: how the agent went down and what it
    /// printed says nothing about the provider.
    fn departure(&self, code: Option<i32>, signal: Option<i32>, how: Option<&str>) -> Departure {
        let stalled = self.open.iter().any(|open| open.terminal.is_none());
        if stalled && how.is_some_and(|how| how != "self_exit") {
            return Departure::default();
        }
        let stderr = (!self.stderr.is_empty()).then(|| self.stderr.join("\n"));
        Departure { code, signal, stderr }
    }

    fn sent(&mut self, frame: &Frame) -> Vec<Event> {
        let events = self.dialogue.to_agent(frame);
        for invocation in &self.dialogue.prompts()[self.open.len()..] {
            self.open.push(Open { attempt: Attempt::begin(invocation.clone()), terminal: None, cancelled: false });
            self.stderr.clear();
        }
        if let Frame::Notification { method, params } = frame
            && method == "session/cancel"
        {
            let session = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
            for open in self.open.iter_mut().filter(|open| open.is_waiting_in(session)) {
                open.cancelled = true;
            }
        }
        events
    }

    fn observe(&mut self, event: Event) {
        let open = self.open.iter_mut().rfind(|open| Some(open.attempt.invocation()) == event.invocation.as_ref());
        match (open, &event.kind) {
            (Some(open), kind) => {
                open.attempt.observe(&event);
                if matches!(kind, EventKind::Failure(_) | EventKind::Complete { .. }) {
                    open.terminal = Some(event);
                }
            }
            (None, EventKind::Failure(_)) => {
                self.early.get_or_insert(event);
            }
            (None, _) => {}
        }
    }

    fn verdicts(self, setting: Setting<'_>) -> Vec<Turn> {
        let provider = self.dialogue.agent().cloned();
        if self.open.is_empty() {
            let failed = self.early.iter().filter_map(|event| match &event.kind {
                EventKind::Failure(error) => Some(unopened(event, error, provider.clone(), setting)),
                _ => None,
            });
            let failed: Vec<Turn> = failed.collect();
            return if failed.is_empty() { vec![unprompted(provider)] } else { failed };
        }
        let turn = |(index, open): (usize, &Open)| verdict(index + 1, open, provider.clone(), setting);
        self.open.iter().enumerate().map(turn).collect()
    }
}

fn verdict(number: usize, open: &Open, provider: Option<AgentId>, setting: Setting<'_>) -> Turn {
    let Open { attempt, terminal, cancelled } = open;
    let mut turn = Turn {
        number,
        provider,
        end: TurnEnd::Unanswered,
        classification: None,
        pre_result_safe: false,
        decision: None,
    };
    match terminal.as_ref().map(|event| (event, &event.kind)) {
        Some((event, EventKind::Failure(error))) => {
            let classification = classified(event, error, attempt.phase(), setting);
            if let Some(terminal) = Terminal::new(event, &classification) {
                turn.pre_result_safe = attempt.pre_result_safe(&terminal).is_ok();
                let mut decision = disposition(&terminal, attempt, Means::interactive(0), setting.now);
                if *cancelled {
                    // Whatever fails after the client's own cancel is the cancel, not the provider.
                    decision.disposition = Disposition::ManualRecovery;
                    decision.refusals.push(Refusal::CancelledByClient);
                }
                turn.decision = Some(decision);
            }
            turn.end = end(error);
            turn.classification = Some(classification);
        }
        Some(_) => turn.end = TurnEnd::PromptResult,
        None => {}
    }
    turn
}

/// Nothing failed and nothing was prompted.
const fn unprompted(provider: Option<AgentId>) -> Turn {
    Turn { number: 0, provider, end: TurnEnd::Unprompted, classification: None, pre_result_safe: false, decision: None }
}

/// A failure before any prompt: nothing was sent, so there is no attempt whose evidence could authorize anything.
fn unopened(event: &Event, error: &ProviderError, provider: Option<AgentId>, setting: Setting<'_>) -> Turn {
    let phase = if error.source == ErrorSource::AcpConnection { Phase::ProcessStart } else { Phase::SessionInit };
    Turn {
        number: 0,
        provider,
        end: if end(error) == TurnEnd::Exit { TurnEnd::Exit } else { TurnEnd::SessionError },
        classification: Some(classified(event, error, phase, setting)),
        pre_result_safe: false,
        decision: Some(Decision { disposition: Disposition::ManualRecovery, refusals: vec![Refusal::EvidenceUnknown] }),
    }
}

fn classified(event: &Event, error: &ProviderError, phase: Phase, setting: Setting<'_>) -> Classification {
    setting.knowledge.classifier.classify(&error.evidence(event.invocation.as_ref(), phase), setting.now)
}

const fn end(error: &ProviderError) -> TurnEnd {
    match error.end {
        End::Error => TurnEnd::PromptError,
        End::Result { .. } => TurnEnd::PromptResult,
        End::Gone { .. } => TurnEnd::Exit,
    }
}

#[cfg(test)]
mod tests;

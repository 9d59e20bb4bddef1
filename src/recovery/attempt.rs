//! One prompt generation under one execution and what it proves (criteria .16, .20, .21, .23).
//!
//! Invariant: fences only rise; a diagnostic is recorded once and only from a marker; foreign events change nothing.
//!
//! Must not know: texts of chunks. It reads a marker's sanitized text and never looks for one.

use super::refusal::Refusal;
use crate::acp::event::{End, Event, EventKind, Implies, ProviderError};
use crate::classify::Classification;
use crate::text;
use crate::vocab::{Code, Confidence, ErrorSource, Invocation, Phase};

/// The recorded diagnostic: code and normalized text, always both (.23).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Code of the marked chunk.
    pub code: Code,
    /// Its sanitized text, trimmed and with white space collapsed.
    pub text: String,
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Observed {
    /// It belongs to this attempt.
    Current,
    /// It belongs to another attempt, or came after the attempt was shut down: counted, otherwise ignored.
    Stale,
    /// It carried no identity: from now on the evidence is not known.
    Unidentified,
}

/// A terminal failure and what it classifies to.
#[derive(Debug, Clone, Copy)]
pub struct Terminal<'a> {
    invocation: Option<&'a Invocation>,
    error: &'a ProviderError,
    classification: &'a Classification,
}

impl<'a> Terminal<'a> {
    /// `None` when the event is no failure.
    #[must_use]
    pub fn new(event: &'a Event, classification: &'a Classification) -> Option<Self> {
        match &event.kind {
            EventKind::Failure(error) => Some(Self { invocation: event.invocation.as_ref(), error, classification }),
            _ => None,
        }
    }

    /// What the failure classifies to.
    #[must_use]
    pub const fn classification(&self) -> &'a Classification {
        self.classification
    }
}

/// Evidence of one attempt. A second attempt of the session is a new value; this one never changes into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    invocation: Invocation,
    phase: Phase,
    output: bool,
    effect: bool,
    overlapping: bool,
    unidentified: bool,
    diagnostic: Option<Recorded>,
    stale: u64,
}

impl Attempt {
    /// The prompt of `invocation` is sent; its evidence is known from here on.
    #[must_use]
    pub const fn begin(invocation: Invocation) -> Self {
        Self {
            invocation,
            phase: Phase::PromptSend,
            output: false,
            effect: false,
            overlapping: false,
            unidentified: false,
            diagnostic: None,
            stale: 0,
        }
    }

    /// Takes one event, in order.
    pub fn observe(&mut self, event: &Event) -> Observed {
        match &event.invocation {
            None => {
                self.unidentified = true;
                Observed::Unidentified
            }
            Some(invocation) if *invocation != self.invocation || self.phase == Phase::Shutdown => {
                self.stale = self.stale.saturating_add(1);
                Observed::Stale
            }
            Some(_) => {
                self.take(&event.kind);
                Observed::Current
            }
        }
    }

    fn take(&mut self, kind: &EventKind) {
        match kind {
            EventKind::AssistantChunk { marker: Some(marker), .. } => {
                let recorded = || Recorded { code: marker.code(), text: text::normalized(marker.text().as_str()) };
                self.diagnostic.get_or_insert_with(recorded);
            }
            EventKind::AssistantChunk { chunk, marker: None } | EventKind::ThoughtChunk(chunk) if !chunk.is_empty() => {
                self.raise_output();
            }
            EventKind::ToolCall { .. } | EventKind::ToolUpdate { .. } => self.raise_effect(),
            EventKind::Other { implies: Some(Implies::Output), .. } => self.raise_output(),
            EventKind::Other { implies: Some(Implies::Effect), .. } => self.raise_effect(),
            EventKind::Overlap => {
                self.output = true;
                self.overlapping = true;
            }
            _ => {}
        }
    }

    /// Ordinary output clears the diagnostic in the same step (.21).
    fn raise_output(&mut self) {
        self.output = true;
        self.diagnostic = None;
        self.phase = Phase::Streaming;
    }

    /// Tool activity clears nothing: the fence alone makes the attempt unsafe (.21).
    const fn raise_effect(&mut self) {
        self.effect = true;
        self.phase = Phase::ToolExecution;
    }

    /// The session is being closed: whatever comes now is of the wrong phase.
    pub const fn shut_down(&mut self) {
        self.phase = Phase::Shutdown;
    }

    /// What the attempt belongs to.
    #[must_use]
    pub const fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// Where the attempt is: sent, streaming, running a tool, or shut down.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether assistant output was seen.
    #[must_use]
    pub const fn output(&self) -> bool {
        self.output
    }

    /// Whether tool activity was seen.
    #[must_use]
    pub const fn effect(&self) -> bool {
        self.effect
    }

    /// Whether it is known that nothing happened so far: neither output nor effect, and no event without identity.
    #[must_use]
    pub const fn nothing_happened(&self) -> bool {
        !self.output && !self.effect && !self.unidentified
    }

    /// The diagnostic that is recorded now.
    #[must_use]
    pub const fn diagnostic(&self) -> Option<&Recorded> {
        self.diagnostic.as_ref()
    }

    /// How many foreign events were dropped.
    #[must_use]
    pub const fn stale(&self) -> u64 {
        self.stale
    }

    /// Whether `terminal` happened before any result and without any effect, so that sending the prompt again repeats
    /// nothing. It is necessary for an automatic recovery, not sufficient (.8, .16, .23).
    ///
    /// # Errors
    /// Every reason against it, in declared order.
    pub fn pre_result_safe(&self, terminal: &Terminal<'_>) -> Result<(), Vec<Refusal>> {
        let mut refusals: Vec<_> = [
            (self.unidentified, Refusal::EvidenceUnknown),
            (terminal.invocation != Some(&self.invocation), Refusal::StaleTerminal),
            (self.output, Refusal::Output),
            (self.effect, Refusal::Effect),
            (self.overlapping, Refusal::OverlappingPrompts),
            (arrived_as_success(terminal.error), Refusal::ArrivedAsSuccess),
        ]
        .into_iter()
        .filter_map(|(refused, refusal)| refused.then_some(refusal))
        .collect();
        if let Some(recorded) = &self.diagnostic {
            refusals.extend(uncorrelated(recorded, terminal));
        }
        if refusals.is_empty() { Ok(()) } else { Err(refusals) }
    }
}

/// A normal end of turn is never pre-result safe, except Cursor's control frame: there the frame itself is the proof
/// that nothing was generated (.15).
fn arrived_as_success(error: &ProviderError) -> bool {
    matches!(error.end, End::Result { .. }) && error.source != ErrorSource::CursorAcp
}

/// Why the recorded diagnostic is not the terminal's own (.16, .23).
fn uncorrelated(recorded: &Recorded, terminal: &Terminal<'_>) -> Vec<Refusal> {
    let classification = terminal.classification;
    let trusted = classification.confidence == Confidence::High && classification.code.fallback_eligible();
    [
        (classification.code != recorded.code, Refusal::DiagnosticCodeDiffers),
        (!trusted, Refusal::DiagnosticNotCorroborated),
        (!text::contains_normalized(terminal.error.message.as_str(), &recorded.text), Refusal::DiagnosticNotContained),
    ]
    .into_iter()
    .filter_map(|(refused, refusal)| refused.then_some(refusal))
    .collect()
}

#[cfg(test)]
mod tests;

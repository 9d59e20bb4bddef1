//! Both layers over one fixture.
//!
//! Invariant: the evidence layer is fed the very events that the transport gave, markers included; nothing is derived
//! from text again (.20).
//!
//! Must not know: how the script was played.

use jiff::Timestamp;

use super::compare::compare;
use super::exchange::{Exchange, ExchangeError, Observation};
use super::outcome::{EvidenceLayer, ObservedError, Replayed, TransportLayer};
use super::script::Script;
use super::timeline;
use crate::acp::event::{Event, EventKind, Marker, ProviderError};
use crate::acp::session::Knowledge;
use crate::classify::Classification;
use crate::fixture::Fixture;
use crate::recovery::{Attempt, Means, Terminal, disposition};
use crate::vocab::Code;

/// What a replay is judged with.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'k> {
    /// Rules and shapes.
    pub knowledge: Knowledge<'k>,
    /// The time that hints and resets are judged at.
    pub now: Timestamp,
}

/// Replays one fixture through both layers.
///
/// # Errors
/// When its script could not be played as it is written.
pub fn replay(fixture: &Fixture, exchange: &impl Exchange, setting: Setting<'_>) -> Result<Replayed, ExchangeError> {
    let script = Script::of(fixture);
    let observation = exchange.play(&script, setting.knowledge)?;
    let mut attempt = Attempt::begin(script.invocation);
    for event in &observation.events {
        attempt.observe(event);
    }
    let recorded = attempt.diagnostic().cloned();
    let failure = failure(&observation, &attempt, setting);
    if let Some(event) = &observation.terminal {
        attempt.observe(event);
    }
    let (transport, evidence) = layers(&observation, &attempt, failure.as_ref(), setting);
    let mismatches = compare(&fixture.expect, &transport, &evidence);
    let timeline = timeline::steps(&observation, failure.as_ref(), recorded.as_ref(), &attempt, setting.knowledge);
    let marks = observation.events.iter().filter_map(mark).collect();
    let classification = failure.map(|failed| failed.classification);
    Ok(Replayed { transport, evidence, mismatches, marks, classification, timeline })
}

/// A terminal failure with its classification.
pub(super) struct Failed<'o> {
    pub(super) event: &'o Event,
    pub(super) error: &'o ProviderError,
    pub(super) classification: Classification,
}

fn failure<'o>(observation: &'o Observation, attempt: &Attempt, setting: Setting<'_>) -> Option<Failed<'o>> {
    let event = observation.terminal.as_ref()?;
    let EventKind::Failure(error) = &event.kind else {
        return None;
    };
    let evidence = error.evidence(event.invocation.as_ref(), attempt.phase());
    let classification = setting.knowledge.classifier.classify(&evidence, setting.now);
    Some(Failed { event, error, classification })
}

/// The marker of a message chunk; `None` for any other event.
fn mark(event: &Event) -> Option<Option<Code>> {
    match &event.kind {
        EventKind::AssistantChunk { marker, .. } => Some(marker.as_ref().map(Marker::code)),
        EventKind::UserChunk(_) => Some(None),
        _ => None,
    }
}

fn layers(
    observation: &Observation,
    attempt: &Attempt,
    failure: Option<&Failed<'_>>,
    setting: Setting<'_>,
) -> (TransportLayer, EvidenceLayer) {
    let events = observation.events.iter().chain(&observation.terminal).filter_map(Event::token).collect();
    let transport = TransportLayer {
        events,
        provider_error: failure.map(|failed| ObservedError::from(failed.error)),
        diagnostic_code: failure.map(|failed| failed.classification.code),
    };
    let terminal = failure.and_then(|failed| Terminal::new(failed.event, &failed.classification));
    let decision = terminal.map(|terminal| disposition(&terminal, attempt, Means::interactive(0), setting.now));
    let evidence = EvidenceLayer {
        recorded_diagnostic_code: attempt.diagnostic().map(|recorded| recorded.code),
        pre_result_safe: terminal.is_some_and(|terminal| attempt.pre_result_safe(&terminal).is_ok()),
        disposition: decision.as_ref().map(|decision| decision.disposition),
        reasons: decision.map(|decision| decision.refusals).unwrap_or_default(),
    };
    (transport, evidence)
}

//! The laws of an attempt, exhaustively over short sequences of events.

use super::*;
use crate::acp::event::{Chunk, Marker};
use crate::recovery::samples::{classified, failure, invocation};
use crate::redact::Raw;
use crate::vocab::ToolStatus;

const FIRST: &str = "API Error:  529\noverloaded";
const SECOND: &str = "API Error: 503 unavailable";

fn chunk(text: &str) -> Chunk {
    Chunk { text: Raw::new(text.to_owned()), beyond_text: false, message_id: None }
}

fn marked(code: Code, text: &str) -> EventKind {
    EventKind::AssistantChunk { chunk: chunk(text), marker: Some(Marker::sample(code, text)) }
}

/// What an event means for the reference, next to the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Marks(Code, &'static str),
    Outputs,
    Effects,
    Overlaps,
    Nothing,
    Foreign,
    Unidentified,
}

/// Every kind of event that an attempt tells apart.
fn alphabet() -> Vec<(Meaning, Event)> {
    let current = |kind| Event { invocation: Some(invocation(7)), kind };
    let other = |implies| EventKind::Other { name: "plan".into(), implies };
    let tool = EventKind::ToolCall { id: "t".into(), title: Raw::new("x".into()), status: ToolStatus::Pending };
    let image = Chunk { beyond_text: true, ..chunk("") };
    vec![
        (
            Meaning::Marks(Code::ProviderOverloaded, "API Error: 529 overloaded"),
            current(marked(Code::ProviderOverloaded, FIRST)),
        ),
        (Meaning::Marks(Code::ProviderUnavailable, SECOND), current(marked(Code::ProviderUnavailable, SECOND))),
        (Meaning::Outputs, current(EventKind::AssistantChunk { chunk: chunk("hello"), marker: None })),
        (Meaning::Outputs, current(EventKind::AssistantChunk { chunk: image, marker: None })),
        (Meaning::Outputs, current(EventKind::AssistantChunk { chunk: chunk(" \n"), marker: None })),
        (Meaning::Outputs, current(EventKind::ThoughtChunk(chunk("hm")))),
        (Meaning::Outputs, current(other(Some(Implies::Output)))),
        (Meaning::Effects, current(tool)),
        (Meaning::Effects, current(EventKind::ToolUpdate { id: "t".into(), status: None })),
        (Meaning::Overlaps, current(EventKind::Overlap)),
        (Meaning::Nothing, current(EventKind::UserChunk(chunk("hello")))),
        (Meaning::Nothing, current(EventKind::AssistantChunk { chunk: chunk(""), marker: None })),
        (Meaning::Nothing, current(EventKind::ResponseAttemptReset)),
        (Meaning::Foreign, Event { invocation: Some(invocation(6)), kind: EventKind::ThoughtChunk(chunk("hm")) }),
        (Meaning::Unidentified, Event { invocation: None, kind: EventKind::SessionInfo }),
    ]
}

/// The definition, without state: what a whole sequence proves.
fn reference(sequence: &[Meaning]) -> (bool, bool, Option<Recorded>, u64, bool) {
    let any = |wanted: &[Meaning]| sequence.iter().any(|meaning| wanted.contains(meaning));
    let after_output = sequence.iter().rposition(|meaning| *meaning == Meaning::Outputs).map_or(0, |index| index + 1);
    let recorded = sequence[after_output..].iter().find_map(|meaning| match meaning {
        Meaning::Marks(code, text) => Some(Recorded { code: *code, text: (*text).to_owned() }),
        _ => None,
    });
    let stale = sequence.iter().filter(|meaning| **meaning == Meaning::Foreign).count();
    (
        any(&[Meaning::Outputs, Meaning::Overlaps]),
        any(&[Meaning::Effects]),
        recorded,
        u64::try_from(stale).unwrap(),
        any(&[Meaning::Unidentified]),
    )
}

#[test]
fn every_short_sequence_proves_what_its_definition_says() {
    let alphabet = alphabet();
    let terminal = failure(invocation(7), "Internal error: API Error: 529  overloaded");
    let classification = classified(Code::ProviderOverloaded, Confidence::High);
    let terminal = Terminal::new(&terminal, &classification).unwrap();
    let mut wrong = Vec::new();
    let mut sequences = 0;
    for length in 0..=4u32 {
        for number in 0..alphabet.len().pow(length) {
            let letters: Vec<_> =
                (0..length).map(|place| &alphabet[number / alphabet.len().pow(place) % alphabet.len()]).collect();
            sequences += 1;
            let mut attempt = Attempt::begin(invocation(7));
            let mut fences = (false, false);
            for (_, event) in &letters {
                attempt.observe(event);
                if (fences.0 && !attempt.output()) || (fences.1 && !attempt.effect()) {
                    wrong.push(format!("a fence fell in {letters:?}"));
                }
                fences = (attempt.output(), attempt.effect());
            }
            let meanings: Vec<_> = letters.iter().map(|(meaning, _)| *meaning).collect();
            let (output, effect, recorded, stale, unidentified) = reference(&meanings);
            let correlated = recorded.as_ref().is_none_or(|recorded| recorded.code == Code::ProviderOverloaded);
            let safe = !output && !effect && !unidentified && correlated;
            let got = (attempt.output(), attempt.effect(), attempt.diagnostic().cloned(), attempt.stale());
            let got_safe = attempt.pre_result_safe(&terminal).is_ok();
            if got != (output, effect, recorded, stale) || got_safe != safe {
                wrong.push(format!("{meanings:?}: expected safe {safe}, got safe {got_safe}, {got:?}"));
            }
        }
    }
    assert_eq!(sequences, (0..=4).map(|length| alphabet.len().pow(length)).sum::<usize>());
    assert!(wrong.is_empty(), "{} of {sequences} sequences:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}

#[test]
fn each_refusal_has_its_cause() {
    let event = |invocation, kind| Event { invocation, kind };
    let mark = || event(Some(invocation(7)), marked(Code::ProviderOverloaded, FIRST));
    let high = |code| classified(code, Confidence::High);
    let contained = "Internal error: API Error: 529 overloaded";
    let rows = [
        (vec![], failure(invocation(7), "boom"), classified(Code::AgentRuntimeError, Confidence::Low), vec![]),
        (vec![mark()], failure(invocation(7), contained), high(Code::ProviderOverloaded), vec![]),
        (
            vec![mark()],
            failure(invocation(7), contained),
            high(Code::ProviderUnavailable),
            vec![Refusal::DiagnosticCodeDiffers],
        ),
        (
            vec![mark()],
            failure(invocation(7), contained),
            classified(Code::ProviderOverloaded, Confidence::Medium),
            vec![Refusal::DiagnosticNotCorroborated],
        ),
        (
            // No boundary mints such a marker; one that did would open nothing.
            vec![event(Some(invocation(7)), marked(Code::AgentTransportLost, FIRST))],
            failure(invocation(7), contained),
            high(Code::AgentTransportLost),
            vec![Refusal::DiagnosticNotCorroborated],
        ),
        (
            vec![mark()],
            failure(invocation(7), "Internal error: API error: 529 overloaded"),
            high(Code::ProviderOverloaded),
            vec![Refusal::DiagnosticNotContained],
        ),
        (
            vec![mark()],
            failure(invocation(7), "Internal error"),
            classified(Code::AgentRuntimeError, Confidence::Low),
            vec![Refusal::DiagnosticCodeDiffers, Refusal::DiagnosticNotCorroborated, Refusal::DiagnosticNotContained],
        ),
        (vec![], failure(invocation(8), "boom"), high(Code::ProviderOverloaded), vec![Refusal::StaleTerminal]),
        (
            vec![event(None, EventKind::SessionInfo)],
            failure(invocation(7), "boom"),
            high(Code::ProviderOverloaded),
            vec![Refusal::EvidenceUnknown],
        ),
        (
            vec![event(Some(invocation(7)), EventKind::Overlap)],
            failure(invocation(7), "boom"),
            high(Code::ProviderOverloaded),
            vec![Refusal::Output, Refusal::OverlappingPrompts],
        ),
        (
            vec![event(Some(invocation(7)), EventKind::ToolUpdate { id: "t".into(), status: None }), mark()],
            failure(invocation(7), contained),
            high(Code::ProviderOverloaded),
            vec![Refusal::Effect],
        ),
    ];
    let mut wrong = Vec::new();
    for (number, (events, terminal, classification, expected)) in rows.iter().enumerate() {
        let mut attempt = Attempt::begin(invocation(7));
        for event in events {
            attempt.observe(event);
        }
        let got = attempt.pre_result_safe(&Terminal::new(terminal, classification).unwrap()).err().unwrap_or_default();
        if got != *expected {
            wrong.push(format!("row {number}: expected {expected:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_failure_that_arrived_as_success_is_safe_for_the_control_frame_only() {
    let classification = classified(Code::AgentTransportLost, Confidence::High);
    let rows = [(ErrorSource::AcpResult, Err(vec![Refusal::ArrivedAsSuccess])), (ErrorSource::CursorAcp, Ok(()))];
    for (source, expected) in rows {
        let mut event = failure(invocation(7), "boom");
        if let EventKind::Failure(error) = &mut event.kind {
            error.source = source;
            error.end = End::Result { stop_reason: "end_turn".into() };
        }
        let attempt = Attempt::begin(invocation(7));
        assert_eq!(attempt.pre_result_safe(&Terminal::new(&event, &classification).unwrap()), expected, "{source}");
    }
}

#[test]
fn output_after_the_shutdown_is_of_the_wrong_phase() {
    let mut attempt = Attempt::begin(invocation(7));
    attempt.shut_down();
    for (meaning, event) in alphabet() {
        let expected = if meaning == Meaning::Unidentified { Observed::Unidentified } else { Observed::Stale };
        assert_eq!(attempt.observe(&event), expected, "{event:?}");
    }
    assert!(!attempt.output() && !attempt.effect() && attempt.stale() == 14);
}

#[test]
fn an_empty_diagnostic_never_authorizes() {
    let mut attempt = Attempt::begin(invocation(7));
    attempt.observe(&Event { invocation: Some(invocation(7)), kind: marked(Code::ProviderOverloaded, " \n ") });
    let terminal = failure(invocation(7), "API Error: 529 overloaded");
    let classification = classified(Code::ProviderOverloaded, Confidence::High);
    let got = attempt.pre_result_safe(&Terminal::new(&terminal, &classification).unwrap());
    assert_eq!(got, Err(vec![Refusal::DiagnosticNotContained]));
}

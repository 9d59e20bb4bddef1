//! Values for the tests of this room.

use crate::acp::event::{End, Event, EventKind, ProviderError};
use crate::classify::Classification;
use crate::redact::{Raw, Redactor};
use crate::vocab::{Code, Confidence, ErrorSource, ExecutionId, Generation, Invocation, Phase, SessionId};

/// Prompt `number` of the one session of the tests.
pub(crate) fn invocation(number: u64) -> Invocation {
    Invocation {
        session: SessionId::new("session").unwrap(),
        execution: ExecutionId::new("execution").unwrap(),
        generation: Generation::new(number).unwrap(),
    }
}

/// A prompt error.
pub(crate) fn failure(invocation: Invocation, message: &str) -> Event {
    let error = ProviderError {
        source: ErrorSource::AcpPrompt,
        message: Redactor::embedded().scope().clean(Raw::new(message)),
        rpc_code: -32603,
        error_kind: None,
        provider: None,
        model: None,
        end: End::Error,
    };
    Event { invocation: Some(invocation), kind: EventKind::Failure(error) }
}

/// A bare verdict.
pub(crate) fn classified(code: Code, confidence: Confidence) -> Classification {
    Classification {
        observed: true,
        agent_retries: false,
        code,
        confidence,
        scope: None,
        rule: None,
        catalogue: "".into(),
        provider: None,
        model: None,
        phase: Phase::PromptSend,
        hint: None,
        remediation: None,
        safe_excerpt: None,
        outranked: Vec::new(),
        vetoed: Vec::new(),
    }
}

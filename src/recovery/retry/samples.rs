//! Small values for the tests of owners and policies.

use jiff::Timestamp;

use super::{Failure, Requester, Target};
use crate::classify::{Classification, TimingHint};
use crate::recovery::Refusal;
use crate::redact::{Clean, CredentialOnly, Raw, Redactor};
use crate::vocab::{
    AgentId, CandidateId, Code, Confidence, ExecutionId, Generation, Invocation, ModelId, Phase, SessionId, TaskId,
};

pub(crate) const NOW: Timestamp = Timestamp::UNIX_EPOCH;

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

pub(crate) fn task() -> TaskId {
    TaskId::new("task").unwrap()
}

pub(crate) fn execution(name: &str) -> ExecutionId {
    ExecutionId::new(name).unwrap()
}

pub(crate) fn model(name: &str) -> ModelId {
    ModelId::new(name).unwrap()
}

pub(crate) fn candidate(name: &str) -> CandidateId {
    CandidateId::new(name).unwrap()
}

pub(crate) fn invocation(generation: u64) -> Invocation {
    Invocation {
        session: session("session"),
        execution: execution("a"),
        generation: Generation::new(generation).unwrap(),
    }
}

pub(crate) fn target() -> Target {
    Target { provider: AgentId::new("some-agent").unwrap(), profile: None, model: None }
}

pub(crate) fn prompt(text: &str) -> Clean<CredentialOnly> {
    Redactor::embedded().clean(Raw::new(text))
}

pub(crate) fn own() -> Requester {
    Requester { task: task(), session: session("session"), permitted: true }
}

pub(crate) fn classified(code: Code) -> Classification {
    Classification {
        code,
        confidence: Confidence::High,
        scope: None,
        rule: None,
        catalogue: "provider-errors.v1+00000000".into(),
        provider: None,
        model: None,
        phase: Phase::Streaming,
        hint: None,
        remediation: None,
        safe_excerpt: None,
        outranked: Vec::new(),
        vetoed: Vec::new(),
        observed: true,
        agent_retries: false,
    }
}

pub(crate) fn hinted(code: Code, ms: i64) -> Classification {
    let hint = TimingHint {
        retry_after_ms: u64::try_from(ms).unwrap(),
        reset_at: NOW + jiff::SignedDuration::from_millis(ms),
    };
    Classification { hint: Some(hint), ..classified(code) }
}

/// A failure that nothing speaks against.
pub(crate) fn safe(invocation: Invocation, code: Code) -> Failure {
    Failure::new(invocation, classified(code), Vec::new())
}

/// A failure after output.
pub(crate) fn after_output(invocation: Invocation, code: Code) -> Failure {
    Failure::new(invocation, classified(code), vec![Refusal::Output])
}

//! What a replay observed, in the words of the machine interface.
//!
//! Invariant: nothing here is raw: texts are in the diagnostic tier.
//!
//! Must not know: expectations.

use serde::{Serialize, Serializer};

use super::compare::Mismatch;
use super::timeline::Step;
use crate::acp::event::ProviderError;
use crate::classify::Classification;
use crate::recovery::Refusal;
use crate::vocab::{AgentId, Code, Disposition, ErrorSource, ModelId, Token};

/// One replayed fixture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// What was observed at the transport.
    pub transport: TransportLayer,
    /// What the recovery evidence says.
    pub evidence: EvidenceLayer,
    /// Where the observation differs from the fixture's `expect`; empty when it passed.
    pub mismatches: Vec<Mismatch>,
    /// The code of each message chunk's marker, one entry a chunk that gave an event, in order.
    #[serde(skip)]
    pub marks: Vec<Option<Code>>,
    /// What the terminal failure classifies to, whole.
    #[serde(skip)]
    pub classification: Option<Classification>,
    /// The same step by step, for people.
    #[serde(skip)]
    pub timeline: Vec<Step>,
}

impl Replayed {
    /// Whether everything was observed as expected.
    #[must_use]
    pub const fn passed(&self) -> bool {
        self.mismatches.is_empty()
    }
}

/// The transport layer of a replay (.19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TransportLayer {
    /// Observed steps; the last one is the terminal, unless the prompt never settled.
    pub events: Vec<Token>,
    /// The projected failure.
    pub provider_error: Option<ObservedError>,
    /// What it classifies to; `""` in JSON when there is no failure.
    #[serde(serialize_with = "word_or_empty")]
    pub diagnostic_code: Option<Code>,
}

/// The allowlisted metadata of a projected failure (.22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservedError {
    /// Which projection.
    pub source: ErrorSource,
    /// JSON-RPC code; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rpc_code: Option<i32>,
    /// Adapter-declared error kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    /// Negotiated agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<AgentId>,
    /// Settled model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<ModelId>,
}

impl From<&ProviderError> for ObservedError {
    fn from(error: &ProviderError) -> Self {
        Self {
            source: error.source,
            rpc_code: (error.rpc_code != 0).then_some(error.rpc_code),
            error_kind: error.error_kind.clone(),
            provider_id: error.provider.clone(),
            model_id: error.model.clone(),
        }
    }
}

/// The evidence layer of a replay (.19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceLayer {
    /// The code that was still recorded when the terminal came; `""` in JSON when none was.
    #[serde(serialize_with = "word_or_empty")]
    pub recorded_diagnostic_code: Option<Code>,
    /// Whether the failure came before any result and without any effect.
    pub pre_result_safe: bool,
    /// What may happen next; `null` when the prompt did not fail.
    pub disposition: Option<Disposition>,
    /// Why it is not an automatic retry.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Refusal>,
}

fn word_or_empty<S: Serializer>(code: &Option<Code>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.map_or("", Code::as_str))
}

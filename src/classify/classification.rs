//! The verdict over one evidence (criterion .3).

use std::sync::Arc;

use jiff::Timestamp;

use crate::redact::{Clean, Diagnostic};
use crate::vocab::{AgentId, Class, Code, Confidence, ModelId, Phase, RuleId, Scope};

/// A validated timing hint. Both forms are always present together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimingHint {
    /// Milliseconds from `now`.
    pub retry_after_ms: u64,
    /// The instant.
    pub reset_at: Timestamp,
}

/// The verdict over one evidence (criterion .3).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classification {
    /// Semantic code.
    pub code: Code,
    /// How sure.
    pub confidence: Confidence,
    /// What the failure is about, when known.
    pub scope: Option<Scope>,
    /// The rule that decided; `None` is the phase fallback.
    pub rule: Option<RuleId>,
    /// `provider-errors.v1+<hash>`.
    pub catalogue: Arc<str>,
    /// The negotiated agent.
    pub provider: Option<AgentId>,
    /// The published model.
    pub model: Option<ModelId>,
    /// The phase of the evidence.
    pub phase: Phase,
    /// Validated hint, only for codes that take one.
    pub hint: Option<TimingHint>,
    /// What a person can do, when the rule or the code says so.
    pub remediation: Option<String>,
    /// Bounded, redacted excerpt of the text that decided.
    pub safe_excerpt: Option<Clean<Diagnostic>>,
    /// Rules that matched and were outranked.
    pub outranked: Vec<RuleId>,
    /// Rules that matched and were vetoed.
    pub vetoed: Vec<RuleId>,
    /// Whether a failure was observed at all; a lone message chunk is only a candidate for one.
    pub observed: bool,
    /// Whether the text says that the agent itself is about to try again: a second owner of the retry would be one too
    /// many.
    pub agent_retries: bool,
}

impl Classification {
    /// Policy class, derived from the code.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.code.class()
    }

    /// The code's automatic-retry flag with the 60 s rule applied; false while nothing failed yet, when the answer is not
    /// sure, or when the agent retries by itself. Not a permission: that needs the attempt's evidence (criterion .8).
    #[must_use]
    pub fn auto_retry(&self) -> bool {
        self.observed
            && !self.agent_retries
            && self.confidence == Confidence::High
            && self.code.policy().auto_retry.allows(self.hint.map(|hint| hint.retry_after_ms))
    }
}

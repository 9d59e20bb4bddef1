//! What one side says about one input, reduced to what a reviewer has to compare.

use serde::Serialize;

use crate::classify::Classification;
use crate::replay::{Replayed, Turn};
use crate::vocab::{Class, Code, Confidence, Disposition, RuleId};

/// One side's answer about one input. Everything is `None` when nothing failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Verdict {
    /// Semantic code.
    pub code: Option<Code>,
    /// Its class.
    pub class: Option<Class>,
    /// How sure.
    pub confidence: Option<Confidence>,
    /// The rule that decided; `None` is the phase fallback.
    pub rule: Option<RuleId>,
    /// The validated hint, in milliseconds from `now`.
    pub retry_after_ms: Option<u64>,
    /// What may happen next; for a text alone, what may happen when nothing was output and no tool ran. `None` while
    /// nothing failed yet.
    pub disposition: Option<Disposition>,
}

impl Verdict {
    /// The answer about evidence without an attempt: the best case, in which nothing was output and no tool ran.
    #[must_use]
    pub fn of_evidence(classification: &Classification) -> Self {
        let disposition = classification.observed.then(|| flag(classification.auto_retry()));
        Self { disposition, ..Self::of(classification) }
    }

    /// The answer about a fixture, with the attempt's evidence applied.
    #[must_use]
    pub fn of_replay(replayed: &Replayed) -> Self {
        let verdict = replayed.classification.as_ref().map(Self::of).unwrap_or_default();
        Self { disposition: replayed.evidence.disposition, ..verdict }
    }

    /// The answer about one turn of a transcript, with the attempt's evidence applied.
    #[must_use]
    pub fn of_turn(turn: &Turn) -> Self {
        let verdict = turn.classification.as_ref().map(Self::of).unwrap_or_default();
        Self { disposition: turn.decision.as_ref().map(|decision| decision.disposition), ..verdict }
    }

    fn of(classification: &Classification) -> Self {
        Self {
            code: Some(classification.code),
            class: Some(classification.class()),
            confidence: Some(classification.confidence),
            rule: classification.rule.clone(),
            retry_after_ms: classification.hint.map(|hint| hint.retry_after_ms),
            disposition: None,
        }
    }

    /// Whether nothing happens unless a person acts.
    #[must_use]
    pub const fn needs_a_person(&self) -> bool {
        matches!(self.disposition, None | Some(Disposition::ManualRecovery))
    }

    /// Whether a rule knows the failure.
    #[must_use]
    pub const fn is_classified(&self) -> bool {
        !matches!(self.class, None | Some(Class::Unclassified))
    }
}

/// The disposition that a code's automatic-retry flag stands for.
pub(super) const fn flag(auto_retry: bool) -> Disposition {
    if auto_retry { Disposition::AutomaticRetry } else { Disposition::ManualRecovery }
}

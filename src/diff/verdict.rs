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
    /// What may happen next; `None` when nothing failed. For evidence without an attempt this is the best case: nothing
    /// was output, no tool ran, and a lone chunk is followed by the failure that it announces.
    pub disposition: Option<Disposition>,
}

impl Verdict {
    /// The answer about evidence without an attempt, in the best case. A lone chunk permits nothing by itself, but what
    /// it is taken for decides whether it counts as output: a reviewer has to see that as if its failure had come.
    #[must_use]
    pub fn of_evidence(classification: &Classification) -> Self {
        let mut confirmed = classification.clone();
        confirmed.observed = true;
        Self { disposition: Some(flag(confirmed.auto_retry())), ..Self::of(classification) }
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

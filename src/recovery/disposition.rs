//! What may happen next (criterion .8).
//!
//! Invariant: nothing but a pre-result safe attempt and a confident classification without a veto leads to anything
//! automatic.
//!
//! Must not know: providers, texts, timers.

use jiff::Timestamp;

use super::attempt::{Attempt, Terminal};
use super::refusal::Refusal;
use crate::classify::Classification;
use crate::vocab::{AutoRetry, Class, Confidence, Disposition};

/// What is available to a decision besides the evidence. Everything is off unless a policy turns it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Means {
    /// Automatic attempts that the owner of the retry has left.
    pub attempts_left: u32,
    /// Longest wait for a reset, in milliseconds; `None` when waiting is not enabled.
    pub longest_wait_ms: Option<u64>,
    /// Whether a policy names another candidate.
    pub another_candidate: bool,
}

impl Means {
    /// Automatic attempts of the interactive ladder.
    pub const INTERACTIVE_ATTEMPTS: u32 = 5;

    /// The interactive ladder without any class policy, after `made` automatic attempts.
    #[must_use]
    pub const fn interactive(made: u32) -> Self {
        let attempts_left = Self::INTERACTIVE_ATTEMPTS.saturating_sub(made);
        Self { attempts_left, longest_wait_ms: None, another_candidate: false }
    }
}

/// A disposition and why it is not a more automatic one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What may happen next.
    pub disposition: Disposition,
    /// Reasons against an automatic retry, in declared order; empty for one.
    pub refusals: Vec<Refusal>,
}

/// Decides over a terminal failure and the attempt it ended, at `now`.
#[must_use]
pub fn disposition(terminal: &Terminal<'_>, attempt: &Attempt, means: Means, now: Timestamp) -> Decision {
    let classification = terminal.classification();
    let mut refusals = attempt.pre_result_safe(terminal).err().unwrap_or_default();
    refusals.extend(untrusted(classification));
    if !refusals.is_empty() {
        return Decision { disposition: Disposition::ManualRecovery, refusals };
    }
    refusals.extend(unretried(classification, means));
    let disposition = if refusals.is_empty() {
        Disposition::AutomaticRetry
    } else if waits(classification, means, now) {
        Disposition::WaitForReset
    } else if means.another_candidate && classification.code.policy().fallback {
        Disposition::Fallback
    } else {
        Disposition::ManualRecovery
    };
    Decision { disposition, refusals }
}

/// Reasons against any automatic recovery that lie in the classification.
fn untrusted(classification: &Classification) -> impl Iterator<Item = Refusal> {
    [
        (classification.class() == Class::Unclassified, Refusal::Unclassified),
        (classification.confidence != Confidence::High, Refusal::NotConfident),
        (!classification.vetoed.is_empty(), Refusal::Vetoed),
    ]
    .into_iter()
    .filter_map(|(refused, refusal)| refused.then_some(refusal))
}

/// Reasons against a retry of the same provider.
fn unretried(classification: &Classification, means: Means) -> impl Iterator<Item = Refusal> {
    let flag = match classification.code.policy().auto_retry {
        _ if classification.auto_retry() => None,
        AutoRetry::WithShortHint => Some(Refusal::NoShortHint),
        AutoRetry::No | AutoRetry::Yes => Some(Refusal::NoAutomaticRetry),
    };
    let exhausted = (means.attempts_left == 0).then_some(Refusal::AttemptsExhausted);
    flag.into_iter().chain(exhausted)
}

/// Whether a trusted reset lies ahead and within the longest wait.
fn waits(classification: &Classification, means: Means, now: Timestamp) -> bool {
    let (Some(hint), Some(longest)) = (classification.hint, means.longest_wait_ms) else {
        return false;
    };
    let ahead = hint.reset_at.as_millisecond().saturating_sub(now.as_millisecond());
    u64::try_from(ahead).is_ok_and(|ahead| ahead > 0 && ahead <= longest)
}

#[cfg(test)]
mod tests;

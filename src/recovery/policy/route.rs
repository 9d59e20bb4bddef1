//! One route cycle: the walk of one prompt over its candidates.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::{ClassPolicy, LONGEST_INTERVAL, OnExhausted, Policies};
use crate::recovery::Refusal;
use crate::recovery::retry::Failure;
use crate::vocab::{CandidateId, Class, Code, Disposition, Invocation};

/// What happens next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyStep {
    /// Wait for the reset, then send the prompt to the same candidate. Costs no retry.
    WaitUntil(Timestamp),
    /// Send the prompt to the same candidate at this instant.
    RetryAt(Timestamp),
    /// Send the prompt to this candidate now.
    Fallback(CandidateId),
    /// A person decides.
    Manual(PolicyReason),
}

/// Why a person must decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyReason {
    /// The failure belongs to another prompt.
    Stale,
    /// The safety gate holds it back; [`RouteDecision::refusals`] says why.
    Gate,
    /// The policy says stop.
    Stopped,
    /// The code may not be taken to another provider.
    CodeForbidsFallback,
    /// No candidate is left.
    NoCandidateLeft,
}

/// A decision and what it was made under; later edits of the policy do not change it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteDecision {
    /// What happens next.
    pub step: PolicyStep,
    /// Who failed.
    pub candidate: CandidateId,
    /// What failed.
    pub code: Code,
    /// Every reason against a retry that lies in the evidence or the code.
    pub refusals: Vec<Refusal>,
    /// Retries of this candidate and class in this cycle, this decision included.
    pub retries_used: u8,
    /// The policy as it was.
    pub policy: ClassPolicy,
    /// The catalogue that classified.
    pub catalogue: String,
}

impl RouteDecision {
    /// The decision in one word.
    #[must_use]
    pub const fn disposition(&self) -> Disposition {
        match self.step {
            PolicyStep::WaitUntil(_) => Disposition::WaitForReset,
            PolicyStep::RetryAt(_) => Disposition::AutomaticRetry,
            PolicyStep::Fallback(_) => Disposition::Fallback,
            PolicyStep::Manual(_) => Disposition::ManualRecovery,
        }
    }
}

/// What one route cycle has used up. Begin a new one with each prompt of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    used: BTreeMap<(CandidateId, Class), Used>,
    spent: BTreeSet<CandidateId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Used {
    retries: u8,
    waited: bool,
}

impl Ledger {
    /// Decides what follows from a failure of `candidate` while `current` is the prompt that counts.
    ///
    /// Order: the gate; a trusted future reset within the longest wait; a retry; the policy's end.
    pub fn decide(
        &mut self,
        policies: &Policies,
        candidate: &CandidateId,
        failure: &Failure,
        current: Option<&Invocation>,
        now: Timestamp,
    ) -> RouteDecision {
        let classification = failure.classification();
        let class = classification.class();
        let policy = policies.of(candidate, class);
        let step = self.step(policies, candidate, failure, current, now);
        RouteDecision {
            step,
            candidate: candidate.clone(),
            code: classification.code,
            refusals: failure.refusals().to_vec(),
            retries_used: self.used(candidate, class).retries,
            policy,
            catalogue: classification.catalogue.to_string(),
        }
    }

    fn step(
        &mut self,
        policies: &Policies,
        candidate: &CandidateId,
        failure: &Failure,
        current: Option<&Invocation>,
        now: Timestamp,
    ) -> PolicyStep {
        if current != Some(failure.invocation()) {
            return PolicyStep::Manual(PolicyReason::Stale);
        }
        if failure.refusals().iter().any(|refusal| !is_about_the_code(*refusal)) {
            return PolicyStep::Manual(PolicyReason::Gate);
        }
        let classification = failure.classification();
        let policy = policies.of(candidate, classification.class());
        let key = (candidate.clone(), classification.class());
        let reset = classification.hint.map(|hint| hint.reset_at).filter(|reset| *reset > now);
        let used = self.used.entry(key).or_default();
        if let Some(reset) = reset.filter(|reset| may_wait(policy, *used, *reset, now)) {
            used.waited = true;
            return PolicyStep::WaitUntil(reset);
        }
        // The code's own flag is part of the gate: a policy can not retry what the code forbids.
        if failure.refusals().is_empty()
            && policy.retry.enabled
            && used.retries < policy.retry.max_retries
            && let Some(at) = retry_at(policy, used.retries, reset, now)
        {
            used.retries += 1;
            return PolicyStep::RetryAt(at);
        }
        self.exhausted(policies, policy, candidate, classification.code)
    }

    fn exhausted(
        &mut self,
        policies: &Policies,
        policy: ClassPolicy,
        candidate: &CandidateId,
        code: Code,
    ) -> PolicyStep {
        self.spent.insert(candidate.clone());
        if policy.on_exhausted == OnExhausted::Stop {
            return PolicyStep::Manual(PolicyReason::Stopped);
        }
        if !code.policy().fallback {
            return PolicyStep::Manual(PolicyReason::CodeForbidsFallback);
        }
        let next =
            policies.candidates().iter().map(|policy| &policy.candidate).find(|next| !self.spent.contains(*next));
        next.map_or(PolicyStep::Manual(PolicyReason::NoCandidateLeft), |next| PolicyStep::Fallback(next.clone()))
    }

    fn used(&self, candidate: &CandidateId, class: Class) -> Used {
        self.used.get(&(candidate.clone(), class)).copied().unwrap_or_default()
    }
}

/// Refusals that forbid a retry only: waiting for a reset and another candidate stay open.
const fn is_about_the_code(refusal: Refusal) -> bool {
    matches!(refusal, Refusal::NoAutomaticRetry | Refusal::NoShortHint)
}

fn may_wait(policy: ClassPolicy, used: Used, reset: Timestamp, now: Timestamp) -> bool {
    policy.wait_for_reset.enabled && !used.waited && reset.duration_since(now) <= policy.wait_for_reset.max_wait
}

/// The next retry: the first interval doubled once per retry before, at most [`LONGEST_INTERVAL`], and never before a
/// known reset. `None` past the end of time.
fn retry_at(policy: ClassPolicy, retries: u8, reset: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    let factor = 1i32.checked_shl(u32::from(retries)).filter(|factor| *factor > 0);
    let wait = factor.and_then(|factor| policy.retry.initial_interval.checked_mul(factor));
    let wait: SignedDuration = wait.unwrap_or(LONGEST_INTERVAL).min(LONGEST_INTERVAL);
    let at = now.checked_add(wait).ok()?;
    Some(reset.map_or(at, |reset| reset.max(at)))
}

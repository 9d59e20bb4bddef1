//! What a client's configuration may add to the interactive ladder: per candidate and class, retries, waiting for a
//! reset, and what happens when both are used up.
//!
//! Invariant: configuration never overrides the safety gate or the flags of a code; an invalid document authorizes
//! nothing; a decision carries the policy it was made under.
//!
//! Must not know: in which format a document was written, which candidate stands for which agent.

mod document;
mod node;
mod route;

#[cfg(test)]
mod tests;

pub use document::Refused;
pub use node::Node;
pub use route::{Ledger, PolicyReason, PolicyStep, RouteDecision};

use jiff::SignedDuration;

use crate::vocab::{CandidateId, Class};

/// Longest wait between two retries.
pub const LONGEST_INTERVAL: SignedDuration = SignedDuration::from_hours(24);

/// Retries of one candidate and class. Waits double from the first one, up to [`LONGEST_INTERVAL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RetryRule {
    /// Whether the candidate is retried at all.
    pub enabled: bool,
    /// Most retries in one route cycle, 1 to 10.
    pub max_retries: u8,
    /// Wait before the first retry, 1 s to 1 h.
    pub initial_interval: SignedDuration,
}

/// Waiting for a trusted reset, once per candidate, class and route cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WaitRule {
    /// Whether a reset is waited for at all.
    pub enabled: bool,
    /// Longest wait, 1 s to 7 days. A later reset is not waited for; a wait is never shortened.
    pub max_wait: SignedDuration,
}

/// What happens when neither waiting nor retrying is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnExhausted {
    /// The next candidate, if the code may fall back.
    Skip,
    /// A person decides.
    Stop,
}

impl OnExhausted {
    /// The one spelling of this word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Stop => "stop",
        }
    }
}

/// The policy of one candidate and class. The default is everything off and `skip`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClassPolicy {
    /// Retries.
    pub retry: RetryRule,
    /// Waiting for a reset.
    pub wait_for_reset: WaitRule,
    /// The end.
    pub on_exhausted: OnExhausted,
}

impl ClassPolicy {
    /// Everything off, `skip`.
    pub const OFF: Self = Self {
        retry: RetryRule { enabled: false, max_retries: 1, initial_interval: SignedDuration::from_secs(60) },
        wait_for_reset: WaitRule { enabled: false, max_wait: SignedDuration::from_hours(1) },
        on_exhausted: OnExhausted::Skip,
    };
}

impl Default for ClassPolicy {
    fn default() -> Self {
        Self::OFF
    }
}

/// One candidate of a route.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CandidatePolicy {
    /// Which one.
    pub candidate: CandidateId,
    /// For failures that may pass by themselves.
    pub transient: ClassPolicy,
    /// For failures that will not.
    pub hard: ClassPolicy,
}

/// The policies of a route, in the order in which candidates are tried. Only validation makes one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Policies {
    candidates: Vec<CandidatePolicy>,
}

impl Policies {
    /// Reads and validates a document; see `docs/EMBEDDING.md` for its form.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with the address of its field. Nothing of an invalid document is used.
    pub fn from_document(document: &Node) -> Result<Self, Vec<Refused>> {
        document::read(document).map(|candidates| Self { candidates })
    }

    /// The candidates, in order.
    #[must_use]
    pub fn candidates(&self) -> &[CandidatePolicy] {
        &self.candidates
    }

    /// The policy of a candidate and class; off for a candidate that is not named, and always for `unclassified`.
    #[must_use]
    pub fn of(&self, candidate: &CandidateId, class: Class) -> ClassPolicy {
        let named = self.candidates.iter().find(|policy| policy.candidate == *candidate);
        match (named, class) {
            (Some(policy), Class::Transient) => policy.transient,
            (Some(policy), Class::Hard) => policy.hard,
            (Some(_), Class::Unclassified) | (None, _) => ClassPolicy::OFF,
        }
    }
}

//! A terminal failure together with what its attempt proves.

use jiff::Timestamp;

use crate::classify::Classification;
use crate::recovery::{Attempt, Means, Refusal, Terminal, disposition};
use crate::vocab::Invocation;

/// A terminal failure of one prompt, judged by that prompt's evidence.
///
/// There is no way to claim safety: the judgement is the attempt's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    invocation: Invocation,
    classification: Box<Classification>,
    refusals: Vec<Refusal>,
}

impl Failure {
    /// Judges `terminal` by the evidence of `attempt`, at `now`. The failure is the attempt's: a terminal of another
    /// prompt is refused as stale.
    #[must_use]
    pub fn judged(attempt: &Attempt, terminal: &Terminal<'_>, now: Timestamp) -> Self {
        // How many attempts are left is the owner's business; one that was not made yet leaves them all.
        let decision = disposition(terminal, attempt, Means::interactive(0), now);
        Self::new(attempt.invocation().clone(), terminal.classification().clone(), decision.refusals)
    }

    pub(in crate::recovery) fn new(
        invocation: Invocation,
        classification: Classification,
        refusals: Vec<Refusal>,
    ) -> Self {
        Self { invocation, classification: Box::new(classification), refusals }
    }

    /// The prompt that failed.
    #[must_use]
    pub const fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    /// What failed.
    #[must_use]
    pub const fn classification(&self) -> &Classification {
        &self.classification
    }

    /// Every reason against sending the prompt again by itself; empty when there is none (.8, .15).
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }
}

//! Where an owner is.

use jiff::Timestamp;

use super::{DispatchReason, Reservation, Target, TimerId};
use crate::redact::{Clean, CredentialOnly};
use crate::vocab::{Code, ExecutionId, Invocation};

/// What is going on with the session's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Nothing was sent, or what was sent is answered.
    Idle,
    /// An identity is reserved, its execution is not known yet.
    Reserved(Reservation),
    /// The prompt is with its agent.
    Running {
        /// The prompt.
        invocation: Invocation,
        /// Whether another prompt of this execution is unanswered: no update belongs to either for sure.
        overlapping: bool,
    },
    /// A retry is pending; its timer is the only one.
    Waiting {
        /// The timer.
        timer: TimerId,
        /// When it is due.
        deadline: Timestamp,
        /// The prompt that failed.
        failed: Invocation,
    },
    /// A person must decide.
    Manual,
    /// The program ended, or the session was given up.
    Closed,
}

/// The prompt that an owner can send again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Work {
    pub(super) prompt: Clean<CredentialOnly>,
    pub(super) target: Target,
    /// Automatic attempts of this loop so far.
    pub(super) attempt: u8,
    /// Generation of the loop's first prompt.
    pub(super) round: u64,
    /// What failed last.
    pub(super) code: Option<Code>,
    /// Why it is sent the next time.
    pub(super) reason: DispatchReason,
    /// An execution that must not carry the next dispatch.
    pub(super) not_under: Option<ExecutionId>,
}

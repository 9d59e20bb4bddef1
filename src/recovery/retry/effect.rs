//! What an owner asks for.

use jiff::Timestamp;

use super::{Reservation, Target, TimerId};
use crate::recovery::Refusal;
use crate::recovery::notice::{Notice, NoticeId, StoreError};
use crate::redact::{Clean, CredentialOnly};
use crate::vocab::{Code, ExecutionId, Invocation};

/// Why a prompt is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DispatchReason {
    /// Somebody prompted.
    Prompt,
    /// The owner retries by itself.
    Retry,
    /// A person sent it again.
    Resume,
    /// A person selected another model while it was pending or had shown nothing.
    ModelSwitch,
}

impl DispatchReason {
    /// The one spelling of this word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Retry => "retry",
            Self::Resume => "resume",
            Self::ModelSwitch => "model_switch",
        }
    }
}

/// An identity is reserved for a prompt that is to be sent. Bring up an execution, or take the one that runs, and answer
/// with [`Input::Bound`](super::Input::Bound); nothing may be sent before the [`Dispatch`] that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prepare {
    /// The identity.
    pub reservation: Reservation,
    /// Where the prompt goes.
    pub target: Target,
    /// An execution that must not carry it: a model switch needs a replacement.
    pub not_under: Option<ExecutionId>,
}

/// A prompt to send now, under a complete identity.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatch {
    /// The identity; evidence for it begins here.
    pub invocation: Invocation,
    /// The prompt, credentials removed (.29).
    pub prompt: Clean<CredentialOnly>,
    /// Where it goes.
    pub target: Target,
    /// 0, or the number of the automatic attempt.
    pub attempt: u8,
    /// Why.
    pub reason: DispatchReason,
}

/// What a person can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ManualAction {
    /// Send the prompt again in the same session.
    Resume,
    /// Start a fresh session with the same prompt.
    StartFresh,
}

impl ManualAction {
    /// The one spelling of this word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Resume => "resume",
            Self::StartFresh => "start_fresh",
        }
    }
}

/// Why a person must decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ManualReason {
    /// The evidence or the code is against it; [`Manual::refusals`] says what (.8, .15, .24).
    Refused,
    /// All automatic attempts are used.
    Exhausted,
    /// The deadline does not exist.
    NoDeadline,
    /// The prompt could not be sent.
    NotDispatched,
    /// Output or an effect came after the failure.
    EvidenceChanged,
    /// A person cancelled the retry.
    Cancelled,
}

impl ManualReason {
    /// The one spelling of this word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Exhausted => "exhausted",
            Self::NoDeadline => "no_deadline",
            Self::NotDispatched => "not_dispatched",
            Self::EvidenceChanged => "evidence_changed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A person must decide.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Manual {
    /// Why.
    pub reason: ManualReason,
    /// What the evidence and the code say against an automatic retry, in declared order.
    pub refusals: Vec<Refusal>,
    /// What failed, when something was classified.
    pub code: Option<Code>,
    /// What is offered, in this order.
    pub actions: &'static [ManualAction],
}

/// The only thing a requester learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Answer {
    /// Nothing to do: idle, ended, foreign and denied are one answer (.11).
    Idle,
    /// Done.
    Done,
}

/// Which call of a store failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StorageOperation {
    /// Listing notices.
    List,
    /// Writing one.
    Write,
    /// Removing one.
    Delete,
}

impl StorageOperation {
    /// The one spelling of this word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

/// What is to be done, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Get an execution ready and bind it.
    Prepare(Prepare),
    /// Send the prompt.
    Dispatch(Dispatch),
    /// Give this session up and send the prompt to a fresh one, which has an owner of its own.
    StartFresh {
        /// The prompt, credentials removed (.29).
        prompt: Clean<CredentialOnly>,
        /// Where it goes.
        target: Target,
    },
    /// Come back with [`Input::TimerFired`](super::Input::TimerFired) at this instant.
    ArmTimer {
        /// Which timer.
        timer: TimerId,
        /// Absolute instant.
        at: Timestamp,
    },
    /// Forget this timer. One that fires nevertheless is ignored.
    DisarmTimer(TimerId),
    /// Tell the agent to cancel this prompt; whatever it still says is stale.
    AbandonPrompt(Invocation),
    /// The notice is durable in this form: tell the viewers of the session.
    NoticeWritten(Notice),
    /// The notice is durably gone: tell the viewers of the session.
    NoticeRetired(NoticeId),
    /// Log it. The transition happened all the same (.10, .25).
    NoticeStorageFailed {
        /// What was tried.
        operation: StorageOperation,
        /// On which notice, when it was one.
        notice: Option<NoticeId>,
        /// What the store said.
        error: StoreError,
    },
    /// Automatic recovery is over: show why and offer the actions.
    Manual(Manual),
    /// Answer the requester. Nothing else of the effects is for a requester.
    Reply(Answer),
}

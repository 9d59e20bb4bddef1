//! What an owner is told.

use jiff::Timestamp;

use super::{Failure, Jitter};
use crate::redact::{Clean, CredentialOnly};
use crate::vocab::{AgentId, ExecutionId, Generation, Invocation, ModelId, ProfileId, SessionId, TaskId};

/// When something happened, and the jitter to use if a wait follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The instant.
    pub now: Timestamp,
    /// Jitter of a wait that starts now.
    pub jitter: Jitter,
}

impl Moment {
    /// The same instant with jitter.
    #[must_use]
    pub const fn with_jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = jitter;
        self
    }
}

impl From<Timestamp> for Moment {
    fn from(now: Timestamp) -> Self {
        Self { now, jitter: Jitter::NONE }
    }
}

/// Who asks for a manual action. The owner compares the pair; the client's access check gives `permitted`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Requester {
    /// The task the person acts in.
    pub task: TaskId,
    /// The session the person names.
    pub session: SessionId,
    /// Whether the client's access check let the person act on that pair.
    pub permitted: bool,
}

/// Names one armed timer. A later timer never has an earlier one's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId(pub(super) u64);

impl TimerId {
    /// The timer with this number, for clients that keep numbers only.
    #[must_use]
    pub const fn numbered(number: u64) -> Self {
        Self(number)
    }

    /// Number of this timer within its owner, from 1.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// An identity that is taken before its prompt is sent, and waits for its execution.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reservation {
    /// The session.
    pub session: SessionId,
    /// The prompt's generation; no other dispatch of this session has it.
    pub generation: Generation,
}

impl Reservation {
    /// The complete identity under `execution`.
    #[must_use]
    pub fn bound_to(&self, execution: ExecutionId) -> Invocation {
        Invocation { session: self.session.clone(), execution, generation: self.generation }
    }
}

/// Where a prompt goes. A retry goes to the same target.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The provider.
    pub provider: AgentId,
    /// The local profile, when the client has several.
    pub profile: Option<ProfileId>,
    /// The model, when one was selected.
    pub model: Option<ModelId>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// A person or a program sends a prompt. Takes over from a pending retry.
    Prompt {
        /// The prompt, credentials removed, on attempt 0 as on every other (.29).
        prompt: Clean<CredentialOnly>,
        /// Where it goes.
        target: Target,
    },
    /// The client has an execution for a reserved prompt. The dispatch follows at once.
    Bound {
        /// What was reserved.
        reservation: Reservation,
        /// The execution that will carry it.
        execution: ExecutionId,
    },
    /// A reserved prompt can not be sent: no execution came up.
    NotDispatched {
        /// What was reserved.
        reservation: Reservation,
    },
    /// A prompt failed.
    Failed(Failure),
    /// Output or an effect of a failed prompt was seen after its failure: what was judged is not true any more.
    EvidenceChanged(Invocation),
    /// A prompt was answered without a failure (also: cancelled by its agent).
    Succeeded(Invocation),
    /// An armed timer is due.
    TimerFired(TimerId),
    /// A person cancels the retry (.11).
    Cancel(Requester),
    /// A person sends the prompt again; while a retry is pending, claims it now.
    Resume(Requester),
    /// A person gives the session up and starts a fresh one with the same prompt.
    StartFresh(Requester),
    /// A person selects another model.
    SwitchModel {
        /// Who.
        requester: Requester,
        /// The model.
        model: ModelId,
        /// Whether the running prompt, if there is one, has shown neither output nor effect so far.
        nothing_happened: bool,
    },
    /// The running prompt is stopped, and with it every retry.
    Stop(Requester),
    /// A session is opened or loaded again: an authorized moment to remove what earlier cleanups left.
    Sweep(Requester),
    /// The program ends.
    Shutdown,
}

impl Input {
    /// Who asks, for the inputs that need permission.
    pub(super) const fn requester(&self) -> Option<&Requester> {
        match self {
            Self::Cancel(requester)
            | Self::Resume(requester)
            | Self::StartFresh(requester)
            | Self::SwitchModel { requester, .. }
            | Self::Stop(requester)
            | Self::Sweep(requester) => Some(requester),
            Self::Prompt { .. }
            | Self::Bound { .. }
            | Self::NotDispatched { .. }
            | Self::Failed(_)
            | Self::EvidenceChanged(_)
            | Self::Succeeded(_)
            | Self::TimerFired(_)
            | Self::Shutdown => None,
        }
    }
}

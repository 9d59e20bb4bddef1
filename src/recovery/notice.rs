//! The one banner of a retry loop: what is persisted, what a client shows, how it is kept and how it goes away.
//!
//! Invariant: at most one notice per session and loop; none is created when an existing one can not be read or updated.
//!
//! Must not know: how a store keeps anything, how a client draws.

mod board;
pub mod law;
mod memory;
mod store;
mod view;

pub use memory::MemoryStore;
pub use store::{NoticeStore, StoreError, Stored};
pub use view::NoticeView;

pub(in crate::recovery) use board::{current, retire, write};

use jiff::Timestamp;

use crate::redact::{Clean, Diagnostic};
use crate::vocab::{AgentId, Code, SessionId};

/// Names one notice within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoticeId(u64);

impl NoticeId {
    /// The notice with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// Whether the notice's attempt is still to come or runs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeState {
    /// The deadline is ahead.
    Waiting,
    /// The prompt was sent again and is not answered yet.
    Retrying,
}

impl NoticeState {
    /// The one spelling of this word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Retrying => "retrying",
        }
    }

    /// The state of that spelling.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Retrying].into_iter().find(|state| state.as_str() == word)
    }
}

/// A persisted retry notice (.9, .25).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Notice {
    /// The session it belongs to.
    pub session: SessionId,
    /// The loop it belongs to: the generation of the loop's first prompt.
    pub round: u64,
    /// Semantic reason.
    pub code: Code,
    /// Redacted excerpt of what the provider said, when there is one (.29).
    pub reason: Option<Clean<Diagnostic>>,
    /// The provider that is tried again.
    pub provider: AgentId,
    /// Number of this attempt, from 1.
    pub attempt: u8,
    /// Most attempts of the loop.
    pub max_attempts: u8,
    /// Absolute instant at which the prompt is sent again.
    pub deadline: Timestamp,
    /// Whether the attempt is still to come.
    pub state: NoticeState,
}

/// What a notice is about, apart from its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeFacts {
    /// The session it belongs to.
    pub session: SessionId,
    /// The loop it belongs to.
    pub round: u64,
    /// Semantic reason.
    pub code: Code,
    /// The provider that is tried again.
    pub provider: AgentId,
    /// Number of this attempt, from 1.
    pub attempt: u8,
    /// Most attempts of the loop.
    pub max_attempts: u8,
    /// Absolute instant at which the prompt is sent again.
    pub deadline: Timestamp,
}

impl Notice {
    /// A notice. A store that reads one back cleans the reason anew, which changes nothing in a text that was clean.
    #[must_use]
    pub fn new(facts: NoticeFacts, reason: Option<Clean<Diagnostic>>, state: NoticeState) -> Self {
        let NoticeFacts { session, round, code, provider, attempt, max_attempts, deadline } = facts;
        Self { session, round, code, reason, provider, attempt, max_attempts, deadline, state }
    }
}

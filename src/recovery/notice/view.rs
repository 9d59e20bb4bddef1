//! What a client on any screen shows.

use std::fmt;

use jiff::Timestamp;

use super::{Notice, NoticeState};
use crate::redact::{Clean, Diagnostic};
use crate::vocab::{AgentId, Code};

/// A banner, ready to draw (.9). The client draws; nothing else decides what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoticeView {
    /// Semantic reason.
    pub code: Code,
    /// Redacted excerpt of what the provider said, when there is one.
    pub reason: Option<Clean<Diagnostic>>,
    /// The provider that is tried again.
    pub provider: AgentId,
    /// Number of this attempt, from 1.
    pub attempt: u8,
    /// Most attempts of the loop.
    pub max_attempts: u8,
    /// Absolute instant at which the prompt is sent again.
    pub deadline: Timestamp,
    /// Seconds until the deadline, rounded up; 0 when it has passed or the attempt runs.
    pub remaining_seconds: u64,
    /// Whether the attempt is still to come.
    pub state: NoticeState,
    /// Whether Cancel is offered: while and only while the owner owns the retry.
    pub cancel: bool,
}

impl NoticeView {
    /// The view of a notice whose loop the owner owns at `now`.
    pub(in crate::recovery) fn owned(notice: &Notice, now: Timestamp) -> Self {
        let left = notice.deadline.as_millisecond().saturating_sub(now.as_millisecond());
        let remaining = u64::try_from(left).unwrap_or(0).div_ceil(1_000);
        Self {
            code: notice.code,
            reason: notice.reason.clone(),
            provider: notice.provider.clone(),
            attempt: notice.attempt,
            max_attempts: notice.max_attempts,
            deadline: notice.deadline,
            remaining_seconds: if notice.state == NoticeState::Waiting { remaining } else { 0 },
            state: notice.state,
            cancel: true,
        }
    }
}

impl fmt::Display for NoticeView {
    /// One line: `provider_overloaded at NAME: attempt 2 of 5 in 10 s [Cancel]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}: attempt {} of {}", self.code, self.provider, self.attempt, self.max_attempts)?;
        match self.state {
            NoticeState::Waiting => write!(f, " in {} s", self.remaining_seconds)?,
            NoticeState::Retrying => write!(f, " is running")?,
        }
        if self.cancel { f.write_str(" [Cancel]") } else { Ok(()) }
    }
}

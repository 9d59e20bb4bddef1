//! Which assistant and thinking records belong to the provider's current response attempt, and how they go away when
//! the provider abandons it (.26 to .28).
//!
//! Invariant: a boundary removes records of the current attempt only; a committed record is never removed, whatever
//! message ids the provider uses again; nothing here lowers a fence.
//!
//! Must not know: tools, permissions, notices, what a text says.

mod book;
mod records;

#[cfg(test)]
mod tests;

pub use book::Transcript;
pub use records::{MemoryRecords, Record, RecordStore};

use super::notice::StoreError;
use crate::vocab::Invocation;

/// Names one record; ids rise in the order of allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(u64);

impl RecordId {
    /// The record with this number.
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

/// What kind of text a record holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// An assistant message.
    Assistant,
    /// Thinking.
    Thought,
}

impl Part {
    /// The one spelling of this word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::Thought => "thought",
        }
    }
}

/// What makes the records so far final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Commit {
    /// A new tool call. The prompt goes on. Events do not tell a nested call from a top-level one, so each commits: more
    /// is kept than had to be, never less.
    ToolCall,
    /// The session is handed to another execution or viewer. The prompt goes on.
    HandOff,
    /// The prompt ended, with or without a failure.
    Completion,
    /// The prompt was cancelled.
    Cancellation,
    /// The session is being closed.
    Teardown,
}

impl Commit {
    /// Whether the prompt is over: no boundary is accepted afterwards.
    #[must_use]
    pub const fn ends_prompt(self) -> bool {
        match self {
            Self::ToolCall | Self::HandOff => false,
            Self::Completion | Self::Cancellation | Self::Teardown => true,
        }
    }
}

/// What a transcript is told.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A prompt was sent; commits what was before.
    PromptStarted(Invocation),
    /// Text of the assistant came.
    Chunk {
        /// The prompt it came under.
        invocation: Invocation,
        /// What kind of text.
        part: Part,
        /// The protocol's message id; the provider may use one again.
        message_id: Option<String>,
        /// The text as observed.
        text: String,
    },
    /// A good moment to write pending text.
    Flush,
    /// The records so far are final.
    Commit {
        /// The prompt it came under.
        invocation: Invocation,
        /// Why.
        cause: Commit,
    },
    /// The provider abandoned its response attempt and generates a replacement (.26).
    Boundary(Invocation),
}

/// What is to be done, in order: a viewer that follows the order never sees a replacement before a removal (.27).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranscriptEffect {
    /// Viewers append this text to this record; a record that they do not know is new.
    Show {
        /// Which record.
        record: RecordId,
        /// What kind of text.
        part: Part,
        /// What is appended.
        text: String,
    },
    /// Viewers drop this record. Its durable removal was done, or failed and is tried again.
    Remove(RecordId),
    /// This assistant text may enter a later resume context. Uncommitted text never gets here (.28).
    History {
        /// Which record.
        record: RecordId,
        /// The whole text.
        text: String,
    },
    /// Log it; it is tried again at the next change.
    StorageFailed {
        /// Which record.
        record: RecordId,
        /// Whether writing or removing failed.
        removal: bool,
        /// What the store said.
        error: StoreError,
    },
}

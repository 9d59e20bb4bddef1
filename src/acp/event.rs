//! What the adapter makes of a session: the only view of an agent that anything above has.
//!
//! Invariant: a [`Marker`] can be carried and read everywhere, and made only inside `acp` (.20).
//!
//! Must not know: JSON, frames, what an event means for a replay.

use crate::redact::{Clean, Diagnostic, Raw};
use crate::vocab::{Code, Invocation, ModelId, Token, ToolStatus};

pub use super::projection::{End, ProviderError};

/// The provider-diagnostic candidate flag of one message chunk: necessary evidence, never sufficient (.20).
///
/// It says what the chunk's text classifies to and carries the sanitized text, so that no later hop has to look at the
/// chunk again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    code: Code,
    text: Clean<Diagnostic>,
}

impl Marker {
    /// Only the conversion boundary mints markers.
    pub(in crate::acp) const fn new(code: Code, text: Clean<Diagnostic>) -> Self {
        Self { code, text }
    }

    /// A marker for tests of the rooms above, which have no other way to get one without an agent's update.
    #[cfg(test)]
    pub(crate) fn sample(code: Code, text: &str) -> Self {
        Self::new(code, crate::redact::Redactor::embedded().scope().clean(Raw::new(text)))
    }

    /// The code that the chunk's text classifies to, with high confidence and fallback-eligible.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The chunk's text in the diagnostic tier, with the placeholders of its prompt generation.
    #[must_use]
    pub const fn text(&self) -> &Clean<Diagnostic> {
        &self.text
    }
}

/// Content of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Text as observed; empty when the content is no text.
    pub text: Raw<String>,
    /// Whether the content is something other than text, such as an image.
    pub beyond_text: bool,
    /// Message id as the protocol sent it, at most 128 bytes of it.
    pub message_id: Option<String>,
}

impl Chunk {
    /// Whether there is nothing in it at all. White space is something: the model has begun to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.beyond_text && self.text.as_inner().is_empty()
    }

    /// Whether a reader would see nothing in it.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        !self.beyond_text && self.text.as_inner().trim().is_empty()
    }
}

/// Evidence that an unreadable or indirect update stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Implies {
    /// Assistant output.
    Output,
    /// Tool activity.
    Effect,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// Text of the assistant, with the marker when it is a provider-diagnostic candidate.
    AssistantChunk {
        /// Content.
        chunk: Chunk,
        /// Decided once, here (.20).
        marker: Option<Marker>,
    },
    /// An echo of the user's own message.
    UserChunk(Chunk),
    /// Thinking of the assistant.
    ThoughtChunk(Chunk),
    /// A new tool call.
    ToolCall {
        /// Protocol id, at most 128 bytes; empty when the agent sent none.
        id: String,
        /// Title, as observed.
        title: Raw<String>,
        /// Status; `pending` when the agent sent none that is known.
        status: ToolStatus,
    },
    /// An update of a tool call.
    ToolUpdate {
        /// Protocol id, at most 128 bytes; empty when the agent sent none.
        id: String,
        /// New status, when the update has one.
        status: Option<ToolStatus>,
    },
    /// The session's model was published.
    ModelSettled(ModelId),
    /// The agent reported what a model used.
    ModelUsage(Option<ModelId>),
    /// Title or timestamps of the session.
    SessionInfo,
    /// The provider abandoned its response attempt and retries by itself (.26).
    ResponseAttemptReset,
    /// Two prompts of the session are unanswered: no update belongs to this attempt for sure.
    Overlap,
    /// The prompt failed.
    Failure(ProviderError),
    /// The prompt ended without a failure.
    Complete {
        /// `stopReason` as sent, at most 128 bytes; empty when there was none.
        stop_reason: String,
    },
    /// Anything else: plans, command lists, unknown kinds, updates that could not be read.
    Other {
        /// The update's kind or the request's method, at most 128 bytes of it.
        name: String,
        /// The evidence it stands for, if any; this is how unreadable output still counts.
        implies: Option<Implies>,
    },
}

/// Something that happened in a session, and the prompt it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The prompt that was last sent when this happened; `None` before the first prompt.
    pub invocation: Option<Invocation>,
    /// What happened.
    pub kind: EventKind,
}

impl Event {
    /// How a fixture's `expect.events` spells this event; `None` when it has no word (.19).
    #[must_use]
    pub const fn token(&self) -> Option<Token> {
        match &self.kind {
            EventKind::AssistantChunk { marker: Some(_), .. } => Some(Token::MessageChunkDiagnostic),
            EventKind::AssistantChunk { marker: None, .. } | EventKind::UserChunk(_) => Some(Token::MessageChunk),
            EventKind::ThoughtChunk(_) => Some(Token::ThoughtChunk),
            EventKind::ToolCall { .. } => Some(Token::ToolCall),
            EventKind::ToolUpdate { .. } => Some(Token::ToolUpdate),
            EventKind::ResponseAttemptReset => Some(Token::ResponseAttemptReset),
            EventKind::Failure(_) => Some(Token::Error),
            EventKind::Complete { .. } => Some(Token::Complete),
            EventKind::ModelSettled(_)
            | EventKind::ModelUsage(_)
            | EventKind::SessionInfo
            | EventKind::Overlap
            | EventKind::Other { .. } => None,
        }
    }
}

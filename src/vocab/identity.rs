//! Identifiers: bounded, non-empty, without control characters. What they name is never looked at.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

/// Why a text is no identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdError {
    /// Nothing, or only white space.
    Empty,
    /// More than 128 bytes.
    TooLong,
    /// A control character inside.
    ControlCharacter,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "an identifier is empty",
            Self::TooLong => "an identifier is longer than 128 bytes",
            Self::ControlCharacter => "an identifier holds a control character",
        })
    }
}

impl std::error::Error for IdError {}

/// Longest identifier, in bytes (criterion .22).
const ID_LIMIT_BYTES: usize = 128;

fn checked(text: &str) -> Result<Arc<str>, IdError> {
    if text.trim().is_empty() {
        Err(IdError::Empty)
    } else if text.len() > ID_LIMIT_BYTES {
        Err(IdError::TooLong)
    } else if text.chars().any(char::is_control) {
        Err(IdError::ControlCharacter)
    } else {
        Ok(text.into())
    }
}

macro_rules! identifier {
    ($($(#[$meta:meta])* $name:ident;)+) => { $(
        $(#[$meta])*
        ///
        /// Non-empty, at most 128 bytes, no control characters. Cheap to clone.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and wraps `text`.
            ///
            /// # Errors
            /// When the text is empty, longer than 128 bytes or holds a control character.
            pub fn new(text: &str) -> Result<Self, IdError> { checked(text).map(Self) }

            /// The identifier as it was given.
            #[must_use]
            pub fn as_str(&self) -> &str { &self.0 }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.pad(&self.0) }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                Self::new(&text).map_err(serde::de::Error::custom)
            }
        }
    )+ };
}

identifier! {
    /// An agent identity such as `claude-acp`; which ones exist is data (`matrix.yaml`).
    AgentId;
    /// Label of an envelope shape such as `litellm`; which ones exist is data (`matrix.yaml`).
    Gateway;
    /// One candidate of a route: a provider with its profile and model, as the client names it.
    CandidateId;
    /// The client's own task that a session works on.
    TaskId;
    /// A local profile of a provider: which account and settings a candidate runs under.
    ProfileId;
    /// An ACP session.
    SessionId;
    /// One execution of an agent.
    ExecutionId;
    /// A model as the agent published it; an alias stays an alias.
    ModelId;
    /// A rule of the catalogue.
    RuleId;
    /// A redaction shape of the catalogue.
    ShapeId;
}

/// Number of a prompt within a session; 0 is never valid (criterion .18).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(NonZeroU64);

impl Generation {
    /// `None` for 0.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0.get()
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What evidence belongs to: one prompt of one session under one execution (criterion .2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Invocation {
    /// The session.
    pub session: SessionId,
    /// The execution.
    pub execution: ExecutionId,
    /// The prompt.
    pub generation: Generation,
}

//! Playing a script: the interface between a replay and whatever carries the messages.
//!
//! Invariant: every event before the terminal is in `events` before the prompt call returns, else it is an error (.19).
//!
//! Must not know: fixtures, expectations.

use std::fmt;

use super::script::Script;
use crate::acp::event::Event;
use crate::acp::session::Knowledge;

/// What was observed at the transport layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The event stream up to the return of the prompt call.
    pub events: Vec<Event>,
    /// The terminal event, from what the prompt call returned; `None` when everything stalled and it had not returned.
    pub terminal: Option<Event>,
}

/// Why a script could not be played as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The prompt call returned while events before its terminal were not on the stream yet.
    ReturnedBeforeDrained {
        /// How many events came later; 0 when the queue was still held.
        late: usize,
    },
    /// Events were on the stream although the queue was held.
    NotHeld {
        /// How many.
        early: usize,
    },
    /// The agent did not get to play all of its script.
    Unconsumed {
        /// Messages that were not sent, the ending included.
        left: usize,
    },
    /// The agent was prompted more often than its script has prompts.
    OverConsumed,
    /// The replay did not come to rest within its bound of steps.
    Deadline {
        /// The bound.
        steps: usize,
    },
    /// The connection failed outside the prompt.
    Connection(String),
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReturnedBeforeDrained { late: 0 } => {
                f.write_str("hold the prompt: it returned while its events were still queued")
            }
            Self::ReturnedBeforeDrained { late } => {
                write!(f, "drain the queue: {late} events came after the prompt had returned")
            }
            Self::NotHeld { early } => write!(f, "hold the queue: {early} events came through the closed gate"),
            Self::Unconsumed { left } => write!(f, "play the script: {left} of its messages were not sent"),
            Self::OverConsumed => f.write_str("play the script: the agent was prompted again after its end"),
            Self::Deadline { steps } => write!(f, "come to rest within {steps} steps"),
            Self::Connection(reason) => write!(f, "connect: {reason}"),
        }
    }
}

impl std::error::Error for ExchangeError {}

/// Something that plays a script between an agent and the adapter.
pub trait Exchange {
    /// Plays the whole script as one prompt of a fresh session.
    ///
    /// # Errors
    /// When the script can not be played exactly as it is written.
    fn play(&self, script: &Script, knowledge: Knowledge<'_>) -> Result<Observation, ExchangeError>;
}

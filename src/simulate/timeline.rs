//! What happened and what was decided, line by line.

use std::fmt;

use crate::vocab::word_enum;

word_enum! {
    /// Whose line it is.
    pub enum Voice("voice") {
        /// A person or the client.
        Client = "client",
        /// The agent.
        Agent = "agent",
        /// The simulated clock.
        Timer = "timer",
        /// The adapter: what became of a frame.
        Event = "event",
        /// The owner of the retry.
        Owner = "owner",
        /// The transcript.
        Transcript = "transcript",
        /// What a viewer sees.
        Banner = "banner",
        /// What is left at the end.
        Rest = "rest",
    }
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Milliseconds since the start.
    pub at_ms: u64,
    /// Whose line it is.
    pub voice: Voice,
    /// What.
    pub text: String,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.at_ms / 1_000, self.at_ms % 1_000);
        let time = format!("{seconds}.{rest:03} s");
        write!(f, "{time:>11}  {:<10}  {}", self.voice.as_str(), self.text)
    }
}

/// All lines, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timeline {
    entries: Vec<Entry>,
}

impl Timeline {
    /// The lines.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn push(&mut self, at_ms: u64, voice: Voice, text: impl Into<String>) {
        self.entries.push(Entry { at_ms, voice, text: text.into() });
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.iter().try_for_each(|entry| writeln!(f, "{entry}"))
    }
}

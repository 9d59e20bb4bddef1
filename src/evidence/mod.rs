//! What a failure can look like: bounded, ordered signals and the invocation they belong to (criteria .1, .2).
//!
//! Invariant: the text of one [`Evidence`] never exceeds [`Evidence::TEXT_LIMIT_BYTES`]; what is cut is said.
//!
//! Must not know: how it was observed, what it means.

mod result;
pub mod wire;

pub use result::failure_text;

use crate::text;
use crate::vocab::{AgentId, Channel, Invocation, ModelId, Phase};

/// One observed signal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// The terminal JSON-RPC error of the prompt. Its `data` never gets here (.22).
    PromptError {
        /// JSON-RPC code; 0 and absent are the same and are `None`.
        rpc_code: Option<i32>,
        /// The message.
        message: String,
        /// The allowlisted `data.errorKind`, carried for display; no rule may key on it.
        error_kind: Option<String>,
    },
    /// Text of an assistant message chunk: a candidate, never the source of a code beside a terminal.
    MessageChunk {
        /// The text.
        text: String,
    },
    /// Managed stderr, correlated to the prompt.
    Stderr {
        /// The text.
        text: String,
    },
    /// The prompt returned a result: a failure may have arrived as success.
    PromptResult {
        /// `stopReason` as sent.
        stop_reason: String,
        /// Failure text that a dialect projected out of the result, when there is one.
        failure: Option<String>,
    },
    /// The agent process ended.
    Exit {
        /// Exit code, when it exited.
        code: Option<i32>,
        /// Signal number, when it was killed.
        signal: Option<i32>,
    },
    /// Structured HTTP metadata of the same request.
    Http {
        /// Status.
        status: u16,
        /// Header names in lower case and values; only retry and rate-limit headers are kept.
        headers: Vec<(String, String)>,
    },
}

impl Signal {
    /// The channel this signal came through.
    #[must_use]
    pub const fn channel(&self) -> Channel {
        match self {
            Self::PromptError { .. } => Channel::PromptError,
            Self::MessageChunk { .. } => Channel::MessageChunk,
            Self::Stderr { .. } => Channel::Stderr,
            Self::PromptResult { .. } => Channel::PromptResult,
            Self::Exit { .. } => Channel::Exit,
            Self::Http { .. } => Channel::Http,
        }
    }

    /// The signal's text, when it has one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::PromptError { message: text, .. } | Self::MessageChunk { text } | Self::Stderr { text } => Some(text),
            Self::PromptResult { failure, .. } => failure.as_deref(),
            Self::Exit { .. } | Self::Http { .. } => None,
        }
    }

    fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::PromptError { message: text, .. } | Self::MessageChunk { text } | Self::Stderr { text } => Some(text),
            Self::PromptResult { failure, .. } => failure.as_mut(),
            Self::Exit { .. } | Self::Http { .. } => None,
        }
    }
}

/// Ordered signals of one failure and what they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    invocation: Option<Invocation>,
    provider: Option<AgentId>,
    model: Option<ModelId>,
    phase: Phase,
    signals: Vec<Signal>,
    text_bytes: usize,
    cut: bool,
}

impl Evidence {
    /// Most text, in bytes, that one evidence holds over all its signals.
    pub const TEXT_LIMIT_BYTES: usize = 64 * 1024;
    /// Most signals one evidence holds; later ones are dropped and count as cut.
    pub const SIGNAL_LIMIT: usize = 4_096;

    /// Empty evidence of a phase.
    #[must_use]
    pub const fn new(phase: Phase) -> Self {
        Self { invocation: None, provider: None, model: None, phase, signals: Vec::new(), text_bytes: 0, cut: false }
    }

    /// Ties the evidence to an invocation (.2).
    #[must_use]
    pub fn with_invocation(mut self, invocation: Invocation) -> Self {
        self.invocation = Some(invocation);
        self
    }

    /// Names the negotiated agent; never parsed from text.
    #[must_use]
    pub fn with_provider(mut self, provider: Option<AgentId>) -> Self {
        self.provider = provider;
        self
    }

    /// Names the model that was published for the session.
    #[must_use]
    pub fn with_model(mut self, model: Option<ModelId>) -> Self {
        self.model = model;
        self
    }

    /// Appends a signal. Text over what is left of the limit keeps its head and its tail, three quarters and one quarter
    /// of the room, with ` … ` between.
    pub fn push(&mut self, mut signal: Signal) {
        if self.signals.len() >= Self::SIGNAL_LIMIT {
            self.cut = true;
            return;
        }
        let room = Self::TEXT_LIMIT_BYTES - self.text_bytes;
        if let Some(text) = signal.text_mut() {
            if text.len() > room {
                *text = head_and_tail(text, room);
                self.cut = true;
            }
            self.text_bytes += text.len();
        }
        self.signals.push(signal);
    }

    /// The signals, in the order they were observed.
    #[must_use]
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// What the evidence belongs to.
    #[must_use]
    pub const fn invocation(&self) -> Option<&Invocation> {
        self.invocation.as_ref()
    }

    /// The negotiated agent.
    #[must_use]
    pub const fn provider(&self) -> Option<&AgentId> {
        self.provider.as_ref()
    }

    /// The published model.
    #[must_use]
    pub const fn model(&self) -> Option<&ModelId> {
        self.model.as_ref()
    }

    /// The phase.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether text or signals were dropped to stay inside the bounds.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.cut
    }
}

const CUT_MARK: &str = " … ";

fn head_and_tail(text: &str, room: usize) -> String {
    if room <= CUT_MARK.len() {
        return text::head(text, room).to_owned();
    }
    let room = room - CUT_MARK.len();
    let last = room / 4;
    format!("{}{CUT_MARK}{}", text::head(text, room - last), text::tail(text, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_text_keeps_head_and_tail_and_says_so() {
        let mut evidence = Evidence::new(Phase::Streaming);
        evidence.push(Signal::Stderr { text: format!("first{}last", "x".repeat(100_000)) });
        let text = evidence.signals()[0].text().unwrap();
        assert!(text.starts_with("first") && text.ends_with("last") && text.contains(CUT_MARK) && evidence.is_cut());
        assert!(text.len() <= Evidence::TEXT_LIMIT_BYTES);
    }

    proptest! {
        #[test]
        fn evidence_is_bounded_whatever_is_pushed(texts in prop::collection::vec((any::<char>(), 0usize..50_000), 0..6)) {
            let mut evidence = Evidence::new(Phase::Streaming);
            for (c, count) in texts {
                evidence.push(Signal::MessageChunk { text: c.to_string().repeat(count) });
            }
            let total: usize = evidence.signals().iter().filter_map(Signal::text).map(str::len).sum();
            prop_assert!(total <= Evidence::TEXT_LIMIT_BYTES);
        }
    }
}

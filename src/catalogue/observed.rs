//! A rule's sample as the evidence that a client would have observed.

use crate::evidence::{Evidence, Signal};
use crate::vocab::{Channel, Phase};

use super::document::Sample;
use super::rule::Rule;

impl Rule {
    /// What a client would have observed of `sample`, one of the rule's own.
    #[must_use]
    pub fn observed(&self, sample: &Sample) -> Evidence {
        let mut evidence = Evidence::new(Phase::PromptSend).with_provider(self.sample_provider(sample).cloned());
        let text = sample.text.clone();
        if let Some(status) = sample.status {
            evidence.push(Signal::Http { status, headers: Vec::new() });
        }
        if let Some(code) = sample.exit {
            evidence.push(Signal::Exit { code: Some(code), signal: None });
        }
        if let Some(stop_reason) = &sample.stop_reason {
            let failure = (!text.is_empty()).then(|| text.clone());
            evidence.push(Signal::PromptResult { stop_reason: stop_reason.clone(), failure });
            return evidence;
        }
        if !text.is_empty() {
            evidence.push(match sample.channel.unwrap_or(Channel::PromptError) {
                Channel::MessageChunk => Signal::MessageChunk { text },
                Channel::Stderr | Channel::Exit => Signal::Stderr { text },
                Channel::PromptResult => {
                    Signal::PromptResult { stop_reason: "end_turn".to_owned(), failure: Some(text) }
                }
                Channel::PromptError | Channel::Http => {
                    Signal::PromptError { rpc_code: Some(-32603), message: text, error_kind: None }
                }
            });
        }
        evidence
    }
}

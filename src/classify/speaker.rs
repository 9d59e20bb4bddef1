//! Which signal decides the code: the terminal speaks.

use std::borrow::Cow;

use crate::evidence::{Evidence, Signal};
use crate::vocab::Channel;

use super::logline;

/// What decides.
#[derive(Debug)]
pub(crate) struct Speaker<'a> {
    /// The text, when a signal with a text speaks.
    pub(crate) text: Option<Cow<'a, str>>,
    /// Where the text came through.
    pub(crate) channel: Channel,
    /// The http signal of the same request.
    pub(crate) http: Option<(u16, &'a [(String, String)])>,
    /// The exit code, when the process' end speaks.
    pub(crate) exit: Option<i32>,
    /// The stop reason, when a result speaks.
    pub(crate) stop_reason: Option<&'a str>,
    /// Whether a failure was observed; false for a lone chunk.
    pub(crate) observed: bool,
}

impl<'a> Speaker<'a> {
    /// The speaker of `evidence`: the last prompt error; else a result; else stderr and the exit; else the last chunk,
    /// which is only a candidate.
    pub(crate) fn of(evidence: &'a Evidence) -> Self {
        let mut speaker =
            Self { text: None, channel: Channel::Http, http: None, exit: None, stop_reason: None, observed: true };
        let (mut error, mut result, mut chunk, mut exit) = (None, None, None, None);
        let mut stderr: Vec<&str> = Vec::new();
        for signal in evidence.signals() {
            match signal {
                Signal::PromptError { message, .. } => error = Some(message.as_str()),
                Signal::PromptResult { stop_reason, failure } => {
                    result = Some((stop_reason.as_str(), failure.as_deref()))
                }
                Signal::Stderr { text } => stderr.push(text),
                Signal::MessageChunk { text } if !text.trim().is_empty() => chunk = Some(text.as_str()),
                Signal::Exit { code, signal } => exit = Some((*code, *signal)),
                Signal::Http { status, headers } => speaker.http = Some((*status, headers)),
                Signal::MessageChunk { .. } => {}
            }
        }
        let failed_exit = exit.is_some_and(|(code, signal)| code != Some(0) || signal.is_some());
        if let Some(message) = error {
            speaker.says(Channel::PromptError, Some(Cow::Borrowed(message)));
        } else if let Some((stop_reason, failure)) = result {
            speaker.stop_reason = Some(stop_reason);
            speaker.says(Channel::PromptResult, failure.map(Cow::Borrowed));
        } else if failed_exit || !stderr.is_empty() {
            speaker.exit = exit.and_then(|(code, _)| code);
            speaker.says(Channel::Stderr, joined(&stderr));
        } else if let Some(text) = chunk {
            speaker.observed = false;
            speaker.says(Channel::MessageChunk, Some(Cow::Borrowed(text)));
        } else {
            speaker.exit = exit.and_then(|(code, _)| code);
        }
        speaker
    }

    fn says(&mut self, channel: Channel, text: Option<Cow<'a, str>>) {
        self.channel = channel;
        self.text = text;
    }
}

fn joined<'a>(parts: &[&'a str]) -> Option<Cow<'a, str>> {
    match parts {
        [] => None,
        [one] => Some(logline::relevant(one)),
        many => Some(Cow::Owned(logline::relevant(&many.join("\n")).into_owned())),
    }
}

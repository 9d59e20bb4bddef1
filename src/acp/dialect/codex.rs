//! `codex-acp`: announces its own retries, and ends a failed turn as if it had succeeded.
//!
//! Invariant: a retry boundary needs both proofs, a boolean and an object; no error text is read for it (.26).
//!
//! Must not know: what a text classifies to.

use serde_json::Value;

use super::{Dialect, Projected, Reading, ended_by_itself, failure_notice};
use crate::acp::convert::Update;
use crate::vocab::ErrorSource;

/// Most failure text that is kept, in bytes; the sanitized message is shorter anyway.
const TEXT_LIMIT_BYTES: usize = 16 * 1024;

/// State within one prompt.
#[derive(Debug, Default)]
pub(super) struct Codex {
    /// `Some` after a `systemError` status: the agent's own text since then.
    failure: Option<String>,
}

impl Dialect for Codex {
    fn begin(&mut self) {
        self.failure = None;
    }

    fn read(&mut self, update: &Update<'_>, active: bool) -> Reading {
        match update {
            Update::SessionInfo(raw) => {
                self.follow_status(raw);
                if active && will_retry(raw) { Reading::ResponseAttemptReset } else { Reading::Ordinary }
            }
            // The model's own text carries a message id; the agent's does not.
            Update::Assistant(chunk) if chunk.message_id.is_none() => {
                if let Some(text) = self.failure.as_mut().filter(|text| text.len() < TEXT_LIMIT_BYTES) {
                    text.push_str(chunk.text.as_inner());
                }
                Reading::Ordinary
            }
            _ => Reading::Ordinary,
        }
    }

    fn settle(&mut self, result: &Value) -> Option<Projected> {
        let failure = self.failure.take().filter(|text| !text.trim().is_empty() && ended_by_itself(result));
        failure_notice(result)
            .or_else(|| failure.map(|text| Projected { source: ErrorSource::AcpResult, text: text.trim().to_owned() }))
    }
}

impl Codex {
    fn follow_status(&mut self, raw: &Value) {
        let status = raw.get("_meta").and_then(|meta| meta.get("codex")?.get("threadStatus")?.get("type")?.as_str());
        match status {
            Some("systemError") => self.failure = Some(String::new()),
            Some("active") => self.failure = None,
            _ => {}
        }
    }
}

/// Exact structured evidence that the provider abandoned its response attempt and will retry.
fn will_retry(raw: &Value) -> bool {
    let meta = raw.get("_meta");
    meta.into_iter().chain([raw]).any(|holder| {
        let error = holder.get("codex").and_then(|codex| codex.get("error"));
        error.is_some_and(|error| {
            let disconnected = error.get("codexErrorInfo").and_then(|info| info.get("responseStreamDisconnected"));
            error.get("willRetry") == Some(&Value::Bool(true)) && disconnected.is_some_and(Value::is_object)
        })
    })
}

//! What of a provider failure crosses the boundary (.22): a sanitized message and allowlisted metadata, nothing else.
//!
//! Invariant: raw `data` never gets past this module; a malformed field is dropped and the projection stays valid.
//!
//! Must not know: what the metadata means; it authorizes nothing.

use serde_json::Value;

use crate::evidence::{Evidence, Signal};
use crate::redact::{Clean, Diagnostic, Profile, Redactor};
use crate::vocab::{AgentId, ErrorSource, Invocation, ModelId, Phase, Tier};

/// Longest error kind, in bytes.
const ERROR_KIND_LIMIT_BYTES: usize = 64;

/// How the prompt ended when it failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// `session/prompt` returned an error.
    Error,
    /// `session/prompt` returned a result that carried a failure.
    Result {
        /// `stopReason` as sent.
        stop_reason: String,
    },
    /// The connection or the process ended before the prompt was answered.
    Gone {
        /// Exit code, when the process exited.
        code: Option<i32>,
        /// Signal number, when it was killed.
        signal: Option<i32>,
        /// Managed stderr of the attempt, sanitized.
        stderr: Option<Clean<Diagnostic>>,
    },
}

/// A provider failure as everything above the boundary sees it (.22).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    /// Which projection it came from.
    pub source: ErrorSource,
    /// The message in the diagnostic tier.
    pub message: Clean<Diagnostic>,
    /// JSON-RPC code; 0 means absent.
    pub rpc_code: i32,
    /// `data.errorKind`, when it is a text of at most 64 bytes of `[A-Za-z0-9_.-]`.
    pub error_kind: Option<String>,
    /// The negotiated agent; never parsed from text.
    pub provider: Option<AgentId>,
    /// The model most recently published before this projection was built.
    pub model: Option<ModelId>,
    /// How the prompt ended.
    pub end: End,
}

impl ProviderError {
    /// The evidence that the terminal failure alone gives.
    #[must_use]
    pub fn evidence(&self, invocation: Option<&Invocation>, phase: Phase) -> Evidence {
        let mut evidence = Evidence::new(phase).with_provider(self.provider.clone()).with_model(self.model.clone());
        if let Some(invocation) = invocation {
            evidence = evidence.with_invocation(invocation.clone());
        }
        for signal in self.signals() {
            evidence.push(signal);
        }
        evidence
    }

    fn signals(&self) -> Vec<Signal> {
        let message = self.message.as_str().to_owned();
        match &self.end {
            End::Error => vec![Signal::PromptError {
                rpc_code: (self.rpc_code != 0).then_some(self.rpc_code),
                message,
                error_kind: self.error_kind.clone(),
            }],
            End::Result { stop_reason } => {
                vec![Signal::PromptResult { stop_reason: stop_reason.clone(), failure: Some(message) }]
            }
            End::Gone { code, signal, stderr } => {
                let stderr = stderr.iter().map(|text| Signal::Stderr { text: text.as_str().to_owned() });
                stderr.chain([Signal::Exit { code: *code, signal: *signal }]).collect()
            }
        }
    }
}

/// The allowlisted error kind of raw error data (.22). Anything but a short plain word in an object is nothing, and a word
/// that is a credential or an identifier is no kind either.
#[must_use]
pub fn error_kind(data: Option<&Value>) -> Option<String> {
    let kind = data?.as_object()?.get("errorKind")?.as_str()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (!kind.is_empty() && kind.len() <= ERROR_KIND_LIMIT_BYTES && kind.bytes().all(plain))
        .then(|| kind.to_owned())
        .filter(|kind| Redactor::embedded().scan(Tier::Payload, Profile::Standard, kind).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_short_plain_word_in_an_object_is_an_error_kind() {
        let rows = [
            (json!({"errorKind": "server_error"}), Some("server_error")),
            (json!({"errorKind": "a.b-C_9", "other": {"secret": 1}}), Some("a.b-C_9")),
            (json!({"errorKind": "x".repeat(64)}), Some(&*"x".repeat(64))),
            (json!({"errorKind": "x".repeat(65)}), None),
            (json!({"errorKind": ""}), None),
            (json!({"errorKind": "server error"}), None),
            (json!({"errorKind": "sérver"}), None),
            (json!({"errorKind": "a\nb"}), None),
            (json!({"errorKind": 5}), None),
            (json!({"errorKind": {"errorKind": "x"}}), None),
            (json!([{"errorKind": "x"}]), None),
            (json!("errorKind"), None),
            (json!(null), None),
        ]
        .map(|(data, expected)| (data, expected.map(str::to_owned)));
        let wrong: Vec<_> = rows.iter().filter(|(data, expected)| error_kind(Some(data)) != *expected).collect();
        assert!(wrong.is_empty() && error_kind(None).is_none(), "{wrong:?}");
    }
}

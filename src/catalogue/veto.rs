//! Texts that say that somebody stopped the request, or that something else than the provider failed: they veto every
//! transient rule.

use std::sync::OnceLock;

use super::pattern::Pattern;
use crate::text::literals::Literals;

/// Words of which at least one is in every vetoing text; looked for in the one prefilter pass.
pub(crate) const LITERALS: &[&str] = &[
    "cancel",
    "context deadline",
    "abort",
    "interrupted",
    "client closed request",
    "ctrl-c",
    "mcp",
    "tool",
    "hook",
    "telemetry",
    "npm err",
    "docker",
    "from daemon",
    "language server",
    "lsp",
    "webfetch",
    "websearch",
    "web_fetch",
    "web_search",
    "plugin",
    "extension",
    "git ",
    "exporter",
    "opentelemetry",
    "kubectl",
    "ssh",
    "build",
    "lint",
    "test run",
    "tests failed",
    "deploy",
];

/// Who else can fail on a network: a tool, a hook, a server of the agent's, a package manager. Asking the provider again
/// cures none of it. Also an end that was ordered in words which Cursor's frame keeps for itself.
const ELSEWHERE: &str = concat!(
    r"\bmcp (?:error|server|client|tool|connection|request)s?\b|\[mcp\]",
    r#"|\btool (?:execution|call|use|invocation|result)s? (?:has )?(?:failed|error|errored|returned)\b|^tool ["'`]?[\w.:-]+["'`]? (?:failed|error|returned)\b"#,
    r#"|\berror (?:executing|running|calling) (?:the )?tool\b|\bhooks? ["'`]?[\w.:-]* ?["'`]?(?:failed|error|errored|returned|exited|crashed|timed out)\b"#,
    r"|\btelemetry\b|\bopentelemetry\b|\bexporter\b|\bnpm err(?:or|!)|\berror response from daemon\b|\blanguage server\b|\blsp\b",
    r"|\bweb_?(?:fetch|search)\b|\b(?:plugin|extension)s?\b|^(?:docker|git|ssh|kubectl)\b[^:]{0,40}: ",
    r"|^(?:test|build|lint|deploy)\w* (?:run |step )?failed\b",
    r"|^cancell?ed[:.]|\bcancell?ed (?:while|before|because|during|after|on)\b"
);

const PATTERN: &str = concat!(
    r"\bcontext (?:was )?cancell?ed\b|\bcontext deadline exceeded\b|\bcancel escalated\b",
    r"|\babandoned after cancel|\baborted by (?:the )?(?:user|signal|client|caller)\b|\baborterror\b",
    r"|\b(?:operation|request|retry|turn|stream|prompt|query|call|fetch|generation|this operation) (?:was |has been )?aborted\b",
    r"|\bcancell?ed by (?:the )?(?:user|client|caller)\b|\buser (?:has )?(?:cancell?ed|aborted|interrupted)\b",
    r"|\b(?:request|operation|prompt|turn|query|call|task|retry) (?:was |has been )?cancell?ed\b",
    r"|\binterrupted by (?:the )?user\b|\binterrupted \(|\bclient closed request\b|\bcancell?ederror\b",
    r"|\bcode ?= ?cancell?ed\b|\bctrl-c\b|\boperation cancell?ed\b"
);

/// Whether `text` says that the request was cancelled, ran into a deadline of ours or was given up.
#[must_use]
pub fn cancels(text: &str) -> bool {
    static PHRASES: Pattern = Pattern::fixed(PATTERN);
    may_veto(text) && PHRASES.is_match(text)
}

/// Whether `text` vetoes every transient rule: the request was stopped, or not the provider failed.
#[must_use]
pub fn vetoes(text: &str) -> bool {
    static OTHERS: Pattern = Pattern::fixed(ELSEWHERE);
    may_veto(text) && (cancels(text) || OTHERS.is_match(text))
}

fn may_veto(text: &str) -> bool {
    static WORDS: OnceLock<Literals> = OnceLock::new();
    WORDS.get_or_init(|| Literals::new(LITERALS.iter().copied())).is_in(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_is_a_phrase_not_a_word() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("context canceled: connection closed", true),
            ("context deadline exceeded", true),
            ("cancel escalated: prompt abandoned after cancel", true),
            ("AbortError: The operation was aborted", true),
            ("Request cancelled by user while waiting", true),
            ("[canceled] http/2 stream closed with error code CANCEL (0x8)", false),
            ("stream closed with error code CANCEL", false),
            ("the cancellation policy of the hotel", false),
        ] {
            let lower = text.to_ascii_lowercase();
            let prefiltered = LITERALS.iter().any(|literal| lower.contains(literal));
            if (cancels(text) && prefiltered) != expected {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn other_failures_are_told_from_the_provider_s() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("MCP error -32000: Connection closed", true),
            ("Tool execution failed: rate limit exceeded", true),
            ("Tool \"fetch\" failed: connect ETIMEDOUT", true),
            ("PreToolUse hook failed: connection refused", true),
            ("telemetry export failed: connection refused", true),
            ("npm error 503 Service Unavailable - GET the registry", true),
            ("Cancelled: 503 Service Unavailable while shutting down", true),
            ("context canceled: connection closed", true),
            ("[canceled] http/2 stream closed with error code CANCEL (0x8)", false),
            ("API Error: 529 Overloaded", false),
            ("WebFetch failed: getaddrinfo ENOTFOUND docs.example", true),
            ("git push failed: 503", true),
            ("This model does not support tool use", false),
            ("github copilot: connection refused", false),
            ("webhook.example: connection refused", false),
        ] {
            let lower = text.to_ascii_lowercase();
            let prefiltered = LITERALS.iter().any(|literal| lower.contains(literal));
            if (vetoes(text) && prefiltered) != expected {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

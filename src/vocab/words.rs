//! Closed word lists other than the codes.

use std::fmt;

/// A word that is not on its list: names the list, the word (cut to 64 characters) and the closest known words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// What kind of word was expected, for example `case`.
    pub kind: &'static str,
    /// The word as it was given, at most 64 characters of it.
    pub word: String,
    /// The closed list.
    pub known: WordList,
}

/// A closed list of words.
pub type WordList = &'static [&'static str];

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`, known are {}", self.kind, self.word, self.known.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// Declares a closed word list: the enum, its spelling, parsing, `ALL`, serde by spelling.
macro_rules! word_enum {
    ($(#[$meta:meta])* pub enum $name:ident($kind:literal) { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every word of this list, in its declared order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];
            /// Every spelling of this list, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            /// The one spelling of this word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.as_str()) }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::vocab::UnknownWord;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::vocab::UnknownWord {
                        kind: $kind,
                        word: word.chars().take(64).collect(),
                        known: Self::WORDS,
                    }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                word.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use word_enum;

word_enum! {
    /// Policy class of a code.
    pub enum Class("class") {
        /// May pass by itself.
        Transient = "transient",
        /// Will not pass by itself.
        Hard = "hard",
        /// Stops every automatic recovery.
        Unclassified = "unclassified",
    }
}

word_enum! {
    /// How sure a rule is; only `high` ever authorizes anything.
    pub enum Confidence("confidence") {
        /// Sure.
        High = "high",
        /// Likely.
        Medium = "medium",
        /// A guess or a fallback.
        Low = "low",
    }
}

word_enum! {
    /// What a failure is about.
    pub enum Scope("scope") {
        /// The whole provider.
        Provider = "provider",
        /// The account or organization.
        Account = "account",
        /// One model.
        Model = "model",
        /// One local profile or installation.
        Profile = "profile",
        /// This request alone.
        Request = "request",
    }
}

word_enum! {
    /// Where in its life an invocation was when the evidence was observed (criterion .2).
    pub enum Phase("phase") {
        /// Checking credentials before anything starts.
        AuthCheck = "auth_check",
        /// Starting the agent process.
        ProcessStart = "process_start",
        /// `initialize` and `session/new`.
        SessionInit = "session_init",
        /// The prompt was sent, nothing came back yet.
        PromptSend = "prompt_send",
        /// The agent streams.
        Streaming = "streaming",
        /// A tool runs.
        ToolExecution = "tool_execution",
        /// The session is being closed.
        Shutdown = "shutdown",
    }
}

impl Phase {
    /// Whether the prompt had not been sent yet.
    #[must_use]
    pub const fn is_before_prompt(self) -> bool {
        matches!(self, Self::AuthCheck | Self::ProcessStart | Self::SessionInit)
    }
}

word_enum! {
    /// The way a piece of evidence reached the client. Part of a rule: what may match in one need not match in another.
    pub enum Channel("channel") {
        /// The message of a terminal JSON-RPC error.
        PromptError = "prompt_error",
        /// Text of an assistant message chunk.
        MessageChunk = "message_chunk",
        /// Managed stderr of the agent.
        Stderr = "stderr",
        /// A prompt result: a failure that arrives as success.
        PromptResult = "prompt_result",
        /// Exit code or signal of the agent process.
        Exit = "exit",
        /// Structured HTTP status and headers.
        Http = "http",
    }
}

word_enum! {
    /// Redaction tier (section 10 of the recovery core, criteria .18 and .29).
    pub enum Tier("tier") {
        /// What a fixture may hold.
        Payload = "payload",
        /// A fixture's `capture`, `source` and `capturedAt`.
        Provenance = "provenance",
        /// Provider output, failure reasons, excerpts; at most 4,096 bytes.
        Diagnostic = "diagnostic",
        /// The primary launch prompt; credentials only, no length bound.
        CredentialOnly = "credential-only",
    }
}

word_enum! {
    /// Correlation case of a matrix cell (criterion .17).
    pub enum Case("case") {
        /// One marked chunk, contained in a terminal of the same code.
        Matched = "matched",
        /// One marked chunk that correlation refuses.
        Mismatched = "mismatched",
        /// A marked chunk, then ordinary output or a tool call.
        LaterOutput = "later-output",
        /// The shape of `matched`, replayed with the pump held.
        Queued = "queued",
        /// Model prose that classifies, then the terminal.
        ProseMatched = "prose-matched",
        /// The same with a tool call between.
        ProseTool = "prose-tool",
        /// The same with an ordinary chunk between.
        ProseOutput = "prose-output",
    }
}

word_enum! {
    /// Where a fixture's frames come from (criterion .18).
    pub enum CaptureMode("capture mode") {
        /// Real ACP frames from a real agent process.
        Recorded = "recorded",
        /// Written from a cited published contract.
        Reconstructed = "reconstructed",
    }
}

word_enum! {
    /// What may happen next (criterion .8).
    pub enum Disposition("disposition") {
        /// Send the same prompt to the same provider again.
        AutomaticRetry = "automatic_retry",
        /// Wait for a trusted reset.
        WaitForReset = "wait_for_reset",
        /// Try another candidate.
        Fallback = "fallback",
        /// A person decides.
        ManualRecovery = "manual_recovery",
    }
}

word_enum! {
    /// One observed step of a replay, as a fixture's `expect.events` spells it (criterion .19).
    pub enum Token("token") {
        /// An ordinary message chunk.
        MessageChunk = "message_chunk",
        /// A message chunk that carries the diagnostic marker.
        MessageChunkDiagnostic = "message_chunk:diagnostic",
        /// A thought chunk.
        ThoughtChunk = "thought_chunk",
        /// A new tool call.
        ToolCall = "tool_call",
        /// An update of a tool call.
        ToolUpdate = "tool_update",
        /// The provider abandoned its response attempt (.26).
        ResponseAttemptReset = "response_attempt_reset",
        /// The prompt failed.
        Error = "error",
        /// The prompt ended without a failure.
        Complete = "complete",
    }
}

word_enum! {
    /// Status of a tool call, as ACP spells it.
    pub enum ToolStatus("tool status") {
        /// Announced.
        Pending = "pending",
        /// Running.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// Failed.
        Failed = "failed",
    }
}

word_enum! {
    /// Which projection a provider error came from.
    pub enum ErrorSource("error source") {
        /// The error that `session/prompt` returned.
        AcpPrompt = "acp_prompt",
        /// A normal end of turn that carried a failure.
        AcpResult = "acp_result",
        /// Cursor's retriable control frame (.12).
        CursorAcp = "cursor_acp",
        /// The connection or the agent process ended before the prompt was answered.
        AcpConnection = "acp_connection",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_parses_back_and_unknown_words_name_the_list() {
        for &word in Case::ALL {
            assert_eq!(word.as_str().parse::<Case>(), Ok(word));
        }
        let error = "matchd".parse::<Case>().unwrap_err();
        assert!(error.to_string().contains("unknown case `matchd`, known are matched, "), "{error}");
    }
}

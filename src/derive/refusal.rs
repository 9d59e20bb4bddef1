//! Why no fixture was derived.

use std::fmt;

use crate::replay::ExchangeError;
use crate::vocab::{Case, Finding};

/// Why no fixture was derived. Messages read after "failed to".
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The transcript never reached a prompt.
    NoPrompt {
        /// What happened instead, for people.
        instead: String,
    },
    /// The transcript has fewer prompts.
    NoSuchTurn {
        /// The prompt that was asked for, from 1.
        asked: usize,
        /// How many there are.
        count: usize,
    },
    /// Nobody knows which agent this is.
    UnknownAgent {
        /// What the agent calls itself.
        name: Option<String>,
    },
    /// The prompt was never answered.
    Unanswered {
        /// Which prompt, from 1.
        turn: usize,
    },
    /// The agent process ended before it answered; no matrix cell ends that way.
    AgentEnded {
        /// Which prompt, from 1.
        turn: usize,
    },
    /// The prompt returned a result; no matrix cell ends that way.
    NotAnError {
        /// Which prompt, from 1.
        turn: usize,
        /// Its stop reason.
        stop_reason: String,
        /// Whether the client had cancelled it.
        cancelled: bool,
    },
    /// Something came that the format of a fixture can not say.
    Unrepresentable {
        /// Which prompt, from 1.
        turn: usize,
        /// What it was.
        what: String,
    },
    /// Redaction would change whether the terminal contains the diagnostic (.23).
    Containment {
        /// Position of the chunk among the frames, from 1.
        frame: usize,
    },
    /// Redaction would change what the frames are judged as.
    Judgement {
        /// What the raw frames give.
        raw: String,
        /// What the redacted ones give.
        redacted: String,
    },
    /// The frames are another case than the one that was asked for.
    WrongCase {
        /// The case that was asked for.
        wanted: Case,
        /// Why they are not it.
        why: String,
        /// The cases that they are.
        fits: Vec<Case>,
    },
    /// The frames are none of the cases.
    NoCase {
        /// Why they are not the nearest one.
        why: String,
    },
    /// The fixture could not be replayed.
    Replay(ExchangeError),
    /// The fixture breaks rules of its format.
    Invalid(Vec<Finding>),
}

impl Refusal {
    /// Its stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoPrompt { .. } => "refrain::derive::no_prompt",
            Self::NoSuchTurn { .. } => "refrain::derive::no_such_turn",
            Self::UnknownAgent { .. } => "refrain::derive::unknown_agent",
            Self::Unanswered { .. } => "refrain::derive::unanswered",
            Self::AgentEnded { .. } => "refrain::derive::agent_ended",
            Self::NotAnError { .. } => "refrain::derive::not_an_error",
            Self::Unrepresentable { .. } => "refrain::derive::unrepresentable",
            Self::Containment { .. } => "refrain::derive::containment",
            Self::Judgement { .. } => "refrain::derive::judgement",
            Self::WrongCase { .. } => "refrain::derive::wrong_case",
            Self::NoCase { .. } => "refrain::derive::no_case",
            Self::Replay(_) => "refrain::derive::replay",
            Self::Invalid(_) => "refrain::derive::invalid",
        }
    }

    /// What to do.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::UnknownAgent { .. } => {
                "name it with `--agent`, or add what it calls itself to `agents` in matrix.yaml".into()
            }
            Self::NotAnError { cancelled: true, .. } => {
                "give the agent more time (`--deadline`) or fewer retries".into()
            }
            Self::NotAnError { .. } => "the failure may have arrived as success: `refrain classify` on the transcript \
                                        says what it is, `--scenario NAME` keeps it as a scenario of the agent"
                .into(),
            Self::AgentEnded { .. } | Self::Unanswered { .. } => {
                "it fills no cell of the matrix; `--scenario NAME` keeps it as a scenario of the agent".into()
            }
            Self::NoPrompt { .. } => {
                "`refrain classify` on the transcript says what the failure is; no fixture can hold it".into()
            }
            Self::Judgement { .. } => "a value that is cut out carries the verdict: report it".into(),
            Self::WrongCase { fits, .. } if !fits.is_empty() => format!("use `--case {}`", fits[0]),
            Self::NoSuchTurn { .. } => "`--turn` counts prompts from 1, in the order they were sent".into(),
            Self::Containment { .. } => "the diagnostic and the terminal hold different spellings of one value".into(),
            _ => return None,
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("derive a fixture: ")?;
        match self {
            Self::NoPrompt { instead } => write!(f, "no prompt was sent, {instead}"),
            Self::NoSuchTurn { asked, count } => write!(f, "prompt {asked} does not exist, there are {count}"),
            Self::UnknownAgent { name: Some(name) } => write!(f, "no agent of the matrix calls itself `{name}`"),
            Self::UnknownAgent { name: None } => f.write_str("the agent does not say who it is"),
            Self::Unanswered { turn } => write!(f, "prompt {turn} was never answered"),
            Self::AgentEnded { turn } => write!(f, "the agent ended before it answered prompt {turn}"),
            Self::NotAnError { turn, stop_reason, cancelled } => {
                let by = if *cancelled { " after the client cancelled it" } else { "" };
                write!(f, "prompt {turn} returned `{stop_reason}`{by}, a cell ends in a prompt error")
            }
            Self::Unrepresentable { turn, what } => write!(f, "prompt {turn} holds {what}"),
            Self::Containment { frame } => {
                write!(f, "redaction would change whether the terminal contains the text of frame {frame}")
            }
            Self::Judgement { raw, redacted } => write!(f, "redaction would change the verdict, {raw} to {redacted}"),
            Self::WrongCase { wanted, why, fits } => {
                let fits: Vec<&str> = fits.iter().map(|case| case.as_str()).collect();
                let really = if fits.is_empty() { "none of the cases".to_owned() } else { fits.join(" or ") };
                write!(f, "the frames are {really}, not {wanted} ({why})")
            }
            Self::NoCase { why } => write!(f, "the frames are none of the cases ({why})"),
            Self::Replay(error) => write!(f, "failed to {error}"),
            Self::Invalid(findings) => {
                let first = findings.first().map_or("it is no fixture", |finding| finding.message.as_str());
                f.write_str(first)
            }
        }
    }
}

impl std::error::Error for Refusal {}

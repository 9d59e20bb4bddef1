//! The spelling of a rule file. Everything a person may write, nothing else; checked by `load`.

use serde::{Deserialize, Serialize};

use crate::vocab::{AgentId, Channel, Code, Confidence, RuleId, Scope};

use super::word::{Authority, ChunkUse, Shape};

/// One rule file as written, and one element of the embedded catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleDocument {
    /// Stable id; the file is `catalogue/rules/<id>.yaml`.
    pub id: RuleId,
    /// One line for people.
    pub title: String,
    /// The code this rule stands for. Class and flags follow from it.
    pub code: Code,
    /// How sure a match is.
    pub confidence: Confidence,
    /// Which kind of authority the rule has.
    pub tier: Authority,
    /// What the failure is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Channels the rule may match in.
    #[serde(default = "text_channels", skip_serializing_if = "is_text_channels")]
    pub channels: Vec<Channel>,
    /// What the rule may do with assistant message chunks.
    #[serde(default, skip_serializing_if = "ChunkUse::is_default")]
    pub chunk: ChunkUse,
    /// Agents the rule is for; empty is every agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<AgentId>,
    /// For each way to match (the shape, then `match`, then `whole`) literals of which one is in every match, upper and
    /// lower case alike. Computed from the patterns when a rule file is loaded; nobody writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub literals: Vec<Vec<String>>,
    /// The same once more: literals at another place of the same match; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_literals: Vec<Vec<String>>,
    /// The same for each condition (`requires`, then `unless`); empty where a match needs none of a few literals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub condition_literals: Vec<Vec<String>>,
    /// Patterns searched in the text; one is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "match")]
    pub search: Vec<String>,
    /// Patterns for the whole message without its wrappers; one is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<String>,
    /// A matcher that is defined in code because two layers share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// Patterns that must all be found as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Patterns that silence the rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// Patterns see single lines instead of the text joined to one line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lines: bool,
    /// HTTP statuses of a structured rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<u16>,
    /// Exit codes of a structured rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exit: Vec<i32>,
    /// Stop reasons of a structured rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_reason: Vec<String>,
    /// A structured rule over time: the code it refines when the validated reset is at least an hour away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_reset_of: Option<Code>,
    /// Codes that text may turn an ambiguous status into.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refined_by: Vec<Code>,
    /// Rules of the same tier that this rule beats, and structured rules of the same code that it puts in doubt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outranks: Vec<RuleId>,
    /// Codes whose rules of the same tier this rule beats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outranks_codes: Vec<Code>,
    /// What a person can do, when it is more than the code already says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remediation: Option<String>,
    /// Texts that fire and texts that stay silent.
    pub samples: Samples,
    /// Where the wording is known from.
    pub source: String,
}

/// The samples of one rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    /// Each must make the rule match.
    pub positive: Vec<Sample>,
    /// Near misses; each must leave the rule silent and says why.
    pub negative: Vec<Sample>,
}

/// One sample: a text, or a status, exit code or stop reason for a structured rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The channel; `prompt_error` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<Channel>,
    /// The agent; when absent the first of the rule's `providers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentId>,
    /// HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// Stop reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Why a near miss must stay silent; required for negative samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn text_channels() -> Vec<Channel> {
    vec![Channel::PromptError, Channel::MessageChunk, Channel::Stderr, Channel::PromptResult]
}

fn is_text_channels(channels: &[Channel]) -> bool {
    channels == text_channels()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

//! Every closed word of the field: codes, classes, phases, channels, tiers, cases, dispositions, identifiers.
//!
//! Invariant: a word has one spelling, and the tables that depend on a word are exhaustive matches, so a new word does
//! not compile without its consequences.
//!
//! Must not know: text, JSON documents, rules.

mod cell;
mod code;
mod finding;
mod identity;
mod words;

pub use cell::CellName;
pub use code::{AutoRetry, Code, CodePolicy};
pub use finding::{Finding, Place, Severity};
pub use identity::{
    AgentId, CandidateId, ExecutionId, Gateway, Generation, IdError, Invocation, ModelId, ProfileId, RuleId, SessionId,
    ShapeId, TaskId,
};
pub(crate) use words::word_enum;
pub use words::{
    CaptureMode, Case, Channel, Class, Confidence, Disposition, ErrorSource, Phase, Scope, Tier, Token, ToolStatus,
    UnknownWord, WordList,
};

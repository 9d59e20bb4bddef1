//! Two outputs of `classify`, compared line by line: what another version, another catalogue or another program said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::input::{Input, InputKind, line_name};
use super::verdict::{Verdict, flag};
use crate::vocab::{Class, Code, Confidence, Disposition, RuleId};

/// One output of `classify --format jsonl`, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outputs {
    /// The answers by the input's name.
    pub verdicts: BTreeMap<String, Verdict>,
    /// The catalogues that answered.
    pub catalogues: BTreeSet<String>,
}

/// Why a line is no answer of `classify`. Reads after "failed to".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong; holds nothing of the input.
    pub message: String,
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "read line {} as an answer of classify: {}", self.line, self.message)
    }
}

impl std::error::Error for OutputError {}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    turn: Option<usize>,
    #[serde(default)]
    code: Option<Code>,
    #[serde(default)]
    class: Option<Class>,
    #[serde(default)]
    confidence: Option<Confidence>,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    catalogue: Option<String>,
    #[serde(default)]
    auto_retry: Option<bool>,
    #[serde(default)]
    retry_after_ms: Option<u64>,
    #[serde(default)]
    disposition: Option<Disposition>,
    #[serde(default)]
    error: Option<Value>,
}

impl Outputs {
    /// Reads the lines of one output. A line without an id is named by its number.
    ///
    /// # Errors
    /// The first line that is no answer of `classify`.
    pub fn parse(text: &str) -> Result<Self, OutputError> {
        let mut outputs = Self::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let refused = |message: &str| OutputError { line: index + 1, message: message.to_owned() };
            let answer: Answer = serde_json::from_str(line).map_err(|error| refused(&reason(&error)))?;
            if answer.code.is_none() && answer.error.is_none() && answer.turn.is_none() {
                return Err(refused("it has no `code`"));
            }
            outputs.catalogues.extend(answer.catalogue.clone());
            let name = match (&answer.file, answer.turn) {
                (Some(file), Some(turn)) => format!("{file} turn {turn}"),
                _ => line_name("line", index + 1, answer.id.as_ref()),
            };
            outputs.verdicts.insert(name, answer.verdict());
        }
        Ok(outputs)
    }

    pub(super) fn input(name: &str) -> Input {
        Input::new(InputKind::Evidence, name)
    }
}

/// The parser's sentence without the part that may quote the input.
fn reason(error: &serde_json::Error) -> String {
    if error.is_data() { "a field has another type or an unknown word".to_owned() } else { "it is no JSON".to_owned() }
}

impl Answer {
    fn verdict(self) -> Verdict {
        Verdict {
            code: self.code,
            class: self.class.or_else(|| self.code.map(Code::class)),
            confidence: self.confidence,
            rule: self.rule.and_then(|rule| RuleId::new(&rule).ok()),
            retry_after_ms: self.retry_after_ms,
            disposition: self.disposition.or_else(|| self.auto_retry.map(flag)),
        }
    }
}

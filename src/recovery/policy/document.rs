//! From a document to policies, or to everything that is wrong with it.

use std::collections::BTreeSet;
use std::fmt;

use jiff::SignedDuration;

use super::{CandidatePolicy, ClassPolicy, Node, OnExhausted, RetryRule, WaitRule};
use crate::vocab::CandidateId;

/// Most candidates of one document.
const CANDIDATE_LIMIT: usize = 64;

/// One thing that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Where, such as `candidates[1].hard.retry.max_retries`; empty for the document itself.
    pub field: String,
    /// What is wrong, a fragment that reads after the field.
    pub problem: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = if self.field.is_empty() { "the document" } else { &self.field };
        write!(f, "{field} {}", self.problem)
    }
}

impl std::error::Error for Refused {}

pub(super) fn read(document: &Node) -> Result<Vec<CandidatePolicy>, Vec<Refused>> {
    let mut reader = Reader { refused: Vec::new() };
    let candidates = reader.document(document);
    if reader.refused.is_empty() { Ok(candidates) } else { Err(reader.refused) }
}

/// Reads on after every mistake, so that all are told in one run.
struct Reader {
    refused: Vec<Refused>,
}

/// A map whose keys are known, and where it is.
struct Fields<'a> {
    address: String,
    entries: &'a [(String, Node)],
}

impl<'a> Fields<'a> {
    fn node(&self, key: &str) -> Option<&'a Node> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    fn at(&self, key: &str) -> String {
        if self.address.is_empty() { key.to_owned() } else { format!("{}.{key}", self.address) }
    }
}

impl Reader {
    fn refuse(&mut self, field: String, problem: impl Into<String>) {
        self.refused.push(Refused { field, problem: problem.into() });
    }

    fn document(&mut self, document: &Node) -> Vec<CandidatePolicy> {
        let Some(fields) = self.fields(document, String::new(), &["candidates"]) else { return Vec::new() };
        let list = match fields.node("candidates") {
            Some(Node::List(list)) => list,
            Some(other) => {
                self.refuse("candidates".to_owned(), format!("is {}, expected a list", other.kind()));
                return Vec::new();
            }
            None => {
                self.refuse("candidates".to_owned(), "is missing");
                return Vec::new();
            }
        };
        if list.len() > CANDIDATE_LIMIT {
            self.refuse("candidates".to_owned(), format!("has {} entries, at most {CANDIDATE_LIMIT}", list.len()));
            return Vec::new();
        }
        let mut names = BTreeSet::new();
        let mut candidates = Vec::new();
        for (index, node) in list.iter().enumerate() {
            let address = format!("candidates[{index}]");
            if let Some(policy) = self.candidate(node, address.clone()) {
                if !names.insert(policy.candidate.clone()) {
                    self.refuse(format!("{address}.candidate"), "names a candidate that was named before");
                }
                candidates.push(policy);
            }
        }
        candidates
    }

    fn candidate(&mut self, node: &Node, address: String) -> Option<CandidatePolicy> {
        if let Node::Map(entries) = node
            && entries.iter().any(|(key, _)| key == "unclassified")
        {
            let field = format!("{address}.unclassified");
            self.refuse(field, "can not be configured: an unclassified failure always waits for a person");
            return None;
        }
        let fields = self.fields(node, address, &["candidate", "transient", "hard"])?;
        let transient = self.class(&fields, "transient");
        let hard = self.class(&fields, "hard");
        let field = fields.at("candidate");
        match fields.node("candidate") {
            Some(Node::Text(name)) => match CandidateId::new(name) {
                Ok(candidate) => return Some(CandidatePolicy { candidate, transient, hard }),
                Err(error) => self.refuse(field, format!("is no name: {error}")),
            },
            Some(other) => self.refuse(field, format!("is {}, expected a text", other.kind())),
            None => self.refuse(field, "is missing"),
        }
        None
    }

    fn class(&mut self, parent: &Fields<'_>, key: &str) -> ClassPolicy {
        let off = ClassPolicy::OFF;
        let keys = ["retry", "wait_for_reset", "on_exhausted"];
        let Some(fields) = self.child(parent, key, &keys) else { return off };
        ClassPolicy {
            retry: self.retry(&fields).unwrap_or(off.retry),
            wait_for_reset: self.wait(&fields).unwrap_or(off.wait_for_reset),
            on_exhausted: self.on_exhausted(&fields).unwrap_or(off.on_exhausted),
        }
    }

    fn retry(&mut self, parent: &Fields<'_>) -> Option<RetryRule> {
        let fields = self.child(parent, "retry", &["enabled", "max_retries", "initial_interval_seconds"])?;
        let enabled = self.truth(&fields, "enabled");
        let most = self.number(&fields, "max_retries", 1, 10, enabled);
        let first = self.number(&fields, "initial_interval_seconds", 1, 3_600, enabled);
        let off = ClassPolicy::OFF.retry;
        Some(RetryRule {
            enabled,
            max_retries: most.and_then(|n| u8::try_from(n).ok()).unwrap_or(off.max_retries),
            initial_interval: first.map_or(off.initial_interval, SignedDuration::from_secs),
        })
    }

    fn wait(&mut self, parent: &Fields<'_>) -> Option<WaitRule> {
        let fields = self.child(parent, "wait_for_reset", &["enabled", "max_wait_seconds"])?;
        let enabled = self.truth(&fields, "enabled");
        let longest = self.number(&fields, "max_wait_seconds", 1, 7 * 24 * 3_600, enabled);
        let off = ClassPolicy::OFF.wait_for_reset;
        Some(WaitRule { enabled, max_wait: longest.map_or(off.max_wait, SignedDuration::from_secs) })
    }

    fn on_exhausted(&mut self, fields: &Fields<'_>) -> Option<OnExhausted> {
        let field = fields.at("on_exhausted");
        match fields.node("on_exhausted")? {
            Node::Text(word) => {
                let known = [OnExhausted::Skip, OnExhausted::Stop];
                let found = known.into_iter().find(|known| known.as_str() == word);
                if found.is_none() {
                    self.refuse(field, "is no known word, expected skip or stop");
                }
                found
            }
            other => {
                self.refuse(field, format!("is {}, expected skip or stop", other.kind()));
                None
            }
        }
    }

    fn truth(&mut self, fields: &Fields<'_>, key: &str) -> bool {
        match fields.node(key) {
            None => false,
            Some(Node::Truth(value)) => *value,
            Some(other) => {
                self.refuse(fields.at(key), format!("is {}, expected true or false", other.kind()));
                false
            }
        }
    }

    fn number(&mut self, fields: &Fields<'_>, key: &str, low: i64, high: i64, required: bool) -> Option<i64> {
        let problem = match fields.node(key) {
            Some(Node::Integer(value)) => match i64::try_from(*value) {
                Ok(value) if (low..=high).contains(&value) => return Some(value),
                _ => format!("is {value}, expected {low} to {high}"),
            },
            Some(other) => format!("is {}, expected a whole number from {low} to {high}", other.kind()),
            None if required => "is missing and needed when enabled".to_owned(),
            None => return None,
        };
        self.refuse(fields.at(key), problem);
        None
    }

    fn child<'a>(&mut self, parent: &Fields<'a>, key: &str, known: &[&str]) -> Option<Fields<'a>> {
        let node = parent.node(key)?;
        self.fields(node, parent.at(key), known)
    }

    fn fields<'a>(&mut self, node: &'a Node, address: String, known: &[&str]) -> Option<Fields<'a>> {
        let Node::Map(entries) = node else {
            self.refuse(address, format!("is {}, expected a map", node.kind()));
            return None;
        };
        let fields = Fields { address, entries };
        let mut seen = BTreeSet::new();
        for (key, _) in entries {
            let shown: String = key.chars().take(64).collect();
            if !known.contains(&key.as_str()) {
                self.refuse(fields.at(&shown), format!("is unknown, known are {}", known.join(", ")));
            } else if !seen.insert(key) {
                self.refuse(fields.at(&shown), "is given twice");
            }
        }
        Some(fields)
    }
}

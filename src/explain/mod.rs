//! Why a text classifies as it does, and what is missing when it does not.
//!
//! Invariant: an explanation repeats the classifier's own verdict; it never judges for itself. Texts are redacted before
//! they get here into a result.
//!
//! Must not know: colours, columns, files.

mod draft;
mod nearest;

use jiff::Timestamp;

use crate::catalogue::Rule;
use crate::classify::{Classification, Classifier, Trace};
use crate::evidence::Evidence;
use crate::redact::{Clean, Diagnostic, Raw, Redactor};
use crate::vocab::{AutoRetry, Class, Confidence, RuleId};

pub use draft::{Draft, draft};
pub use nearest::{Missed, Nearest};

/// Most nearest rules that are named.
const NEAREST: usize = 3;

/// Why one evidence classifies as it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The verdict.
    pub classification: Classification,
    /// The text that spoke, as the patterns saw it; redacted.
    pub text: Option<Clean<Diagnostic>>,
    /// What the deciding rule matched, redacted the same way, so that it can be found in `text`.
    pub matched: Option<String>,
    /// Title of the deciding rule.
    pub title: Option<String>,
    /// What was taken off before the patterns looked, each step with the text after it.
    pub steps: Vec<(&'static str, Clean<Diagnostic>)>,
    /// Every other rule that matched, and why it did not decide.
    pub others: Vec<(RuleId, String)>,
    /// For a text that nothing classifies: the nearest rules.
    pub nearest: Vec<Nearest>,
    /// What would have to be seen for an automatic retry.
    pub needed: Vec<&'static str>,
}

/// Explains one evidence at `now`.
#[must_use]
pub fn explain(classifier: &Classifier, redactor: &Redactor, evidence: &Evidence, now: Timestamp) -> Explanation {
    let trace = classifier.trace(evidence, now);
    let raw = trace.raw.as_deref().unwrap_or_default();
    let mut scope = redactor.scope::<Diagnostic>();
    let text = trace.raw.as_ref().map(|_| scope.clean(Raw::new(&trace.flat)));
    let deciding = trace.classification.rule.as_ref();
    let hit = trace.hits.iter().find(|hit| Some(hit.rule.id()) == deciding);
    let matched = hit.and_then(|hit| {
        let seen = if hit.rule.document().lines { &trace.lines } else { &trace.flat };
        seen.get(hit.span.0..hit.span.1).map(|span| scope.clean(Raw::new(span)).into_string())
    });
    let steps = crate::catalogue::steps(raw);
    let nearest = match deciding {
        None if !raw.trim().is_empty() => nearest::nearest(classifier.catalogue(), evidence, &trace, NEAREST),
        _ => Vec::new(),
    };
    Explanation {
        text,
        matched,
        title: deciding.and_then(|id| classifier.catalogue().rule(id)).map(|rule| rule.document().title.clone()),
        steps: steps.into_iter().map(|step| (step.what, scope.clean(Raw::new(&step.text)))).collect(),
        others: others(&trace),
        nearest,
        needed: needed(&trace.classification),
        classification: trace.classification,
    }
}

/// Every rule that matched and did not decide, with the reason.
fn others(trace: &Trace<'_>) -> Vec<(RuleId, String)> {
    let deciding = trace.classification.rule.as_ref();
    let winner = trace.hits.iter().map(|hit| hit.rule).chain(trace.structured).find(|rule| Some(rule.id()) == deciding);
    let texts = trace.hits.iter().filter(|hit| Some(hit.rule.id()) != deciding).map(|hit| {
        let reason = if hit.vetoed {
            "vetoed: the text says that somebody cancelled, gave up or ran out of time".to_owned()
        } else {
            winner.map_or_else(|| "no rule could decide".to_owned(), |winner| why(winner, hit.rule))
        };
        (hit.rule.id().clone(), reason)
    });
    let structured = trace.structured.filter(|rule| Some(rule.id()) != deciding);
    texts
        .chain(structured.map(|rule| (rule.id().clone(), "a structured status, refined by the text".to_owned())))
        .collect()
}

fn why(winner: &Rule, loser: &Rule) -> String {
    let (winning, losing) = (winner.code().class(), loser.code().class());
    if winning != Class::Transient && losing == Class::Transient {
        return "outranked: what a retry can not cure beats what it might".to_owned();
    }
    if winner.authority() != loser.authority() {
        return format!("outranked: {} beats {}", winner.authority(), loser.authority());
    }
    if winner.outranks(loser) {
        return format!("outranked: {} says so", winner.id());
    }
    "outranked: of the same tier and the same code".to_owned()
}

/// What an automatic retry needs beyond this verdict (.8).
fn needed(classification: &Classification) -> Vec<&'static str> {
    let policy = classification.code.policy();
    match (classification.class(), policy.auto_retry) {
        (Class::Hard, _) => {
            return vec!["nothing makes a hard failure retry by itself: it waits for a reset or for a person"];
        }
        (Class::Unclassified, _) => {
            return vec!["a rule that knows this failure, of a transient code and with high confidence"];
        }
        (Class::Transient, AutoRetry::WithShortHint) if !classification.auto_retry() => {
            return vec!["a validated hint of at most 60 s", "no output and no tool activity in the prompt"];
        }
        _ => {}
    }
    let mut needed = Vec::new();
    if !classification.observed {
        needed.push("a failure: this is a message chunk, a candidate at most");
    }
    if classification.agent_retries {
        needed.push("an agent that does not retry by itself at the same time");
    }
    if classification.confidence != Confidence::High {
        needed.push("a rule of high confidence");
    }
    needed.push("no output and no tool activity in the prompt");
    needed.push("a recorded diagnostic, if there is one, of the same code and contained in the message");
    needed
}

#[cfg(test)]
mod tests;

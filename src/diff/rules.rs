//! What changed in the catalogues themselves: rules, shapes, collisions, rules that never decide.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::vocab::Finding;

use super::run::Side;

/// Names that one side has and the other has not, or has differently; sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Listed {
    /// Only the head has them.
    pub added: Vec<String>,
    /// Only the base has them.
    pub removed: Vec<String>,
    /// Both have them, with another content.
    pub changed: Vec<String>,
}

impl Listed {
    fn of<T: PartialEq>(base: BTreeMap<String, T>, head: BTreeMap<String, T>) -> Self {
        let mut listed = Self::default();
        for (name, content) in &head {
            match base.get(name) {
                None => listed.added.push(name.clone()),
                Some(before) if before != content => listed.changed.push(name.clone()),
                Some(_) => {}
            }
        }
        listed.removed = base.into_keys().filter(|name| !head.contains_key(name)).collect();
        listed
    }

    /// Whether both sides are the same.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// What changed in the catalogues themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleChanges {
    /// Rules.
    pub rules: Listed,
    /// Redaction shapes.
    pub shapes: Listed,
    /// Rules of the head that contradict each other on a sample and did not in the base.
    pub collisions: Vec<Finding>,
    /// Rules of the head that decide none of their own samples and did in the base.
    pub shadowed: Vec<Finding>,
    /// Everything else that is newly wrong with the head's rules.
    pub problems: Vec<Finding>,
}

pub(super) fn changes(base: &Side<'_>, head: &Side<'_>) -> RuleChanges {
    let known: BTreeSet<(&str, &str)> = base.findings.iter().map(identity).collect();
    let new = head.findings.iter().filter(|finding| !known.contains(&identity(finding)));
    let mut changes = RuleChanges {
        rules: Listed::of(rules(base), rules(head)),
        shapes: shapes(base, head),
        ..RuleChanges::default()
    };
    for finding in new {
        let list = match finding.code {
            "refrain::catalogue::collision" => &mut changes.collisions,
            "refrain::catalogue::shadowed" => &mut changes.shadowed,
            _ => &mut changes.problems,
        };
        list.push(finding.clone());
    }
    changes
}

/// Places move when a file is edited; what is said stays.
fn identity(finding: &Finding) -> (&str, &str) {
    (finding.code, finding.message.as_str())
}

fn rules(side: &Side<'_>) -> BTreeMap<String, crate::catalogue::RuleDocument> {
    let rules = side.classifier.catalogue().rules().iter();
    rules.map(|rule| (rule.id().to_string(), rule.document().clone())).collect()
}

fn shapes(base: &Side<'_>, head: &Side<'_>) -> Listed {
    let of = |side: &Side<'_>| -> BTreeMap<String, crate::redact::Shape> {
        side.redactor.shapes().iter().map(|shape| (shape.id.clone(), shape.clone())).collect()
    };
    Listed::of(of(base), of(head))
}

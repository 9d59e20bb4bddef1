//! The schema of a rule file.

use serde_json::{Value, json};

use super::{described, filled, identifier, list, object, word};
use crate::catalogue::{Authority, ChunkUse, Shape};
use crate::vocab::{Channel, Code, Confidence, Scope};

pub(super) fn schema() -> Value {
    let patterns = |sentence: &str| described(list(&filled()), sentence);
    let required = [
        ("id", described(rule_id(), "Stable; the file is catalogue/rules/<id>.yaml.")),
        ("title", filled()),
        ("code", described(word(Code::WORDS), "Class and flags follow from it.")),
        ("confidence", described(word(Confidence::WORDS), "Only high ever authorizes anything.")),
        ("tier", described(word(Authority::WORDS), "The kind of authority; a stronger one decides.")),
        ("samples", samples()),
        ("source", described(filled(), "Where the wording is known from.")),
    ];
    let optional = [
        ("scope", word(Scope::WORDS)),
        ("channels", list(&word(Channel::WORDS))),
        ("chunk", described(word(ChunkUse::WORDS), "What the rule may do with an assistant message chunk.")),
        ("providers", described(list(&identifier()), "Agents the rule is for; every agent when absent.")),
        ("match", patterns("Patterns searched in the text; one is enough. Write them in single quotes.")),
        ("whole", patterns("Patterns for the whole message without its wrappers; one is enough.")),
        ("shape", described(word(Shape::WORDS), "A matcher that is defined in code.")),
        ("requires", patterns("Patterns that must all be found as well.")),
        ("unless", patterns("Patterns that silence the rule.")),
        (
            "lines",
            described(json!({"type": "boolean"}), "Patterns see single lines instead of the text joined to one."),
        ),
        ("status", list(&json!({"type": "integer", "minimum": 0, "maximum": 65535}))),
        ("exit", list(&json!({"type": "integer"}))),
        ("stop_reason", list(&filled())),
        (
            "long_reset_of",
            described(word(Code::WORDS), "The code that this rule refines when the reset is hours away."),
        ),
        ("refined_by", described(list(&word(Code::WORDS)), "Codes that text may turn an ambiguous status into.")),
        ("outranks", described(list(&rule_id()), "Rules of the same tier that this rule beats.")),
        ("outranks_codes", described(list(&word(Code::WORDS)), "Codes whose rules of the same tier this rule beats.")),
        ("remediation", described(filled(), "What a person can do, when it is more than the code says.")),
    ];
    object("One rule of the catalogue", &required, &optional)
}

fn rule_id() -> Value {
    json!({"type": "string", "pattern": "^\\S+\\.v[0-9]+$", "maxLength": 128})
}

fn samples() -> Value {
    let fields = [
        ("text", json!({"type": "string"})),
        ("channel", described(word(Channel::WORDS), "prompt_error when absent.")),
        ("provider", identifier()),
        ("status", json!({"type": "integer", "minimum": 0, "maximum": 65535})),
        ("exit", json!({"type": "integer"})),
        ("stop_reason", filled()),
    ];
    let reason = ("reason", described(filled(), "Why a near miss must stay silent."));
    let optional: Vec<_> = fields.iter().cloned().chain([reason.clone()]).collect();
    let mut positive = list(&object("A text that fires", &[], &optional));
    let mut negative = list(&object("A near miss that stays silent", &[reason], &fields));
    positive["minItems"] = json!(1);
    negative["minItems"] = json!(1);
    object("What fires and what stays silent", &[("positive", positive), ("negative", negative)], &[])
}

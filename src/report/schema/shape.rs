//! The schema of a shape file.

use serde_json::{Value, json};

use super::{described, filled, list, object, word};
use crate::redact::{Boundary, Kind, Replacement, Scanner, ShapeClass, Validator};
use crate::vocab::Tier;

pub(super) fn schema() -> Value {
    let some = |items: &Value, sentence: &str| {
        let mut schema = described(list(items), sentence);
        schema["minItems"] = json!(1);
        schema
    };
    let required = [
        ("id", described(filled(), "Unique; the file is catalogue/shapes/<id>.yaml.")),
        ("title", filled()),
        ("class", word(ShapeClass::WORDS)),
        ("kind", described(word(Kind::WORDS), "Names the placeholder.")),
        ("tiers", some(&word(Tier::WORDS), "Where it applies.")),
        ("anchors", described(list(&filled()), "Lower-case literals at which the pattern is tried.")),
        ("pattern", described(filled(), "Linear-time pattern over bytes, tried at the anchor.")),
        ("positive", some(&filled(), "Templates in which it fires.")),
        ("negative", some(&filled(), "Templates in which it stays silent.")),
        ("source", described(filled(), "Why the shape exists.")),
    ];
    let optional = [
        ("boundary", described(word(Boundary::WORDS), "What may stand before the anchor.")),
        ("scanner", described(word(Scanner::WORDS), "The code that decides the extent of the value.")),
        ("validate", described(list(&word(Validator::WORDS)), "Further conditions on the value.")),
        ("replace", word(Replacement::WORDS)),
    ];
    object("One redaction shape", &required, &optional)
}

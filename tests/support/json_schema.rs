//! A checker for the part of JSON Schema that the project's own schemas use. A keyword that it does not know is an error:
//! nothing is ignored by accident.

use serde_json::{Map, Value};

/// Keywords that say nothing about whether a document is valid.
const NOTES: &[&str] = &["$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default"];

/// Everything that is wrong with `document`, each with its JSON pointer.
pub(crate) fn problems(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, document, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let object = match schema {
        Value::Bool(true) => return,
        Value::Object(object) => object,
        _ => return found.push(format!("{at}: refused")),
    };
    for (keyword, rule) in object {
        keyword_holds(root, object, keyword, rule, value, at, found);
    }
}

fn keyword_holds(
    root: &Value,
    schema: &Map<String, Value>,
    keyword: &str,
    rule: &Value,
    value: &Value,
    at: &str,
    found: &mut Vec<String>,
) {
    let mut say = |holds: bool, why: String| {
        if !holds {
            found.push(format!("{at}: {why}"));
        }
    };
    let number = |rule: &Value| rule.as_f64().expect("a number in the schema");
    let length = |rule: &Value| rule.as_u64().expect("a length in the schema") as usize;
    match keyword {
        note if NOTES.contains(&note) => {}
        "$ref" => {
            let pointer = rule.as_str().and_then(|name| name.strip_prefix('#')).expect("a local reference");
            check(root, root.pointer(pointer).expect("what is referred to"), value, at, found);
        }
        "type" => {
            let types: Vec<&str> = rule
                .as_array()
                .map_or_else(|| vec![rule], |list| list.iter().collect())
                .into_iter()
                .filter_map(Value::as_str)
                .collect();
            say(types.iter().any(|name| is_of(name, value)), format!("is no {}", types.join(" or ")));
        }
        "const" => say(value == rule, format!("is not {rule}")),
        "enum" => say(rule.as_array().expect("a list").contains(value), format!("{value} is none of {rule}")),
        "pattern" => {
            let pattern = regex::Regex::new(rule.as_str().expect("a pattern")).expect("a pattern that compiles");
            say(value.as_str().is_none_or(|text| pattern.is_match(text)), format!("{value} does not match {rule}"));
        }
        "minLength" => say(
            value.as_str().is_none_or(|text| text.chars().count() >= length(rule)),
            format!("{value} is shorter than {rule}"),
        ),
        "maxLength" => say(
            value.as_str().is_none_or(|text| text.chars().count() <= length(rule)),
            format!("is longer than {rule}"),
        ),
        "minimum" => say(value.as_f64().is_none_or(|n| n >= number(rule)), format!("{value} is less than {rule}")),
        "maximum" => say(value.as_f64().is_none_or(|n| n <= number(rule)), format!("{value} is more than {rule}")),
        "minItems" => {
            say(value.as_array().is_none_or(|list| list.len() >= length(rule)), format!("has fewer than {rule}"))
        }
        "uniqueItems" => say(
            value.as_array().is_none_or(|list| (1..list.len()).all(|i| !list[..i].contains(&list[i]))),
            "repeats an item".into(),
        ),
        "required" => {
            for name in rule.as_array().expect("a list").iter().filter_map(Value::as_str) {
                say(value.as_object().is_none_or(|object| object.contains_key(name)), format!("has no `{name}`"));
            }
        }
        "properties" => {
            for (name, rule) in rule.as_object().expect("an object") {
                if let Some(value) = value.get(name) {
                    check(root, rule, value, &format!("{at}/{name}"), found);
                }
            }
        }
        "additionalProperties" => {
            let known = schema.get("properties").and_then(Value::as_object);
            for (name, value) in value.as_object().into_iter().flatten() {
                if known.is_none_or(|known| !known.contains_key(name)) {
                    check(root, rule, value, &format!("{at}/{name}"), found);
                }
            }
        }
        "items" => {
            for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                check(root, rule, value, &format!("{at}/{index}"), found);
            }
        }
        "anyOf" | "oneOf" => {
            let rules = rule.as_array().expect("a list");
            let valid = rules.iter().filter(|rule| holds(root, rule, value, at)).count();
            let fits = if keyword == "oneOf" { valid == 1 } else { valid > 0 };
            say(fits, format!("{valid} of {} alternatives of {keyword} fit", rules.len()));
        }
        "allOf" => rule.as_array().expect("a list").iter().for_each(|rule| check(root, rule, value, at, found)),
        "not" => say(!holds(root, rule, value, at), "is what it must not be".into()),
        "if" => {
            let branch = if holds(root, rule, value, at) { "then" } else { "else" };
            if let Some(rule) = schema.get(branch) {
                check(root, rule, value, at, found);
            }
        }
        "then" | "else" => {}
        other => say(false, format!("the schema uses `{other}`, which this checker does not know")),
    }
}

fn holds(root: &Value, rule: &Value, value: &Value, at: &str) -> bool {
    let mut found = Vec::new();
    check(root, rule, value, at, &mut found);
    found.is_empty()
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        // A type that does not exist is nobody's.
        _ => false,
    }
}

#[test]
fn each_keyword_can_fail() {
    use serde_json::json;
    let mut wrong = Vec::new();
    for (schema, good, bad) in [
        (json!({"type": ["integer", "null"]}), json!(1), json!(1.5)),
        (json!({"const": 1}), json!(1), json!(2)),
        (json!({"enum": ["a"]}), json!("a"), json!("b")),
        (json!({"pattern": "^a"}), json!("ab"), json!("ba")),
        (json!({"minLength": 2}), json!("ab"), json!("a")),
        (json!({"maxLength": 1}), json!("a"), json!("ab")),
        (json!({"minimum": 1, "maximum": 2}), json!(2), json!(3)),
        (json!({"minItems": 1}), json!([1]), json!([])),
        (json!({"uniqueItems": true}), json!([1, 2]), json!([1, 1])),
        (json!({"required": ["a"]}), json!({"a": 1}), json!({})),
        (json!({"properties": {"a": {"type": "string"}}}), json!({"a": ""}), json!({"a": 1})),
        (json!({"properties": {"a": true}, "additionalProperties": false}), json!({"a": 1}), json!({"b": 1})),
        (json!({"items": {"type": "null"}}), json!([null]), json!([1])),
        (json!({"anyOf": [{"const": 1}, {"const": 2}]}), json!(2), json!(3)),
        (json!({"oneOf": [{"type": "number"}, {"const": 2}]}), json!(1), json!(2)),
        (json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}), json!(1), json!(0)),
        (json!({"not": {"const": 1}}), json!(2), json!(1)),
        (json!({"if": {"const": 1}, "then": false, "else": {"const": 2}}), json!(2), json!(3)),
        (json!({"$ref": "#/$defs/a", "$defs": {"a": {"const": 1}}}), json!(1), json!(2)),
    ] {
        let (fine, refused) = (problems(&schema, &good), problems(&schema, &bad));
        if !fine.is_empty() || refused.is_empty() {
            wrong.push(format!("{schema}: {good} gives {fine:?}, {bad} gives {refused:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_unknown_keyword_or_type_is_a_problem() {
    for schema in [serde_json::json!({"contains": true}), serde_json::json!({"type": "text"})] {
        assert_eq!(problems(&schema, &serde_json::json!("a")).len(), 1, "{schema}");
    }
}

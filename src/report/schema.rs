//! JSON Schemas of the files that people write, for completion and checking in editors. Closed words come from the very
//! lists that the loaders use; what a schema can not say, `refrain check` does.

mod fixture;
mod matrix;
mod rule;
mod shape;

use serde_json::{Value, json};

use crate::vocab::word_enum;

word_enum! {
    /// The formats that have a schema.
    pub enum SchemaKind("schema") {
        /// `fixtures/<gateway>/<case>.json` and `fixtures/dialects/<agent>/<scenario>.json`.
        Fixture = "fixture",
        /// `matrix.yaml`.
        Matrix = "matrix",
        /// `catalogue/rules/<id>.yaml`.
        Rule = "rule",
        /// `catalogue/shapes/<id>.yaml`.
        Shape = "shape",
    }
}

/// Version of a schema; it changes when a document that was valid is not any more.
pub const SCHEMA_VERSION: u32 = 1;

/// The schema of a format, as a JSON document with a final line feed.
#[must_use]
pub fn schema(kind: SchemaKind) -> String {
    let mut schema = match kind {
        SchemaKind::Fixture => fixture::schema(),
        SchemaKind::Matrix => matrix::schema(),
        SchemaKind::Rule => rule::schema(),
        _ => shape::schema(),
    };
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["$id"] = json!(format!("refrain-{kind}.v{SCHEMA_VERSION}.json"));
    // Plain data: writing it can not fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// An object with these required and these optional keys and no others.
fn object(title: &str, required: &[(&str, Value)], optional: &[(&str, Value)]) -> Value {
    let properties: serde_json::Map<String, Value> =
        required.iter().chain(optional).map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = required.iter().map(|(name, _)| *name).collect();
    json!({
        "title": title,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// A closed word.
fn word(words: &[&str]) -> Value {
    json!({"enum": words})
}

/// Text with something visible in it.
fn filled() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

/// An identifier: visible, at most 128 bytes (of which a schema can only count the characters).
fn identifier() -> Value {
    json!({"type": "string", "pattern": "\\S", "maxLength": 128})
}

/// A list.
fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// The same with a sentence for people.
fn described(mut schema: Value, sentence: &str) -> Value {
    schema["description"] = json!(sentence);
    schema
}

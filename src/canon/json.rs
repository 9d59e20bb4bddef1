//! Strict reading of one JSON document, with the place of every value.

use std::collections::BTreeSet;
use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};
use serde_json::{Map, Number, Value};

use super::bounds::{self, JsonError, JsonProblem};

/// The largest magnitude below which every whole number has its own double: 2^53.
const EXACT_LIMIT: i64 = 1 << 53;

/// Most errors that are reported for one document: each needs a look at the text, and nobody reads more.
const ERROR_LIMIT: usize = 200;

/// One strictly read document.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    text: &'a str,
    value: Value,
    tree: ast::Value<'a>,
}

impl<'a> Document<'a> {
    /// The text it was read from.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// The value: a number that is whole is an integer, however it was spelled.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// The bytes of the value at a JSON pointer (RFC 6901), or of the deepest existing value on the way to it.
    #[must_use]
    pub fn span(&self, pointer: &str) -> Range<usize> {
        let (node, _) = self.walk(pointer);
        node.start()..node.end()
    }

    /// The bytes of the key that leads to the value at a JSON pointer; the value's when it has no key.
    #[must_use]
    pub fn key_span(&self, pointer: &str) -> Range<usize> {
        let (node, key) = self.walk(pointer);
        key.map_or(node.start()..node.end(), |key| key.start()..key.end())
    }

    fn walk(&self, pointer: &str) -> (&ast::Value<'a>, Option<&ast::ObjectPropName<'a>>) {
        let (mut node, mut key) = (&self.tree, None);
        for segment in pointer.split('/').skip(1) {
            let segment = segment.replace("~1", "/").replace("~0", "~");
            let next = match node {
                ast::Value::Object(object) => {
                    object.properties.iter().find(|p| p.name.as_str() == segment).map(|p| (&p.value, Some(&p.name)))
                }
                ast::Value::Array(array) => {
                    segment.parse().ok().and_then(|index: usize| array.elements.get(index)).map(|value| (value, None))
                }
                _ => None,
            };
            match next {
                Some(next) => (node, key) = next,
                None => break,
            }
        }
        (node, key)
    }
}

/// Reads one document (RFC 8259, nothing looser).
///
/// # Errors
/// Everything that is wrong: one error when the text is no JSON or nested too deep, else every duplicate key and every
/// number beyond 2^53, in the order of the text, at most 200 of them.
pub fn parse(text: &str) -> Result<Document<'_>, Vec<JsonError>> {
    bounds::nesting(text).map_err(|error| vec![error])?;
    if text.trim().is_empty() {
        return Err(vec![JsonError::at(JsonProblem::Syntax, text.as_bytes(), 0, 0, "the file is empty")]);
    }
    // Two parsers on purpose: this one is strict, the other one knows places.
    serde_json::from_str::<Value>(text).map_err(|error| vec![syntax(text, &error)])?;
    let tree = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &strict())
        .ok()
        .and_then(|result| result.value)
        .ok_or_else(|| vec![JsonError::at(JsonProblem::Syntax, text.as_bytes(), 0, 0, "the text is no JSON")])?;
    let mut errors = Vec::new();
    let value = value_of(&tree, text, &mut errors);
    if errors.is_empty() { Ok(Document { text, value, tree }) } else { Err(errors) }
}

const fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn syntax(text: &str, error: &serde_json::Error) -> JsonError {
    let line_start = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let mut start = (line_start + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let message = error.to_string();
    let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    JsonError::at(JsonProblem::Syntax, text.as_bytes(), start, 1, message)
}

fn value_of(node: &ast::Value<'_>, text: &str, errors: &mut Vec<JsonError>) -> Value {
    match node {
        ast::Value::StringLit(string) => Value::String(string.value.clone().into_owned()),
        ast::Value::NumberLit(number) => number_of(number, text, errors),
        ast::Value::BooleanLit(boolean) => Value::Bool(boolean.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => {
            Value::Array(array.elements.iter().map(|element| value_of(element, text, errors)).collect())
        }
        ast::Value::Object(object) => {
            let mut seen = BTreeSet::new();
            let mut map = Map::new();
            for property in &object.properties {
                let key = property.name.as_str();
                if !seen.insert(key) && errors.len() < ERROR_LIMIT {
                    errors.push(duplicate(property, text));
                }
                map.insert(key.to_owned(), value_of(&property.value, text, errors));
            }
            Value::Object(map)
        }
    }
}

fn duplicate(property: &ast::ObjectProp<'_>, text: &str) -> JsonError {
    let (start, end) = (property.name.start(), property.name.end());
    let message = "this object names the key a second time";
    JsonError::at(JsonProblem::DuplicateKey, text.as_bytes(), start, end - start, message)
}

fn number_of(number: &ast::NumberLit<'_>, text: &str, errors: &mut Vec<JsonError>) -> Value {
    match exact(number.value) {
        Some(number) => Value::Number(number),
        None if errors.len() >= ERROR_LIMIT => Value::Null,
        None => {
            let (start, end) = (number.range.start, number.range.end);
            let message = "a number beyond 2^53 can not be told from its neighbours";
            errors.push(JsonError::at(JsonProblem::NumberOutOfRange, text.as_bytes(), start, end - start, message));
            Value::Null
        }
    }
}

/// One number for all spellings of it: `1`, `1.0` and `10e-1` are the integer 1, `-0` is 0.
fn exact(spelling: &str) -> Option<Number> {
    if let Ok(whole) = spelling.parse::<i64>() {
        return (whole.unsigned_abs() <= EXACT_LIMIT.unsigned_abs()).then(|| Number::from(whole));
    }
    let float = spelling.parse::<f64>().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "within 2^53 both are exact")]
    let (limit, whole) = (EXACT_LIMIT as f64, float as i64);
    if float.abs() > limit {
        None
    } else if float.fract() == 0.0 {
        Some(Number::from(whole))
    } else {
        Number::from_f64(float)
    }
}

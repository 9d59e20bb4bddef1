//! A result as SARIF 2.1.0, the format of code scanning services.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::escape::{harmless, uri};
use super::summary::{Level, Note, Summary};

/// The document with a final line feed.
#[must_use]
pub fn sarif(summary: &Summary) -> String {
    let mut codes: BTreeMap<&str, usize> = summary.notes.iter().map(|note| (note.code, 0)).collect();
    for (index, number) in codes.values_mut().enumerate() {
        *number = index;
    }
    let rules: Vec<Value> = codes.keys().map(|code| rule(code, summary.command)).collect();
    let results: Vec<Value> = summary.notes.iter().map(|note| result(note, codes.get(note.code))).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "refrain",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "automationDetails": {"id": format!("refrain/{}/", summary.command)},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    super::json_document(&document)
}

/// A code as a rule. GitHub refuses one without both descriptions and a help text.
fn rule(code: &str, command: &str) -> Value {
    let words = code.trim_start_matches("refrain::").replace("::", ": ").replace('_', " ");
    json!({
        "id": code,
        "name": name(code),
        "shortDescription": {"text": words},
        "fullDescription": {"text": format!("{words}, found by `refrain {command}`")},
        "help": {"text": format!("`refrain {command}` shows each place and what to do there.")},
    })
}

/// The last words of a code as one name: `refrain::matrix::missing_cell` is `MatrixMissingCell`.
fn name(code: &str) -> String {
    let words = code.trim_start_matches("refrain::").split([':', '_']).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

fn result(note: &Note, index: Option<&usize>) -> Value {
    let level = match note.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Notice => "note",
    };
    let help = note.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
    let mut result = json!({
        "ruleId": note.code,
        "level": level,
        "message": {"text": harmless(&format!("{}{help}", note.message))},
        "locations": [],
    });
    if let Some(index) = index {
        result["ruleIndex"] = json!(index);
    }
    if !note.place.file.is_empty() {
        let mut location = json!({"artifactLocation": artifact(&note.place.file)});
        if note.place.line > 0 {
            location["region"] = json!({"startLine": note.place.line, "startColumn": note.place.column.max(1)});
        }
        result["locations"] = json!([{"physicalLocation": location}]);
    }
    result
}

/// A path below the project is relative to its root; another one is a file URI.
fn artifact(path: &str) -> Value {
    if path.starts_with('/') {
        json!({"uri": format!("file://{}", uri(path))})
    } else {
        json!({"uri": uri(path), "uriBaseId": "%SRCROOT%"})
    }
}

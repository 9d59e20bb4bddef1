//! The published schemas accept every file of the project, know every field, and refuse what the loaders refuse.

#![cfg(feature = "cli")]
#![expect(clippy::disallowed_methods, reason = "the test reads the project's files")]

#[path = "support/json_schema.rs"]
mod json_schema;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use refrain::catalogue::{Catalogue, RuleDocument};
use refrain::fixture::{FixtureFile, Strictness};
use refrain::matrix::Matrix;
use refrain::redact::Redactor;
use refrain::report::schema::{SchemaKind, schema};
use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(kind: SchemaKind) -> Value {
    serde_json::from_str(&schema(kind)).expect("a schema is JSON")
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).expect(folder) {
        let path = entry.expect("an entry").path();
        let below = path.strip_prefix(root()).expect("below").display().to_string();
        if path.is_dir() { found.extend(files(&below)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn value(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a file");
    if path.extension().is_some_and(|ending| ending == "json") {
        serde_json::from_str(&text).expect("JSON")
    } else {
        serde_yaml::from_str(&text).expect("YAML")
    }
}

#[test]
fn the_schemas_accept_every_file_of_the_project() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (kind, paths) in [
        (SchemaKind::Fixture, files("fixtures")),
        (SchemaKind::Matrix, vec![root().join("matrix.yaml")]),
        (SchemaKind::Rule, files("catalogue/rules")),
        (SchemaKind::Shape, files("catalogue/shapes")),
    ] {
        let schema = read(kind);
        assert!(!paths.is_empty(), "no file of kind {kind}");
        for path in paths {
            seen += 1;
            let found = json_schema::problems(&schema, &value(&path));
            wrong.extend(found.into_iter().map(|problem| format!("{}{problem}", path.display())));
        }
    }
    assert!(wrong.is_empty() && seen > 100, "{seen} files:\n{}", wrong.join("\n"));
}

/// One change of a valid document, as a pointer and what stands there then; `None` removes it.
type Break = (&'static str, Option<Value>);

/// Whether the loader of a format takes a document.
fn loads(kind: SchemaKind, document: &Value) -> bool {
    let yaml = serde_yaml::to_string(document).expect("YAML");
    match kind {
        SchemaKind::Fixture => {
            FixtureFile::read("fixtures/litellm/matched.json", document.to_string().as_bytes(), Strictness::Strict)
                .is_ok()
        }
        SchemaKind::Matrix => Matrix::parse("matrix.yaml", &yaml).is_ok(),
        SchemaKind::Rule => {
            serde_yaml::from_str::<RuleDocument>(&yaml).is_ok() && Catalogue::load([(RULE, yaml)]).is_ok()
        }
        _ => Redactor::load([("catalogue/shapes/uuid.yaml", yaml.as_str())]).is_ok(),
    }
}

const RULE: &str = "catalogue/rules/http.402.payment_required.v1.yaml";

fn broken(document: &Value, (pointer, new): &Break) -> Value {
    let mut document = document.clone();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    match (document.pointer_mut(parent).expect(pointer), new) {
        (Value::Object(object), Some(new)) => drop(object.insert(key.to_owned(), new.clone())),
        (Value::Object(object), None) => drop(object.remove(key).expect(pointer)),
        (Value::Array(items), Some(new)) => items[key.parse::<usize>().expect("an index")] = new.clone(),
        (Value::Array(items), None) => drop(items.remove(key.parse().expect("an index"))),
        (other, _) => assert!(other.is_object(), "{pointer} is in {other}"),
    }
    document
}

#[test]
fn schema_and_loader_refuse_the_same() {
    let fixture = root().join("fixtures/litellm/matched.json");
    let shape = root().join("catalogue/shapes/uuid.yaml");
    let rows: Vec<(SchemaKind, PathBuf, Vec<Break>)> = vec![
        (
            SchemaKind::Fixture,
            fixture,
            vec![
                ("/note", Some(json!(1))),
                ("/gateway", None),
                ("/case", Some(json!("matchd"))),
                ("/classifying", Some(json!("yes"))),
                ("/capture", Some(json!("invented"))),
                ("/capture", Some(json!("reconstructed"))),
                ("/capturedAt", None),
                ("/source", Some(json!(" "))),
                ("/identity/promptGeneration", Some(json!(0))),
                ("/identity/sessionId", Some(json!(""))),
                ("/frames", Some(json!([]))),
                ("/frames/0/kind", Some(json!("noise"))),
                ("/frames/0/role", Some(json!("user"))),
                ("/frames/1/text", Some(json!(" "))),
                ("/frames/1/origin", Some(json!("provider"))),
                ("/frames/2/code", Some(json!(0))),
                ("/frames/2/code", Some(json!(3_000_000_000_i64))),
                ("/frames/2", Some(json!({"kind": "stall"}))),
                ("/expect/events/0", Some(json!("noise"))),
                ("/expect/recordedDiagnosticCode", None),
                ("/expect/diagnosticCode", Some(json!("new_code"))),
                ("/expect/preResultSafe", Some(json!(1))),
                ("/expect/providerError/source", Some(json!("elsewhere"))),
                ("/expect/providerError/providerId", None),
            ],
        ),
        (
            SchemaKind::Matrix,
            root().join("matrix.yaml"),
            vec![
                ("/extra", Some(json!([]))),
                ("/agents", None),
                ("/agents/0/names", None),
                ("/gateways/0/classifying", Some(json!("no"))),
                ("/cases/0/required", Some(json!("some"))),
                ("/cases/0/id", Some(json!("matchd"))),
                ("/scenarios", Some(json!([{"agent": "claude-acp"}]))),
            ],
        ),
        (
            SchemaKind::Rule,
            root().join(RULE),
            vec![
                ("/priority", Some(json!(1))),
                ("/code", Some(json!("new_code"))),
                ("/confidence", Some(json!("certain"))),
                ("/tier", Some(json!("best"))),
                ("/samples/positive", Some(json!([]))),
                ("/samples/negative/0/reason", None),
                ("/id", Some(json!("without-version"))),
                ("/source", None),
                ("/status", Some(json!([70_000]))),
            ],
        ),
        (
            SchemaKind::Shape,
            shape,
            vec![
                ("/extra", Some(json!(1))),
                ("/class", Some(json!("optional"))),
                ("/tiers", Some(json!([]))),
                ("/positive", Some(json!([]))),
                ("/scanner", Some(json!("guess"))),
                ("/pattern", None),
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (kind, path, breaks) in rows {
        let (schema, document) = (read(kind), value(&path));
        assert!(json_schema::problems(&schema, &document).is_empty() && loads(kind, &document), "{kind} as it is");
        for change in breaks {
            let document = broken(&document, &change);
            let (schema_takes, loader_takes) =
                (json_schema::problems(&schema, &document).is_empty(), loads(kind, &document));
            if schema_takes || loader_takes {
                wrong.push(format!("{kind} {change:?}: schema takes it: {schema_takes}, loader: {loader_takes}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A key that only the code knows would be refused by editors: the schema names what any rule of the catalogue serializes.
#[test]
fn the_schemas_name_every_key_that_the_catalogue_uses() {
    let named = |kind: SchemaKind| -> BTreeSet<String> {
        read(kind)["properties"].as_object().expect("properties").keys().cloned().collect()
    };
    let keys = |value: Value| -> Vec<String> { value.as_object().expect("an object").keys().cloned().collect() };
    let rules = Catalogue::embedded().rules().iter().map(|rule| serde_json::to_value(rule.document()).expect("JSON"));
    let used: BTreeSet<String> = rules.flat_map(keys).filter(|key| !key.ends_with("literals")).collect();
    let known = named(SchemaKind::Rule);
    let unnamed: Vec<_> = used.difference(&known).collect();
    assert!(unnamed.is_empty() && used.len() > 15, "{unnamed:?} of {used:?}");
    let shapes = Redactor::embedded().shapes().iter().map(|shape| serde_json::to_value(shape).expect("JSON"));
    let used: BTreeSet<String> = shapes.flat_map(keys).collect();
    assert_eq!(used, named(SchemaKind::Shape));
}

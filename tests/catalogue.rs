//! The catalogue on disk: it loads, and what is generated from it is up to date.
//!
//! `REFRAIN_UPDATE=1 cargo test --test catalogue` rewrites the generated files; never on a machine that sets `CI`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests read and write the project's own files"
)]

use std::fs;
use std::path::{Path, PathBuf};

use refrain::catalogue::{Catalogue, RULES_FOLDER};
use refrain::vocab::Finding;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The rule files on disk, as paths relative to the project and texts.
fn rule_files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = fs::read_dir(root().join(RULES_FOLDER))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (format!("{RULES_FOLDER}/{name}"), fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn shown(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(|finding| {
            let place = &finding.place;
            format!("{}:{}:{}: {}: {}", place.file, place.line, place.column, finding.code, finding.message)
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn loaded() -> Catalogue {
    match Catalogue::load(rule_files()) {
        Ok(catalogue) => catalogue,
        Err(findings) => panic!("{} findings\n{}", findings.len(), shown(&findings)),
    }
}

/// Compares a generated file with what it should be, and rewrites it when asked to.
fn generated(path: &Path, expected: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|current| current == expected) {
        return Ok(());
    }
    if std::env::var_os("REFRAIN_UPDATE").is_some() && std::env::var_os("CI").is_none() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, expected).unwrap();
        return Ok(());
    }
    Err(format!("{} is out of date: REFRAIN_UPDATE=1 cargo test --test catalogue", path.display()))
}

#[test]
fn the_catalogue_loads_without_findings() {
    let catalogue = loaded();
    let findings = catalogue.self_test();
    assert!(findings.is_empty(), "{}", shown(&findings));
}

#[test]
fn the_embedded_catalogue_is_up_to_date() {
    generated(&root().join("src/catalogue/embedded.json"), &loaded().to_embedded_json()).unwrap();
}

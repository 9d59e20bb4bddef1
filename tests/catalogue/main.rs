//! The catalogue on disk: it loads, and what is generated from it is up to date.
//!
//! `REFRAIN_UPDATE=1 cargo test --test catalogue` rewrites the generated files; never on a machine that sets `CI`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests read and write the project's own files"
)]

mod crossfire;

use std::fs;
use std::path::{Path, PathBuf};

use refrain::catalogue::{Catalogue, Origin, RULES_FOLDER, View, codes_page, rules_page};
use refrain::classify::Classifier;
use refrain::vocab::{Channel, Finding};

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

/// Whether generated files are rewritten instead of compared.
fn updating() -> bool {
    std::env::var_os("REFRAIN_UPDATE").is_some() && std::env::var_os("CI").is_none()
}

/// Compares a generated file with what it should be, and rewrites it when asked to.
fn generated(path: &Path, expected: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|current| current == expected) {
        return Ok(());
    }
    if updating() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, expected).unwrap();
        return Ok(());
    }
    Err(format!("{} is out of date: REFRAIN_UPDATE=1 cargo test --test catalogue", path.display()))
}

#[test]
fn the_catalogue_loads_without_findings() {
    let catalogue = loaded();
    let mut findings = catalogue.self_test();
    findings.extend(Classifier::new(catalogue).self_test());
    assert!(findings.is_empty(), "{}", shown(&findings));
}

#[test]
fn the_embedded_catalogue_is_up_to_date() {
    generated(&root().join("src/catalogue/embedded.json"), &loaded().to_embedded_json()).unwrap();
}

#[test]
fn the_pages_are_up_to_date() {
    let results = [
        generated(&root().join("docs/RULES.md"), &rules_page(&loaded())),
        generated(&root().join("docs/CODES.md"), &codes_page()),
    ];
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is compiled and prefiltered finds exactly what every pattern finds alone: the prefilter hides nothing.
#[test]
fn the_prefilter_hides_nothing() {
    let catalogue = loaded();
    let texts: Vec<&str> = catalogue
        .rules()
        .iter()
        .flat_map(|rule| rule.samples().positive.iter().chain(&rule.samples().negative))
        .map(|sample| sample.text.as_str())
        .collect();
    let mut wrong = Vec::new();
    for text in texts {
        let view = View::of(text);
        let origin = Origin { channel: Channel::PromptError, provider: None };
        let hits = catalogue.hits(text, &view, origin);
        for (index, rule) in catalogue.rules().iter().enumerate() {
            let alone = rule.admits(origin, true) && rule.is_match(text, &view, false);
            let found = hits.iter().any(|hit| hit.rule == index);
            if alone != found {
                wrong.push(format!("{}: alone {alone}, prefiltered {found}: {text:?}", rule.id()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

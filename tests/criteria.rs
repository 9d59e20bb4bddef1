//! `docs/CRITERIA.md` has a row for each criterion, and every test it names exists and is run.

#![expect(clippy::disallowed_methods, reason = "the page and the tests are files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Criterion to the tests that its row names.
fn rows(page: &str) -> BTreeMap<String, Vec<String>> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| .")?.split(" | ");
        let (number, held_by) = (cells.next()?, cells.last()?);
        Some((number.to_owned(), held_by.split('`').skip(1).step_by(2).map(str::to_owned).collect()))
    };
    page.lines().filter_map(row).collect()
}

/// Why a name is the name of no test that runs.
fn problem(name: &str) -> Option<String> {
    if let Some(prefix) = name.strip_prefix("tests/scenarios/").and_then(|name| name.strip_suffix('*')) {
        let files = fs::read_dir(root().join("tests/scenarios")).expect("the scenarios");
        let names = files.map(|file| file.expect("an entry").file_name().to_string_lossy().into_owned());
        return (!names.into_iter().any(|name| name.starts_with(prefix))).then(|| "no such scenario".to_owned());
    }
    let Some((file, function)) = name.split_once("::") else { return Some("no FILE::TEST".to_owned()) };
    let Ok(text) = fs::read_to_string(root().join(file)) else { return Some("no such file".to_owned()) };
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let Some(at) = lines.iter().position(|line| line.starts_with(&format!("fn {function}("))) else {
        return Some("no such function".to_owned());
    };
    // A test without a harness is its own `main`.
    let own_main = function == "main"
        && fs::read_to_string(root().join("Cargo.toml")).is_ok_and(|manifest| {
            let stem = file.trim_start_matches("tests/").trim_end_matches(".rs");
            manifest.contains(&format!("name = \"{stem}\"\nharness = false"))
        });
    let attributes = lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
    let is_test = own_main || attributes.clone().any(|line| *line == "#[test]");
    let ignored = attributes.clone().any(|line| line.starts_with("#[ignore"));
    (!is_test || ignored).then(|| "is not a test that runs".to_owned())
}

#[test]
fn every_criterion_has_tests_and_every_named_test_exists() {
    let page = fs::read_to_string(root().join("docs/CRITERIA.md")).expect("the page");
    let rows = rows(&page);
    let mut wrong: Vec<_> = (1..=29)
        .filter(|number| rows.get(&number.to_string()).is_none_or(Vec::is_empty))
        .map(|number| format!(".{number} has no test"))
        .collect();
    if rows.len() != 29 {
        wrong.push(format!("{} rows, expected one for each of 29 criteria", rows.len()));
    }
    for (criterion, names) in &rows {
        let told =
            names.iter().filter_map(|name| problem(name).map(|problem| format!(".{criterion}: `{name}`: {problem}")));
        wrong.extend(told);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_nothing_are_found() {
    let rows = [
        ("tests/criteria.rs::names_of_nothing_are_found", None),
        ("tests/criteria.rs::rows", Some("is not a test that runs")),
        ("tests/criteria.rs::no_such", Some("no such function")),
        ("tests/no_such.rs::main", Some("no such file")),
        ("tests/scenarios/99-*", Some("no such scenario")),
        ("nonsense", Some("no FILE::TEST")),
        ("tests/notice_store.rs::main", None),
        ("src/main.rs::main", Some("is not a test that runs")),
    ];
    let wrong: Vec<_> = rows.iter().filter(|(name, expected)| problem(name).as_deref() != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

//! What the review formats say about a project with one of everything.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::run::{Ran, copy, edit, refrain_in, required};
use super::xml::{self, Element};

/// One cell missing, one failing, one unreadable; one scenario each as well.
fn broken() -> (tempfile::TempDir, PathBuf) {
    let (keep, folder) = copy();
    fs::remove_file(folder.join("fixtures/litellm/queued.json")).expect("it was there");
    edit(&folder, "fixtures/litellm/matched.json", "\"preResultSafe\": true", "\"preResultSafe\": false");
    fs::write(folder.join("fixtures/teamclaude/matched.json"), "{").expect("a file");
    let scenario = |name: &str| format!("fixtures/dialects/{name}.json");
    fs::remove_file(folder.join(scenario("claude-acp/stall"))).expect("it was there");
    edit(&folder, &scenario("codex-acp/retry-boundary"), "\"preResultSafe\": false", "\"preResultSafe\": true");
    fs::write(folder.join(scenario("qwen-acp/data-only")), "{").expect("a file");
    (keep, folder)
}

fn run(command: &str, format: &str) -> Ran {
    let (_keep, folder) = broken();
    let ran = refrain_in(&folder, &[command, "--format", format], "");
    assert_eq!(ran.code, 1, "{ran:#?}");
    ran
}

fn cases(elements: &[Element]) -> BTreeMap<String, bool> {
    let mut cases = BTreeMap::new();
    for (index, element) in elements.iter().enumerate().filter(|(_, element)| element.name == "testcase") {
        let name = |key| element.attribute(key).expect(key).to_owned();
        let failed = elements.get(index + 1).is_some_and(|next| next.name == "failure");
        cases.insert(format!("{} {}", name("classname"), name("name")), failed);
    }
    cases
}

#[test]
fn junit_has_a_case_for_every_required_cell_and_skips_none() {
    let ran = run("check", "junit");
    let elements = xml::elements(&ran.stdout).expect("XML");
    let cases = cases(&elements);
    for (cell, failed) in [
        ("refrain.check.litellm queued", true),
        ("refrain.check.litellm matched", true),
        ("refrain.check.teamclaude matched", true),
        ("refrain.check.openrouter queued", false),
        ("refrain.check.dialects/cursor-acp re-armed", false),
        ("refrain.check.dialects/codex-acp retry-boundary", true),
        ("refrain.check.dialects/claude-acp stall", true),
        ("refrain.check.dialects/qwen-acp data-only", true),
    ] {
        assert_eq!(cases.get(cell), Some(&failed), "{cell} in {cases:#?}");
    }
    let of = |scenarios| {
        let cells = cases.keys().filter(|name| !name.starts_with("refrain.check.project"));
        cells.filter(|name| name.starts_with("refrain.check.dialects/") == scenarios).count()
    };
    assert_eq!((of(false), of(true)), required(), "{cases:#?}");
    let root = &elements[0];
    assert_eq!(root.attribute("skipped"), Some("0"));
    assert_eq!(root.attribute("tests"), Some(cases.len().to_string().as_str()));
    let failures = cases.values().filter(|failed| **failed).count();
    assert_eq!(root.attribute("failures"), Some(failures.to_string().as_str()));
    assert!(!ran.stdout.contains("<skipped"), "{}", ran.stdout);

    let elements = xml::elements(&run("replay", "junit").stdout).expect("XML");
    let cases = self::cases(&elements);
    for (cell, failed) in [
        ("refrain.replay.litellm matched", true),
        ("refrain.replay.teamclaude matched", true),
        ("refrain.replay.openrouter queued", false),
        ("refrain.replay.dialects/cursor-acp re-armed", false),
        ("refrain.replay.dialects/codex-acp retry-boundary", true),
        ("refrain.replay.dialects/qwen-acp data-only", true),
    ] {
        assert_eq!(cases.get(cell), Some(&failed), "{cell} in {cases:#?}");
    }
}

#[test]
fn a_narrowed_run_has_cases_for_what_was_asked_only() {
    let (_keep, folder) = broken();
    for (cell, code, expected) in [
        ("dialects/cursor-acp/re-armed", 0, vec!["refrain.check.dialects/cursor-acp re-armed"]),
        ("openrouter/queued", 0, vec!["refrain.check.openrouter queued"]),
        ("dialects/qwen-acp/data-only", 1, vec!["refrain.check.dialects/qwen-acp data-only"]),
        ("litellm/queued", 1, vec!["refrain.check.litellm queued"]),
    ] {
        let ran = refrain_in(&folder, &["check", cell, "--format", "junit"], "");
        let cases = cases(&xml::elements(&ran.stdout).expect("XML"));
        let names: Vec<&str> = cases.keys().map(String::as_str).filter(|name| !name.contains(".project")).collect();
        assert_eq!((ran.code, names), (code, expected), "{cell}: {ran:#?}");
        assert_eq!(cases.values().any(|failed| *failed), code == 1, "{cell}: a verdict and its cases agree: {ran:#?}");
    }
}

#[test]
fn sarif_names_rule_place_and_level() {
    let document = run("check", "sarif").json();
    let driver = &document["runs"][0]["tool"]["driver"];
    let results = document["runs"][0]["results"].as_array().expect("results").clone();
    assert!(results.len() >= 3, "{document:#}");
    for rule in driver["rules"].as_array().expect("rules") {
        // What GitHub's upload refuses to go without.
        for part in ["shortDescription", "fullDescription", "help"] {
            let text = rule[part]["text"].as_str().unwrap_or_default();
            assert!(!text.is_empty() && text.len() <= 1_024, "{part} of {rule:#}");
        }
    }
    for result in &results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(driver["rules"][index]["id"], result["ruleId"]);
    }
    let uri = "/locations/0/physicalLocation/artifactLocation/uri";
    let of_cell = |result: &&serde_json::Value| {
        result["ruleId"] == "refrain::replay::expectation"
            && result.pointer(uri) == Some(&"fixtures/litellm/matched.json".into())
    };
    let wrong = results.iter().find(of_cell).expect("a mismatch");
    let place = &wrong["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    assert!(place["region"]["startLine"].as_u64() > Some(30), "{wrong:#}");
    assert_eq!(wrong["level"], "error");
}

#[test]
fn annotations_point_at_the_line() {
    let ran = run("check", "github");
    let line = ran.stdout.lines().find(|line| line.contains("matched.json,line=")).expect("an annotation");
    assert!(line.starts_with("::error file=fixtures/litellm/matched.json,line="), "{line}");
    assert!(line.contains(",title=refrain%3A%3Areplay%3A%3Aexpectation::litellm/matched: "), "{line}");
    assert!(
        ran.stdout.ends_with('\n') && ran.stdout.lines().last().is_some_and(|line| line.starts_with("✗ refrain check"))
    );
}

#[test]
fn a_comment_begins_with_its_marker_and_the_verdict() {
    for command in ["check", "replay"] {
        let ran = run(command, "markdown");
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(lines[0], format!("<!-- refrain:{command} -->"));
        assert!(lines[1].starts_with(&format!("**refrain {command}** ❌ ")), "{}", lines[1]);
        assert!(lines[3].starts_with("| "), "a table follows: {:?}", &lines[..5]);
        assert!(ran.stdout.contains("<details><summary>"), "{}", ran.stdout);
    }
}

#[test]
fn json_lines_are_one_document_each_and_end_with_the_numbers() {
    for (command, kind) in [("check", "finding"), ("replay", "fixture")] {
        let ran = run(command, "jsonl");
        let lines: Vec<serde_json::Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines.last().map(|line| line["kind"].clone()), Some("summary".into()), "{command}");
        assert!(lines.iter().filter(|line| line["kind"] == kind).count() >= 2, "{command}: {ran:#?}");
    }
}

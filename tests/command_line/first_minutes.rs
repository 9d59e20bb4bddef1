//! The first five minutes: a project of one's own, what there is, what the tool says about itself.

use std::fs;

use super::json_schema;
use super::run::{project, refrain_in};

#[test]
fn a_new_project_is_green_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = refrain_in(folder.path(), &["init"], "");
    assert_eq!(ran.code, 0, "{ran:#?}");
    for word in ["7 fixtures", "rules", "refrain check", "refrain replay claude-direct/"] {
        assert!(ran.stdout.contains(word), "no {word:?} in {}", ran.stdout);
    }
    let check = refrain_in(folder.path(), &["check", "--format", "json"], "");
    assert_eq!(check.code, 0, "{check:#?}");
    assert_eq!(check.json()["matrix"]["required"], 7);
    assert_eq!(check.json()["findings"], serde_json::json!([]));
    let rule = "catalogue/rules/amp.quota.v1.yaml";
    let same =
        |path: &str| fs::read(folder.path().join(path)).expect(path) == fs::read(project().join(path)).expect(path);
    assert!(same(rule) && same("catalogue/shapes/uuid.yaml") && same("fixtures/claude-direct/matched.json"));
    let built_in = refrain_in(project(), &["check", "--format", "json"], "").json()["catalogue"].clone();
    assert_eq!(check.json()["catalogue"], built_in, "a new project starts with the very catalogue of the tool");

    let again = refrain_in(folder.path(), &["init"], "");
    assert_eq!(again.code, 2, "{again:#?}");
    assert!(again.stderr.contains("matrix.yaml is there already"), "{}", again.stderr);
    let other =
        refrain_in(folder.path(), &["init", "elsewhere", "--gateway", "litellm", "--gateway", "openrouter"], "");
    assert_eq!(other.code, 0, "{other:#?}");
    let check = refrain_in(folder.path(), &["check", "--root", "elsewhere"], "");
    assert!(check.code == 0 && check.stdout.contains("14 cells: 14 ok"), "{check:#?}");
    let unknown = refrain_in(folder.path(), &["init", "third", "--gateway", "litelm"], "");
    assert!(unknown.code == 2 && unknown.stderr.contains("litellm"), "{unknown:#?}");
    assert!(!folder.path().join("third").exists(), "a refused start leaves nothing");
}

#[test]
fn lists_are_filtered_and_an_empty_one_is_never_green() {
    let mut wrong = Vec::new();
    for (arguments, code, holds, lacks) in [
        (vec!["list", "codes"], 0, "provider_overloaded", "amp.quota.v1"),
        (vec!["list", "codes", "--class", "hard"], 0, "quota_limited", "rate_limited"),
        (vec!["list", "rules"], 0, "anthropic.overloaded.529.v1", "\u{1b}"),
        (vec!["list", "rules", "--code", "quota_limited"], 0, "amp.quota.v1", "anthropic.overloaded.529.v1"),
        (vec!["list", "rules", "--agent", "amp-acp", "QUOTA"], 0, "amp.quota.v1", "amp.rate.v1"),
        (vec!["list", "shapes", "--class", "enforced"], 0, "uuid", "npm-token"),
        (vec!["list", "cells", "litellm", "queued"], 0, "litellm/queued", "litellm/matched"),
        (vec!["list", "cells", "--state", "missing"], 4, "failed to find cells like that", "litellm"),
        (vec!["list", "shapes", "--code", "rate_limited"], 2, "filter shapes by --code", "uuid"),
        (vec!["list", "rules", "no-such-word-anywhere"], 4, "find rules", "amp"),
        (vec!["list", "ruels"], 2, "rules", "amp"),
        (vec!["list", "rules", "--code", "rate_limitd"], 2, "rate_limited", "amp"),
    ] {
        let ran = refrain_in(project(), &arguments, "");
        let text = format!("{}{}", ran.stdout, ran.stderr);
        if ran.code != code || !text.contains(holds) || text.contains(lacks) {
            wrong.push(format!("{arguments:?}: expected {code}, {holds:?} and no {lacks:?}: {ran:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let json = refrain_in(project(), &["list", "rules", "--format", "json"], "").json();
    let lines = refrain_in(project(), &["list", "rules", "--format", "jsonl"], "").stdout;
    assert_eq!(json["rules"].as_array().map(Vec::len), Some(lines.lines().count()));
    assert!(json["rules"][0]["providers"].is_array(), "{}", json["rules"][0]);
}

#[test]
fn the_tool_describes_its_formats_its_completions_and_itself() {
    let document = serde_json::json!({"agents": [], "gateways": [], "cases": [], "extra": 1});
    let schema = refrain_in(project(), &["schema", "matrix"], "").json();
    assert_eq!(json_schema::problems(&schema, &document).len(), 1);
    let mut wrong = Vec::new();
    for (arguments, code, word) in [
        (vec!["schema", "rule"], 0, "\"title\": \"One rule of the catalogue\""),
        (vec!["schema", "rlue"], 2, "rule"),
        (vec!["completions", "bash"], 0, "complete -F _refrain"),
        (vec!["completions", "zsh"], 0, "#compdef refrain"),
        (vec!["completions", "fish"], 0, "complete -c refrain"),
        (vec!["completions", "bsh"], 2, "bash"),
        (vec!["man"], 0, ".TH refrain 1"),
        (vec!["man", "check"], 0, ".TH refrain-check 1"),
        (vec!["man", "chekc"], 2, "find a command `chekc`"),
    ] {
        let ran = refrain_in(project(), &arguments, "");
        if ran.code != code || !(ran.stdout.contains(word) || ran.stderr.contains(word)) {
            wrong.push(format!("{arguments:?}: expected {code} and {word:?}: {ran:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

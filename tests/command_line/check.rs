//! `refrain check`.

use std::collections::BTreeSet;
use std::fs;

use super::run::{Ran, copy, edit, project, refrain_in, refrain_with, required};

/// A fake credential, built from parts so that no scanner mistakes this file for a leak.
fn secret() -> String {
    ["s", "k-", "ant", "-api03-", "Zk3Qw9Lm2Xv7Bn4Tc8Rd5Yh1"].concat()
}

fn found(ran: &Ran) -> BTreeSet<(String, String)> {
    let document = ran.json();
    let findings = document["findings"].as_array().expect("findings").clone();
    let pair = |finding: &serde_json::Value| {
        assert!(finding["message"].as_str().is_some_and(|message| !message.is_empty()), "{finding}");
        let file = finding["file"].as_str().expect("a file").rsplit("fixtures/").next().expect("a name").to_owned();
        (finding["code"].as_str().expect("a code").to_owned(), file)
    };
    findings.iter().map(pair).collect()
}

#[test]
fn the_project_is_green_and_shows_every_cell() {
    let ran = refrain_in(project(), &["check"], "");
    assert_eq!(ran.code, 0, "{ran:#?}");
    let green = format!("{0} cells: {0} ok", required().0);
    for word in ["self-test ok", "claude-direct", "teamclaude", "openrouter", "litellm", "prose-output", &green] {
        assert!(ran.stdout.contains(word), "no {word:?} in\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains('\u{1b}'), "colour in a pipe");
    let json = refrain_in(project(), &["check", "--format", "json"], "").json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["matrix"]["required"], required().0);
    assert_eq!(json["matrix"]["present"], required().0);
    assert_eq!(json["findings"], serde_json::json!([]));
}

#[test]
fn the_built_in_data_is_green_from_any_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = refrain_in(folder.path(), &["check"], "");
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.stdout.contains(&format!("{0} cells: {0} ok", required().0)), "{}", ran.stdout);
    assert_eq!(fs::read_dir(folder.path()).expect("it").count(), 0, "check writes nothing");
}

#[test]
fn every_break_gets_its_finding_in_one_run() {
    let (_keep, folder) = copy();
    let fixture = |cell: &str| format!("fixtures/{cell}.json");
    let mut expected: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut broken = |cell: &'static str, from: &str, to: &str, code: &'static str| {
        edit(&folder, &fixture(cell), from, to);
        expected.insert((code, cell));
    };
    broken("litellm/prose-tool", "\"source\"", "\"note\": 1,\n  \"source\"", "refrain::fixture::unknown_key");
    broken(
        "litellm/matched",
        "\"classifying\": true",
        "\"classifying\": false",
        "refrain::fixture::classifying_disagrees",
    );
    broken(
        "litellm/prose-matched",
        "\"litellm-prose-matched\"",
        "\"litellm-mismatched\"",
        "refrain::fixture::duplicate_session",
    );
    broken("litellm/later-output", "  \"frames\"", "\t\"frames\"", "refrain::fixture::not_canonical");
    broken(
        "teamclaude/queued",
        "\"gateway\": \"teamclaude\"",
        "\"gateway\": \"gamma\"",
        "refrain::fixture::unknown_gateway",
    );
    broken("teamclaude/matched", "\"preResultSafe\": true", "\"preResultSafe\": false", "refrain::replay::expectation");
    broken("openrouter/matched", "-32603", "3000000000", "refrain::fixture::rpc_code_out_of_range");
    broken("openrouter/queued", "{\n", "{\n  \"case\": \"queued\",\n", "refrain::canon::duplicate_key");
    let leak = format!("\"text\": \"{} ", secret());
    broken("claude-direct/prose-tool", "\"text\": \"", &leak, "refrain::fixture::forbidden_shape");
    fs::remove_file(folder.join(fixture("openrouter/mismatched"))).expect("it");
    expected.insert(("refrain::matrix::missing_cell", "matrix.yaml"));
    let later = fs::read_to_string(folder.join(fixture("claude-direct/later-output"))).expect("it");
    let relabelled = later.replace("later-output", "matched");
    fs::write(folder.join(fixture("claude-direct/matched")), relabelled).expect("it");
    expected.insert(("refrain::fixture::case_shape", "claude-direct/matched"));

    let root = folder.to_str().expect("UTF-8");
    let ran = refrain_in(&folder, &["check", "--root", root, "--format", "json"], "");
    assert_eq!(ran.code, 1, "{ran:#?}");
    let found = found(&ran);
    // One break, one finding: nothing is reported twice under another name.
    assert_eq!(ran.json()["findings"].as_array().map(Vec::len), Some(expected.len()), "{found:#?}");
    let missing: Vec<_> = expected
        .iter()
        .filter(|(code, cell)| {
            !found.iter().any(|(found, file)| found == code && (file.starts_with(cell) || file.ends_with(cell)))
        })
        .collect();
    assert!(missing.is_empty(), "not found: {missing:#?}\nfound: {found:#?}");
    for (code, file) in &found {
        let cell = file.trim_end_matches(".json");
        let known = expected.iter().any(|(_, broken)| cell.ends_with(broken) || file.ends_with(broken));
        assert!(known, "{code} in {file}, which nobody broke");
    }
    assert_eq!(
        ran.stdout,
        refrain_in(&folder, &["check", "--root", root, "--format", "json", "--jobs", "1"], "").stdout
    );

    let human = refrain_in(&folder, &["check", "--root", root], "");
    assert_eq!(human.code, 1);
    let secret = secret();
    for output in [&human.stdout, &human.stderr, &ran.stdout] {
        assert!(!output.contains(&secret[8..]), "the secret is printed:\n{output}");
    }
    for word in ["✗ fails", "✗ missing", "help:", "litellm/prose-tool"] {
        assert!(human.stdout.contains(word), "no {word:?} in\n{}", human.stdout);
    }
}

#[test]
fn one_cell_is_checked_alone_and_an_unknown_one_is_never_green() {
    let (_keep, folder) = copy();
    edit(&folder, "fixtures/litellm/matched.json", "\"preResultSafe\": true", "\"preResultSafe\": false");
    for (arguments, code) in [
        (vec!["check", "litellm/matched"], 1),
        (vec!["check", "litellm/mismatched"], 0),
        (vec!["check", "litellm"], 1),
        (vec!["check", "litelm/matched"], 4),
        (vec!["check", "--root", "no/such/folder"], 2),
    ] {
        let ran = refrain_in(&folder, &arguments, "");
        assert_eq!(ran.code, code, "{arguments:?}: {ran:#?}");
    }
    let ran = refrain_in(&folder, &["check", "litelm/matched"], "");
    assert!(ran.stderr.contains("did you mean `litellm/matched`?"), "{}", ran.stderr);
}

#[test]
fn colour_is_a_choice_and_a_narrow_terminal_is_no_trouble() {
    let always = refrain_in(project(), &["check", "--color", "always"], "");
    assert!(always.stdout.contains('\u{1b}'));
    let narrow = refrain_with(project(), &["check"], b"", &[("COLUMNS", "60")]);
    let widest = narrow.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|width| width <= 80), "{widest:?}\n{}", narrow.stdout);
    assert!(narrow.stdout.contains("matched"), "{}", narrow.stdout);
    assert_eq!(refrain_in(project(), &["check", "--quiet"], "").stdout, "");
}

#[test]
fn a_project_enforces_its_own_shapes_and_can_not_drop_an_enforced_one() {
    let (_keep, folder) = copy();
    let shape = "id: ticket\ntitle: 'Ticket numbers'\nclass: extended\nkind: id\ntiers: [payload]\nanchors: ['ticket-']\n\
                 pattern: 'ticket-[0-9]{4}'\nscanner: exact\npositive: ['see ticket-1234 for more']\n\
                 negative: ['a ticket-office']\nsource: 'a test'\n";
    let file = "catalogue/shapes/ticket.yaml";
    fs::write(folder.join(file), shape).expect("a file");
    assert_eq!(refrain_in(&folder, &["check"], "").code, 0);
    edit(&folder, "fixtures/litellm/matched.json", "\"text\": \"", "\"text\": \"ticket-4711 ");
    let json = refrain_in(&folder, &["check", "--format", "json"], "").json();
    let codes: Vec<_> =
        json["findings"].as_array().expect("findings").iter().map(|found| found["code"].clone()).collect();
    assert!(codes.contains(&"refrain::fixture::forbidden_shape".into()), "{json:#}");
    let list = refrain_in(&folder, &["list", "shapes", "ticket"], "");
    assert!(list.stdout.contains("Ticket numbers"), "{list:#?}");

    edit(&folder, file, "see ticket-1234", "see ticket-12");
    fs::remove_file(folder.join("catalogue/shapes/uuid.yaml")).expect("it");
    let broken = refrain_in(&folder, &["check"], "");
    for word in
        ["refrain::redact::sample", "refrain::redact::enforced_missing", "`uuid` is missing", "✗ self-test fails"]
    {
        assert!(broken.code == 1 && broken.stdout.contains(word), "no {word:?} in {broken:#?}");
    }
}

#[test]
fn a_narrowed_run_counts_what_it_was_about() {
    let (_keep, folder) = copy();
    fs::remove_file(folder.join("fixtures/teamclaude/queued.json")).expect("it");
    let (_keep_broken, broken) = copy();
    fs::write(broken.join("fixtures/openrouter/queued.json"), "\n").expect("it");
    let (cells, scenarios) = required();
    let of = |text: &str| {
        text.replace("CELLS", &format!("{cells} cells")).replace("SCENARIOS", &format!("{scenarios} scenarios"))
    };
    let mut wrong = Vec::new();
    for (names, code, verdict, lacks) in [
        (vec!["litellm"], 0, "7 of CELLS: 7 ok (6 recorded, 1 reconstructed)   ", "teamclaude"),
        (vec!["litellm/matched"], 0, "1 of CELLS: 1 ok (1 recorded, 0 reconstructed)   ", "missing"),
        (vec!["fixtures/litellm/matched.json"], 0, "1 of CELLS: 1 ok", "teamclaude"),
        (vec!["./fixtures/litellm/"], 0, "7 of CELLS: 7 ok", "teamclaude"),
        (vec!["dialects/codex-acp"], 0, "3 of SCENARIOS: 3 ok   ", "litellm"),
        (vec!["fixtures/dialects/codex-acp/retry-flag-false.json"], 0, "1 of SCENARIOS: 1 ok", "retry-boundary"),
        (
            vec!["litellm/matched", "dialects/qwen-acp"],
            0,
            "1 of CELLS: 1 ok (1 recorded, 0 reconstructed), 1 of SCENARIOS: 1 ok",
            "teamclaude",
        ),
        (
            vec!["teamclaude/queued"],
            1,
            "1 of CELLS: 0 ok, 1 missing (0 recorded, 0 reconstructed), 1 problem",
            "litellm",
        ),
        (vec!["openrouter/queued"], 1, "1 of CELLS: 0 ok, 1 failing", "litellm"),
        (vec!["codex-acp/retry-flag-false"], 4, "did you mean `dialects/codex-acp/retry-flag-false`?", "cells:"),
        (vec!["/nope"], 4, "find a cell `/nope`", "cells:"),
    ] {
        let mut arguments = vec!["check"];
        arguments.extend(&names);
        let place = if names == ["openrouter/queued"] { &broken } else { &folder };
        let ran = refrain_in(place, &arguments, "");
        let text = format!("{}{}", ran.stdout, ran.stderr);
        if ran.code != code || !text.contains(&of(verdict)) || text.contains(lacks) {
            wrong.push(format!("{names:?}: expected {code}, {verdict:?} and no {lacks:?}: {ran:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_fixture_that_equals_another_one_is_found_from_both_sides() {
    let (_keep, folder) = copy();
    let from = fs::read_to_string(folder.join("fixtures/litellm/matched.json")).expect("it");
    let to = from.replace("\"litellm\"", "\"teamclaude\"").replace("litellm-matched", "teamclaude-matched");
    fs::write(folder.join("fixtures/teamclaude/matched.json"), to).expect("it");
    for (cell, code) in [("litellm/matched", 1), ("teamclaude/matched", 1), ("litellm/queued", 0)] {
        let ran = refrain_in(&folder, &["check", cell], "");
        assert!(ran.code == code && (code == 0 || ran.stdout.contains("equal_frames")), "{cell}: {ran:#?}");
    }
}

#[test]
fn a_folder_inside_of_a_project_is_not_mistaken_for_none() {
    let (_keep, folder) = copy();
    fs::create_dir_all(folder.join("docs/deep")).expect("folders");
    edit(&folder, "fixtures/litellm/matched.json", "\"preResultSafe\": true", "\"preResultSafe\": false");
    let ran = refrain_in(&folder.join("docs/deep"), &["check"], "");
    assert!(ran.code == 1 && ran.stdout.contains("../../fixtures/litellm/matched.json:"), "{ran:#?}");
    assert!(!ran.stderr.contains("built-in"), "{ran:#?}");
    let accepted = refrain_in(&folder.join("docs"), &["replay", "--accept", "litellm/matched"], "");
    assert_eq!(accepted.code, 0, "{accepted:#?}");
    fs::write(
        folder.join("fixtures/litellm/queued.json"),
        fs::read_to_string(folder.join("fixtures/litellm/queued.json")).expect("it").replace('\n', "\n "),
    )
    .expect("it");
    assert_eq!(refrain_in(&folder.join("docs"), &["canon"], "").code, 0);
    assert_eq!(refrain_in(&folder, &["check"], "").code, 0);

    let nowhere = tempfile::tempdir().expect("a folder");
    for command in ["check", "replay"] {
        let ran = refrain_in(nowhere.path(), &[command], "");
        assert!(
            ran.code == 0 && ran.stderr.contains("built-in fixtures") && ran.stderr.contains("refrain init"),
            "{ran:#?}"
        );
        assert_eq!(refrain_in(nowhere.path(), &[command, "--quiet"], "").stderr, "");
    }
    let canon = refrain_in(nowhere.path(), &["canon"], "");
    assert!(canon.code == 4 && canon.stderr.contains("run it in a project"), "{canon:#?}");
}

/// A rule for one text, with a sample that fires and a near miss.
fn rule(id: &str, code: &str, pattern: &str, text: &str) -> String {
    format!(
        "id: {id}\ntitle: 'Of a test'\ncode: {code}\nconfidence: high\ntier: exact\nmatch:\n  - '{pattern}'\nsamples:\n  \
         positive:\n    - text: '{text}'\n  negative:\n    - text: 'Nothing of it'\n      reason: 'other words'\n\
         source: 'a test'\n"
    )
}

/// Name, rule files, expected codes and files.
type RuleRow<'r> = (&'r str, Vec<String>, &'r [(&'r str, &'r str)]);

#[test]
fn collisions_shadowed_rules_and_missing_near_misses_are_findings() {
    let zebra = |id: &str, code: &str| rule(id, code, r"\bzebra crossing\b", "A zebra crossing");
    let alone = rule("test.zebra.v1", "rate_limited", r"\bzebra crossing\b", "A zebra crossing");
    let rows: &[RuleRow<'_>] = &[
        ("a good rule", vec![alone.clone()], &[]),
        (
            "a collision on a sample",
            vec![alone.clone(), zebra("test.zzebra.v1", "provider_unavailable")],
            &[
                ("refrain::catalogue::collision", "test.zebra.v1.yaml"),
                ("refrain::catalogue::shadowed", "test.zzebra.v1.yaml"),
            ],
        ),
        (
            "a shadowed rule",
            vec![alone.clone(), zebra("test.zzebra.v1", "rate_limited")],
            &[("refrain::catalogue::shadowed", "test.zzebra.v1.yaml")],
        ),
        (
            "no near miss",
            vec![alone.replace(
                "  negative:\n    - text: 'Nothing of it'\n      reason: 'other words'\n",
                "  negative: []\n",
            )],
            &[("refrain::catalogue::samples", "test.zebra.v1.yaml")],
        ),
        (
            // No sample of either rule is matched by the other.
            "a collision on the texts of a fixture alone",
            vec![
                rule("test.back.v1", "rate_limited", r"\bcome back from the far side\b", "come back from the far side"),
                rule(
                    "test.side.v1",
                    "provider_unavailable",
                    r"\bthe far side of the moon\b",
                    "the far side of the moon",
                ),
            ],
            &[("refrain::catalogue::collision", "dialects/cursor-acp/resumed-generation.json")],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, rules, expected) in rows {
        let (_keep, folder) = copy();
        for text in rules {
            let id = text.lines().next().and_then(|line| line.strip_prefix("id: ")).expect("an id");
            fs::write(folder.join(format!("catalogue/rules/{id}.yaml")), text).expect("a file");
        }
        edit(
            &folder,
            "fixtures/dialects/cursor-acp/resumed-generation.json",
            "\"text\": \"I am back",
            "\"text\": \"API Error: come back from the far side of the moon",
        );
        let ran = refrain_in(&folder, &["check", "--format", "json"], "");
        let got: BTreeSet<(String, String)> =
            found(&ran).into_iter().map(|(code, file)| (code, file.replace("catalogue/rules/", ""))).collect();
        let wanted: BTreeSet<(String, String)> =
            expected.iter().map(|(code, file)| ((*code).to_owned(), (*file).to_owned())).collect();
        if got != wanted {
            wrong.push(format!("{name}: expected {wanted:#?}, got {got:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_absence_is_told_to_whom_it_concerns() {
    let (_keep, folder) = copy();
    for gone in ["litellm/queued", "dialects/gemini-acp/status-as-code"] {
        fs::remove_file(folder.join(format!("fixtures/{gone}.json"))).expect("it");
    }
    let missing = ["refrain::matrix::missing_cell", "refrain::matrix::missing_scenario"];
    let mut wrong = Vec::new();
    for (cells, expected) in [
        (vec![], &missing[..]),
        (vec!["litellm"], &missing[..1]),
        (vec!["litellm/queued"], &missing[..1]),
        (vec!["litellm/matched"], &[]),
        (vec!["dialects/gemini-acp"], &missing[1..]),
        (vec!["dialects/gemini-acp/swallowed-failure"], &[]),
        (vec!["dialects/gemini-acp/status-as-code", "litellm/queued"], &missing[..]),
    ] {
        let ran = refrain_in(&folder, &[&["check", "--format", "json"], cells.as_slice()].concat(), "");
        let got: Vec<String> = found(&ran).into_iter().map(|(code, _)| code).collect();
        if got != expected || ran.code != i32::from(!expected.is_empty()) {
            wrong.push(format!("{cells:?}: expected {expected:?}, got {got:?}, exit {}", ran.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

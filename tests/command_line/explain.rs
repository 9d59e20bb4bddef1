//! `refrain explain`.

use std::fs;

use super::run::{project, refrain_in};

#[test]
fn texts_rules_codes_and_files_are_explained() {
    let limit = "API Error: Request rejected (429) · Rate limit exceeded: free-models-per-day. Add 10 credits";
    for (arguments, words) in [
        (vec!["explain", limit], vec!["quota_limited", "──┬──", "╰ ", "outranked", "text.status.429.v1"]),
        (vec!["explain", "quota_limited"], vec!["hard", "retry by itself    no", "rules"]),
        (vec!["explain", "anthropic.overloaded.529.v1"], vec!["match", "fires", "silent", "claude-direct/matched"]),
        (vec!["explain", "fixtures/litellm/matched.json"], vec!["provider_overloaded", "anthropic.overloaded.529.v1"]),
        (
            vec!["explain", "docs/samples/output-then-failure.jsonl"],
            vec!["turn 1", "turn 2", "automatic retry", "output"],
        ),
        (vec!["explain", "The gadget is jammed at the gateway"], vec!["no rule matched", "nearest", "--new-rule"]),
        (
            vec!["explain", "--new-rule", "The gadget is jammed"],
            vec!["id: provider.gadget_jammed.v1", "EDIT", "positive:"],
        ),
        (vec!["explain", "litellm/matched"], vec!["provider_overloaded", "anthropic.overloaded.529.v1"]),
        (vec!["explain", "rate_limit"], vec!["rate_limit", "retry needs"]),
        (vec!["explain", "--format", "json", limit], vec!["\"matched\"", "\"others\"", "\"needed\""]),
    ] {
        let ran = refrain_in(project(), &arguments, "");
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        for word in words {
            assert!(ran.stdout.contains(word), "{arguments:?}: no {word:?} in\n{}", ran.stdout);
        }
    }
    for (subject, pointer, expected) in [
        ("quota_limited", "/class", "hard"),
        ("anthropic.overloaded.529.v1", "/code", "provider_overloaded"),
        ("fixtures/litellm/matched.json", "/code", "provider_overloaded"),
        ("docs/samples/output-then-failure.jsonl", "/turns/1/disposition", "manual_recovery"),
        ("docs/samples/output-then-failure.jsonl", "/turns/1/explanation/code", "provider_overloaded"),
    ] {
        let json = refrain_in(project(), &["explain", "--format", "json", subject], "").json();
        assert_eq!(json.pointer(pointer), Some(&expected.into()), "{subject}: {json:#}");
    }
    let typed = refrain_in(project(), &["explain", limit], "");
    assert_eq!(refrain_in(project(), &["explain", "-"], &format!("{limit}\n")).stdout, typed.stdout);
    assert_eq!(refrain_in(project(), &["explain", "--format", "sarif", "quota_limited"], "").code, 2);
    assert_eq!(refrain_in(project(), &["explain", ""], "").code, 4);
    assert_eq!(refrain_in(project(), &["explain"], "").code, 2);
}

#[test]
fn a_mistyped_name_is_not_explained_as_a_text() {
    let mut wrong = Vec::new();
    for (subject, word) in [
        ("anthropic.overlaoded.529.v1", "did you mean `anthropic.overloaded.529.v1`?"),
        ("nobody.knows_this.v1", "refrain list rules"),
        ("quota_limted", "did you mean `quota_limited`?"),
        ("litellm/matchd", "did you mean `litellm/matched`?"),
        ("docs/samples/nope.jsonl", "no such file"),
        ("dialects/claude-acp/failure-as-success", "refrain replay dialects/claude-acp/failure-as-success"),
    ] {
        let ran = refrain_in(project(), &["explain", subject], "");
        if ran.code != 2 || !ran.stderr.contains(word) || !ran.stdout.is_empty() {
            wrong.push(format!("{subject}: expected 2 and {word:?}: {ran:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_new_rule_is_put_where_it_belongs() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "Internal error: Scheduler backlog: your job was shed, resubmit shortly";
    let write = ["explain", "--new-rule", "--write", text];
    let nowhere = refrain_in(folder.path(), &write, "");
    assert!(nowhere.code == 2 && nowhere.stderr.contains("refrain init"), "{nowhere:#?}");
    assert_eq!(refrain_in(folder.path(), &["init"], "").code, 0);
    let classified = refrain_in(folder.path(), &["classify", text], "");
    assert!(classified.stdout.contains("--new-rule"), "the next step is not named: {classified:#?}");

    let path = folder.path().join("catalogue/rules/provider.scheduler_backlog_shed.v1.yaml");
    // The shell empties the file before the tool runs.
    fs::write(&path, "").expect("a file");
    let printed = refrain_in(folder.path(), &["explain", "--new-rule", text], "");
    assert!(printed.code == 0 && printed.stdout.contains("Scheduler backlog: your job was shed'"), "{printed:#?}");
    let refused = refrain_in(folder.path(), &write, "");
    assert!(refused.code == 2 && refused.stderr.contains("it is there already"), "{refused:#?}");
    fs::remove_file(&path).expect("it");
    fs::create_dir_all(folder.path().join("deep")).expect("a folder");
    let written = refrain_in(&folder.path().join("deep"), &write, "");
    assert!(written.code == 0 && written.stdout.contains("refrain diff"), "{written:#?}");
    assert_eq!(fs::read_to_string(&path).expect("the rule"), printed.stdout);
    let check = refrain_in(folder.path(), &["check"], "");
    assert!(check.code == 0 && check.stdout.contains("is a draft") && check.stdout.contains("1 warning"), "{check:#?}");
    let classified = refrain_in(folder.path(), &["classify", text], "");
    assert!(classified.stdout.contains("rule provider.scheduler_backlog_shed.v1"), "{classified:#?}");
}

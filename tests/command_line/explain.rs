//! `refrain explain`.

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

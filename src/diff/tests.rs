//! Small catalogues that differ in one thing, and what a reviewer is shown of it.

use super::*;
use crate::catalogue::Catalogue;
use crate::classify::Classifier;
use crate::evidence::wire;
use crate::fixture::{FixtureFile, Strictness};
use crate::matrix::Matrix;
use crate::redact::Redactor;
use crate::vocab::{Class, Code, Confidence, Disposition, Finding};

/// A rule file; `extra` are further lines.
fn rule(id: &str, code: &str, confidence: &str, word: &str, extra: &str) -> (String, String) {
    let text = format!(
        "id: {id}\ntitle: 'A wording'\ncode: {code}\nconfidence: {confidence}\ntier: neutral\n{extra}match:\n  - '{word}'\n\
         samples:\n  positive:\n    - text: 'API Error: {word} now'\n  negative:\n    - text: 'all is well'\n      \
         reason: 'nothing is wrong'\nsource: 'a test'\n"
    );
    (format!("catalogue/rules/{id}.yaml"), text)
}

struct State {
    classifier: Classifier,
    findings: Vec<Finding>,
    fixtures: Vec<FixtureFile>,
    matrix: Matrix,
}

impl State {
    fn new(files: Vec<(String, String)>) -> Self {
        let (catalogue, findings) = Catalogue::examine(files);
        let matrix = Matrix::embedded().clone();
        Self { classifier: Classifier::new(catalogue), findings, fixtures: Vec::new(), matrix }
    }

    fn side(&self) -> Side<'_> {
        Side {
            classifier: &self.classifier,
            redactor: Redactor::embedded(),
            findings: &self.findings,
            fixtures: &self.fixtures,
            matrix: Some(&self.matrix),
        }
    }
}

fn now() -> jiff::Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn line(text: &str) -> EvidenceSource {
    let message = serde_json::json!({"id": "e1", "signals": [{"kind": "prompt_error", "message": text}]});
    EvidenceSource::Line { file: "e.jsonl".into(), number: 1, line: wire::parse(&message.to_string()).unwrap() }
}

/// Always there, so that a catalogue is never empty.
fn anchor() -> (String, String) {
    rule("anchor.v1", "context_overflow", "high", "context anchor", "")
}

#[test]
fn every_kind_of_change_has_its_effect_and_its_group() {
    let text = "API Error: gateway busy now";
    let of = |code: &str, confidence: &str| Some((code.to_owned(), confidence.to_owned()));
    let none: Option<(String, String)> = None;
    let mut wrong = Vec::new();
    for (before, after, expected) in [
        (none.clone(), of("provider_overloaded", "high"), Some((Effect::Widened, Group::Widened))),
        (of("quota_limited", "high"), of("provider_overloaded", "high"), Some((Effect::Widened, Group::Widened))),
        (
            of("provider_overloaded", "medium"),
            of("provider_overloaded", "high"),
            Some((Effect::Widened, Group::Widened)),
        ),
        (of("provider_overloaded", "high"), of("quota_limited", "high"), Some((Effect::Narrowed, Group::Narrowed))),
        (of("provider_overloaded", "high"), none.clone(), Some((Effect::Narrowed, Group::LostCoverage))),
        (
            of("provider_overloaded", "high"),
            of("provider_overloaded", "medium"),
            Some((Effect::Narrowed, Group::Narrowed)),
        ),
        (of("rate_limited", "high"), of("quota_limited", "high"), Some((Effect::Class, Group::ClassFlip))),
        (none.clone(), of("auth_required", "high"), Some((Effect::Class, Group::NewCoverage))),
        (of("auth_required", "high"), none.clone(), Some((Effect::Class, Group::LostCoverage))),
        (of("auth_required", "high"), of("model_unavailable", "high"), Some((Effect::Code, Group::Code))),
        (of("auth_required", "high"), of("auth_required", "medium"), Some((Effect::Confidence, Group::Confidence))),
        (of("auth_required", "high"), of("auth_required", "high"), None),
    ] {
        let state = |rule_of: &Option<(String, String)>| {
            let busy = rule_of.as_ref().map(|(code, confidence)| rule("busy.v1", code, confidence, "gateway busy", ""));
            State::new(std::iter::once(anchor()).chain(busy).collect())
        };
        let diff = diff(&state(&before).side(), &state(&after).side(), &[line(text)], now());
        let got =
            diff.changes.iter().find(|change| change.input.name == "e1").map(|change| (change.effect, change.group));
        if got != expected {
            wrong.push(format!("{before:?} to {after:?}: expected {expected:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn another_rule_with_the_same_answer_is_the_least_change_and_the_worst_comes_first() {
    let before = State::new(vec![
        anchor(),
        rule("a.v1", "auth_required", "high", "badge refused", ""),
        rule("b.v1", "quota_limited", "high", "pool empty", ""),
        rule("c.v1", "provider_overloaded", "high", "too busy", ""),
    ]);
    let after = State::new(vec![
        anchor(),
        rule("z.v1", "auth_required", "high", "badge refused", ""),
        rule("b.v1", "provider_overloaded", "high", "pool empty", ""),
        rule("c.v1", "quota_limited", "high", "too busy", ""),
    ]);
    let evidence = ["badge refused", "pool empty", "too busy"].map(|text| line(&format!("API Error: {text}")));
    let diff = diff(&before.side(), &after.side(), &evidence, now());
    let groups: Vec<Group> = diff.changes.iter().map(|change| change.group).collect();
    let mut sorted = groups.clone();
    sorted.sort();
    assert_eq!(groups, sorted);
    assert_eq!(groups.first(), Some(&Group::Widened));
    assert_eq!(groups.last(), Some(&Group::Rule));
    assert_eq!(diff.catalogue.rules.added, ["z.v1"]);
    assert_eq!(diff.catalogue.rules.removed, ["a.v1"]);
    assert_eq!(diff.catalogue.rules.changed, ["b.v1", "c.v1"]);
    let gone = diff.changes.iter().any(|change| change.input.name == "a.v1/positive/1@base");
    assert!(gone, "a sample that only the base has is judged by both: {:#?}", diff.changes);
}

#[test]
fn a_chunk_that_counts_as_a_diagnostic_now_is_widened() {
    let before = State::new(vec![anchor()]);
    let after = State::new(vec![anchor(), rule("busy.v1", "provider_overloaded", "high", "gateway busy", "")]);
    let chunk = wire::parse(r#"{"id": "chunk", "text": "API Error: gateway busy"}"#).unwrap();
    let evidence = [EvidenceSource::Line { file: "e".into(), number: 1, line: chunk }];
    let diff = diff(&before.side(), &after.side(), &evidence, now());
    let change = diff.changes.iter().find(|change| change.input.name == "chunk").unwrap();
    assert_eq!(change.effect, Effect::Widened, "{change:#?}");
}

#[test]
fn collisions_and_rules_that_never_decide_are_named_when_they_are_new() {
    let busy = rule("busy.v1", "provider_overloaded", "high", "gateway busy", "");
    let before = State::new(vec![anchor(), busy.clone()]);
    let collides =
        State::new(vec![anchor(), busy.clone(), rule("other.v1", "model_capacity", "high", "gateway busy", "")]);
    let diff_of = |one: &State, other: &State| diff(&one.side(), &other.side(), &[], now());
    let found = diff_of(&before, &collides);
    assert_eq!(found.catalogue.collisions.len(), 1, "{:#?}", found.catalogue);
    assert!(found.is_broken());
    assert!(!diff_of(&collides, &collides).is_broken(), "what the base has already is not new");
    let shadowing = rule("strong.v1", "model_capacity", "high", "gateway busy", "outranks: [busy.v1]\n");
    let found = diff_of(&before, &State::new(vec![anchor(), busy, shadowing]));
    assert_eq!(found.catalogue.shadowed.len(), 1, "{:#?}", found.catalogue);
    assert!(!found.is_broken());
}

#[test]
fn edited_expectations_are_named_and_new_ones_are_not() {
    let fixture = include_str!("../../fixtures/litellm/matched.json");
    let path = "fixtures/litellm/matched.json";
    let read = |text: &str| FixtureFile::read(path, text.as_bytes(), Strictness::Strict).unwrap();
    let catalogue = Catalogue::embedded_copy();
    let mut before = State::new(vec![anchor()]);
    before.classifier = Classifier::new(catalogue);
    before.fixtures = vec![read(fixture)];
    let mut after = State::new(vec![anchor(), rule("busy.v1", "quota_limited", "high", "gateway busy", "")]);
    after.fixtures = vec![read(&fixture.replace("\"preResultSafe\": true", "\"preResultSafe\": false"))];
    after.matrix = Matrix::parse(
        "matrix.yaml",
        "agents: []\ngateways:\n  - {id: litellm, classifying: true}\ncases:\n  - {id: matched, required: all}\n",
    )
    .unwrap();
    let diff = diff(&before.side(), &after.side(), &[], now());
    let edits: Vec<_> =
        diff.edits.iter().map(|edit| (edit.file.as_str(), edit.field.as_str(), edit.before.as_str())).collect();
    assert!(edits.contains(&(path, "expect.preResultSafe", "true")), "{edits:#?}");
    assert!(edits.contains(&("matrix.yaml", "required", "litellm/queued")), "{edits:#?}");
    assert!(!edits.iter().any(|(_, _, before)| *before == "litellm/matched"), "{edits:#?}");

    let mut moved = rule("busy.v1", "provider_overloaded", "high", "gateway busy", "");
    let before = State::new(vec![anchor(), moved.clone()]);
    moved.1 = moved.1.replace(
        "    - text: 'all is well'\n      reason: 'nothing is wrong'\n",
        "    - text: 'API Error: gateway quiet'\n      reason: 'it is'\n",
    );
    let edits = super::diff(&before.side(), &State::new(vec![anchor(), moved]).side(), &[], now()).edits;
    let fields: Vec<_> = edits.iter().map(|edit| (edit.field.as_str(), edit.after.as_deref())).collect();
    assert_eq!(fields, [("samples.negative", None)], "{edits:#?}");
}

#[test]
fn the_same_state_on_both_sides_has_no_difference() {
    let mut state = State::new(vec![anchor()]);
    state.classifier = Classifier::new(Catalogue::embedded_copy());
    state.fixtures = vec![
        FixtureFile::read(
            "fixtures/litellm/matched.json",
            include_bytes!("../../fixtures/litellm/matched.json"),
            Strictness::Strict,
        )
        .unwrap(),
    ];
    let diff = diff(&state.side(), &state.side(), &[line("x")], now());
    assert!(diff.is_empty() && diff.inputs > 100, "{:#?}", diff.changes);
}

#[test]
fn a_fixture_is_judged_with_its_attempt() {
    let fixture = include_bytes!("../../fixtures/litellm/matched.json");
    let read = || vec![FixtureFile::read("fixtures/litellm/matched.json", fixture, Strictness::Strict).unwrap()];
    let mut before = State::new(vec![anchor()]);
    before.fixtures = read();
    let mut after = State::new(vec![anchor()]);
    after.classifier = Classifier::new(Catalogue::embedded_copy());
    after.fixtures = read();
    let diff = diff(&before.side(), &after.side(), &[], now());
    let change = diff.changes.iter().find(|change| change.input.kind == InputKind::Fixture).unwrap();
    assert_eq!(change.effect, Effect::Widened);
    assert_eq!(change.after.disposition, Some(Disposition::AutomaticRetry));
    assert_eq!(change.before.code, Some(Code::AgentRuntimeError));
}

#[test]
fn outputs_are_compared_by_id_by_turn_or_by_line() {
    let answer = |id: &str, code: &str, retry: bool| {
        format!(r#"{{"id":{id},"code":"{code}","confidence":"high","rule":"a.v1","auto_retry":{retry}}}"#)
    };
    let before = [
        answer("\"a\"", "quota_limited", false),
        answer("null", "auth_required", false),
        answer("7", "rate_limited", true),
        r#"{"file":"t.jsonl","turn":1,"code":null,"class":null,"disposition":null}"#.to_owned(),
        r#"{"id":"bad","error":{"code":"refrain::evidence::json"}}"#.to_owned(),
        answer("\"gone\"", "rate_limited", true),
    ];
    let after = [
        answer("\"a\"", "provider_overloaded", true),
        answer("null", "auth_required", false),
        answer("7", "rate_limited", true),
        r#"{"file":"t.jsonl","turn":1,"code":"network_unavailable","class":"transient","confidence":"high","disposition":"manual_recovery"}"#.to_owned(),
        r#"{"id":"bad","error":{"code":"refrain::evidence::json"}}"#.to_owned(),
    ];
    let parse = |lines: &[String]| Outputs::parse(&lines.join("\n")).unwrap();
    let diff = diff_outputs(&parse(&before), &parse(&after));
    let changes: Vec<_> = diff.changes.iter().map(|change| (change.input.name.as_str(), change.effect)).collect();
    assert_eq!(changes, [("a", Effect::Widened), ("t.jsonl turn 1", Effect::Class)]);
    assert_eq!(diff.inputs, 5);
    let unpaired: Vec<_> = diff.unpaired.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(unpaired, ["gone@base"]);
    assert_eq!(diff.changes[0].before.class, Some(Class::Hard), "a missing class follows from the code");
    assert_eq!(diff.changes[0].before.confidence, Some(Confidence::High));

    for (text, words) in [("{", "line 1"), ("{}", "it has no `code`"), ("\n{\"code\":\"new_word\"}", "line 2")] {
        let error = Outputs::parse(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

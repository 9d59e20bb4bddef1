//! One fixture of each kind through both layers, in process and over the real connection.

use jiff::Timestamp;
use refrain::acp::session::Knowledge;
use refrain::classify::Classifier;
use refrain::fixture::{Fixture, FixtureFile, Strictness};
use refrain::redact::Redactor;
use refrain::replay::{Direct, Exchange, Replayed, Setting, replay};
use serde_json::{Value, json};

const OVERLOADED: &str = "API Error: 529 Overloaded. This is a server-side issue, try again in a moment.";
const SERVER: &str = "API Error: 503 upstream connect error";

fn setting() -> Setting<'static> {
    let knowledge = Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() };
    Setting { knowledge, now: Timestamp::from_second(1_800_000_000).expect("a time") }
}

/// A document of one case, with what it expects.
fn fixture(case: &str, frames: &Value, expect: &Value) -> Fixture {
    let document = json!({
        "gateway": "litellm", "agentId": "claude-acp", "classifying": true, "case": case, "capture": "reconstructed",
        "source": "https://example.com/docs",
        "identity": {"sessionId": format!("litellm-{case}"), "executionId": "exec", "promptGeneration": 7},
        "frames": frames, "expect": expect,
    });
    let path = format!("fixtures/litellm/{case}.json");
    FixtureFile::read(&path, document.to_string().as_bytes(), Strictness::Strict).expect("a valid fixture").fixture
}

fn expect(events: &[&str], code: &str, recorded: &str, safe: bool) -> Value {
    json!({
        "events": events,
        "providerError": {"source": "acp_prompt", "rpcCode": -32603, "errorKind": "server_error", "providerId": "claude-acp"},
        "diagnosticCode": code, "recordedDiagnosticCode": recorded, "preResultSafe": safe,
    })
}

fn said(text: &str) -> Value {
    json!({"kind": "message_chunk", "role": "assistant", "text": text})
}

fn failed(message: &str) -> Value {
    json!({"kind": "prompt_error", "code": -32603, "message": message, "data": {"errorKind": "server_error"}})
}

/// One fixture of each case, with its frames' text in these tests' own words.
fn corpus() -> Vec<Fixture> {
    let wrapped = format!("Internal error: {OVERLOADED}");
    let marked = "message_chunk:diagnostic";
    let tool = json!({"kind": "tool_call", "toolCallId": "t", "title": "Look", "status": "pending"});
    let model_said =
        |text: &str| json!({"kind": "message_chunk", "role": "assistant", "text": text, "origin": "model"});
    vec![
        fixture(
            "matched",
            &json!([said(OVERLOADED), failed(&wrapped)]),
            &expect(&[marked, "error"], "provider_overloaded", "provider_overloaded", true),
        ),
        fixture(
            "queued",
            &json!([said(OVERLOADED), failed(&wrapped)]),
            &expect(&[marked, "error"], "provider_overloaded", "provider_overloaded", true),
        ),
        fixture(
            "mismatched",
            &json!([said(SERVER), failed(&wrapped)]),
            &expect(&[marked, "error"], "provider_overloaded", "provider_unavailable", false),
        ),
        fixture(
            "later-output",
            &json!([said(OVERLOADED), said("I will try another way."), failed(&wrapped)]),
            &expect(&[marked, "message_chunk", "error"], "provider_overloaded", "", false),
        ),
        fixture(
            "prose-matched",
            &json!([model_said(OVERLOADED), said(OVERLOADED), failed(&wrapped)]),
            &expect(&["message_chunk", "message_chunk", "error"], "provider_overloaded", "", false),
        ),
        fixture(
            "prose-tool",
            &json!([said(OVERLOADED), tool, failed(&wrapped)]),
            &expect(&[marked, "tool_call", "error"], "provider_overloaded", "provider_overloaded", false),
        ),
        fixture(
            "prose-output",
            &json!([said(OVERLOADED), said("One moment."), said(OVERLOADED), failed(&wrapped)]),
            &expect(&[marked, "message_chunk", marked, "error"], "provider_overloaded", "provider_overloaded", false),
        ),
    ]
}

fn replayed(fixture: &Fixture, exchange: &impl Exchange) -> Replayed {
    replay(fixture, exchange, setting()).expect("a playable script")
}

/// What differs from the expectation, case by case.
fn missed(exchange: &impl Exchange) -> Vec<String> {
    let replays = corpus().into_iter().map(|fixture| (replayed(&fixture, exchange), fixture));
    replays
        .filter(|(replayed, _)| !replayed.passed())
        .map(|(replayed, fixture)| format!("{:?}: {:#?}", fixture.cell, replayed.mismatches))
        .collect()
}

#[test]
fn every_case_is_observed_as_it_is_expected_on_both_layers() {
    let missed = missed(&Direct);
    assert!(missed.is_empty(), "\n{}", missed.join("\n"));
}

#[cfg(feature = "acp")]
#[test]
fn the_real_connection_observes_the_same() {
    use refrain::shell::link::Link;
    let mut wrong = missed(&Link::default());
    for fixture in corpus() {
        if replayed(&fixture, &Direct) != replayed(&fixture, &Link::default()) {
            wrong.push(format!("{:?}: direct and link differ", fixture.cell));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn replaying_in_any_order_gives_the_same_bytes() {
    let bytes = |fixture: &Fixture| serde_json::to_string(&replayed(fixture, &Direct)).expect("JSON");
    let mut backwards: Vec<_> = corpus().iter().rev().map(bytes).collect();
    backwards.reverse();
    let forwards: Vec<_> = corpus().iter().map(bytes).collect();
    assert_eq!(forwards, backwards);
    assert!(forwards[0].contains(r#""evidence":{"recorded_diagnostic_code":"provider_overloaded","pre_result_safe":true,"disposition":"automatic_retry"}"#), "{}", forwards[0]);
}

#[test]
fn each_wrong_expectation_is_a_mismatch_of_its_own_field() {
    let frames = json!([said(OVERLOADED), failed(&format!("Internal error: {OVERLOADED}"))]);
    let right = expect(&["message_chunk:diagnostic", "error"], "provider_overloaded", "provider_overloaded", true);
    let edits: [(&str, &str, Value); 8] = [
        ("events", "/events", json!(["message_chunk", "error"])),
        ("providerError.source", "/providerError/source", json!("acp_result")),
        ("providerError.rpcCode", "/providerError/rpcCode", json!(-32000)),
        ("providerError.errorKind", "/providerError/errorKind", json!("other")),
        ("providerError.providerId", "/providerError/providerId", json!("codex-acp")),
        ("diagnosticCode", "/diagnosticCode", json!("rate_limited")),
        ("recordedDiagnosticCode", "/recordedDiagnosticCode", json!("")),
        ("preResultSafe", "/preResultSafe", json!(false)),
    ];
    let mut wrong = Vec::new();
    for (field, pointer, value) in edits {
        let mut expect = right.clone();
        *expect.pointer_mut(pointer).expect("a field") = value;
        let mismatches = replayed(&fixture("matched", &frames, &expect), &Direct).mismatches;
        if mismatches.iter().map(|mismatch| mismatch.field).ne([field]) {
            wrong.push(format!("{field}: {mismatches:?}"));
        }
    }
    let mut modelled = right;
    modelled["providerError"]["modelId"] = json!("model-a");
    let mismatches = replayed(&fixture("matched", &frames, &modelled), &Direct).mismatches;
    if mismatches.iter().map(|mismatch| mismatch.field).ne(["providerError.modelId"]) {
        wrong.push(format!("modelId: {mismatches:?}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_timeline_says_what_each_layer_made_of_each_step() {
    let rows: Vec<String> = replayed(&corpus()[3], &Direct)
        .timeline
        .iter()
        .map(|step| format!("{} [{}]", step.token.map_or("-", |token| token.as_str()), step.notes.join("; ")))
        .collect();
    let terminal = rows.last().cloned().unwrap_or_default();
    assert_eq!(
        rows[..2],
        [
            "message_chunk:diagnostic [diagnostic = provider_overloaded, text kept]",
            "message_chunk [diagnostic cleared; output seen]",
        ]
    );
    assert!(terminal.starts_with("error [terminal = provider_overloaded (high, rule "), "{terminal}");
    assert!(terminal.ends_with("output: yes; effect: no]"), "{terminal}");
}

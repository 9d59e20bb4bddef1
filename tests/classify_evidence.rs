//! Which signal speaks, what refines what, what vetoes, and what a line of JSON says about it.
#![expect(clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use refrain::classify::{Classifier, wire};
use refrain::evidence::wire as evidence_wire;
use serde_json::{Value, json};

fn verdict(signals: &Value, provider: Option<&str>, phase: &str) -> Value {
    let mut line = json!({"id": "x", "phase": phase, "now": "2026-11-30T12:00:00Z", "signals": signals});
    if let Some(provider) = provider {
        line["provider"] = provider.into();
    }
    let parsed = evidence_wire::parse(&line.to_string()).unwrap();
    let classification = Classifier::embedded().classify(&parsed.evidence, parsed.now.unwrap());
    let mut out = Vec::new();
    wire::write(&mut out, parsed.id.as_ref(), &classification);
    serde_json::from_slice(&out).unwrap()
}

/// Signals, then what the verdict must hold.
type Row = (&'static str, Value, &'static [(&'static str, &'static str)]);

fn error(message: &str) -> Value {
    json!({"kind": "prompt_error", "code": -32603, "message": message})
}

fn http(status: u16) -> Value {
    json!({"kind": "http", "status": status})
}

#[test]
fn the_order_of_authority_holds() {
    let chunk = |text: &str| json!({"kind": "message_chunk", "text": text});
    let stderr = |text: &str| json!({"kind": "stderr", "text": text});
    let rows: Vec<Row> = vec![
        (
            "a status alone",
            json!([http(503)]),
            &[("code", "provider_unavailable"), ("confidence", "high"), ("auto_retry", "true")],
        ),
        ("403 alone says nothing", json!([http(403)]), &[("code", "agent_runtime_error"), ("class", "unclassified")]),
        ("a throttle without a hint", json!([http(429)]), &[("code", "rate_limited"), ("auto_retry", "false")]),
        (
            "a throttle with a short hint",
            json!([{"kind": "http", "status": 429, "headers": {"retry-after": "20"}}]),
            &[
                ("code", "rate_limited"),
                ("auto_retry", "true"),
                ("retry_after_ms", "20000"),
                ("reset_at", "\"2026-11-30T12:00:20Z\""),
            ],
        ),
        (
            "a throttle with a hint of hours",
            json!([{"kind": "http", "status": 429, "headers": {"retry-after": "7200"}}]),
            &[("code", "quota_limited"), ("rule", "timing.long_reset.rate_limited.v1"), ("auto_retry", "false")],
        ),
        (
            "a hint of exactly an hour",
            json!([{"kind": "http", "status": 429, "headers": {"retry-after": "3600"}}]),
            &[("code", "quota_limited"), ("rule", "timing.long_reset.rate_limited.v1")],
        ),
        (
            "a hint of nearly an hour",
            json!([{"kind": "http", "status": 429, "headers": {"retry-after": "3599"}}]),
            &[("code", "rate_limited"), ("rule", "http.429.rate_limited.v1"), ("auto_retry", "false")],
        ),
        (
            "a text that puts a status of its own code in doubt",
            json!([http(429), error("No deployments available for selected model, Try again in 60 seconds.")]),
            &[("rule", "litellm.no_deployments.v1"), ("confidence", "medium"), ("auto_retry", "false")],
        ),
        (
            "429 with a quota text",
            json!([http(429), error("You exceeded your current quota, please check your plan and billing details.")]),
            &[("code", "quota_limited")],
        ),
        (
            "400 with a billing text",
            json!([http(400), error("Your credit balance is too low")]),
            &[("code", "quota_limited")],
        ),
        (
            "a hard text in a transient status",
            json!([http(503), error("status 503: invalid model")]),
            &[("code", "model_unavailable")],
        ),
        (
            "a hard signature in a transient envelope",
            json!([error("API Error: 502 Upstream refused the credential for account \"x\" (403).")]),
            &[("code", "auth_required"), ("user_action", "true")],
        ),
        (
            "a refused request behind a 5xx",
            json!([http(500), error(r#"{"error":{"message":"Unsupported value","type":"invalid_request_error"}}"#)]),
            &[("code", "agent_runtime_error"), ("auto_retry", "false")],
        ),
        (
            "a machine without memory behind a 5xx",
            json!([http(500), error("model requires more system memory (2.7 GiB) than is available (2.3 GiB)")]),
            &[("code", "agent_runtime_error"), ("auto_retry", "false")],
        ),
        (
            "a gateway without a credential behind a 5xx",
            json!([http(503), error("auth_unavailable: no auth available (providers=codex, model=x)")]),
            &[("code", "missing_credentials"), ("auto_retry", "false")],
        ),
        (
            "a guess does not refine a status",
            json!([http(503), error("Your login for this workspace was rejected")]),
            &[("code", "provider_unavailable"), ("auto_retry", "true")],
        ),
        (
            "a guess is never sure",
            json!([error("The internet link seems to be down")]),
            &[("code", "network_unavailable"), ("confidence", "medium"), ("auto_retry", "false")],
        ),
        (
            "a helper of the agent is not the provider",
            json!([error("MCP server \"x\" returned 503 Service Unavailable")]),
            &[("code", "agent_runtime_error"), ("auto_retry", "false")],
        ),
        (
            "a status says nothing about a helper",
            json!([http(503), error("Tool execution failed: 503 Service Unavailable")]),
            &[("code", "agent_runtime_error"), ("auto_retry", "false")],
        ),
        (
            "a helper on stderr is not the provider",
            json!([stderr("WARN  telemetry export failed: connection refused (127.0.0.1:4318)"), {"kind": "exit", "code": 1}]),
            &[("code", "agent_runtime_error"), ("auto_retry", "false")],
        ),
        (
            "a transient text does not refine a hard status",
            json!([http(401), error("Overloaded")]),
            &[("code", "auth_required")],
        ),
        (
            "a bare number is no signature",
            json!([error("error on line 529")]),
            &[("code", "agent_runtime_error"), ("rule", "null")],
        ),
        (
            "the terminal speaks, not the chunk",
            json!([chunk("API Error: 529 Overloaded"), error("Internal error")]),
            &[("code", "agent_runtime_error")],
        ),
        (
            "the terminal speaks, not stderr",
            json!([stderr("peer disconnected before response"), error("Internal error")]),
            &[("code", "agent_runtime_error")],
        ),
        (
            "metadata decides nothing",
            json!([{"kind": "prompt_error", "message": "Internal error", "data": {"errorKind": "rate_limit"}}]),
            &[("code", "agent_runtime_error")],
        ),
        (
            "stderr speaks without a terminal",
            json!([stderr("peer disconnected before response")]),
            &[("code", "agent_transport_lost"), ("fallback", "false"), ("auto_retry", "true")],
        ),
        ("an exit code speaks", json!([{"kind": "exit", "code": 127}]), &[("code", "provider_not_configured")]),
        ("an exit code of another agent", json!([{"kind": "exit", "code": 41}]), &[("code", "agent_runtime_error")]),
        ("exit 1 says nothing", json!([{"kind": "exit", "code": 1}]), &[("code", "agent_runtime_error")]),
        (
            "tool output is no evidence",
            json!([{"kind": "tool_output", "text": "API Error: 529 Overloaded"}]),
            &[("code", "agent_runtime_error")],
        ),
        (
            "a chunk alone is a candidate",
            json!([chunk("API Error: 529 Overloaded")]),
            &[("code", "provider_overloaded"), ("fallback", "true"), ("auto_retry", "false")],
        ),
        (
            "a failure in a result's meta",
            json!([{"kind": "prompt_result", "stop_reason": "end_turn", "meta": {"error": {"message": "Overloaded"}}}]),
            &[("code", "provider_overloaded")],
        ),
        (
            "a refusal",
            json!([{"kind": "prompt_result", "stop_reason": "refusal"}]),
            &[("code", "content_refused"), ("confidence", "medium")],
        ),
        (
            "cancellation vetoes",
            json!([error("context canceled: peer disconnected before response")]),
            &[("code", "agent_runtime_error"), ("vetoed", "[\"acp.transport_lost.v1\"]")],
        ),
        (
            "cancellation vetoes a status too",
            json!([http(503), error("The operation was aborted")]),
            &[("code", "agent_runtime_error")],
        ),
        (
            "the agent's own retry is telemetry",
            json!([error("API Error (529 {\"type\":\"overloaded_error\"}) · Retrying in 4 seconds… (attempt 4/10)")]),
            &[("code", "provider_overloaded"), ("confidence", "medium"), ("auto_retry", "false")],
        ),
        (
            "not trusted certificates do not pass",
            json!([error("API Error: Unable to connect to API (SELF_SIGNED_CERT_IN_CHAIN)")]),
            &[("code", "tls_untrusted"), ("auto_retry", "false")],
        ),
        (
            "background requests do not count",
            json!([stderr("level=ERROR small=true agent=title error=\"Rate limit exceeded\"")]),
            &[("code", "agent_runtime_error")],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, signals, expected) in rows {
        let got = verdict(&signals, None, "prompt_send");
        for (key, value) in expected {
            let want = serde_json::from_str(value).unwrap_or_else(|_| Value::from(*value));
            if got[*key] != want {
                wrong.push(format!("{name}: {key} is {}, expected {want}; {got}", got[*key]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_fallback_follows_the_phase() {
    for (phase, code) in [
        ("auth_check", "unknown_provider_error"),
        ("process_start", "unknown_provider_error"),
        ("session_init", "unknown_provider_error"),
        ("prompt_send", "agent_runtime_error"),
        ("streaming", "agent_runtime_error"),
        ("tool_execution", "agent_runtime_error"),
        ("shutdown", "agent_runtime_error"),
    ] {
        let got = verdict(&json!([error("unexpected glitch")]), None, phase);
        assert_eq!((got["code"].as_str(), got["confidence"].as_str()), (Some(code), Some("low")), "{phase}");
    }
}

#[test]
fn the_line_has_its_fields_in_order() {
    let parsed = evidence_wire::parse(r#"{"id":"r1","text":"API Error: 529 Overloaded"}"#).unwrap();
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    let mut out = Vec::new();
    wire::write(&mut out, parsed.id.as_ref(), &Classifier::embedded().classify(&parsed.evidence, now));
    let line = String::from_utf8(out).unwrap();
    let fields = [
        "id",
        "code",
        "class",
        "confidence",
        "scope",
        "rule",
        "catalogue",
        "auto_retry",
        "fallback",
        "user_action",
        "retry_after_ms",
        "reset_at",
        "remediation",
        "safe_excerpt",
        "outranked",
        "vetoed",
    ];
    let places: Vec<usize> = fields.iter().map(|field| line.find(&format!("\"{field}\":")).unwrap()).collect();
    assert!(places.is_sorted() && line.ends_with("}\n"), "{line}");
}

#[test]
fn no_answer_shows_a_secret() {
    let secret = format!("sk-ant-{}-{}", "api03", "Zx9".repeat(12));
    let got = verdict(
        &json!([error(&format!("invalid api key {secret} at https://user:pw@example.com/a?key=b"))]),
        None,
        "prompt_send",
    );
    assert!(!got.to_string().contains(&secret) && !got.to_string().contains("pw@"), "{got}");
    assert_eq!(got["code"], "auth_required");
}

proptest! {
    #[test]
    fn any_text_gets_one_answer_that_is_the_same_again(text in "\\PC{0,200}|(Error: |API |5\\d\\d|rate limit|quota|[{}\":,\\\\] ?){0,30}") {
        let signals = json!([error(&text), http(503)]);
        let first = verdict(&signals, Some("claude-acp"), "streaming");
        prop_assert_eq!(&first, &verdict(&signals, Some("claude-acp"), "streaming"));
        // What is not transient never says that it may be retried.
        prop_assert!(first["class"] == "transient" || first["auto_retry"] == false);
    }

    #[test]
    fn any_line_is_parsed_or_refused(line in "\\PC{0,80}|\\{(\"(id|text|signals|kind|now)\":|\\[|\\]|\\{|\\}|\"[a-z]{0,9}\"|,|[0-9]{1,4}){0,20}") {
        let _ = evidence_wire::parse(&line);
    }
}

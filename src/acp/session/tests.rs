//! Sequences of updates and what they become.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::text::contains_normalized;
use crate::vocab::{ExecutionId, SessionId};

const OVERLOADED: &str = "API Error: 529 Overloaded. This is a server-side issue, try again in a moment.";
const STALLED: &str = "Error: RetriableError: [unavailable] PING timed out";

fn knowledge() -> Knowledge<'static> {
    Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() }
}

fn invocation(number: u64) -> Invocation {
    Invocation {
        session: SessionId::new("session").unwrap(),
        execution: ExecutionId::new("execution").unwrap(),
        generation: Generation::new(number).unwrap(),
    }
}

fn session(agent: &str) -> Session<'static> {
    Session::new(knowledge(), Some(AgentId::new(agent).unwrap()))
}

fn said(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

fn said_as(text: &str, id: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}, "messageId": id})
}

fn thought(text: &str, id: &str) -> Value {
    json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": text}, "messageId": id})
}

fn usage() -> Value {
    json!({"sessionUpdate": "usage_update", "used": 1, "_meta": {"_claude/model": "model-a"}})
}

fn tool(kind: &str) -> Value {
    json!({"sessionUpdate": kind, "toolCallId": "t", "status": "pending", "title": "x"})
}

fn info(meta: Value) -> Value {
    json!({"sessionUpdate": "session_info_update", "title": "t", "_meta": meta})
}

fn retry(will: Value, codex_info: Value) -> Value {
    info(json!({"codex": {"error": {"message": "Reconnecting", "willRetry": will, "codexErrorInfo": codex_info}}}))
}

fn status(word: &str) -> Value {
    info(json!({"codex": {"threadStatus": {"type": word}}}))
}

fn failed(message: &str) -> Outcome {
    Outcome::Error(RpcError { code: -32603, message: message.to_owned(), data: None })
}

fn ended(stop_reason: &str) -> Outcome {
    Outcome::Result(json!({"stopReason": stop_reason}))
}

fn noticed(title: &str) -> Outcome {
    let notice = json!({"version": 1, "sessionFailure": {"title": title, "severity": "error", "category": "service"}});
    Outcome::Result(json!({"stopReason": "end_turn", "_meta": {"jetbrains": {"air": notice}}}))
}

/// Tokens of the whole prompt; a failure also names its source.
fn played(agent: &str, updates: &[Value], outcome: Outcome) -> String {
    let mut session = session(agent);
    let mut events = session.begin(invocation(7));
    events.extend(updates.iter().flat_map(|update| session.update(update)));
    events.extend(session.settle(invocation(7).generation, outcome));
    let words = events.iter().filter_map(|event| {
        let token = event.token()?;
        Some(match &event.kind {
            EventKind::Failure(error) => format!("{token}({})", error.source),
            _ => token.to_string(),
        })
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Runs a table and shows every wrong row.
fn check(rows: &[(&str, Vec<Value>, Outcome, &str)]) {
    let wrong: Vec<_> = rows
        .iter()
        .map(|(agent, updates, outcome, expected)| (agent, updates, expected, played(agent, updates, outcome.clone())))
        .filter(|(_, _, expected, got)| got != *expected)
        .map(|(agent, updates, expected, got)| format!("{agent} {updates:?}\n  expected {expected}\n  got      {got}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_marker_needs_the_text_and_no_sign_of_the_model() {
    let uuid = "00000000-0000-4000-8000-000000000001";
    let fail = || failed(OVERLOADED);
    check(&[
        ("some-agent", vec![said(OVERLOADED)], fail(), "message_chunk:diagnostic error(acp_prompt)"),
        ("some-agent", vec![said_as(OVERLOADED, "msg_1")], fail(), "message_chunk:diagnostic error(acp_prompt)"),
        ("some-agent", vec![said("Let me look at 529 files.")], fail(), "message_chunk error(acp_prompt)"),
        ("some-agent", vec![said("")], fail(), "message_chunk error(acp_prompt)"),
        ("claude-acp", vec![said(OVERLOADED)], fail(), "message_chunk:diagnostic error(acp_prompt)"),
        ("claude-acp", vec![said_as(OVERLOADED, uuid)], fail(), "message_chunk:diagnostic error(acp_prompt)"),
        ("claude-acp", vec![said_as(OVERLOADED, "msg_1")], fail(), "message_chunk error(acp_prompt)"),
        ("claude-acp", vec![usage(), said_as(OVERLOADED, uuid)], fail(), "message_chunk error(acp_prompt)"),
        (
            "claude-acp",
            vec![said_as("Hello", "msg_1"), said_as(OVERLOADED, uuid)],
            fail(),
            "message_chunk message_chunk error(acp_prompt)",
        ),
        (
            "claude-acp",
            vec![thought("hm", "msg_1"), said_as(OVERLOADED, uuid)],
            fail(),
            "thought_chunk message_chunk error(acp_prompt)",
        ),
        (
            "claude-acp",
            vec![said_as(OVERLOADED, uuid), usage(), tool("tool_call")],
            fail(),
            "message_chunk:diagnostic tool_call error(acp_prompt)",
        ),
    ]);
}

#[test]
fn a_sign_of_the_model_ends_with_its_prompt() {
    let mut session = session("claude-acp");
    session.begin(invocation(1));
    session.update(&usage());
    session.settle(invocation(1).generation, ended("end_turn"));
    session.begin(invocation(2));
    let token = session.update(&said(OVERLOADED))[0].token();
    assert_eq!(token, Some(crate::vocab::Token::MessageChunkDiagnostic));
}

#[test]
fn a_control_frame_is_suppressed_and_fails_the_turn_unless_generation_goes_on() {
    let end = || ended("end_turn");
    check(&[
        ("cursor-acp", vec![said(STALLED)], end(), "error(cursor_acp)"),
        ("cursor-acp", vec![said(STALLED), said(STALLED)], end(), "error(cursor_acp)"),
        ("cursor-acp", vec![said(STALLED), said("Hello")], end(), "message_chunk complete"),
        ("cursor-acp", vec![said(STALLED), thought("hm", "x")], end(), "thought_chunk complete"),
        ("cursor-acp", vec![said(STALLED), tool("tool_call")], end(), "tool_call complete"),
        // An update of a running tool is no sign of renewed generation.
        ("cursor-acp", vec![said(STALLED), tool("tool_call_update")], end(), "tool_update error(cursor_acp)"),
        ("cursor-acp", vec![said(STALLED), said(" ")], end(), "message_chunk error(cursor_acp)"),
        ("cursor-acp", vec![said(STALLED), said("Hello"), said(STALLED)], end(), "message_chunk error(cursor_acp)"),
        ("cursor-acp", vec![said(&format!("Note: {STALLED}"))], end(), "message_chunk complete"),
        ("cursor-acp", vec![thought(STALLED, "x")], end(), "thought_chunk complete"),
        ("cursor-acp", vec![said(STALLED)], ended("cancelled"), "complete"),
        // The terminal speaks.
        ("cursor-acp", vec![said(STALLED)], failed("Internal error"), "error(acp_prompt)"),
        ("some-agent", vec![said(STALLED)], end(), "message_chunk complete"),
    ]);
}

#[test]
fn a_control_frame_outside_the_active_generation_is_ordinary_output() {
    let mut session = session("cursor-acp");
    assert_eq!(session.update(&said(STALLED)).len(), 1, "before the first prompt");
    session.begin(invocation(1));
    assert_eq!(session.update(&said(STALLED)).len(), 0, "in the active prompt");
    session.settle(invocation(1).generation, ended("end_turn"));
    assert_eq!(session.update(&said(STALLED)).len(), 1, "after its end");
    session.begin(invocation(2));
    session.begin(invocation(3));
    assert_eq!(session.update(&said(STALLED)).len(), 1, "while two prompts are unanswered");
}

#[test]
fn a_retry_boundary_needs_both_proofs_of_the_supported_agent() {
    let end = || ended("end_turn");
    let disconnected = || json!({"responseStreamDisconnected": {"httpStatusCode": 529}});
    let body = json!({"sessionUpdate": "session_info_update", "codex": {"error": {"willRetry": true, "codexErrorInfo": disconnected()}}});
    check(&[
        ("codex-acp", vec![retry(json!(true), disconnected())], end(), "response_attempt_reset complete"),
        ("codex-acp", vec![body], end(), "response_attempt_reset complete"),
        ("codex-acp", vec![retry(json!(false), disconnected())], end(), "complete"),
        ("codex-acp", vec![retry(json!("true"), disconnected())], end(), "complete"),
        ("codex-acp", vec![retry(json!(1), disconnected())], end(), "complete"),
        ("codex-acp", vec![retry(json!(true), json!({"responseStreamDisconnected": true}))], end(), "complete"),
        ("codex-acp", vec![retry(json!(true), json!("responseStreamDisconnected"))], end(), "complete"),
        ("codex-acp", vec![retry(json!(true), json!({"other": {}}))], end(), "complete"),
        ("claude-acp", vec![retry(json!(true), disconnected())], end(), "complete"),
        (
            "codex-acp",
            vec![said("a"), retry(json!(true), disconnected()), said("b"), retry(json!(true), disconnected())],
            end(),
            "message_chunk response_attempt_reset message_chunk response_attempt_reset complete",
        ),
    ]);
    let mut session = session("codex-acp");
    let boundary = retry(json!(true), disconnected());
    let tokens = |events: Vec<Event>| events.iter().filter_map(Event::token).count();
    assert_eq!(tokens(session.update(&boundary)), 0, "before the first prompt");
    session.begin(invocation(1));
    let events = session.update(&boundary);
    assert!(events.iter().any(|event| event.kind == EventKind::SessionInfo), "the title survives: {events:?}");
    session.settle(invocation(1).generation, ended("end_turn"));
    assert_eq!(tokens(session.update(&boundary)), 0, "after its end");
}

#[test]
fn a_failure_that_arrives_as_success_is_projected_by_the_dialect_alone() {
    let capacity = "Selected model is at capacity. Please try a different model.\n\n";
    let diagnosed = |agent: &str, updates: &[Value], outcome| {
        let played = played(agent, updates, outcome);
        played.split(' ').next_back().unwrap_or_default().to_owned()
    };
    let broken = || vec![status("systemError"), said(capacity)];
    let rows = [
        ("codex-acp", broken(), ended("end_turn"), "error(acp_result)"),
        ("codex-acp", vec![status("systemError")], ended("end_turn"), "complete"),
        ("codex-acp", vec![status("systemError"), said_as(capacity, "msg_1")], ended("end_turn"), "complete"),
        ("codex-acp", vec![said(capacity)], ended("end_turn"), "complete"),
        ("codex-acp", vec![status("systemError"), status("active"), said(capacity)], ended("end_turn"), "complete"),
        ("codex-acp", broken(), ended("cancelled"), "complete"),
        ("codex-acp", broken(), failed("Internal error"), "error(acp_prompt)"),
        ("codex-acp", vec![], noticed(capacity), "error(acp_result)"),
        ("claude-acp", vec![], noticed(OVERLOADED), "error(acp_result)"),
        ("some-agent", vec![], noticed(OVERLOADED), "complete"),
        ("some-agent", broken(), ended("end_turn"), "complete"),
    ];
    let wrong: Vec<_> = rows
        .into_iter()
        .map(|(agent, updates, outcome, expected)| (agent, diagnosed(agent, &updates, outcome), expected, updates))
        .filter(|(_, got, expected, _)| got != expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn while_two_prompts_are_unanswered_both_are_told() {
    let mut session = session("some-agent");
    assert!(session.begin(invocation(1)).is_empty());
    let told: Vec<_> = session.begin(invocation(2)).into_iter().map(|event| (event.invocation, event.kind)).collect();
    assert_eq!(told, [(Some(invocation(1)), EventKind::Overlap), (Some(invocation(2)), EventKind::Overlap)]);
    let ended = session.settle(invocation(1).generation, ended("end_turn")).unwrap();
    assert_eq!(ended.invocation, Some(invocation(1)));
    assert_eq!(session.update(&said("a"))[0].invocation, Some(invocation(2)));
    assert!(session.settle(invocation(1).generation, failed("late")).is_none(), "an answer is counted once");
    assert!(session.begin(invocation(3)).len() == 2, "the second prompt is still unanswered");
}

#[test]
fn a_second_prompt_does_not_lose_a_suppressed_frame() {
    let mut session = session("cursor-acp");
    session.begin(invocation(1));
    assert!(session.update(&said(STALLED)).is_empty());
    session.begin(invocation(2));
    let first = session.settle(invocation(1).generation, ended("end_turn")).map(|event| event.kind);
    assert!(matches!(first, Some(EventKind::Failure(_))), "{first:?}");
    let second = session.settle(invocation(2).generation, ended("end_turn")).map(|event| event.kind);
    assert!(matches!(second, Some(EventKind::Complete { .. })), "exactly one failure: {second:?}");
}

fn projected(session: &mut Session<'_>, outcome: Outcome) -> ProviderError {
    match session.settle(invocation(7).generation, outcome).map(|event| event.kind) {
        Some(EventKind::Failure(error)) => error,
        other => panic!("expected a failure, got {other:?}"),
    }
}

#[test]
fn the_projection_carries_the_model_that_was_published_before_it() {
    let config = |model: &str| json!({"sessionUpdate": "config_option_update", "configOptions": [{"category": "model", "currentValue": model}]});
    let response = json!({"sessionId": "session", "models": {"currentModelId": "first"}});
    let rows: [(&[Value], Option<&Value>, Option<&str>); 5] = [
        (&[], None, None),
        (&[], Some(&response), Some("first")),
        (&[config("second")], Some(&response), Some("second")),
        (&[config("second"), config("")], Some(&response), Some("second")),
        (&[usage()], None, None),
    ];
    for (updates, response, expected) in rows {
        let mut session = session("some-agent");
        if let Some(response) = response {
            session.response(response);
        }
        session.begin(invocation(7));
        for update in updates {
            session.update(update);
        }
        let error = projected(&mut session, failed("boom"));
        session.update(&config("later"));
        assert_eq!(error.model.as_ref().map(ModelId::as_str), expected, "{updates:?} {response:?}");
    }
}

#[test]
fn nothing_but_the_allowlist_crosses_the_boundary() {
    let secret = ["classified", "-", "payload"].concat();
    let data = json!({"errorKind": "server_error", "details": secret, "nested": {"message": secret}});
    for data in [data.clone(), json!([data.clone()]), json!(secret), json!({"errorKind": secret.repeat(9)})] {
        let mut session = session("some-agent");
        session.begin(invocation(7));
        let outcome = Outcome::Error(RpcError { code: 0, message: "boom".into(), data: Some(data.clone()) });
        let error = projected(&mut session, outcome);
        assert!(!format!("{error:?}").contains(&secret), "{data}: {error:?}");
        assert_eq!((error.rpc_code, error.source), (0, ErrorSource::AcpPrompt));
    }
}

#[test]
fn one_generation_has_one_scope_so_that_containment_survives() {
    let host = |name: &str| format!("API Error: 503 upstream connect error, check https://{name}.example.com/v1/x?y=1");
    let mut session = session("some-agent");
    session.begin(invocation(7));
    let events = session.update(&said(&host("first")));
    let EventKind::AssistantChunk { marker: Some(marker), .. } = &events[0].kind else {
        panic!("expected a marked chunk, got {events:?}");
    };
    let error = projected(&mut session, failed(&format!("Internal error: {}", host("first"))));
    assert!(contains_normalized(error.message.as_str(), marker.text().as_str()), "{error:?} {marker:?}");
}

#[test]
fn requests_of_the_agent_and_unreadable_lines_count_when_they_may_hide_something() {
    let mut session = session("some-agent");
    session.begin(invocation(7));
    let implied = |event: Event| match event.kind {
        EventKind::Other { implies, .. } => implies,
        _ => None,
    };
    for (method, expected) in [
        ("session/request_permission", Some(Implies::Effect)),
        ("fs/write_text_file", Some(Implies::Effect)),
        ("terminal/create", Some(Implies::Effect)),
        ("_vendor/ping", None),
    ] {
        assert_eq!(implied(session.agent_request(method)), expected, "{method}");
    }
    for (defect, expected) in [
        (Defect::NotJson, None),
        (Defect::Blank, None),
        (Defect::DuplicateKey, Some(Implies::Output)),
        (Defect::Batch, Some(Implies::Output)),
    ] {
        assert_eq!(implied(session.malformed(defect)), expected, "{defect:?}");
    }
}

#[test]
fn the_last_lines_of_stderr_are_kept_whole() {
    let long = "x".repeat(STDERR_LIMIT_BYTES);
    for (stderr, expected) in [
        ("", ""),
        ("a\nb\n", "a\nb\n"),
        (&format!("{long}\nlast"), "last"),
        (&format!("first\n{long}y"), &format!("{long}y")),
    ] {
        assert_eq!(last_lines(stderr), expected, "of {} bytes", stderr.len());
    }
}

proptest! {
    /// Streaming carries the marker; text alone never makes one for a chunk the model is known to have written.
    #[test]
    fn model_text_is_never_a_candidate(text in "\\PC{0,60}") {
        let mut session = session("claude-acp");
        session.begin(invocation(7));
        for text in [text.as_str(), OVERLOADED, STALLED] {
            let events = session.update(&said_as(text, "msg_1"));
            let marked = matches!(events[0].kind, EventKind::AssistantChunk { marker: Some(_), .. });
            prop_assert!(!marked, "{events:?}");
        }
    }
}

//! Whole connections and what they become.

use serde_json::json;

use super::*;
use crate::classify::Classifier;
use crate::redact::Redactor;

fn agent_named(name: &str) -> Option<AgentId> {
    AgentId::new(name.rsplit('/').next()?).ok()
}

fn dialogue() -> Dialogue<'static> {
    let knowledge = Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() };
    Dialogue::new(knowledge, &agent_named, ExecutionId::new("execution").unwrap())
}

/// Plays lines: `>` from the client, `<` from the agent, `x` the agent is gone. Shows events as `session#n:word`.
fn played(dialogue: &mut Dialogue<'_>, lines: &[(char, Value)]) -> String {
    let mut shown = Vec::new();
    for (direction, value) in lines {
        let frame = frame::decode(value.to_string().as_bytes());
        let events = match direction {
            '>' => dialogue.to_agent(&frame),
            '<' => dialogue.to_client(&frame),
            _ => dialogue.gone(&Departure { signal: Some(9), ..Departure::default() }),
        };
        shown.extend(events.into_iter().map(|event| {
            let whose = event.invocation.map_or_else(|| "-".into(), |i| format!("{}#{}", i.session, i.generation));
            let word = match &event.kind {
                EventKind::Overlap => "overlap".into(),
                EventKind::Other { name, implies } => format!("{name}{}", if implies.is_some() { "!" } else { "" }),
                EventKind::Failure(error) => format!("error({})", error.source),
                EventKind::Complete { .. } => "complete".into(),
                EventKind::AssistantChunk { .. } => "chunk".into(),
                other => format!("{other:?}"),
            };
            format!("{whose}:{word}")
        }));
    }
    shown.join(" ")
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn result(id: u64, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn refused(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "boom"}})
}

fn prompt(id: u64, session: &str) -> (char, Value) {
    ('>', request(id, "session/prompt", json!({"sessionId": session, "prompt": []})))
}

fn said(session: &str) -> (char, Value) {
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}});
    ('<', json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}))
}

/// A name, lines, and the events they give.
type Row = (&'static str, Vec<(char, Value)>, &'static str);

#[test]
fn each_connection_gives_its_events() {
    let ended = || json!({"stopReason": "end_turn"});
    let asks = json!({"jsonrpc": "2.0", "id": 0, "method": "session/request_permission", "params": {"sessionId": "a"}});
    let rows: Vec<Row> = vec![
        (
            "two turns",
            vec![prompt(1, "a"), said("a"), ('<', result(1, ended())), prompt(2, "a"), ('<', refused(2))],
            "a#1:chunk a#1:complete a#2:error(acp_prompt)",
        ),
        (
            "two in flight",
            vec![prompt(1, "a"), prompt(2, "a"), ('<', refused(1)), ('<', refused(2))],
            "a#1:overlap a#2:overlap a#1:error(acp_prompt) a#2:error(acp_prompt)",
        ),
        (
            "two sessions",
            vec![prompt(1, "a"), prompt(2, "b"), said("b"), ('<', refused(1)), said("a")],
            "b#1:chunk a#1:error(acp_prompt) a#1:chunk",
        ),
        ("answered twice", vec![prompt(1, "a"), ('<', refused(1)), ('<', refused(1))], "a#1:error(acp_prompt)"),
        ("answer to nothing", vec![prompt(1, "a"), ('<', refused(9))], ""),
        ("gone", vec![prompt(1, "a"), said("a"), ('x', json!(null))], "a#1:chunk a#1:error(acp_connection)"),
        ("gone and answered", vec![prompt(1, "a"), ('<', refused(1)), ('x', json!(null))], "a#1:error(acp_prompt)"),
        (
            "never initialized",
            vec![('>', request(1, "initialize", json!({}))), ('x', json!(null))],
            "-:error(acp_connection)",
        ),
        ("no session", vec![('>', request(1, "session/new", json!({}))), ('<', refused(1))], "-:error(acp_prompt)"),
        ("before the first prompt", vec![said("a"), prompt(1, "a")], "-:chunk"),
        ("a question", vec![prompt(1, "a"), ('<', asks)], "a#1:session/request_permission!"),
        ("unreadable", vec![prompt(1, "a"), ('<', json!([1]))], "a#1:batch!"),
        (
            "update without a session",
            vec![prompt(1, "a"), ('<', json!({"method": "session/update", "params": {"update": {}}}))],
            "a#1:not_json_rpc!",
        ),
        ("other notification", vec![prompt(1, "a"), ('<', json!({"method": "_vendor/x", "params": {}}))], ""),
    ];
    let wrong: Vec<_> = rows
        .iter()
        .map(|(name, lines, expected)| (name, played(&mut dialogue(), lines), expected))
        .filter(|(_, got, expected)| got != *expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_agent_and_the_model_are_what_the_connection_published() {
    let mut dialogue = dialogue();
    let options =
        |model: &str| json!({"sessionId": "a", "configOptions": [{"category": "model", "currentValue": model}]});
    let lines = [
        ('>', request(1, "initialize", json!({}))),
        ('<', result(1, json!({"agentInfo": {"name": "@scope/claude-acp", "version": "1"}}))),
        ('>', request(2, "session/new", json!({}))),
        ('<', result(2, options("first"))),
        ('>', request(3, "session/set_config_option", json!({"sessionId": "a"}))),
        ('<', result(3, options("second"))),
        prompt(4, "a"),
    ];
    played(&mut dialogue, &lines);
    assert_eq!(dialogue.agent().map(AgentId::as_str), Some("claude-acp"));
    let events = dialogue.to_client(&frame::from_value(refused(4)));
    let EventKind::Failure(error) = &events[0].kind else { panic!("expected a failure, got {events:?}") };
    assert_eq!(error.provider.as_ref().map(AgentId::as_str), Some("claude-acp"));
    assert_eq!(error.model.as_ref().map(|model| model.as_str()), Some("second"));
}

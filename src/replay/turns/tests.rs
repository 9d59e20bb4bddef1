//! Transcripts and their verdicts.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::acp::AGENTS;
use crate::replay::samples::{OVERLOADED, knowledge};

fn agent_named(name: &str) -> Option<AgentId> {
    AgentId::new(name).ok()
}

fn to_agent(id: u64, method: &str, params: Value) -> Value {
    json!({"t_ms": 1, "dir": "client_to_agent", "frame": {"jsonrpc": "2.0", "id": id, "method": method, "params": params}})
}

fn answer(id: u64, fields: Value) -> Value {
    let mut frame = json!({"jsonrpc": "2.0", "id": id});
    for (key, value) in fields.as_object().into_iter().flatten() {
        frame[key.as_str()] = value.clone();
    }
    json!({"t_ms": 2, "dir": "agent_to_client", "frame": frame})
}

fn prompt(id: u64) -> Value {
    to_agent(id, "session/prompt", json!({"sessionId": "s", "prompt": []}))
}

fn said(text: &str) -> Value {
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    let params = json!({"sessionId": "s", "update": update});
    json!({"t_ms": 2, "dir": "agent_to_client", "frame": {"jsonrpc": "2.0", "method": "session/update", "params": params}})
}

fn failed(id: u64, message: &str) -> Value {
    answer(id, json!({"error": {"code": -32603, "message": message}}))
}

fn ended(id: u64, result: Value) -> Value {
    answer(id, json!({"result": result}))
}

fn stderr(text: &str) -> Value {
    json!({"t_ms": 3, "dir": "stderr", "text": text})
}

fn exit(code: i32) -> Value {
    json!({"t_ms": 4, "dir": "exit", "code": code})
}

fn closed(code: i32) -> Value {
    json!({"t_ms": 4, "dir": "exit", "code": code, "how": "stdin_closed"})
}

fn cancelled() -> Value {
    let frame = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}});
    json!({"t_ms": 2, "dir": "client_to_agent", "frame": frame})
}

/// `turn:terminal:code:safe:disposition` of each turn.
fn verdicts(lines: &[Value]) -> Vec<String> {
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let recording = Recording::parse(&text).unwrap();
    let setting = Setting { knowledge: knowledge(), now: Timestamp::UNIX_EPOCH };
    let agent = AgentId::new(AGENTS[0]).ok();
    turns(&recording, agent, &agent_named, setting)
        .iter()
        .map(|turn| {
            let line = turn.line("f");
            let code = line.code.map_or("-", Code::as_str);
            let disposition = line.disposition.map_or("-", Disposition::as_str);
            format!("{}:{}:{code}:{}:{disposition}", line.turn, line.terminal, line.pre_result_safe)
        })
        .collect()
}

#[test]
fn every_prompt_gives_one_verdict() {
    let wrapped = format!("Internal error: {OVERLOADED}");
    let initialize = || to_agent(0, "initialize", json!({}));
    let notice =
        json!({"stopReason": "end_turn", "_meta": {"jetbrains": {"air": {"sessionFailure": {"title": OVERLOADED}}}}});
    let rows: Vec<(&str, Vec<Value>, &[&str])> = vec![
        (
            "matched",
            vec![prompt(1), said(OVERLOADED), failed(1, &wrapped)],
            &["1:prompt_error:provider_overloaded:true:automatic_retry"],
        ),
        (
            "output before",
            vec![prompt(1), said("Hello"), failed(1, &wrapped)],
            &["1:prompt_error:provider_overloaded:false:manual_recovery"],
        ),
        (
            "output after",
            vec![prompt(1), failed(1, &wrapped), said("Hello")],
            &["1:prompt_error:provider_overloaded:false:manual_recovery"],
        ),
        (
            "success",
            vec![prompt(1), said("Hello"), ended(1, json!({"stopReason": "end_turn"}))],
            &["1:prompt_result:-:false:-"],
        ),
        (
            "failure as success",
            vec![prompt(1), ended(1, notice)],
            &["1:prompt_result:provider_overloaded:false:manual_recovery"],
        ),
        (
            "two turns",
            vec![prompt(1), ended(1, json!({"stopReason": "end_turn"})), prompt(2), failed(2, &wrapped)],
            &["1:prompt_result:-:false:-", "2:prompt_error:provider_overloaded:true:automatic_retry"],
        ),
        (
            "two in flight",
            vec![prompt(1), prompt(2), failed(1, &wrapped), failed(2, &wrapped)],
            &[
                "1:prompt_error:provider_overloaded:false:manual_recovery",
                "2:prompt_error:provider_overloaded:false:manual_recovery",
            ],
        ),
        (
            "data only",
            vec![prompt(1), stderr(OVERLOADED), failed(1, "Internal error")],
            &["1:prompt_error:agent_runtime_error:true:manual_recovery"],
        ),
        ("killed", vec![prompt(1), exit(-9)], &["1:exit:agent_runtime_error:true:manual_recovery"]),
        ("cut off", vec![prompt(1), said("Hello")], &["1:unanswered:-:false:-"]),
        (
            "no session",
            vec![initialize(), failed(0, "boom")],
            &["0:session_error:unknown_provider_error:false:manual_recovery"],
        ),
        ("no launch", vec![initialize(), exit(1)], &["0:exit:unknown_provider_error:false:manual_recovery"]),
        ("nothing failed", vec![initialize(), ended(0, json!({})), exit(0)], &["0:unprompted:-:false:-"]),
        (
            "cancelled by the client, then failed",
            vec![prompt(1), cancelled(), failed(1, &wrapped)],
            &["1:prompt_error:provider_overloaded:true:manual_recovery"],
        ),
        (
            "never answered, then ended by the client",
            vec![prompt(1), stderr("connect ECONNREFUSED"), closed(0)],
            &["1:exit:agent_runtime_error:true:manual_recovery"],
        ),
    ];
    let wrong: Vec<_> = rows
        .iter()
        .map(|(name, lines, expected)| (name, verdicts(lines), expected))
        .filter(|(_, got, expected)| got != *expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

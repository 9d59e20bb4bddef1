//! Nothing that any command writes holds a forbidden shape that was in its input.
//!
//! Every place of every kind of input is poisoned in turn, every command reads it, and everything that was written is
//! searched for the poison.

use std::fs;

use super::run::{Ran, copy, refrain_in};

/// One fake value of each kind, built from parts so that no scanner mistakes this file for a leak.
pub(crate) fn poisons() -> Vec<(&'static str, String)> {
    [
        ("provider key", vec!["s", "k-", "ant-api03-", "Zk3Qw9Lm2Xv7Bn4Tc8Rd5Yh1Jf6Gs0Pa"]),
        ("bearer token", vec!["Bea", "rer ", "Mo0I7sGTUpurG4LFfLqdQsg0OjIF"]),
        ("organization", vec!["or", "g-", "Ab3Cd5Ef7Gh9Jk1L"]),
        ("session", vec!["se", "s_", "01Jf6Gs0PaZk3Qw9Lm2Xv7"]),
        ("mail address", vec!["some.person", "@", "mail.example.org"]),
        ("uuid", vec!["4b1f6f1a-4a2b", "-4c3d-8e9f-", "0123456789ab"]),
        ("url", vec!["https:", "//", "internal.example.com/status?x=1"]),
        ("home", vec!["/ho", "me/", "somebody/project/main.rs"]),
        ("forge token", vec!["gh", "p_", "Zk3Qw9Lm2Xv7Bn4Tc8Rd5Yh1Jf6Gs0PaQw9L"]),
    ]
    .map(|(name, parts)| (name, parts.concat()))
    .to_vec()
}

/// The part of a poison that must not be found anywhere: long enough to be no accident.
fn core(poison: &str) -> &str {
    let tail = poison.split([' ', '@', ':']).next_back().unwrap_or(poison);
    tail.trim_start_matches('/')
}

pub(crate) fn leaks(name: &str, command: &str, ran: &Ran, poison: &str, found: &mut Vec<String>) {
    let command = command.replace('\n', " ");
    for (stream, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        if let Some(at) = text.find(core(poison)) {
            let before: String = text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
            let around = before + &text[at..].chars().take(60).collect::<String>();
            found.push(format!("{name} in {stream} of `{command}`: …{around}…"));
        }
    }
    if ran.stderr.contains("panicked") {
        found.push(format!("{name}: `{command}` panicked: {}", ran.stderr));
    }
}

#[test]
fn poisoned_fixtures_rules_and_matrices_leak_nothing() {
    let poisons = poisons();
    let mut found = Vec::new();
    // Every place meets two of the kinds, and every kind meets several of the places.
    for number in 0..places("").len() {
        for step in 0..2 {
            let (name, poison) = &poisons[(number * 2 + step) % poisons.len()];
            let (file, from, to) = &places(poison)[number];
            let (_keep, folder) = copy();
            let path = folder.join(file);
            let text = fs::read_to_string(&path).expect(file);
            assert!(text.contains(from), "{file} holds no {from:?}");
            fs::write(&path, text.replacen(from, to, 1)).expect(file);
            for arguments in [
                &["check", "litellm"][..],
                &["check", "litellm", "--format", "json"],
                &["replay", "litellm", "--format", "json"],
                &["canon", "--check", "fixtures/litellm"],
            ] {
                let ran = refrain_in(&folder, arguments, "");
                leaks(name, &format!("{} with {file}: {from}", arguments.join(" ")), &ran, poison, &mut found);
            }
        }
    }
    assert!(found.is_empty(), "{} leaks:\n{}", found.len(), found.join("\n"));
}

/// Where a poison is put: file, what it replaces, with what.
fn places(poison: &str) -> Vec<(&'static str, &'static str, String)> {
    let fixture = "fixtures/litellm/matched.json";
    let json = serde_json::Value::from(poison).to_string();
    let inner = json.trim_matches('"');
    vec![
        (fixture, "\"text\": \"", format!("\"text\": \"{inner} ")),
        (fixture, "\"message\": \"", format!("\"message\": \"{inner} ")),
        (fixture, "\"gateway\": \"litellm\"", format!("\"gateway\": {json}")),
        (fixture, "\"case\": \"matched\"", format!("\"case\": {json}")),
        (fixture, "\"kind\": \"message_chunk\"", format!("\"kind\": {json}")),
        (fixture, "\"source\": \"", format!("\"source\": \"{inner} ")),
        (fixture, "\"sessionId\": \"", format!("\"sessionId\": \"{inner}.")),
        (fixture, "\"agentId\": \"", format!("\"agentId\": \"{inner}.")),
        (fixture, "\"errorKind\": \"server_error\"", format!("\"errorKind\": {json}")),
        (fixture, "\"frames\": [", format!("{json}: 1, \"frames\": [")),
        (fixture, "\"frames\": [", format!("\"frames\": [ {inner} ")),
        ("matrix.yaml", "  - id: litellm", format!("  - id: '{poison}'")),
        ("matrix.yaml", "gateways:", format!("'{poison}': 1\ngateways:")),
        ("catalogue/rules/anthropic.overloaded.529.v1.yaml", "code:", format!("'{poison}': 1\ncode:")),
        ("catalogue/rules/anthropic.overloaded.529.v1.yaml", "code: provider_overloaded", format!("code: '{poison}'")),
    ]
}

#[test]
fn poisoned_evidence_and_transcripts_leak_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut found = Vec::new();
    for (name, poison) in poisons() {
        let text = format!("API Error: 529 Overloaded at {poison} again");
        let signal = |kind: &str, key: &str| serde_json::json!({"signals": [{"kind": kind, key: text}]}).to_string();
        let lines = [
            signal("prompt_error", "message"),
            signal("message_chunk", "text"),
            signal("stderr", "text"),
            serde_json::json!({"text": text}).to_string(),
            serde_json::json!({"signals": [{"kind": poison, "text": "x"}]}).to_string(),
            serde_json::json!({"signals": poison}).to_string(),
            serde_json::json!({poison.as_str(): 1}).to_string(),
            serde_json::json!({"phase": poison, "signals": []}).to_string(),
            serde_json::json!({"provider": poison, "signals": []}).to_string(),
            format!("{poison} is no JSON"),
        ];
        for line in &lines {
            for format in ["jsonl", "human"] {
                let ran = refrain_in(folder.path(), &["classify", "--format", format, "-"], line);
                let shown: String = line.chars().take(60).collect();
                leaks(name, &format!("classify --format {format} < {shown}"), &ran, &poison, &mut found);
            }
        }
        let unknown = format!("The gadget jammed {poison} again");
        for arguments in [
            vec!["explain", &text],
            vec!["explain", &unknown],
            vec!["explain", "--new-rule", &unknown],
            vec!["explain", "--format", "json", &text],
            vec!["redact", "-"],
            vec!["redact", "--check", "-"],
            vec!["redact", "--diff", "-"],
        ] {
            let ran = refrain_in(folder.path(), &arguments, &text);
            leaks(name, arguments[0], &ran, &poison, &mut found);
        }
        for format in ["jsonl", "human"] {
            let ran = refrain_in(folder.path(), &["classify", "--format", format, &text], "");
            leaks(name, &format!("classify --format {format} TEXT"), &ran, &poison, &mut found);
            let transcript = transcript(&text, &poison);
            let ran = refrain_in(folder.path(), &["classify", "--format", format, "-"], &transcript);
            leaks(name, &format!("classify --format {format} < transcript"), &ran, &poison, &mut found);
        }
    }
    assert!(found.is_empty(), "{} leaks:\n{}", found.len(), found.join("\n"));
}

fn transcript(text: &str, poison: &str) -> String {
    let frame = |dir: &str, frame: serde_json::Value| serde_json::json!({"t_ms": 1, "dir": dir, "frame": frame});
    let update = serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    let lines = [
        frame(
            "client_to_agent",
            serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": poison}}),
        ),
        frame("agent_to_client", serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": poison}})),
        frame(
            "client_to_agent",
            serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": poison}}),
        ),
        frame(
            "agent_to_client",
            serde_json::json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": poison, "update": update}}),
        ),
        serde_json::json!({"t_ms": 2, "dir": "stderr", "text": text}),
        frame(
            "agent_to_client",
            serde_json::json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": text, "data": {"errorKind": poison, "x": poison}}}),
        ),
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

//! `refrain classify`.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::run::{project, refrain_in, refrain_with};

const OVERLOADED: &str = "API Error: 529 Overloaded. This is a server-side issue.";

fn evidence(id: &str, text: &str) -> String {
    serde_json::json!({"id": id, "signals": [{"kind": "prompt_error", "code": -32603, "message": text}]}).to_string()
}

#[test]
fn a_text_is_answered_for_a_person_and_for_a_program() {
    let ran = refrain_in(project(), &["classify", OVERLOADED], "");
    assert_eq!(ran.code, 0, "{ran:#?}");
    for word in ["provider_overloaded", "transient", "high", "rule "] {
        assert!(ran.stdout.contains(word), "no {word:?} in\n{}", ran.stdout);
    }
    let json = refrain_in(project(), &["classify", "--format", "jsonl", OVERLOADED], "").json();
    let keys: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut expected = vec![
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
    expected.sort_unstable();
    let mut sorted = keys;
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(json["code"], "provider_overloaded");
}

#[test]
fn lines_keep_their_order_and_a_bad_line_does_not_end_the_run() {
    let mut input = String::new();
    for number in 0..2_000 {
        input.push_str(&evidence(&number.to_string(), OVERLOADED));
        input.push('\n');
    }
    input.push_str("{\"id\": \"bad\", \"signals\": 7}\nnonsense\n\n");
    input.push_str(&evidence("last", "hello"));
    for jobs in ["1", "4"] {
        let ran = refrain_in(project(), &["classify", "--format", "jsonl", "--jobs", jobs, "-"], &input);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let lines: Vec<Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        assert_eq!(lines.len(), 2_003);
        for (number, line) in lines[..2_000].iter().enumerate() {
            assert_eq!(line["id"], number.to_string());
        }
        assert_eq!(lines[2_000]["id"], "bad");
        for bad in &lines[2_000..2_002] {
            assert!(bad["error"]["code"].as_str().is_some_and(|code| code.starts_with("refrain::evidence::")), "{bad}");
        }
        assert_eq!(lines[2_002]["id"], "last");
    }
}

#[test]
fn a_child_that_is_kept_open_answers_line_by_line() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_refrain"))
        .args(["classify", "--format", "jsonl", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for number in 0..50 {
        writeln!(stdin, "{}", evidence(&number.to_string(), OVERLOADED)).expect("it listens");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it answers before the next line is sent");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], number.to_string());
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn the_clock_is_an_argument() {
    let input = serde_json::json!({"signals": [
        {"kind": "http", "status": 429, "headers": {"retry-after": "20"}},
        {"kind": "prompt_error", "message": "Too Many Requests"},
    ]});
    let arguments = ["classify", "--format", "jsonl", "--now", "2026-11-30T12:00:00Z", "-"];
    let json = refrain_in(project(), &arguments, &input.to_string()).json();
    assert_eq!(json["code"], "rate_limited");
    assert_eq!(json["retry_after_ms"], 20_000);
    assert_eq!(json["reset_at"], "2026-11-30T12:00:20Z");
    assert_eq!(json["auto_retry"], true);
}

fn transcript(id: &str, update: Value, answer: Value) -> String {
    let frame = |dir: &str, frame: Value| serde_json::json!({"t_ms": 1, "dir": dir, "frame": frame}).to_string();
    let mut answer = answer;
    answer["jsonrpc"] = "2.0".into();
    answer["id"] = 2.into();
    [
        frame("client_to_agent", serde_json::json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})),
        frame("agent_to_client", serde_json::json!({"jsonrpc": "2.0", "id": 0, "result": {"agentInfo": {"name": id}}})),
        frame("client_to_agent", serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {}})),
        frame("agent_to_client", serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}})),
        frame("client_to_agent", serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}})),
        frame("agent_to_client", serde_json::json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}})),
        frame("agent_to_client", answer),
    ]
    .join("\n")
        + "\n"
}

#[test]
fn a_transcript_is_judged_with_the_attempts_evidence() {
    let chunk = |text: &str| serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    let error =
        |text: &str| serde_json::json!({"error": {"code": -32603, "message": format!("Internal error: {text}")}});
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.jsonl");
    for (update, answer, code, disposition) in [
        (chunk(OVERLOADED), error(OVERLOADED), Value::from("provider_overloaded"), Value::from("automatic_retry")),
        (chunk("Working on it."), error(OVERLOADED), "provider_overloaded".into(), "manual_recovery".into()),
        (chunk(OVERLOADED), error("something else"), "agent_runtime_error".into(), "manual_recovery".into()),
        (chunk("Done."), serde_json::json!({"result": {"stopReason": "end_turn"}}), Value::Null, Value::Null),
    ] {
        let text = transcript("@agentclientprotocol/claude-agent-acp", update, answer);
        fs::write(&path, &text).expect("it");
        let name = path.to_str().expect("UTF-8");
        for arguments in [vec!["classify", "--format", "jsonl", name], vec!["classify", "--format", "jsonl", "-"]] {
            let json = refrain_in(project(), &arguments, &text).json();
            assert_eq!(
                (&json["turn"], &json["code"], &json["disposition"]),
                (&Value::from(1), &code, &disposition),
                "{json}"
            );
        }
    }
}

#[test]
fn unreadable_input_is_an_error_and_not_an_answer() {
    for (arguments, code) in [
        (vec!["classify", "no/such/file.jsonl"], 2),
        (vec!["classify", "--now", "yesterday", "text"], 2),
        (vec!["classify", "--root", "no/such", "text"], 2),
    ] {
        let ran = refrain_in(project(), &arguments, "");
        assert_eq!(ran.code, code, "{arguments:?}: {ran:#?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
    }
    let ran = refrain_with(project(), &["classify", "--format", "jsonl", "-"], b"\xff\xfe\n{\"text\":\"a\"}\n", &[]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stdout.lines().count(), 2, "{ran:#?}");
}

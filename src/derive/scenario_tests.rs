//! Scenarios of a dialect: prompts that end in any way.

use super::tests::{agent_chunk, chunk, derived, failed, prompt, update, wanted};
use super::*;
use crate::fixture::{Cell, Frame};

fn scenario(name: &str) -> Wanted {
    Wanted { sought: Sought::Scenario(name.to_owned()), ..wanted(None) }
}

fn result(body: &serde_json::Value) -> String {
    serde_json::json!({"dir": "agent_to_client", "frame": {"jsonrpc": "2.0", "id": 2, "result": body}}).to_string()
}

const CANCEL: &str =
    r#"{"dir":"client_to_agent","frame":{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}}"#;

/// The frames after the settled model, in short.
fn told(frames: &[Frame]) -> String {
    let one = |frame: &Frame| match frame {
        Frame::Exit { status, stderr } => format!("exit {status:?} {}", stderr.as_deref().unwrap_or("silent")),
        Frame::PromptResult { stop_reason, meta } => {
            format!(
                "{stop_reason} {}",
                meta.as_ref().map_or_else(String::new, |meta| serde_json::json!(meta).to_string())
            )
        }
        Frame::SessionInfo { meta } => format!("info {}", serde_json::json!(meta)),
        other => other.kind().to_string(),
    };
    frames.iter().skip(1).map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_prompt_may_end_in_any_way() {
    let text = || chunk("I start", None);
    let stderr = |text: &str| serde_json::json!({"dir": "stderr", "text": text}).to_string();
    let exit = |rest: &str| format!(r#"{{"dir":"exit",{rest}}}"#);
    let uuid = ["1f0e9d8c", "1234", "4abc", "8def", "001122334455"].join("-");
    let rows: Vec<(&str, Vec<String>, &str)> = vec![
        ("an error", vec![failed(2)], "prompt_error"),
        (
            "a result",
            vec![text(), result(&serde_json::json!({"stopReason": "end_turn", "usage": {}}))],
            "message_chunk, end_turn ",
        ),
        (
            "its metadata",
            vec![result(&serde_json::json!({"stopReason": "end_turn", "_meta": {"turn": uuid}}))],
            r#"end_turn {"turn":"[redacted_id_1]"}"#,
        ),
        (
            "session information",
            vec![
                update(serde_json::json!({"sessionUpdate": "session_info_update", "_meta": {"a": 1}, "title": "x"})),
                update(serde_json::json!({"sessionUpdate": "session_info_update", "title": "x"})),
                failed(2),
            ],
            r#"info {"a":1}, prompt_error"#,
        ),
        ("an exit", vec![exit(r#""code":3"#)], "exit Code(3) silent"),
        (
            "a killed agent",
            vec![stderr("bad"), stderr("end"), exit(r#""code":-9,"how":"self_exit""#)],
            "exit Signal(9) bad\nend",
        ),
        ("a closed connection", vec![exit(r#""how":"self_exit""#)], "disconnect"),
        (
            "an agent that the client ended",
            vec![text(), exit(r#""code":0,"how":"stdin_closed""#)],
            "message_chunk, stall",
        ),
        ("no end at all", vec![text()], "message_chunk, stall"),
        (
            "the client's own cancel",
            vec![text(), CANCEL.to_owned(), text(), result(&serde_json::json!({"stopReason": "cancelled"}))],
            "message_chunk, stall",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, sent, expected) in rows {
        let lines: Vec<String> = [vec![stderr("before the prompt"), prompt(2)], sent].concat();
        match derived(&lines, &scenario("some-end")) {
            Ok(found)
                if told(&found.fixture.frames) == expected && found.replayed.passed() && found.fits.is_empty() => {}
            Ok(found) => wrong.push(format!("{name}: expected {expected:?}, got {:?}", told(&found.fixture.frames))),
            Err(refusal) => wrong.push(format!("{name}: expected {expected:?}, got {refusal}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_scenario_is_about_the_last_prompt_and_carries_its_own_name() {
    let lines = [prompt(2), failed(2), prompt(3), chunk("Hello.", None)];
    let found = derived(&lines, &scenario("later")).unwrap();
    assert_eq!((found.turn, found.fixture.name().to_string()), (2, "dialects/claude-acp/later".to_owned()));
    assert_eq!(found.fixture.cell, Cell::Dialect { scenario: "later".into() });
    assert_eq!(found.fixture.identity.session.as_str(), "claude-acp-later");
}

#[test]
fn what_a_scenario_can_not_say_is_refused() {
    let rows = [
        (
            "information elsewhere",
            vec![update(serde_json::json!({"sessionUpdate": "session_info_update", "codex": {}})), failed(2)],
            "session information with a `codex` outside of `_meta`",
        ),
        ("a result without a reason", vec![result(&serde_json::json!({}))], "a result without a stop reason"),
        ("a plan", vec![update(serde_json::json!({"sessionUpdate": "plan"})), failed(2)], "the update `plan`"),
    ];
    let mut wrong = Vec::new();
    for (name, sent, expected) in rows {
        let lines: Vec<String> = [vec![prompt(2)], sent].concat();
        match derived(&lines, &scenario("some-end")) {
            Err(refusal) if refusal.to_string().contains(expected) => {}
            other => wrong.push(format!("{name}: expected {expected:?}, got {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is cut out may be what the verdict hangs on: then no clean fixture tells what happened.
#[test]
fn a_verdict_that_redaction_would_change_is_refused() {
    let address = ["https://status.example", "com/529/overloaded"].join(".");
    let lines = [prompt(2), agent_chunk(&format!("API Error: see {address}")), failed(2)];
    for wanted in [wanted(None), scenario("address")] {
        let refusal = derived(&lines, &wanted).unwrap_err();
        let expected = "redaction would change the verdict, provider_overloaded after provider_overloaded \
                        (manual_recovery) to provider_overloaded after nothing (manual_recovery)";
        assert!(refusal.to_string().contains(expected), "{wanted:?}: {refusal}");
    }
}

use super::*;
use crate::acp::session::Knowledge;
use crate::classify::Classifier;
use crate::fixture::{Fixture, Frame, Origin, Provenance};
use crate::matrix::Matrix;
use crate::recording::Recording;
use crate::redact::Redactor;
use crate::replay::{Direct, Setting};
use crate::vocab::{Case, Gateway};

const BUSY: &str = "API Error: 529 Overloaded. This is a server-side issue, usually temporary.";

fn setting() -> Setting<'static> {
    let knowledge = Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() };
    Setting { knowledge, now: "2026-11-30T12:00:00Z".parse().unwrap() }
}

/// A transcript: the opening of a claude session, then `lines`.
fn recording(lines: &[String]) -> Recording {
    let opening = [
        r#"{"dir":"client_to_agent","frame":{"id":0,"jsonrpc":"2.0","method":"initialize","params":{}}}"#,
        r#"{"dir":"agent_to_client","frame":{"id":0,"jsonrpc":"2.0","result":{"agentInfo":{"name":"@agentclientprotocol/claude-agent-acp"}}}}"#,
        r#"{"dir":"client_to_agent","frame":{"id":1,"jsonrpc":"2.0","method":"session/new","params":{}}}"#,
        r#"{"dir":"agent_to_client","frame":{"id":1,"jsonrpc":"2.0","result":{"sessionId":"s","configOptions":[{"category":"model","currentValue":"default"}]}}}"#,
    ];
    let all: Vec<String> = opening.iter().map(|line| (*line).to_owned()).chain(lines.iter().cloned()).collect();
    Recording::parse(&(all.join("\n") + "\n")).unwrap()
}

pub(super) fn prompt(id: u64) -> String {
    format!(
        r#"{{"dir":"client_to_agent","frame":{{"id":{id},"jsonrpc":"2.0","method":"session/prompt","params":{{"sessionId":"s"}}}}}}"#
    )
}

pub(super) fn update(body: serde_json::Value) -> String {
    let frame =
        serde_json::json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": body}});
    serde_json::json!({"dir": "agent_to_client", "frame": frame}).to_string()
}

pub(super) fn chunk(text: &str, id: Option<&str>) -> String {
    update(
        serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}, "messageId": id}),
    )
}

pub(super) fn agent_chunk(text: &str) -> String {
    chunk(text, Some("0a1b2c3d-0a1b-4c3d-8a1b-0a1b2c3d4e5f"))
}

fn tool() -> Vec<String> {
    vec![
        update(
            serde_json::json!({"sessionUpdate": "tool_call", "toolCallId": "toolu_x", "title": "Terminal", "status": "pending"}),
        ),
        update(
            serde_json::json!({"sessionUpdate": "tool_call_update", "toolCallId": "toolu_x", "status": "completed"}),
        ),
    ]
}

fn error(id: u64, message: &str) -> String {
    let error = serde_json::json!({"code": -32603, "message": message, "data": {"errorKind": "server_error"}});
    serde_json::json!({"dir": "agent_to_client", "frame": {"jsonrpc": "2.0", "id": id, "error": error}}).to_string()
}

pub(super) fn failed(id: u64) -> String {
    error(id, &format!("Internal error: {BUSY}"))
}

pub(super) fn wanted(case: Option<Case>) -> Wanted {
    Wanted {
        sought: Sought::Cell { gateway: Gateway::new("claude-direct").unwrap(), case },
        agent: None,
        turn: None,
        provenance: Provenance::Recorded {
            source: "refrain capture --preset claude".into(),
            captured_at: "2026-11-30".into(),
        },
    }
}

pub(super) fn derived(lines: &[String], wanted: &Wanted) -> Result<Derived, Refusal> {
    derive(&recording(lines), wanted, Matrix::embedded(), &Direct, setting())
}

#[test]
fn frames_are_recognised_as_the_cases_that_they_are() {
    let model = |text: &str| chunk(text, Some("msg_01"));
    let rows: Vec<(&str, Vec<String>, Vec<Case>)> = vec![
        ("a diagnostic", vec![agent_chunk(BUSY)], vec![Case::Matched, Case::Queued]),
        (
            "an unrelated diagnostic",
            vec![agent_chunk("Failed to authenticate. API Error: 401 invalid x-api-key")],
            vec![Case::Mismatched],
        ),
        ("a diagnostic, then text", vec![agent_chunk(BUSY), chunk("On with it.", None)], vec![Case::LaterOutput]),
        ("prose of the model", vec![model(BUSY), agent_chunk(BUSY)], vec![Case::ProseMatched]),
        ("prose, then a tool", [vec![model(BUSY)], tool(), vec![agent_chunk(BUSY)]].concat(), vec![Case::ProseTool]),
        ("prose, then text", vec![model(BUSY), model("On with it."), agent_chunk(BUSY)], vec![Case::ProseOutput]),
    ];
    let mut wrong = Vec::new();
    for (name, sent, expected) in rows {
        let lines: Vec<String> = [vec![prompt(2)], sent, vec![failed(2)]].concat();
        match derived(&lines, &wanted(None)) {
            Ok(found) if found.fits == expected && found.replayed.passed() => {}
            other => wrong.push(format!("{name}: expected {expected:?}, got {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_cell_is_refused_with_its_reason() {
    let result = |reason: &str| {
        format!(
            r#"{{"dir":"agent_to_client","frame":{{"jsonrpc":"2.0","id":2,"result":{{"stopReason":"{reason}"}}}}}}"#
        )
    };
    let cancel =
        r#"{"dir":"client_to_agent","frame":{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}}"#
            .to_owned();
    let exit = r#"{"dir":"exit","code":1}"#.to_owned();
    let permission = r#"{"dir":"agent_to_client","frame":{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s"}}}"#.to_owned();
    let plan = update(serde_json::json!({"sessionUpdate": "plan", "entries": []}));
    let rows: Vec<(&str, Vec<String>, Wanted, &str)> = vec![
        ("a normal end", vec![prompt(2), result("end_turn")], wanted(None), "prompt 1 returned `end_turn`, a cell"),
        (
            "a cancelled end",
            vec![prompt(2), cancel, result("cancelled")],
            wanted(None),
            "after the client cancelled it",
        ),
        ("no prompt", vec![exit.clone()], wanted(None), "no prompt was sent, the agent ended first"),
        ("a death", vec![prompt(2), exit], wanted(None), "the agent ended before it answered prompt 1"),
        ("no answer", vec![prompt(2)], wanted(None), "prompt 1 was never answered"),
        (
            "no such prompt",
            vec![prompt(2), failed(2)],
            Wanted { turn: Some(2), ..wanted(None) },
            "prompt 2 does not exist, there are 1",
        ),
        ("nothing before the end", vec![prompt(2), failed(2)], wanted(None), "nothing comes before the terminal"),
        (
            "an unseen effect",
            vec![prompt(2), permission, failed(2)],
            wanted(None),
            "the request `session/request_permission` without a tool call",
        ),
        ("a plan", vec![prompt(2), plan, failed(2)], wanted(None), "the update `plan`"),
        (
            "noise",
            vec![prompt(2), r#"{"dir":"unparsed","text":"Loading..."}"#.into(), failed(2)],
            wanted(None),
            "a line that is no frame",
        ),
        (
            "another case",
            vec![prompt(2), agent_chunk(BUSY), failed(2)],
            wanted(Some(Case::ProseTool)),
            "the frames are matched or queued, not prose-tool",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, lines, wanted, expected) in rows {
        match derived(&lines, &wanted) {
            Err(refusal) if refusal.to_string().contains(expected) => {}
            other => wrong.push(format!("{name}: expected {expected:?}, got {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_agent_that_nobody_knows_can_be_named() {
    let text = recording(&[prompt(2), agent_chunk(BUSY), failed(2)]);
    let mut unknown = text.clone();
    if let crate::recording::Observed::ToClient(frame) = &mut unknown.entries[1].what {
        frame["result"]["agentInfo"]["name"] = "somebody".into();
    }
    let refused = derive(&unknown, &wanted(None), Matrix::embedded(), &Direct, setting()).unwrap_err();
    assert_eq!(refused.to_string(), "derive a fixture: no agent of the matrix calls itself `somebody`");
    let named = Wanted { agent: Some(crate::vocab::AgentId::new("claude-acp").unwrap()), ..wanted(None) };
    assert!(derive(&unknown, &named, Matrix::embedded(), &Direct, setting()).is_ok());
}

#[test]
fn identifiers_become_placeholders_and_containment_survives() {
    let uuid = ["1f0e9d8c", "1234", "4abc", "8def", "001122334455"].join("-");
    let text = format!("{BUSY} (request {uuid}, see https://status.example.com/x)");
    let lines = [prompt(2), agent_chunk(&text), error(2, &format!("Internal error: {text}"))];
    let found = derived(&lines, &wanted(Some(Case::Matched))).unwrap();
    let written = found.fixture.on_disk();
    assert!(!written.contains(&uuid) && !written.contains("example.com"), "{written}");
    assert!(found.replayed.evidence.pre_result_safe, "{written}");
    assert!(!found.redacted.is_empty());
    let again = derived(&lines, &wanted(Some(Case::Matched))).unwrap();
    assert_eq!(again.fixture.on_disk(), written, "the same transcript gives the same bytes");
}

#[test]
fn a_secret_in_a_seam_is_found() {
    let secret = ["sk", "-ant-", "api03-", &"Ab1".repeat(12)].concat();
    let (one, two) = secret.split_at(14);
    let lines = [
        prompt(2),
        chunk(&format!("the key is {one}"), Some("msg_1")),
        chunk(&format!("{two} as you see"), Some("msg_1")),
        failed(2),
    ];
    let dialogue = select::select(&recording(&lines));
    let raw = frames::frames(&dialogue.prompts[0], 1, frames::Format::Cell).unwrap();
    let clean = cleaning::clean(raw, Redactor::embedded()).unwrap();
    let text: Vec<&str> = clean
        .iter()
        .filter_map(|frame| match frame {
            Frame::MessageChunk { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(!text.concat().contains(&secret[..20]), "{text:?}");
    assert!(text.concat().contains("as you see"), "{text:?}");
}

#[test]
fn two_prompts_in_flight_keep_their_own_frames() {
    let lines = [
        prompt(2),
        prompt(3),
        agent_chunk(BUSY),
        failed(2),
        agent_chunk(BUSY),
        chunk("On with it.", Some("msg_2")),
        failed(3),
    ];
    let of = |turn: usize| derived(&lines, &Wanted { turn: Some(turn), ..wanted(None) }).unwrap();
    assert_eq!((of(1).fits, of(1).overlapped), (vec![Case::Matched, Case::Queued], true));
    assert_eq!(of(2).fits, [Case::LaterOutput]);
    assert_eq!(derived(&lines, &wanted(None)).unwrap().turn, 2, "the last one that failed");
}

#[test]
fn origins_models_and_tools_are_told() {
    let lines: Vec<String> = [vec![prompt(2), chunk(BUSY, Some("msg_1"))], tool(), vec![failed(2)]].concat();
    let fixture: Fixture = derived(&lines, &wanted(None)).unwrap().fixture;
    assert!(matches!(&fixture.frames[0], Frame::ModelSettled { model } if model == "default"));
    assert!(matches!(&fixture.frames[1], Frame::MessageChunk { origin: Some(Origin::Model), .. }));
    assert!(matches!(&fixture.frames[2], Frame::ToolCall { id, .. } if id == "tool_1"));
    assert!(matches!(&fixture.frames[3], Frame::ToolUpdate { id, .. } if id == "tool_1"));
    assert_eq!(fixture.identity.generation.number(), 1);
}

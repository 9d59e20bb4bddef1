//! Scripts for tests: fixed ones and a strategy over all of them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::script::{Ending, Message, Origin, Script};
use crate::acp::AGENTS;
use crate::acp::frame::RpcError;
use crate::acp::session::Knowledge;
use crate::classify::Classifier;
use crate::recovery::samples::invocation;
use crate::redact::Redactor;
use crate::vocab::{AgentId, ToolStatus};

/// A diagnostic as an agent writes it.
pub(crate) const OVERLOADED: &str = "API Error: 529 Overloaded. This is a server-side issue, try again in a moment.";

/// The built-in rules and shapes.
pub(crate) fn knowledge() -> Knowledge<'static> {
    Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() }
}

/// A script of one agent.
pub(crate) fn script(agent: &str, messages: Vec<Message>, ending: Ending) -> Script {
    Script { agent: AgentId::new(agent).unwrap(), invocation: invocation(7), messages, ending, held: false }
}

/// Assistant text without a message id.
pub(crate) fn said(text: &str) -> Message {
    Message::Assistant { text: text.to_owned(), origin: None }
}

/// An error answer.
pub(crate) fn error(message: &str) -> Ending {
    Ending::Error(RpcError {
        code: -32603,
        message: message.to_owned(),
        data: Some(json!({"errorKind": "server_error"})),
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(OVERLOADED.to_owned()),
        Just("Error: RetriableError: [unavailable] PING timed out".to_owned()),
        Just("Let me look at the file.".to_owned()),
        Just(" \n".to_owned()),
        Just(String::new()),
        "\\PC{0,40}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop_oneof![Just("sessionUpdate".to_owned()), Just("errorKind".to_owned()), "[a-zA-Z_]{1,12}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn update_kind() -> impl Strategy<Value = Value> {
    prop::sample::select(vec!["agent_message_chunk", "tool_call", "plan", "config_option_update", "brand_new", ""])
        .prop_map(Value::from)
}

fn message() -> impl Strategy<Value = Message> {
    let origin = || prop::option::of(prop::sample::select(vec![Origin::Model, Origin::Agent]));
    let retry = json!({"codex": {"error": {"willRetry": true, "codexErrorInfo": {"responseStreamDisconnected": {}}}}});
    let broken = json!({"codex": {"threadStatus": {"type": "systemError"}}});
    let meta = prop::sample::select(vec![retry, broken, json!({})])
        .prop_map(|meta| meta.as_object().cloned().unwrap_or_default());
    prop_oneof![
        4 => (text(), origin()).prop_map(|(text, origin)| Message::Assistant { text, origin }),
        1 => (text(), origin()).prop_map(|(text, origin)| Message::User { text, origin }),
        1 => text().prop_map(|text| Message::Thought { text }),
        1 => text().prop_map(|title| Message::ToolCall { id: "t".into(), title: Some(title), status: ToolStatus::Pending }),
        1 => Just(Message::ToolUpdate { id: "t".into(), status: ToolStatus::Completed }),
        1 => Just(Message::ModelSettled { model: "model-a".into() }),
        1 => Just(Message::ModelUsage { model: "model-a".into() }),
        1 => meta.prop_map(|meta| Message::SessionInfo { meta }),
        1 => (update_kind(), value()).prop_map(|(kind, content)| {
            Message::Raw(json!({"sessionUpdate": kind, "content": content}))
        }),
    ]
}

fn ending() -> impl Strategy<Value = Ending> {
    let notice =
        json!({"stopReason": "end_turn", "_meta": {"jetbrains": {"air": {"sessionFailure": {"title": OVERLOADED}}}}});
    prop_oneof![
        4 => (any::<i32>(), text(), prop::option::of(value())).prop_map(|(code, message, data)| {
            Ending::Error(RpcError { code, message, data })
        }),
        1 => value().prop_map(Ending::Result),
        1 => prop::sample::select(vec!["end_turn", "cancelled", "refusal", "brand new"])
            .prop_map(|reason| Ending::Result(json!({"stopReason": reason}))),
        1 => Just(Ending::Result(notice)),
        1 => Just(Ending::Disconnect),
        1 => (any::<i32>(), prop::option::of(text()))
            .prop_map(|(code, stderr)| Ending::Exit { code: Some(code), signal: None, stderr }),
        1 => Just(Ending::Stall),
    ]
}

/// Any script, of any agent, held or not.
pub(crate) fn any_script() -> impl Strategy<Value = Script> {
    let agent = prop::sample::select([AGENTS, &["some-agent"]].concat());
    (agent, prop::collection::vec(message(), 0..8), ending(), any::<bool>())
        .prop_map(|(agent, messages, ending, held)| Script { held, ..script(agent, messages, ending) })
}

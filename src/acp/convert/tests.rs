//! Which update each raw value becomes.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A short spelling of an update for the table.
fn shown(raw: &Value) -> String {
    let chunk_text = |chunk: &Chunk| {
        let id = chunk.message_id.as_deref().unwrap_or("-");
        format!("{:?} {id}{}", chunk.text.as_inner(), if chunk.beyond_text { " +" } else { "" })
    };
    match update(raw) {
        Update::Assistant(chunk) => format!("assistant {}", chunk_text(&chunk)),
        Update::User(chunk) => format!("user {}", chunk_text(&chunk)),
        Update::Thought(chunk) => format!("thought {}", chunk_text(&chunk)),
        Update::ToolCall { id, title, status } => format!("tool {id} {title} {status}"),
        Update::ToolChange { id, status } => format!("update {id} {}", status.map_or("-", ToolStatus::as_str)),
        Update::Model(model) => format!("model {model}"),
        Update::Usage { model } => format!("usage {}", model.map_or_else(|| "-".into(), |model| model.to_string())),
        Update::SessionInfo(_) => "info".into(),
        Update::Other { name, implies } => format!("other {name} {implies:?}"),
    }
}

#[test]
fn every_kind_of_update_has_one_reading() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let rows = [
        (json!({"sessionUpdate": "agent_message_chunk", "content": text("a"), "messageId": "m"}), r#"assistant "a" m"#),
        (json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image"}}), r#"assistant "" - +"#),
        (json!({"sessionUpdate": "agent_thought_chunk", "content": text("t")}), r#"thought "t" -"#),
        (json!({"sessionUpdate": "user_message_chunk", "content": text("u")}), r#"user "u" -"#),
        // Unreadable output still counts as output.
        (json!({"sessionUpdate": "agent_message_chunk"}), "other agent_message_chunk Some(Output)"),
        (
            json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": 5}}),
            "other agent_message_chunk Some(Output)",
        ),
        (json!({"sessionUpdate": "agent_thought_chunk", "content": "t"}), "other agent_thought_chunk Some(Output)"),
        (json!({"sessionUpdate": "user_message_chunk", "content": 1}), "other user_message_chunk None"),
        (json!({"sessionUpdate": "plan", "entries": []}), "other plan Some(Output)"),
        (json!({"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "x"}), "tool t1 x pending"),
        (json!({"sessionUpdate": "tool_call", "status": "odd"}), "tool   pending"),
        (json!({"sessionUpdate": "tool_call_update", "toolCallId": 7}), "update  -"),
        (
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"}),
            "update t1 completed",
        ),
        (json!({"sessionUpdate": "usage_update", "_meta": {"_claude/model": "m"}}), "usage m"),
        (json!({"sessionUpdate": "usage_update", "_meta": {"_claude/model": ""}}), "usage -"),
        (json!({"sessionUpdate": "session_info_update", "title": "t"}), "info"),
        (json!({"sessionUpdate": "current_model_update", "currentModelId": "m"}), "model m"),
        (json!({"sessionUpdate": "current_model_update"}), "other current_model_update None"),
        (json!({"sessionUpdate": "something_new"}), "other something_new None"),
        (json!({"sessionUpdate": 5}), "other  None"),
        (json!({}), "other  None"),
        (json!(null), "other  None"),
        (json!([1]), "other  None"),
    ];
    let wrong: Vec<_> =
        rows.iter().filter(|(raw, expected)| shown(raw) != *expected).map(|(raw, e)| (raw, e, shown(raw))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_model_is_settled_by_the_option_of_its_category_or_the_older_field() {
    let rows = [
        (
            json!({"configOptions": [{"category": "mode", "currentValue": "x"}, {"category": "model", "currentValue": "m"}]}),
            Some("m"),
        ),
        (
            json!({"configOptions": [{"category": "model", "currentValue": "new"}], "models": {"currentModelId": "old"}}),
            Some("new"),
        ),
        (json!({"configOptions": [], "models": {"currentModelId": "old"}}), Some("old")),
        (json!({"currentModelId": "m"}), Some("m")),
        (json!({"configOptions": [{"category": "model", "currentValue": ""}]}), None),
        (json!({"configOptions": [{"category": "model", "currentValue": true}]}), None),
        (json!({"configOptions": [{"category": "model", "currentValue": "a\u{7}b"}]}), None),
        (json!({"configOptions": [{"category": "model", "currentValue": "x".repeat(129)}]}), None),
        (json!({"configOptions": {"category": "model", "currentValue": "m"}}), None),
        (json!({"configOptions": ["model", 4, null]}), None),
        (json!("model"), None),
    ];
    let wrong: Vec<_> =
        rows.iter().filter(|(raw, expected)| settled_model(raw).as_ref().map(ModelId::as_str) != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_failure_notice_is_its_text_alone() {
    let notice = |failure: Value| json!({"stopReason": "end_turn", "_meta": {"jetbrains": {"air": {"sessionFailure": failure}}}});
    let rows = [
        (notice(json!({"title": "boom", "severity": "error", "category": "service"})), Some("boom")),
        (notice(json!({"title": "boom"})), Some("boom")),
        (notice(json!({"title": "boom", "severity": "warning"})), None),
        (notice(json!({"title": "  "})), None),
        (notice(json!({"category": "service"})), None),
        (notice(json!("boom")), Some("boom")),
        (json!({"_meta": []}), None),
    ];
    let wrong: Vec<_> = rows.iter().filter(|(raw, expected)| session_failure(raw).as_deref() != *expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Any small JSON value, with the field names that matter likely to occur.
fn value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "agent_message_chunk",
        "tool_call",
        "plan",
        "text",
        "image",
        "model",
        "usage_update",
        "x",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        let key = prop::sample::select(vec![
            "sessionUpdate",
            "content",
            "type",
            "text",
            "toolCallId",
            "status",
            "title",
            "configOptions",
            "category",
            "currentValue",
            "models",
            "currentModelId",
            "_meta",
            "_claude/model",
            "messageId",
            "jetbrains",
            "air",
            "sessionFailure",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|entries| entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}

proptest! {
    #[test]
    fn no_value_panics(raw in value()) {
        let _ = (update(&raw), settled_model(&raw), session_failure(&raw));
    }
}

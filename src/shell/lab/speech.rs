//! What a model says, as events of each API. Pure: a script in, events out.

use serde_json::{Value, json};

use super::call::Api;

/// One server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// Its name, for APIs that use one.
    pub(super) name: Option<&'static str>,
    /// Its data, JSON or a bare word.
    pub(super) data: String,
}

fn named(name: &'static str, data: &Value) -> Event {
    Event { name: Some(name), data: data.to_string() }
}

fn bare(data: &Value) -> Event {
    Event { name: None, data: data.to_string() }
}

/// A tool call: name and arguments.
pub(super) type Tool = (String, Value);

/// What is said in one response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Script<'a> {
    /// The model that speaks.
    pub(super) model: &'a str,
    /// Number of the response; ids are made from it.
    pub(super) number: usize,
    /// The texts, one content block each, each already cut into deltas.
    pub(super) texts: Vec<Vec<String>>,
    /// The tool that is called after them.
    pub(super) tool: Option<Tool>,
    /// Whether the response ends in order, or stops after what was said.
    pub(super) ends: bool,
    /// An error event at the end: the body of the envelope.
    pub(super) error: Option<&'a Value>,
}

/// The events of a streamed response.
pub(super) fn events(api: Api, script: &Script<'_>) -> Vec<Event> {
    match api {
        Api::Anthropic => anthropic(script),
        Api::Chat => chat(script),
        Api::Responses => responses(script),
        Api::Gemini => gemini(script),
    }
}

fn anthropic(script: &Script<'_>) -> Vec<Event> {
    let typed = |value: Value| {
        let name = match value["type"].as_str() {
            Some("message_start") => "message_start",
            Some("content_block_start") => "content_block_start",
            Some("content_block_delta") => "content_block_delta",
            Some("content_block_stop") => "content_block_stop",
            Some("message_delta") => "message_delta",
            _ => "message_stop",
        };
        named(name, &value)
    };
    let id = format!("msg_01Lab{:018}", script.number);
    let usage = json!({"input_tokens": 5, "output_tokens": 1});
    let message = json!({"id": id, "type": "message", "role": "assistant", "model": script.model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut events = vec![typed(json!({"type": "message_start", "message": message}))];
    for (index, text) in script.texts.iter().enumerate() {
        let block = json!({"type": "text", "text": ""});
        events.push(typed(json!({"type": "content_block_start", "index": index, "content_block": block})));
        for delta in text {
            let delta = json!({"type": "text_delta", "text": delta});
            events.push(typed(json!({"type": "content_block_delta", "index": index, "delta": delta})));
        }
        if script.ends || script.tool.is_some() || index + 1 < script.texts.len() {
            events.push(typed(json!({"type": "content_block_stop", "index": index})));
        }
    }
    if let Some((name, arguments)) = &script.tool {
        let index = script.texts.len();
        let id = format!("toolu_01Lab{:016}", script.number);
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        events.push(typed(json!({"type": "content_block_start", "index": index, "content_block": block})));
        let delta = json!({"type": "input_json_delta", "partial_json": arguments.to_string()});
        events.push(typed(json!({"type": "content_block_delta", "index": index, "delta": delta})));
        events.push(typed(json!({"type": "content_block_stop", "index": index})));
    }
    if let Some(error) = script.error {
        events.push(named("error", error));
    } else if script.ends {
        let reason = if script.tool.is_some() { "tool_use" } else { "end_turn" };
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        events.push(typed(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}})));
        events.push(typed(json!({"type": "message_stop"})));
    }
    events
}

fn chat(script: &Script<'_>) -> Vec<Event> {
    let chunk = |choices: Value| {
        json!({"id": "chatcmpl-lab", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": script.model,
            "choices": choices})
    };
    let delta =
        |delta: Value, finish: Value| bare(&chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}])));
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}), Value::Null)];
    events.extend(script.texts.iter().flatten().map(|text| delta(json!({"content": text}), Value::Null)));
    if let Some((name, arguments)) = &script.tool {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let call = json!({"index": 0, "id": "call_lab_1", "type": "function", "function": function});
        events.push(delta(json!({"tool_calls": [call]}), Value::Null));
    }
    if let Some(error) = script.error {
        events.push(bare(error));
    } else if script.ends {
        let finish = if script.tool.is_some() { "tool_calls" } else { "stop" };
        events.push(delta(json!({}), Value::from(finish)));
        let mut last = chunk(json!([]));
        last["usage"] = json!({"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10});
        events.push(bare(&last));
        events.push(Event { name: None, data: "[DONE]".into() });
    }
    events
}

fn responses(script: &Script<'_>) -> Vec<Event> {
    let id = format!("resp_lab{}", script.number);
    let response = |status: &str, output: &[Value]| {
        json!({"id": id, "object": "response", "created_at": 1_700_000_000, "model": script.model, "status": status,
            "output": output})
    };
    let mut events =
        vec![named("response.created", &json!({"type": "response.created", "response": response("in_progress", &[])}))];
    let mut output = Vec::new();
    for (index, text) in script.texts.iter().enumerate() {
        let item_id = format!("msg_lab{}_{index}", script.number);
        let item = |status: &str, content: Value| json!({"type": "message", "id": item_id, "role": "assistant", "status": status, "content": content});
        let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
        let added = item("in_progress", json!([]));
        events.push(named(
            "response.output_item.added",
            &json!({"type": "response.output_item.added", "output_index": index, "item": added}),
        ));
        events.push(named(
            "response.content_part.added",
            &json!({"type": "response.content_part.added", "output_index": index, "content_index": 0, "item_id": item_id,
                "part": part("")}),
        ));
        for delta in text {
            events.push(named(
                "response.output_text.delta",
                &json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0,
                    "item_id": item_id, "delta": delta}),
            ));
        }
        if script.ends || script.tool.is_some() || index + 1 < script.texts.len() {
            let done = item("completed", json!([part(&text.concat())]));
            events.push(named(
                "response.output_item.done",
                &json!({"type": "response.output_item.done", "output_index": index, "item": done}),
            ));
            output.push(done);
        }
    }
    if let Some((name, arguments)) = &script.tool {
        let call = json!({"type": "function_call", "id": "fc_lab1", "call_id": "call_lab1", "name": name,
            "arguments": arguments.to_string(), "status": "completed"});
        events.push(named(
            "response.output_item.done",
            &json!({"type": "response.output_item.done", "output_index": output.len(), "item": call}),
        ));
        output.push(call);
    }
    if let Some(error) = script.error {
        let mut failed = response("failed", &[]);
        failed["error"] = error.get("error").unwrap_or(error).clone();
        events.push(named("response.failed", &json!({"type": "response.failed", "response": failed})));
    } else if script.ends {
        let mut completed = response("completed", &output);
        completed["usage"] = json!({"input_tokens": 5, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 10});
        events.push(named("response.completed", &json!({"type": "response.completed", "response": completed})));
    }
    events
}

fn gemini(script: &Script<'_>) -> Vec<Event> {
    let chunk = |parts: Value, finish: Option<&str>| {
        let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
        if let Some(finish) = finish {
            candidate["finishReason"] = Value::from(finish);
        }
        bare(&json!({"candidates": [candidate], "modelVersion": script.model, "usageMetadata": {"promptTokenCount": 5,
            "candidatesTokenCount": 5, "totalTokenCount": 10}}))
    };
    let mut events: Vec<Event> =
        script.texts.iter().flatten().map(|text| chunk(json!([{"text": text}]), None)).collect();
    if let Some((name, arguments)) = &script.tool {
        let finish = script.error.is_none().then_some("STOP");
        events.push(chunk(json!([{"functionCall": {"name": name, "args": arguments}}]), finish));
    }
    if let Some(error) = script.error {
        events.push(bare(error));
    } else if script.ends && script.tool.is_none() {
        events.push(chunk(json!([{"text": "."}]), Some("STOP")));
    }
    events
}

/// A whole response for a request that wants no events.
pub(super) fn whole(api: Api, model: &str, text: &str) -> Value {
    match api {
        Api::Anthropic => json!({"id": "msg_lab", "type": "message", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 5, "output_tokens": 5}}),
        Api::Chat => {
            json!({"id": "chatcmpl-lab", "object": "chat.completion", "created": 1_700_000_000, "model": model,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}})
        }
        Api::Responses => json!({"id": "resp_lab", "object": "response", "created_at": 1_700_000_000,
            "status": "completed", "model": model, "output": [{"type": "message", "id": "msg_lab", "role": "assistant",
            "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}],
            "usage": {"input_tokens": 5, "output_tokens": 5, "total_tokens": 10}}),
        Api::Gemini => json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]},
            "finishReason": "STOP", "index": 0}], "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 5,
            "totalTokenCount": 10}}),
    }
}

/// The first tool of the offered ones that runs a harmless command, with its arguments.
pub(super) fn harmless_tool(offered: &[String]) -> Option<Tool> {
    const COMMAND: &str = "echo lab-tool";
    let known = [
        ("Bash", json!({"command": COMMAND, "description": "Echo"})),
        ("bash", json!({"command": COMMAND, "description": "Echo"})),
        ("run_shell_command", json!({"command": COMMAND, "description": "Echo", "is_background": false})),
        ("exec_command", json!({"cmd": COMMAND})),
        ("shell_command", json!({"command": COMMAND})),
        ("shell", json!({"command": ["echo", "lab-tool"]})),
    ];
    let found = known.into_iter().find(|(name, _)| offered.iter().any(|tool| tool == name));
    found.map(|(name, arguments)| (name.to_owned(), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(api: Api, ends: bool, tool: bool, error: Option<&Value>) -> String {
        let texts = vec![vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]];
        let tool = tool.then(|| ("Bash".to_owned(), json!({"command": "echo"})));
        let script = Script { model: "m", number: 1, texts, tool, ends, error };
        let names = events(api, &script);
        let short = |event: &Event| match (event.name, serde_json::from_str::<Value>(&event.data)) {
            (Some(name), _) => name.to_owned(),
            (None, Ok(data)) if data.get("error").is_some() => "error".into(),
            (None, Ok(data)) if data.pointer("/choices/0/finish_reason").is_some_and(|finish| !finish.is_null()) => {
                "finish".into()
            }
            (None, Ok(_)) => "chunk".into(),
            (None, Err(_)) => event.data.clone(),
        };
        names.iter().map(short).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_api_speaks_in_its_own_order() {
        let error = json!({"error": {"message": "Overloaded"}});
        let rows = [
            (
                Api::Anthropic,
                true,
                true,
                None,
                "message_start content_block_start content_block_delta content_block_delta content_block_stop content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop message_delta message_stop",
            ),
            (
                Api::Anthropic,
                false,
                false,
                Some(&error),
                "message_start content_block_start content_block_delta content_block_delta content_block_stop content_block_start content_block_delta error",
            ),
            (Api::Chat, true, false, None, "chunk chunk chunk chunk finish chunk [DONE]"),
            (Api::Chat, false, false, Some(&error), "chunk chunk chunk chunk error"),
            (
                Api::Responses,
                true,
                false,
                None,
                "response.created response.output_item.added response.content_part.added response.output_text.delta response.output_text.delta response.output_item.done response.output_item.added response.content_part.added response.output_text.delta response.output_item.done response.completed",
            ),
            (
                Api::Responses,
                false,
                false,
                Some(&error),
                "response.created response.output_item.added response.content_part.added response.output_text.delta response.output_text.delta response.output_item.done response.output_item.added response.content_part.added response.output_text.delta response.failed",
            ),
            (Api::Gemini, true, true, None, "chunk chunk chunk chunk"),
            (Api::Gemini, false, false, Some(&error), "chunk chunk chunk error"),
        ];
        let mut wrong = Vec::new();
        for (api, ends, tool, error, expected) in rows {
            let got = spoken(api, ends, tool, error);
            if got != expected {
                wrong.push(format!("{api:?} ends={ends} tool={tool}\n  expected {expected}\n  got      {got}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

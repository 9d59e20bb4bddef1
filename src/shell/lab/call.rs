//! What a request asks for: which API, a model turn or a side request.

use serde_json::Value;

use super::http::Request;

/// The four APIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Gemini generateContent.
    Gemini,
}

impl Api {
    /// Its word in logs.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic-messages",
            Self::Chat => "openai-chat",
            Self::Responses => "openai-responses",
            Self::Gemini => "gemini",
        }
    }

    /// The envelope that this API's own provider speaks.
    pub(super) const fn own_envelope(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Chat | Self::Responses => "openai",
            Self::Gemini => "gemini",
        }
    }
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A turn of the model: what a fault is applied to.
    Turn,
    /// Something an agent asks beside its turns; answered well, whatever the fault, and said in the log.
    Side(&'static str),
    /// Not a model request.
    Unknown,
}

/// A request, understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The API, when the path names one.
    pub(super) api: Option<Api>,
    /// What it is for.
    pub(super) purpose: Purpose,
    /// The model it names.
    pub(super) model: String,
    /// Whether events are wanted.
    pub(super) streams: bool,
    /// Names of the tools that were offered.
    pub(super) tools: Vec<String>,
    /// Whether the conversation holds the result of a tool.
    pub(super) tool_result: bool,
    /// The last text of the user.
    pub(super) last_text: String,
}

impl Call {
    /// Understands a request.
    pub(super) fn of(request: &Request) -> Self {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let path = request.path();
        let post = request.method == "POST";
        let api = match path {
            _ if !post => None,
            _ if path.ends_with("/messages") => Some(Api::Anthropic),
            _ if path.ends_with("/chat/completions") => Some(Api::Chat),
            _ if path.ends_with("/responses") => Some(Api::Responses),
            _ if path.contains(":streamGenerateContent") || path.contains(":generateContent") => Some(Api::Gemini),
            _ => None,
        };
        let tools = tool_names(&body);
        let (tool_result, last_text) = conversation(&body);
        let purpose = match api {
            Some(_) => turn_or_side(&body, &tools, &last_text),
            None if post && (path.ends_with("/count_tokens") || path.contains(":countTokens")) => {
                Purpose::Side("token count")
            }
            None if path.ends_with("/models") || path.contains("/models/") => Purpose::Side("model list"),
            None if path == "/" || request.method == "HEAD" => Purpose::Side("liveness probe"),
            None => Purpose::Unknown,
        };
        let in_path = path.split("/models/").nth(1).and_then(|rest| rest.split(':').next());
        let model = body.get("model").and_then(Value::as_str).or(in_path).unwrap_or_default().to_owned();
        let streams = match api {
            Some(Api::Gemini) => path.contains(":streamGenerateContent"),
            _ => body.get("stream").and_then(Value::as_bool).unwrap_or(false),
        };
        Self { api, purpose, model, streams, tools, tool_result, last_text }
    }
}

/// Without tools, and asking for a title, a topic or next to nothing: not a turn.
fn turn_or_side(body: &Value, tools: &[String], last_text: &str) -> Purpose {
    let small = |key: &str| body.get(key).and_then(Value::as_u64).is_some_and(|limit| limit <= 1);
    if small("max_tokens") || small("max_output_tokens") || small("max_completion_tokens") {
        return Purpose::Side("quota probe");
    }
    if !tools.is_empty() {
        return Purpose::Turn;
    }
    let instructions = ["system", "instructions", "systemInstruction", "system_instruction"];
    let asked: String = instructions.iter().filter_map(|key| body.get(*key)).map(Value::to_string).collect();
    let first = body.pointer("/messages/0").filter(|message| message.get("role") == Some(&Value::from("system")));
    let asked = asked + &first.map(Value::to_string).unwrap_or_default();
    let asked = asked.to_lowercase();
    if asked.contains("title") || last_text.to_lowercase().contains("short title") {
        Purpose::Side("title")
    } else if asked.contains("summar") {
        Purpose::Side("summary")
    } else {
        Purpose::Turn
    }
}

fn tool_names(body: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for tool in body.get("tools").and_then(Value::as_array).into_iter().flatten() {
        let declared = tool.get("functionDeclarations").and_then(Value::as_array);
        for place in declared.map_or_else(|| vec![tool], |declared| declared.iter().collect()) {
            let name = place.get("name").or_else(|| place.pointer("/function/name")).and_then(Value::as_str);
            names.extend(name.map(str::to_owned));
        }
    }
    names
}

/// Whether a tool's result is in the conversation, and its last text.
fn conversation(body: &Value) -> (bool, String) {
    let turns = ["messages", "input", "contents"].iter().find_map(|key| body.get(*key)).unwrap_or(&Value::Null);
    let spelled = turns.to_string();
    let marks = ["\"tool_result\"", "\"role\":\"tool\"", "\"function_call_output\"", "\"functionResponse\""];
    let tool_result = marks.iter().any(|mark| spelled.contains(mark));
    (tool_result, last_text(turns).unwrap_or_default().to_owned())
}

/// Depth first from the end: the last `text` or plain string content.
fn last_text(value: &Value) -> Option<&str> {
    match value {
        Value::Array(items) => items.iter().rev().find_map(last_text),
        Value::Object(map) => {
            let text = map.get("text").and_then(Value::as_str);
            text.or_else(|| ["content", "parts"].iter().filter_map(|key| map.get(*key)).find_map(last_text))
        }
        Value::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_understood() {
        let rows = [
            (
                "POST",
                "/v1/messages?beta=true",
                r#"{"model":"m","stream":true,"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"hi"}]}"#,
                "anthropic-messages Turn m true hi",
            ),
            (
                "POST",
                "/v1/messages",
                r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"quota"}]}"#,
                "anthropic-messages Side(\"quota probe\") m false quota",
            ),
            (
                "POST",
                "/v1/messages",
                r#"{"system":[{"type":"text","text":"Write a short Title"}],"messages":[]}"#,
                "anthropic-messages Side(\"title\")  false ",
            ),
            ("POST", "/api/v1/messages/count_tokens", "{}", "- Side(\"token count\")  false "),
            (
                "POST",
                "/v1/chat/completions",
                r#"{"messages":[{"role":"system","content":"You are a title generator"},{"role":"user","content":"x"}]}"#,
                "openai-chat Side(\"title\")  false x",
            ),
            (
                "POST",
                "/v1/responses",
                r#"{"input":[{"role":"user","content":[{"type":"input_text","text":"Write a short title"}]}]}"#,
                "openai-responses Side(\"title\")  false Write a short title",
            ),
            (
                "POST",
                "/v1/responses",
                r#"{"model":"g","stream":true,"tools":[{"type":"function","name":"shell"}],"input":[{"role":"user","content":[{"type":"input_text","text":"go"}]}]}"#,
                "openai-responses Turn g true go",
            ),
            (
                "POST",
                "/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
                r#"{"contents":[{"role":"user","parts":[{"text":"hey"}]}]}"#,
                "gemini Turn gemini-x true hey",
            ),
            ("POST", "/v1beta/models/gemini-x:countTokens", "{}", "- Side(\"token count\") gemini-x false "),
            ("GET", "/v1/models", "", "- Side(\"model list\")  false "),
            ("HEAD", "/", "", "- Side(\"liveness probe\")  false "),
            ("GET", "/nowhere", "not json", "- Unknown  false "),
        ];
        let mut wrong = Vec::new();
        for (method, target, body, expected) in rows {
            let request =
                Request { method: method.into(), target: target.into(), headers: Vec::new(), body: body.into() };
            let call = Call::of(&request);
            let api = call.api.map_or("-", Api::as_str);
            let got = format!("{api} {:?} {} {} {}", call.purpose, call.model, call.streams, call.last_text);
            if got != expected {
                wrong.push(format!("{method} {target}: expected {expected}, got {got}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn tools_and_their_results_are_seen_in_every_api() {
        for (body, tools, result) in [
            (r#"{"tools":[{"name":"Bash"}],"messages":[{"content":[{"type":"tool_result"}]}]}"#, "Bash", true),
            (r#"{"tools":[{"function":{"name":"sh"}}],"messages":[{"role":"tool"}]}"#, "sh", true),
            (
                r#"{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]}],"contents":[{"parts":[{"functionResponse":{}}]}]}"#,
                "a,b",
                true,
            ),
            (r#"{"input":[{"type":"function_call_output"}]}"#, "", true),
            (r#"{"input":"tool_result in prose"}"#, "", false),
        ] {
            let body: Value = serde_json::from_str(body).unwrap();
            assert_eq!((tool_names(&body).join(","), conversation(&body).0), (tools.to_owned(), result), "{body}");
        }
    }
}

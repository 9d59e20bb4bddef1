//! One line of JSON in, one evidence out: the format other programs use.
//!
//! Invariant: a line that is not valid gives an error with the line's id when that can be read, never a panic.
//!
//! Must not know: what evidence means.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::vocab::{AgentId, ModelId, Phase};

use super::{Evidence, Signal, failure_text};

/// Longest `errorKind`, in bytes (criterion .22).
const ERROR_KIND_LIMIT_BYTES: usize = 64;

/// A valid line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The id as it was given; `None` when the line has none.
    pub id: Option<Value>,
    /// The evidence.
    pub evidence: Evidence,
    /// The line's own clock.
    pub now: Option<Timestamp>,
}

/// A line that is not valid. Reads after "failed to read evidence: ".
#[derive(Debug, Clone, PartialEq)]
pub struct LineError {
    /// The id, when it can be read.
    pub id: Option<Value>,
    /// Stable code such as `refrain::evidence::json`.
    pub code: &'static str,
    /// What is wrong; never a piece of the input other than a key or a closed word.
    pub message: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LineError {}

/// Parses one line.
///
/// # Errors
/// When the line is no JSON object, a field has the wrong type, a word is unknown, or there is neither `signals` nor
/// `text`.
pub fn parse(line: &str) -> Result<Line, LineError> {
    if line.trim_start().starts_with('[') {
        let message = "a line is a JSON object".to_owned();
        return Err(LineError { id: None, code: "refrain::evidence::invalid", message });
    }
    let mut parsed: WireLine<'_> = serde_json::from_str(line).map_err(|error| unreadable(line, &error))?;
    let id = parsed.id.take();
    match build(parsed) {
        Ok((evidence, now)) => Ok(Line { id, evidence, now }),
        Err((code, message)) => Err(LineError { id, code, message }),
    }
}

/// Code and message of a problem.
type Problem = (&'static str, String);

#[derive(Deserialize)]
struct WireLine<'a> {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default, borrow)]
    provider: Option<Word<'a>>,
    #[serde(default, borrow)]
    model: Option<Word<'a>>,
    #[serde(default, borrow)]
    phase: Option<Word<'a>>,
    #[serde(default, borrow)]
    now: Option<Word<'a>>,
    #[serde(default, borrow)]
    signals: Option<Vec<WireSignal<'a>>>,
    #[serde(default)]
    text: Option<String>,
}

/// A short text. Inside an `Option` only a type of its own is borrowed from the line.
#[derive(Deserialize)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct WireSignal<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    code: Option<i64>,
    #[serde(default)]
    signal: Option<i32>,
    #[serde(default)]
    data: Option<ErrorData>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    headers: Option<Headers>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    meta: Option<Value>,
}

fn build(line: WireLine<'_>) -> Result<(Evidence, Option<Timestamp>), Problem> {
    let phase = match line.phase {
        None => Phase::PromptSend,
        Some(Word(word)) => word.parse().map_err(|error: crate::vocab::UnknownWord| {
            ("refrain::evidence::phase", format!("unknown phase, known are {}", error.known.join(", ")))
        })?,
    };
    let now = match line.now {
        None => None,
        Some(Word(text)) => Some(
            text.parse::<Timestamp>()
                .map_err(|_| ("refrain::evidence::now", "`now` is no RFC 3339 time with a zone".to_owned()))?,
        ),
    };
    // Malformed identities are dropped, as at the boundary (criterion .22).
    let mut evidence = Evidence::new(phase)
        .with_provider(line.provider.and_then(|Word(text)| AgentId::new(&text).ok()))
        .with_model(line.model.and_then(|Word(text)| ModelId::new(&text).ok()));
    match (line.signals, line.text) {
        (Some(signals), None) => {
            for (index, signal) in signals.into_iter().enumerate() {
                if let Some(signal) = convert(signal, index)? {
                    evidence.push(signal);
                }
            }
        }
        (None, Some(text)) => evidence.push(Signal::MessageChunk { text }),
        (None, None) => return Err(("refrain::evidence::empty", "a line needs `signals` or `text`".into())),
        (Some(_), Some(_)) => {
            return Err(("refrain::evidence::ambiguous", "a line has either `signals` or `text`".into()));
        }
    }
    Ok((evidence, now))
}

/// One signal; `None` for tool output, which is accepted and is never evidence.
fn convert(signal: WireSignal<'_>, index: usize) -> Result<Option<Signal>, Problem> {
    let missing = |key: &str| ("refrain::evidence::missing", format!("signal {index} needs `{key}`"));
    Ok(Some(match signal.kind.as_ref() {
        "prompt_error" => Signal::PromptError {
            rpc_code: signal.code.and_then(|code| i32::try_from(code).ok()).filter(|code| *code != 0),
            message: signal.message.ok_or_else(|| missing("message"))?,
            error_kind: signal.data.and_then(|data| data.error_kind),
        },
        "message_chunk" => Signal::MessageChunk { text: signal.text.ok_or_else(|| missing("text"))? },
        "stderr" => Signal::Stderr { text: signal.text.ok_or_else(|| missing("text"))? },
        "prompt_result" => Signal::PromptResult {
            stop_reason: signal.stop_reason.ok_or_else(|| missing("stop_reason"))?,
            failure: signal.meta.as_ref().and_then(failure_text),
        },
        "exit" => {
            let code = signal.code.and_then(|code| i32::try_from(code).ok());
            if code.is_none() && signal.signal.is_none() {
                return Err(missing("code"));
            }
            Signal::Exit { code, signal: signal.signal }
        }
        "http" => Signal::Http {
            status: signal.status.ok_or_else(|| missing("status"))?,
            headers: signal.headers.map(|headers| headers.0).unwrap_or_default(),
        },
        "tool_output" => return Ok(None),
        _ => {
            return Err((
                "refrain::evidence::kind",
                format!(
                    "signal {index} has an unknown kind, known are prompt_error, message_chunk, stderr, prompt_result, exit, http, tool_output"
                ),
            ));
        }
    }))
}

fn unreadable(line: &str, error: &serde_json::Error) -> LineError {
    let id = serde_json::from_str::<Value>(line).ok().and_then(|value| value.get("id").cloned());
    let id = id.or_else(|| guessed_id(line));
    let code = if error.is_data() { "refrain::evidence::invalid" } else { "refrain::evidence::json" };
    LineError { id, code, message: described(error) }
}

/// Serde's message without the values it quotes: only backquoted words, which are field names, stay.
fn described(error: &serde_json::Error) -> String {
    let place = format!("at column {}", error.column());
    if !error.is_data() {
        return format!("the line is no complete JSON {place}");
    }
    let text = error.to_string();
    let kind = ["missing field", "duplicate field", "invalid type", "invalid value"]
        .iter()
        .find(|kind| text.starts_with(**kind))
        .copied()
        .unwrap_or("invalid content");
    let field = text.split('`').nth(1).filter(|_| kind.ends_with("field")).map(|name| format!(" `{name}`"));
    format!("{kind}{} {place}", field.unwrap_or_default())
}

/// The id of a broken line, when it stands there as a plain string.
fn guessed_id(line: &str) -> Option<Value> {
    let after = &line[line.find("\"id\"")? + 4..];
    let text = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let end = text.find('"')?;
    let id = &text[..end];
    (id.len() <= 256 && !id.contains('\\')).then(|| Value::String(id.to_owned()))
}

/// The allowlisted part of `data`; everything else is dropped unread (criterion .22).
struct ErrorData {
    error_kind: Option<String>,
}

impl<'de> Deserialize<'de> for ErrorData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ErrorDataVisitor)
    }
}

struct ErrorDataVisitor;

/// Answers a scalar `data`, which has nothing that may cross.
macro_rules! nothing_crosses {
    ($($method:ident($type:ty);)+) => { $(
        fn $method<E>(self, _: $type) -> Result<ErrorData, E> {
            Ok(ErrorData { error_kind: None })
        }
    )+ };
}

impl<'de> Visitor<'de> for ErrorDataVisitor {
    type Value = ErrorData;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    nothing_crosses! {
        visit_bool(bool);
        visit_i64(i64);
        visit_u64(u64);
        visit_f64(f64);
        visit_str(&str);
    }

    fn visit_unit<E>(self) -> Result<ErrorData, E> {
        Ok(ErrorData { error_kind: None })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<ErrorData, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(ErrorData { error_kind: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ErrorData, A::Error> {
        let mut error_kind = None;
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if key == "errorKind" {
                error_kind = map.next_value::<Value>()?.as_str().filter(|text| is_kind(text)).map(str::to_owned);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(ErrorData { error_kind })
    }
}

fn is_kind(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= ERROR_KIND_LIMIT_BYTES
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

/// Retry and rate-limit headers in lower case; all others are dropped.
struct Headers(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HeadersVisitor;
        impl<'de> Visitor<'de> for HeadersVisitor {
            type Value = Headers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of headers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Headers, A::Error> {
                let mut headers = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let name = name.to_ascii_lowercase();
                    let text = match map.next_value::<Value>()? {
                        Value::String(text) => text,
                        Value::Number(number) => number.to_string(),
                        _ => continue,
                    };
                    if name.contains("retry-after") || name.contains("ratelimit") {
                        headers.push((name, text));
                    }
                }
                Ok(Headers(headers))
            }
        }
        deserializer.deserialize_map(HeadersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_lines_become_evidence() {
        let line = parse(
            r#"{"id":"r1","provider":"claude-acp","phase":"streaming","now":"2026-11-30T12:00:00Z","signals":[
            {"kind":"prompt_error","code":-32603,"message":"m","data":{"errorKind":"server_error","secret":1}},
            {"kind":"tool_output","text":"x"},{"kind":"exit","code":127},
            {"kind":"http","status":429,"headers":{"Retry-After":20,"cookie":"c"}},
            {"kind":"prompt_result","stop_reason":"end_turn","meta":{"error":{"message":"busy"}}}]}"#,
        )
        .unwrap();
        assert_eq!(line.id, Some(Value::from("r1")));
        assert_eq!(
            line.evidence.signals(),
            [
                Signal::PromptError {
                    rpc_code: Some(-32603),
                    message: "m".into(),
                    error_kind: Some("server_error".into())
                },
                Signal::Exit { code: Some(127), signal: None },
                Signal::Http { status: 429, headers: vec![("retry-after".into(), "20".into())] },
                Signal::PromptResult { stop_reason: "end_turn".into(), failure: Some("busy".into()) },
            ]
        );
        assert_eq!(parse(r#"{"text":"t"}"#).unwrap().evidence.signals().len(), 1);
    }

    #[test]
    fn invalid_lines_name_code_and_id() {
        let mut wrong = Vec::new();
        for (line, id, code) in [
            ("", None, "refrain::evidence::json"),
            ("not json", None, "refrain::evidence::json"),
            (r#"{"id":"a","signals":["#, Some("a"), "refrain::evidence::json"),
            (r#"{"id":"a"}"#, Some("a"), "refrain::evidence::empty"),
            (r#"{"id":"a","signals":[{"kind":"nope"}]}"#, Some("a"), "refrain::evidence::kind"),
            (r#"{"id":"a","signals":[{"kind":"stderr"}]}"#, Some("a"), "refrain::evidence::missing"),
            (r#"{"id":"a","signals":[{"kind":"http","status":"x"}]}"#, Some("a"), "refrain::evidence::invalid"),
            (r#"{"id":"a","signals":3}"#, Some("a"), "refrain::evidence::invalid"),
            (r#"{"id":"a","signals":[],"phase":"later"}"#, Some("a"), "refrain::evidence::phase"),
            (r#"{"id":"a","signals":[],"now":"noon"}"#, Some("a"), "refrain::evidence::now"),
            (r#"{"id":"a","signals":[],"text":"x"}"#, Some("a"), "refrain::evidence::ambiguous"),
            (r#"{"id":"a","id":"b","signals":[]}"#, Some("b"), "refrain::evidence::invalid"),
            ("[1]", None, "refrain::evidence::invalid"),
        ] {
            let got = parse(line).unwrap_err();
            if got.code != code || got.id != id.map(Value::from) {
                wrong.push(format!("{line}: {got:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn data_of_any_type_is_dropped() {
        for data in
            ["null", "1", "-1", "1.5", "true", "\"text\"", "[1,{}]", "{\"errorKind\":[1]}", "{\"errorKind\":\"a b\"}"]
        {
            let line = format!(r#"{{"signals":[{{"kind":"prompt_error","message":"m","data":{data}}}]}}"#);
            let parsed = parse(&line).unwrap();
            assert!(
                matches!(&parsed.evidence.signals()[0], Signal::PromptError { error_kind: None, .. }),
                "{data}: {parsed:?}"
            );
        }
    }
}

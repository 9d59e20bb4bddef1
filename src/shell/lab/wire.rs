//! One reply on one connection.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::call::{Api, Call};
use super::http::{close_events, open_events, reset, respond, send_event};
use super::scenario::{Close, Envelope, ErrorReply, Facts, Reply, Say};
use super::speech::{Script, events, harmless_tool, whole};
use crate::shell::clock::Stopwatch;
use crate::shell::threads::pause;

/// Longest stall; an agent's own patience is shorter.
const STALL: Duration = Duration::from_secs(600);
/// Between two events, so that an agent sees them one by one.
const BETWEEN_EVENTS: Duration = Duration::from_millis(10);
/// Before a connection is cut, so that what was said arrives.
const BEFORE_CUT: Duration = Duration::from_millis(200);

const JSON: &str = "application/json";

/// Whether the connection can take another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// It can.
    KeepAlive,
    /// It ends.
    Close,
}

/// What a reply needs to know.
pub(super) struct Context<'a> {
    pub(super) envelope: &'a Envelope,
    pub(super) facts: Facts<'a>,
    pub(super) number: usize,
    pub(super) stop: &'a AtomicBool,
}

/// Performs a reply. What was done, for the log.
///
/// # Errors
/// When the client is gone.
pub(super) fn perform(
    stream: &mut TcpStream,
    call: &Call,
    reply: &Reply,
    context: &Context<'_>,
) -> io::Result<(Next, String)> {
    let api = call.api.unwrap_or(Api::Anthropic);
    if let Some(error) = reply.error.as_ref().and_then(|id| context.envelope.errors.get(id)) {
        return http_error(stream, error, context);
    }
    if let Some(page) = &reply.page {
        respond(stream, page.status, &page.content_type, &[], &page.body, false)?;
        return Ok((Next::KeepAlive, format!("HTTP {} {}", page.status, page.content_type)));
    }
    if let Some(close) = reply.close {
        return Ok(cut(stream, close));
    }
    match &reply.say {
        Some(say) if call.streams => speak(stream, api, call, say, context),
        Some(say) => whole_reply(stream, api, call, say, context),
        None => Ok(stall(stream, context.stop)),
    }
}

fn headers(context: &Context<'_>, error: Option<&ErrorReply>) -> Vec<(String, String)> {
    let more = error.map(|error| &error.headers).into_iter().flatten();
    context.envelope.headers.iter().chain(more).map(|(name, value)| (name.clone(), context.facts.fill(value))).collect()
}

fn http_error(stream: &mut TcpStream, error: &ErrorReply, context: &Context<'_>) -> io::Result<(Next, String)> {
    let body = context.facts.fill_json(&error.body).to_string();
    respond(stream, error.status, JSON, &headers(context, Some(error)), &body, false)?;
    Ok((Next::KeepAlive, format!("HTTP {}", error.status)))
}

fn cut(stream: &TcpStream, close: Close) -> (Next, String) {
    match close {
        Close::Reset => {
            reset(stream);
            (Next::Close, "reset".into())
        }
        Close::Orderly => (Next::Close, "closed".into()),
    }
}

/// Until the client closes, the lab stops, or the bound is reached.
fn stall(stream: &TcpStream, stop: &AtomicBool) -> (Next, String) {
    let watch = Stopwatch::start();
    let mut byte = [0];
    while !watch.left(STALL).is_zero() && !stop.load(Ordering::Relaxed) {
        // Peeking waits for the read timeout of the connection.
        match stream.peek(&mut byte) {
            Ok(0) => break,
            Err(error) if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => break,
            _ => pause(Duration::from_millis(50)),
        }
    }
    (Next::Close, format!("stalled for {} ms", watch.milliseconds()))
}

fn speak(
    stream: &mut TcpStream,
    api: Api,
    call: &Call,
    say: &Say,
    context: &Context<'_>,
) -> io::Result<(Next, String)> {
    let tool = if say.tool { harmless_tool(&call.tools) } else { None };
    let error = say.then_error.as_ref().and_then(|id| context.envelope.errors.get(id));
    let error = error.map(|error| stream_error(api, &context.facts.fill_json(&error.body)));
    let cut_short = say.then_error.is_some() || say.then_close.is_some() || say.then_stall;
    let texts = say.texts.iter().map(|text| deltas(&context.facts.fill(text), say.delta_bytes)).collect();
    let script =
        Script { model: &call.model, number: context.number, texts, tool, ends: !cut_short, error: error.as_ref() };
    open_events(stream, &headers(context, None))?;
    for event in events(api, &script) {
        if event.name == Some("error") || event.data.contains("\"error\"") {
            pause(BEFORE_CUT);
        }
        send_event(stream, event.name, &event.data)?;
        pause(BETWEEN_EVENTS);
    }
    let said =
        format!("said {} texts{}", say.texts.len(), if script.tool.is_some() { " and called a tool" } else { "" });
    if let Some(close) = say.then_close {
        pause(BEFORE_CUT);
        let (next, how) = cut(stream, close);
        return Ok((next, format!("{said}, then {how}")));
    }
    if say.then_stall {
        let (next, how) = stall(stream, context.stop);
        return Ok((next, format!("{said}, then {how}")));
    }
    close_events(stream)?;
    let how = say.then_error.as_ref().map_or_else(String::new, |id| format!(", then the error event {id}"));
    Ok((if error.is_some() { Next::Close } else { Next::KeepAlive }, said + &how))
}

/// Inside of a stream, Anthropic's error event carries a `type`; everybody else sends the body.
fn stream_error(api: Api, body: &Value) -> Value {
    if api != Api::Anthropic || body.get("type").is_some() {
        return body.clone();
    }
    let mut event = json!({"type": "error"});
    if let (Some(event), Some(body)) = (event.as_object_mut(), body.as_object()) {
        event.extend(body.clone());
    }
    event
}

/// A request that wants no events: a stream that would break becomes an error or a reset.
fn whole_reply(
    stream: &mut TcpStream,
    api: Api,
    call: &Call,
    say: &Say,
    context: &Context<'_>,
) -> io::Result<(Next, String)> {
    if let Some(error) = say.then_error.as_ref().and_then(|id| context.envelope.errors.get(id)) {
        return http_error(stream, error, context);
    }
    if let Some(close) = say.then_close {
        return Ok(cut(stream, close));
    }
    if say.then_stall {
        return Ok(stall(stream, context.stop));
    }
    let text = say.texts.iter().map(|text| context.facts.fill(text)).collect::<Vec<_>>().join("\n");
    respond(stream, 200, JSON, &headers(context, None), &whole(api, &call.model, &text).to_string(), false)?;
    Ok((Next::KeepAlive, "answered".into()))
}

/// Answers a side request well, whatever the fault.
///
/// # Errors
/// When the client is gone.
pub(super) fn side(stream: &mut TcpStream, call: &Call, path: &str, head_only: bool) -> io::Result<()> {
    if let Some(api) = call.api {
        if !call.streams {
            return respond(stream, 200, JSON, &[], &whole(api, &call.model, "Lab").to_string(), head_only);
        }
        let texts = vec![vec!["Lab".to_owned()]];
        let script = Script { model: &call.model, number: 0, texts, tool: None, ends: true, error: None };
        open_events(stream, &[])?;
        for event in events(api, &script) {
            send_event(stream, event.name, &event.data)?;
        }
        return close_events(stream);
    }
    let body = if path.ends_with("/count_tokens") || path.contains(":countTokens") {
        json!({"input_tokens": 10, "totalTokens": 10})
    } else if path.contains("/models") {
        let model = |id: &str| {
            json!({"id": id, "object": "model", "type": "model", "display_name": id, "created": 1_700_000_000,
                "created_at": "2024-01-01T00:00:00Z", "owned_by": "lab"})
        };
        json!({"object": "list", "has_more": false, "first_id": "lab-model", "last_id": "lab-model",
            "data": [model("lab-model")], "models": []})
    } else {
        json!({})
    };
    respond(stream, 200, JSON, &[], &body.to_string(), head_only)
}

/// Says that there is nothing here.
///
/// # Errors
/// When the client is gone.
pub(super) fn nothing_here(stream: &mut TcpStream, head_only: bool) -> io::Result<()> {
    let body = json!({"error": {"message": "the lab has no such route"}});
    respond(stream, 404, JSON, &[], &body.to_string(), head_only)
}

fn deltas(text: &str, bytes: Option<usize>) -> Vec<String> {
    let Some(bytes) = bytes.filter(|bytes| *bytes > 0) else { return vec![text.to_owned()] };
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = bytes.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        parts.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    parts
}

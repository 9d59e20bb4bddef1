//! The fault server over real sockets: status, headers, streams and cuts, for every API, and its log.

#![cfg(unix)]
#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, reason = "a test that can not go on says so")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use refrain::shell::lab::{Lab, LabData, LabOptions};

const ANTHROPIC: (&str, &str) =
    ("/v1/messages", r#"{"model":"m","stream":true,"tools":[{"name":"Bash"}],"messages":[]}"#);
const CHAT: (&str, &str) =
    ("/v1/chat/completions", r#"{"model":"m","stream":true,"tools":[{"function":{"name":"bash"}}],"messages":[]}"#);
const RESPONSES: (&str, &str) =
    ("/v1/responses", r#"{"model":"m","stream":true,"tools":[{"name":"shell"}],"input":[]}"#);
const GEMINI: (&str, &str) = (
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    r#"{"contents":[],"tools":[{"functionDeclarations":[{"name":"run_shell_command"}]}]}"#,
);

fn lab(fault: &str, change: impl FnOnce(&mut LabOptions, &LabData)) -> Lab {
    let data = LabData::embedded().unwrap();
    let fault = data.faults[fault].clone();
    let mut options = LabOptions { fault, envelope: None, fail_first: None, text: None, port: 0 };
    change(&mut options, &data);
    Lab::start(options, data).unwrap()
}

/// The whole answer to one request on a connection of its own, and how the connection ended.
fn ask(lab: &Lab, target: &str, body: &str) -> (String, Option<std::io::ErrorKind>) {
    let mut stream = TcpStream::connect(lab.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(1_500))).unwrap();
    let request = format!(
        "POST {target} HTTP/1.1\r\nhost: lab\r\nx-api-key: none\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let (mut answer, mut buffer) = (Vec::new(), [0; 4_096]);
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return (String::from_utf8_lossy(&answer).into_owned(), None),
            Ok(count) => {
                answer.extend_from_slice(&buffer[..count]);
                let text = String::from_utf8_lossy(&answer);
                // A kept connection does not end by itself: a whole answer is enough.
                if text.ends_with("0\r\n\r\n") || is_whole(&text) {
                    return (text.into_owned(), None);
                }
            }
            Err(error) => return (String::from_utf8_lossy(&answer).into_owned(), Some(error.kind())),
        }
    }
}

fn is_whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    length == Some(body.len())
}

#[test]
fn every_status_comes_in_the_envelope_of_its_api() {
    let rows = [
        ("529", ANTHROPIC, "HTTP/1.1 529 Overloaded", "overloaded_error"),
        ("529", RESPONSES, "HTTP/1.1 529", "server_is_overloaded"),
        ("529", GEMINI, "HTTP/1.1 503", "The model is overloaded"),
        ("400-context", ANTHROPIC, "HTTP/1.1 400", "prompt is too long"),
        ("401", CHAT, "HTTP/1.1 401", "invalid_api_key"),
        ("402", ANTHROPIC, "HTTP/1.1 402", "billing_error"),
        ("403", GEMINI, "HTTP/1.1 403", "PERMISSION_DENIED"),
        ("404", CHAT, "HTTP/1.1 404", "The model `m` does not exist"),
        ("413", ANTHROPIC, "HTTP/1.1 413", "request_too_large"),
        ("429-retry-after", ANTHROPIC, "HTTP/1.1 429", "retry-after: 2\r\n"),
        ("429-reset", ANTHROPIC, "HTTP/1.1 429", "anthropic-ratelimit-unified-reset: 1"),
        ("500", CHAT, "HTTP/1.1 500", "server_error"),
        ("503-html", ANTHROPIC, "HTTP/1.1 503", "<center><h1>503 Service Temporarily Unavailable"),
        ("504", RESPONSES, "HTTP/1.1 504", "Request timed out"),
        ("200-html", ANTHROPIC, "HTTP/1.1 200", "<html><body>Sign in"),
    ];
    let mut wrong = Vec::new();
    for (fault, (target, body), status, part) in rows {
        let (answer, end) = ask(&lab(fault, |_, _| {}), target, body);
        if !answer.starts_with(status) || !answer.contains(part) || end.is_some() {
            wrong.push(format!("{fault} {target}: expected {status} with {part}\n{answer}\n{end:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_envelope_can_be_chosen_for_any_api() {
    for (envelope, part) in [("openrouter", "Provider returned error"), ("teamclaude", "overloaded_error")] {
        let lab = lab("529", |options, data| options.envelope = Some(data.envelopes[envelope].clone()));
        let (answer, _) = ask(&lab, ANTHROPIC.0, ANTHROPIC.1);
        assert!(answer.contains(part), "{envelope}: {answer}");
    }
}

#[test]
fn streams_break_where_they_should() {
    let rows = [
        ("reset", ANTHROPIC, "", true),
        ("close-mid-stream", ANTHROPIC, "Hello from t", true),
        ("close-mid-stream", GEMINI, "Hello from t", true),
        ("error-first", ANTHROPIC, "event: error", false),
        ("error-after-text", ANTHROPIC, "event: error", false),
        ("error-after-text", CHAT, "overloaded", false),
        ("error-after-text", RESPONSES, "response.failed", false),
        ("error-after-text", GEMINI, "UNAVAILABLE", false),
        ("tool-then-error", ANTHROPIC, "tool_use", false),
        ("tool-then-error", CHAT, "tool_calls", false),
        ("tool-then-error", RESPONSES, "function_call", false),
        ("tool-then-error", GEMINI, "functionCall", false),
        ("ok", ANTHROPIC, "message_stop", false),
        ("ok", CHAT, "[DONE]", false),
        ("ok", RESPONSES, "response.completed", false),
        ("ok", GEMINI, "STOP", false),
    ];
    let mut wrong = Vec::new();
    for (fault, (target, body), part, cut) in rows {
        let (answer, end) = ask(&lab(fault, |_, _| {}), target, body);
        let was_cut = end == Some(std::io::ErrorKind::ConnectionReset);
        if !answer.contains(part) || was_cut != cut {
            wrong.push(format!("{fault} {target}: expected {part:?}, cut {cut}; ended {end:?}\n{answer}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stall_is_silent_and_ends_with_the_lab() {
    let stalled = lab("stall", |_, _| {});
    let (answer, end) = ask(&stalled, ANTHROPIC.0, ANTHROPIC.1);
    assert_eq!(answer, "");
    assert!(matches!(end, Some(std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)), "{end:?}");
    drop(stalled);
}

#[test]
fn failures_can_be_counted() {
    let counted = lab("529", |options, _| options.fail_first = Some(2));
    let statuses: Vec<bool> =
        (0..3).map(|_| ask(&counted, ANTHROPIC.0, ANTHROPIC.1).0.starts_with("HTTP/1.1 200")).collect();
    assert_eq!(statuses, [false, false, true]);
    assert_eq!(counted.turns(), 3);
    let scripted = lab("fail-then-succeed", |_, _| {});
    let statuses: Vec<bool> =
        (0..3).map(|_| ask(&scripted, ANTHROPIC.0, ANTHROPIC.1).0.starts_with("HTTP/1.1 200")).collect();
    assert_eq!(statuses, [false, false, true]);
}

#[test]
fn side_requests_are_answered_and_said() {
    let lab = lab("529", |_, _| {});
    let title =
        r#"{"model":"m","stream":true,"system":"Write a title","messages":[{"role":"user","content":"my words"}]}"#;
    assert!(ask(&lab, "/v1/messages", title).0.contains("message_stop"));
    assert!(ask(&lab, "/v1/messages/count_tokens", "{}").0.contains("input_tokens"));
    assert!(ask(&lab, "http://api.example.com/v1/messages", ANTHROPIC.1).0.starts_with("HTTP/1.1 529"));
    assert!(ask(&lab, "/elsewhere", "{}").0.starts_with("HTTP/1.1 404"));
    // An event is noted when its answer is out, so two of different connections may change places.
    let mut events = Vec::new();
    for _ in 0..100 {
        events.extend(lab.take_events().iter().map(|event| format!("{} -> {}", event.purpose, event.reply)));
        if events.len() == 4 {
            break;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    events.sort();
    let expected = [
        "side request: title -> answered",
        "side request: token count -> answered",
        "turn 1 -> HTTP 529",
        "unknown -> HTTP 404",
    ];
    assert_eq!(events, expected);
    assert_eq!(lab.turns(), 1);
}

#[test]
fn the_text_of_the_model_can_be_given() {
    let lab = lab("prose-matched", |options, _| options.text = Some("busy at {host} {unknown}".into()));
    let (answer, _) = ask(&lab, ANTHROPIC.0, ANTHROPIC.1);
    assert!(answer.contains(&format!("busy at {} {{unknown}}", lab.address())), "{answer}");
}

#[test]
fn what_is_no_http_does_no_harm() {
    let lab = lab("529", |_, _| {});
    for bytes in [
        &b"\xff\xfe\n\n"[..],
        b"GET\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
        b"GET / HTTP/1.1\r\nbroken\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(lab.address()).unwrap();
        stream.write_all(bytes).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut answer = Vec::new();
        // A refused connection may be reset: both are fine, a hang is not.
        let ended = stream.read_to_end(&mut answer).map_err(|error| error.kind());
        assert!(
            !matches!(ended, Err(std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)),
            "{bytes:?}: {ended:?}"
        );
    }
    assert!(ask(&lab, ANTHROPIC.0, ANTHROPIC.1).0.starts_with("HTTP/1.1 529"));
}

//! What each kind of line becomes.

use proptest::prelude::*;

use super::*;

fn word(frame: &Frame) -> &'static str {
    match frame {
        Frame::Request { .. } => "request",
        Frame::Notification { .. } => "notification",
        Frame::Response { outcome: Ok(_), .. } => "result",
        Frame::Response { outcome: Err(_), .. } => "error",
        Frame::Malformed(defect) => defect.word(),
    }
}

#[test]
fn every_kind_of_line_has_a_frame() {
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let bottomless = "[".repeat(80_000);
    let rows: Vec<(&[u8], &str)> = vec![
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}", "request"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", "request"),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{}}\r\n", "notification"),
        (b"{\"id\":\"a\",\"result\":null}", "result"),
        (b"{\"id\":1,\"result\":{},\"error\":null}", "result"),
        (b"{\"id\":1,\"error\":{\"code\":-32603,\"message\":\"m\",\"data\":[1]}}", "error"),
        (b"{\"id\":1,\"result\":null,\"error\":{\"code\":-32603,\"message\":\"m\"}}", "error"),
        (b"", "blank"),
        (b" \t\r\n", "blank"),
        (b"\xff\xfe", "not_utf8"),
        (b"{\"id\":1,\"result\":\"\\ud800\"}", "not_utf8"),
        (b"\xef\xbb\xbf{\"id\":1,\"result\":1}", "not_json"),
        (b"[session] started", "not_json"),
        (b"{\"id\":1,\"result\":1e999}", "not_json"),
        (b"{\"id\":1,\"result\":1} {}", "not_json"),
        (b"{\"id\":1,\"resul", "not_json"),
        (deep.as_bytes(), "too_deep"),
        (bottomless.as_bytes(), "too_deep"),
        (b"{\"id\":1,\"id\":2,\"result\":1}", "duplicate_key"),
        (b"{\"id\":1,\"result\":{\"a\":[{\"b\":1,\"b\":1}]}}", "duplicate_key"),
        (b"[{\"id\":1,\"result\":1}]", "batch"),
        (b"\"text\"", "not_an_object"),
        (b"17", "not_an_object"),
        (b"{}", "not_json_rpc"),
        (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":1}", "not_json_rpc"),
        (b"{\"result\":1}", "not_json_rpc"),
        (b"{\"id\":1}", "not_json_rpc"),
        (b"{\"id\":1.5,\"result\":1}", "bad_id"),
        (b"{\"id\":[],\"result\":1}", "bad_id"),
        (b"{\"method\":1}", "bad_method"),
        (b"{\"id\":1,\"result\":1,\"error\":{\"code\":1,\"message\":\"m\"}}", "two_outcomes"),
        (b"{\"id\":1,\"error\":\"boom\"}", "bad_error"),
        (b"{\"id\":1,\"error\":{\"code\":\"-32603\",\"message\":\"m\"}}", "bad_error"),
        (b"{\"id\":1,\"error\":{\"code\":99999999999,\"message\":\"m\"}}", "bad_error"),
        (b"{\"id\":1,\"error\":{\"code\":1}}", "bad_error"),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .filter(|(line, expected)| word(&decode(line)) != *expected)
        .map(|(line, expected)| {
            let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
            format!("{shown}: expected {expected}, got {}", word(&decode(line)))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(word(&decode(&vec![b' '; SIZE_LIMIT_BYTES + 1])), "too_large");
}

#[test]
fn every_defect_has_its_own_word() {
    let mut words: Vec<_> = Defect::ALL.iter().map(|defect| defect.word()).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), Defect::ALL.len());
}

#[test]
fn a_session_update_needs_a_session_and_an_object() {
    for (params, readable) in [
        (r#"{"sessionId":"s","update":{}}"#, true),
        (r#"{"sessionId":1,"update":{}}"#, false),
        (r#"{"sessionId":"s","update":[]}"#, false),
        (r#"{"update":{}}"#, false),
        ("null", false),
        ("[]", false),
    ] {
        let params: Value = serde_json::from_str(params).unwrap();
        assert_eq!(session_update(&params).is_some(), readable, "{params}");
    }
}

proptest! {
    #[test]
    fn no_bytes_are_refused_or_panic(line in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&line);
    }

    #[test]
    fn nothing_json_like_panics(line in "[\\[\\]{}\",:a-z0-9\\\\ue\\-. ]{0,80}") {
        let _ = decode(line.as_bytes());
    }
}

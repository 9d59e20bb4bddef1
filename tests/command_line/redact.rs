//! `refrain redact`.

use std::fs;

use super::run::{project, refrain_in, refrain_with};

/// Fake values, built from parts so that no scanner mistakes this file for a leak.
fn key() -> String {
    ["s", "k-", "ant-api03-", "Zk3Qw9Lm2Xv7Bn4Tc8Rd5Yh1Jf6Gs0Pa"].concat()
}

fn mail() -> String {
    ["some.person", "@", "mail.example.org"].concat()
}

fn transcript(chunk: &str, message: &str) -> String {
    let update =
        serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": chunk}});
    let lines = [
        serde_json::json!({"t_ms": 1, "dir": "client_to_agent", "frame": {"id": 2, "method": "session/prompt", "params": {"sessionId": "s"}}}),
        serde_json::json!({"t_ms": 2, "dir": "agent_to_client", "frame": {"method": "session/update", "params": {"sessionId": "s", "update": update}}}),
        serde_json::json!({"t_ms": 3, "dir": "agent_to_client", "frame": {"id": 2, "error": {"code": -32603, "message": message}}}),
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

#[test]
fn text_goes_through_and_says_what_it_was() {
    let text = format!("use {} or ask {}\n", key(), mail());
    let ran = refrain_in(project(), &["redact", "-"], &text);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "use [redacted_key_1] or ask [redacted_email_1]\n"), "{ran:?}");
    let again = refrain_in(project(), &["redact", "-"], &ran.stdout);
    assert_eq!(again.stdout, ran.stdout, "twice is the same");
    let prompt = refrain_in(project(), &["redact", "--tier", "credential-only", "-"], &text);
    assert_eq!(
        prompt.stdout,
        format!("use [redacted_key_1] or ask {}\n", mail()),
        "a prompt keeps what is no credential"
    );
}

#[test]
fn the_machine_interface_answers_every_line() {
    let text = format!("ask {}", mail());
    let document = serde_json::json!({"to": mail()}).to_string();
    let lines = [
        serde_json::json!({"id": "t", "text": text}).to_string(),
        serde_json::json!({"id": 2, "text": document, "as": "json"}).to_string(),
        "{\"id\": \"bad\"}".to_owned(),
        "nonsense".to_owned(),
        serde_json::json!({"id": "clean", "text": "nothing here"}).to_string(),
    ];
    let arguments = ["redact", "--tier", "payload", "--format", "jsonl", "-"];
    let ran = refrain_in(project(), &arguments, &lines.join("\n"));
    assert_eq!(ran.code, 1, "{ran:?}");
    let answers: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0]["text"], "ask [redacted_email_1]");
    let hit = &answers[0]["hits"][0];
    let (start, end) = (hit["start"].as_u64().expect("it") as usize, hit["end"].as_u64().expect("it") as usize);
    assert_eq!(&text[start..end], mail());
    assert_eq!(answers[1]["text"], "{\"to\":\"[redacted_email_1]\"}");
    for bad in &answers[2..4] {
        assert!(bad["error"]["code"].as_str().is_some_and(|code| code.starts_with("refrain::redact::")), "{bad}");
    }
    assert_eq!(answers[4]["hits"], serde_json::json!([]));
}

#[test]
fn files_are_rewritten_in_place_or_elsewhere_and_check_and_diff_write_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("one.jsonl");
    let text = transcript(
        &format!("API Error: 529 for {}", mail()),
        &format!("Internal error: API Error: 529 for {}", mail()),
    );
    fs::write(&file, &text).expect("it");
    let name = file.to_str().expect("UTF-8");
    let checked = refrain_in(folder.path(), &["redact", "--check", name], "");
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.stdout.contains("email") && !checked.stdout.contains(&mail()), "{checked:?}");
    let diff = refrain_in(folder.path(), &["redact", "--diff", name], "");
    assert!(diff.stdout.contains("[redacted_email_1]") && !diff.stdout.contains(&mail()), "{diff:?}");
    assert_eq!(fs::read_to_string(&file).expect("it"), text);
    let target = folder.path().join("two.jsonl");
    let ran = refrain_in(folder.path(), &["redact", "-o", target.to_str().expect("UTF-8"), name], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fs::read_to_string(&file).expect("it"), text, "the input stays");
    let clean = fs::read_to_string(&target).expect("it");
    assert_eq!(clean.lines().count(), 3);
    assert_eq!(refrain_in(folder.path(), &["redact", name], "").code, 0);
    assert_eq!(fs::read_to_string(&file).expect("it"), clean);
    assert_eq!(refrain_in(folder.path(), &["redact", "--check", name], "").code, 0);
    assert_eq!(fs::read_dir(folder.path()).expect("it").count(), 2, "nothing is left beside the files");
}

/// A value that only one of two texts gives away, and a placeholder that was there before: both used to break correlation.
#[test]
fn correlation_survives_what_only_one_text_gives_away() {
    let secret = ["nL3uhDr0", "AV2jwUcd", "BL"].concat();
    let placeholder = ["[redacted_email", "_1]"].concat();
    for (chunk, message, contained) in [
        (format!("{secret} rejected"), format!("login password={secret} rejected"), true),
        (format!("{placeholder} suspended"), format!("error: {} suspended", mail()), false),
        (format!("{placeholder} suspended"), format!("error: {placeholder} suspended, {}", mail()), true),
    ] {
        let text = transcript(&chunk, &message);
        let ran = refrain_in(project(), &["redact", "-"], &text);
        assert_eq!(ran.code, 0, "{ran:?}");
        let texts: Vec<serde_json::Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let chunk = texts[1]["frame"]["params"]["update"]["content"]["text"].as_str().expect("it");
        let message = texts[2]["frame"]["error"]["message"].as_str().expect("it");
        assert_eq!(message.contains(chunk), contained, "{}", ran.stdout);
        assert!(!ran.stdout.contains(&secret) && !ran.stdout.contains(&mail()), "{}", ran.stdout);
    }
}

#[test]
fn wrong_usage_is_two() {
    for arguments in [
        &["redact", "no/such/file"][..],
        &["redact", "-", "README.md"],
        &["redact", "--tier", "everything", "-"],
        &["redact", "--check", "--diff", "-"],
        &["redact", "-o", "x", "README.md", "Cargo.toml"],
        &["redact", "--allow", "no/such/list", "--check", "-"],
    ] {
        let ran = refrain_in(project(), arguments, "text");
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
    }
    let ran = refrain_with(project(), &["redact", "-"], b"\xff", &[]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

//! `refrain redact`.

use std::fs;

use super::run::{copy, project, refrain_in, refrain_with};

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

#[test]
fn a_projects_own_shapes_are_redacted_as_its_gate_enforces_them() {
    let (_keep, folder) = copy();
    let shape = "id: zinc-key\ntitle: 'Zinc keys'\nclass: extended\nkind: key\ntiers: [payload, credential-only]\n\
                 anchors: ['znc_']\npattern: 'znc_[a-z0-9]{12}'\nscanner: exact\npositive: ['key znc_{{alnum:12}} refused']\n\
                 negative: ['znc_handle']\nsource: 'invented'\n";
    let file = folder.join("catalogue/shapes/zinc-key.yaml");
    fs::write(&file, shape).expect("a shape");
    fs::create_dir_all(folder.join("deep")).expect("a folder");
    fs::write(folder.join("note.txt"), "the key znc_a1b2c3d4e5f6\n").expect("a file");
    let root = folder.to_str().expect("UTF-8");
    let nowhere = tempfile::tempdir().expect("a folder");
    let text = "the key znc_a1b2c3d4e5f6";
    let mut wrong = Vec::new();
    for (place, arguments, expected) in [
        (folder.as_path(), vec!["redact"], "the key [redacted_key_1]"),
        (folder.join("deep").as_path(), vec!["redact", "--tier", "credential-only", "-"], "the key [redacted_key_1]"),
        (nowhere.path(), vec!["redact"], text),
        (nowhere.path(), vec!["redact", "--root", root], "the key [redacted_key_1]"),
    ] {
        let ran = refrain_in(place, &arguments, text);
        if ran.code != 0 || ran.stdout.trim_end() != expected {
            wrong.push(format!("{arguments:?} in {}: expected {expected:?}: {ran:#?}", place.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let rewritten = refrain_in(&folder, &["redact", "note.txt"], "");
    assert!(rewritten.stderr.contains("zinc-key ×1, rewritten in place"), "{rewritten:#?}");

    for (from, to, finding) in [
        ("kind: key", "kind: credential", "catalogue/shapes/zinc-key.yaml:4:7"),
        ("alnum:12", "b36:12", "alphabets are b62"),
        ("pattern", "patern", "refrain schema shape"),
    ] {
        fs::write(&file, shape.replacen(from, to, 1)).expect("a shape");
        let check = refrain_in(&folder, &["check"], "");
        assert!(check.code == 1 && check.stdout.contains(finding), "{to}: no {finding:?} in {check:#?}");
    }
    let broken = refrain_in(&folder, &["redact"], text);
    assert!(broken.code == 2 && broken.stderr.contains("load the shapes"), "{broken:#?}");
}

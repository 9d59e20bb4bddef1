//! `capture`, `lab`, `doctor` and `clean` as a person runs them. Agents are `sh` scripts; nothing leaves the machine.

#![cfg(unix)]
#![cfg(feature = "cli")]
#![expect(clippy::disallowed_methods, reason = "the tests run the tool and look at files")]
#![expect(clippy::unwrap_used, reason = "a test that can not go on says so")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use refrain::recording::write::{Direction, rebuild};

/// Fails its prompt as the claude agent does: a diagnostic chunk, then the error that contains it.
const FAILING: &str = r#"
read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"agentInfo":{"name":"@agentclientprotocol/claude-agent-acp","version":"9.9.9"}}}'
read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read -r line
echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"0a1b2c3d-0a1b-4c3d-8a1b-0a1b2c3d4e5f","content":{"type":"text","text":"API Error: 529 Overloaded. See https://status.example.com/now"}}}}'
echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error: API Error: 529 Overloaded. See https://status.example.com/now","data":{"errorKind":"server_error"}}}'
"#;

fn refrain(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    refrain(folder, arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn said(output: &Output) -> String {
    format!("{}\n{}", text(&output.stdout), text(&output.stderr))
}

fn only_transcript(folder: &Path) -> std::path::PathBuf {
    let mut found: Vec<_> = std::fs::read_dir(folder.join(".refrain/transcripts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.pop().unwrap()
}

#[test]
fn a_failure_becomes_a_fixture_that_check_accepts() {
    let folder = tempfile::tempdir().unwrap();
    let capture = ["capture", "--gateway", "claude-direct", "--case", "matched", "--", "sh", "-c", FAILING];
    let first = run(folder.path(), &capture);
    assert_eq!(first.status.code(), Some(0), "{}", said(&first));
    assert!(text(&first.stdout).contains("redacted: url ×2"), "{}", said(&first));
    assert!(!said(&first).contains("status.example.com"), "{}", said(&first));
    let fixture = folder.path().join("fixtures/claude-direct/matched.json");
    let written = std::fs::read_to_string(&fixture).unwrap();
    for part in [
        "\"recorded\"",
        "agent: @agentclientprotocol/claude-agent-acp 9.9.9",
        "[redacted_url_1]",
        "\"preResultSafe\": true",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let checked = run(folder.path(), &["check", "claude-direct/matched"]);
    assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));

    // Nothing is written over without being asked to.
    std::fs::write(&fixture, "mine").unwrap();
    let again = run(folder.path(), &capture);
    assert_eq!(again.status.code(), Some(2), "{}", said(&again));
    assert!(!said(&again).contains("starting the agent"), "it ran for nothing: {}", said(&again));
    assert!(said(&again).contains("refrain::capture::exists"), "{}", said(&again));
    assert_eq!(std::fs::read_to_string(&fixture).unwrap(), "mine");
    let forced = [&["capture", "--force"], &capture[1..]].concat();
    assert_eq!(run(folder.path(), &forced).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&fixture).unwrap(), written);
}

#[test]
fn a_wrong_case_is_refused_with_the_right_one() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        run(folder.path(), &["capture", "--gateway", "litellm", "--case", "prose-tool", "--", "sh", "-c", FAILING]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("the frames are matched or queued, not prose-tool"), "{}", said(&output));
    assert!(said(&output).contains("use `--case matched`"), "{}", said(&output));
    assert!(!folder.path().join("fixtures").exists());

    // The transcript is there: the right case needs no second run.
    let transcript = only_transcript(folder.path()).display().to_string();
    let from = run(folder.path(), &["capture", "--from", &transcript, "--gateway", "litellm", "--case", "queued"]);
    assert_eq!(from.status.code(), Some(0), "{}", said(&from));
    assert!(folder.path().join("fixtures/litellm/queued.json").exists());
}

/// Ends its prompt as if all was well, after it announced its own retry.
const POLITE: &str = r#"
read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"agentInfo":{"name":"codex-acp","version":"9.9.9"}}}'
read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read -r line
echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","_meta":{"codex":{"threadStatus":{"type":"systemError"}}}}}}'
echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Selected model is at capacity."}}}}'
echo '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'
"#;

#[test]
fn a_failure_that_arrived_as_success_becomes_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let cell = run(folder.path(), &["capture", "--gateway", "litellm", "--", "sh", "-c", POLITE]);
    assert_eq!(cell.status.code(), Some(1), "{}", said(&cell));
    for part in ["a cell ends in a prompt error", "`--scenario NAME` keeps it"] {
        assert!(said(&cell).contains(part), "{part}: {}", said(&cell));
    }
    let transcript = only_transcript(folder.path()).display().to_string();
    let from = run(folder.path(), &["capture", "--from", &transcript, "--scenario", "retry-then-failure"]);
    assert_eq!(from.status.code(), Some(0), "{}", said(&from));
    assert!(said(&from).contains("next: `refrain check dialects/codex-acp/retry-then-failure`"), "{}", said(&from));
    let fixture = folder.path().join("fixtures/dialects/codex-acp/retry-then-failure.json");
    let written = std::fs::read_to_string(fixture).unwrap();
    for part in ["\"recorded\"", "\"session_info\"", "\"prompt_result\"", "\"acp_result\"", "\"model_capacity\""] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let checked = run(folder.path(), &["check", "dialects/codex-acp/retry-then-failure"]);
    assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));
    for (arguments, expected) in [
        (&["--scenario", "Not A Name"][..], "a scenario is spelled with"),
        (&["--scenario", "x", "--gateway", "litellm"], "cannot be used with"),
    ] {
        let wrong = run(folder.path(), &[&["capture", "--from", &transcript], arguments].concat());
        assert!(wrong.status.code() == Some(2) && said(&wrong).contains(expected), "{arguments:?}: {}", said(&wrong));
    }
}

#[test]
fn without_a_gateway_the_turns_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["capture", "--", "sh", "-c", FAILING]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(text(&output.stdout), "turn 1: prompt_error provider_overloaded automatic_retry\n");
    assert!(text(&output.stderr).contains("next: `refrain capture --from"), "{}", said(&output));
}

#[test]
fn a_deadline_has_its_own_exit_code_and_leaves_a_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let watch = Instant::now();
    let output = run(folder.path(), &["capture", "--deadline", "1", "--", "sh", "-c", "sleep 600"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(watch.elapsed() < Duration::from_secs(5), "{:?}", watch.elapsed());
    let transcript = std::fs::read_to_string(only_transcript(folder.path())).unwrap();
    assert!(transcript.contains("\"why\":\"deadline\""), "{transcript}");
}

#[test]
fn wrong_usage_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let rows: &[(&[&str], &str)] = &[
        (&["capture"], "refrain capture -- <agent command>"),
        (&["capture", "--", "no-such-agent-anywhere"], "refrain doctor"),
        (&["capture", "--preset", "nobody", "--fault", "529"], "known are claude, codex"),
        (&["capture", "--preset", "cluade", "--fault", "529"], "did you mean `claude`?"),
        (&["capture", "--preset", "claude", "--fault", "528"], "did you mean `529`?"),
        (&["capture", "--gateway", "litelm", "--", "sh", "-c", "touch ran"], "did you mean `litellm`?"),
        (&["capture", "--gateway", "no-such-gateway", "--", "sh", "-c", "touch ran"], "listed in matrix.yaml first"),
        (&["capture", "--preset", "claude", "--fault", "no-such"], "known are 200-html"),
        (&["capture", "--preset", "claude"], "--fault NAME"),
        (&["capture", "--preset", "claude", "--fault", "529", "--env", "x"], "NAME=VALUE"),
        (&["capture", "--from", "missing.jsonl"], "missing.jsonl"),
        (&["lab", "--fault", "529", "--envelope", "x"], "known are anthropic"),
    ];
    let mut wrong = Vec::new();
    for (arguments, expected) in rows {
        let output = run(folder.path(), arguments);
        if output.status.code() != Some(2) || !said(&output).contains(expected) {
            wrong.push(format!(
                "{arguments:?}: expected {expected}, exit 2; got {:?}\n{}",
                output.status,
                said(&output)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!folder.path().join("ran").exists(), "an agent ran for a fixture that can not be");
}

#[test]
fn below_the_top_of_a_project_the_project_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["init"]).status.code(), Some(0));
    let deep = folder.path().join("docs/deep");
    std::fs::create_dir_all(&deep).unwrap();
    let capture = ["capture", "--gateway", "claude-direct", "--case", "matched", "--force", "--", "sh", "-c", FAILING];
    let output = run(&deep, &capture);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let written = std::fs::read_to_string(folder.path().join("fixtures/claude-direct/matched.json")).unwrap();
    assert!(written.contains("9.9.9"), "{written}");
    only_transcript(folder.path());
    assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 0, "something is below the top");
    // A change is shown with a few lines around it, not the whole file.
    let shown = text(&output.stdout);
    assert!(
        shown.contains("+") && shown.contains("-") && shown.contains("\n …\n") && !shown.contains("promptGeneration"),
        "{shown}"
    );
    let doctor = text(&run(&deep, &["doctor"]).stdout);
    assert!(doctor.contains("--prefix ../../.refrain/agents"), "{doctor}");
    assert!(text(&run(&deep, &["clean", "--older-than", "0d"]).stderr).contains("1 transcript,"));
}

#[test]
fn the_tee_is_transparent_and_its_log_rebuilds_both_streams() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("tee.jsonl").display().to_string();
    let script = "cat; printf 'tail without end'; echo oops >&2; exit 7";
    let mut child = refrain(folder.path(), &["capture", "--tee", "--transcript", &log, "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = b"{\"id\":1}\r\n[{\"id\":1}]\n\xff\xfe\n".to_vec();
    input.extend(format!("{{\"long\":\"{}\"}}\n", "x".repeat(12 << 20)).as_bytes());
    let mut stdin = child.stdin.take().unwrap();
    let sent = input.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&sent));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let expected = [input.clone(), b"tail without end".to_vec()].concat();
    assert_eq!(output.status.code(), Some(7));
    assert!(output.stdout == expected, "{} bytes, expected {}", output.stdout.len(), expected.len());
    assert_eq!(text(&output.stderr), "oops\n");
    let transcript = std::fs::read_to_string(&log).unwrap();
    assert!(rebuild(&transcript, Direction::ToAgent).unwrap() == input);
    assert!(rebuild(&transcript, Direction::ToClient).unwrap() == expected);
}

#[test]
fn signals_reach_the_agent_behind_a_tee() {
    let mut wrong = Vec::new();
    for (signal, code) in [("TERM", 41), ("INT", 42), ("HUP", 43), ("USR1", 44)] {
        let folder = tempfile::tempdir().unwrap();
        let script = "trap 'exit 41' TERM; trap 'exit 42' INT; trap 'exit 43' HUP; trap 'exit 44' USR1; \
                      echo ready; while :; do sleep 0.05; done";
        let mut child = refrain(folder.path(), &["capture", "--tee", "--", "sh", "-c", script])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 6];
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        let send = |signal: &str| Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status();
        let sent = send(signal).unwrap();
        // What this process was told to ignore, as a job in the background is, its children ignore as well.
        let code = if ignored(signal) {
            std::thread::sleep(Duration::from_millis(200));
            send("TERM").unwrap();
            41
        } else {
            code
        };
        let status = child.wait().unwrap();
        if !sent.success() || status.code() != Some(code) {
            wrong.push(format!("{signal}: expected {code}, got {status}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether this process ignores a signal; nobody does where that can not be read.
fn ignored(signal: &str) -> bool {
    let number = match signal {
        "HUP" => 1,
        "INT" => 2,
        "USR1" => 10,
        _ => 15,
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap_or(0));
    mask >> (number - 1) & 1 == 1
}

#[test]
fn an_interrupted_capture_ends_its_agent() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = refrain(folder.path(), &["capture", "--", "sh", "-c", "echo $$ > pid; sleep 600"]).spawn().unwrap();
    let pid = folder.path().join("pid");
    wait_until(|| std::fs::read_to_string(&pid).is_ok_and(|pid| pid.ends_with('\n')));
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let agent = std::fs::read_to_string(&pid).unwrap();
    let state = std::fs::read_to_string(format!("/proc/{}/stat", agent.trim())).unwrap_or_default();
    let running = Command::new("sh").args(["-c", &format!("kill -0 {} 2>/dev/null", agent.trim())]).status().unwrap();
    assert!(!running.success() || state.contains(") Z"), "the agent {agent} is still there");
}

fn wait_until(mut done: impl FnMut() -> bool) {
    let watch = Instant::now();
    while !done() {
        assert!(watch.elapsed() < Duration::from_secs(10), "it did not happen in 10 s");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_lab_serves_until_it_is_interrupted_and_shows_what_came_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let listing = run(folder.path(), &["lab"]);
    assert!(text(&listing.stdout).contains("tool-then-error"), "{}", said(&listing));
    let mut child: Child = refrain(folder.path(), &["lab", "--fault", "402"]).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    let host = address.trim().strip_prefix("http://").unwrap().to_owned();
    assert!(host.starts_with("127.0.0.1:"), "{address}");
    let secret = ["sk", "-ant-", "api03-", &"Zz9".repeat(12)].concat();
    let body = format!("{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"my key is {secret}\"}}]}}");
    let mut stream = std::net::TcpStream::connect(&host).unwrap();
    write!(stream, "POST /v1/messages HTTP/1.1\r\nx-api-key: {secret}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .unwrap();
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 402");
    drop(stream);
    std::thread::sleep(Duration::from_millis(300));
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let log = text(&output.stderr);
    assert!(log.contains("turn 1 (POST /v1/messages, model m, credential x-api-key"), "{log}");
    assert!(!log.contains(&secret) && log.contains("[redacted_"), "{log}");
}

#[test]
fn transcripts_are_cleaned_by_age() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["capture", "--", "sh", "-c", FAILING]);
    let transcript = only_transcript(folder.path());
    assert_eq!(run(folder.path(), &["clean"]).status.code(), Some(0));
    assert!(transcript.exists(), "it is younger than a week");
    run(folder.path(), &["clean", "--older-than", "0d", "--dry-run"]);
    assert!(transcript.exists(), "a dry run removes nothing");
    let output = run(folder.path(), &["clean", "--older-than", "0d"]);
    assert!(!transcript.exists(), "{}", said(&output));
    assert!(text(&output.stderr).contains("1 transcript,"), "{}", said(&output));
    assert_eq!(run(folder.path(), &["clean", "--older-than", "0d"]).status.code(), Some(0));
}

#[test]
fn the_doctor_says_how_to_get_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let output = refrain(folder.path(), &["doctor"]).env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    for part in ["node       missing", "npm install --prefix .refrain/agents @agentclientprotocol/claude-agent-acp@"] {
        assert!(text(&output.stdout).contains(part), "{part}: {}", said(&output));
    }
}

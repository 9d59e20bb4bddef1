//! Capturing agents that behave badly: every one ends within the deadline, the transcript says what happened, and no
//! process stays behind. The agents are `sh` scripts.

#![cfg(unix)]
#![cfg(feature = "cli")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can not go on says so")]
#![expect(clippy::disallowed_methods, reason = "the tests look at files, processes and the time")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refrain::recording::{Observed, Recording};
use refrain::shell::agent::{Launch, Outcome, Plan, PromptEnd, Recorder, Step, Why, capture};

/// Answers `initialize` and `session/new`; the client counts its requests from 0.
const POLITE: &str = r#"
read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"fake","version":"1"}}}'
read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read -r line
"#;

const FAIL: &str = r#"echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error: busy"}}'"#;

/// Long enough for a polite agent on a busy machine.
const DEADLINE: Duration = Duration::from_secs(2);

struct Run {
    outcome: Outcome,
    recording: Recording,
    steps: Vec<Step>,
    took: Duration,
    folder: tempfile::TempDir,
}

fn run_with(script: &str, change: impl FnOnce(&mut Plan)) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = Plan {
        launch: Launch {
            command: vec!["sh".into(), "-c".into(), script.into()],
            folder: Some(folder.path().to_owned()),
            ..Launch::default()
        },
        folder: folder.path().to_owned(),
        prompts: vec!["Say hello.".into()],
        mode: None,
        deadline: DEADLINE,
        linger: Duration::from_millis(300),
        allow_tools: false,
        interrupted: Arc::new(AtomicBool::new(false)),
    };
    change(&mut plan);
    let path = folder.path().join("transcript.jsonl");
    let recorder = Recorder::create(&path, &[]).unwrap();
    let mut steps = Vec::new();
    let watch = Instant::now();
    let outcome = capture(&plan, &recorder, &mut |step| steps.push(step)).unwrap();
    let took = watch.elapsed();
    let text = std::fs::read_to_string(&path).unwrap();
    let recording = Recording::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Run { outcome, recording, steps, took, folder }
}

fn run(script: &str) -> Run {
    run_with(script, |_| {})
}

impl Run {
    fn unparsed(&self) -> Vec<&str> {
        let texts = self.recording.entries.iter().filter_map(|entry| match &entry.what {
            Observed::Unparsed { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    fn to_agent(&self) -> String {
        let frames = self.recording.entries.iter().filter_map(|entry| match &entry.what {
            Observed::ToAgent(frame) => Some(frame.to_string()),
            _ => None,
        });
        frames.collect::<Vec<_>>().join("\n")
    }

    fn to_client(&self) -> usize {
        self.recording.entries.iter().filter(|entry| matches!(entry.what, Observed::ToClient(_))).count()
    }
}

#[test]
fn a_failing_prompt_is_recorded_from_both_sides_in_order() {
    let script = format!("{POLITE} echo 'note' >&2; {FAIL}");
    let run = run(&script);
    assert_eq!(run.outcome.why, Why::Done);
    assert_eq!(run.outcome.agent, Some(("fake".into(), "1".into())));
    assert!(matches!(run.outcome.prompts[..], [PromptEnd::Failed(_)]), "{:?}", run.outcome);
    assert!(matches!(run.steps.last(), Some(Step::Failed(_))), "{:?}", run.steps);
    let seq: Vec<u64> = run.recording.entries.iter().filter_map(|entry| entry.seq).collect();
    assert_eq!(seq, (1..=run.recording.entries.len() as u64).collect::<Vec<_>>());
    assert!(run.recording.entries.iter().any(|entry| entry.what == Observed::Stderr("note".into())));
    assert!(matches!(
        run.recording.entries.last().map(|entry| &entry.what),
        Some(Observed::Exit { code: Some(0), .. })
    ));
    assert_eq!(run.to_client(), 3);
}

#[test]
fn agents_that_never_end_are_ended_within_the_deadline() {
    let rows = [
        ("never answers", "sleep 600".to_owned(), Why::Deadline),
        (
            "never answers the prompt and ignores cancel and SIGTERM",
            format!("trap '' TERM; {POLITE} while :; do sleep 1; done"),
            Why::Deadline,
        ),
        ("closes its output and stays", "exec >&-; sleep 600".to_owned(), Why::AgentClosed),
        (
            "does not read",
            format!(
                "{POLITE} while :; do echo '{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"fs/read_text_file\",\"params\":{{}}}}'; done"
            ),
            Why::Deadline,
        ),
        (
            "floods without a line end",
            format!("{POLITE} while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done"),
            Why::Deadline,
        ),
        ("floods stderr", format!("{POLITE} while :; do echo noise >&2; done"), Why::Deadline),
        (
            "floods notifications",
            format!("{POLITE} while :; do echo '{{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}'; done"),
            Why::Deadline,
        ),
    ];
    let mut wrong = Vec::new();
    for (name, script, why) in rows {
        let run = run(&script);
        // Half a second for a busy machine.
        if run.outcome.why != why || run.took > DEADLINE + Duration::from_millis(500) {
            wrong.push(format!("{name}: expected {why:?} in {DEADLINE:?}, got {:?} after {:?}", run.outcome, run.took));
        }
        if !matches!(run.recording.entries.last().map(|entry| &entry.what), Some(Observed::Exit { .. })) {
            wrong.push(format!("{name}: the transcript does not end with the exit"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_cancel_is_sent_before_the_end_when_a_prompt_is_unanswered() {
    let run = run(&format!(
        "{POLITE} read -r line; echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"stopReason\":\"cancelled\"}}}}'"
    ));
    assert!(run.to_agent().contains("session/cancel"), "{}", run.to_agent());
    assert_eq!(run.to_client(), 3, "the answer to the cancel is recorded");
}

#[test]
fn a_death_in_the_middle_of_a_line_is_said() {
    let run = run(&format!("{POLITE} printf '{{\"jsonrpc\":\"2.0\",\"id\":2,\"err'; exit 7"));
    assert_eq!(run.outcome.why, Why::AgentClosed);
    assert_eq!(run.outcome.ending.exit.code, Some(7));
    assert_eq!(run.unparsed(), ["{\"jsonrpc\":\"2.0\",\"id\":2,\"err"]);
    assert_eq!(run.outcome.prompts, [PromptEnd::Unanswered]);
}

/// A process that was killed and that nobody reaped yet does not run.
fn is_running(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let dead = state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']));
    let there = std::process::Command::new("sh").args(["-c", &format!("kill -0 {pid} 2>/dev/null")]).status();
    there.unwrap().success() && !dead
}

#[test]
fn no_process_stays_behind() {
    let script = format!(
        "{POLITE} (sh -c 'echo $$ > one; while :; do sleep 1; done' &) ; sh -c 'trap \"\" TERM HUP; echo $$ > two; while :; do sleep 1; done' & \
         while [ ! -s one ] || [ ! -s two ]; do sleep 0.05; done; {FAIL}"
    );
    let run = run(&script);
    assert_eq!(run.outcome.why, Why::Done);
    for name in ["one", "two"] {
        let pid = std::fs::read_to_string(run.folder.path().join(name)).unwrap();
        assert!(!is_running(pid.trim()), "{name} is still there: {pid}");
    }
    assert!(run.took < DEADLINE + Duration::from_millis(500), "{:?}", run.took);
}

#[test]
fn what_is_no_json_and_what_nobody_asked_for_is_recorded_and_does_not_confuse() {
    let script = r#"
echo 'Starting up...'; printf '\377\376 binary\r\n'; echo '[{"jsonrpc":"2.0","id":0,"result":{}}]'; echo '{"jsonrpc":"2.0","id":"0","result":{}}'; echo '{"jsonrpc":"2.0","id":77,"result":{}}'
read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{}}'
read -r line; echo '{"jsonrpc":"2.0","id":5,"method":"_vendor/ask"}'; read -r answer
echo "$answer" > answer; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'
sleep 0.1; echo '{"jsonrpc":"2.0","method":"session/update","params":{"late":true}}'
"#;
    let run = run(script);
    assert_eq!(run.outcome.why, Why::Done);
    assert!(matches!(&run.outcome.prompts[..], [PromptEnd::Answered(reason, _)] if reason == "end_turn"));
    assert_eq!(run.unparsed().len(), 2, "{:?}", run.unparsed());
    let answer = std::fs::read_to_string(run.folder.path().join("answer")).unwrap();
    assert!(answer.contains("-32601"), "{answer}");
    let late = run
        .recording
        .entries
        .iter()
        .any(|entry| matches!(&entry.what, Observed::ToClient(frame) if frame.pointer("/params/late").is_some()));
    assert!(late, "a frame after the result is in the transcript");
}

#[test]
fn permissions_and_files_are_denied_by_default_and_granted_when_allowed() {
    let script = format!(
        "{POLITE}
echo '{{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"session/request_permission\",\"params\":{{\"options\":[{{\"optionId\":\"y\",\"kind\":\"allow_once\"}},{{\"optionId\":\"n\",\"kind\":\"reject_once\"}}]}}}}'
read -r answer; echo \"$answer\" > permission
echo '{{\"jsonrpc\":\"2.0\",\"id\":\"f\",\"method\":\"fs/write_text_file\",\"params\":{{\"path\":\"'\"$PWD\"'/written\",\"content\":\"x\"}}}}'
read -r answer; echo \"$answer\" > file
{FAIL}"
    );
    for (allow, option, written, denied) in [(false, "\"n\"", false, 2), (true, "\"y\"", true, 0)] {
        let run = run_with(&script, |plan| plan.allow_tools = allow);
        let permission = std::fs::read_to_string(run.folder.path().join("permission")).unwrap();
        assert!(permission.contains(option), "allow={allow}: {permission}");
        assert_eq!(run.folder.path().join("written").exists(), written, "allow={allow}");
        assert_eq!(run.outcome.denied, denied, "allow={allow}");
    }
}

#[test]
fn a_refused_session_is_listened_to_and_said() {
    let run = run(
        "read -r line; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32000,\"message\":\"no\"}}'; echo why >&2",
    );
    assert_eq!(run.outcome.why, Why::NoSession);
    assert!(run.recording.entries.iter().any(|entry| entry.what == Observed::Stderr("why".into())));
}

#[test]
fn an_interruption_ends_the_agent_too() {
    let flag = Arc::new(AtomicBool::new(false));
    let setter = flag.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        setter.store(true, Ordering::Relaxed);
    });
    let run = run_with(&format!("{POLITE} sleep 600"), |plan| plan.interrupted = flag);
    assert_eq!(run.outcome.why, Why::Interrupted);
    assert!(run.took < Duration::from_secs(2), "{:?}", run.took);
}

#[test]
fn a_long_line_is_one_frame() {
    let script = format!(
        "{POLITE} printf '{{\"jsonrpc\":\"2.0\",\"method\":\"big\",\"params\":\"'; i=0; block=$(printf '%065536d' 0); \
         while [ $i -lt 192 ]; do printf '%s' \"$block\"; i=$((i+1)); done; printf '\"}}\\n'; {FAIL}"
    );
    let run = run_with(&script, |plan| plan.deadline = Duration::from_secs(20));
    assert!(matches!(run.outcome.prompts[..], [PromptEnd::Failed(_)]), "{:?}", run.outcome);
    let longest = run.recording.entries.iter().filter_map(|entry| match &entry.what {
        Observed::ToClient(frame) => frame.get("params").and_then(serde_json::Value::as_str).map(str::len),
        _ => None,
    });
    assert_eq!(longest.max(), Some(12 << 20));
}

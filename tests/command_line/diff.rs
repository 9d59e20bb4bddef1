//! `refrain diff`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::run::{Ran, copy, edit, project, refrain_in, refrain_with};

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("git starts");
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A copy under version control, with one commit on `main`.
fn repository() -> (tempfile::TempDir, std::path::PathBuf) {
    let (keep, folder) = copy();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "one"]);
    (keep, folder)
}

/// Git needs a path to be found at all.
fn refrain(folder: &Path, arguments: &[&str]) -> Ran {
    let path = std::env::var("PATH").unwrap_or_default();
    refrain_with(folder, arguments, b"", &[("PATH", &path)])
}

/// What `code: quota_limited` becomes so that a hard failure would be retried.
fn widen(folder: &Path) {
    edit(folder, "catalogue/rules/amp.quota.v1.yaml", "code: quota_limited", "code: model_capacity");
}

#[test]
fn a_revision_is_compared_with_the_work_tree_and_nothing_is_touched() {
    let (_keep, folder) = repository();
    let same = refrain(&folder, &["diff", "--base", "main", "--exit-code"]);
    assert_eq!((same.code, same.stdout.contains("none of ")), (0, true), "{same:#?}");

    widen(&folder);
    edit(&folder, "fixtures/litellm/matched.json", "\"preResultSafe\": true", "\"preResultSafe\": false");
    fs::write(folder.join("catalogue/.keep"), "untracked").expect("a file");
    let status = || {
        let ran = Command::new("git").args(["status", "--porcelain"]).current_dir(&folder).output().expect("git");
        (ran.stdout, fs::read(folder.join(".git/index")).expect("an index"))
    };
    let before = status();
    for arguments in [vec!["diff"], vec!["diff", "--base", "HEAD"], vec!["diff", "--base", "main", "--head", "."]] {
        let ran = refrain(&folder, &arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:#?}");
        for word in ["WIDENED", "look here first", "amp.quota.v1", "1 expectation edited together with the rules"] {
            assert!(ran.stdout.contains(word), "{arguments:?}: no {word:?} in\n{}", ran.stdout);
        }
    }
    assert!(status() == before, "the index or the work tree changed");

    git(&folder, &["commit", "-q", "-a", "-m", "two"]);
    let json = refrain(&folder, &["diff", "--base", "HEAD~1", "--head", "HEAD", "--format", "json"]).json();
    assert_eq!(json["changes"][0]["severity"], "widened", "{json:#}");
    assert_eq!(json["rules"]["changed"], serde_json::json!(["amp.quota.v1"]));
    assert_eq!(json["expectations"][0]["field"], "expect.preResultSafe");
    let back = refrain(&folder, &["diff", "--base", "HEAD", "--head", "HEAD~1", "--format", "json"]).json();
    assert_eq!(back["summary"]["widened"], 0, "{back:#}");
    assert_eq!(back["changes"][0]["severity"], "narrowed", "{back:#}");
}

#[test]
fn exit_codes_say_what_was_asked_for() {
    let (_keep, base) = copy();
    let (_keep_widened, widened) = copy();
    widen(&widened);
    let (_keep_renamed, renamed) = copy();
    edit(&renamed, "catalogue/rules/amp.quota.v1.yaml", "title: '", "title: 'The ");
    let (_keep_collision, collision) = copy();
    let rule = fs::read_to_string(collision.join("catalogue/rules/amp.quota.v1.yaml")).expect("a rule");
    let other = rule.replace("amp.quota.v1", "amp.other.v1").replace("code: quota_limited", "code: auth_required");
    fs::write(collision.join("catalogue/rules/amp.other.v1.yaml"), other).expect("a rule");
    let (_keep_broken, broken) = copy();
    fs::write(broken.join("catalogue/rules/amp.quota.v1.yaml"), "id: [").expect("a rule");
    let name = |folder: &Path| folder.to_str().expect("UTF-8").to_owned();
    let base = name(&base);
    let mut wrong = Vec::new();
    for (head, flags, code) in [
        (&base, vec!["--exit-code"], 0),
        (&base, vec!["--fail-on", "any"], 0),
        (&name(&widened), vec![], 0),
        (&name(&widened), vec!["--fail-on", "widened"], 1),
        (&name(&widened), vec!["--fail-on", "any"], 1),
        (&name(&widened), vec!["--exit-code"], 1),
        (&name(&renamed), vec!["--fail-on", "any"], 0),
        (&name(&renamed), vec!["--exit-code"], 1),
        (&name(&collision), vec![], 1),
        (&name(&broken), vec![], 2),
        (&"no-such-revision".to_owned(), vec![], 2),
        (&"--upload-pack=x".to_owned(), vec![], 2),
    ] {
        let head = format!("--head={head}");
        let mut arguments = vec!["diff", "--base", &base, &head];
        arguments.extend(&flags);
        let ran = refrain(Path::new(&base), &arguments);
        if ran.code != code {
            wrong.push(format!("{head} {flags:?}: expected {code}, got {ran:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ran = refrain(Path::new(&base), &["diff", "--base", &base, "--head", &name(&collision), "--format", "json"]);
    assert_eq!(ran.json()["collisions"].as_array().map(Vec::len), Some(1), "{ran:#?}");
}

#[test]
fn evidence_files_and_transcripts_are_judged_too() {
    let (_keep, head) = copy();
    edit(&head, "catalogue/rules/anthropic.overloaded.529.v1.yaml", "code: provider_overloaded", "code: quota_limited");
    let evidence = head.join("evidence.jsonl");
    let lines = [
        r#"{"id":"text","signals":[{"kind":"prompt_error","message":"API Error: 529 overloaded"}]}"#,
        r#"{"signals":[{"kind":"prompt_error","message":"API Error: 529 overloaded"}]}"#,
        r#"{"id":"quiet","text":"all is well"}"#,
    ];
    fs::write(&evidence, lines.join("\n")).expect("a file");
    let file = evidence.to_str().expect("UTF-8");
    let transcript = project().join("docs/samples/output-then-failure.jsonl");
    let arguments = [
        "diff",
        "--base",
        project().to_str().expect("UTF-8"),
        "--head",
        head.to_str().expect("UTF-8"),
        "--format",
        "jsonl",
        "--evidence",
        file,
        "--evidence",
        transcript.to_str().expect("UTF-8"),
    ];
    let ran = refrain(&head, &arguments);
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let names: Vec<&str> =
        lines.iter().filter(|line| line["kind"] == "evidence").filter_map(|line| line["input"].as_str()).collect();
    let turn = format!("{} turn 1", transcript.display());
    for name in ["text", &format!("{file}:2"), turn.as_str()] {
        assert!(names.contains(&name), "no {name} in {names:?}: {ran:#?}");
    }
    assert!(!names.contains(&"quiet"), "{names:?}");
    assert!(lines.last().is_some_and(|line| line["summary"]["narrowed"].as_u64() > Some(0)), "{ran:#?}");

    fs::write(&evidence, "{\"id\": 1}\n").expect("a file");
    let ran = refrain(&head, &arguments);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("evidence.jsonl:1"), "{}", ran.stderr);
}

#[test]
fn two_outputs_of_classify_are_compared_without_any_catalogue() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = r#"{"id":"r1","signals":[{"kind":"prompt_error","message":"API Error: 529 overloaded"}]}"#;
    let answer = refrain_in(folder.path(), &["classify", "--format", "jsonl", "-"], input).stdout;
    fs::write(folder.path().join("a.jsonl"), &answer).expect("a file");
    fs::write(folder.path().join("b.jsonl"), answer.replace("\"auto_retry\":true", "\"auto_retry\":false"))
        .expect("it");
    for (arguments, code, word) in [
        (vec!["diff", "a.jsonl", "a.jsonl", "--exit-code"], 0, "none of 1 input"),
        (vec!["diff", "a.jsonl", "b.jsonl", "--exit-code"], 1, "narrowed"),
        (vec!["diff", "b.jsonl", "a.jsonl", "--fail-on", "widened"], 1, "WIDENED"),
        (vec!["diff", "a.jsonl"], 2, "2 values"),
        (vec!["diff", "a.jsonl", "b.jsonl", "--base", "x"], 2, "cannot be used with"),
        (vec!["diff", "a.jsonl", "missing.jsonl"], 2, "missing.jsonl"),
    ] {
        let ran = refrain_in(folder.path(), &arguments, "");
        assert_eq!(ran.code, code, "{arguments:?}: {ran:#?}");
        assert!(ran.stdout.contains(word) || ran.stderr.contains(word), "{arguments:?}: no {word:?} in {ran:#?}");
    }
}

#[test]
fn a_project_without_a_commit_is_compared_with_the_tools_own_catalogue() {
    let (_keep, folder) = copy();
    widen(&folder);
    let mut wrong = Vec::new();
    let mut expect = |name: &str, arguments: &[&str], folder: &Path, code: i32, word: &str| {
        let ran = refrain(folder, arguments);
        if ran.code != code || !(ran.stdout.contains(word) || ran.stderr.contains(word)) {
            wrong.push(format!("{name}: expected {code} and {word:?}: {ran:#?}"));
        }
    };
    expect("no repository", &["diff"], &folder, 0, "WIDENED");
    expect("no repository", &["diff"], &folder, 0, "here is no git repository: compared with the built-in catalogue");
    expect("named", &["diff", "--base", "built-in", "--fail-on", "widened"], &folder, 1, "amp.quota.v1");
    expect("a revision is still one", &["diff", "--base", "main"], &folder, 2, "`built-in`");
    git(&folder, &["init", "-q", "-b", "main"]);
    expect("no commit", &["diff"], &folder, 0, "compared with the built-in catalogue");
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "one"]);
    expect("a commit", &["diff"], &folder, 0, "none of ");
    fs::create_dir_all(folder.join("deep/er")).expect("folders");
    expect("from inside", &["diff", "--exit-code"], &folder.join("deep/er"), 0, "none of ");
    let nowhere = tempfile::tempdir().expect("a folder");
    expect("no project", &["diff"], nowhere.path(), 2, "here is no git repository");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! What a person meets who types something wrong.

use super::run::{project, refrain_in, refrain_with};

#[test]
fn wrong_usage_is_two_and_help_is_zero() {
    for (arguments, code, word) in [
        (vec![], 2, "Usage"),
        (vec!["--help"], 0, "Exit codes"),
        (vec!["--version"], 0, "refrain"),
        (vec!["chekc"], 2, "'check'"),
        (vec!["lst", "rules"], 2, "'list'"),
        (vec!["diff", "--bsae", "x"], 2, "a similar argument exists: '--base'"),
        (vec!["check", "--format", "sarrif"], 2, "a similar value exists: 'sarif'"),
        (vec!["check", "--formt", "json"], 2, "--format"),
        (vec!["check", "--format", "yaml"], 2, "json"),
        (vec!["check", "--jobs", "many"], 2, "many"),
        (vec!["replay", "--corpus"], 2, "DIR"),
    ] {
        let ran = refrain_in(project(), &arguments, "");
        assert_eq!(ran.code, code, "{arguments:?}: {ran:#?}");
        assert!(ran.stdout.contains(word) || ran.stderr.contains(word), "{arguments:?}: no {word:?} in {ran:#?}");
        assert!(!ran.stderr.contains("panicked"), "{ran:#?}");
    }
}

#[test]
fn verbose_adds_messages_and_changes_no_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for (place, arguments, said) in [
        (folder.path(), vec!["check", "--format", "json"], "rules built in, shapes built in, matrix built in"),
        (project(), vec!["check", "--format", "json"], "matrix matrix.yaml"),
        (project(), vec!["replay", "--format", "json", "litellm/matched"], "rule files"),
        (project(), vec!["list", "codes"], "data: "),
        (project(), vec!["explain", "quota_limited"], "data: "),
        (project(), vec!["classify", "API Error: 529 Overloaded"], "data: "),
    ] {
        let plain = refrain_in(place, &arguments, "");
        let verbose = refrain_in(place, &[&arguments[..], &["-v"]].concat(), "");
        let more = verbose.stderr.contains(said) && verbose.stderr.contains("time: ");
        if plain.stdout != verbose.stdout || plain.code != verbose.code || !plain.stderr.is_empty() || !more {
            wrong.push(format!("{arguments:?}: expected the same and {said:?}: {plain:#?} {verbose:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(refrain_in(project(), &["check", "-q", "-v"], "").code, 2);
}

/// A result that nobody can read must not look like a clean one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    let mut wrong = Vec::new();
    for arguments in [
        &["check"][..],
        &["check", "--format", "junit"],
        &["list", "codes"],
        &["classify", "API Error: 529 Overloaded"],
        &["schema", "rule"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_refrain"))
            .args(arguments)
            .current_dir(project())
            .stdin(std::process::Stdio::null())
            .stdout(full)
            .output()
            .expect("the binary starts");
        let said = String::from_utf8_lossy(&ran.stderr);
        if ran.status.code() != Some(2) || !said.contains("failed to write the result: no space left") {
            wrong.push(format!("{arguments:?}: {ran:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_explains_itself() {
    let commands = [
        "check",
        "replay",
        "classify",
        "explain",
        "canon",
        "redact",
        "diff",
        "list",
        "init",
        "schema",
        "completions",
        "man",
    ];
    for command in commands {
        let ran = refrain_in(project(), &[command, "--help"], "");
        assert_eq!(ran.code, 0);
        for word in ["Usage: refrain", "Examples:", &format!("  refrain {command}")] {
            assert!(ran.stdout.contains(word), "{command}: no {word:?} in {}", ran.stdout);
        }
    }
}

#[test]
fn another_program_reads_whole_columns() {
    let piped = refrain_in(project(), &["list", "cells"], "");
    assert!(!piped.stdout.contains('…'), "{}", piped.stdout);
    let narrow = refrain_with(project(), &["list", "cells"], b"", &[("COLUMNS", "80")]);
    let widest = narrow.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|width| width <= 80), "{widest:?}\n{}", narrow.stdout);
}

#[test]
fn text_fits_sixty_columns() {
    let mut wrong = Vec::new();
    for arguments in [
        &["check"][..],
        &["classify", "You've hit your session limit · resets 3pm (Europe/Helsinki)"],
        &["classify", "Model capacity for gizmo-9 ran dry, come back tomorrow"],
        &["explain", "Model capacity for gizmo-9 ran dry, come back tomorrow"],
        &["explain", "API Error: 529 Overloaded. This is a server-side issue, usually temporary"],
        &["explain", "provider.quota_notice.v1"],
        &["explain", "quota_limited"],
        &["lab"],
    ] {
        let ran = refrain_with(project(), arguments, b"", &[("COLUMNS", "60")]);
        let wide = ran.stdout.lines().filter(|line| line.chars().count() > 60 && line.trim().contains(' '));
        let wide: Vec<&str> = wide.collect();
        if ran.code != 0 || ran.stdout.is_empty() || !wide.is_empty() {
            wrong.push(format!("{arguments:?}: exit {}, {wide:#?}", ran.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

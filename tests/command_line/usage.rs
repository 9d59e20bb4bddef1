//! What a person meets who types something wrong.

use super::run::{project, refrain_in};

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
fn every_command_explains_itself() {
    let commands =
        ["check", "replay", "classify", "canon", "redact", "diff", "list", "init", "schema", "completions", "man"];
    for command in commands {
        let ran = refrain_in(project(), &[command, "--help"], "");
        assert_eq!(ran.code, 0);
        for word in ["Usage: refrain", "Examples:", &format!("  refrain {command}")] {
            assert!(ran.stdout.contains(word), "{command}: no {word:?} in {}", ran.stdout);
        }
    }
}

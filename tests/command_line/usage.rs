//! What a person meets who types something wrong.

use super::run::{project, refrain_in};

#[test]
fn wrong_usage_is_two_and_help_is_zero() {
    for (arguments, code, word) in [
        (vec![], 2, "Usage"),
        (vec!["--help"], 0, "Exit codes"),
        (vec!["--version"], 0, "refrain"),
        (vec!["chekc"], 2, "check"),
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
    for command in ["check", "replay", "classify", "canon", "diff"] {
        let ran = refrain_in(project(), &[command, "--help"], "");
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("Usage: refrain"), "{}", ran.stdout);
    }
}

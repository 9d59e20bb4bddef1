//! `refrain simulate`.

use std::fs;

use super::run::{project, refrain_in};

const SCENARIO: &str = "tests/scenarios/08-positive-a-safe-failure-is-retried.yaml";

#[test]
fn a_scenario_is_played_and_judged() {
    let ran = refrain_in(project(), &["simulate", SCENARIO], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in ["owner       arm timer 1 for 6.000 s", "dispatch attempt 1 (retry)", "✓ as expected"] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let json = refrain_in(project(), &["simulate", "--format", "json", SCENARIO], "").json();
    assert_eq!((&json["ok"], &json["scenarios"][0]["criterion"]), (&true.into(), &".8".into()), "{json:#}");
}

#[test]
fn what_is_wrong_is_told_and_nothing_secret_is_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = format!("someone@{}", "company-mail.com");
    let text = fs::read_to_string(project().join(SCENARIO)).expect("it");
    let rows = [
        (text.replace("arm timer 1 for 6.000 s", &format!("a letter to {address}")), 1, "does not come"),
        (text.replace("fix the failing test", &format!("write to {address}")), 1, "does not come"),
        (text.replace("prompt:", "prmpt:"), 1, "refrain::simulate::unreadable"),
        (text.replace("'8 s'", "'0.5 s'"), 1, "comes before the one above it"),
        (text.replace("end: {}", "end: {}, flush: {}"), 1, "has 2 words"),
        ("steps: [".to_owned(), 1, "refrain::simulate::unreadable"),
    ];
    let mut wrong = Vec::new();
    for (number, (text, code, part)) in rows.iter().enumerate() {
        let file = folder.path().join(format!("{number}.yaml"));
        fs::write(&file, text).expect("it");
        let ran = refrain_in(folder.path(), &["simulate", &format!("{number}.yaml")], "");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        if ran.code != *code || !said.contains(part) || said.contains(&address) {
            wrong.push(format!("{number}: expected {code} and `{part}` without the address, got {ran:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(refrain_in(folder.path(), &["simulate", "none.yaml"], "").code, 2);
    assert_eq!(refrain_in(folder.path(), &["simulate"], "").code, 2);
}

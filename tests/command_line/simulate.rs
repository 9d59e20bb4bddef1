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

/// A scenario with a hole in every place that takes free text.
fn poisoned(hole: &str, poison: &str) -> String {
    let quoted = format!("'{}'", poison.replace('\'', "''"));
    let text = |name: &str| if name == hole { quoted.clone() } else { format!("'{name}'") };
    format!(
        "title: {title}\ncriterion: {criterion}\nkind: positive\nsteps:\n\
         - {{at: '0', prompt: {prompt}}}\n\
         - {{at: '1 s', say: {{text: {say}, id: {id}}}}}\n\
         - {{at: '1 s', think: {{text: {think}}}}}\n\
         - {{at: '1 s', tool: {{id: {tool}, title: {tool_title}}}}}\n\
         - {{at: '1 s', model: {{id: {model}}}}}\n\
         - {{at: '1 s', request: {{method: {method}}}}}\n\
         - {{at: '2 s', fail: {{message: {message}, data: {{details: {data}}}}}}}\n\
         - {{at: '3 s', cancel: {{task: {task}, session: {session}}}}}\n\
         - {{at: '4 s', switch_model: {{model: {switch}}}}}\n\
         - {{at: '5 s', resume: {{}}}}\n\
         - {{at: '6 s', end: {{stop_reason: {stop}}}}}\n\
         expect:\n  sequence: [{sequence}]\n  never: [{never}]\n",
        title = text("title"),
        criterion = text("criterion"),
        prompt = text("prompt"),
        say = text("say"),
        id = text("id"),
        think = text("think"),
        tool = text("tool"),
        tool_title = text("tool_title"),
        model = text("model"),
        method = text("method"),
        message = text("message"),
        data = text("data"),
        task = text("task"),
        session = text("session"),
        switch = text("switch"),
        stop = text("stop"),
        sequence = text("sequence"),
        never = text("never"),
    )
}

#[test]
fn poisoned_scenarios_leak_nothing() {
    let holes = [
        "title",
        "criterion",
        "prompt",
        "say",
        "id",
        "think",
        "tool",
        "tool_title",
        "model",
        "method",
        "message",
        "data",
        "task",
        "session",
        "switch",
        "stop",
        "sequence",
        "never",
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut found = Vec::new();
    for (number, hole) in holes.iter().enumerate() {
        let poisons = super::secrets::poisons();
        for step in 0..3 {
            let (name, poison) = &poisons[(number * 3 + step) % poisons.len()];
            fs::write(folder.path().join("s.yaml"), poisoned(hole, poison)).expect("it");
            for arguments in [&["simulate", "s.yaml"][..], &["simulate", "--format", "json", "s.yaml"]] {
                let ran = refrain_in(folder.path(), arguments, "");
                assert_eq!(ran.code, 1, "{hole}: a sequence that never comes is unmet: {ran:?}");
                super::secrets::leaks(name, &format!("{arguments:?} with {hole}"), &ran, poison, &mut found);
            }
        }
    }
    assert!(found.is_empty(), "{} leaks:\n{}", found.len(), found.join("\n"));
}

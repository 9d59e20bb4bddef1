//! What is wrong with a scenario is told; what a scenario expects is compared.

use super::*;
use crate::acp::session::Knowledge;
use crate::classify::Classifier;
use crate::redact::Redactor;

const HEAD: &str = "title: 't'\ncriterion: '.8'\nkind: positive\n";

fn knowledge() -> Knowledge<'static> {
    Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() }
}

#[test]
fn what_can_not_be_played_is_refused_with_its_reason() {
    let long = format!("{HEAD}steps:\n{}", "  - at: '0'\n    prompt: x\n".repeat(10_001));
    let rows = [
        ("steps: []".to_owned(), "missing field"),
        (format!("{HEAD}steps: []"), "1 to 10000 steps"),
        (long, "1 to 10000 steps"),
        (format!("{HEAD}steps: [{{at: '1 x', flush: {{}}}}]"), "an offset is a text such as"),
        (format!("{HEAD}steps: [{{at: '0'}}]"), "step 1 has 0 words"),
        (format!("{HEAD}steps: [{{at: '0', flush: {{}}, shutdown: {{}}}}]"), "step 1 has 2 words"),
        (format!("{HEAD}steps: [{{at: '0', dance: {{}}}}]"), "unknown field `dance`"),
        (format!("{HEAD}steps: [{{at: '0', say: {{}}}}]"), "missing field `text`"),
        (format!("{HEAD}steps: [{{at: '2 s', flush: {{}}}}, {{at: '1 s', flush: {{}}}}]"), "step 2 comes before"),
        (format!("{HEAD}steps: [{{at: '2 s', flush: {{}}}}]\nuntil: '1 s'"), "`until` comes before"),
        (format!("{HEAD}start: 'noon'\nsteps: [{{at: '2 s', flush: {{}}}}]"), "`start` is no instant"),
        (format!("{HEAD}agent: ''\nsteps: [{{at: '2 s', flush: {{}}}}]"), "an identifier is empty"),
    ];
    let mut wrong = Vec::new();
    for (text, part) in rows {
        let said = match Scenario::parse("s.yaml", &text) {
            Ok(scenario) => format!("{scenario:?}"),
            Err(findings) => findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>().join("; "),
        };
        if !said.contains(part) {
            wrong.push(format!("expected `{part}`, got {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn expectations_are_in_order_and_never_means_never() {
    let steps = "steps:\n  - {at: '1 s', sweep: {}}\n  - {at: '2 s', stop: {}}\n";
    let rows = [
        ("sequence: ['1.000 s owner reply idle', '2.000 s owner reply idle']", 0),
        ("sequence: ['2.000 s owner reply idle', '1.000 s owner reply idle']", 1),
        ("sequence: ['opens the session', 'opens the session']", 1),
        ("never: ['reply done']", 0),
        ("never: ['reply idle', 'stops']", 2),
        ("sequence: ['']", 1),
    ];
    let mut wrong = Vec::new();
    for (expect, unmet) in rows {
        let scenario = Scenario::parse("s.yaml", &format!("{HEAD}{steps}expect:\n  {expect}\n")).unwrap();
        let played = play(&scenario, knowledge()).unwrap();
        if played.unmet.len() != unmet {
            wrong.push(format!("{expect}: expected {unmet}, got {played}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_key_in_the_prompt_is_in_no_dispatch_whatever_happens() {
    let key = format!("sk-{}", "ab12cd34ef56gh78ij90kl12mn34op56");
    let steps = format!(
        "steps:\n  - {{at: '0', prompt: 'use {key} for commit 3f9a01c2'}}\n  - {{at: '1 s', fail: {{message: busy, verdict: {{code: provider_overloaded}}}}}}\n  - {{at: '7 s', cancel: {{}}}}\n  - {{at: '8 s', resume: {{}}}}\n  - {{at: '9 s', fail: {{message: busy, verdict: {{code: provider_overloaded}}}}}}\n  - {{at: '10 s', start_fresh: {{}}}}\n"
    );
    let scenario = Scenario::parse("s.yaml", &format!("{HEAD}{steps}")).unwrap();
    let text = play(&scenario, knowledge()).unwrap().to_string();
    let dispatched: Vec<_> =
        text.lines().filter(|line| line.contains("dispatch") || line.contains("start fresh")).collect();
    assert_eq!(dispatched.len(), 4, "attempts 0 and 1, resume, start fresh: {text}");
    assert!(dispatched.iter().all(|line| line.contains("for commit 3f9a01c2")), "{text}");
    assert!(!text.contains(&key), "{text}");
}

use super::*;
use crate::evidence::Signal;
use crate::vocab::{Channel, Code, Phase};

fn explained(message: &str) -> Explanation {
    let mut evidence = Evidence::new(Phase::PromptSend);
    evidence.push(Signal::PromptError { rpc_code: None, message: message.to_owned(), error_kind: None });
    explain(Classifier::embedded(), Redactor::embedded(), &evidence, Timestamp::UNIX_EPOCH)
}

#[test]
fn every_positive_sample_is_explained_by_its_verdict() {
    let mut wrong = Vec::new();
    for rule in Classifier::embedded().catalogue().rules() {
        for sample in rule.samples().positive.iter().filter(|sample| !sample.text.is_empty()) {
            let explanation = explained(&sample.text);
            let decided = explanation.classification.rule.is_some();
            let shown = explanation.matched.as_ref().is_none_or(|matched| !matched.is_empty());
            if !shown || (decided && explanation.title.is_none()) || (!decided && explanation.matched.is_some()) {
                wrong.push(format!("{}: {}: {explanation:?}", rule.id(), sample.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn outranked_and_vetoed_rules_say_why() {
    let overloaded = explained("Internal error: API Error: 529 Overloaded. This is a server-side issue.");
    assert_eq!(overloaded.classification.code, Code::ProviderOverloaded);
    assert!(overloaded.matched.as_ref().is_some_and(|matched| matched.contains("529")), "{overloaded:?}");
    assert!(overloaded.others.iter().all(|(_, why)| why.starts_with("outranked")), "{overloaded:?}");
    assert!(!overloaded.needed.is_empty());
    let cancelled = explained("peer disconnected: context canceled");
    assert!(cancelled.others.iter().any(|(_, why)| why.starts_with("vetoed")), "{cancelled:?}");
}

#[test]
fn an_unknown_text_gets_near_rules_and_a_draft_that_parses() {
    let text = "The model gateway at capacity level seven is overloaded-ish, kindly come back";
    let explanation = explained(text);
    assert_eq!(explanation.classification.rule, None, "{explanation:?}");
    assert!(!explanation.nearest.is_empty(), "{explanation:?}");
    let mut wrong = Vec::new();
    for (text, pattern) in [
        ("Quux frobnicator it's jammed: 17 gears", r"'Quux frobnicator it''s jammed: \d+ gears'"),
        ("Internal error: Scheduler backlog: your job was shed, resubmit", "'Scheduler backlog: your job was shed'"),
        ("API Error: Quux (frobnicated) by (gear", r"'Quux \(frobnicated\) by \(gear'"),
        ("Quux frobnicator is at last jammed.", "'Quux frobnicator is at last jammed'"),
    ] {
        let file = draft(Redactor::embedded(), text, Channel::PromptError, None);
        let path = format!("catalogue/rules/{}.yaml", file.id);
        let loaded = crate::catalogue::Catalogue::load([(path, file.text.clone())]);
        let problems = loaded.map_or_else(|problems| problems, |catalogue| catalogue.self_test());
        // All that is wrong with a draft is that it is one.
        let codes: Vec<&str> = problems.iter().map(|finding| finding.code).collect();
        if codes != ["refrain::catalogue::draft"] || !file.text.contains(pattern) || file.id.contains("internal") {
            wrong.push(format!("{text}: expected {pattern}, got\n{}\n{problems:#?}", file.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

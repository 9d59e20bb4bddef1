//! The marker question (criteria .16, .20): which chunk texts could be the agent's own diagnostic.

use jiff::Timestamp;
use refrain::catalogue::Catalogue;
use refrain::classify::Classifier;
use refrain::evidence::{Evidence, Signal};
use refrain::vocab::{AgentId, Code, Confidence, Phase};

fn candidate(classifier: &Classifier, text: &str, agent: &str) -> Option<&'static str> {
    classifier.candidate(text, AgentId::new(agent).ok().as_ref()).map(Code::as_str)
}

#[test]
fn only_a_sure_and_fallback_eligible_text_is_a_candidate() {
    let rows = [
        ("sure and eligible", "API Error: 529 Overloaded", "claude-acp", Some("provider_overloaded")),
        ("whoever says it", "API Error: 529 Overloaded", "", Some("provider_overloaded")),
        (
            "the agent tries again by itself",
            "API Error: 529 Overloaded · Retrying in 4 seconds… (attempt 4/10)",
            "claude-acp",
            None,
        ),
        ("not sure enough", "API Error: Web server is returning an unknown error", "claude-acp", None),
        ("sure and not eligible", "API Error: peer disconnected before response", "claude-acp", None),
        ("a control frame is not eligible", "Error: RetriableError: Connection stalled", "cursor-acp", None),
        ("somebody stopped it", "API Error: 529 Overloaded: request cancelled by user", "claude-acp", None),
        ("prose", "We retry when the provider says that it is busy.", "claude-acp", None),
        ("nothing", " ", "claude-acp", None),
    ];
    let mut wrong = Vec::new();
    for (name, text, agent, expected) in rows {
        let got = candidate(Classifier::embedded(), text, agent);
        if got != expected {
            wrong.push(format!("{name}: {text:?}: expected {expected:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two rules that meet on no sample: what the gate can not see is still not taken for sure.
#[test]
fn a_text_that_two_codes_claim_is_no_candidate() {
    let rule = |id: &str, code: &str, words: &str| {
        let text = format!(
            "id: {id}\ntitle: 'Of a test'\ncode: {code}\nconfidence: high\ntier: exact\nmatch:\n  - '\\b{words}\\b'\n\
             samples:\n  positive:\n    - text: '{words}'\n  negative:\n    - text: 'Nothing of it'\n      \
             reason: 'other words'\nsource: 'a test'\n"
        );
        (format!("catalogue/rules/{id}.yaml"), text)
    };
    let files = [
        rule("test.back.v1", "rate_limited", "come back from the far side"),
        rule("test.side.v1", "provider_unavailable", "the far side of the moon"),
    ];
    let classifier = Classifier::new(Catalogue::load(files).expect("two sound rules"));
    let mut wrong = Vec::new();
    for (text, expected, confidence) in [
        ("API Error: come back from the far side", Some("rate_limited"), Confidence::High),
        ("API Error: the far side of the moon", Some("provider_unavailable"), Confidence::High),
        ("API Error: come back from the far side of the moon", None, Confidence::Medium),
    ] {
        let mut evidence = Evidence::new(Phase::PromptSend);
        evidence.push(Signal::PromptError { rpc_code: None, message: text.to_owned(), error_kind: None });
        let verdict = classifier.classify(&evidence, Timestamp::UNIX_EPOCH);
        let got = candidate(&classifier, text, "");
        if (got, verdict.confidence) != (expected, confidence) {
            wrong.push(format!("{text:?}: expected {expected:?}, {confidence}, got {got:?}, {}", verdict.confidence));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

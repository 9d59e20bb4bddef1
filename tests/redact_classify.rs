//! The law between two rooms: redaction takes identifiers away and no verdict, `classify(x) == classify(redact(x))`.
#![expect(clippy::disallowed_methods, reason = "the test reads the corpus")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use refrain::catalogue::{Catalogue, Rule, Sample};
use refrain::classify::{Classification, Classifier};
use refrain::evidence::{Evidence, Signal};
use refrain::fixture::{FixtureFile, Frame, Strictness};
use refrain::redact::{Diagnostic, Payload, Raw, Redactor};
use refrain::vocab::{AgentId, Phase};

/// One text as one agent says it on one channel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    from: String,
    channel: &'static str,
    agent: Option<AgentId>,
    text: String,
}

const CHANNELS: &[&str] = &["prompt_error", "message_chunk", "stderr", "prompt_result"];

/// The signal that brings `text`, with what else the sample says.
fn evidence(channel: &str, agent: Option<AgentId>, text: &str) -> Evidence {
    let text = text.to_owned();
    let mut evidence = Evidence::new(Phase::PromptSend).with_provider(agent);
    evidence.push(match channel {
        "message_chunk" => Signal::MessageChunk { text },
        "stderr" => Signal::Stderr { text },
        "prompt_result" => Signal::PromptResult { stop_reason: "end_turn".into(), failure: Some(text) },
        _ => Signal::PromptError { rpc_code: Some(-32603), message: text, error_kind: None },
    });
    evidence
}

/// Everything of a verdict that a decision hangs on.
fn decided(verdict: &Classification) -> String {
    format!(
        "{} ({}, {}) by {}, hint {:?}, auto retry {}",
        verdict.code,
        verdict.class(),
        verdict.confidence,
        verdict.rule.as_ref().map_or("no rule", |rule| rule.as_str()),
        verdict.hint.map(|hint| hint.retry_after_ms),
        verdict.auto_retry(),
    )
}

fn push(cases: &mut BTreeSet<Case>, from: &str, agent: Option<&AgentId>, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    for channel in CHANNELS {
        cases.insert(Case { from: from.to_owned(), channel, agent: agent.cloned(), text: text.to_owned() });
    }
}

/// Every sample of the catalogue, positive and negative.
fn samples() -> BTreeSet<Case> {
    let mut cases = BTreeSet::new();
    let mut take = |rule: &Rule, sample: &Sample| {
        push(&mut cases, rule.id().as_str(), rule.sample_provider(sample), &sample.text);
    };
    for rule in Catalogue::embedded().rules() {
        rule.samples().positive.iter().chain(&rule.samples().negative).for_each(|sample| take(rule, sample));
    }
    cases
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Every text that a frame of a fixture carries.
fn fixture_texts() -> BTreeSet<Case> {
    let mut cases = BTreeSet::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let bytes = fs::read(&path).expect("a fixture");
        let file = FixtureFile::read(&name, &bytes, Strictness::Strict).expect("a sound fixture");
        let from = path.display().to_string();
        for frame in &file.fixture.frames {
            let text = match frame {
                Frame::MessageChunk { text, .. } | Frame::ThoughtChunk { text } => text,
                Frame::PromptError { message, .. } => message,
                Frame::Exit { stderr: Some(stderr), .. } => stderr,
                _ => continue,
            };
            push(&mut cases, &from, Some(&file.fixture.agent), text);
        }
    }
    cases
}

/// Texts whose verdict hangs on a name or a place that looks like an identifier.
const NAMES: &[&str] = &[
    "npm error code ETARGET\nnpm error notarget No matching version found for @agentclientprotocol/claude-agent-acp@0.81.0.",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "connect ECONNREFUSED localhost:6379",
    "Quota exceeded for quota metric GenerateRequestsPerDayPerProjectPerModel-FreeTier",
];

/// Texts that vendors document and agents print.
fn vendor_texts() -> BTreeSet<Case> {
    let mut cases = BTreeSet::new();
    for line in include_str!("data/vendor-texts.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.splitn(4, '\t').skip(1);
        let (agent, _, text) = (cells.next(), cells.next(), cells.next().unwrap_or_default());
        let agent = agent.and_then(|agent| AgentId::new(agent).ok());
        push(&mut cases, "vendor-texts.tsv", agent.as_ref(), &text.replace("\\n", "\n"));
    }
    NAMES.iter().for_each(|text| push(&mut cases, "names", None, text));
    cases
}

/// Where the same text, redacted, is judged otherwise.
fn broken(cases: &BTreeSet<Case>) -> Vec<String> {
    let (classifier, redactor) = (Classifier::embedded(), Redactor::embedded());
    let now = "2026-11-30T12:00:00Z".parse::<Timestamp>().expect("an instant");
    let judge =
        |case: &Case, text: &str| decided(&classifier.classify(&evidence(case.channel, case.agent.clone(), text), now));
    let mut broken = Vec::new();
    for case in cases {
        let expected = judge(case, &case.text);
        for (tier, clean) in [
            ("payload", redactor.clean::<Payload>(Raw::new(&case.text)).into_string()),
            ("diagnostic", redactor.clean::<Diagnostic>(Raw::new(&case.text)).into_string()),
        ] {
            let got = judge(case, &clean);
            if got != expected {
                let (from, channel, text) = (&case.from, case.channel, &case.text);
                broken.push(format!(
                    "{from}, {channel}, {tier}:\n  {text:?}\n  {clean:?}\n  expected {expected}\n  got      {got}"
                ));
            }
        }
    }
    broken
}

/// How many of the texts redaction changes at all: a law over texts that hold no identifier says little.
fn changed(cases: &BTreeSet<Case>) -> usize {
    let redactor = Redactor::embedded();
    let texts: BTreeSet<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    texts.into_iter().filter(|text| redactor.clean::<Diagnostic>(Raw::new(text)).as_str() != *text).count()
}

#[test]
fn every_sample_of_the_catalogue_keeps_its_verdict() {
    let cases = samples();
    let broken = broken(&cases);
    assert!(cases.len() > 1_000 && changed(&cases) >= 10, "{} cases, {} changed", cases.len(), changed(&cases));
    assert!(broken.is_empty(), "{} of {} cases\n{}", broken.len(), cases.len(), broken.join("\n"));
}

#[test]
fn every_text_of_the_fixtures_keeps_its_verdict() {
    let cases = fixture_texts();
    let broken = broken(&cases);
    assert!(cases.len() > 100, "{} cases", cases.len());
    assert!(broken.is_empty(), "{} of {} cases\n{}", broken.len(), cases.len(), broken.join("\n"));
}

#[test]
fn every_vendor_text_keeps_its_verdict() {
    let cases = vendor_texts();
    let broken = broken(&cases);
    assert!(cases.len() > 800, "{} cases", cases.len());
    assert!(broken.is_empty(), "{} of {} cases\n{}", broken.len(), cases.len(), broken.join("\n"));
}

/// What the texts above do not hold, because they were written clean: the identifiers that agents and gateways print
/// around them.
#[test]
fn identifiers_around_a_text_change_no_verdict() {
    let token = ["sk-", "ant-api03-", &"aB3dE6gH9".repeat(5)].concat();
    let uuid = "6f1d2c3b-4a59-4e8f-9c7d-0123456789ab";
    let around = [
        format!("{{text}} (request id: req_011CQ{}, account {uuid})", "7hJ2kL9mN4pQ6rS8tV"),
        format!("user-0{uuid}: {{text}}"),
        "{text} See https://console.example.com/settings/keys?workspace=42 or mail to alice@example.com.".to_owned(),
        format!("{{text}} [key {token}] at 10.1.2.3:4000"),
        "{text}\n    at request (/home/alice/lib/node_modules/agent/dist/client.js:529:13)".to_owned(),
    ];
    let mut cases = BTreeSet::new();
    for case in samples() {
        for frame in &around {
            cases.insert(Case { text: frame.replace("{text}", &case.text), ..case.clone() });
        }
    }
    let broken = broken(&cases);
    assert!(changed(&cases) > 1_000, "{} changed", changed(&cases));
    assert!(broken.is_empty(), "{} of {} cases\n{}", broken.len(), cases.len(), broken.join("\n"));
}

/// Identifiers of every kind, short and long, as they stand in real messages.
fn identifiers() -> Vec<String> {
    let uuid = "6f1d2c3b-4a59-4e8f-9c7d-0123456789ab";
    let run = |bytes: usize| "aB3dE6gH9kL2".repeat(bytes.div_ceil(12)).get(..bytes).expect("ASCII").to_owned();
    vec![
        uuid.to_owned(),
        "10.1.2.3:4000".to_owned(),
        "https://console.example.com/settings/keys?workspace=42".to_owned(),
        format!("https://api.example.com/v1/{}", run(300)),
        "/home/alice/lib/node_modules/agent/dist/client.js".to_owned(),
        ["sk-", "ant-api03-", &run(95)].concat(),
        run(40),
        run(100),
        run(300),
    ]
}

/// Whether a client could act on the verdict without a person: by retrying, or by going on with another candidate.
fn opens(case: &Case, text: &str) -> bool {
    let (classifier, now) = (Classifier::embedded(), "2026-11-30T12:00:00Z".parse::<Timestamp>().expect("an instant"));
    let verdict = classifier.classify(&evidence(case.channel, case.agent.clone(), text), now);
    verdict.auto_retry() || (verdict.code.fallback_eligible() && verdict.confidence == refrain::vocab::Confidence::High)
}

/// A rule may hang on how far apart two words are, or on how long a text is. What is cut out makes both smaller: a text
/// that no rule opens must stay closed.
#[test]
fn an_identifier_anywhere_in_a_text_opens_nothing() {
    let redactor = Redactor::embedded();
    let (mut opened, mut count, mut checked) = (Vec::new(), 0, 0);
    for case in samples().into_iter().filter(|case| case.channel == "prompt_error") {
        let words: Vec<&str> = case.text.split(' ').collect();
        for gap in 0..=words.len() {
            for identifier in identifiers() {
                let mut with: Vec<&str> = words.clone();
                with.insert(gap, &identifier);
                let text = with.join(" ");
                count += 1;
                if opens(&case, &text) {
                    continue;
                }
                for clean in [
                    redactor.clean::<Payload>(Raw::new(&text)).into_string(),
                    redactor.clean::<Diagnostic>(Raw::new(&text)).into_string(),
                ] {
                    checked += 1;
                    if clean != text && opens(&case, &clean) {
                        opened.push(format!("{}: {text:?}\n  {clean:?}", case.from));
                    }
                }
            }
        }
    }
    assert!(count > 30_000 && checked > 20_000, "{count} texts, {checked} checked");
    assert!(opened.is_empty(), "{} of {count} texts\n{}", opened.len(), opened.join("\n"));
}

/// The one rule with a bound in bytes: a placeholder hides how long its value was, so a frame that holds an identifier is
/// none, before redaction and after it.
#[test]
fn a_control_frame_is_one_before_and_after_redaction() {
    let redactor = Redactor::embedded();
    let cursor = AgentId::new("cursor-acp").ok();
    let (mut wrong, mut frames, mut refused) = (Vec::new(), 0, 0);
    for words in ["[unavailable]", "[unavailable] stream reset by", "[internal] HTTP/2 error 8, retry later please:"] {
        for identifier in identifiers().iter().chain(&["the peer".to_owned(), "a b ".repeat(40), "a b ".repeat(80)]) {
            let text = format!("Error: RetriableError: {words} {identifier}");
            for channel in ["prompt_error", "message_chunk"] {
                let case = Case { from: String::new(), channel, agent: cursor.clone(), text: text.clone() };
                let before = opens(&case, &text);
                frames += usize::from(before);
                refused += usize::from(!before);
                for clean in [
                    redactor.clean::<Payload>(Raw::new(&text)).into_string(),
                    redactor.clean::<Diagnostic>(Raw::new(&text)).into_string(),
                ] {
                    if opens(&case, &clean) != before || (before && clean != text) {
                        wrong.push(format!("{channel}, a frame before: {before}\n  {text:?}\n  {clean:?}"));
                    }
                }
            }
        }
    }
    assert!(frames >= 6 && refused > 40, "{frames} control frames, {refused} refused");
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

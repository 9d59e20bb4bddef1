//! Texts that vendors document and agents print, and ordinary prose about errors: what each gets.

use jiff::Timestamp;
use refrain::classify::Classifier;
use refrain::evidence::{Evidence, Signal};
use refrain::redact::{Diagnostic, Raw, Redactor};
use refrain::vocab::{AgentId, Channel, Phase};

const NOW: &str = "2026-11-30T12:00:00Z";
/// Rules whose breadth the requirement fixes: they may fire on prose, and origin and containment hold them.
const FIXED_BREADTH: &[&str] = &["anthropic.overloaded.529.v1", "acp.gateway_server_failure.v1"];

fn evidence(channel: Channel, agent: Option<AgentId>, text: &str) -> Evidence {
    let text = text.to_owned();
    let mut evidence = Evidence::new(Phase::PromptSend).with_provider(agent);
    evidence.push(match channel {
        Channel::Stderr => Signal::Stderr { text },
        Channel::MessageChunk => Signal::MessageChunk { text },
        _ => Signal::PromptError { rpc_code: Some(-32603), message: text, error_kind: None },
    });
    evidence
}

#[test]
fn vendor_texts_get_their_code() {
    let (classifier, now) = (Classifier::embedded(), NOW.parse::<Timestamp>().unwrap());
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("data/vendor-texts.tsv").lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.splitn(4, '\t');
        let mut cell = || cells.next().unwrap();
        let (expected, agent, channel, text) = (cell(), cell(), cell(), cell());
        let channel: Channel = channel.parse().unwrap();
        let text = if channel == Channel::Stderr { text.replace("\\n", "\n") } else { text.to_owned() };
        let verdict = classifier.classify(&evidence(channel, AgentId::new(agent).ok(), &text), now);
        // A rule may stand for the agent's own failure, which the fallback's code also names.
        let got = if verdict.rule.is_none() { "none" } else { verdict.code.as_str() };
        let same = expected.split('|').any(|one| {
            one == got
                || (one == "none"
                    && !verdict.code.fallback_eligible()
                    && verdict.code.as_str() == "agent_runtime_error")
        });
        count += 1;
        if !same {
            wrong.push(format!("{text:?}: {got} by {:?}, expected {expected}", verdict.rule));
        }
    }
    assert!(count > 200 && wrong.is_empty(), "{count} texts\n{}", wrong.join("\n"));
}

/// Every line that the pieces can make, without chance.
fn prose() -> Vec<String> {
    let subjects = [
        "The handler",
        "Our proxy",
        "The retry loop",
        "A failing test",
        "The mock server",
        "The API client",
        "This endpoint",
        "The billing job",
        "The user model",
        "The gateway",
        "The worker pool",
        "The upload form",
        "A background task",
        "The integration suite",
        "The connection pool",
        "The login page",
        "The auth middleware",
        "The nightly build",
    ];
    let verbs = [
        "returns 429 Too Many Requests when the rate limit is exceeded",
        "answers 503 Service Unavailable while the pool is draining",
        "raises ECONNRESET if the socket is closed unexpectedly",
        "logs \"connection closed\" and reconnects after ETIMEDOUT",
        "maps status 401 to a missing API key and status 403 to Forbidden",
        "shows \"insufficient credits\" when the credit balance is too low",
        "marks the subscription as required before the quota is exceeded",
        "throws AuthenticationError('invalid api key') in the unit test",
        "retries with exponential backoff: 500, 502 and 504 are transient",
        "fails with \"model not found\" because the migration is missing",
        "documents rate_limit_error, overloaded and api_error as enum values",
        "aborts on context deadline exceeded and cancels the request",
        "prints \"You've hit your usage limit\" in the snapshot",
        "treats \"peer disconnected before response\" as a transport loss",
        "expects UND_ERR_CONNECT_TIMEOUT from undici on line 529",
        "skips certificate verify failed: self signed certificate",
    ];
    let frames = [
        "{s} {v}.",
        "- {s} {v}",
        "## {s} {v}",
        "> {s} {v}.",
        "Fixed: {s} {v} (#529).",
        "Error: {s} {v}",
        "Note that {s} {v}, see `src/net.rs:500-503`.",
        "`{s}` {v}.",
        "TODO: check that {s} {v}",
        "I'll add a test in which {s} {v}.",
        "Before: {s} {v}. After: nothing.",
        "In the log: \"{s} {v}\"",
        "1. {s} {v};",
        "// {s} {v}",
        "HTTP 429: {s} {v}",
        "Warning: {s} {v}",
        "* **{s}** {v}.",
        "{v} ({s})",
    ];
    let mut lines = Vec::new();
    for subject in subjects {
        for verb in verbs {
            for frame in frames {
                lines.push(frame.replace("{s}", subject).replace("{v}", verb));
            }
        }
    }
    lines
}

#[test]
fn ordinary_prose_gets_no_code() {
    let (classifier, now) = (Classifier::embedded(), NOW.parse::<Timestamp>().unwrap());
    let agents = [
        "",
        "claude-acp",
        "codex-acp",
        "opencode-acp",
        "gemini-acp",
        "copilot-acp",
        "cursor-acp",
        "amp-acp",
        "qwen-acp",
    ];
    let lines = prose();
    assert!(lines.len() >= 5_000, "{} lines", lines.len());
    let mut wrong = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let agent = AgentId::new(agents[number % agents.len()]).ok();
        let verdict = classifier.classify(&evidence(Channel::MessageChunk, agent.clone(), line), now);
        let rule = verdict.rule.as_ref().map_or("", |rule| rule.as_str());
        if !rule.is_empty() && !FIXED_BREADTH.contains(&rule) {
            wrong.push(format!("{line:?}: {rule}"));
        }
        if rule.is_empty() && classifier.candidate(line, agent.as_ref()).is_some() {
            wrong.push(format!("{line:?}: marked"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn redaction_keeps_the_code() {
    let (classifier, now) = (Classifier::embedded(), NOW.parse::<Timestamp>().unwrap());
    let mut wrong = Vec::new();
    for rule in classifier.catalogue().rules().iter().filter(|rule| rule.is_textual()) {
        for sample in &rule.samples().positive {
            let channel = sample.channel.unwrap_or(Channel::PromptError);
            let agent = rule.sample_provider(sample).cloned();
            let clean = Redactor::embedded().scope::<Diagnostic>().clean(Raw::new(sample.text.as_str()));
            let before = classifier.classify(&evidence(channel, agent.clone(), &sample.text), now).code;
            let after = classifier.classify(&evidence(channel, agent, clean.as_str()), now).code;
            if before != after {
                wrong.push(format!("{}: {before} became {after}: {:?}", rule.id(), clean.as_str()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

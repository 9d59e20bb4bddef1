//! A rule file to start from, for a text that nothing classifies.

use std::fmt::Write as _;

use crate::redact::{Payload, Raw, Redactor};
use crate::text;
use crate::vocab::{AgentId, Channel};

/// Longest sample in a draft, in bytes.
const SAMPLE_BYTES: usize = 600;
/// Words of the text that the first pattern is made of.
const PATTERN_WORDS: usize = 6;

/// A rule file to start from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The id, which is also the name of its file.
    pub id: String,
    /// The file.
    pub text: String,
}

/// A rule file with the text as its first sample. What a person has to decide is marked with `EDIT`.
#[must_use]
pub fn draft(redactor: &Redactor, observed: &str, channel: Channel, agent: Option<&AgentId>) -> Draft {
    let clean = redactor.clean::<Payload>(Raw::new(observed));
    let sample = text::normalized(&text::without_control(text::head(clean.as_str(), SAMPLE_BYTES)));
    let owner = agent.map_or("provider", |agent| agent.as_str().split('-').next().unwrap_or("provider"));
    let core = crate::catalogue::without_wrappers(&sample);
    let id = format!("{owner}.{}.v1", name(core));
    let mut file = String::new();
    let _ = writeln!(file, "# catalogue/rules/{id}.yaml: a draft. Decide every line that says EDIT.");
    let _ = writeln!(file, "id: {id}");
    let _ = writeln!(file, "title: 'EDIT: one line for people'");
    let _ = writeln!(file, "code: unknown_provider_error # EDIT: see docs/CODES.md; when unsure, leave it to a person");
    let _ = writeln!(file, "confidence: medium # EDIT: `high` only for a text that can mean nothing else");
    let _ = writeln!(file, "tier: {}", if agent.is_some() { "provider" } else { "neutral" });
    let _ = writeln!(file, "channels: [{channel}]");
    if let Some(agent) = agent {
        let _ = writeln!(file, "providers: [{agent}]");
    }
    let _ = writeln!(file, "match:");
    let _ = writeln!(file, "  - '{}' # EDIT: the narrowest words that the kind always has", quoted(&pattern(core)));
    let _ = writeln!(file, "samples:");
    let _ = writeln!(file, "  positive:");
    let _ = writeln!(file, "    - text: '{}'", quoted(&sample));
    let _ = writeln!(file, "  negative:");
    let _ = writeln!(file, "    - text: 'EDIT: the nearest text that must stay silent'");
    let _ = writeln!(file, "      reason: 'EDIT: why'");
    let _ = writeln!(file, "source: 'EDIT: agent, version, how it was seen'");
    Draft { id, text: file }
}

/// Two or three telling words of the text.
fn name(sample: &str) -> String {
    let plain = |word: &&str| word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let words: Vec<String> = sample
        .split(|c: char| !c.is_alphanumeric())
        .filter(plain)
        .filter(|word| !["internal", "error", "this", "that", "with", "your"].contains(&word.to_lowercase().as_str()))
        .take(3)
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() { "new_failure".to_owned() } else { words.join("_") }
}

/// The first words as a pattern: letters as they are, everything else by its class. Patterns ignore case.
fn pattern(sample: &str) -> String {
    let words: Vec<String> = sample
        .split_whitespace()
        .skip_while(|word| !word.bytes().any(|byte| byte.is_ascii_alphabetic()))
        .take(PATTERN_WORDS)
        .map(|word| {
            let digits = word.bytes().all(|byte| byte.is_ascii_digit());
            if digits { r"\d+".to_owned() } else { regex::escape(word) }
        })
        .collect();
    words.join(" ").trim_end_matches(['.', ',', ':', ';', '\\', '(']).to_owned()
}

/// Inside single quotes YAML knows one escape.
fn quoted(text: &str) -> String {
    text.replace('\'', "''")
}

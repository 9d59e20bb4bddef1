//! How many failures a second are classified, JSON in and JSON out, beside what JSON alone costs on the same lines.
//!
//! `cargo bench --bench classify` measures; `cargo bench --bench classify -- --write FOLDER` writes the corpora.
//! A figure belongs to one machine on one day: the ratios are what is compared.

#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and writes its corpus where it is told to"
)]
#![expect(clippy::print_stdout, reason = "the table is the result")]

mod passes;

use std::hint::black_box;
use std::path::Path;

use jiff::Timestamp;
use passes::{Pass, best_of};
use refrain::catalogue::Rule;
use refrain::classify::{Classifier, wire};
use refrain::evidence::wire::parse;
use refrain::vocab::Channel;
use serde_json::{Value, json};

const ROUNDS: usize = 7;
const LINES: usize = 100_000;

/// What people write about errors: as message chunks, none of it is a failure.
const PROSE: &[&str] = &[
    "The handler returns 429 Too Many Requests when the rate limit is exceeded.",
    "I'll add a retry with back-off to `fetch_all` and log the status code.",
    "Our proxy answers 503 while the pool is draining, so the test waits for it.",
    "test result: ok. 361 passed; 0 failed; finished in 12.41s",
    "Fixed a panic when the connection was closed before the header was read.",
    "src/server/limits.rs:429: the timeout is 30 seconds",
    "Next I check how the credit balance is loaded, then I rename the field.",
    "Done: the overloaded function is split into two smaller ones.",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| arguments.iter().position(|one| one == name).and_then(|at| arguments.get(at + 1));
    // A test run only wants to know that it runs.
    let measures = arguments.iter().any(|one| one == "--bench");
    let (lines, rounds) = if measures { (LINES, ROUNDS) } else { (1_000, 1) };
    let lines = after("--lines").and_then(|text| text.parse().ok()).unwrap_or(lines);
    let mut corpora = vec![("errors", errors(lines)), ("chunks", chunks(lines)), ("prose", prose(lines))];
    corpora.retain(|(name, _)| after("--only").is_none_or(|only| only == name));
    match after("--write") {
        Some(folder) => {
            for (name, corpus) in &corpora {
                std::fs::write(Path::new(folder).join(format!("{name}.jsonl")), corpus).expect("a writable place");
            }
        }
        None => corpora.iter().for_each(|(name, corpus)| measure(name, corpus, rounds)),
    }
}

/// Every positive sample that a rule has for this channel.
fn samples(channel: Channel) -> Vec<(&'static Rule, &'static str)> {
    let rules = Classifier::embedded().catalogue().rules().iter();
    rules
        .flat_map(|rule| rule.samples().positive.iter().map(move |sample| (rule, sample)))
        .filter(|(_, sample)| sample.channel.unwrap_or(Channel::PromptError) == channel && !sample.text.is_empty())
        .map(|(rule, sample)| (rule, sample.text.as_str()))
        .collect()
}

fn errors(lines: usize) -> String {
    corpus(lines, &samples(Channel::PromptError), |id, &(rule, text)| {
        let signal = json!({"kind": "prompt_error", "code": -32603, "message": text});
        let provider = rule.document().providers.first();
        json!({"id": id, "provider": provider, "phase": "prompt_send", "signals": [signal]})
    })
}

fn chunks(lines: usize) -> String {
    corpus(lines, &samples(Channel::MessageChunk), |id, &(_, text)| json!({"id": id, "text": text}))
}

fn prose(lines: usize) -> String {
    corpus(lines, PROSE, |id, text| json!({"id": id, "text": text}))
}

fn corpus<T>(lines: usize, inputs: &[T], line: impl Fn(String, &T) -> Value) -> String {
    inputs
        .iter()
        .cycle()
        .take(lines)
        .enumerate()
        .map(|(at, input)| format!("{}\n", line(format!("r{at}"), input)))
        .collect()
}

fn measure(name: &str, corpus: &str, rounds: usize) {
    let passes: [(&str, Pass); 2] =
        [("refrain, evidence in, classification out", classify), ("serde_json, to a Value and back to text", values)];
    let best = best_of(rounds, &passes, corpus);
    let lines = corpus.lines().count();
    println!("{name}: {lines} lines of {} bytes, best of {rounds} rounds", corpus.len() / lines.max(1));
    println!("  {:<44} {:>12} {:>24}", "pass", "lines/s", "our time is this many");
    for ((name, _), time) in passes.iter().zip(&best) {
        let speed = lines as f64 / time.as_secs_f64();
        println!("  {name:<44} {speed:>12.0} {:>24.2}", best[0].as_secs_f64() / time.as_secs_f64());
    }
}

/// What `refrain classify --format jsonl -` does between reading and writing.
fn classify(corpus: &str) -> usize {
    let (classifier, now) = (Classifier::embedded(), Timestamp::UNIX_EPOCH);
    let (mut out, mut written) = (Vec::new(), 0);
    for line in corpus.lines() {
        let line = parse(line).expect("evidence");
        let classification = classifier.classify(&line.evidence, line.now.unwrap_or(now));
        wire::write(&mut out, line.id.as_ref(), &classification);
        if out.len() >= 64 << 10 {
            written += black_box(&out).len();
            out.clear();
        }
    }
    written + out.len()
}

fn values(corpus: &str) -> usize {
    let value = |line: &str| serde_json::from_str::<Value>(line).map_or(0, |value| value.to_string().len());
    corpus.lines().map(value).sum()
}

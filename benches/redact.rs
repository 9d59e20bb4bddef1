//! How fast a transcript is redacted, beside what could be done to the same bytes at best.
//!
//! `cargo bench --bench redact` measures; `cargo bench --bench redact -- --megabytes 200 --write FILE` writes the corpus.
//! A figure in megabytes a second belongs to one machine on one day: the ratios are what is compared.

#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and writes its corpus where it is told to"
)]
#![expect(clippy::print_stdout, reason = "the table is the result")]

mod corpus;
mod passes;

use std::hint::black_box;

use passes::{Pass, best_of};
use refrain::redact::{Lines, Payload, Profile, Redactor};

const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| arguments.iter().position(|one| one == name).and_then(|at| arguments.get(at + 1));
    // A test run only wants to know that it runs.
    let measures = arguments.iter().any(|one| one == "--bench");
    let default = if measures { 64 } else { 1 };
    let megabytes = after("--megabytes").and_then(|text| text.parse().ok()).unwrap_or(default);
    let corpus = corpus::transcript(megabytes << 20);
    match after("--write") {
        Some(path) => std::fs::write(path, &corpus).expect("a writable place"),
        None => measure(&corpus, if measures { ROUNDS } else { 1 }),
    }
}

fn measure(corpus: &str, rounds: usize) {
    let passes: [(&str, Pass); 4] = [
        ("refrain, payload tier, JSON-aware rewrite", redact),
        ("memchr, line feeds counted", line_feeds),
        ("regex, one automaton, matches counted", one_automaton),
        ("serde_json, every line parsed to a Value", values),
    ];
    let best = best_of(rounds, &passes, corpus);
    println!("{} bytes, {} lines, best of {rounds} rounds", corpus.len(), line_feeds(corpus));
    println!("{:<44} {:>10} {:>24}", "pass", "MB/s", "our time is this many");
    for ((name, _), time) in passes.iter().zip(&best) {
        let speed = corpus.len() as f64 / 1e6 / time.as_secs_f64();
        println!("{name:<44} {speed:>10.0} {:>24.2}", best[0].as_secs_f64() / time.as_secs_f64());
    }
}

/// What `refrain redact --as jsonl -` does between reading and writing.
fn redact(corpus: &str) -> usize {
    let mut lines = Lines::<Payload>::new(Redactor::embedded(), Profile::Standard);
    let (mut ready, mut written) = (String::new(), 0);
    for line in corpus.lines() {
        lines.push(line, &mut ready);
        if ready.len() >= 64 << 10 {
            written += black_box(&ready).len();
            ready.clear();
        }
    }
    lines.finish(&mut ready);
    written + ready.len()
}

fn line_feeds(corpus: &str) -> usize {
    memchr::memchr_iter(b'\n', corpus.as_bytes()).count()
}

/// A search alone, for a part of what the shapes look for, blind to JSON.
fn one_automaton(corpus: &str) -> usize {
    let pattern = concat!(
        r"(?-u)\b(?:sk|ghp|sess|org|ses|wrk|req)[-_][A-Za-z0-9_-]{8,}|Bearer [A-Za-z0-9._-]{8,}|https?://[^\s\x22]+",
        r"|/(?:Users|home|var)/[^\s\x22]+|[A-Za-z0-9._+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.]+",
        r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    );
    let pattern = regex::bytes::Regex::new(pattern).expect("a sound pattern");
    pattern.find_iter(corpus.as_bytes()).count()
}

fn values(corpus: &str) -> usize {
    corpus.lines().filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok_and(|v| v.is_object())).count()
}

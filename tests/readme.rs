//! The README's tour is real: every `console` block is run and compared. `REFRAIN_UPDATE=1 cargo test --test readme`
//! rewrites the outputs; never on a machine that sets `CI`.

#![expect(clippy::disallowed_methods, reason = "the test runs the binary and reads the README")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The elapsed time is the one thing that differs from run to run.
fn masked(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let time = line.trim_end().strip_suffix(" s").and_then(|rest| rest.rfind("   ").map(|at| (rest, at)));
        match time {
            Some((rest, at)) if rest[at..].trim().parse::<f64>().is_ok() => {
                lines.push(format!("{}   0.05 s", &rest[..at]))
            }
            _ => lines.push(line.trim_end().to_owned()),
        }
    }
    lines.join("\n")
}

/// Words of a command line with single and double quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut started) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => (quote, started) = (Some(c), true),
            (None, ' ') => {
                if std::mem::take(&mut started) {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, c) => {
                word.push(c);
                started = true;
            }
        }
    }
    if started {
        words.push(word);
    }
    words
}

/// Runs `refrain …` or `echo … | refrain …` in the project's folder.
fn run(command: &str) -> String {
    let (input, command) = match command.split_once(" | ") {
        Some((echo, command)) => (words(echo)[1..].join(" ") + "\n", command),
        None => (String::new(), command),
    };
    let words = words(command);
    assert_eq!(words[0], "refrain", "{command}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_refrain"))
        .args(&words[1..])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .env("COLUMNS", "100")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    masked(&String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn the_tour_shows_what_the_tool_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).expect("the README");
    let (mut expected, mut blocks) = (String::new(), 0);
    let mut rest = readme.as_str();
    while let Some((before, block)) = rest.split_once("```console\n") {
        let (block, after) = block.split_once("```").expect("a closed block");
        let command = block.lines().next().and_then(|line| line.strip_prefix("$ ")).expect("a command first");
        expected.push_str(&format!("{before}```console\n$ {command}\n{}\n```", run(command)));
        (rest, blocks) = (after, blocks + 1);
    }
    expected.push_str(rest);
    assert!(blocks >= 5, "the README shows only {blocks} commands");
    if expected != readme && std::env::var_os("REFRAIN_UPDATE").is_some() && std::env::var_os("CI").is_none() {
        fs::write(&path, &expected).expect("the README can be written");
        return;
    }
    let differing: Vec<_> = expected
        .lines()
        .zip(readme.lines())
        .filter(|(new, old)| new != old)
        .map(|(new, old)| format!("-{old}\n+{new}"))
        .collect();
    assert!(expected == readme, "out of date, REFRAIN_UPDATE=1 cargo test --test readme:\n{}", differing.join("\n"));
}

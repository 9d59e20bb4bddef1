//! A project in which every text is hostile is shown harmlessly in every format of every command.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::json_schema;
use super::run::{Ran, copy, edit, project, refrain_in};
use super::xml;

/// Control characters, workflow commands of several services, fences, tags, mentions, a right-to-left mark.
const HOSTILE: &str = "\n::error file=x::pwned\n::stop-commands::t\n##[add-mask]a\n##vso[task.x]b\r\n\
    ````\n</details><script>alert(1)</script> <!-- @everyone #1 [x](http:a) | & ' \" ]]> %0A \u{1b}[31mred\u{7}\u{202e}rtl\u{200b}";

/// A fake credential, built from parts so that no scanner mistakes this file for a leak.
fn secret() -> String {
    ["s", "k-", "ant-api03-", "Zk3Qw9Lm2Xv7Bn4Tc8Rd5Yh1Jf6Gs0Pa"].concat()
}

/// All of it, with a secret.
fn hostile() -> String {
    format!("{HOSTILE} {}", secret())
}

fn json(text: &str) -> String {
    Value::from(text).to_string().trim_matches('"').to_owned()
}

/// A copy of the project with hostile names, texts, keys, words, and a megabyte of text.
fn hostile_project() -> (tempfile::TempDir, std::path::PathBuf) {
    let (keep, folder) = copy();
    let fixture = |cell: &str| format!("fixtures/{cell}.json");
    let text = json(&hostile());
    let huge = json(&format!("{} {}", hostile(), "A1 ".repeat(350_000)));
    for cell in ["litellm/matched", "litellm/mismatched"] {
        edit(&folder, &fixture(cell), "\"text\": \"", &format!("\"text\": \"{text} "));
    }
    edit(&folder, &fixture("litellm/queued"), "\"message\": \"", &format!("\"message\": \"{huge} "));
    edit(&folder, &fixture("litellm/later-output"), "\"gateway\": \"litellm\"", &format!("\"gateway\": \"{text}\""));
    edit(&folder, &fixture("teamclaude/matched"), "\"frames\": [", &format!("\"{text}\": 1, \"frames\": ["));
    edit(&folder, &fixture("teamclaude/queued"), "\"source\": \"", &format!("\"source\": \"{text}"));
    edit(&folder, &fixture("teamclaude/mismatched"), "\"sessionId\": \"", &format!("\"sessionId\": \"{text}"));
    edit(&folder, &fixture("openrouter/queued"), "\"kind\": \"", &format!("\"kind\": \"{text}"));
    fs::write(folder.join(fixture("openrouter/matched")), HOSTILE).expect("a file");
    let rule = "catalogue/rules/amp.quota.v1.yaml";
    edit(&folder, rule, "title: '", &format!("title: \"{text}\"\n# '"));
    edit(&folder, rule, "samples:", &format!("remediation: \"{text}\"\nsamples:"));
    #[cfg(unix)]
    fs::write(folder.join("fixtures/litellm/a\n::warning::x`|<b>@c.json"), "{}").expect("a file");
    (keep, folder)
}

/// What no output may hold, whatever its format. Annotations of our own are the caller's to check.
fn harms(output: &str, annotations: bool) -> Vec<String> {
    let mut found = Vec::new();
    let bad = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}');
    if let Some(c) = output.chars().find(|c| bad(*c)) {
        found.push(format!("the character {c:?}"));
    }
    for part in ["##[", "##vso[", &secret()[12..]] {
        if output.contains(part) {
            found.push(format!("`{part}`"));
        }
    }
    let commands: Vec<&str> = output.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    if !annotations && !commands.is_empty() {
        found.push(format!("a workflow command: {commands:?}"));
    }
    if output.len() > 400_000 {
        found.push(format!("{} bytes", output.len()));
    }
    found
}

/// Every line but the last is one of our annotations with our properties.
fn annotation_harms(output: &str) -> Vec<String> {
    let lines: Vec<&str> = output.lines().collect();
    let mut found = Vec::new();
    for line in &lines[..lines.len().saturating_sub(1)] {
        let Some((command, _)) = line.strip_prefix("::").and_then(|line| line.split_once("::")) else {
            found.push(format!("not a command: {line}"));
            continue;
        };
        let (level, properties) = command.split_once(' ').unwrap_or((command, ""));
        let names: Vec<&str> =
            properties.split(',').filter_map(|pair| pair.split_once('=')).map(|(name, _)| name).collect();
        let known = names.iter().all(|name| ["file", "line", "col", "title"].contains(name));
        if !["error", "warning", "notice"].contains(&level) || !known || !names.contains(&"title") {
            found.push(format!("not ours: {line}"));
        }
    }
    if lines.last().is_none_or(|line| !line.starts_with(['✓', '✗'])) {
        found.push(format!("no verdict at the end: {:?}", lines.last()));
    }
    found
}

/// Fences close, and outside code there is no tag but our own and no mention.
fn markdown_harms(output: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut fence, mut depth) = (None::<String>, 0_i32);
    for line in output.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if *open == line.trim_end() => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && line == format!("{ticks}text") => fence = Some(ticks),
            None => {
                let outside = without_spans(line);
                depth += i32::from(outside.starts_with("<details>")) - i32::from(outside.starts_with("</details>"));
                let ours =
                    outside.replace("<details><summary>", "").replace("</summary>", "").replace("</details>", "");
                let ours = if ours.starts_with("<!-- refrain:") { String::new() } else { ours };
                let escaped = ours.replace("\\<", "").replace("\\>", "").replace("\\[", "").replace("\\]", "");
                if escaped.contains(['<', '>', '@', '[']) || !(0..=1).contains(&depth) {
                    found.push(format!("outside code: {line}"));
                }
            }
        }
    }
    if fence.is_some() || depth != 0 {
        found.push(format!("open at the end: fence {fence:?}, {depth} details"));
    }
    if output.chars().count() > 65_536 {
        found.push("longer than a comment may be".into());
    }
    if !output.starts_with("<!-- refrain:") {
        found.push("no marker".into());
    }
    found
}

/// A line without its code spans, read as CommonMark does: a run of back-ticks closes with a run of the same length.
fn without_spans(line: &str) -> String {
    let (mut outside, mut rest) = (String::new(), line);
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].chars().take_while(|c| *c == '`').count();
        let run = "`".repeat(ticks);
        outside.push_str(&rest[..start]);
        let after = &rest[start + ticks..];
        let end = after
            .match_indices(&run)
            .map(|(at, _)| at)
            .find(|at| !after[..*at].ends_with('`') && !after[at + ticks..].starts_with('`'));
        let Some(end) = end else {
            outside.push_str(&rest[start..]);
            return outside;
        };
        rest = &after[end + ticks..];
    }
    outside + rest
}

fn format_harms(format: &str, ran: &Ran) -> Vec<String> {
    let mut found = harms(&ran.stdout, format == "github");
    found.extend(harms(&ran.stderr, false).into_iter().map(|harm| format!("stderr: {harm}")));
    if ran.stderr.contains("panicked") {
        found.push("panicked".into());
    }
    let parsed = serde_json::from_str::<Value>(&ran.stdout);
    match format {
        "json" => found.extend(parsed.err().map(|error| error.to_string())),
        "jsonl" => {
            let lines = ran.stdout.lines().map(serde_json::from_str::<Value>);
            found.extend(lines.filter_map(Result::err).map(|error| error.to_string()));
        }
        "sarif" => match parsed {
            Ok(document) => found.extend(json_schema::problems(&sarif_schema(), &document)),
            Err(error) => found.push(error.to_string()),
        },
        "junit" => match xml::elements(&ran.stdout) {
            Ok(elements) if elements.iter().any(|element| element.name == "skipped") => found.push("skipped".into()),
            Ok(_) => {}
            Err(error) => found.push(error),
        },
        "markdown" => found.extend(markdown_harms(&ran.stdout)),
        "github" => found.extend(annotation_harms(&ran.stdout)),
        _ => {}
    }
    found
}

pub(crate) fn sarif_schema() -> Value {
    let path = project().join("tests/schemas/sarif-2.1.0-part.json");
    serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON")
}

fn run_all(folder: &Path, command: &[&str], formats: &[&str], code: i32, wrong: &mut Vec<String>) {
    for format in formats {
        let arguments: Vec<&str> = command.iter().copied().chain(["--format", format]).collect();
        let ran = refrain_in(folder, &arguments, "");
        if ran.code != code || ran.stdout.len() < 40 {
            wrong.push(format!("{arguments:?}: {ran:#?}"));
        }
        wrong.extend(format_harms(format, &ran).into_iter().map(|harm| format!("{arguments:?}: {harm}")));
    }
}

const FORMATS: &[&str] = &["human", "json", "jsonl", "markdown", "github", "junit", "sarif"];

#[test]
fn check_and_replay_show_a_hostile_project_harmlessly() {
    let (_keep, folder) = hostile_project();
    let mut wrong = Vec::new();
    run_all(&folder, &["check"], FORMATS, 1, &mut wrong);
    run_all(&folder, &["replay"], FORMATS, 1, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn redact_reports_hostile_files_harmlessly() {
    let (_keep, folder) = hostile_project();
    let mut wrong = Vec::new();
    let command = ["redact", "--check", "fixtures"];
    run_all(&folder, &command, &["text", "json", "markdown", "github", "junit", "sarif"], 1, &mut wrong);
    let ran = refrain_in(&folder, &["redact", "fixtures", "--format", "sarif"], "");
    if ran.code != 2 {
        wrong.push(format!("a report without --check: {ran:#?}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn diff_shows_hostile_states_harmlessly() {
    let (_keep, folder) = copy();
    let rule = "catalogue/rules/amp.quota.v1.yaml";
    let text = json(&hostile());
    edit(&folder, rule, "code: quota_limited", "code: model_capacity");
    edit(&folder, rule, "  negative:\n", &format!("    - text: \"out of credits {text}\"\n  negative:\n"));
    let (_keep_base, base) = copy();
    edit(&base, rule, "  negative:\n", &format!("    - text: \"out of credits {text} too\"\n  negative:\n"));
    edit(
        &base,
        "fixtures/litellm/matched.json",
        "\"modelId\": \"default\"\n    }",
        &format!("\"modelId\": \"{text}\"\n    }}"),
    );
    let evidence = serde_json::json!({"id": HOSTILE, "provider": "amp-acp", "signals": [
        {"kind": "prompt_error", "message": format!("Amp: out of credits {HOSTILE}")}]});
    fs::write(folder.join("e.jsonl"), evidence.to_string()).expect("a file");
    let mut wrong = Vec::new();
    let base = base.to_str().expect("UTF-8");
    let command = ["diff", "--base", base, "--evidence", "e.jsonl", "--exit-code"];
    run_all(&folder, &command, &["human", "json", "jsonl", "markdown", "github"], 1, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_other_command_shows_hostile_data_harmlessly() {
    let (_keep, folder) = hostile_project();
    // Whoever judges needs rules that load; the hostile ones are `check`'s to show.
    let rule = "catalogue/rules/amp.quota.v1.yaml";
    fs::copy(project().join(rule), folder.join(rule)).expect("a rule");
    edit(&folder, rule, "title: 'Amp is out of credits'", &format!("title: \"{}\"", json(HOSTILE)));
    let text = hostile();
    let said = format!("Amp: out of credits {text}");
    let line = serde_json::json!({"id": HOSTILE, "provider": "amp-acp", "signals": [
        {"kind": "prompt_error", "message": said, "data": {"errorKind": HOSTILE}}, {"kind": HOSTILE}]});
    let frame = |dir: &str, frame: Value| serde_json::json!({"dir": dir, "frame": frame}).to_string();
    let transcript = [
        frame(
            "client_to_agent",
            serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": text}}),
        ),
        frame(
            "agent_to_client",
            serde_json::json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": said}}),
        ),
    ];
    let scenario = format!(
        "title: \"{0}\"\ncriterion: '.8'\nkind: positive\nsteps:\n- {{at: '0', prompt: \"{0}\"}}\n- {{at: '1 s', say: {{text: \"{0}\"}}}}\n\
         - {{at: '2 s', fail: {{message: \"{0}\"}}}}\nexpect: {{sequence: [\"{0}\"]}}\n",
        json(&text)
    );
    for (file, content) in [
        ("evidence.jsonl", line.to_string()),
        ("transcript.jsonl", transcript.join("\n") + "\n"),
        ("scenario.yaml", scenario),
        ("text.txt", text.clone()),
    ] {
        fs::write(folder.join(file), content).expect("a file");
    }
    let mut wrong = Vec::new();
    let mut run = |command: &[&str], formats: &[&str], code: i32| run_all(&folder, command, formats, code, &mut wrong);
    for subject in [said.as_str(), "text.txt", "transcript.jsonl", "fixtures/litellm/matched.json", "amp.quota.v1"] {
        run(&["explain", "--provider", "amp-acp", subject], &["human", "json"], 0);
    }
    run(&["classify", "--provider", "amp-acp", &said], &["human", "jsonl"], 0);
    run(&["classify", "transcript.jsonl"], &["human", "jsonl"], 0);
    run(&["classify", "evidence.jsonl"], &["human", "jsonl"], 1);
    for kind in ["rules", "shapes", "cells", "codes"] {
        run(&["list", kind], &["human", "json", "jsonl"], 0);
    }
    run(&["simulate", "scenario.yaml"], &["human", "json"], 1);
    run(&["redact", "--check", "text.txt"], &["text", "json", "markdown", "github", "junit", "sarif"], 1);
    for (arguments, code) in [(vec!["canon", "--check", "fixtures"], 1), (vec!["redact", "--diff", "text.txt"], 0)] {
        let ran = refrain_in(&folder, &arguments, "");
        if ran.code != code {
            wrong.push(format!("{arguments:?}: {ran:#?}"));
        }
        wrong.extend(format_harms("human", &ran).into_iter().map(|harm| format!("{arguments:?}: {harm}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_checks_of_this_file_find_what_they_look_for() {
    let mut wrong = Vec::new();
    for (text, is_harm) in [
        ("fine", false),
        ("  ::error::x", true),
        ("a ##[error]x", true),
        ("\u{1b}[31m", true),
        ("\u{202e}", true),
        (&hostile(), true),
        (&secret(), true),
    ] {
        if harms(text, false).is_empty() == is_harm {
            wrong.push(format!("{text:?}"));
        }
    }
    for (text, is_harm) in [
        ("<!-- refrain:x -->\n`<b>`\n```text\n</details> @a\n```\n", false),
        ("<!-- refrain:x -->\n<b>", true),
        ("<!-- refrain:x -->\n`` ` <b> `` @a", true),
        ("<!-- refrain:x -->\n```text\n", true),
        ("<!-- refrain:x -->\n<details><summary>x</summary>\n", true),
        ("no marker", true),
    ] {
        if markdown_harms(text).is_empty() == is_harm {
            wrong.push(format!("{text:?}: {:?}", markdown_harms(text)));
        }
    }
    for (text, is_harm) in [
        ("::error title=a::b\n✗ x\n", false),
        ("::set-env name=a::b\n✗ x\n", true),
        ("text\n✗ x\n", true),
        ("::error title=a::b\n", true),
    ] {
        if annotation_harms(text).is_empty() == is_harm {
            wrong.push(format!("{text:?}: {:?}", annotation_harms(text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Every way a rule file can be wrong gives its own finding, with file, line and column, all in one run.

use refrain::catalogue::Catalogue;

/// A rule file that is right.
const GOOD: &str = "\
id: sample.busy.v1
title: 'The sample provider is busy'
code: provider_overloaded
confidence: high
tier: exact
match:
  - '\\bsample provider is busy\\b'
samples:
  positive:
    - text: 'Sample provider is busy.'
  negative:
    - text: 'The sample is busy'
      reason: 'no provider'
source: 'invented'
";

fn path(id: &str) -> String {
    format!("catalogue/rules/{id}.yaml")
}

/// `GOOD` with one piece replaced.
fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from:?} is not in the sample");
    GOOD.replacen(from, to, 1)
}

#[test]
fn a_good_file_loads() {
    let catalogue = Catalogue::load([(path("sample.busy.v1"), GOOD)]).unwrap();
    assert_eq!(catalogue.rules().len(), 1);
    assert!(catalogue.version().starts_with("provider-errors.v1+"));
    assert_eq!(catalogue.version().len(), "provider-errors.v1+".len() + 8);
}

#[test]
fn each_break_has_its_finding_and_its_place() {
    let rows: &[(&str, String, &str, usize)] = &[
        ("malformed", "id: [".into(), "refrain::catalogue::malformed", 1),
        ("empty", "\n".into(), "refrain::catalogue::malformed", 1),
        ("unknown key", with("tier: exact", "tiers: exact"), "refrain::catalogue::malformed", 5),
        ("unknown code", with("provider_overloaded", "busy"), "refrain::catalogue::malformed", 3),
        ("missing source", with("source: 'invented'\n", ""), "refrain::catalogue::malformed", 1),
        (
            "error kind",
            with("tier: exact", "tier: exact\nerror_kind: server_error"),
            "refrain::catalogue::refused_key",
            6,
        ),
        ("rpc code", with("tier: exact", "tier: exact\nrpc_code: -32603"), "refrain::catalogue::refused_key", 6),
        ("priority", with("tier: exact", "tier: exact\npriority: 3"), "refrain::catalogue::refused_key", 6),
        ("other name", with("id: sample.busy.v1", "id: sample.other.v1"), "refrain::catalogue::path", 1),
        ("bad pattern", with("busy\\b'", "busy\\b('"), "refrain::catalogue::pattern", 7),
        ("look-around", with("busy\\b'", "busy(?=x)'"), "refrain::catalogue::pattern", 7),
        ("no literal", with("'\\bsample provider is busy\\b'", "'\\d+'"), "refrain::catalogue::literals", 7),
        ("own literals", with("match:", "literals: [['busy']]\nmatch:"), "refrain::catalogue::literals", 6),
        (
            "double quotes",
            with("'\\bsample provider is busy\\b'", "\"sample provider is busy\""),
            "refrain::catalogue::quotes",
            6,
        ),
        ("no matcher", with("match:\n  - '\\bsample provider is busy\\b'\n", ""), "refrain::catalogue::matcher", 5),
        ("wrong tier", with("tier: exact", "tier: structured"), "refrain::catalogue::tier", 5),
        ("a sure guess", with("tier: exact", "tier: guess"), "refrain::catalogue::guess", 5),
        (
            "no near miss",
            with("  negative:\n    - text: 'The sample is busy'\n      reason: 'no provider'\n", "  negative: []\n"),
            "refrain::catalogue::samples",
            8,
        ),
        ("near miss without reason", with("      reason: 'no provider'\n", ""), "refrain::catalogue::reason", 12),
        (
            "silent sample",
            with("'Sample provider is busy.'", "'Sample provider is bus'"),
            "refrain::catalogue::silent_sample",
            10,
        ),
        (
            "firing near miss",
            with("'The sample is busy'", "'Yes, the sample provider is busy'"),
            "refrain::catalogue::firing_near_miss",
            12,
        ),
        ("unknown rule", with("samples:", "outranks: [sample.none.v1]\nsamples:"), "refrain::catalogue::outranks", 8),
    ];
    let mut wrong = Vec::new();
    for (name, text, code, line) in rows {
        let findings = Catalogue::load([(path("sample.busy.v1"), text)]).err().unwrap_or_default();
        let found = findings.iter().find(|finding| finding.code == *code);
        match found {
            Some(finding) if finding.place.line == *line && finding.place.column > 0 => {}
            _ => wrong.push(format!("{name}: expected {code} in line {line}, got {findings:#?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Name, files as stem and text, expected codes.
type Row<'r> = (&'r str, Vec<(&'r str, &'r str)>, &'r [&'r str]);

#[test]
fn files_are_judged_together_and_all_problems_are_told() {
    let other = GOOD.replace("sample.busy.v1", "sample.calm.v1");
    let collision = other.replace("provider_overloaded", "rate_limited");
    let first_beats = GOOD.replace("samples:", "outranks: [sample.calm.v1]\nsamples:");
    let second_beats = collision.replace("samples:", "outranks: [sample.busy.v1]\nsamples:");
    let rows: &[Row<'_>] = &[
        (
            "duplicate id",
            vec![("a/sample.busy.v1", GOOD), ("b/sample.busy.v1", GOOD)],
            &["refrain::catalogue::duplicate_id"],
        ),
        ("same code", vec![("sample.busy.v1", GOOD), ("sample.calm.v1", &other)], &["refrain::catalogue::shadowed"]),
        (
            "collision",
            vec![("sample.busy.v1", GOOD), ("sample.calm.v1", &collision)],
            &["refrain::catalogue::collision"],
        ),
        ("ordered", vec![("sample.busy.v1", &first_beats), ("sample.calm.v1", &collision)], &[]),
        (
            "circle",
            vec![("sample.busy.v1", &first_beats), ("sample.calm.v1", &second_beats)],
            &["refrain::catalogue::unordered"],
        ),
        (
            "two bad files",
            vec![("sample.busy.v1", "id: ["), ("sample.calm.v1", "title: x")],
            &["refrain::catalogue::malformed", "refrain::catalogue::malformed"],
        ),
        ("nothing", vec![], &["refrain::catalogue::empty"]),
    ];
    let mut wrong = Vec::new();
    for (name, files, expected) in rows {
        let loaded = Catalogue::load(files.iter().map(|(id, text)| (path(id), *text)));
        let codes: Vec<&str> = match &loaded {
            Ok(catalogue) => catalogue.self_test().iter().map(|finding| finding.code).collect(),
            Err(findings) => findings.iter().map(|finding| finding.code).collect(),
        };
        let all_there = expected.iter().all(|code| {
            codes.iter().filter(|one| *one == code).count() >= expected.iter().filter(|one| *one == code).count()
        });
        if !all_there || (expected.is_empty() && loaded.is_err()) {
            wrong.push(format!("{name}: expected {expected:?}, got {codes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_version_changes_with_the_rules() {
    let version = |text: &str| Catalogue::load([(path("sample.busy.v1"), text)]).unwrap().version().to_owned();
    assert_eq!(version(GOOD), version(&format!("# a comment\n{GOOD}")));
    assert_ne!(version(GOOD), version(&with("is busy\\b'", "is (?:very )?busy\\b'")));
}

#[test]
fn a_silent_sample_says_which_part_is_silent() {
    let sample = "    - text: 'Sample provider is busy.'";
    let sampled = |more: &str| with(sample, &format!("{sample}\n{more}"));
    let rows = [
        (
            "other words",
            with("'Sample provider is busy.'", "'Internal error: Sample is busy'"),
            "see, `Internal error: Sample is busy`",
        ),
        ("condition", with("samples:", "unless: ['provider']\nsamples:"), "an `unless` pattern is there"),
        ("channel", with("match:", "channels: [stderr]\nmatch:"), "`channels` does not list prompt_error"),
        (
            "prose",
            sampled("    - text: 'The sample provider is busy'\n      channel: message_chunk"),
            "not dressed as a diagnostic",
        ),
        (
            "never in a chunk",
            sampled("    - text: 'API Error: sample provider is busy'\n      channel: message_chunk")
                .replace("match:", "chunk: never\nmatch:"),
            "`chunk: never` keeps it out",
        ),
        (
            "cancelled",
            sampled("    - text: 'sample provider is busy: context canceled'"),
            "a cancellation in the text vetoes it",
        ),
        ("empty", String::new(), "the file is empty"),
    ];
    let mut wrong = Vec::new();
    for (name, text, why) in rows {
        let findings = match Catalogue::load([(path("sample.busy.v1"), text.as_str())]) {
            Ok(catalogue) => catalogue.self_test(),
            Err(findings) => findings,
        };
        if !findings.iter().any(|finding| finding.message.contains(why) && finding.help.is_some()) {
            wrong.push(format!("{name}: expected {why:?} and what to do, got {findings:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

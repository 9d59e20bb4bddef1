use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::canon::Tree;
use crate::fixture::{Fixture, FixtureFile, Strictness};
use crate::vocab::{CaptureMode, Case, Code};

const MATRIX: &str = "\
agents:
  - id: north-acp
    names: [north, 'North Agent']
  - {id: south-acp, names: []}
gateways:
  - id: alpha
    classifying: true
  - id: beta
    classifying: false
cases:
  - id: matched
    required: all
  - id: queued
    required: all
  - id: prose-matched
    required: classifying
scenarios:
  - agent: south-acp
    id: sample
";

fn matrix() -> Matrix {
    Matrix::parse("matrix.yaml", MATRIX).expect("a matrix")
}

fn cell(gateway: &str, case: &str, classifying: bool) -> Value {
    let text = format!("API Error: 503 {gateway} {case}");
    json!({
        "gateway": gateway, "agentId": "north-acp", "classifying": classifying, "case": case,
        "capture": "reconstructed", "source": "docs/errors.md",
        "identity": {"sessionId": format!("{gateway}-{case}"), "executionId": "e", "promptGeneration": 2},
        "frames": [
            {"kind": "message_chunk", "text": text},
            {"kind": "prompt_error", "code": -32603, "message": text}
        ],
        "expect": {
            "events": ["message_chunk:diagnostic", "error"],
            "providerError": {"source": "acp_prompt", "rpcCode": -32603, "providerId": "north-acp"},
            "diagnosticCode": "provider_unavailable", "recordedDiagnosticCode": "", "preResultSafe": true
        }
    })
}

fn scenario(agent: &str, name: &str) -> Value {
    let mut value = cell("alpha", "matched", true);
    let map = value.as_object_mut().expect("an object");
    for key in ["gateway", "classifying", "case"] {
        map.remove(key);
    }
    map.insert("agentId".into(), agent.into());
    map.insert("scenario".into(), name.into());
    map["identity"]["sessionId"] = format!("{agent}-{name}").into();
    value
}

fn file(path: &str, value: &Value) -> FixtureFile {
    let text = Tree::from(value.clone()).on_disk();
    FixtureFile::read(path, text.as_bytes(), Strictness::Strict).unwrap_or_else(|findings| panic!("{findings:#?}"))
}

/// A complete corpus as `(path, document)`.
fn corpus() -> Vec<(String, Value)> {
    let mut files: Vec<(String, Value)> = [
        ("alpha", "matched", true),
        ("alpha", "queued", true),
        ("alpha", "prose-matched", true),
        ("beta", "matched", false),
        ("beta", "queued", false),
    ]
    .map(|(gateway, case, classifying)| (format!("fixtures/{gateway}/{case}.json"), cell(gateway, case, classifying)))
    .into();
    files.push(("fixtures/dialects/south-acp/sample.json".into(), scenario("south-acp", "sample")));
    files
}

/// Code, file and underlined text of every finding.
fn judged(matrix: &Matrix, files: &[(String, Value)], unread: &[String]) -> Vec<(&'static str, String, String)> {
    let files: Vec<_> = files.iter().map(|(path, value)| file(path, value)).collect();
    let findings = judge(matrix, &files, unread);
    assert!(findings.is_sorted() && findings.iter().all(|finding| finding.help.is_some()), "{findings:#?}");
    let underlined = |finding: &crate::vocab::Finding| {
        let file = files.iter().find(|file| file.path == finding.place.file);
        let text = file.map_or(MATRIX, |file| &file.text);
        let (start, length) = finding.place.span.expect("a span");
        assert_eq!(finding.place.line, text[..start].matches('\n').count() + 1, "{finding:?}");
        text[start..start + length].to_owned()
    };
    findings.iter().map(|finding| (finding.code, finding.place.file.clone(), underlined(finding))).collect()
}

type Break = fn(&mut Vec<(String, Value)>);

#[test]
fn every_break_of_a_corpus_gives_one_finding_in_its_place() {
    const QUEUED: &str = "fixtures/alpha/queued.json";
    fn edit(files: &mut [(String, Value)], path: &str, change: impl FnOnce(&mut Value)) {
        change(&mut files.iter_mut().find(|(name, _)| name == path).expect("the file").1);
    }
    let rows: &[(&str, Break, CorpusRule, &str, &str)] = &[
        ("no file", |c| c.retain(|(p, _)| p != QUEUED), CorpusRule::MissingCell, "matrix.yaml", "alpha"),
        ("no scenario", |c| drop(c.pop()), CorpusRule::MissingScenario, "matrix.yaml", "sample"),
        (
            "second layout",
            |c| c.push(("fixtures/alpha-queued.json".into(), cell("alpha", "queued", true))),
            CorpusRule::DuplicateCell,
            "fixtures/alpha/queued.json",
            "\"queued\"",
        ),
        (
            "copy under another name",
            |c| c.push(("fixtures/alpha/a copy.json".into(), cell("alpha", "queued", true))),
            CorpusRule::DuplicateCell,
            "fixtures/alpha/a copy.json",
            "\"queued\"",
        ),
        (
            "second scenario",
            |c| c.push(("fixtures/dialects/south-acp/z.json".into(), scenario("south-acp", "sample"))),
            CorpusRule::DuplicateCell,
            "fixtures/dialects/south-acp/z.json",
            "\"sample\"",
        ),
        (
            "other case than the path",
            |c| edit(c, QUEUED, |v| v["case"] = json!("matched")),
            CorpusRule::PathDisagrees,
            QUEUED,
            "\"matched\"",
        ),
        (
            "other gateway than the path",
            |c| edit(c, QUEUED, |v| v["gateway"] = json!("beta")),
            CorpusRule::PathDisagrees,
            QUEUED,
            "\"queued\"",
        ),
        (
            "a path that names no cell",
            |c| c[0].0 = "fixtures/alpha/first.json".into(),
            CorpusRule::PathDisagrees,
            "fixtures/alpha/first.json",
            "\"matched\"",
        ),
        (
            "scenario elsewhere",
            |c| c[5].0 = "fixtures/dialects/sample.json".into(),
            CorpusRule::PathDisagrees,
            "fixtures/dialects/sample.json",
            "\"sample\"",
        ),
        (
            "session id of another file",
            |c| edit(c, QUEUED, |v| v["identity"]["sessionId"] = json!("alpha-matched")),
            CorpusRule::DuplicateSession,
            QUEUED,
            "\"alpha-matched\"",
        ),
        (
            "frames of another gateway",
            |c| {
                let frames = c[0].1["frames"].clone();
                edit(c, "fixtures/beta/matched.json", |v| v["frames"] = frames);
            },
            CorpusRule::EqualFrames,
            "fixtures/beta/matched.json",
            "[",
        ),
        (
            "classifying flag",
            |c| edit(c, "fixtures/beta/queued.json", |v| v["classifying"] = json!(true)),
            CorpusRule::ClassifyingDisagrees,
            "fixtures/beta/queued.json",
            "true",
        ),
        (
            "gateway that is not listed",
            |c| c.push(("fixtures/gamma/matched.json".into(), cell("gamma", "matched", true))),
            CorpusRule::UnknownGateway,
            "fixtures/gamma/matched.json",
            "\"gamma\"",
        ),
        (
            "relabelled to a gateway that is not listed",
            |c| edit(c, QUEUED, |v| v["gateway"] = json!("gamma")),
            CorpusRule::UnknownGateway,
            QUEUED,
            "\"gamma\"",
        ),
        (
            "agent that is not listed",
            |c| edit(c, QUEUED, |v| v["agentId"] = json!("west-acp")),
            CorpusRule::UnknownAgent,
            QUEUED,
            "\"west-acp\"",
        ),
        (
            "case that is not listed",
            |c| c.push(("fixtures/alpha/prose-tool.json".into(), cell("alpha", "prose-tool", true))),
            CorpusRule::UnknownCase,
            "fixtures/alpha/prose-tool.json",
            "\"prose-tool\"",
        ),
        (
            "scenario that is not listed",
            |c| c.push(("fixtures/dialects/south-acp/new.json".into(), scenario("south-acp", "new"))),
            CorpusRule::UnknownScenario,
            "fixtures/dialects/south-acp/new.json",
            "\"new\"",
        ),
    ];
    let mut wrong = Vec::new();
    for &(name, change, rule, place, underlined) in rows {
        let mut files = corpus();
        change(&mut files);
        let got = judged(&matrix(), &files, &[]);
        let expected = match &got[..] {
            [(code, file, text)] => *code == rule.code() && file == place && text.starts_with(underlined),
            _ => false,
        };
        if !expected {
            wrong.push(format!("{name}: expected {} {place} {underlined}, got {got:?}", rule.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(judged(&matrix(), &corpus(), &[]), []);
}

#[test]
fn a_file_that_could_not_be_read_is_not_missing_as_well() {
    for (index, path) in
        [(1, "fixtures/alpha/queued.json"), (1, "flat/alpha-queued.json"), (5, "x/south-acp/sample.json")]
    {
        let mut files = corpus();
        files.remove(index);
        assert_eq!(judged(&matrix(), &files, &[path.to_owned()]), [], "{path}");
    }
}

#[test]
fn a_foreign_corpus_is_open_in_gateways_and_closed_in_agents_and_cases() {
    let open = matrix().for_foreign_corpus();
    let mut files = vec![
        ("other/zeta-prose-matched.json".to_owned(), cell("zeta", "prose-matched", true)),
        ("other/zeta-prose-queued.json".to_owned(), cell("zeta-prose", "queued", false)),
        ("other/south-acp/own.json".to_owned(), scenario("south-acp", "own")),
    ];
    assert_eq!(judged(&open, &files, &[]), []);
    files[0].1["agentId"] = json!("west-acp");
    files[1].1["case"] = json!("mismatched");
    let codes: Vec<_> = judged(&open, &files, &[]).into_iter().map(|(code, ..)| code).collect();
    let expected = [CorpusRule::UnknownAgent, CorpusRule::UnknownCase, CorpusRule::PathDisagrees].map(CorpusRule::code);
    assert!(expected.iter().all(|code| codes.contains(code)) && codes.len() == 3, "{codes:?}");
}

#[test]
fn a_slip_in_a_label_gets_the_label_that_was_meant() {
    let mut files = corpus();
    files.push(("fixtures/alpah/matched.json".into(), cell("alpah", "matched", true)));
    files[1].1["agentId"] = json!("suoth-acp");
    let read: Vec<_> = files.iter().map(|(path, value)| file(path, value)).collect();
    let messages: Vec<String> = judge(&matrix(), &read, &[]).into_iter().map(|finding| finding.message).collect();
    for near in ["did you mean `alpha`?", "did you mean `south-acp`?"] {
        assert!(messages.iter().any(|message| message.contains(near)), "no {near} in {messages:#?}");
    }
}

#[test]
fn the_grid_shows_every_cell() {
    let files: Vec<_> = corpus().iter().skip(1).map(|(path, value)| file(path, value)).collect();
    let grid = Grid::new(&matrix(), &files[1..], &["fixtures/alpha/queued.json".into()]);
    let shown: Vec<String> = grid.cells().map(|(gateway, case, cell)| format!("{gateway}/{case} {cell:?}")).collect();
    let present = |path: &str| format!("Present {{ path: \"fixtures/{path}.json\", capture: Reconstructed }}");
    assert_eq!(
        shown,
        [
            "alpha/matched Missing".to_owned(),
            "alpha/queued Unreadable".to_owned(),
            format!("alpha/prose-matched {}", present("alpha/prose-matched")),
            format!("beta/matched {}", present("beta/matched")),
            format!("beta/queued {}", present("beta/queued")),
            "beta/prose-matched NotRequired".to_owned(),
        ]
    );
    assert_eq!(grid.missing(), ["alpha/matched"]);
    assert_eq!((grid.count(CaptureMode::Reconstructed), grid.count(CaptureMode::Recorded)), (3, 0));
    let open = Grid::new(&matrix().for_foreign_corpus(), &files, &[]);
    assert_eq!(open.rows.iter().map(|row| row.gateway.as_str()).collect::<Vec<_>>(), ["alpha", "beta"]);
    assert_eq!(open.missing(), Vec::<String>::new());
}

#[test]
fn a_broken_matrix_is_refused_with_its_place() {
    for (from, to, rule, line) in [
        ("cases:", "case:", CorpusRule::MatrixSyntax, 10),
        ("required: all", "required: some", CorpusRule::MatrixSyntax, 12),
        ("id: queued", "id: queue", CorpusRule::MatrixSyntax, 13),
        ("classifying: true", "clasifying: true", CorpusRule::MatrixSyntax, 7),
        ("classifying: true", "classifying: true\n    classifying: true", CorpusRule::MatrixSyntax, 6),
        ("id: beta", "id: alpha", CorpusRule::MatrixDuplicate, 8),
        ("id: queued", "id: matched", CorpusRule::MatrixDuplicate, 13),
        ("id: south-acp, names: []", "id: north-acp, names: []", CorpusRule::MatrixDuplicate, 4),
        ("names: []", "names: [north]", CorpusRule::MatrixDuplicate, 4),
        ("agent: south-acp", "agent: west-acp", CorpusRule::MatrixAgent, 19),
        ("    id: sample", "    id: sample\n  - {agent: south-acp, id: sample}", CorpusRule::MatrixDuplicate, 19),
    ] {
        let findings = Matrix::parse("matrix.yaml", &MATRIX.replacen(from, to, 1)).unwrap_err();
        let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&rule.code()), "{to}: {findings:#?}");
        let found = findings.iter().find(|finding| finding.code == rule.code()).expect("the finding");
        // The parser names the line of the value or of the entry around it.
        assert!(found.place.line.abs_diff(line) <= 1, "{to}: expected line {line}, got {found:?}");
    }
    let empty = "agents: []\ngateways: []\ncases: []\n";
    assert_eq!(Matrix::parse("matrix.yaml", empty).unwrap_err()[0].code, CorpusRule::MatrixSyntax.code());
}

#[test]
fn the_embedded_matrix_requires_every_cell() {
    let matrix = Matrix::embedded();
    assert!(matrix.required().count() >= 28, "a required cell was dropped");
    let cases: Vec<Case> = matrix.cases.iter().map(|row| row.id).collect();
    assert_eq!(cases, Case::ALL, "every case of the vocabulary is listed once");
    for row in &matrix.agents {
        for name in &row.names {
            assert_eq!(matrix.agent_named(name), Some(&row.id));
        }
    }
    assert_eq!(matrix.agent_named("somebody"), None);
}

/// One frame of a shape row: `m` a marked chunk, `u` an unmarked one, `a` the agent's own unmarked one, `o` model prose
/// that classifies, `p` the same without origin and marked, `q` like `p` but contained, `h` thought, `t` tool, `s` user.
fn shaped(case: &str, classifying: bool, steps: &str, contained: bool, facts_terminal: Option<Code>) -> Option<String> {
    let mut value = cell("alpha", case, classifying);
    let (mut frames, mut chunks) = (Vec::new(), Vec::new());
    let unavailable = Some(Code::ProviderUnavailable);
    for (index, step) in steps.chars().enumerate() {
        let mut chunk = |text: &str, origin: Option<&str>, marked, candidate| {
            chunks.push(ChunkFacts { marked, candidate });
            let mut frame = json!({"kind": "message_chunk", "text": text});
            if let Some(origin) = origin {
                frame["origin"] = json!(origin);
            }
            frame
        };
        let frame = match step {
            'm' => chunk(if contained { "API  Error" } else { "Other" }, None, unavailable, unavailable),
            'u' => chunk("plain", None, None, None),
            'a' => chunk("API Error", Some("agent"), None, unavailable),
            'o' => chunk("API Error", Some("model"), None, unavailable),
            'p' => chunk("I saw API Error", None, unavailable, unavailable),
            'q' => chunk("API Error", None, unavailable, unavailable),
            's' => {
                let mut frame = chunk("echo", None, None, None);
                frame["role"] = json!("user");
                frame
            }
            'h' => json!({"kind": "thought_chunk", "text": "hm"}),
            _ => json!({"kind": "tool_call", "toolCallId": format!("t{index}")}),
        };
        frames.push(frame);
    }
    frames.push(json!({"kind": "model_settled", "modelId": "m"}));
    frames.push(json!({"kind": "prompt_error", "code": -32603, "message": "Internal error: API Error 503"}));
    value["frames"] = frames.into();
    let file = file("fixtures/alpha/x.json", &value);
    shape(&Matrix::embedded().for_foreign_corpus(), &file, &Facts { chunks, terminal: facts_terminal }).map(|finding| {
        assert_eq!(finding.code, CorpusRule::CaseShape.code());
        finding.message
    })
}

#[test]
fn frames_are_what_the_case_claims() {
    let same = Some(Code::ProviderUnavailable);
    let other = Some(Code::RateLimited);
    let mut wrong = Vec::new();
    for (case, classifying, steps, contained, terminal, expected) in [
        ("matched", true, "m", true, same, ""),
        ("matched", true, "sm", true, same, ""),
        ("matched", true, "", true, same, "nothing comes before"),
        ("matched", true, "u", true, same, "carries no diagnostic marker"),
        ("matched", true, "h", true, same, "a marked message chunk comes first"),
        ("matched", true, "mu", true, same, "nothing between"),
        ("matched", true, "ma", true, same, "nothing between"),
        ("matched", true, "mt", true, same, "nothing between"),
        ("matched", true, "m", false, same, "does not contain"),
        ("matched", true, "m", true, other, "the terminal is rate_limited"),
        ("matched", true, "m", true, None, "the terminal is unclassified"),
        ("queued", true, "m", true, same, ""),
        ("queued", true, "mm", true, same, "nothing between"),
        ("mismatched", true, "m", false, same, ""),
        ("mismatched", true, "m", true, other, ""),
        ("mismatched", true, "m", true, None, ""),
        ("mismatched", true, "m", true, same, "correlation would accept"),
        ("mismatched", true, "mu", false, same, "nothing between"),
        ("later-output", true, "mu", true, same, ""),
        ("later-output", true, "mt", true, same, ""),
        ("later-output", true, "mmh", true, same, ""),
        ("later-output", true, "m", true, same, "no unmarked chunk and no tool call"),
        ("later-output", true, "ma", true, same, "no unmarked chunk and no tool call"),
        ("later-output", true, "um", true, same, "carries no diagnostic marker"),
        ("prose-matched", true, "o", true, same, ""),
        ("prose-matched", true, "p", true, same, ""),
        ("prose-matched", true, "oa", true, same, ""),
        ("prose-matched", true, "pm", true, same, ""),
        ("prose-matched", true, "q", true, same, "it is a matched provider_unavailable"),
        ("prose-matched", true, "a", true, same, "the agent's own"),
        ("prose-matched", true, "o", true, other, "does not classify as the terminal (rate_limited)"),
        ("prose-matched", true, "o", true, None, "does not classify as the terminal (unclassified)"),
        ("prose-matched", true, "u", true, same, "does not classify as the terminal"),
        ("prose-matched", true, "h", true, same, "a message chunk comes first"),
        ("prose-matched", true, "ou", true, same, "an ordinary chunk follows"),
        ("prose-matched", true, "ot", true, same, "a tool call follows"),
        ("prose-tool", true, "ota", true, same, ""),
        ("prose-tool", true, "pt", true, same, ""),
        ("prose-tool", true, "oa", true, same, "no tool call follows"),
        ("prose-tool", true, "otu", true, same, "an ordinary chunk follows"),
        ("prose-output", true, "oua", true, same, ""),
        ("prose-output", true, "po", true, same, ""),
        ("prose-output", true, "oa", true, same, "no ordinary chunk follows"),
        ("prose-output", true, "out", true, same, "a tool call follows"),
        ("matched", false, "u", true, None, ""),
        ("matched", false, "m", true, None, "this chunk is marked"),
        ("matched", false, "u", true, same, "the terminal is provider_unavailable"),
        ("matched", false, "t", true, None, "a message chunk comes first"),
        ("queued", false, "uu", true, None, "nothing between"),
        ("mismatched", false, "", true, None, "nothing comes before"),
        ("later-output", false, "uu", true, None, ""),
        ("later-output", false, "ut", true, None, ""),
        ("later-output", false, "u", true, None, "nothing follows"),
        ("prose-matched", false, "u", true, None, ""),
        ("prose-tool", false, "ut", true, None, ""),
        ("prose-tool", false, "uu", true, None, "no tool call between"),
        ("prose-output", false, "uu", true, None, ""),
    ] {
        let got = shaped(case, classifying, steps, contained, terminal);
        let good = match &got {
            None => expected.is_empty(),
            Some(message) => !expected.is_empty() && message.contains(expected),
        };
        if !good {
            wrong.push(format!("{case} {steps:?} {terminal:?}: expected {expected:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_gateway_is_classifying_if_and_only_if_its_matched_terminal_is() {
    let matrix = matrix();
    let rows = matrix.gateways.as_deref().expect("closed gateways");
    for (row, terminal, line) in [
        (&rows[0], Some(Code::RateLimited), None),
        (&rows[0], None, Some(6)),
        (&rows[1], None, None),
        (&rows[1], Some(Code::RateLimited), Some(8)),
    ] {
        let finding = classifying_holds(&matrix, row, terminal);
        assert_eq!(finding.map(|finding| finding.place.line), line, "{} {terminal:?}", row.id);
    }
}

proptest! {
    #[test]
    fn findings_do_not_depend_on_the_order_of_the_files(
        order in Just((0..9usize).collect::<Vec<_>>()).prop_shuffle()
    ) {
        let mut files = corpus();
        files.push(("fixtures/alpha/copy.json".into(), cell("alpha", "queued", true)));
        files.push(("fixtures/beta/prose-tool.json".into(), cell("beta", "matched", true)));
        files.push(("fixtures/gamma/matched.json".into(), cell("gamma", "matched", false)));
        let expected = judged(&matrix(), &files, &[]);
        let shuffled: Vec<_> = order.iter().map(|&index| files[index].clone()).collect();
        prop_assert_eq!(judged(&matrix(), &shuffled, &[]), expected);
    }

    #[test]
    fn shape_never_panics(steps in "[muaopqhts]{0,6}", facts in 0..4usize, case in 0..7usize) {
        let value = cell("alpha", Case::ALL[case].as_str(), true);
        let mut fixture: Fixture = file("a.json", &value).fixture;
        fixture.frames.truncate(1);
        let read = FixtureFile { path: "a.json".into(), text: String::new(), fixture };
        let _ = shape(Matrix::embedded(), &read, &Facts { chunks: vec![ChunkFacts::default(); facts], terminal: None });
        let _ = shaped(Case::ALL[case].as_str(), true, &steps, true, None);
    }
}

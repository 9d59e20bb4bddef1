//! The corpus of this project: readable, canonical, complete; and what a broken copy of it is told.

#![expect(clippy::disallowed_methods, reason = "the test reads the corpus")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use refrain::fixture::{FixtureFile, Frame, Provenance, Rule, Strictness};
use refrain::matrix::{CorpusRule, Grid, Matrix, judge};
use refrain::text::contains_normalized;
use refrain::vocab::{CaptureMode, Finding};

/// Every fixture file as `(path, text)`, by path.
fn texts() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut files) = (vec![root.join("fixtures")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    files.sort();
    files
}

/// Everything that is wrong with a corpus, as a gate sees it.
fn findings(files: &[(String, String)]) -> (Vec<FixtureFile>, Vec<Finding>) {
    let (mut read, mut unread, mut findings) = (Vec::new(), Vec::new(), Vec::new());
    for (path, text) in files {
        match FixtureFile::read(path, text.as_bytes(), Strictness::Strict) {
            Ok(file) => {
                findings.extend(file.spelling());
                read.push(file);
            }
            Err(found) => {
                findings.extend(found);
                unread.push(path.clone());
            }
        }
    }
    findings.extend(judge(Matrix::embedded(), &read, &unread));
    findings.sort();
    (read, findings)
}

#[test]
fn the_corpus_is_complete_and_canonical() {
    let (files, findings) = findings(&texts());
    assert_eq!(findings, [], "{findings:#?}");
    let grid = Grid::new(Matrix::embedded(), &files, &[]);
    assert!(
        grid.cells().count() >= 28 && grid.missing().is_empty(),
        "{:?} of {}",
        grid.missing(),
        grid.cells().count()
    );
    let (recorded, reconstructed) = (grid.count(CaptureMode::Recorded), grid.count(CaptureMode::Reconstructed));
    assert!(recorded >= 24, "{recorded} cells are recorded: one was replaced by a reconstruction");
    assert_eq!(recorded + reconstructed, grid.cells().count());
}

/// Redaction replaced identifiers; it must not have replaced what correlation needs.
#[test]
fn safe_fixtures_still_contain_their_diagnostic() {
    let (files, _) = findings(&texts());
    let mut seen = 0;
    for file in files.iter().filter(|file| file.fixture.expect.pre_result_safe) {
        // A dialect's scenario may end without an answer: then there is nothing to be contained in.
        let Some(Frame::PromptError { message, .. }) = file.fixture.frames.last() else { continue };
        for frame in &file.fixture.frames {
            if let Frame::MessageChunk { text, .. } = frame {
                assert!(contains_normalized(message, text), "{}: {text}", file.path);
                seen += 1;
            }
        }
    }
    assert!(seen >= 8, "{seen}");
}

#[test]
fn fixtures_say_which_agent_was_recorded_or_what_they_were_written_from() {
    let (mut wrong, mut scenarios) = (Vec::new(), 0);
    for file in findings(&texts()).0 {
        let source = file.fixture.provenance.source();
        let told = match &file.fixture.provenance {
            Provenance::Recorded { .. } => {
                scenarios += usize::from(file.fixture.cell.case().is_none());
                let agent = source.contains("; agent: ") || source.contains("(version ");
                agent && source.contains("; provider: ")
            }
            Provenance::Reconstructed { .. } => {
                let cited = ["recorded texts of ", "criterion .", "Agent Client Protocol, "];
                cited.iter().any(|cite| source.starts_with(cite))
            }
        };
        if !told {
            wrong.push(format!("{}: {source}", file.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(scenarios >= 9, "{scenarios} recorded scenarios");
}

#[test]
fn a_broken_copy_gets_one_finding_for_each_break_in_one_run() {
    let mut files = texts();
    let mut expected = BTreeSet::new();
    let mut edit = |path: &str, from: &str, to: &str, code: &'static str| {
        let text = &mut files.iter_mut().find(|(name, _)| name == path).expect(path).1;
        assert!(text.contains(from), "{path} has no {from}");
        *text = text.replacen(from, to, 1);
        expected.insert((code, path.to_owned()));
    };
    edit("fixtures/litellm/prose-tool.json", "\"source\"", "\"note\": 1,\n  \"source\"", Rule::UnknownKey.code());
    edit("fixtures/litellm/matched.json", "\"classifying\": true", "\"classifying\": false", CLASSIFYING);
    edit("fixtures/litellm/mismatched.json", "litellm-mismatched", "litellm-matched", SESSION);
    edit("fixtures/litellm/prose-output.json", "  \"frames\"", "\t\"frames\"", Rule::NotCanonical.code());
    edit("fixtures/teamclaude/queued.json", "\"gateway\": \"teamclaude\"", "\"gateway\": \"gamma\"", GATEWAY);
    edit("fixtures/teamclaude/matched.json", "\"case\": \"matched\"", "\"case\": \"mismatched\"", PATH);
    edit("fixtures/teamclaude/mismatched.json", "\"claude-acp\"", "\"other-acp\"", CorpusRule::UnknownAgent.code());
    edit("fixtures/teamclaude/prose-tool.json", "\"error\"\n", "\"message_chunk\"\n", Rule::EventsEnd.code());
    edit("fixtures/openrouter/matched.json", "-32603", "3000000000", Rule::RpcCodeOutOfRange.code());
    edit("fixtures/openrouter/mismatched.json", "\"capturedAt\": \"2026", "\"capturedAt\": \"26", Rule::BadDate.code());
    edit("fixtures/openrouter/queued.json", "{\n", "{\n  \"case\": \"queued\",\n", "refrain::canon::duplicate_key");
    edit(
        "fixtures/claude-direct/prose-output.json",
        "\"text\": \"That is",
        "\"text\": \" \", \"x\": \"",
        Rule::BlankText.code(),
    );
    expected.insert((Rule::UnknownKey.code(), "fixtures/claude-direct/prose-output.json".to_owned()));

    let copied = files.iter().find(|(name, _)| name == "fixtures/openrouter/prose-matched.json").expect("it").1.clone();
    files.push(("fixtures/openrouter/second.json".into(), copied));
    expected.insert((CorpusRule::DuplicateCell.code(), "fixtures/openrouter/second.json".to_owned()));

    files.retain(|(name, _)| name != "fixtures/claude-direct/queued.json");
    expected.insert((CorpusRule::MissingCell.code(), "matrix.yaml".to_owned()));

    let frames = |name: &str, files: &[(String, String)]| {
        let text = &files.iter().find(|(path, _)| path == name).expect("a file").1;
        let (start, end) = (text.find("  \"frames\"").expect("frames"), text.find("  \"expect\"").expect("expect"));
        (start, end, text[start..end].to_owned())
    };
    let theirs = frames("fixtures/claude-direct/later-output.json", &files).2;
    let (start, end, _) = frames("fixtures/litellm/later-output.json", &files);
    let ours = &mut files.iter_mut().find(|(path, _)| path == "fixtures/litellm/later-output.json").expect("it").1;
    ours.replace_range(start..end, &theirs);
    expected.insert((CorpusRule::EqualFrames.code(), "fixtures/litellm/later-output.json".to_owned()));

    let (_, found) = findings(&files);
    let got: Vec<_> = found.iter().map(|finding| (finding.code, finding.place.file.clone())).collect();
    assert_eq!(got.iter().cloned().collect::<BTreeSet<_>>(), expected, "{found:#?}");
    assert_eq!(got.len(), expected.len(), "{found:#?}");
    for finding in &found {
        assert!(finding.place.line > 0 && finding.place.column > 0 && finding.help.is_some(), "{finding:#?}");
    }
}

const CLASSIFYING: &str = CorpusRule::ClassifyingDisagrees.code();
const SESSION: &str = CorpusRule::DuplicateSession.code();
const GATEWAY: &str = CorpusRule::UnknownGateway.code();
const PATH: &str = CorpusRule::PathDisagrees.code();

//! Where each rule fires: every rule meets every sample of every rule, every text of every fixture and every text of the
//! evidence. One file a rule, so that widening a rule shows in review as more lines of its own file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use refrain::acp::session::Knowledge;
use refrain::catalogue::Origin;
use refrain::classify::{Classification, Classifier};
use refrain::evidence::{Evidence, Signal};
use refrain::fixture::{FixtureFile, Frame, Strictness};
use refrain::redact::Redactor;
use refrain::replay::{Direct, Setting, replay};
use refrain::vocab::{AgentId, Channel, Phase, RuleId};

use super::{loaded, root, updating};

const NOW: &str = "2026-11-30T12:00:00Z";
/// Most characters of a text that are shown.
const SHOWN: usize = 90;

/// One text, and what the rules made of it.
struct Target {
    /// Where it comes from, the same however many texts stand before it.
    name: String,
    /// The text as it is shown.
    shown: String,
    decides: Option<RuleId>,
    outranked: Vec<RuleId>,
    vetoed: Vec<RuleId>,
}

impl Target {
    fn new(name: String, text: &str, verdict: Classification) -> Self {
        let Classification { rule, outranked, vetoed, .. } = verdict;
        Self { name, shown: shown(text), decides: rule, outranked, vetoed }
    }

    /// The rules that fire, the section of their file, and the line there.
    fn lines(&self) -> Vec<(&RuleId, &'static str, String)> {
        let line = |end: &str| format!("  {}: {}{end}", self.name, self.shown);
        let by = self.decides.as_ref().map(|rule| format!(" < {rule}")).unwrap_or_default();
        let mut lines: Vec<_> = self.decides.iter().map(|rule| (rule, "decides", line(""))).collect();
        lines.extend(self.outranked.iter().map(|rule| (rule, "is outranked", line(&by))));
        lines.extend(self.vetoed.iter().map(|rule| (rule, "is vetoed", line(""))));
        lines
    }
}

/// One line, bounded: a longer text says how many characters are missing.
fn shown(text: &str) -> String {
    let text = text.trim();
    let head: String = text.chars().take(SHOWN).collect();
    let more = text.chars().count().saturating_sub(SHOWN);
    let line = head.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    let line: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if more == 0 { line } else { format!("{line}… +{more}") }
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn spoken(channel: Channel, agent: Option<AgentId>, text: &str) -> Evidence {
    let text = text.to_owned();
    let mut evidence = Evidence::new(Phase::PromptSend).with_provider(agent);
    evidence.push(match channel {
        Channel::Stderr => Signal::Stderr { text },
        Channel::MessageChunk => Signal::MessageChunk { text },
        Channel::PromptResult => Signal::PromptResult { stop_reason: "end_turn".into(), failure: Some(text) },
        _ => Signal::PromptError { rpc_code: Some(-32603), message: text, error_kind: None },
    });
    evidence
}

/// Every sample of every rule, on its channel and from its agent.
fn samples(classifier: &Classifier) -> Vec<Target> {
    let mut targets = Vec::new();
    for rule in classifier.catalogue().rules() {
        let both = [("+", &rule.samples().positive), ("-", &rule.samples().negative)];
        for (sign, sample) in both.into_iter().flat_map(|(sign, samples)| samples.iter().map(move |one| (sign, one))) {
            let evidence = rule.observed(sample);
            let channel = evidence.signals().last().map_or(Channel::PromptError, Signal::channel);
            let agent = rule.sample_provider(sample).map(|agent| format!(" {agent}")).unwrap_or_default();
            let name = format!("{} {sign} {channel}{agent}", rule.id());
            let value = sample.status.map(|status| status.to_string());
            let value =
                value.or_else(|| sample.exit.map(|code| code.to_string())).or_else(|| sample.stop_reason.clone());
            let text = [value.as_deref().unwrap_or_default(), sample.text.as_str()].join(" ");
            targets.push(Target::new(name, &text, classifier.classify(&evidence, now())));
        }
    }
    targets
}

/// Every fixture, by path.
fn fixtures() -> Vec<FixtureFile> {
    let (mut folders, mut files) = (vec![root().join("fixtures")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                files.push(FixtureFile::read(&below, &fs::read(&path).unwrap(), Strictness::Strict).unwrap());
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// Every chunk of every fixture as a candidate, and every terminal as replay sees it, projections of dialects included.
fn played(classifier: &Classifier) -> Vec<Target> {
    let mut targets = Vec::new();
    let setting = Setting { knowledge: Knowledge { classifier, redactor: Redactor::embedded() }, now: now() };
    for file in fixtures() {
        let cell = file.path.trim_start_matches("fixtures/").trim_end_matches(".json").to_owned();
        for (index, frame) in file.fixture.frames.iter().enumerate() {
            let text = match frame {
                Frame::MessageChunk { text, .. } | Frame::ThoughtChunk { text } => text,
                _ => continue,
            };
            let evidence = spoken(Channel::MessageChunk, Some(file.fixture.agent.clone()), text);
            let name = format!("{cell} frame {} {}", index + 1, frame.kind());
            targets.push(Target::new(name, text, classifier.classify(&evidence, now())));
        }
        let replayed = replay(&file.fixture, &Direct, setting).unwrap();
        if let Some(verdict) = replayed.classification {
            let text = verdict.safe_excerpt.as_ref().map(|text| text.as_str().to_owned()).unwrap_or_default();
            targets.push(Target::new(format!("{cell} terminal"), &text, verdict));
        }
    }
    targets
}

/// The rows of every table of `tests/data`: file, channel, agent, text.
fn rows() -> Vec<(String, Channel, AgentId, String)> {
    let mut files: Vec<_> =
        fs::read_dir(root().join("tests/data")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut rows = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "tsv")) {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        for line in fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.splitn(4, '\t').collect();
            let [_, agent, channel, text] = cells[..] else {
                panic!("{file}: a row has four cells, code, agent, channel and text: {line:?}")
            };
            let agent = AgentId::new(agent).unwrap();
            rows.push((file.clone(), channel.parse().unwrap(), agent, text.replace("\\n", "\n")));
        }
    }
    rows
}

fn observed(classifier: &Classifier) -> Vec<Target> {
    let target = |(file, channel, agent, text): (String, Channel, AgentId, String)| {
        let name = format!("{file} {channel} {agent}");
        Target::new(name, &text, classifier.classify(&spoken(channel, Some(agent), &text), now()))
    };
    rows().into_iter().map(target).collect()
}

/// What the file of each rule must hold.
fn snapshots(classifier: &Classifier, targets: &[Target]) -> BTreeMap<String, String> {
    let mut sections: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for rule in classifier.catalogue().rules() {
        sections.entry(rule.id().as_str()).or_default();
    }
    for (rule, section, line) in targets.iter().flat_map(Target::lines) {
        sections.entry(rule.as_str()).or_default().entry(section).or_default().push(line);
    }
    let text = |sections: BTreeMap<&str, Vec<String>>| {
        let mut text = String::new();
        for (section, mut lines) in sections {
            lines.sort();
            text.push_str(&format!("{section}\n{}\n", lines.join("\n")));
        }
        text
    };
    sections.into_iter().map(|(rule, sections)| (format!("{rule}.txt"), text(sections))).collect()
}

/// How two texts differ, line by line, order left out: the lines of a snapshot are sorted.
fn difference(before: &str, after: &str) -> String {
    let count = |text: &str| {
        let mut counts: BTreeMap<String, i64> = BTreeMap::new();
        text.lines().for_each(|line| *counts.entry(line.to_owned()).or_default() += 1);
        counts
    };
    let (before, after) = (count(before), count(after));
    let lines: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed = lines.into_iter().filter_map(|line| {
        let more = after.get(line).unwrap_or(&0) - before.get(line).unwrap_or(&0);
        match more {
            0 => None,
            1.. => Some(format!("+{line}\n")),
            _ => Some(format!("-{line}\n")),
        }
    });
    changed.collect()
}

/// Says in what `folder` differs from `expected`, or with `update` makes it hold exactly that.
fn compare(folder: &Path, expected: &BTreeMap<String, String>, update: bool) -> Vec<String> {
    let there: BTreeSet<String> = fs::read_dir(folder)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    let mut wrong = Vec::new();
    for surplus in there.iter().filter(|name| !expected.contains_key(*name)) {
        if update {
            fs::remove_file(folder.join(surplus)).unwrap();
        } else {
            wrong.push(format!("{surplus}: no rule has this name\n"));
        }
    }
    for (name, text) in expected {
        let before = fs::read_to_string(folder.join(name)).unwrap_or_default();
        if there.contains(name) && before == *text {
            continue;
        }
        if update {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(name), text).unwrap();
        } else {
            let missing = if there.contains(name) { "" } else { "there is no such file\n" };
            wrong.push(format!("{name}:\n{missing}{}", difference(&before, text)));
        }
    }
    wrong
}

#[test]
fn the_crossfire_is_up_to_date() {
    let classifier = Classifier::new(loaded());
    let (samples, played, observed) = (samples(&classifier), played(&classifier), observed(&classifier));
    assert!(
        samples.len() > 450 && played.len() > 70 && observed.len() > 200,
        "{} samples, {} texts of fixtures, {} of the evidence",
        samples.len(),
        played.len(),
        observed.len()
    );
    let targets: Vec<Target> = samples.into_iter().chain(played).chain(observed).collect();
    let snapshots = snapshots(&classifier, &targets);
    let nowhere: Vec<&String> = snapshots.iter().filter(|(_, text)| text.is_empty()).map(|(name, _)| name).collect();
    assert!(nowhere.is_empty(), "rules that fire nowhere: {nowhere:?}");
    let wrong = compare(&root().join("tests/crossfire"), &snapshots, updating());
    assert!(
        wrong.is_empty(),
        "{} files are out of date: REFRAIN_UPDATE=1 cargo test --test catalogue\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The gate asks the same of samples and fixtures; the evidence is only here.
#[test]
fn no_text_of_the_evidence_is_claimed_by_two_codes() {
    let catalogue = loaded();
    let mut wrong = Vec::new();
    for (file, channel, agent, text) in rows() {
        for (one, other) in catalogue.contradictions(&text, Origin { channel, provider: Some(&agent) }) {
            wrong.push(format!("{file}: {} and {} both match {text:?}", one.id(), other.id()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stale_a_missing_and_a_surplus_snapshot_are_all_told_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("stale.v1.txt", "decides\n  a: x\n"), ("gone.v1.txt", "decides\n"), ("same.v1.txt", "x\n")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let expected = [("stale.v1.txt", "decides\n  b: x\n"), ("new.v1.txt", "decides\n  c: x\n"), ("same.v1.txt", "x\n")];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into_iter().collect();
    let told = compare(folder.path(), &expected, false).join("|");
    for part in ["gone.v1.txt: no rule", "new.v1.txt:\nthere is no such file\n+", "-  a: x\n+  b: x"] {
        assert!(told.contains(part), "{part:?} is not in {told:?}");
    }
    assert_eq!(compare(folder.path(), &expected, true), [""; 0]);
    assert_eq!(compare(folder.path(), &expected, false), [""; 0]);
}

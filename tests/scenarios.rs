//! Plays every scenario of `tests/scenarios`: each holds what it expects, twice the same, and each criterion of the
//! recovery core has one for and one against.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use refrain::acp::session::Knowledge;
use refrain::classify::Classifier;
use refrain::redact::Redactor;
use refrain::simulate::{Kind, Scenario, play};

#[expect(clippy::disallowed_methods, reason = "the scenarios are files")]
fn scenarios() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a scenario");
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), text(path))).collect()
}

fn knowledge() -> Knowledge<'static> {
    Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() }
}

#[test]
fn every_scenario_holds_what_it_expects() {
    let mut wrong = Vec::new();
    let all = scenarios();
    for (name, text) in &all {
        let scenario = match Scenario::parse(name, text) {
            Ok(scenario) => scenario,
            Err(findings) => {
                let said: Vec<_> =
                    findings.iter().map(|f| format!("{}:{}: {}", name, f.place.line, f.message)).collect();
                wrong.push(said.join("\n"));
                continue;
            }
        };
        let number: u32 = scenario.criterion.trim_start_matches('.').parse().expect("a criterion such as .9");
        let prefix = format!("{number:02}-{}-", scenario.kind);
        if !name.starts_with(&prefix) {
            wrong.push(format!("{name}: its fields say {prefix}"));
        }
        if scenario.expect.sequence.is_empty() || (scenario.kind == Kind::Negative && scenario.expect.never.is_empty())
        {
            wrong.push(format!("{name}: it expects nothing, so it can not fail"));
        }
        let played = play(&scenario, knowledge()).expect("a played scenario");
        if played != play(&scenario, knowledge()).expect("a played scenario") {
            wrong.push(format!("{name}: two runs differ"));
        }
        if !played.unmet.is_empty() {
            wrong.push(format!("{name}: {}\n{played}", scenario.title));
        }
    }
    assert!(wrong.is_empty(), "{} of {} scenarios:\n{}", wrong.len(), all.len(), wrong.join("\n\n"));
}

#[test]
fn every_criterion_of_the_recovery_core_has_one_for_and_one_against() {
    let names: BTreeSet<_> = scenarios().into_iter().map(|(name, _)| name).collect();
    let missing: Vec<_> = (8..=16)
        .chain(25..=28)
        .flat_map(|number| ["positive", "negative"].map(|kind| format!("{number:02}-{kind}-")))
        .filter(|prefix| !names.iter().any(|name| name.starts_with(prefix)))
        .collect();
    assert!(missing.is_empty(), "no scenario begins with {missing:?}");
}

//! `refrain replay`.

use std::fs;

use super::run::{copy, edit, project, refrain_in, refrain_with, required};

#[test]
fn replay_is_the_same_in_any_order_and_on_any_number_of_threads() {
    let once = refrain_in(project(), &["replay", "--format", "json", "--jobs", "1"], "");
    assert_eq!(once.code, 0, "{once:#?}");
    let document = once.json();
    let all = required().0 + required().1;
    assert_eq!(document["summary"], serde_json::json!({"fixtures": all, "passed": all, "failed": 0}));
    for jobs in ["1", "8"] {
        let again = refrain_in(project(), &["replay", "--format", "json", "--jobs", jobs], "");
        assert!(again.stdout == once.stdout, "with {jobs} threads: {again:?}");
    }
    let mut cells: Vec<String> = document["fixtures"]
        .as_array()
        .expect("fixtures")
        .iter()
        .map(|fixture| fixture["file"].as_str().expect("a path").trim_start_matches("fixtures/").replace(".json", ""))
        .collect();
    cells.reverse();
    let mut arguments = vec!["replay", "--format", "json"];
    arguments.extend(cells.iter().map(String::as_str));
    let reversed = refrain_in(project(), &arguments, "");
    assert!(reversed.stdout == once.stdout, "in reverse order: {reversed:?}");
}

#[test]
fn one_cell_shows_its_timeline() {
    let ran = refrain_in(project(), &["replay", "litellm/matched"], "");
    assert_eq!(ran.code, 0, "{ran:#?}");
    for word in ["litellm/matched", "message_chunk:diagnostic", "error", "-32603", "pre-result safe", "automatic retry"]
    {
        assert!(ran.stdout.contains(word), "no {word:?} in\n{}", ran.stdout);
    }
}

#[test]
fn a_wrong_expectation_is_shown_and_can_be_accepted_outside_of_ci() {
    let (_keep, folder) = copy();
    let file = "fixtures/litellm/matched.json";
    let before = fs::read_to_string(folder.join(file)).expect("it");
    edit(&folder, file, "\"preResultSafe\": true", "\"preResultSafe\": false");
    let ran = refrain_in(&folder, &["replay"], "");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("preResultSafe: expected false, got true"), "{}", ran.stdout);
    let refused = refrain_with(&folder, &["replay", "--accept"], b"", &[("CI", "true")]);
    assert_eq!(refused.code, 2, "{refused:#?}");
    let accepted = refrain_in(&folder, &["replay", "--accept"], "");
    assert_eq!(accepted.code, 0, "{accepted:#?}");
    assert!(accepted.stdout.contains("accepted fixtures/litellm/matched.json"), "{}", accepted.stdout);
    assert_eq!(fs::read_to_string(folder.join(file)).expect("it"), before);
}

#[test]
fn another_corpus_is_judged_by_its_own_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(project().join("fixtures/litellm/matched.json")).expect("it");
    let foreign = text
        .replace("\"gateway\": \"litellm\"", "\"gateway\": \"elsewhere\"")
        .replace("litellm-matched", "elsewhere-matched");
    fs::write(folder.path().join("elsewhere-matched.json"), &foreign).expect("it");
    let corpus = folder.path().to_str().expect("UTF-8");
    let ran = refrain_in(project(), &["replay", "--corpus", corpus, "--format", "json"], "");
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_eq!(ran.json()["summary"]["passed"], 1);

    let legacy: String = foreign
        .lines()
        .filter(|line| !line.contains("recordedDiagnosticCode"))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(folder.path().join("elsewhere-matched.json"), legacy).expect("it");
    assert_eq!(refrain_in(project(), &["replay", "--corpus", corpus], "").code, 1, "refused without --lenient");
    assert_eq!(refrain_in(project(), &["replay", "--corpus", corpus, "--lenient"], "").code, 0);
    assert_eq!(refrain_in(project(), &["canon", "--upgrade", corpus], "").code, 0);
    let upgraded = fs::read_to_string(folder.path().join("elsewhere-matched.json")).expect("it");
    assert_eq!(upgraded, foreign, "the replay fills in what the old document left open");
}

#[test]
fn nothing_selected_is_never_green() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().to_str().expect("UTF-8");
    for (arguments, code) in [
        (vec!["replay", "--corpus", empty], 4),
        (vec!["replay", "no/such-cell"], 4),
        (vec!["replay", "--corpus", "no/such/folder"], 2),
    ] {
        let ran = refrain_in(project(), &arguments, "");
        assert_eq!(ran.code, code, "{arguments:?}: {ran:#?}");
    }
}

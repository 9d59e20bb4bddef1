//! `refrain canon`.

use std::fs;

use super::run::{copy, project, refrain_in};

#[test]
fn any_spelling_becomes_the_one_spelling_and_check_writes_nothing() {
    let (_keep, folder) = copy();
    let file = folder.join("fixtures/litellm/matched.json");
    let canonical = fs::read_to_string(&file).expect("it");
    let value: serde_json::Value = serde_json::from_str(&canonical).expect("JSON");
    let dense = value.to_string();
    fs::write(&file, &dense).expect("it");
    let checked = refrain_in(&folder, &["canon", "--check"], "");
    assert_eq!(checked.code, 1, "{checked:#?}");
    assert!(checked.stdout.contains("refrain::fixture::not_canonical"), "{}", checked.stdout);
    assert_eq!(fs::read_to_string(&file).expect("it"), dense);
    let written = refrain_in(&folder, &["canon"], "");
    assert_eq!(written.code, 0, "{written:#?}");
    assert_eq!(fs::read_to_string(&file).expect("it"), canonical);
    let again = refrain_in(&folder, &["canon"], "");
    assert!(!again.stdout.contains("rewritten"), "{}", again.stdout);
    let streamed = refrain_in(&folder, &["canon", "-"], &dense);
    assert_eq!(streamed.stdout, canonical);
}

#[test]
fn bad_documents_are_refused_with_their_place() {
    for (text, code) in [
        ("{\"a\": 1, \"a\": 2}", "refrain::canon::duplicate_key"),
        ("{\"frames\": [", "refrain::canon::"),
        ("\u{feff}{}", "refrain::canon::"),
        ("[]", "refrain::fixture::"),
        ("", "refrain::canon::"),
    ] {
        let ran = refrain_in(project(), &["canon", "-"], text);
        assert_eq!(ran.code, 1, "{text:?}: {ran:#?}");
        // Where a document was asked for, nothing but a document comes.
        assert!(ran.stdout.is_empty() && ran.stderr.contains(code), "{text:?}: {ran:#?}");
        let checked = refrain_in(project(), &["canon", "--check", "-"], text);
        assert!(checked.code == 1 && checked.stdout.contains(code), "{text:?}: {checked:#?}");
    }
    let deep = "[".repeat(10_000);
    assert_eq!(refrain_in(project(), &["canon", "-"], &deep).code, 1);
    let missing = refrain_in(project(), &["canon", "no/such/file.json"], "");
    assert_eq!(missing.code, 2, "{missing:#?}");
}

#[test]
fn equal_frames_of_one_case_are_found() {
    let (_keep, folder) = copy();
    let text = fs::read_to_string(folder.join("fixtures/litellm/matched.json")).expect("it");
    let dressed = text.replace("litellm", "other");
    let other = folder.join("fixtures/other");
    fs::create_dir_all(&other).expect("it");
    let frames =
        |text: &str| text[text.find("\"frames\"").expect("it")..text.find("\"expect\"").expect("it")].to_owned();
    fs::write(other.join("matched.json"), dressed.replace(&frames(&dressed), &frames(&text))).expect("it");
    let ran = refrain_in(&folder, &["canon", "--check", "fixtures"], "");
    assert_eq!(ran.code, 1, "{ran:#?}");
    assert!(ran.stdout.contains("refrain::fixture::equal_frames"), "{}", ran.stdout);
}

//! Whole documents: what people write and what the tool writes.

use refrain::catalogue::Catalogue;
use refrain::fixture::{FixtureFile, Strictness};
use refrain::matrix::Matrix;
use refrain::recovery::policy::{Node, Policies};
use refrain::redact::{AllowList, Profile, Raw, Redactor};
use refrain::replay::{Direct, Setting, replay};
use refrain::simulate::{Scenario, play};
use refrain::vocab::Tier;

/// A fixture that is read has one spelling, and reading that gives the same fixture.
pub(super) fn fixture(data: &[u8]) {
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        let Ok(file) = FixtureFile::read("fixtures/litellm/matched.json", data, strictness) else { continue };
        let written = file.fixture.on_disk();
        let again = FixtureFile::read("fixtures/litellm/matched.json", written.as_bytes(), strictness);
        let again = again.unwrap_or_else(|findings| panic!("its own spelling is refused: {findings:?}\n{written}"));
        assert_eq!(again.fixture, file.fixture, "another fixture\n{written}");
        assert_eq!(again.fixture.on_disk(), written, "another spelling");
        let finding = file.spelling();
        assert_eq!(finding.is_none(), file.text == written, "{finding:?}");
        // What does not end in a failure of the prompt may not be playable; it must still not panic.
        let _ = replay(&file.fixture, &Direct, Setting { knowledge: super::knowledge(), now: super::now() });
    }
}

/// A catalogue that is accepted classifies without a panic and is accepted again; one that is refused says why.
pub(super) fn catalogue(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Catalogue::load([("catalogue/rules/amp.quota.v1.yaml", text)]) {
        Ok(catalogue) => {
            assert!(catalogue.version().starts_with("provider-errors.v1+"), "{}", catalogue.version());
            assert!(catalogue.self_test().is_empty(), "an accepted catalogue fails its own samples");
        }
        Err(findings) => assert!(!findings.is_empty(), "refused without a reason"),
    }
}

/// Shapes beside the enforced ones: what is accepted redacts without a panic.
pub(super) fn shapes(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Redactor::load([("catalogue/shapes/ticket.yaml", text)]) {
        Ok(redactor) => {
            let clean = redactor.clean::<refrain::redact::Payload>(Raw::new(text));
            let _ = redactor.scan(Tier::Payload, Profile::Strict, clean.as_str());
        }
        Err(findings) => assert!(!findings.is_empty(), "refused without a reason"),
    }
}

/// A matrix that is accepted requires something, and says where nothing wrong is.
pub(super) fn matrix(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Matrix::parse("matrix.yaml", text) {
        Ok(matrix) => {
            assert!(matrix.required().next().is_some(), "an empty matrix is accepted");
            let missing = refrain::matrix::judge(&matrix, &[], &[]);
            assert_eq!(missing.len(), matrix.required().count() + matrix.scenarios.len(), "{missing:?}");
        }
        Err(findings) => assert!(!findings.is_empty(), "refused without a reason"),
    }
}

/// A list of reviewed values never allows a value of an enforced shape.
pub(super) fn allow_list(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let redactor = Redactor::embedded();
    let Ok(list) = AllowList::parse("allow.yaml", text, redactor) else { return };
    for hit in redactor.scan(Tier::Payload, Profile::Standard, text) {
        let allowed = list.allows(&hit, text, "2026-11-30", redactor);
        assert!(!(allowed && redactor.is_enforced(&hit.shape)), "{hit:?} is allowed");
    }
}

/// Policies, as JSON and as YAML: refused with a field and a problem, or whole.
pub(super) fn policy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let nodes = [serde_json::from_str::<Node>(text).ok(), refrain::canon::yaml::parse::<Node>(text).ok()];
    for node in nodes.into_iter().flatten() {
        match Policies::from_document(&node) {
            Ok(policies) => assert!(!policies.candidates().is_empty(), "no candidate is accepted"),
            Err(refused) => {
                assert!(!refused.is_empty() && refused.iter().all(|one| !one.problem.is_empty()), "{refused:?}");
            }
        }
    }
}

/// A scenario that is accepted plays to its end, twice the same.
pub(super) fn scenario(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(scenario) = Scenario::parse("scenario.yaml", text) else { return };
    let played = play(&scenario, super::knowledge());
    assert_eq!(played, play(&scenario, super::knowledge()), "another run, another timeline");
}

/// Any YAML ends in bounded time, with a value or with a place.
pub(super) fn yaml(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Err(error) = refrain::canon::yaml::parse::<serde_json::Value>(text) {
        assert!(!error.message.is_empty(), "{error:?}");
    }
}

//! The samples of the shapes are their tests.
//!
//! Invariant: every positive sample fires under every tier of its shape and is quiet once rewritten; every negative one is
//! silent for its shape.
//!
//! Must not know: disk.

use super::clean::{CredentialOnly, Diagnostic, Payload, Provenance, Raw};
use super::redactor::Redactor;
use super::sample;
use super::shape::{Profile, Shape, ShapeClass};
use super::shapes::Shapes;
use crate::vocab::{Finding, Place, Tier};

/// Runs every sample of every shape. Findings name the file of the shape and the template, never what it expands to.
#[must_use]
pub fn self_test(redactor: &Redactor) -> Vec<Finding> {
    redactor.shapes().iter().flat_map(|shape| one(shape, redactor)).collect()
}

fn one(shape: &Shape, all: &Redactor) -> Vec<Finding> {
    let alone = Redactor::new(Shapes::of_one(shape));
    let profile = if shape.class == ShapeClass::Strict { Profile::Strict } else { Profile::Standard };
    let mut findings = Vec::new();
    for (number, template) in shape.positive.iter().enumerate() {
        let text = sample::expand(template, &format!("{} {number}", shape.id));
        for &tier in &shape.tiers {
            if alone.scan(tier, profile, &text).is_empty() {
                findings.push(failure(shape, template, format!("does not fire under {tier}")));
            }
            let clean = rewritten(all, tier, profile, &text);
            if !all.scan(tier, profile, &clean).is_empty() || rewritten(all, tier, profile, &clean) != clean {
                findings.push(failure(shape, template, format!("is not quiet under {tier} once rewritten")));
            }
        }
    }
    for (number, template) in shape.negative.iter().enumerate() {
        let text = sample::expand(template, &format!("{} silent {number}", shape.id));
        for &tier in shape.tiers.iter().filter(|&&tier| !alone.scan(tier, profile, &text).is_empty()) {
            findings.push(failure(shape, template, format!("is negative and fires under {tier}")));
        }
    }
    findings
}

fn failure(shape: &Shape, template: &str, problem: String) -> Finding {
    let place = Place::file(&format!("catalogue/shapes/{}.yaml", shape.id));
    let help = if sample::expand(template, "").contains("{{") {
        format!(
            "what is in `{{{{...}}}}` is no template: write one such as `{{{{b62:36}}}}`; alphabets are {}",
            sample::ALPHABETS
        )
    } else {
        "change the pattern, the anchors or the sample".to_owned()
    };
    Finding::error("refrain::redact::sample", place, format!("the sample `{template}` {problem}")).help(help)
}

fn rewritten(redactor: &Redactor, tier: Tier, profile: Profile, text: &str) -> String {
    let raw = Raw::new(text);
    match tier {
        Tier::Payload => redactor.scope_with::<Payload>(profile).clean(raw).into_string(),
        Tier::Provenance => redactor.scope_with::<Provenance>(profile).clean(raw).into_string(),
        Tier::Diagnostic => redactor.scope_with::<Diagnostic>(profile).clean(raw).into_string(),
        Tier::CredentialOnly => redactor.scope_with::<CredentialOnly>(profile).clean(raw).into_string(),
    }
}

//! Samples that only a classifier can judge: of rules over statuses, exit codes, stop reasons and time.

use jiff::Timestamp;

use super::Classifier;
use crate::catalogue::{RULES_FOLDER, Rule, Sample};
use crate::vocab::{Finding, Place};

impl Classifier {
    /// Runs every sample of the structured rules; empty when all is well. The samples of the other rules are judged when
    /// the catalogue is loaded.
    #[must_use]
    pub fn self_test(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for rule in self.catalogue().structured() {
            let mut say = |code, message| {
                let place = Place::file(&format!("{RULES_FOLDER}/{}.yaml", rule.id()));
                findings.push(Finding::error(code, place, message));
            };
            for sample in rule.samples().positive.iter().filter(|sample| !self.fires(rule, sample)) {
                let message = format!("rule `{}` does not match its own sample {}", rule.id(), shown(sample));
                say("refrain::catalogue::silent_sample", message);
            }
            for sample in rule.samples().negative.iter().filter(|sample| self.fires(rule, sample)) {
                let message = format!("rule `{}` matches {}, which must stay silent", rule.id(), shown(sample));
                say("refrain::catalogue::firing_near_miss", message);
            }
        }
        findings
    }

    /// Whether the rule decides on the sample or is outranked there. Hints of samples are spans: any time will do.
    fn fires(&self, rule: &Rule, sample: &Sample) -> bool {
        let verdict = self.classify(&rule.observed(sample), Timestamp::UNIX_EPOCH);
        verdict.rule.iter().chain(&verdict.outranked).any(|id| id == rule.id())
    }
}

fn shown(sample: &Sample) -> String {
    let value = sample.status.map(|status| status.to_string());
    let value = value.or_else(|| sample.exit.map(|code| code.to_string()));
    let value = value.or_else(|| sample.stop_reason.clone()).unwrap_or_else(|| sample.text.clone());
    format!("`{value}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    const RULE: &str = "\
id: sample.long_reset.v1
title: 'A throttle for hours'
code: quota_limited
confidence: high
tier: structured
long_reset_of: rate_limited
samples:
  positive:
    - text: 'POSITIVE'
  negative:
    - text: 'NEGATIVE'
      reason: 'a near miss'
source: 'invented'
";
    const STATUS: &str = "\
id: sample.status.v1
title: 'Too many requests'
code: rate_limited
confidence: high
tier: exact
match:
  - '\\btoo many requests\\b'
samples:
  positive:
    - text: 'Too many requests'
  negative:
    - text: 'Too many questions'
      reason: 'questions'
source: 'invented'
";

    #[test]
    fn samples_over_time_are_judged_with_a_clock() {
        let mut wrong = Vec::new();
        for (positive, negative, expected) in [
            ("Too many requests, try again in 3 hours", "Too many requests, try again in 3 seconds", &[][..]),
            ("Too many requests for hours", "Too many requests", &["refrain::catalogue::silent_sample"]),
            (
                "Too many requests, try again in 3 hours",
                "Too many requests, try again in 2 days",
                &["refrain::catalogue::firing_near_miss"],
            ),
        ] {
            let rule = RULE.replace("POSITIVE", positive).replace("NEGATIVE", negative);
            let files = [("sample.long_reset.v1", rule.as_str()), ("sample.status.v1", STATUS)];
            let catalogue = Catalogue::load(files.map(|(id, text)| (format!("{RULES_FOLDER}/{id}.yaml"), text)));
            let found = Classifier::new(catalogue.unwrap()).self_test();
            let codes: Vec<_> = found.iter().map(|finding| finding.code).collect();
            if codes != expected {
                wrong.push(format!("{positive:?}, {negative:?}: expected {expected:?}, got {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

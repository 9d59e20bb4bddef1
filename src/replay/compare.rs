//! Observation against expectation: exact, ordered, complete (.19).
//!
//! Invariant: every differing field is reported, not the first only.
//!
//! Must not know: how either side came about.

use serde::Serialize;

use super::outcome::{EvidenceLayer, ObservedError, TransportLayer};
use crate::fixture::{Expect, ExpectedError, Recorded};
use crate::vocab::{Code, Token};

/// One field in which the observation differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The field of `expect`, such as `providerError.rpcCode`.
    pub field: &'static str,
    /// What the fixture expects; empty for nothing.
    pub expected: String,
    /// What was observed; empty for nothing.
    pub got: String,
}

/// Every difference, in the order of the format.
pub(super) fn compare(expect: &Expect, transport: &TransportLayer, evidence: &EvidenceLayer) -> Vec<Mismatch> {
    let mut differences = Differences(Vec::new());
    differences.check("events", tokens(&expect.events), tokens(&transport.events));
    provider_error(expect.provider_error.as_ref(), transport.provider_error.as_ref(), &mut differences);
    differences.check("diagnosticCode", word(expect.diagnostic_code), word(transport.diagnostic_code));
    match expect.recorded {
        Recorded::Unstated => {}
        Recorded::Nothing => {
            differences.check("recordedDiagnosticCode", String::new(), word(evidence.recorded_diagnostic_code));
        }
        Recorded::Code(code) => {
            differences.check("recordedDiagnosticCode", word(Some(code)), word(evidence.recorded_diagnostic_code));
        }
    }
    differences.check("preResultSafe", expect.pre_result_safe.to_string(), evidence.pre_result_safe.to_string());
    differences.0
}

fn provider_error(expected: Option<&ExpectedError>, got: Option<&ObservedError>, differences: &mut Differences) {
    let shown = |number: Option<i32>| number.map_or_else(String::new, |number| number.to_string());
    match (expected, got) {
        (Some(expected), Some(got)) => {
            differences.check("providerError.source", expected.source.to_string(), got.source.to_string());
            differences.check("providerError.rpcCode", shown(expected.rpc_code), shown(got.rpc_code));
            differences.check("providerError.errorKind", text(&expected.error_kind), text(&got.error_kind));
            differences.check("providerError.providerId", expected.provider.to_string(), text(&got.provider_id));
            differences.check("providerError.modelId", text(&expected.model), text(&got.model_id));
        }
        (expected, got) => {
            let expected = expected.map_or_else(String::new, |error| error.source.to_string());
            differences.check(
                "providerError",
                expected,
                got.map_or_else(String::new, |error| error.source.to_string()),
            );
        }
    }
}

struct Differences(Vec<Mismatch>);

impl Differences {
    fn check(&mut self, field: &'static str, expected: String, got: String) {
        if expected != got {
            self.0.push(Mismatch { field, expected, got });
        }
    }
}

fn tokens(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.as_str()).collect::<Vec<_>>().join(", ")
}

fn word(code: Option<Code>) -> String {
    code.map_or_else(String::new, |code| code.to_string())
}

fn text<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(String::new, T::to_string)
}

//! What a replay observed as a fixture's expectation, for a person to accept.

use super::outcome::Replayed;
use crate::fixture::{Expect, ExpectedError, Fixture, Recorded};

impl Replayed {
    /// The `expect` that this replay would satisfy.
    #[must_use]
    pub fn as_expectation(&self, fixture: &Fixture) -> Expect {
        let provider_error = self.transport.provider_error.as_ref().map(|error| ExpectedError {
            source: error.source,
            rpc_code: error.rpc_code,
            error_kind: error.error_kind.clone(),
            provider: error.provider_id.clone().unwrap_or_else(|| fixture.agent.clone()),
            model: error.model_id.as_ref().map(ToString::to_string),
        });
        Expect {
            events: self.transport.events.clone(),
            provider_error,
            diagnostic_code: self.transport.diagnostic_code,
            recorded: self.evidence.recorded_diagnostic_code.map_or(Recorded::Nothing, Recorded::Code),
            pre_result_safe: self.evidence.pre_result_safe,
        }
    }
}

//! `claude-acp`: knows which chunks the model wrote, and reads the failure notice of a normal end of turn.
//!
//! Invariant: after the first sign of the model in a prompt, no chunk of that prompt is a candidate.
//!
//! Must not know: what a text classifies to.

use serde_json::Value;

use super::{Dialect, Projected, Reading, failure_notice};
use crate::acp::convert::Update;

/// How the provider's own message ids begin. The agent's diagnostics carry a UUID or nothing.
const PROVIDER_MESSAGE: &str = "msg_";

/// State within one prompt.
#[derive(Debug, Default)]
pub(super) struct Claude {
    model_spoke: bool,
}

impl Dialect for Claude {
    fn begin(&mut self) {
        self.model_spoke = false;
    }

    fn read(&mut self, update: &Update<'_>, _active: bool) -> Reading {
        match update {
            Update::Assistant(chunk) | Update::Thought(chunk) => {
                self.model_spoke |= chunk.message_id.as_deref().is_some_and(|id| id.starts_with(PROVIDER_MESSAGE));
            }
            Update::Usage { model: Some(_) } => self.model_spoke = true,
            _ => {}
        }
        if self.model_spoke { Reading::ModelOrigin } else { Reading::Ordinary }
    }

    fn settle(&mut self, result: &Value) -> Option<Projected> {
        failure_notice(result)
    }
}

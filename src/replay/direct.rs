//! The exchange without a connection: updates go straight into the adapter's session. The real connection must observe
//! exactly the same.
//!
//! Invariant: nothing is scheduled, so there is nothing to wait for.
//!
//! Must not know: connections.

use super::exchange::{Exchange, ExchangeError, Observation};
use super::script::Script;
use crate::acp::session::{Knowledge, Session};

/// In-process exchange, for builds without the SDK and as the reference for the one with it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Direct;

impl Exchange for Direct {
    fn play(&self, script: &Script, knowledge: Knowledge<'_>) -> Result<Observation, ExchangeError> {
        let mut session = Session::new(knowledge, Some(script.agent.clone()));
        let mut events = session.begin(script.invocation.clone());
        for update in script.updates() {
            events.extend(session.update(&update));
        }
        let outcome = script.ending.outcome();
        let terminal = outcome.and_then(|outcome| session.settle(script.invocation.generation, outcome));
        Ok(Observation { events, terminal })
    }
}

#[cfg(test)]
mod tests;

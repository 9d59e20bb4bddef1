//! The real ACP connection: the adapter on one end, an agent on the other, lines of JSON between them.
//!
//! The SDK's dispatch loop awaits each handler, so an update that is queued and undrained when the prompt settles exists
//! only in a queue of our own. Handlers push into it, one worker drains it, and `prompt()` returns what the worker hands
//! back for the terminal, which went through the same queue: the terminal is its own barrier (.19).
//!
//! Invariant: everything runs on one thread and ends at rest; "never settled" is "at rest and not returned", exactly and
//! without a clock.
//!
//! Must not know: what an event means.

mod agent;
mod client;
mod pump;
mod rest;
mod wire;

use std::cell::RefCell;

use futures::FutureExt as _;

use crate::acp::session::{Knowledge, Session};
use crate::replay::{Ending, Exchange, ExchangeError, Observation, Script};

use self::agent::Player;
use self::client::Client;
use self::pump::{Barrier, Gate};
use self::rest::Tasks;

/// Plays scripts over a real connection of the Rust SDK.
#[derive(Debug, Clone, Copy, Default)]
pub struct Link {
    barrier: Barrier,
}

impl Link {
    /// A connection whose prompt call returns at once, for the test that shows what the barrier is for.
    #[cfg(test)]
    const fn without_barrier() -> Self {
        Self { barrier: Barrier::TakenOut }
    }
}

impl Exchange for Link {
    fn play(&self, script: &Script, knowledge: Knowledge<'_>) -> Result<Observation, ExchangeError> {
        let session = RefCell::new(Session::new(knowledge, Some(script.agent.clone())));
        let (queue, queued) = pump::queue();
        let (gate, closed) = Gate::new();
        let (ours, theirs) = wire::pair();
        let player = Player::new(script);
        let hang_up = theirs.hang_up();
        let pump = pump::Pump { session: &session, stream: RefCell::default() };
        let client = Client { script, pump: &pump, queue, barrier: self.barrier, returned: RefCell::default() };

        let mut tasks = Tasks::default();
        tasks.add(player.serve(theirs).boxed_local());
        tasks.add(client.converse(ours).boxed_local());
        tasks.add(pump.drain(closed, queued).map(|()| Ok(())).boxed_local());
        let held = if script.held {
            Some(gate)
        } else {
            gate.open();
            None
        };
        tasks.run()?;
        hang_up_if_gone(script, &player, &hang_up, &mut tasks)?;
        if let Some(gate) = held {
            still_held(&client, &pump)?;
            gate.open();
            tasks.run()?;
        }
        player.consumed()?;
        observation(&client, &pump)
    }
}

/// An agent that ends its connection does so after everything it said has arrived.
fn hang_up_if_gone(
    script: &Script,
    player: &Player,
    hang_up: &wire::HangUp,
    tasks: &mut Tasks<'_>,
) -> Result<(), ExchangeError> {
    let gone = matches!(script.ending, Ending::Disconnect | Ending::Exit { .. });
    if gone && player.consumed().is_ok() {
        hang_up.now();
        tasks.run()?;
    }
    Ok(())
}

/// With the gate closed and everything at rest, the prompt must be pending and the stream empty.
fn still_held(client: &Client<'_, '_, '_>, pump: &pump::Pump<'_, '_>) -> Result<(), ExchangeError> {
    if client.returned.borrow().is_some() {
        return Err(ExchangeError::ReturnedBeforeDrained { late: 0 });
    }
    match pump.stream.borrow().len() {
        0 => Ok(()),
        early => Err(ExchangeError::NotHeld { early }),
    }
}

fn observation(client: &Client<'_, '_, '_>, pump: &pump::Pump<'_, '_>) -> Result<Observation, ExchangeError> {
    let events = pump.stream.take();
    let returned = client.returned.take();
    let late = returned.as_ref().map_or(0, |returned| events.len() - returned.streamed);
    if late > 0 {
        return Err(ExchangeError::ReturnedBeforeDrained { late });
    }
    Ok(Observation { events, terminal: returned.and_then(|returned| returned.terminal) })
}

#[cfg(test)]
mod tests;

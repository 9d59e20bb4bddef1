//! The adapter's own queue: handlers push, one worker drains, in order.
//!
//! Invariant: the terminal of a prompt passes the worker after everything that arrived before it.
//!
//! Must not know: the connection.

use std::cell::RefCell;

use futures::StreamExt as _;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::channel::oneshot;
use serde_json::Value;

use crate::acp::event::Event;
use crate::acp::session::{Outcome, Session};
use crate::vocab::Generation;

/// What waits for the worker.
pub(super) enum Item {
    /// The `update` of a `session/update` notification.
    Update(Value),
    /// A prompt was answered. The worker hands the terminal event back to the prompt call: this is the barrier.
    Terminal { generation: Generation, outcome: Outcome, reply: oneshot::Sender<Option<Event>> },
}

/// The writing side, one per handler.
pub(super) type Queue = UnboundedSender<Item>;

/// Whether the prompt call waits until the queue is drained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Barrier {
    /// Always, outside the one test.
    #[default]
    Kept,
    /// It returns at once: what the barrier prevents.
    #[cfg(test)]
    TakenOut,
}

/// An empty queue.
pub(super) fn queue() -> (Queue, UnboundedReceiver<Item>) {
    unbounded()
}

/// Holds the worker until it is opened.
pub(super) struct Gate(oneshot::Sender<()>);

impl Gate {
    /// A closed gate and what the worker waits for.
    pub(super) fn new() -> (Self, oneshot::Receiver<()>) {
        let (gate, closed) = oneshot::channel();
        (Self(gate), closed)
    }

    /// Lets the worker go on. A worker that is gone needs no opening.
    pub(super) fn open(self) {
        let _ = self.0.send(());
    }
}

/// The worker and the stream it fills.
pub(super) struct Pump<'s, 'k> {
    pub(super) session: &'s RefCell<Session<'k>>,
    pub(super) stream: RefCell<Vec<Event>>,
}

impl Pump<'_, '_> {
    /// Drains the queue, once the gate is open, until every writer is gone.
    pub(super) async fn drain(&self, gate: oneshot::Receiver<()>, mut queue: UnboundedReceiver<Item>) {
        if gate.await.is_err() {
            return;
        }
        while let Some(item) = queue.next().await {
            match item {
                Item::Update(raw) => {
                    let events = self.session.borrow_mut().update(&raw);
                    self.stream.borrow_mut().extend(events);
                }
                Item::Terminal { generation, outcome, reply } => {
                    let terminal = self.session.borrow_mut().settle(generation, outcome);
                    // Nobody waits any more when the prompt call was dropped.
                    let _ = reply.send(terminal);
                }
            }
        }
    }
}

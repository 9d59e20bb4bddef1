//! The client's end: initializes, opens a session, prompts, and returns the prompt's terminal.
//!
//! Invariant: handlers only push; nothing is converted inside the SDK's dispatch loop.
//!
//! Must not know: dialects, fixtures.

use std::cell::RefCell;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::{Agent, Client as Role, Error, UntypedMessage, is_incoming_transport_closed};
use futures::channel::oneshot;
use serde_json::{Value, json};

use super::pump::{Barrier, Item, Pump, Queue};
use super::wire::End;
use crate::acp::event::Event;
use crate::acp::frame::{self, RpcError};
use crate::acp::session::Outcome;
use crate::replay::{Ending, ExchangeError, Script};

/// What the prompt call returned.
pub(super) struct Returned {
    pub(super) terminal: Option<Event>,
    /// How many events were on the stream when it returned.
    pub(super) streamed: usize,
}

/// One prompt of one session.
pub(super) struct Client<'p, 's, 'k> {
    pub(super) script: &'p Script,
    pub(super) pump: &'p Pump<'s, 'k>,
    pub(super) queue: Queue,
    pub(super) barrier: Barrier,
    pub(super) returned: RefCell<Option<Returned>>,
}

impl Client<'_, '_, '_> {
    /// Talks to the agent until it is gone.
    pub(super) async fn converse(&self, end: End) -> Result<(), ExchangeError> {
        let queue = self.queue.clone();
        let session = self.script.invocation.session.to_string();
        let conversation = Role
            .v1()
            .on_receive_notification(
                async move |message: UntypedMessage, _agent: ConnectionTo<Agent>| {
                    if let Some(update) = update_of(&message, &session) {
                        push(&queue, Item::Update(update.clone()))?;
                    }
                    Ok(())
                },
                agent_client_protocol::on_receive_notification!(),
            )
            .connect_with(end.into_lines(), async |agent: ConnectionTo<Agent>| {
                let terminal = self.prompt_once(&agent).await?;
                let streamed = self.pump.stream.borrow().len();
                *self.returned.borrow_mut() = Some(Returned { terminal, streamed });
                // Late frames still count, so the connection stays open.
                agent.incoming_closed().await;
                Ok(())
            })
            .await;
        conversation.map_err(|error| ExchangeError::Connection(error.message))
    }

    async fn prompt_once(&self, agent: &ConnectionTo<Agent>) -> Result<Option<Event>, Error> {
        let hello =
            json!({"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": {"name": "refrain", "version": "1"}});
        request(agent, "initialize", hello).await?;
        let opened = request(agent, "session/new", json!({"cwd": "/", "mcpServers": []})).await?;
        self.pump.session.borrow_mut().response(&opened);
        self.prompt(agent).await
    }

    /// Sends the prompt and returns its terminal event, after everything before it is on the stream.
    async fn prompt(&self, agent: &ConnectionTo<Agent>) -> Result<Option<Event>, Error> {
        let invocation = &self.script.invocation;
        let told = self.pump.session.borrow_mut().begin(invocation.clone());
        self.pump.stream.borrow_mut().extend(told);
        let params = json!({"sessionId": invocation.session, "prompt": [{"type": "text", "text": "replay"}]});
        let prompt = agent.prepare_request(UntypedMessage::new("session/prompt", params)?);
        let (queue, generation, gone) = (self.queue.clone(), invocation.generation, gone(&self.script.ending));
        match self.barrier {
            Barrier::Kept => {
                let (reply, drained) = oneshot::channel();
                // Posted inside the ordered callback: a later frame can not overtake the terminal.
                prompt.on_receiving_result(async move |answer| {
                    push(&queue, Item::Terminal { generation, outcome: outcome(answer, gone), reply })
                })?;
                drained.await.map_err(|_| Error::internal_error())
            }
            #[cfg(test)]
            Barrier::TakenOut => {
                let (reply, answered) = oneshot::channel();
                prompt.on_receiving_result(async move |answer| {
                    reply.send(outcome(answer, gone)).map_err(|_| Error::internal_error())
                })?;
                let outcome = answered.await.map_err(|_| Error::internal_error())?;
                Ok(self.pump.session.borrow_mut().settle(generation, outcome))
            }
        }
    }
}

/// The update of this session's notification.
fn update_of<'m>(message: &'m UntypedMessage, session: &str) -> Option<&'m Value> {
    let (named, update) = frame::session_update(message.params()).filter(|_| message.method() == "session/update")?;
    (named == session).then_some(update)
}

fn push(queue: &Queue, item: Item) -> Result<(), Error> {
    queue.unbounded_send(item).map_err(|_| Error::internal_error())
}

/// A request before the prompt; its order against other frames does not matter.
async fn request(agent: &ConnectionTo<Agent>, method: &str, params: Value) -> Result<Value, Error> {
    agent.send_request(UntypedMessage::new(method, params)?).block_task().await
}

/// What the operating system would tell about an agent that went away.
fn gone(ending: &Ending) -> Outcome {
    match ending {
        Ending::Exit { code, signal, stderr } => Outcome::Gone { code: *code, signal: *signal, stderr: stderr.clone() },
        _ => Outcome::Gone { code: None, signal: None, stderr: None },
    }
}

fn outcome(answer: Result<Value, Error>, gone: Outcome) -> Outcome {
    match answer {
        Ok(result) => Outcome::Result(result),
        Err(error) if is_incoming_transport_closed(&error) => gone,
        Err(error) => Outcome::Error(RpcError { code: error.code.into(), message: error.message, data: error.data }),
    }
}

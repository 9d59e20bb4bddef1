//! The agent's end: plays a script when it is prompted.
//!
//! Invariant: what was sent is counted, so that an unconsumed or over-consumed script is an error.
//!
//! Must not know: the client's queue, expectations.

use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, UntypedMessage};
use serde_json::{Value, json};

use super::wire::End;
use crate::replay::{Ending, ExchangeError, Script};

/// A scripted agent.
#[derive(Clone)]
pub(super) struct Player {
    part: Arc<Part>,
    progress: Arc<Mutex<Progress>>,
}

/// What is to be played.
struct Part {
    session: String,
    updates: Vec<Value>,
    ending: Ending,
}

/// What was played.
#[derive(Default)]
struct Progress {
    sent: usize,
    prompts: usize,
    // A responder that is dropped answers by itself, so unanswered prompts are kept.
    unanswered: Vec<Responder<Value>>,
}

impl Player {
    pub(super) fn new(script: &Script) -> Self {
        let session = script.invocation.session.to_string();
        let part = Part { session, updates: script.updates(), ending: script.ending.clone() };
        Self { part: Arc::new(part), progress: Arc::default() }
    }

    /// Serves until the client is gone.
    pub(super) async fn serve(&self, end: End) -> Result<(), ExchangeError> {
        let player = self.clone();
        let served = Agent
            .v1()
            .on_receive_request(
                async move |request: UntypedMessage, responder: Responder<Value>, client: ConnectionTo<Client>| {
                    player.answer(&request, responder, &client)
                },
                agent_client_protocol::on_receive_request!(),
            )
            .connect_to(end.into_lines())
            .await;
        // Writing into a pipe that this end has closed itself is no failure of the connection.
        match served {
            Err(error) if !self.part.ending_is_gone() => Err(ExchangeError::Connection(error.message)),
            _ => Ok(()),
        }
    }

    fn answer(
        &self,
        request: &UntypedMessage,
        responder: Responder<Value>,
        client: &ConnectionTo<Client>,
    ) -> Result<(), Error> {
        match request.method() {
            "initialize" => responder.respond(json!({
                "protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "replay", "version": "1"},
            })),
            "session/new" => responder.respond(json!({"sessionId": self.part.session})),
            "session/prompt" => self.play(responder, client),
            _ => responder.respond_with_error(Error::method_not_found()),
        }
    }

    fn play(&self, responder: Responder<Value>, client: &ConnectionTo<Client>) -> Result<(), Error> {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.prompts += 1;
        if progress.prompts > 1 {
            return responder.respond_with_error(Error::internal_error());
        }
        for update in &self.part.updates {
            let params = json!({"sessionId": self.part.session, "update": update});
            client.send_notification(UntypedMessage::new("session/update", params)?)?;
            progress.sent += 1;
        }
        progress.sent += 1;
        match &self.part.ending {
            Ending::Error(error) => {
                let mut answer = Error::new(error.code, error.message.clone());
                answer.data.clone_from(&error.data);
                responder.respond_with_error(answer)
            }
            Ending::Result(result) => responder.respond(result.clone()),
            Ending::Disconnect | Ending::Exit { .. } | Ending::Stall => {
                progress.unanswered.push(responder);
                Ok(())
            }
        }
    }

    /// Whether the whole script was played, once.
    pub(super) fn consumed(&self) -> Result<(), ExchangeError> {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let left = (self.part.updates.len() + 1).saturating_sub(progress.sent);
        match (left, progress.prompts) {
            (0, 1) => Ok(()),
            (_, prompts) if prompts > 1 => Err(ExchangeError::OverConsumed),
            (left, _) => Err(ExchangeError::Unconsumed { left }),
        }
    }
}

impl Part {
    const fn ending_is_gone(&self) -> bool {
        matches!(self.ending, Ending::Disconnect | Ending::Exit { .. })
    }
}

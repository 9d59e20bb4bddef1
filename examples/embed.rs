//! A client that embeds the core: a fake agent, simulated time, and the timeline of what the client did.
//!
//! `cargo run --no-default-features --example embed` prints it; `docs/EMBEDDING.md` walks through it.

use std::fmt::Write as _;

use refrain::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use refrain::acp::frame::RpcError;
use refrain::acp::session::{Knowledge, Outcome, Session};
use refrain::classify::Classifier;
use refrain::recovery::notice::MemoryStore;
use refrain::recovery::retry::{Effect, Input, Requester, Target, TimerId};
use refrain::recovery::session::{SessionEffect, SessionRecovery, Stores};
use refrain::recovery::transcript::MemoryRecords;
use refrain::redact::{Raw, Redactor};
use refrain::vocab::{AgentId, ExecutionId, Generation, IdError, SessionId, TaskId};

fn main() -> Result<(), IdError> {
    print!("{}", timeline()?);
    Ok(())
}

/// What the fake agent does, and when.
enum Act {
    Says(Value),
    FailsWith(&'static str),
    Answers,
    PersonPrompts(&'static str),
    PersonCancels,
}

const OVERLOADED: &str = "API Error: 529 {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}";

/// Plays three prompts and gives the lines that the client logged.
pub(crate) fn timeline() -> Result<String, IdError> {
    let diagnostic = || text("agent_message_chunk", OVERLOADED);
    let failure = "Internal error: API Error: 529 {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}";
    let script = [
        // Nothing but the agent's own diagnostic before the failure: the owner retries, and the second try works.
        (0, Act::PersonPrompts("fix the failing test")),
        (1, Act::Says(diagnostic())),
        (1, Act::FailsWith(failure)),
        (8, Act::Says(text("agent_message_chunk", "The test passes now."))),
        (9, Act::Answers),
        // Output before the failure: a person decides.
        (20, Act::PersonPrompts("and the other one")),
        (21, Act::Says(text("agent_message_chunk", "I renamed the file."))),
        (22, Act::FailsWith(failure)),
        // A pending retry that a person cancels.
        (30, Act::PersonPrompts("once more")),
        (31, Act::FailsWith(failure)),
        (33, Act::PersonCancels),
    ];
    let mut client = Client::new()?;
    for (second, act) in script {
        client.advance(second);
        client.act(act);
        client.show_banner();
    }
    client.advance(600);
    Ok(client.log)
}

fn text(kind: &str, text: &str) -> Value {
    json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}})
}

/// One session of a client. Everything of refrain that it keeps is in `adapter` and `recovery`.
struct Client {
    /// Frames to events.
    adapter: Session<'static>,
    /// Events and actions to decisions.
    recovery: SessionRecovery,
    notices: MemoryStore,
    records: MemoryRecords,
    execution: ExecutionId,
    requester: Requester,
    target: Target,
    timer: Option<(TimerId, Timestamp)>,
    /// The prompt that the fake agent works on.
    prompt: Option<Generation>,
    now: Timestamp,
    banner: Option<String>,
    log: String,
}

impl Client {
    fn new() -> Result<Self, IdError> {
        let agent = AgentId::new("claude-acp")?;
        let (task, session) = (TaskId::new("task-1")?, SessionId::new("session-1")?);
        let knowledge = Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() };
        Ok(Self {
            adapter: Session::new(knowledge, Some(agent.clone())),
            recovery: SessionRecovery::new(task.clone(), session.clone()),
            notices: MemoryStore::default(),
            records: MemoryRecords::default(),
            execution: ExecutionId::new("execution-1")?,
            requester: Requester { task, session, permitted: true },
            target: Target { provider: agent, profile: None, model: None },
            timer: None,
            prompt: None,
            now: Timestamp::UNIX_EPOCH,
            banner: None,
            log: String::new(),
        })
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::PersonPrompts(words) => {
                let prompt = Redactor::embedded().clean(Raw::new(words));
                self.tell(Input::Prompt { prompt, target: self.target.clone() });
            }
            Act::PersonCancels => self.tell(Input::Cancel(self.requester.clone())),
            Act::Says(update) => {
                for event in self.adapter.update(&update) {
                    self.observe(&event);
                }
            }
            Act::FailsWith(message) => {
                let error = RpcError { code: -32603, message: message.to_owned(), data: None };
                self.settle(Outcome::Error(error));
            }
            Act::Answers => self.settle(Outcome::Result(json!({"stopReason": "end_turn"}))),
        }
    }

    /// `session/prompt` returned, and everything before it was read.
    fn settle(&mut self, outcome: Outcome) {
        let settled = self.prompt.take().and_then(|generation| self.adapter.settle(generation, outcome));
        if let Some(event) = settled {
            self.observe(&event);
        }
    }

    fn observe(&mut self, event: &refrain::acp::event::Event) {
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        let effects = self.recovery.observe(event, Classifier::embedded(), self.now, &mut stores);
        self.perform(effects);
    }

    fn tell(&mut self, input: Input) {
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        let effects = self.recovery.on(input, self.now, &mut stores);
        self.perform(effects);
    }

    /// Does what the core asks for, in order.
    fn perform(&mut self, effects: Vec<SessionEffect>) {
        for effect in effects {
            let SessionEffect::Retry(effect) = effect else { continue };
            match effect {
                Effect::Prepare(prepare) => {
                    // A real client starts its agent here when it is not running.
                    self.tell(Input::Bound { reservation: prepare.reservation, execution: self.execution.clone() });
                }
                Effect::Dispatch(dispatch) => {
                    self.say(&format!("sends attempt {}: {}", dispatch.attempt, dispatch.prompt));
                    self.prompt = Some(dispatch.invocation.generation);
                    for event in self.adapter.begin(dispatch.invocation) {
                        self.observe(&event);
                    }
                }
                Effect::ArmTimer { timer, at } => self.timer = Some((timer, at)),
                Effect::DisarmTimer(timer) => self.timer = self.timer.filter(|(armed, _)| *armed != timer),
                Effect::Manual(manual) => {
                    let offers: Vec<_> = manual.actions.iter().map(|action| action.as_str()).collect();
                    let why: Vec<_> = manual.refusals.iter().map(|refusal| refusal.as_str()).collect();
                    self.say(&format!("asks a person ({} {why:?}): {offers:?}", manual.reason.as_str()));
                }
                Effect::NoticeStorageFailed { error, .. } => self.say(&format!("logs: {error}")),
                // Viewers hear of notices; `show_banner` asks instead. A real client cancels abandoned prompts.
                _ => {}
            }
        }
    }

    fn advance(&mut self, second: i64) {
        let until = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second);
        while let Some((timer, _)) = self.timer.take_if(|(_, at)| *at <= until).inspect(|(_, at)| self.now = *at) {
            self.tell(Input::TimerFired(timer));
            self.show_banner();
        }
        self.now = until;
    }

    fn show_banner(&mut self) {
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        let view = self.recovery.view(self.now, &mut stores).ok().flatten();
        let banner = view.map(|view| view.to_string());
        if banner != self.banner {
            self.say(&format!("banner: {}", banner.as_deref().unwrap_or("none")));
        }
        self.banner = banner;
    }

    fn say(&mut self, line: &str) {
        let _ = writeln!(self.log, "{:>4} s  {line}", self.now.as_second());
    }
}

//! The laws of a whole session, from events to dispatches, over every short sequence of inputs and random longer ones:
//! no retry after output or effect, none on a stale identity, fences only rise, retraction touches the current attempt
//! only, at most one notice and none after the end, and what is safe is retried.

#![expect(clippy::unwrap_used, reason = "a test that can not make its values has failed")]

use std::collections::BTreeSet;
use std::sync::OnceLock;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use refrain::acp::event::{Event, EventKind};
use refrain::acp::frame::RpcError;
use refrain::acp::session::{Knowledge, Outcome, Session};
use refrain::classify::Classifier;
use refrain::recovery::notice::MemoryStore;
use refrain::recovery::retry::{DispatchReason, Effect, Input, MAX_ATTEMPTS, Requester, Standing, Target, TimerId};
use refrain::recovery::session::{SessionEffect, SessionRecovery, Stores};
use refrain::recovery::transcript::{MemoryRecords, TranscriptEffect};
use refrain::redact::{Raw, Redactor};
use refrain::vocab::{AgentId, ExecutionId, Generation, Invocation, SessionId, TaskId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letter {
    Diagnostic,
    Say,
    SayNothing,
    Think,
    Echo,
    Tool,
    ToolUpdate,
    Boundary,
    Overlap,
    FailContaining,
    FailOtherwise,
    FailHard,
    Complete,
    StaleSay,
    StaleFail,
    StaleBoundary,
    Unidentified,
    Fire,
    Cancel,
    Prompt,
}

const ALPHABET: [Letter; 20] = [
    Letter::Diagnostic,
    Letter::Say,
    Letter::SayNothing,
    Letter::Think,
    Letter::Echo,
    Letter::Tool,
    Letter::ToolUpdate,
    Letter::Boundary,
    Letter::Overlap,
    Letter::FailContaining,
    Letter::FailOtherwise,
    Letter::FailHard,
    Letter::Complete,
    Letter::StaleSay,
    Letter::StaleFail,
    Letter::StaleBoundary,
    Letter::Unidentified,
    Letter::Fire,
    Letter::Cancel,
    Letter::Prompt,
];

const DIAGNOSTIC: &str = "API Error: 529 Overloaded";

/// One event of each kind, as the adapter makes them.
struct Prototypes {
    diagnostic: EventKind,
    said: EventKind,
    nothing: EventKind,
    thought: EventKind,
    echo: EventKind,
    tool: EventKind,
    tool_update: EventKind,
    boundary: EventKind,
    containing: EventKind,
    otherwise: EventKind,
    hard: EventKind,
    complete: EventKind,
}

fn prototypes() -> &'static Prototypes {
    static PROTOTYPES: OnceLock<Prototypes> = OnceLock::new();
    PROTOTYPES.get_or_init(|| {
        let knowledge = Knowledge { classifier: Classifier::embedded(), redactor: Redactor::embedded() };
        let mut adapter = Session::new(knowledge, Some(AgentId::new("codex-acp").unwrap()));
        let mut settled = |outcome: Outcome| {
            adapter.begin(invocation(1));
            adapter.settle(invocation(1).generation, outcome).unwrap().kind
        };
        let failed = |message: &str| Outcome::Error(RpcError { code: -32603, message: message.to_owned(), data: None });
        let containing = settled(failed(&format!("Internal error: {DIAGNOSTIC}")));
        let otherwise = settled(failed("API Error: 529 the service is overloaded"));
        let hard = settled(failed("Authentication required"));
        let complete = settled(Outcome::Result(json!({"stopReason": "end_turn"})));
        adapter.begin(invocation(1));
        let mut update = |update| adapter.update(&update).pop().unwrap().kind;
        let text = |kind: &str, text: &str| json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
        let lost = json!({"willRetry": true, "codexErrorInfo": {"responseStreamDisconnected": {}}});
        let made = Prototypes {
            diagnostic: update(text("agent_message_chunk", DIAGNOSTIC)),
            said: update(text("agent_message_chunk", "I am at it.")),
            nothing: update(text("agent_message_chunk", "")),
            thought: update(text("agent_thought_chunk", "Hm.")),
            echo: update(text("user_message_chunk", "do it")),
            tool: update(json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "run"})),
            tool_update: update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"})),
            boundary: update(json!({"sessionUpdate": "session_info_update", "_meta": {"codex": {"error": lost}}})),
            containing,
            otherwise,
            hard,
            complete,
        };
        assert!(matches!(made.diagnostic, EventKind::AssistantChunk { marker: Some(_), .. }), "{:?}", made.diagnostic);
        assert!(matches!(made.boundary, EventKind::ResponseAttemptReset), "{:?}", made.boundary);
        made
    })
}

fn invocation(generation: u64) -> Invocation {
    Invocation {
        session: SessionId::new("session").unwrap(),
        execution: ExecutionId::new("execution").unwrap(),
        generation: Generation::new(generation).unwrap(),
    }
}

/// What an observer who knows only the rules remembers of the attempt that runs or failed last.
#[derive(Debug, Clone, Default)]
struct Model {
    output: bool,
    effect: bool,
    unknown: bool,
    diagnostic: bool,
    ended: bool,
    /// Whether its failure was safe at that time.
    failed_safely: bool,
    /// Records that were shown and are neither committed nor removed.
    open: BTreeSet<u64>,
    committed: BTreeSet<u64>,
    automatic: u8,
    /// Whether an earlier prompt was never answered: then no later one is safe.
    crowded: bool,
    /// Whether a person cancelled the running automatic attempt: what it still says is stale.
    given_up: bool,
}

#[derive(Clone)]
struct World {
    recovery: SessionRecovery,
    notices: MemoryStore,
    records: MemoryRecords,
    now: Timestamp,
    current: Option<Invocation>,
    timer: Option<(TimerId, Timestamp)>,
    model: Model,
}

impl World {
    fn new() -> Self {
        let recovery = SessionRecovery::new(task(), SessionId::new("session").unwrap());
        let mut world = Self {
            recovery,
            notices: MemoryStore::default(),
            records: MemoryRecords::default(),
            now: Timestamp::UNIX_EPOCH,
            current: None,
            timer: None,
            model: Model::default(),
        };
        world.play(Letter::Prompt).unwrap();
        world
    }

    fn event(&self, letter: Letter) -> Option<Event> {
        let made = prototypes();
        let stale = Some(invocation(999));
        let (kind, invocation) = match letter {
            Letter::Diagnostic => (&made.diagnostic, self.current.clone()),
            Letter::Say => (&made.said, self.current.clone()),
            Letter::SayNothing => (&made.nothing, self.current.clone()),
            Letter::Think => (&made.thought, self.current.clone()),
            Letter::Echo => (&made.echo, self.current.clone()),
            Letter::Tool => (&made.tool, self.current.clone()),
            Letter::ToolUpdate => (&made.tool_update, self.current.clone()),
            Letter::Boundary => (&made.boundary, self.current.clone()),
            Letter::Overlap => (&EventKind::Overlap, self.current.clone()),
            Letter::FailContaining => (&made.containing, self.current.clone()),
            Letter::FailOtherwise => (&made.otherwise, self.current.clone()),
            Letter::FailHard => (&made.hard, self.current.clone()),
            Letter::Complete => (&made.complete, self.current.clone()),
            Letter::StaleSay => (&made.said, stale),
            Letter::StaleFail => (&made.containing, stale),
            Letter::StaleBoundary => (&made.boundary, stale),
            Letter::Unidentified => (&made.said, None),
            Letter::Fire | Letter::Cancel | Letter::Prompt => return None,
        };
        Some(Event { invocation, kind: kind.clone() })
    }

    fn play(&mut self, letter: Letter) -> Result<(), String> {
        let before = self.clone();
        let effects = match self.event(letter) {
            Some(event) => {
                self.model_event(letter);
                let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
                self.recovery.observe(&event, Classifier::embedded(), self.now, &mut stores)
            }
            None => {
                let Some(input) = self.input(letter) else { return Ok(()) };
                self.model.given_up |= letter == Letter::Cancel && self.model.automatic > 0;
                self.tell(input)
            }
        };
        self.perform(letter, effects, &before)?;
        self.laws(letter, &before)
    }

    fn input(&mut self, letter: Letter) -> Option<Input> {
        let requester = Requester { task: task(), session: SessionId::new("session").unwrap(), permitted: true };
        Some(match letter {
            Letter::Fire => {
                let (timer, at) = self.timer.take()?;
                self.now = self.now.max(at);
                Input::TimerFired(timer)
            }
            Letter::Cancel => Input::Cancel(requester),
            _ => Input::Prompt { prompt: Redactor::embedded().clean(Raw::new("do it")), target: target() },
        })
    }

    fn tell(&mut self, input: Input) -> Vec<SessionEffect> {
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        self.recovery.on(input, self.now, &mut stores)
    }

    /// What the rules say about an event, without looking at the core.
    fn model_event(&mut self, letter: Letter) {
        let model = &mut self.model;
        match letter {
            Letter::Diagnostic => model.diagnostic = true,
            Letter::Say | Letter::Think => (model.output, model.diagnostic) = (true, false),
            Letter::Overlap => model.output = true,
            Letter::Tool | Letter::ToolUpdate => model.effect = true,
            Letter::Unidentified => model.unknown = true,
            _ => {}
        }
        let clean = !model.output && !model.effect && !model.unknown && !model.crowded;
        let running = !model.ended && !model.given_up;
        match letter {
            Letter::FailContaining if running => model.failed_safely = clean,
            Letter::FailOtherwise if running => model.failed_safely = clean && !model.diagnostic,
            _ => {}
        }
        let fails = matches!(letter, Letter::FailContaining | Letter::FailOtherwise | Letter::FailHard);
        model.ended |= fails || letter == Letter::Complete;
    }

    fn perform(&mut self, letter: Letter, effects: Vec<SessionEffect>, before: &Self) -> Result<(), String> {
        for effect in effects {
            match effect {
                SessionEffect::Transcript(effect) => self.transcript_law(letter, &effect)?,
                SessionEffect::Retry(Effect::Prepare(prepare)) => {
                    let reservation = prepare.reservation;
                    let execution = ExecutionId::new("execution").unwrap();
                    let effects = self.tell(Input::Bound { reservation, execution });
                    self.perform(letter, effects, before)?;
                }
                SessionEffect::Retry(Effect::Dispatch(dispatch)) => {
                    if dispatch.reason == DispatchReason::Retry {
                        self.retry_law(letter, before)?;
                    }
                    let automatic = if dispatch.attempt == 0 { 0 } else { self.model.automatic + 1 };
                    let committed = std::mem::take(&mut self.model.committed);
                    let crowded = self.model.crowded || (self.current.is_some() && !self.model.ended);
                    self.model = Model { automatic, committed, crowded, ..Model::default() };
                    self.current = Some(dispatch.invocation);
                }
                SessionEffect::Retry(Effect::ArmTimer { timer, at }) => self.timer = Some((timer, at)),
                SessionEffect::Retry(Effect::DisarmTimer(_)) => self.timer = None,
                _ => {}
            }
        }
        if matches!(
            letter,
            Letter::Tool | Letter::FailContaining | Letter::FailOtherwise | Letter::FailHard | Letter::Complete
        ) || self.model.ended
        {
            let open = std::mem::take(&mut self.model.open);
            self.model.committed.extend(open);
        }
        Ok(())
    }

    fn retry_law(&self, letter: Letter, before: &Self) -> Result<(), String> {
        let model = &before.model;
        let nothing = !model.output && !model.effect && !model.unknown && !model.crowded;
        if letter == Letter::Fire && nothing && model.failed_safely && model.automatic < MAX_ATTEMPTS {
            Ok(())
        } else {
            Err(format!("a retry that the rules forbid, at {letter:?}: {model:?}"))
        }
    }

    fn transcript_law(&mut self, letter: Letter, effect: &TranscriptEffect) -> Result<(), String> {
        match effect {
            TranscriptEffect::Show { record, .. } => {
                if self.model.committed.contains(&record.number()) {
                    return Err(format!("committed record {} grows", record.number()));
                }
                self.model.open.insert(record.number());
            }
            TranscriptEffect::Remove(record)
                if letter != Letter::Boundary || !self.model.open.remove(&record.number()) =>
            {
                return Err(format!("record {} is not of the current attempt ({letter:?})", record.number()));
            }
            _ => {}
        }
        Ok(())
    }

    fn laws(&mut self, letter: Letter, before: &Self) -> Result<(), String> {
        let attempt = self.recovery.attempt().ok_or("no attempt")?;
        let earlier = before.recovery.attempt().filter(|earlier| earlier.invocation() == attempt.invocation());
        let waiting = matches!(self.recovery.owner().standing(), Standing::Waiting { .. });
        let (model, owner) = (&self.model, self.recovery.owner());
        let fails = matches!(letter, Letter::FailContaining | Letter::FailOtherwise);
        let first_failure = fails && !before.model.ended;
        let checks = [
            (earlier.is_none_or(|e| e.output() <= attempt.output() && e.effect() <= attempt.effect()), "fences fall"),
            (attempt.output() == model.output && attempt.effect() == model.effect, "the fences are not what happened"),
            (letter != Letter::Boundary || earlier.is_none_or(|e| e.output() == attempt.output()), "retraction lowers"),
            (waiting == self.timer.is_some(), "a timer without an owner, or the other way round"),
            (
                !first_failure || waiting == (model.failed_safely && model.automatic < MAX_ATTEMPTS),
                "what is safe is retried, what is not is not",
            ),
            (self.notices.count(owner.session()) <= 1, "more than one notice"),
            (owner.owns_retry() || self.notices.count(owner.session()) == 0, "a notice after the end"),
            (attempt.invocation() == self.current.as_ref().ok_or("nothing current")?, "another identity"),
        ];
        match checks.iter().find(|(holds, _)| !holds) {
            Some((_, law)) => Err(format!("{law}, at {letter:?}: {model:?}, {attempt:?}, {:?}", owner.standing())),
            None => Ok(()),
        }
    }
}

fn task() -> TaskId {
    TaskId::new("task").unwrap()
}

fn target() -> Target {
    Target { provider: AgentId::new("codex-acp").unwrap(), profile: None, model: None }
}

fn every(world: &World, trail: &mut Vec<Letter>, left: usize, broken: &mut BTreeSet<String>) -> u64 {
    let mut count = 0;
    for letter in ALPHABET {
        let mut world = world.clone();
        trail.push(letter);
        count += 1;
        match world.play(letter) {
            Err(law) => drop(broken.insert(format!("{trail:?}: {law}"))),
            Ok(()) if left > 1 => count += every(&world, trail, left - 1, broken),
            Ok(()) => {}
        }
        trail.pop();
    }
    count
}

/// Letters of every sequence after each prefix.
const LENGTH: usize = 4;

#[test]
fn every_short_sequence_keeps_the_laws() {
    use Letter::{Diagnostic, FailContaining, Fire};
    let prefixes: [&[Letter]; 4] = [
        &[],
        &[Diagnostic, FailContaining],
        &[FailContaining, Fire],
        &[FailContaining, Fire, FailContaining, Fire, FailContaining, Fire, FailContaining, Fire, FailContaining, Fire],
    ];
    let (mut broken, mut count) = (BTreeSet::new(), 0);
    for prefix in prefixes {
        let mut world = World::new();
        for letter in prefix {
            world.play(*letter).unwrap();
        }
        count += every(&world, &mut prefix.to_vec(), LENGTH, &mut broken);
    }
    let letters = ALPHABET.len() as u64;
    let all = 4 * (letters + letters.pow(2) + letters.pow(3) + letters.pow(4));
    assert!(broken.is_empty(), "{} broken, the first: {}", broken.len(), broken.first().unwrap());
    assert_eq!(count, all, "sequences were left out");
}

proptest! {
    #[test]
    fn random_longer_sequences_keep_the_laws(letters in prop::collection::vec(prop::sample::select(&ALPHABET[..]), 0..80)) {
        let mut world = World::new();
        for (index, letter) in letters.iter().enumerate() {
            if let Err(law) = world.play(*letter) {
                return Err(TestCaseError::fail(format!("{:?}: {law}", &letters[..=index])));
            }
        }
    }
}

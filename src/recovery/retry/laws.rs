//! The laws of the owner, over every short sequence of inputs and over random long ones.

use std::collections::{BTreeSet, HashSet};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::recovery::notice::{MemoryStore, Notice, NoticeFacts, NoticeId, NoticeState};
use crate::recovery::retry::samples::{after_output, execution, model, own, prompt, safe, session, target, task};
use crate::vocab::{AgentId, Code, Invocation};

/// One letter of the alphabet; what it refers to follows from the world it is played in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Letter {
    Prompt,
    Bind,
    BindReplacement,
    BindStale,
    FailSafe,
    FailUnsafe,
    FailStale,
    Succeed,
    Fire,
    FireEarly,
    FireStale,
    Cancel,
    CancelForeign,
    CancelDenied,
    Resume,
    StartFresh,
    SwitchModel,
    SwitchModelLate,
    EvidenceChanged,
    NotDispatched,
    Stop,
    Sweep,
    Shutdown,
    BreakStore,
    BreakDelete,
    HealStore,
}

const ALPHABET: [Letter; 26] = [
    Letter::Prompt,
    Letter::Bind,
    Letter::BindReplacement,
    Letter::BindStale,
    Letter::FailSafe,
    Letter::FailUnsafe,
    Letter::FailStale,
    Letter::Succeed,
    Letter::Fire,
    Letter::FireEarly,
    Letter::FireStale,
    Letter::Cancel,
    Letter::CancelForeign,
    Letter::CancelDenied,
    Letter::Resume,
    Letter::StartFresh,
    Letter::SwitchModel,
    Letter::SwitchModelLate,
    Letter::EvidenceChanged,
    Letter::NotDispatched,
    Letter::Stop,
    Letter::Sweep,
    Letter::Shutdown,
    Letter::BreakStore,
    Letter::BreakDelete,
    Letter::HealStore,
];

/// The owner, its store, and what an independent observer remembers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    owner: RetryOwner,
    store: MemoryStore,
    now: Timestamp,
    /// What was dispatched last, and the one before.
    sent: Vec<Invocation>,
    /// What was prepared last, and the one before.
    prepared: Vec<Reservation>,
    /// Whether the last dispatch is unanswered and not given up, as far as the observer knows.
    running: bool,
    /// Whether a safe failure of the running prompt was the last word about it.
    permit: bool,
    armed: BTreeSet<TimerId>,
    last_timer: Option<TimerId>,
    automatic: u8,
}

impl World {
    fn new() -> Self {
        let mut store = MemoryStore::default();
        store.plant(NoticeId::new(1), foreign_notice());
        Self {
            owner: RetryOwner::new(task(), session("session")),
            store,
            now: Timestamp::UNIX_EPOCH,
            sent: Vec::new(),
            prepared: Vec::new(),
            running: false,
            permit: false,
            armed: BTreeSet::new(),
            last_timer: None,
            automatic: 0,
        }
    }

    /// What the letter means here; `None` when it has nothing to refer to, or is about the store.
    fn input(&self, letter: Letter) -> Option<Input> {
        let last = self.sent.last();
        let stale = self.sent.first().filter(|first| Some(*first) != last);
        let reservation = self.prepared.last();
        let deadline_timer = self.last_timer;
        Some(match letter {
            Letter::Prompt => Input::Prompt { prompt: prompt("do it"), target: target() },
            Letter::Bind => Input::Bound { reservation: reservation?.clone(), execution: execution("a") },
            Letter::BindReplacement => Input::Bound { reservation: reservation?.clone(), execution: execution("b") },
            Letter::BindStale => Input::Bound {
                reservation: self.prepared.first().filter(|first| Some(*first) != reservation)?.clone(),
                execution: execution("a"),
            },
            Letter::FailSafe => Input::Failed(safe(last?.clone(), Code::ProviderOverloaded)),
            Letter::FailUnsafe => Input::Failed(after_output(last?.clone(), Code::ProviderOverloaded)),
            Letter::FailStale => Input::Failed(safe(stale?.clone(), Code::ProviderOverloaded)),
            Letter::Succeed => Input::Succeeded(last?.clone()),
            Letter::Fire | Letter::FireEarly => Input::TimerFired(deadline_timer?),
            Letter::FireStale => Input::TimerFired(TimerId(deadline_timer?.0.checked_sub(1)?)),
            Letter::Cancel => Input::Cancel(own()),
            Letter::CancelForeign => Input::Cancel(Requester { session: session("other"), ..own() }),
            Letter::CancelDenied => Input::Cancel(Requester { permitted: false, ..own() }),
            Letter::Resume => Input::Resume(own()),
            Letter::StartFresh => Input::StartFresh(own()),
            Letter::SwitchModel => Input::SwitchModel { requester: own(), model: model("m"), nothing_happened: true },
            Letter::SwitchModelLate => {
                Input::SwitchModel { requester: own(), model: model("m"), nothing_happened: false }
            }
            Letter::EvidenceChanged => Input::EvidenceChanged(last?.clone()),
            Letter::NotDispatched => Input::NotDispatched { reservation: reservation?.clone() },
            Letter::Stop => Input::Stop(own()),
            Letter::Sweep => Input::Sweep(own()),
            Letter::Shutdown => Input::Shutdown,
            Letter::BreakStore | Letter::BreakDelete | Letter::HealStore => return None,
        })
    }

    /// Plays a letter and checks every law; what is broken, if something is.
    fn play(&mut self, letter: Letter) -> Result<(), String> {
        match letter {
            Letter::BreakStore => {
                (self.store.faults.list, self.store.faults.write, self.store.faults.delete) = (true, true, true);
            }
            Letter::BreakDelete => self.store.faults.delete = true,
            Letter::HealStore => self.store.faults = Default::default(),
            _ => {}
        }
        let Some(input) = self.input(letter) else { return Ok(()) };
        let now = self.now;
        if matches!(letter, Letter::Fire | Letter::FireStale)
            && let Standing::Waiting { deadline, .. } = self.owner.standing()
        {
            self.now = self.now.max(*deadline);
        }
        let before = self.clone();
        let effects = self.owner.on(input, self.now, &mut self.store);
        self.remember(letter, &effects, &before);
        self.laws(letter, &effects, &before)?;
        // What is remembered is bounded and counters do not count, so that equal worlds are recognized.
        self.owner.ignored = 0;
        if letter == Letter::FireStale {
            self.now = now;
        }
        let keep = self.sent.len().saturating_sub(2);
        self.sent.drain(..keep);
        let keep = self.prepared.len().saturating_sub(2);
        self.prepared.drain(..keep);
        Ok(())
    }

    fn remember(&mut self, letter: Letter, effects: &[Effect], before: &Self) {
        match letter {
            Letter::FailSafe if before.running => (self.permit, self.running) = (true, false),
            Letter::FailUnsafe if before.running => (self.permit, self.running) = (false, false),
            Letter::Succeed if before.running => (self.permit, self.running) = (false, false),
            Letter::EvidenceChanged | Letter::Stop | Letter::Shutdown | Letter::Prompt | Letter::Cancel => {
                self.permit = false;
            }
            _ => {}
        }
        if let Letter::Fire = letter
            && let Some(timer) = self.last_timer
            && matches!(before.owner.standing(), Standing::Waiting { .. })
        {
            self.armed.remove(&timer);
        }
        for effect in effects {
            match effect {
                Effect::ArmTimer { timer, .. } => {
                    self.armed.insert(*timer);
                    self.last_timer = Some(*timer);
                }
                Effect::DisarmTimer(timer) => {
                    self.armed.remove(timer);
                }
                Effect::Prepare(prepare) => {
                    self.prepared.push(prepare.reservation.clone());
                    self.running = false;
                }
                Effect::Dispatch(dispatch) => {
                    self.sent.push(dispatch.invocation.clone());
                    (self.running, self.permit) = (true, false);
                }
                Effect::AbandonPrompt(_) | Effect::StartFresh { .. } => (self.running, self.permit) = (false, false),
                _ => {}
            }
        }
    }

    fn laws(&mut self, letter: Letter, effects: &[Effect], before: &Self) -> Result<(), String> {
        let prepares = effects.iter().filter(|effect| matches!(effect, Effect::Prepare(_))).count();
        let dispatches: Vec<_> = effects.iter().filter_map(dispatch).collect();
        let by_person =
            matches!(letter, Letter::Prompt | Letter::Resume | Letter::SwitchModel | Letter::SwitchModelLate);
        let automatic = prepares > 0 && !by_person;
        self.automatic = match (prepares > 0, by_person) {
            (true, true) if !matches!(before.owner.standing(), Standing::Waiting { .. }) => 0,
            (true, false) => self.automatic + 1,
            _ => self.automatic,
        };
        let foreign = matches!(letter, Letter::CancelForeign | Letter::CancelDenied);
        let faults = &self.store.faults;
        let works = !(faults.list || faults.write || faults.delete);
        let waiting = matches!(self.owner.standing(), Standing::Waiting { .. });
        let view = self.owner.view(self.now, &mut self.store.clone());
        let ours = self.store.count(self.owner.session());
        let checks = [
            (!automatic || letter == Letter::Fire, "a prompt is sent again by itself only when its timer fires"),
            (!automatic || before.permit, "nothing is sent again without a safe failure of the running prompt"),
            (self.automatic <= MAX_ATTEMPTS, "at most five automatic attempts"),
            (prepares <= 1 && dispatches.len() <= 1, "one owner"),
            (
                dispatches
                    .iter()
                    .all(|d| before.prepared.last().is_some_and(|r| r.generation == d.invocation.generation)),
                "only the latest reserved identity is dispatched",
            ),
            (
                dispatches.iter().all(|d| before.sent.iter().all(|s| s.generation < d.invocation.generation)),
                "no identity is dispatched twice, and generations rise",
            ),
            (dispatches.iter().all(|d| d.prompt == prompt("do it")), "the same prompt"),
            (
                dispatches.iter().all(|d| d.reason != DispatchReason::ModelSwitch || replaced(d, before)),
                "a model switch has a replacement execution",
            ),
            (self.armed.len() <= 1 && waiting == (self.armed.len() == 1), "one timer, armed exactly while waiting"),
            (letter != Letter::FireStale || !effects.iter().any(starts), "a timer that is not armed starts nothing"),
            (ours <= 1, "at most one notice"),
            (foreign || !works || self.owner.owns_retry() || ours == 0, "no notice after an ended loop"),
            (
                view.as_ref().is_ok_and(|view| view.is_none() || self.owner.owns_retry()) || !works,
                "a banner only while owned",
            ),
            (self.store.count(&session("other")) == 1, "other sessions are left alone"),
            (!foreign || effects == [Effect::Reply(Answer::Idle)], "a foreign requester learns nothing"),
            (
                !foreign || (self.owner == before.owner && self.store == before.store),
                "a foreign requester does nothing",
            ),
        ];
        match checks.iter().find(|(holds, _)| !holds) {
            Some((_, law)) => Err(format!("{law}: {letter:?} gave {effects:#?}")),
            None => Ok(()),
        }
    }
}

fn dispatch(effect: &Effect) -> Option<&Dispatch> {
    match effect {
        Effect::Dispatch(dispatch) => Some(dispatch),
        _ => None,
    }
}

const fn starts(effect: &Effect) -> bool {
    matches!(effect, Effect::ArmTimer { .. } | Effect::Prepare(_) | Effect::Dispatch(_))
}

fn replaced(dispatch: &Dispatch, before: &World) -> bool {
    before.sent.last().is_none_or(|last| last.execution != dispatch.invocation.execution)
}

fn foreign_notice() -> Notice {
    let facts = NoticeFacts {
        session: session("other"),
        round: 1,
        code: Code::RateLimited,
        provider: AgentId::new("some-agent").unwrap(),
        attempt: 1,
        max_attempts: MAX_ATTEMPTS,
        deadline: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(5),
    };
    Notice::new(facts, None, NoticeState::Waiting)
}

/// Every sequence of up to this many letters, after each of the prefixes.
const LENGTH: usize = 6;

/// Where exploring begins, so that short sequences reach deep states.
const PREFIXES: &[&[Letter]] = {
    use Letter::{Bind, FailSafe, Fire, Prompt};
    &[
        &[],
        &[Prompt, Bind, FailSafe],
        &[Prompt, Bind, FailSafe, Fire, Bind],
        &[
            Prompt, Bind, FailSafe, Fire, Bind, FailSafe, Fire, Bind, FailSafe, Fire, Bind, FailSafe, Fire, Bind,
            FailSafe, Fire, Bind,
        ],
    ]
};

#[test]
fn every_short_sequence_keeps_the_laws() {
    let mut broken = BTreeSet::new();
    let mut worlds = 0;
    for prefix in PREFIXES {
        let mut start = World::new();
        for letter in *prefix {
            start.play(*letter).unwrap();
        }
        // Two sequences that lead to equal worlds have equal futures: one of them is enough.
        let mut level = HashSet::from([start]);
        for _ in 0..LENGTH {
            let mut next = HashSet::new();
            for world in &level {
                for letter in ALPHABET {
                    let mut world = world.clone();
                    match world.play(letter) {
                        Ok(()) => drop(next.insert(world)),
                        Err(law) => drop(broken.insert(format!("after {prefix:?} and more: {law}"))),
                    }
                }
            }
            worlds += next.len();
            level = next;
        }
    }
    assert!(worlds > 10_000, "only {worlds} worlds: nothing was explored");
    assert!(broken.is_empty(), "{} broken, the first: {}", broken.len(), broken.first().unwrap());
}

proptest! {
    #[test]
    fn random_long_sequences_keep_the_laws(letters in prop::collection::vec(prop::sample::select(&ALPHABET[..]), 0..120)) {
        let mut world = World::new();
        for (index, letter) in letters.iter().enumerate() {
            if let Err(law) = world.play(*letter) {
                return Err(TestCaseError::fail(format!("{:?}: {law}", &letters[..=index])));
            }
        }
    }
}

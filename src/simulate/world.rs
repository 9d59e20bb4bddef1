//! A client, its agent and its stores, as a scenario moves them.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::document::{Launch, Verdict};
use super::speak::Speaker;
use super::timeline::{Timeline, Voice};
use crate::acp::event::Event;
use crate::acp::session::{Knowledge, Outcome, Session};
use crate::classify::{Classification, TimingHint};
use crate::evidence::Evidence;
use crate::recovery::notice::MemoryStore;
use crate::recovery::retry::{Effect, Input, Prepare, Target, TimerId};
use crate::recovery::session::{Classify, SessionEffect, SessionRecovery, Stores};
use crate::recovery::transcript::{MemoryRecords, TranscriptEffect};
use crate::vocab::{AgentId, Confidence, ExecutionId, Generation, RuleId, SessionId, TaskId};

/// Everything that a step can touch.
pub(super) struct World<'k> {
    knowledge: Knowledge<'k>,
    agent: Option<AgentId>,
    pub(super) target: Target,
    pub(super) task: TaskId,
    pub(super) session: SessionId,
    recovery: SessionRecovery,
    pub(super) notices: MemoryStore,
    pub(super) records: MemoryRecords,
    adapters: BTreeMap<ExecutionId, Session<'k>>,
    executions: u32,
    execution: Option<ExecutionId>,
    pub(super) launch: Launch,
    prepared: Option<Prepare>,
    timer: Option<(TimerId, Timestamp)>,
    /// What a viewer sees of the transcript.
    seen: BTreeMap<u64, String>,
    banner: String,
    pub(super) speaker: Speaker,
    start: Timestamp,
    now_ms: u64,
    pub(super) timeline: Timeline,
}

impl<'k> World<'k> {
    pub(super) fn new(
        knowledge: Knowledge<'k>,
        agent: Option<AgentId>,
        names: (TaskId, SessionId, AgentId),
        start: Timestamp,
    ) -> Self {
        let (task, session, unknown) = names;
        let provider = agent.clone().unwrap_or(unknown);
        Self {
            knowledge,
            agent,
            target: Target { provider, profile: None, model: None },
            recovery: SessionRecovery::new(task.clone(), session.clone()),
            task,
            session,
            notices: MemoryStore::default(),
            records: MemoryRecords::default(),
            adapters: BTreeMap::new(),
            executions: 0,
            execution: None,
            launch: Launch::Works,
            prepared: None,
            timer: None,
            seen: BTreeMap::new(),
            banner: String::new(),
            speaker: Speaker::new(start, knowledge.redactor.scope()),
            start,
            now_ms: 0,
            timeline: Timeline::default(),
        }
    }

    pub(super) fn say(&mut self, voice: Voice, text: impl Into<String>) {
        let text = self.speaker.line(&text.into());
        self.timeline.push(self.now_ms, voice, text);
    }

    /// The agent's line with a text of its own.
    pub(super) fn quote(&mut self, verb: &str, text: &str) {
        let text = self.speaker.quoted(text);
        self.say(Voice::Agent, format!("{verb}{text}"));
    }

    /// Moves the clock forward; timers that become due on the way fire at their instant.
    pub(super) fn advance(&mut self, to_ms: u64) {
        while let Some((timer, at)) = self.timer {
            let due = u64::try_from(at.as_millisecond() - self.start.as_millisecond()).unwrap_or(0);
            if due > to_ms {
                break;
            }
            self.now_ms = self.now_ms.max(due);
            self.fire(timer);
            self.look();
        }
        self.now_ms = self.now_ms.max(to_ms);
    }

    /// A timer fires, whether or not it is armed.
    pub(super) fn fire(&mut self, timer: TimerId) {
        if self.timer.is_some_and(|(armed, at)| armed == timer && at <= self.now()) {
            self.timer = None;
        }
        self.say(Voice::Timer, format!("timer {} fires", timer.number()));
        self.tell(Input::TimerFired(timer));
    }

    pub(super) fn now(&self) -> Timestamp {
        let since = SignedDuration::from_millis(i64::try_from(self.now_ms).unwrap_or(i64::MAX));
        self.start.checked_add(since).unwrap_or(Timestamp::MAX)
    }

    pub(super) fn tell(&mut self, input: Input) {
        let now = self.now();
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        let effects = self.recovery.on(input, now, &mut stores);
        self.perform(effects);
    }

    pub(super) fn flush(&mut self) {
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        let effects = self.recovery.flush(&mut stores);
        self.perform(effects);
    }

    /// The program ends without a word and starts again: memory is lost, stores stay.
    pub(super) fn restart(&mut self) {
        let last = self.records.records.keys().next_back().copied();
        let generation = self.recovery.owner().last_generation();
        let mut owner = crate::recovery::retry::RetryOwner::new(self.task.clone(), self.session.clone());
        if let Some(generation) = generation {
            owner = owner.continuing_after(generation);
        }
        let transcript = last.map(crate::recovery::transcript::Transcript::continuing_after).unwrap_or_default();
        self.recovery = SessionRecovery::with(owner, transcript);
        (self.timer, self.prepared, self.execution) = (None, None, None);
        self.seen = self.records.records.values().map(|r| (r.id.number(), r.text.clone())).collect();
    }

    /// The agent says something under an execution, the current one when none is named.
    pub(super) fn update(&mut self, execution: Option<&ExecutionId>, update: &Value) {
        let events = self.adapter(execution).map(|adapter| adapter.update(update)).unwrap_or_default();
        for event in events {
            self.observe(&event, None);
        }
    }

    pub(super) fn agent_request(&mut self, method: &str) {
        if let Some(event) = self.adapter(None).map(|adapter| adapter.agent_request(method)) {
            self.observe(&event, None);
        }
    }

    /// The agent answers a prompt, the last one when none is named.
    pub(super) fn settle(
        &mut self,
        execution: Option<&ExecutionId>,
        generation: Option<u64>,
        outcome: Outcome,
        verdict: Option<&Verdict>,
    ) {
        let named = generation.and_then(Generation::new);
        let Some(generation) = named.or_else(|| self.recovery.owner().last_generation()) else { return };
        match self.adapter(execution).and_then(|adapter| adapter.settle(generation, outcome)) {
            Some(event) => self.observe(&event, verdict),
            None => self.say(Voice::Event, format!("no answer is awaited for generation {generation}")),
        }
    }

    pub(super) fn bind(&mut self, generation: Option<u64>, execution: ExecutionId) {
        let Some(prepare) = self.prepared.clone() else { return };
        let mut reservation = prepare.reservation;
        if let Some(generation) = generation.and_then(Generation::new) {
            reservation.generation = generation;
        }
        self.tell(Input::Bound { reservation, execution });
    }

    /// Shows the banner when it is not what it was.
    pub(super) fn look(&mut self) {
        let now = self.now();
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        let banner = match self.recovery.view(now, &mut stores) {
            Ok(None) => "none".to_owned(),
            Ok(Some(view)) => view.to_string(),
            Err(error) => format!("not known: {error}"),
        };
        if banner != self.banner && !(self.banner.is_empty() && banner == "none") {
            self.say(Voice::Banner, banner.clone());
        }
        self.banner = banner;
    }

    /// What is left: the durable records, what a viewer sees, the notices of the session.
    pub(super) fn rest(&mut self) {
        let stored: BTreeMap<u64, String> =
            self.records.records.values().map(|record| (record.id.number(), record.text.clone())).collect();
        for (name, records) in [("stored", stored), ("seen", self.seen.clone())] {
            for (id, text) in records {
                let text = self.speaker.quoted(&text);
                self.say(Voice::Rest, format!("{name} record {id} {text}"));
            }
        }
        let notices = self.notices.count(&self.session);
        let ignored = self.recovery.owner().ignored();
        self.say(Voice::Rest, format!("{notices} notices, {ignored} stale inputs ignored"));
    }

    fn adapter(&mut self, execution: Option<&ExecutionId>) -> Option<&mut Session<'k>> {
        let execution = execution.or(self.execution.as_ref())?;
        self.adapters.get_mut(execution)
    }

    fn observe(&mut self, event: &Event, verdict: Option<&Verdict>) {
        if let Some((voice, line)) = self.speaker.event(event) {
            self.say(voice, line);
        }
        let now = self.now();
        let judge = Judge { knowledge: self.knowledge, verdict };
        let mut stores = Stores { notices: &mut self.notices, records: &mut self.records };
        let effects = self.recovery.observe(event, &judge, now, &mut stores);
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<SessionEffect>) {
        for effect in effects {
            match effect {
                SessionEffect::Transcript(effect) => self.show(&effect),
                SessionEffect::Retry(effect) => {
                    let line = self.speaker.effect(&effect);
                    self.say(Voice::Owner, line);
                    self.carry_out(effect);
                }
            }
        }
    }

    fn show(&mut self, effect: &TranscriptEffect) {
        let line = self.speaker.transcript(effect);
        self.say(Voice::Transcript, line);
        match effect {
            TranscriptEffect::Show { record, text, .. } => self.seen.entry(record.number()).or_default().push_str(text),
            TranscriptEffect::Remove(record) => drop(self.seen.remove(&record.number())),
            TranscriptEffect::History { .. } | TranscriptEffect::StorageFailed { .. } => {}
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::ArmTimer { timer, at } => self.timer = Some((timer, at)),
            Effect::DisarmTimer(timer) => self.timer = self.timer.filter(|(armed, _)| *armed != timer),
            Effect::Prepare(prepare) => self.prepare(prepare),
            Effect::Dispatch(dispatch) => {
                let execution = dispatch.invocation.execution.clone();
                self.execution = Some(execution.clone());
                let (knowledge, agent) = (self.knowledge, self.agent.clone());
                let adapter = self.adapters.entry(execution).or_insert_with(|| Session::new(knowledge, agent));
                for event in adapter.begin(dispatch.invocation) {
                    self.observe(&event, None);
                }
            }
            _ => {}
        }
    }

    fn prepare(&mut self, prepare: Prepare) {
        self.prepared = Some(prepare.clone());
        let reservation = prepare.reservation;
        match self.launch {
            Launch::Holds => {}
            Launch::Fails => self.tell(Input::NotDispatched { reservation }),
            Launch::Works => {
                let running = self.execution.clone().filter(|execution| prepare.not_under.as_ref() != Some(execution));
                if let Some(execution) = running.or_else(|| self.fresh_execution()) {
                    self.tell(Input::Bound { reservation, execution });
                }
            }
        }
    }

    fn fresh_execution(&mut self) -> Option<ExecutionId> {
        self.executions += 1;
        ExecutionId::new(&format!("execution-{}", self.executions)).ok()
    }

    /// The running agent is gone: the next dispatch needs another execution.
    pub(super) fn lose_execution(&mut self) {
        self.execution = None;
    }
}

/// The classifier, or the scenario's own verdict.
struct Judge<'k, 'v> {
    knowledge: Knowledge<'k>,
    verdict: Option<&'v Verdict>,
}

impl Classify for Judge<'_, '_> {
    fn classify(&self, evidence: &Evidence, now: Timestamp) -> Classification {
        match self.verdict {
            None => self.knowledge.classifier.classify(evidence, now),
            Some(verdict) => stand_in(verdict, evidence, now),
        }
    }
}

fn stand_in(verdict: &Verdict, evidence: &Evidence, now: Timestamp) -> Classification {
    let hint = verdict.hint_seconds.and_then(|seconds| {
        let reset_at = now.checked_add(SignedDuration::from_secs(seconds.into())).ok()?;
        Some(TimingHint { retry_after_ms: u64::from(seconds) * 1_000, reset_at })
    });
    Classification {
        code: verdict.code,
        confidence: verdict.confidence.unwrap_or(Confidence::High),
        scope: None,
        rule: None,
        catalogue: "scenario".into(),
        provider: evidence.provider().cloned(),
        model: evidence.model().cloned(),
        phase: evidence.phase(),
        hint: hint.filter(|_| verdict.code.policy().takes_hint),
        remediation: None,
        safe_excerpt: None,
        outranked: Vec::new(),
        vetoed: if verdict.vetoed { RuleId::new("scenario.veto").into_iter().collect() } else { Vec::new() },
        observed: true,
        agent_retries: false,
    }
}

/// A chunk as it goes over the wire.
pub(super) fn chunk(kind: &str, text: &str, id: Option<&str>) -> Value {
    let mut update = json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}});
    if let Some(id) = id {
        update["messageId"] = id.into();
    }
    update
}

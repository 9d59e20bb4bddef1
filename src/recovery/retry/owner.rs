//! The state machine.

use super::effect::{Dispatch, DispatchReason, Effect, Manual, ManualAction, ManualReason, Prepare};
use super::input::{Input, Moment, Requester, Reservation, Target, TimerId};
use super::state::{Standing, Work};
use super::{Answer, Failure, MAX_ATTEMPTS, ladder};
use crate::recovery::Refusal;
use crate::recovery::notice::{self, Notice, NoticeFacts, NoticeState, NoticeStore, NoticeView, StoreError};
use crate::redact::{Clean, CredentialOnly};
use crate::vocab::{Code, ExecutionId, Generation, Invocation, SessionId, TaskId};

/// Most prompts whose missing answers are remembered one by one; with more, every later prompt counts as overlapping.
const UNANSWERED_LIMIT: usize = 16;

/// The one owner of a session's retries (.8 to .11, .15).
///
/// Invariant: a timer is armed exactly while the owner is [`Standing::Waiting`]; a generation is reserved once; whenever
/// no loop is active, the session has no notice or the owner tries to remove what is left on every later input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RetryOwner {
    pub(super) task: TaskId,
    pub(super) session: SessionId,
    /// The last reserved generation.
    pub(super) generation: u64,
    timers: u64,
    pub(super) standing: Standing,
    pub(super) work: Option<Work>,
    /// The latest notice of the active loop.
    pub(super) notice: Option<Notice>,
    /// The execution that was bound last.
    pub(super) execution: Option<ExecutionId>,
    unanswered: Vec<Invocation>,
    crowded: bool,
    /// Whether notices may be left.
    pub(super) owed: bool,
    pub(super) ignored: u64,
}

/// One call of [`RetryOwner::on`].
pub(super) struct Turn<'a> {
    pub(super) moment: Moment,
    pub(super) store: &'a mut dyn NoticeStore,
    pub(super) effects: Vec<Effect>,
}

impl RetryOwner {
    /// The owner of a session that works on a task.
    #[must_use]
    pub fn new(task: TaskId, session: SessionId) -> Self {
        Self {
            task,
            session,
            generation: 0,
            timers: 0,
            standing: Standing::Idle,
            work: None,
            notice: None,
            execution: None,
            unanswered: Vec::new(),
            crowded: false,
            // An earlier program may have left notices: the first trusted input removes them.
            owed: true,
            ignored: 0,
        }
    }

    /// The same owner for a session that already had prompts, the last of them with this generation.
    #[must_use]
    pub const fn continuing_after(mut self, generation: Generation) -> Self {
        self.generation = generation.number();
        self
    }

    /// Tells the owner what happened and gives back what is to be done, in order.
    ///
    /// Storage failures are effects; they never change the transition.
    pub fn on(&mut self, input: Input, moment: impl Into<Moment>, store: &mut dyn NoticeStore) -> Vec<Effect> {
        if input.requester().is_some_and(|requester| !self.authorizes(requester)) {
            // Nothing is looked at, so that nothing can be learnt, not even from the time it takes (.11).
            return vec![Effect::Reply(Answer::Idle)];
        }
        let mut turn = Turn { moment: moment.into(), store, effects: Vec::new() };
        match input {
            Input::Prompt { prompt, target } => self.prompted(prompt, target, &mut turn),
            Input::Bound { reservation, execution } => self.bound(&reservation, execution, &mut turn),
            Input::NotDispatched { reservation } => self.not_dispatched(&reservation, &mut turn),
            Input::Failed(failure) => self.failed(&failure, &mut turn),
            Input::EvidenceChanged(invocation) => self.evidence_changed(&invocation, &mut turn),
            Input::Succeeded(invocation) => self.succeeded(&invocation),
            Input::TimerFired(timer) => self.timer_fired(timer, &mut turn),
            Input::Cancel(_) => self.cancel(&mut turn),
            Input::Resume(_) => self.resume(&mut turn),
            Input::StartFresh(_) => self.start_fresh(&mut turn),
            Input::SwitchModel { model, nothing_happened, .. } => self.switch_model(model, nothing_happened, &mut turn),
            Input::Stop(_) => self.stop(&mut turn),
            Input::Sweep(_) => self.sweep(&mut turn),
            Input::Shutdown => self.shutdown(&mut turn),
        }
        self.pay(&mut turn);
        turn.effects
    }

    /// The banner to show at `now`: the latest persisted attempt, while and only while this owner owns the retry (.9).
    ///
    /// # Errors
    /// When the store can not list the notices.
    pub fn view(&self, now: impl Into<Moment>, store: &mut dyn NoticeStore) -> Result<Option<NoticeView>, StoreError> {
        let Some(work) = self.work.as_ref().filter(|_| self.owns_retry()) else { return Ok(None) };
        let notice = notice::current(store, &self.session, work.round)?;
        Ok(notice.map(|notice| NoticeView::owned(&notice, now.into().now)))
    }

    /// Where the owner is.
    #[must_use]
    pub const fn standing(&self) -> &Standing {
        &self.standing
    }

    /// How many inputs were dropped because they belonged to something that is over.
    #[must_use]
    pub const fn ignored(&self) -> u64 {
        self.ignored
    }

    /// The generation that was reserved last.
    #[must_use]
    pub fn last_generation(&self) -> Option<Generation> {
        Generation::new(self.generation)
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &SessionId {
        &self.session
    }

    /// Whether an automatic retry is pending or runs.
    #[must_use]
    pub fn owns_retry(&self) -> bool {
        match self.standing {
            Standing::Waiting { .. } => true,
            Standing::Reserved(_) | Standing::Running { .. } => self.work.as_ref().is_some_and(|work| work.attempt > 0),
            Standing::Idle | Standing::Manual | Standing::Closed => false,
        }
    }

    fn authorizes(&self, requester: &Requester) -> bool {
        requester.permitted && requester.task == self.task && requester.session == self.session
    }

    fn prompted(&mut self, prompt: Clean<CredentialOnly>, target: Target, turn: &mut Turn<'_>) {
        if self.standing == Standing::Closed {
            return self.ignore();
        }
        self.release(turn);
        let reason = DispatchReason::Prompt;
        self.work = Some(Work { prompt, target, attempt: 0, round: 0, code: None, reason, not_under: None });
        self.start_loop(turn);
    }

    fn bound(&mut self, reservation: &Reservation, execution: ExecutionId, turn: &mut Turn<'_>) {
        let current = matches!(&self.standing, Standing::Reserved(reserved) if reserved == reservation);
        let forbidden = self.work.as_ref().is_none_or(|work| work.not_under.as_ref() == Some(&execution));
        let Some(work) = self.work.as_mut().filter(|_| current && !forbidden) else { return self.ignore() };
        work.not_under = None;
        let invocation = reservation.bound_to(execution.clone());
        turn.effects.push(Effect::Dispatch(Dispatch {
            invocation: invocation.clone(),
            prompt: work.prompt.clone(),
            target: work.target.clone(),
            attempt: work.attempt,
            reason: work.reason,
        }));
        let overlapping = self.crowded || self.unanswered.iter().any(|earlier| earlier.execution == execution);
        self.execution = Some(execution);
        self.standing = Standing::Running { invocation, overlapping };
    }

    fn not_dispatched(&mut self, reservation: &Reservation, turn: &mut Turn<'_>) {
        match &self.standing {
            Standing::Reserved(reserved) if reserved == reservation => self.manual(ManualReason::NotDispatched, turn),
            _ => self.ignore(),
        }
    }

    fn failed(&mut self, failure: &Failure, turn: &mut Turn<'_>) {
        let Some(overlapping) = self.answered(failure.invocation()) else { return self.ignore() };
        let classification = failure.classification();
        if let Some(work) = &mut self.work {
            work.code = Some(classification.code);
        }
        let mut refusals = failure.refusals().to_vec();
        if overlapping {
            refusals.push(Refusal::OverlappingPrompts);
        }
        if refusals.is_empty() { self.schedule(failure, turn) } else { self.refuse(refusals, turn) }
    }

    fn schedule(&mut self, failure: &Failure, turn: &mut Turn<'_>) {
        let Some(work) = &mut self.work else { return self.ignore() };
        if work.attempt >= MAX_ATTEMPTS {
            return self.manual(ManualReason::Exhausted, turn);
        }
        let classification = failure.classification();
        let attempt = work.attempt + 1;
        let Moment { now, jitter } = turn.moment;
        let Some(deadline) = ladder::due(attempt, classification.hint, jitter, now) else {
            return self.manual(ManualReason::NoDeadline, turn);
        };
        work.attempt = attempt;
        let facts = NoticeFacts {
            session: self.session.clone(),
            round: work.round,
            code: classification.code,
            provider: work.target.provider.clone(),
            attempt,
            max_attempts: MAX_ATTEMPTS,
            deadline,
        };
        work.reason = DispatchReason::Retry;
        self.timers += 1;
        let timer = TimerId(self.timers);
        self.standing = Standing::Waiting { timer, deadline, failed: failure.invocation().clone() };
        turn.effects.push(Effect::ArmTimer { timer, at: deadline });
        self.notice = Some(Notice::new(facts, classification.safe_excerpt.clone(), NoticeState::Waiting));
        self.write_notice(turn);
    }

    fn evidence_changed(&mut self, invocation: &Invocation, turn: &mut Turn<'_>) {
        match &self.standing {
            Standing::Waiting { failed, .. } if failed == invocation => {
                self.release(turn);
                self.manual(ManualReason::EvidenceChanged, turn);
            }
            _ => self.ignore(),
        }
    }

    fn succeeded(&mut self, invocation: &Invocation) {
        match self.answered(invocation) {
            Some(_) => {
                self.standing = Standing::Idle;
                self.work = None;
            }
            None => self.ignore(),
        }
    }

    fn timer_fired(&mut self, fired: TimerId, turn: &mut Turn<'_>) {
        match self.standing {
            Standing::Waiting { timer, deadline, .. } if timer == fired => {
                if turn.moment.now < deadline {
                    turn.effects.push(Effect::ArmTimer { timer, at: deadline });
                } else {
                    self.claim(turn);
                }
            }
            _ => self.ignore(),
        }
    }

    /// Takes the pending retry. Whoever comes second finds the owner no longer waiting.
    pub(super) fn claim(&mut self, turn: &mut Turn<'_>) {
        self.reserve(turn);
        if let Some(notice) = self.notice.as_mut().filter(|_| matches!(self.standing, Standing::Reserved(_))) {
            notice.state = NoticeState::Retrying;
            self.write_notice(turn);
        }
    }

    /// Starts a new loop with the work at hand, at attempt 0.
    pub(super) fn start_loop(&mut self, turn: &mut Turn<'_>) {
        if let Some(work) = &mut self.work {
            work.attempt = 0;
            work.round = self.generation.saturating_add(1);
        }
        self.notice = None;
        self.reserve(turn);
    }

    fn reserve(&mut self, turn: &mut Turn<'_>) {
        let next = self.generation.checked_add(1);
        let (Some(generation), Some(work)) = (next.and_then(Generation::new), &self.work) else {
            return self.manual(ManualReason::NotDispatched, turn);
        };
        self.generation = generation.number();
        let reservation = Reservation { session: self.session.clone(), generation };
        turn.effects.push(Effect::Prepare(Prepare {
            reservation: reservation.clone(),
            target: work.target.clone(),
            not_under: work.not_under.clone(),
        }));
        self.standing = Standing::Reserved(reservation);
    }

    /// Lets go of whatever is pending or running, without asking the agent to stop.
    pub(super) fn release(&mut self, turn: &mut Turn<'_>) {
        match std::mem::replace(&mut self.standing, Standing::Idle) {
            Standing::Waiting { timer, .. } => turn.effects.push(Effect::DisarmTimer(timer)),
            Standing::Running { invocation, .. } => self.remember_unanswered(invocation),
            Standing::Closed => self.standing = Standing::Closed,
            Standing::Idle | Standing::Reserved(_) | Standing::Manual => {}
        }
    }

    fn refuse(&mut self, mut refusals: Vec<Refusal>, turn: &mut Turn<'_>) {
        refusals.sort_unstable();
        refusals.dedup();
        self.end_with(ManualReason::Refused, refusals, turn);
    }

    pub(super) fn manual(&mut self, reason: ManualReason, turn: &mut Turn<'_>) {
        self.end_with(reason, Vec::new(), turn);
    }

    fn end_with(&mut self, reason: ManualReason, refusals: Vec<Refusal>, turn: &mut Turn<'_>) {
        let code = self.work.as_ref().and_then(|work| work.code);
        self.standing = Standing::Manual;
        turn.effects.push(Effect::Manual(Manual { reason, refusals, code, actions: actions_after(code) }));
    }

    pub(super) fn ignore(&mut self) {
        self.ignored = self.ignored.saturating_add(1);
    }

    /// Takes the answer of a prompt. For the running one: whether it overlapped with another.
    fn answered(&mut self, invocation: &Invocation) -> Option<bool> {
        self.unanswered.retain(|earlier| earlier != invocation);
        match &self.standing {
            Standing::Running { invocation: running, overlapping } if running == invocation => Some(*overlapping),
            _ => None,
        }
    }

    fn remember_unanswered(&mut self, invocation: Invocation) {
        if self.unanswered.len() < UNANSWERED_LIMIT {
            self.unanswered.push(invocation);
        } else {
            self.crowded = true;
        }
    }

    fn write_notice(&mut self, turn: &mut Turn<'_>) {
        if let Some(notice) = &self.notice {
            self.owed = true;
            notice::write(turn.store, notice, &mut turn.effects);
        }
    }

    /// Removes every notice that is left once no loop is active.
    fn pay(&mut self, turn: &mut Turn<'_>) {
        if self.owns_retry() {
            return;
        }
        self.notice = None;
        if self.owed {
            self.owed = !notice::retire(turn.store, &self.session, &mut turn.effects);
        }
    }
}

/// A session that can not be resumed is not offered to be resumed.
pub(super) const fn actions_after(code: Option<Code>) -> &'static [ManualAction] {
    match code {
        Some(Code::ResumeCorrupted) => &[ManualAction::StartFresh],
        _ => &[ManualAction::Resume, ManualAction::StartFresh],
    }
}

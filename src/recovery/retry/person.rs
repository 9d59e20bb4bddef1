//! What people do to an owner. Every caller was authorized before.

use super::RetryOwner;
use super::effect::{Answer, DispatchReason, Effect, ManualAction, ManualReason};
use super::owner::{Turn, actions_after};
use super::state::{Standing, Work};
use crate::vocab::ModelId;

impl RetryOwner {
    /// Disarms an active loop and offers the manual actions; on an ended one, cleans up (.11).
    pub(super) fn cancel(&mut self, turn: &mut Turn<'_>) {
        if !self.owns_retry() {
            return self.sweep(turn);
        }
        self.abandon(turn);
        self.manual(ManualReason::Cancelled, turn);
        turn.effects.push(Effect::Reply(Answer::Done));
    }

    /// Sends the prompt again: a new loop after a manual end, the pending attempt while one waits.
    pub(super) fn resume(&mut self, turn: &mut Turn<'_>) {
        let code = self.work.as_ref().and_then(|work| work.code);
        let resumable = self.work.is_some() && actions_after(code).contains(&ManualAction::Resume);
        match self.standing {
            Standing::Manual if resumable => {
                self.set_reason(DispatchReason::Resume);
                self.start_loop(turn);
            }
            Standing::Waiting { timer, .. } => {
                turn.effects.push(Effect::DisarmTimer(timer));
                self.set_reason(DispatchReason::Resume);
                self.claim(turn);
            }
            _ => return turn.effects.push(Effect::Reply(Answer::Idle)),
        }
        turn.effects.push(Effect::Reply(Answer::Done));
    }

    /// Gives the session up; the prompt goes to a fresh one.
    pub(super) fn start_fresh(&mut self, turn: &mut Turn<'_>) {
        let Some(Work { prompt, target, .. }) = self.work.clone().filter(|_| self.is_stalled()) else {
            return turn.effects.push(Effect::Reply(Answer::Idle));
        };
        self.close(turn);
        turn.effects.push(Effect::StartFresh { prompt, target });
        turn.effects.push(Effect::Reply(Answer::Done));
    }

    /// Replaces the execution when the prompt is pending or has shown nothing; otherwise the model is for the next
    /// time the prompt is sent. The new identity is reserved before anything can be sent under the replacement.
    pub(super) fn switch_model(&mut self, model: ModelId, nothing_happened: bool, turn: &mut Turn<'_>) {
        let resend = match self.standing {
            Standing::Waiting { .. } | Standing::Reserved(_) => true,
            Standing::Running { overlapping, .. } => nothing_happened && !overlapping,
            Standing::Manual => false,
            Standing::Idle | Standing::Closed => return turn.effects.push(Effect::Reply(Answer::Idle)),
        };
        let replaced = self.execution.clone();
        let Some(work) = &mut self.work else { return turn.effects.push(Effect::Reply(Answer::Idle)) };
        work.target.model = Some(model);
        work.not_under = replaced;
        if resend {
            self.abandon(turn);
            self.set_reason(DispatchReason::ModelSwitch);
            self.start_loop(turn);
        }
        turn.effects.push(Effect::Reply(Answer::Done));
    }

    /// Ends everything that is pending or running.
    pub(super) fn stop(&mut self, turn: &mut Turn<'_>) {
        let busy = !matches!(self.standing, Standing::Idle | Standing::Closed);
        self.abandon(turn);
        self.work = None;
        self.owed = true;
        turn.effects.push(Effect::Reply(if busy { Answer::Done } else { Answer::Idle }));
    }

    /// An authorized cleanup (.10).
    pub(super) fn sweep(&mut self, turn: &mut Turn<'_>) {
        self.owed = true;
        turn.effects.push(Effect::Reply(Answer::Idle));
    }

    /// The program ends: nothing is armed and nothing is owned afterwards.
    pub(super) fn shutdown(&mut self, turn: &mut Turn<'_>) {
        self.close(turn);
    }

    fn close(&mut self, turn: &mut Turn<'_>) {
        self.abandon(turn);
        self.work = None;
        self.owed = true;
        self.standing = Standing::Closed;
    }

    /// Lets go of whatever is pending or running, and asks the agent to stop.
    fn abandon(&mut self, turn: &mut Turn<'_>) {
        if let Standing::Running { invocation, .. } = &self.standing {
            turn.effects.push(Effect::AbandonPrompt(invocation.clone()));
        }
        self.release(turn);
    }

    /// Whether the prompt is with nobody and waits for a timer or a person.
    const fn is_stalled(&self) -> bool {
        matches!(self.standing, Standing::Manual | Standing::Waiting { .. })
    }

    fn set_reason(&mut self, reason: DispatchReason) {
        if let Some(work) = &mut self.work {
            work.reason = reason;
        }
    }
}

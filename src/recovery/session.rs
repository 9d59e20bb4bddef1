//! One session as a client embeds it: events and actions in, everything that is to be done out.
//!
//! It joins the three machines, so that none can be forgotten: the attempt's evidence judges every failure, the owner
//! decides, the transcript keeps what was said.
//!
//! Invariant: evidence begins with the dispatch and is judged again with every later event, so that a pending retry is
//! given up when the failed prompt turns out to have done something.
//!
//! Must not know: how events come about, where anything is kept.

use jiff::Timestamp;

use super::notice::{NoticeStore, NoticeView, StoreError};
use super::retry::{Effect, Failure, Input, Moment, RetryOwner, Standing};
use super::transcript::{Change, Commit, Part, RecordStore, Transcript, TranscriptEffect};
use super::{Attempt, Terminal};
use crate::acp::event::{Chunk, Event, EventKind, ProviderError};
use crate::classify::{Classification, Classifier};
use crate::evidence::Evidence;
use crate::vocab::{Invocation, SessionId, TaskId};

/// Whoever turns evidence into a classification: the [`Classifier`], or a stand-in.
pub trait Classify {
    /// The classification at `now`.
    fn classify(&self, evidence: &Evidence, now: Timestamp) -> Classification;
}

impl Classify for Classifier {
    fn classify(&self, evidence: &Evidence, now: Timestamp) -> Classification {
        Self::classify(self, evidence, now)
    }
}

/// Where a client keeps things.
pub struct Stores<'s> {
    /// Retry notices.
    pub notices: &'s mut dyn NoticeStore,
    /// Transcript records.
    pub records: &'s mut dyn RecordStore,
}

impl std::fmt::Debug for Stores<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stores")
    }
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEffect {
    /// By the owner of the retry.
    Retry(Effect),
    /// With the transcript.
    Transcript(TranscriptEffect),
}

/// A failure that was judged and may have to be judged again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Judged {
    event: Event,
    classification: Classification,
}

/// The recovery of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecovery {
    owner: RetryOwner,
    transcript: Transcript,
    attempt: Option<Attempt>,
    judged: Option<Judged>,
}

impl SessionRecovery {
    /// The recovery of a session that works on a task.
    #[must_use]
    pub fn new(task: TaskId, session: SessionId) -> Self {
        Self::with(RetryOwner::new(task, session), Transcript::default())
    }

    /// The same with an owner and a transcript that continue earlier ones.
    #[must_use]
    pub const fn with(owner: RetryOwner, transcript: Transcript) -> Self {
        Self { owner, transcript, attempt: None, judged: None }
    }

    /// Takes one event of the session, in order; a failure is classified once, here, and carried from then on.
    pub fn observe(
        &mut self,
        event: &Event,
        classify: &dyn Classify,
        moment: impl Into<Moment>,
        stores: &mut Stores<'_>,
    ) -> Vec<SessionEffect> {
        let moment = moment.into();
        let mut effects = Vec::new();
        if let Some(attempt) = &mut self.attempt {
            attempt.observe(event);
        }
        if let Some(change) = event.invocation.as_ref().and_then(|invocation| change(&event.kind, invocation)) {
            effects.extend(self.transcript.on(change, stores.records).into_iter().map(SessionEffect::Transcript));
        }
        match (&event.kind, &event.invocation) {
            (EventKind::Failure(error), Some(invocation)) => {
                self.failed(event, error, invocation, classify, moment, stores, &mut effects);
            }
            (EventKind::Complete { .. }, Some(invocation)) => {
                self.owner_on(Input::Succeeded(invocation.clone()), moment, stores, &mut effects);
            }
            _ => self.judge_again(moment, stores, &mut effects),
        }
        effects
    }

    /// Tells the owner what somebody did or what became due. What the evidence says is filled in here.
    pub fn on(&mut self, input: Input, moment: impl Into<Moment>, stores: &mut Stores<'_>) -> Vec<SessionEffect> {
        let input = match input {
            Input::SwitchModel { requester, model, .. } => {
                let nothing_happened = self.attempt.as_ref().is_some_and(Attempt::nothing_happened);
                Input::SwitchModel { requester, model, nothing_happened }
            }
            other => other,
        };
        let mut effects = Vec::new();
        let ends = matches!(input, Input::Shutdown);
        self.owner_on(input, moment.into(), stores, &mut effects);
        if ends && let Some(attempt) = &mut self.attempt {
            attempt.shut_down();
            let invocation = attempt.invocation().clone();
            self.commit(invocation, Commit::Teardown, stores, &mut effects);
        }
        effects
    }

    /// A good moment to write pending transcript text.
    pub fn flush(&mut self, stores: &mut Stores<'_>) -> Vec<SessionEffect> {
        self.transcript.on(Change::Flush, stores.records).into_iter().map(SessionEffect::Transcript).collect()
    }

    /// The banner to show at `now`, if there is one (.9).
    ///
    /// # Errors
    /// When the store can not list the notices.
    pub fn view(&self, now: Timestamp, stores: &mut Stores<'_>) -> Result<Option<NoticeView>, StoreError> {
        self.owner.view(now, stores.notices)
    }

    /// The owner, to look at.
    #[must_use]
    pub const fn owner(&self) -> &RetryOwner {
        &self.owner
    }

    /// The transcript, to look at.
    #[must_use]
    pub const fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The evidence of the prompt that was sent last.
    #[must_use]
    pub const fn attempt(&self) -> Option<&Attempt> {
        self.attempt.as_ref()
    }

    #[expect(clippy::too_many_arguments, reason = "one step of `observe`, split off to keep that readable")]
    fn failed(
        &mut self,
        event: &Event,
        error: &ProviderError,
        invocation: &Invocation,
        classify: &dyn Classify,
        moment: Moment,
        stores: &mut Stores<'_>,
        effects: &mut Vec<SessionEffect>,
    ) {
        let Some(attempt) = self.attempt.as_ref().filter(|attempt| attempt.invocation() == invocation) else {
            // An answer all the same: what was unanswered is not any more. It says nothing about the current prompt.
            return self.owner_on(Input::Succeeded(invocation.clone()), moment, stores, effects);
        };
        let classification = classify.classify(&error.evidence(Some(invocation), attempt.phase()), moment.now);
        let judged = Judged { event: event.clone(), classification };
        if let Some(failure) = judged.failure(attempt, moment.now) {
            self.judged = Some(judged);
            self.owner_on(Input::Failed(failure), moment, stores, effects);
        }
    }

    /// A pending retry of a prompt that turns out to be unsafe is given up (fail closed).
    fn judge_again(&mut self, moment: Moment, stores: &mut Stores<'_>, effects: &mut Vec<SessionEffect>) {
        let Standing::Waiting { failed, .. } = self.owner.standing() else { return };
        let (Some(attempt), Some(judged)) = (&self.attempt, &self.judged) else { return };
        let unsafe_now = judged.failure(attempt, moment.now).is_none_or(|failure| !failure.refusals().is_empty());
        if unsafe_now {
            let failed = failed.clone();
            self.owner_on(Input::EvidenceChanged(failed), moment, stores, effects);
        }
    }

    fn owner_on(&mut self, input: Input, moment: Moment, stores: &mut Stores<'_>, effects: &mut Vec<SessionEffect>) {
        for effect in self.owner.on(input, moment, stores.notices) {
            match &effect {
                Effect::Dispatch(dispatch) => {
                    self.attempt = Some(Attempt::begin(dispatch.invocation.clone()));
                    self.judged = None;
                    let started = Change::PromptStarted(dispatch.invocation.clone());
                    effects
                        .extend(self.transcript.on(started, stores.records).into_iter().map(SessionEffect::Transcript));
                }
                Effect::AbandonPrompt(invocation) => {
                    self.commit(invocation.clone(), Commit::Cancellation, stores, effects);
                }
                _ => {}
            }
            effects.push(SessionEffect::Retry(effect));
        }
    }

    fn commit(
        &mut self,
        invocation: Invocation,
        cause: Commit,
        stores: &mut Stores<'_>,
        effects: &mut Vec<SessionEffect>,
    ) {
        let change = Change::Commit { invocation, cause };
        effects.extend(self.transcript.on(change, stores.records).into_iter().map(SessionEffect::Transcript));
    }
}

impl Judged {
    fn failure(&self, attempt: &Attempt, now: Timestamp) -> Option<Failure> {
        let terminal = Terminal::new(&self.event, &self.classification)?;
        Some(Failure::judged(attempt, &terminal, now))
    }
}

/// What an event of a prompt means for the transcript.
fn change(kind: &EventKind, invocation: &Invocation) -> Option<Change> {
    let invocation = invocation.clone();
    let said = |part: Part, chunk: &Chunk, invocation: Invocation| Change::Chunk {
        invocation,
        part,
        message_id: chunk.message_id.clone(),
        text: chunk.text.as_inner().clone(),
    };
    Some(match kind {
        EventKind::AssistantChunk { chunk, .. } => said(Part::Assistant, chunk, invocation),
        EventKind::ThoughtChunk(chunk) => said(Part::Thought, chunk, invocation),
        EventKind::ToolCall { .. } => Change::Commit { invocation, cause: Commit::ToolCall },
        EventKind::Failure(_) | EventKind::Complete { .. } => Change::Commit { invocation, cause: Commit::Completion },
        EventKind::ResponseAttemptReset => Change::Boundary(invocation),
        _ => return None,
    })
}

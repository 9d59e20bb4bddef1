//! The state machine.

use super::{Change, Commit, Part, Record, RecordId, RecordStore, TranscriptEffect};
use crate::vocab::Invocation;

/// A record that a boundary would still remove.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Open {
    record: Record,
    message_id: Option<String>,
    /// Text that is not durable yet.
    dirty: bool,
    /// Whether a write was ever tried: then the record may be durable.
    written: bool,
}

/// The records of a session's current response attempt, in allocation order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    last_id: u64,
    active: Option<Invocation>,
    /// Whether the active prompt is over.
    ended: bool,
    /// Records of the current attempt; committing or retracting empties it, and message ids with it.
    open: Vec<Open>,
    /// Committed records whose last write failed.
    unwritten: Vec<Record>,
    /// Retracted records that may still be durable.
    undeleted: Vec<RecordId>,
    ignored: u64,
}

impl Transcript {
    /// An empty transcript; ids start after `last`, the last record of an earlier one.
    #[must_use]
    pub fn continuing_after(last: RecordId) -> Self {
        Self { last_id: last.number(), ..Self::default() }
    }

    /// Tells the transcript what changed and gives back what is to be done, in order.
    ///
    /// Storage failures are effects; they never change what belongs to which attempt.
    pub fn on(&mut self, change: Change, store: &mut dyn RecordStore) -> Vec<TranscriptEffect> {
        let mut effects = Vec::new();
        self.settle(store, &mut effects);
        match change {
            Change::PromptStarted(invocation) => {
                self.commit(store, &mut effects);
                self.active = Some(invocation);
                self.ended = false;
            }
            Change::Chunk { invocation, part, message_id, text } => {
                if self.is_active(&invocation) {
                    self.chunk(part, message_id, text, store, &mut effects);
                }
            }
            Change::Flush => self.flush(store, &mut effects),
            Change::Commit { invocation, cause } => {
                if self.is_active(&invocation) {
                    self.commit(store, &mut effects);
                    self.ended |= cause.ends_prompt();
                }
            }
            Change::Boundary(invocation) => {
                if self.is_active(&invocation) && !self.is_ended() {
                    self.retract(store, &mut effects);
                }
            }
        }
        effects
    }

    /// The records that a boundary would remove now, in allocation order.
    pub fn current(&self) -> impl Iterator<Item = &Record> {
        self.open.iter().map(|open| &open.record)
    }

    /// How many changes were dropped because their prompt is not the active one or is over.
    #[must_use]
    pub const fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Whether every storage call that failed was made good.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.unwritten.is_empty() && self.undeleted.is_empty()
    }

    fn is_active(&mut self, invocation: &Invocation) -> bool {
        let active = self.active.as_ref() == Some(invocation);
        self.ignored += u64::from(!active);
        active
    }

    fn is_ended(&mut self) -> bool {
        self.ignored += u64::from(self.ended);
        self.ended
    }

    fn chunk(
        &mut self,
        part: Part,
        message_id: Option<String>,
        text: String,
        store: &mut dyn RecordStore,
        effects: &mut Vec<TranscriptEffect>,
    ) {
        if text.is_empty() {
            return;
        }
        let position = self.position(part, message_id.as_deref());
        let index = position.unwrap_or_else(|| self.allocate(part, message_id));
        if let Some(open) = self.open.get_mut(index) {
            open.record.text.push_str(&text);
            open.dirty = true;
            effects.push(TranscriptEffect::Show { record: open.record.id, part, text });
        }
        if self.ended {
            // Late text of a prompt that is over belongs to no attempt that could be abandoned.
            self.commit(store, effects);
        }
    }

    /// The open record that a chunk continues: the one with its id, or without an id the last one, if it has none either.
    fn position(&self, part: Part, message_id: Option<&str>) -> Option<usize> {
        let continues = |open: &Open| open.record.part == part && open.message_id.as_deref() == message_id;
        match message_id {
            Some(_) => self.open.iter().rposition(continues),
            None => self.open.len().checked_sub(1).filter(|last| self.open.get(*last).is_some_and(continues)),
        }
    }

    fn allocate(&mut self, part: Part, message_id: Option<String>) -> usize {
        self.last_id += 1;
        let record = Record { id: RecordId::new(self.last_id), part, text: String::new() };
        self.open.push(Open { record, message_id, dirty: false, written: false });
        self.open.len() - 1
    }

    fn flush(&mut self, store: &mut dyn RecordStore, effects: &mut Vec<TranscriptEffect>) {
        for open in self.open.iter_mut().filter(|open| open.dirty) {
            open.written = true;
            match store.write(&open.record) {
                Ok(()) => open.dirty = false,
                Err(error) => {
                    effects.push(TranscriptEffect::StorageFailed { record: open.record.id, removal: false, error });
                }
            }
        }
    }

    fn commit(&mut self, store: &mut dyn RecordStore, effects: &mut Vec<TranscriptEffect>) {
        self.flush(store, effects);
        for Open { record, dirty, .. } in self.open.drain(..) {
            if record.part == Part::Assistant {
                effects.push(TranscriptEffect::History { record: record.id, text: record.text.clone() });
            }
            if dirty {
                self.unwritten.push(record);
            }
        }
    }

    fn retract(&mut self, store: &mut dyn RecordStore, effects: &mut Vec<TranscriptEffect>) {
        for Open { record, written, .. } in self.open.drain(..) {
            if written {
                delete(record.id, store, &mut self.undeleted, effects);
            }
            effects.push(TranscriptEffect::Remove(record.id));
        }
    }

    /// Tries again what a store refused earlier.
    fn settle(&mut self, store: &mut dyn RecordStore, effects: &mut Vec<TranscriptEffect>) {
        for record in std::mem::take(&mut self.undeleted) {
            delete(record, store, &mut self.undeleted, effects);
        }
        for record in std::mem::take(&mut self.unwritten) {
            if let Err(error) = store.write(&record) {
                effects.push(TranscriptEffect::StorageFailed { record: record.id, removal: false, error });
                self.unwritten.push(record);
            }
        }
    }
}

fn delete(
    record: RecordId,
    store: &mut dyn RecordStore,
    undeleted: &mut Vec<RecordId>,
    effects: &mut Vec<TranscriptEffect>,
) {
    if let Err(error) = store.delete(record) {
        undeleted.push(record);
        effects.push(TranscriptEffect::StorageFailed { record, removal: true, error });
    }
}

impl Commit {
    /// Every cause, in its declared order.
    pub const ALL: &'static [Self] =
        &[Self::ToolCall, Self::HandOff, Self::Completion, Self::Cancellation, Self::Teardown];
}

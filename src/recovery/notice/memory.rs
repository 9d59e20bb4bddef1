//! A store without a disk, for tests, simulation and clients that do not outlive their sessions.

use std::collections::{BTreeMap, BTreeSet};

use super::{Notice, NoticeId, NoticeStore, StoreError, Stored};
use crate::vocab::SessionId;

/// Keeps notices in memory, and fails on request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct MemoryStore {
    notices: BTreeMap<(SessionId, NoticeId), Notice>,
    unreadable: BTreeSet<(SessionId, NoticeId)>,
    /// What is broken at the moment.
    pub faults: Faults,
}

/// What of a [`MemoryStore`] is broken. A broken call changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// Listing fails.
    pub list: bool,
    /// Writing fails.
    pub write: bool,
    /// Deleting fails, for every notice.
    pub delete: bool,
    /// Deleting fails, for these notices.
    pub delete_of: BTreeSet<NoticeId>,
}

impl MemoryStore {
    /// Puts a notice in without the law, as an earlier program may have left it (duplicates, orphans).
    pub fn plant(&mut self, id: NoticeId, notice: Notice) {
        self.notices.insert((notice.session.clone(), id), notice);
    }

    /// Makes one notice unreadable until it is written again.
    pub fn spoil(&mut self, session: &SessionId, id: NoticeId) {
        self.unreadable.insert((session.clone(), id));
    }

    /// How many notices a session has, readable or not, whatever is broken.
    #[must_use]
    pub fn count(&self, session: &SessionId) -> usize {
        self.notices.keys().filter(|(owner, _)| owner == session).count()
    }
}

impl NoticeStore for MemoryStore {
    fn list(&mut self, session: &SessionId) -> Result<Vec<Stored>, StoreError> {
        if self.faults.list {
            return Err(StoreError::new("the store does not list"));
        }
        let own = self.notices.iter().filter(|((owner, _), _)| owner == session);
        Ok(own
            .map(|(key, notice)| Stored {
                id: key.1,
                content: match self.unreadable.contains(key) {
                    true => Err(StoreError::new("the notice can not be read")),
                    false => Ok(notice.clone()),
                },
            })
            .collect())
    }

    fn write(&mut self, id: NoticeId, notice: &Notice) -> Result<(), StoreError> {
        if self.faults.write {
            return Err(StoreError::new("the store does not write"));
        }
        let key = (notice.session.clone(), id);
        self.unreadable.remove(&key);
        self.notices.insert(key, notice.clone());
        Ok(())
    }

    fn delete(&mut self, session: &SessionId, id: NoticeId) -> Result<(), StoreError> {
        if self.faults.delete || self.faults.delete_of.contains(&id) {
            return Err(StoreError::new("the store does not delete"));
        }
        let key = (session.clone(), id);
        self.unreadable.remove(&key);
        self.notices.remove(&key);
        Ok(())
    }
}

//! Where notices are kept.

use std::fmt;

use super::{Notice, NoticeId};
use crate::vocab::SessionId;

/// Why a store could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError {
    /// A sentence fragment that reads after "failed to list notices: "; must not hold notice text.
    pub message: String,
}

impl StoreError {
    /// An error with that fragment.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}

/// One listed notice. A notice that exists and can not be read is still listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Which one.
    pub id: NoticeId,
    /// What it says, or why that can not be read.
    pub content: Result<Notice, StoreError>,
}

/// Keeps retry notices durably (.10, .25).
///
/// # Law
///
/// For every session, and whatever the other sessions do:
///
/// 1. After `write(id, notice)` returned `Ok`, `list` gives `notice` under `id`, also after a crash and a new start.
///    A second `write` of the same id replaces the whole notice; a reader sees the old or the new one, never a mix.
/// 2. After `delete(id)` returned `Ok`, `list` does not give `id`, also after a crash. Deleting what is not there is `Ok`.
/// 3. `list` gives every notice that was written and not deleted, ordered by id, none left out; one that can not be read
///    is given with its error. When it can not promise that, it returns `Err`.
/// 4. An `Err` of `write` or `delete` leaves that notice as it was or as it was asked to be, and every other one alone.
/// 5. No call touches a notice of another session, or anything that is no retry notice.
///
/// [`law::violations`](super::law::violations) checks a store against it.
pub trait NoticeStore {
    /// Every notice of a session, ordered by id.
    ///
    /// # Errors
    /// When the store can not say for sure which notices exist.
    fn list(&mut self, session: &SessionId) -> Result<Vec<Stored>, StoreError>;

    /// Creates or replaces one notice of the session that the notice names.
    ///
    /// # Errors
    /// When the notice is not known to be durable.
    fn write(&mut self, id: NoticeId, notice: &Notice) -> Result<(), StoreError>;

    /// Removes one notice of a session; `Ok` when there is none.
    ///
    /// # Errors
    /// When the notice may come back.
    fn delete(&mut self, session: &SessionId, id: NoticeId) -> Result<(), StoreError>;
}

//! Writing the one notice and retiring all of them, over a store that may fail at any call (.10, .25).

use super::{Notice, NoticeId, NoticeStore, StoreError, Stored};
use crate::recovery::retry::{Effect, StorageOperation};
use crate::vocab::SessionId;

/// Writes the loop's notice: over an existing one when there is one, and drops the others after that succeeded.
/// Nothing is created when the existing ones can not be listed, and nothing is dropped before the write is durable.
pub(in crate::recovery) fn write(store: &mut dyn NoticeStore, notice: &Notice, effects: &mut Vec<Effect>) {
    let listed = match store.list(&notice.session) {
        Ok(listed) => listed,
        Err(error) => return effects.push(failed(StorageOperation::List, None, error)),
    };
    let id = survivor(&listed, notice.round).unwrap_or_else(|| NoticeId::new(notice.round));
    if let Err(error) = store.write(id, notice) {
        return effects.push(failed(StorageOperation::Write, Some(id), error));
    }
    effects.push(Effect::NoticeWritten(notice.clone()));
    let others = listed.iter().map(|stored| stored.id).filter(|other| *other != id);
    for other in others {
        if let Err(error) = store.delete(&notice.session, other) {
            effects.push(failed(StorageOperation::Delete, Some(other), error));
        }
    }
}

/// Removes every notice of a session. One failure does not stop the others. Whether the session is known to have none.
pub(in crate::recovery) fn retire(store: &mut dyn NoticeStore, session: &SessionId, effects: &mut Vec<Effect>) -> bool {
    let listed = match store.list(session) {
        Ok(listed) => listed,
        Err(error) => {
            effects.push(failed(StorageOperation::List, None, error));
            return false;
        }
    };
    let mut clear = true;
    for stored in listed {
        match store.delete(session, stored.id) {
            Ok(()) => effects.push(Effect::NoticeRetired(stored.id)),
            Err(error) => {
                clear = false;
                effects.push(failed(StorageOperation::Delete, Some(stored.id), error));
            }
        }
    }
    clear
}

/// The one notice of a loop that a client may show: the latest persisted attempt.
pub(in crate::recovery) fn current(
    store: &mut dyn NoticeStore,
    session: &SessionId,
    round: u64,
) -> Result<Option<Notice>, StoreError> {
    let readable = store.list(session)?.into_iter().filter_map(|stored| stored.content.ok());
    Ok(readable.filter(|notice| notice.round == round).max_by_key(|notice| (notice.attempt, notice.deadline)))
}

/// Which notice is updated in place: the loop's own, else a readable one, else any, so that a damaged one is healed
/// instead of joined by a second.
fn survivor(listed: &[Stored], round: u64) -> Option<NoticeId> {
    let own = |stored: &&Stored| stored.content.as_ref().is_ok_and(|notice| notice.round == round);
    let readable = |stored: &&Stored| stored.content.is_ok();
    let found = listed.iter().find(own).or_else(|| listed.iter().find(readable)).or_else(|| listed.first());
    found.map(|stored| stored.id)
}

fn failed(operation: StorageOperation, notice: Option<NoticeId>, error: StoreError) -> Effect {
    Effect::NoticeStorageFailed { operation, notice, error }
}

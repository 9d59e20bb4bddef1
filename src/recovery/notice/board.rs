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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::notice::{MemoryStore, NoticeFacts, NoticeState};
    use crate::recovery::retry::samples::{NOW, session, target};
    use crate::vocab::Code;

    fn notice(round: u64, attempt: u8) -> Notice {
        let facts = NoticeFacts {
            session: session("session"),
            round,
            code: Code::ProviderOverloaded,
            provider: target().provider,
            attempt,
            max_attempts: 5,
            deadline: NOW,
        };
        Notice::new(facts, None, NoticeState::Waiting)
    }

    /// Rows of (id, round, readable) that are there, and the id that the loop of round 5 writes to.
    #[test]
    fn the_loops_own_notice_is_updated_then_a_readable_one_then_any() {
        type There = (u64, u64, bool);
        let rows: &[(&[There], u64)] = &[
            (&[], 5),
            (&[(1, 4, true), (2, 5, true), (3, 4, true)], 2),
            (&[(1, 4, false), (2, 4, true)], 2),
            (&[(3, 4, false), (4, 5, false)], 3),
        ];
        let mut wrong = Vec::new();
        for (there, expected) in rows {
            let mut store = MemoryStore::default();
            for (id, round, readable) in *there {
                store.plant(NoticeId::new(*id), notice(*round, 1));
                if !readable {
                    store.spoil(&session("session"), NoticeId::new(*id));
                }
            }
            write(&mut store, &notice(5, 2), &mut Vec::new());
            let left = store.list(&session("session")).unwrap();
            let wanted = Stored { id: NoticeId::new(*expected), content: Ok(notice(5, 2)) };
            if left != [wanted] {
                wrong.push(format!("{there:?}: expected {expected}, got {left:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_latest_attempt_of_the_loop_is_shown() {
        let mut store = MemoryStore::default();
        for (id, round, attempt) in [(1, 5, 2), (2, 5, 3), (3, 4, 4)] {
            store.plant(NoticeId::new(id), notice(round, attempt));
        }
        assert_eq!(current(&mut store, &session("session"), 5), Ok(Some(notice(5, 3))));
        assert_eq!(current(&mut store, &session("session"), 6), Ok(None));
    }
}

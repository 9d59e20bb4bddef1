//! The law of [`NoticeStore`], to check a store against.

use jiff::Timestamp;

use super::{MemoryStore, Notice, NoticeFacts, NoticeId, NoticeState, NoticeStore, Stored};
use crate::vocab::{AgentId, Code, IdError, SessionId};

/// One call on one of the two sessions of a sequence.
#[derive(Debug, Clone, Copy)]
enum Call {
    Write { session: usize, id: u64, attempt: u8 },
    Delete { session: usize, id: u64 },
}

const CALLS: [Call; 7] = [
    Call::Write { session: 0, id: 1, attempt: 1 },
    Call::Write { session: 0, id: 1, attempt: 2 },
    Call::Write { session: 0, id: 2, attempt: 1 },
    Call::Write { session: 1, id: 1, attempt: 5 },
    Call::Delete { session: 0, id: 1 },
    Call::Delete { session: 1, id: 1 },
    Call::Delete { session: 0, id: 9 },
];

/// Plays every sequence of `length` calls, each on sessions of its own, and says where the store breaks its law; empty
/// when it keeps it. Call it in the tests of your store. Length 3 is 343 sequences.
///
/// # Errors
/// Never in practice: the names it uses are valid.
pub fn violations(store: &mut dyn NoticeStore, length: u32) -> Result<Vec<String>, IdError> {
    let mut broken = Vec::new();
    for number in 0..CALLS.len().pow(length) {
        let sessions = [SessionId::new(&format!("law-{number}-a"))?, SessionId::new(&format!("law-{number}-b"))?];
        let mut model = MemoryStore::default();
        let mut rest = number;
        let mut trail = Vec::new();
        for _ in 0..length {
            let call = CALLS[rest % CALLS.len()];
            rest /= CALLS.len();
            trail.push(call);
            let done = (play(store, call, &sessions)?, play(&mut model, call, &sessions)?);
            let same = sessions.iter().all(|session| listed(store, session) == listed(&mut model, session));
            if done.0 != done.1 || !same {
                broken
                    .push(format!("after {trail:?}: {:?}", sessions.iter().map(|s| store.list(s)).collect::<Vec<_>>()));
                break;
            }
        }
    }
    Ok(broken)
}

fn listed(store: &mut dyn NoticeStore, session: &SessionId) -> Option<Vec<Stored>> {
    store.list(session).ok()
}

fn play(store: &mut dyn NoticeStore, call: Call, sessions: &[SessionId; 2]) -> Result<bool, IdError> {
    Ok(match call {
        Call::Delete { session, id } => store.delete(&sessions[session], NoticeId::new(id)).is_ok(),
        Call::Write { session, id, attempt } => {
            let facts = NoticeFacts {
                session: sessions[session].clone(),
                round: id,
                code: Code::ProviderOverloaded,
                provider: AgentId::new("some-agent")?,
                attempt,
                max_attempts: 5,
                deadline: Timestamp::UNIX_EPOCH,
            };
            store.write(NoticeId::new(id), &Notice::new(facts, None, NoticeState::Waiting)).is_ok()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::notice::StoreError;

    /// A store that breaks the law in one way.
    struct Broken(MemoryStore, u8);

    impl NoticeStore for Broken {
        fn list(&mut self, session: &SessionId) -> Result<Vec<Stored>, StoreError> {
            let mut listed = self.0.list(session)?;
            match self.1 {
                0 => listed.truncate(1),
                1 => listed.reverse(),
                _ => {}
            }
            Ok(listed)
        }

        fn write(&mut self, id: NoticeId, notice: &Notice) -> Result<(), StoreError> {
            let known = self.0.list(&notice.session)?.iter().any(|stored| stored.id == id);
            if self.1 == 2 && known { Ok(()) } else { self.0.write(id, notice) }
        }

        fn delete(&mut self, session: &SessionId, id: NoticeId) -> Result<(), StoreError> {
            match self.1 {
                3 => Ok(()),
                4 if !self.0.list(session)?.iter().any(|stored| stored.id == id) => Err(StoreError::new("not there")),
                _ => self.0.delete(session, id),
            }
        }
    }

    #[test]
    fn a_lawful_store_passes_and_each_broken_one_is_found() {
        assert_eq!(violations(&mut MemoryStore::default(), 3), Ok(Vec::new()));
        let kept: Vec<_> = (0..5)
            .filter(|way| {
                violations(&mut Broken(MemoryStore::default(), *way), 3).is_ok_and(|broken| broken.is_empty())
            })
            .collect();
        assert!(kept.is_empty(), "broken stores that pass: {kept:?}");
    }
}

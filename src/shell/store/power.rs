//! Power loss at every single operation of the disk: whatever of the unsynced writes reached it, reopening gives every
//! notice that was confirmed, and of the one call in flight all or nothing.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};

use redb::StorageBackend;

use super::DurableStore;
use crate::recovery::notice::{MemoryStore, Notice, NoticeFacts, NoticeId, NoticeState, NoticeStore};
use crate::redact::{Raw, Redactor};
use crate::vocab::{AgentId, Code, SessionId};

/// A disk that keeps what was synced apart from what was only written, and fails for good after a number of operations.
#[derive(Debug, Clone)]
struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Clone, Default)]
struct State {
    synced: Vec<u8>,
    /// Writes and length changes since the last sync, in order.
    pending: Vec<Change>,
    now: Vec<u8>,
    operations_left: u64,
}

#[derive(Debug, Clone)]
enum Change {
    Length(u64),
    Bytes(u64, Vec<u8>),
}

fn apply(image: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Length(length) => image.resize(usize::try_from(*length).unwrap(), 0),
        Change::Bytes(offset, data) => {
            let start = usize::try_from(*offset).unwrap();
            image.resize(image.len().max(start + data.len()), 0);
            image[start..start + data.len()].copy_from_slice(data);
        }
    }
}

impl Disk {
    fn holding(image: Vec<u8>, operations_left: u64) -> Self {
        let state = State { synced: image.clone(), pending: Vec::new(), now: image, operations_left };
        Self(Arc::new(Mutex::new(state)))
    }

    fn step<T>(&self, work: impl FnOnce(&mut State) -> T) -> Result<T, io::Error> {
        let mut state = self.0.lock().unwrap();
        if state.operations_left == 0 {
            return Err(io::Error::other("the power is off"));
        }
        state.operations_left -= 1;
        Ok(work(&mut state))
    }

    /// What the disk may hold after the power went: for each kind of loss, one image.
    fn images(&self) -> Vec<Vec<u8>> {
        let state = self.0.lock().unwrap();
        let keep: [&dyn Fn(usize) -> bool; 5] =
            [&|_| false, &|_| true, &|index| index % 2 == 0, &|index| index % 2 == 1, &|index| {
                index + 1 != state.pending.len()
            }];
        let mut images: Vec<_> = keep
            .iter()
            .map(|keep| {
                let mut image = state.synced.clone();
                state
                    .pending
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| keep(*index))
                    .for_each(|(_, c)| apply(&mut image, c));
                image
            })
            .collect();
        if let Some(Change::Bytes(offset, data)) = state.pending.last() {
            let mut torn = state.synced.clone();
            state.pending[..state.pending.len() - 1].iter().for_each(|change| apply(&mut torn, change));
            apply(&mut torn, &Change::Bytes(*offset, data[..data.len() / 2].to_vec()));
            images.push(torn);
        }
        images
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> Result<u64, io::Error> {
        self.step(|state| state.now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.step(|state| {
            let start = usize::try_from(offset).unwrap();
            out.copy_from_slice(&state.now[start..start + out.len()]);
        })
    }

    fn set_len(&self, length: u64) -> Result<(), io::Error> {
        self.step(|state| {
            apply(&mut state.now, &Change::Length(length));
            state.pending.push(Change::Length(length));
        })
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.step(|state| {
            state.synced = state.now.clone();
            state.pending.clear();
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.step(|state| {
            let change = Change::Bytes(offset, data.to_vec());
            apply(&mut state.now, &change);
            state.pending.push(change);
        })
    }
}

fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

fn notice(name: &str, attempt: u8) -> Notice {
    let facts = NoticeFacts {
        session: session(name),
        round: 1,
        code: Code::ProviderOverloaded,
        provider: AgentId::new("some-agent").unwrap(),
        attempt,
        max_attempts: 5,
        deadline: jiff::Timestamp::from_second(1_800_000_000 + i64::from(attempt)).unwrap(),
    };
    let reason = Redactor::embedded().clean(Raw::new(&format!("reason {attempt}")));
    Notice::new(facts, Some(reason), NoticeState::Waiting)
}

/// The calls of one loop with a duplicate and a neighbour.
fn call(store: &mut dyn NoticeStore, number: usize) -> bool {
    let done = match number {
        0 => store.write(NoticeId::new(1), &notice("s", 1)),
        1 => store.write(NoticeId::new(2), &notice("s", 1)),
        2 => store.write(NoticeId::new(1), &notice("t", 4)),
        3 => store.write(NoticeId::new(1), &notice("s", 2)),
        4 => store.delete(&session("s"), NoticeId::new(2)),
        5 => store.delete(&session("s"), NoticeId::new(9)),
        _ => store.delete(&session("s"), NoticeId::new(1)),
    };
    done.is_ok()
}

const CALLS: usize = 7;

fn content(store: &mut dyn NoticeStore) -> String {
    ["s", "t"].map(|name| format!("{:?}", store.list(&session(name)))).join("\n")
}

#[test]
fn no_power_loss_loses_a_confirmed_call_or_tears_one() {
    let expected: Vec<_> = (0..=CALLS)
        .map(|calls| {
            let mut model = MemoryStore::default();
            assert!((0..calls).all(|number| call(&mut model, number)));
            content(&mut model)
        })
        .collect();
    let (mut losses, mut wrong, mut finished) = (0, BTreeSet::new(), false);
    // Until the power lasts for everything, it goes one operation later each time.
    for power in 0.. {
        if finished || power > 5_000 {
            break;
        }
        let disk = Disk::holding(Vec::new(), power);
        let mut confirmed = 0;
        if let Ok(mut store) = DurableStore::over(disk.clone()) {
            confirmed = (0..CALLS).take_while(|number| call(&mut store, *number)).count();
            finished = confirmed == CALLS && disk.0.lock().unwrap().operations_left > 0;
            // The process is gone: nothing is tidied up.
            disk.0.lock().unwrap().operations_left = 0;
        }
        for (loss, image) in disk.images().into_iter().enumerate() {
            losses += 1;
            let got = match DurableStore::over(Disk::holding(image, u64::MAX)) {
                Ok(mut store) => content(&mut store),
                // Nothing was ever confirmed: an unfinished creation may be refused, and is never half a store.
                Err(_) if confirmed == 0 => continue,
                Err(error) => error.to_string(),
            };
            let allowed = &expected[confirmed..=(confirmed + 1).min(CALLS)];
            if !allowed.contains(&got) {
                wrong.insert(format!("power for {power}, {confirmed} confirmed, loss {loss}: {got}"));
            }
        }
    }
    assert!(finished && losses > 100, "{losses} losses: the power never lasted");
    assert!(wrong.is_empty(), "{} of {losses}, the first: {}", wrong.len(), wrong.first().unwrap());
}

#[test]
fn the_store_keeps_its_law() {
    let mut store = DurableStore::over(Disk::holding(Vec::new(), u64::MAX)).unwrap();
    assert_eq!(crate::recovery::notice::law::violations(&mut store, 3), Ok(Vec::new()));
}

#[test]
fn a_file_is_locked_reopened_and_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notices");
    let mut store = DurableStore::open(&path).unwrap();
    assert!(call(&mut store, 0) && call(&mut store, 2));
    assert!(matches!(DurableStore::open(&path), Err(super::OpenError::Locked)));
    let before = content(&mut store);
    drop(store);
    assert_eq!(content(&mut DurableStore::open(&path).unwrap()), before);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let other = folder.path().join("other");
    std::fs::copy(file!(), &other).unwrap();
    assert!(matches!(DurableStore::open(&other), Err(super::OpenError::Unusable(_))), "a text file is no store");
}

#[test]
fn a_damaged_document_is_listed_as_unreadable_and_healed_by_the_next_write() {
    let mut store = DurableStore::over(Disk::holding(Vec::new(), u64::MAX)).unwrap();
    let damaged: [&[u8]; 4] = [
        b"",
        b"{}",
        br#"{"round":1,"code":"nonsense","reason":null,"provider":"a","attempt":1,"max_attempts":5,"deadline":"x","state":"waiting"}"#,
        br#"{"round":1,"code":"rate_limited","reason":null,"provider":"a","attempt":1,"max_attempts":5,"deadline":"x","state":"waiting"}"#,
    ];
    for bytes in damaged {
        store.write_with(|table| table.insert(("s", 1), bytes).map(drop)).unwrap();
        let listed = store.list(&session("s")).unwrap();
        assert!(listed.len() == 1 && listed[0].content.is_err(), "{listed:?}");
    }
    store.write(NoticeId::new(1), &notice("s", 3)).unwrap();
    assert_eq!(store.list(&session("s")).unwrap()[0].content, Ok(notice("s", 3)));
}

#[test]
fn only_clean_text_comes_out_of_a_file() {
    let mut store = DurableStore::over(Disk::holding(Vec::new(), u64::MAX)).unwrap();
    store.write(NoticeId::new(1), &notice("s", 1)).unwrap();
    let address = format!("someone@{}", "example.com");
    let bytes = super::record::encode(&notice("s", 1));
    let tampered = String::from_utf8(bytes).unwrap().replace("reason 1", &address);
    store.write_with(|table| table.insert(("s", 1), tampered.as_bytes()).map(drop)).unwrap();
    let listed = format!("{:?}", store.list(&session("s")).unwrap());
    assert!(!listed.contains(&address) && listed.contains("redacted"), "{listed}");
}

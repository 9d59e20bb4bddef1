//! Retry notices in an embedded database file: locked while open, durable after every call, safe against a crash at any
//! moment.
//!
//! Invariant: each call is one transaction that is synced before it returns; the file belongs to one process at a time.
//!
//! Must not know: what a notice means.

mod record;

#[cfg(test)]
mod power;

use std::fmt;
use std::path::Path;

use redb::{Database, DatabaseError, ReadableDatabase as _, StorageBackend, TableDefinition};

use crate::recovery::notice::{Notice, NoticeId, NoticeStore, StoreError, Stored};
use crate::vocab::SessionId;

/// Session and notice number to one JSON document.
const NOTICES: TableDefinition<'_, (&str, u64), &[u8]> = TableDefinition::new("retry_notices.v1");

/// Why a store could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process, or another store of this one, has it open.
    Locked,
    /// The file can not be opened, or is no such database.
    Unusable(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked => f.write_str("open the notice store: it is open elsewhere"),
            Self::Unusable(reason) => write!(f, "open the notice store: {reason}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// A [`NoticeStore`] in one file.
#[derive(Debug)]
pub struct DurableStore {
    database: Database,
}

impl DurableStore {
    /// Opens the file, or creates it for its owner alone, and repairs what a crash left behind.
    ///
    /// # Errors
    /// When it is open elsewhere, can not be opened, or is something else.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| OpenError::Unusable(error.to_string()))?;
        let backend = redb::backends::FileBackend::new(file).map_err(opening)?;
        Self::over(backend)
    }

    fn over(backend: impl StorageBackend) -> Result<Self, OpenError> {
        let database = Database::builder().create_with_backend(backend).map_err(opening)?;
        let store = Self { database };
        // The table exists from here on, so that listing never has to tell an empty store from a damaged one.
        store.write_with(|_| Ok(())).map_err(|error| OpenError::Unusable(error.message))?;
        Ok(store)
    }

    fn write_with(
        &self,
        change: impl FnOnce(&mut redb::Table<'_, (&'static str, u64), &'static [u8]>) -> Result<(), redb::StorageError>,
    ) -> Result<(), StoreError> {
        let transaction = self.database.begin_write().map_err(storing)?;
        {
            let mut table = transaction.open_table(NOTICES).map_err(storing)?;
            change(&mut table).map_err(storing)?;
        }
        transaction.commit().map_err(storing)
    }
}

impl NoticeStore for DurableStore {
    fn list(&mut self, session: &SessionId) -> Result<Vec<Stored>, StoreError> {
        let transaction = self.database.begin_read().map_err(storing)?;
        let table = transaction.open_table(NOTICES).map_err(storing)?;
        let own = table.range((session.as_str(), 0)..=(session.as_str(), u64::MAX)).map_err(storing)?;
        own.map(|entry| {
            let (key, value) = entry.map_err(storing)?;
            let content = record::decode(value.value(), session).map_err(StoreError::new);
            Ok(Stored { id: NoticeId::new(key.value().1), content })
        })
        .collect()
    }

    fn write(&mut self, id: NoticeId, notice: &Notice) -> Result<(), StoreError> {
        let document = record::encode(notice);
        self.write_with(|table| table.insert((notice.session.as_str(), id.number()), document.as_slice()).map(drop))
    }

    fn delete(&mut self, session: &SessionId, id: NoticeId) -> Result<(), StoreError> {
        self.write_with(|table| table.remove((session.as_str(), id.number())).map(drop))
    }
}

fn opening(error: DatabaseError) -> OpenError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => OpenError::Locked,
        other => OpenError::Unusable(other.to_string()),
    }
}

fn storing(error: impl fmt::Display) -> StoreError {
    StoreError::new(error.to_string())
}

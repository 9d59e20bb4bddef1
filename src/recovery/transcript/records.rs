//! Where transcript records are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{Part, RecordId, StoreError};

/// One durable record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Which one.
    pub id: RecordId,
    /// What kind of text.
    pub part: Part,
    /// The whole text.
    pub text: String,
}

/// Keeps transcript records durably.
///
/// # Law
///
/// After `write` returned `Ok`, the record is there with exactly that text, also after a new start. After `delete`
/// returned `Ok` it is gone; deleting what is not there is `Ok`. An `Err` leaves every other record alone. No call
/// touches tool activity, permission state or records that it does not name.
pub trait RecordStore {
    /// Creates or replaces a record.
    ///
    /// # Errors
    /// When the record is not known to be durable.
    fn write(&mut self, record: &Record) -> Result<(), StoreError>;

    /// Removes a record.
    ///
    /// # Errors
    /// When the record may come back.
    fn delete(&mut self, record: RecordId) -> Result<(), StoreError>;
}

/// Keeps records in memory, and fails on request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryRecords {
    /// The records, ordered by id.
    pub records: BTreeMap<RecordId, Record>,
    /// Writing fails.
    pub fail_write: bool,
    /// Removing fails, for every record.
    pub fail_delete: bool,
    /// Removing fails, for these records.
    pub fail_delete_of: BTreeSet<RecordId>,
}

impl RecordStore for MemoryRecords {
    fn write(&mut self, record: &Record) -> Result<(), StoreError> {
        if self.fail_write {
            return Err(StoreError::new("the store does not write"));
        }
        self.records.insert(record.id, record.clone());
        Ok(())
    }

    fn delete(&mut self, record: RecordId) -> Result<(), StoreError> {
        if self.fail_delete || self.fail_delete_of.contains(&record) {
            return Err(StoreError::new("the store does not delete"));
        }
        self.records.remove(&record);
        Ok(())
    }
}

//! The journal of a registry: one table of records in their order.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use ferroconnect_registry_client::server::{Record, Server};
use rusqlite::{Connection, params};

use super::OpenError;

/// Records in a file, and the lock of the one process that may use its folder.
#[derive(Debug)]
pub(super) struct Journal {
    connection: Connection,
    place: String,
    _lock: Option<File>,
}

impl Journal {
    pub(super) fn open(folder: &Path) -> Result<Self, OpenError> {
        fs::create_dir_all(folder).map_err(|error| OpenError::file(folder, &error))?;
        let lock = own(folder)?;
        let place = folder.display().to_string();
        let broken = |error| OpenError::sqlite(&place, &error);
        let connection = Connection::open(folder.join(FILE)).map_err(broken)?;
        connection
            .pragma_update(None, "journal_mode", "wal")
            .and_then(|()| connection.pragma_update(None, "synchronous", "full"))
            .and_then(|()| connection.pragma_update(None, "journal_size_limit", WAL_BYTES))
            .map_err(broken)?;
        Self::over(connection, place, Some(lock))
    }

    pub(super) fn in_memory() -> Result<Self, OpenError> {
        let place = "memory".to_owned();
        let connection = Connection::open_in_memory();
        let connection = connection.map_err(|error| OpenError::sqlite(&place, &error))?;
        Self::over(connection, place, None)
    }

    fn over(connection: Connection, place: String, lock: Option<File>) -> Result<Self, OpenError> {
        let broken = |error| OpenError::sqlite(&place, &error);
        let form: i64 = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(broken)?;
        if form > FORM {
            return Err(OpenError::newer(&place, form));
        }
        connection
            .execute_batch(TABLES)
            .and_then(|()| connection.pragma_update(None, "user_version", FORM))
            .map_err(broken)?;
        Ok(Self {
            connection,
            place,
            _lock: lock,
        })
    }

    /// Applies every record to a registry, in order.
    ///
    /// # Errors
    /// The file cannot be read, or a record is damaged.
    pub(super) fn replay(&self, server: &mut Server) -> Result<(), OpenError> {
        let broken = |error| OpenError::sqlite(&self.place, &error);
        let mut query = self
            .connection
            .prepare("SELECT number, text FROM records ORDER BY number")
            .map_err(broken)?;
        let mut rows = query.query([]).map_err(broken)?;
        while let Some(row) = rows.next().map_err(broken)? {
            let number: i64 = row.get(0).map_err(broken)?;
            let text: String = row.get(1).map_err(broken)?;
            let record = Record::from_text(&text);
            let record = record
                .map_err(|error| OpenError::record(&self.place, number, &error.to_string()))?;
            server.apply(&record);
        }
        Ok(())
    }

    /// Keeps records: all of them, on the disk, or none.
    ///
    /// # Errors
    /// The disk is full or fails.
    pub(super) fn append(&mut self, records: &[Record]) -> Result<(), OpenError> {
        let broken = |error| OpenError::sqlite(&self.place, &error);
        let transaction = self.connection.transaction().map_err(broken)?;
        {
            let mut insert = transaction
                .prepare("INSERT INTO records (text) VALUES (?1)")
                .map_err(broken)?;
            for record in records {
                insert.execute(params![record.to_text()]).map_err(broken)?;
            }
        }
        transaction.commit().map_err(broken)
    }
}

/// Takes the folder's lock. The system gives it back when the process ends, however it ends.
fn own(folder: &Path) -> Result<File, OpenError> {
    let path = folder.join(LOCK);
    let lock = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(|error| OpenError::file(&path, &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::owned(folder)),
        Err(TryLockError::Error(error)) => Err(OpenError::file(&path, &error)),
    }
}

/// The file beside the topics of an embedded log.
const FILE: &str = "registry.db";

/// The lock beside it; the log has its own.
const LOCK: &str = "registry.lock";

/// The form of the tables that this program writes.
const FORM: i64 = 1;

const TABLES: &str =
    "CREATE TABLE IF NOT EXISTS records (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT";

/// To what length the write-ahead log is cut back, in bytes.
const WAL_BYTES: i64 = 4 << 20;

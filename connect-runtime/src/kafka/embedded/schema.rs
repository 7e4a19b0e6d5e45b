//! The folder of a log and the tables in its file.
//!
//! | file | holds |
//! | --- | --- |
//! | `owner.lock` | the lock of the one process that may use the folder |
//! | `log.db`, `log.db-wal`, `log.db-shm` | everything else (SQLite, write-ahead log) |

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, params};

use super::error;
use crate::kafka::error::{Class, Error, Result};
use crate::time::Span;

/// Format of the tables below; stored in SQLite's `user_version`.
const FORMAT_VERSION: i64 = 1;
/// Marks the file as ours (`application_id`): the bytes of `FcLg`.
const APPLICATION_ID: i64 = 0x4663_4c67;
/// Blobs are hundreds of kilobytes, so few large pages beat many small ones.
const PAGE_BYTES: i64 = 16 << 10;
/// Page cache of a connection, in KiB: records are read once, in order.
const CACHE_KIB: i64 = 1_024;
/// The write-ahead log is copied into the file whenever it has grown by this much.
const CHECKPOINT_BYTES: i64 = 8 << 20;

/// How long a connection waits for another program's lock on the file (a backup, a look inside).
const BUSY_TIMEOUT: Span = Span::secs(5);

const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE topic (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, partitions INTEGER NOT NULL);
CREATE TABLE topic_config (topic INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (topic, name)) WITHOUT ROWID;
CREATE TABLE batch (topic INTEGER NOT NULL, partition INTEGER NOT NULL, base_offset INTEGER NOT NULL,
  count INTEGER NOT NULL, max_timestamp INTEGER NOT NULL, blob BLOB NOT NULL,
  PRIMARY KEY (topic, partition, base_offset));
CREATE TABLE log_start (topic INTEGER NOT NULL, partition INTEGER NOT NULL, offset INTEGER NOT NULL,
  PRIMARY KEY (topic, partition)) WITHOUT ROWID;
CREATE TABLE transactional_id (id TEXT PRIMARY KEY, epoch INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE group_offset (group_id TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL,
  offset INTEGER NOT NULL, metadata TEXT NOT NULL,
  PRIMARY KEY (group_id, topic, partition)) WITHOUT ROWID;
";

/// A folder that this process owns as long as the value lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder if needed and takes its lock.
    ///
    /// # Errors
    /// `Fatal` if it is no folder, cannot be written, or another process owns it.
    pub(super) fn own(path: &Path) -> Result<Self> {
        const OPERATION: &str = "open the embedded log";
        fs::create_dir_all(path).map_err(|cause| error::file(OPERATION, path, &cause))?;
        let lock_path = path.join("owner.lock");
        let lock = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&lock_path)
            .map_err(|cause| error::file(OPERATION, &lock_path, &cause))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => {
                let cause = format!(
                    "another process uses the embedded log in {}",
                    path.display()
                );
                Err(Error::new(Class::Fatal, OPERATION, cause)
                    .next_step("stop the other process, or give each its own folder"))
            }
            Err(TryLockError::Error(cause)) => Err(error::file(OPERATION, &lock_path, &cause)),
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file for writing, and makes its tables if it is new.
    ///
    /// # Errors
    /// `Fatal` for a foreign or damaged file, or one of a newer version.
    pub(super) fn open(&self, bytes_max: Option<u64>) -> Result<Connection> {
        const OPERATION: &str = "open the embedded log";
        let broken = |cause| error::sqlite(OPERATION, &self.path, &cause);
        let connection = Connection::open(file_of(&self.path)).map_err(broken)?;
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(broken)?;
        if tables == 0 {
            connection
                .pragma_update(None, "page_size", PAGE_BYTES)
                .map_err(broken)?;
        } else {
            self.check_format(&connection)?;
        }
        connection
            .pragma_update(None, "journal_mode", "wal")
            .map_err(broken)?;
        tune(&connection).map_err(broken)?;
        connection
            .pragma_update(None, "wal_autocheckpoint", CHECKPOINT_BYTES / PAGE_BYTES)
            .and_then(|()| connection.pragma_update(None, "journal_size_limit", CHECKPOINT_BYTES))
            .map_err(broken)?;
        if tables == 0 {
            create(&connection).map_err(broken)?;
        }
        if let Some(bytes) = bytes_max {
            let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / PAGE_BYTES;
            connection
                .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
                .map_err(broken)?;
        }
        Ok(connection)
    }

    fn check_format(&self, connection: &Connection) -> Result<()> {
        const OPERATION: &str = "open the embedded log";
        let broken = |cause| error::sqlite(OPERATION, &self.path, &cause);
        let number =
            |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        let application = number("application_id").map_err(broken)?;
        let version = number("user_version").map_err(broken)?;
        let place = self.path.display();
        if application != APPLICATION_ID {
            let cause = format!("{place}/log.db is a database of another program");
            return Err(Error::new(Class::Fatal, OPERATION, cause).next_step("name another folder"));
        }
        if version != FORMAT_VERSION {
            let cause = format!(
                "the log in {place} has format {version}, this program knows {FORMAT_VERSION}"
            );
            return Err(Error::new(Class::Fatal, OPERATION, cause).next_step(
                "use the version of the program that wrote it, or name another folder",
            ));
        }
        Ok(())
    }
}

/// Opens the file of the log in `folder` for reading.
///
/// # Errors
/// `Fatal` if that fails.
pub(super) fn open_reader(folder: &Path) -> Result<Connection> {
    let broken = |cause| error::sqlite("open the embedded log to read", folder, &cause);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file_of(folder), flags).map_err(broken)?;
    tune(&connection)
        .and_then(|()| connection.pragma_update(None, "query_only", true))
        .map_err(broken)?;
    Ok(connection)
}

/// The file of the log in `folder`.
pub(super) fn file_of(folder: &Path) -> PathBuf {
    folder.join("log.db")
}

fn tune(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT.to_duration())?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "temp_store", "memory")
}

fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", FORMAT_VERSION)?;
    connection.execute(
        "INSERT INTO meta VALUES ('cluster_id', 'embedded-' || lower(hex(randomblob(8))))",
        params![],
    )?;
    connection.execute_batch("COMMIT")
}

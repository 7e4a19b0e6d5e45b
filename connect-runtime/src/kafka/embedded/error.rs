//! SQLite's and the file system's troubles in the words of the ports.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::kafka::error::{Class, Error};

/// The error of `operation` on the log in `folder` that SQLite reports as `error`.
#[cold]
pub(super) fn sqlite(operation: &'static str, folder: &Path, error: &rusqlite::Error) -> Error {
    let code = error.sqlite_error_code();
    let place = folder.display();
    let (what, step) = match code {
        Some(ErrorCode::DiskFull) => (
            "the disk or the size limit of the log is full",
            "free space on the disk, or delete records, and restart",
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => (
            "its files cannot be written",
            "check owner and permissions of the folder",
        ),
        Some(ErrorCode::SystemIoFailure) => (
            "the file system failed",
            "check the disk and its free space, and restart",
        ),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => (
            "the file is damaged or is no log",
            "restore the folder from a copy, or name another",
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            "another program has the file open",
            "close the other program",
        ),
        _ => ("the store failed", "report this with the text before it"),
    };
    Error::new(
        Class::Fatal,
        operation,
        format!("embedded log in {place}: {what} ({error})"),
    )
    .next_step(step)
}

/// The error of `operation` on `path` that the system reports as `error`.
#[cold]
pub(super) fn file(operation: &'static str, path: &Path, error: &std::io::Error) -> Error {
    let cause = format!("embedded log: {}: {error}", path.display());
    Error::new(Class::Fatal, operation, cause)
        .next_step("name a folder that exists or can be made, and that this user may write")
}

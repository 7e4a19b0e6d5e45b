//! Why a registry cannot be opened, and what to do about it.

use std::fmt;
use std::path::Path;

use rusqlite::ErrorCode;

/// Why a registry cannot be opened. The text names the folder and a next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError {
    message: String,
}

impl OpenError {
    fn new(message: String) -> Self {
        Self { message }
    }

    #[cold]
    pub(super) fn owned(folder: &Path) -> Self {
        Self::new(format!(
            "another process uses the registry in {}; stop it, or name another folder",
            folder.display()
        ))
    }

    #[cold]
    pub(super) fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!(
            "registry: {}: {error}; name a folder that exists or can be made, and that this user may write",
            path.display()
        ))
    }

    #[cold]
    pub(super) fn thread(error: &std::io::Error) -> Self {
        Self::new(format!("registry: no thread can be started: {error}"))
    }

    #[cold]
    pub(super) fn newer(place: &str, version: i64) -> Self {
        Self::new(format!(
            "the registry in {place} was written by a newer program (form {version}); use that one, or name another folder"
        ))
    }

    #[cold]
    pub(super) fn record(place: &str, number: i64, problem: &str) -> Self {
        Self::new(format!(
            "the registry in {place} is damaged: record {number} is {problem}; restore the folder from a copy, or name another"
        ))
    }

    #[cold]
    pub(super) fn sqlite(place: &str, error: &rusqlite::Error) -> Self {
        let step = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "free space on the disk",
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                "check owner and permissions of the folder"
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                "the file is damaged or is no registry: restore the folder from a copy, or name another"
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "another program has the file open: close it"
            }
            _ => "check the disk and its free space",
        };
        Self::new(format!("the registry in {place}: {error}; {step}"))
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for OpenError {}

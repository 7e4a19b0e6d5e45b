use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tracing::{info, warn};

use super::backing::{OffsetBacking, RawEntry};
use super::java_map;
use super::record::parse;
use super::state::OffsetState;
use crate::error::{Error, Fault};
use crate::time::Span;

/// Source offsets in the file of Kafka's standalone worker. It is replaced as a whole: a start finds the old one or the new one.
#[derive(Debug)]
pub(super) struct FileBacking {
    path: Arc<OffsetPath>,
    /// Everything the file holds, also what is not understood: entries of other programs are not ours to drop.
    entries: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    /// Keeps other workers away while it is open.
    _lock: File,
}

/// The file and its neighbours.
#[derive(Debug)]
struct OffsetPath {
    file: PathBuf,
    /// What is being written; renamed when it is complete.
    next: PathBuf,
    folder: PathBuf,
}

impl FileBacking {
    /// Reads the file; a missing or empty one is an empty store.
    pub(super) async fn open(path: &Path) -> Result<(Self, OffsetState), Error> {
        let given = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || open(&given)).await;
        opened.map_err(|_| Error::bug("opening the offset file was lost"))?
    }
}

#[async_trait]
impl OffsetBacking for FileBacking {
    async fn write(&mut self, entries: &[RawEntry], _within: Span) -> Result<(), Error> {
        let mut next = self.entries.clone();
        next.extend(entries.iter().cloned());
        let path = Arc::clone(&self.path);
        // Not cut short by a time limit: a write that goes on behind our back could overtake the next one.
        let written = tokio::task::spawn_blocking(move || {
            let bytes = serialise(&next)?;
            replace(&path, &bytes).map_err(|error| not_written(&path.file, &error))?;
            Ok::<_, Error>(next)
        })
        .await;
        self.entries = written.map_err(|_| Error::bug("writing the offset file was lost"))??;
        Ok(())
    }

    async fn close(self: Box<Self>) {}
}

fn open(given: &Path) -> Result<(FileBacking, OffsetState), Error> {
    // A link is followed now, so that the file behind it is replaced and not the link.
    let file = fs::canonicalize(given).unwrap_or_else(|_| given.to_owned());
    let path = neighbours(file)?;
    let lock = lock(&path)?;
    let bytes = match fs::read(&path.file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(not_usable(&path.file, "cannot be read", &error)),
    };
    let entries = java_map::read(&bytes).map_err(|error| {
        Error::new(
            Fault::Config,
            format!("the offset file {} is damaged or something else", path.file.display()),
        )
        .caused_by(error)
        .next_step(
            "nothing was changed in it; restore a copy, or move it away to let every source start from its beginning",
        )
    })?;
    let mut state = OffsetState::default();
    for (key, value) in &entries {
        match parse(key, value.as_deref()) {
            Ok(entry) => state.apply(entry),
            Err(error) => warn!(
                "an entry of the offset file {} is kept and not used: {error}",
                path.file.display()
            ),
        }
    }
    if !bytes.is_empty() {
        info!(
            "{} source offsets read from {}",
            entries.len(),
            path.file.display()
        );
    }
    let backing = FileBacking {
        path: Arc::new(path),
        entries: entries.into_iter().collect(),
        _lock: lock,
    };
    Ok((backing, state))
}

fn neighbours(file: PathBuf) -> Result<OffsetPath, Error> {
    let Some(name) = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
    else {
        return Err(Error::new(
            Fault::Config,
            format!(
                "offset.storage.file.filename: {} names no file",
                file.display()
            ),
        ));
    };
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    Ok(OffsetPath {
        next: folder.join(format!(".{name}.next")),
        folder,
        file,
    })
}

/// One worker at a time: two would overwrite each other's offsets. Also finds out early whether the folder can be written.
fn lock(path: &OffsetPath) -> Result<File, Error> {
    let name = path.next.with_extension("lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&name)
        .map_err(|error| not_usable(&path.file, "cannot be kept in its folder", &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::new(
            Fault::Config,
            format!(
                "the offset file {} is used by another worker",
                path.file.display()
            ),
        )
        .next_step("stop that one, or give each worker its own offset.storage.file.filename")),
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(error)) => Err(not_usable(&path.file, "cannot be locked", &error)),
    }
}

fn serialise(entries: &BTreeMap<Vec<u8>, Option<Vec<u8>>>) -> Result<Vec<u8>, Error> {
    let entries = entries
        .iter()
        .map(|(key, value)| (key.as_slice(), value.as_deref()));
    java_map::write(entries).map_err(|error| Error::new(Fault::Config, error.to_string()))
}

/// Writes beside the file, makes that durable, and moves it into place. A kill at any point leaves the old file or the new one.
fn replace(path: &OffsetPath, bytes: &[u8]) -> io::Result<()> {
    let written = write_next(path, bytes).and_then(|()| fs::rename(&path.next, &path.file));
    if written.is_err() {
        // What is half there has no use; if it cannot go, the next write takes its place.
        let _ = fs::remove_file(&path.next);
        return written;
    }
    // The name is durable when its folder is.
    #[cfg(unix)]
    File::open(&path.folder)?.sync_all()?;
    Ok(())
}

fn write_next(path: &OffsetPath, bytes: &[u8]) -> io::Result<()> {
    let mut next = File::create(&path.next)?;
    if let Ok(before) = fs::metadata(&path.file) {
        next.set_permissions(before.permissions())?;
    }
    next.write_all(bytes)?;
    next.sync_all()
}

fn not_written(file: &Path, error: &io::Error) -> Error {
    Error::new(
        Fault::Transient,
        format!(
            "the offset file {} cannot be written: {error}",
            file.display()
        ),
    )
    .next_step("it is tried again with the next commit; until then a restart repeats records")
}

fn not_usable(file: &Path, what: &str, error: &io::Error) -> Error {
    Error::new(
        Fault::Config,
        format!("the offset file {} {what}: {error}", file.display()),
    )
    .next_step("check the path of offset.storage.file.filename and who may read and write it")
}

#[cfg(test)]
mod tests;

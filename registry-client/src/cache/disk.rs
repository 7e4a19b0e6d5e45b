//! The folder in which answers survive a restart: one file per question.
//!
//! A file is written beside its place and renamed, so it is whole or not there, and several workers may share a folder. It begins with
//! a digest of the rest, and holds the question, so a damaged or foreign file is noticed; it is left alone and said once. Nothing here
//! is ever believed while the registry answers: a folder only speaks when the registry does not.

mod text;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use md5::{Digest as _, Md5};

use crate::{Answer, Question};

/// Files of one registry in a folder at most.
const FILES_MAX: u64 = 100_000;

/// Bytes of a file at most; an answer that is longer is not kept.
const FILE_BYTES_MAX: usize = 16 << 20;

/// The folder of one registry.
#[derive(Clone, Debug)]
pub(super) struct Folder(Arc<Place>);

#[derive(Debug)]
struct Place {
    path: PathBuf,
    scope: String,
    files: AtomicU64,
    number: AtomicU64,
    is_damage_said: AtomicBool,
    is_trouble_said: AtomicBool,
}

impl Folder {
    /// The folder of the registry `scope` below `parent`; it is made if it is not there. Nothing when it cannot be, which is warned about:
    /// a worker runs without it.
    pub(super) fn open(parent: &Path, scope: &str) -> Option<Self> {
        let path = parent.join(hex(&Md5::digest(scope)));
        let opened = fs::create_dir_all(&path).and_then(|()| count_files(&path));
        match opened {
            Ok(files) => Some(Self(Arc::new(Place {
                path,
                scope: scope.to_owned(),
                files: AtomicU64::new(files),
                number: AtomicU64::new(0),
                is_damage_said: AtomicBool::new(false),
                is_trouble_said: AtomicBool::new(false),
            }))),
            Err(error) => {
                tracing::warn!(
                    "schema.registry.cache.dir {}: {}; schemas do not survive a restart, make the folder writable",
                    parent.display(),
                    error.kind()
                );
                None
            }
        }
    }

    /// The answer that was kept for a question.
    pub(super) async fn read(&self, question: &Question) -> Option<Answer> {
        let (place, question) = (Arc::clone(&self.0), question.clone());
        tokio::task::spawn_blocking(move || place.read(&question))
            .await
            .ok()?
    }

    /// Keeps an answer. Trouble is said once and changes nothing else.
    pub(super) async fn keep(&self, question: &Question, answer: &Answer) {
        let place = Arc::clone(&self.0);
        let (question, answer) = (question.clone(), answer.clone());
        // A write that is lost with its runtime is one that a crash would have lost.
        let _lost = tokio::task::spawn_blocking(move || place.keep(&question, &answer)).await;
    }
}

impl Place {
    fn read(&self, question: &Question) -> Option<Answer> {
        let asked = text::question(question).to_string();
        let path = self.path.join(file_name(&asked));
        let bytes = match read_file(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.say_damage(&path, &error.kind().to_string());
                return None;
            }
        };
        match self.parse(&bytes, &asked) {
            Ok(answer) => Some(answer),
            Err(why) => {
                self.say_damage(&path, why);
                None
            }
        }
    }

    fn parse(&self, bytes: &[u8], asked: &str) -> Result<Answer, &'static str> {
        let (digest, rest) = bytes
            .split_at_checked(DIGEST_BYTES)
            .ok_or("it is too short")?;
        let rest = rest
            .strip_prefix(b"\n")
            .ok_or("it is no file of this program")?;
        if digest != hex(&Md5::digest(rest)).as_bytes() {
            return Err("it is damaged");
        }
        let kept: text::Kept =
            serde_json::from_slice(rest).map_err(|_| "it is of another version of this program")?;
        if kept.format != text::FORMAT {
            return Err("it is of another version of this program");
        }
        if kept.scope != self.scope || kept.question != asked {
            return Err("it belongs to another question");
        }
        text::answer_of(&kept).ok_or("it has no answer")
    }

    fn keep(&self, question: &Question, answer: &Answer) {
        let asked = text::question(question).to_string();
        let path = self.path.join(file_name(&asked));
        let kept = text::Kept::new(&self.scope, asked, answer);
        let Ok(body) = serde_json::to_vec(&kept) else {
            return;
        };
        if body.len() > FILE_BYTES_MAX {
            return;
        }
        let mut bytes = hex(&Md5::digest(&body)).into_bytes();
        bytes.push(b'\n');
        bytes.extend_from_slice(&body);
        match read_file(&path) {
            Ok(before) if before == bytes => return,
            Ok(_) => {}
            Err(_) if self.files.fetch_add(1, Ordering::Relaxed) >= FILES_MAX => {
                self.say_trouble("it is full; remove it, what is still needed comes back");
                return;
            }
            Err(_) => {}
        }
        if let Err(error) = self.write(&path, &bytes) {
            self.say_trouble(&error.kind().to_string());
        }
    }

    /// Beside its place first, under a name that no other process or task has.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_extension(format!("{}-{number}.{TEMPORARY}", std::process::id()));
        let written = fs::File::create(&beside)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&beside, path));
        if written.is_err() {
            // What is left over is not a file of ours by its name.
            let _gone = fs::remove_file(&beside);
        }
        written
    }

    fn say_damage(&self, path: &Path, why: &str) {
        if !self.is_damage_said.swap(true, Ordering::Relaxed) {
            tracing::warn!("the kept answer {} is not used: {why}", path.display());
        }
    }

    fn say_trouble(&self, why: &str) {
        if !self.is_trouble_said.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "schema.registry.cache.dir {}: {why}; new schemas do not survive a restart",
                self.path.display()
            );
        }
    }
}

const DIGEST_BYTES: usize = 32;
const SUFFIX: &str = "json";
const TEMPORARY: &str = "tmp";

fn file_name(asked: &str) -> String {
    format!("{}.{SUFFIX}", hex(&Md5::digest(asked)))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ok = write!(text, "{byte:02x}");
    }
    text
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = (FILE_BYTES_MAX + 2 * DIGEST_BYTES) as u64;
    fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Counts what is kept, and clears away what a kill left half written long ago.
fn count_files(path: &Path) -> io::Result<u64> {
    let mut files = 0;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let path = entry.path();
        let extension = path.extension().and_then(OsStr::to_str);
        if extension == Some(SUFFIX) {
            files += 1;
        } else if extension == Some(TEMPORARY) && is_old(&entry) {
            // Another worker may clear it away at the same time.
            let _gone = fs::remove_file(&path);
        }
    }
    Ok(files)
}

/// A file that somebody writes to just now is younger.
fn is_old(entry: &fs::DirEntry) -> bool {
    let age = entry.metadata().and_then(|metadata| {
        let written = metadata.modified()?;
        written.elapsed().map_err(io::Error::other)
    });
    age.is_ok_and(|age| age.as_secs() > 3_600)
}

#[cfg(test)]
mod tests;

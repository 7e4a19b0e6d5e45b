use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ferroconnect_converters::config::{ConfigDef, Importance, Key, Kind, RawConfig};
use tracing::warn;

use super::{io_error, text};
use crate::api::{SinkConnector, SinkContext, SinkRecord, SinkTask};
use crate::error::{Error, Place};
use crate::kafka::Offsets;

/// `org.apache.kafka.connect.file.FileStreamSinkConnector`.
#[derive(Debug)]
pub(super) struct FileStreamSink;

const FILE: &str = "file";

impl SinkConnector for FileStreamSink {
    fn config_def(&self) -> ConfigDef {
        let doc = "File to append lines to; standard output when not set.";
        ConfigDef::new().define(Key::new(FILE, Kind::String, Importance::High, doc).optional())
    }

    /// Mends the file before any task writes to it.
    fn start(&mut self, config: &RawConfig) -> Result<(), Error> {
        file_of(config).map_or(Ok(()), |path| {
            set_half_line_aside(&path).map_err(|error| io_error("write", &path, &error))
        })
    }

    fn task(&self) -> Box<dyn SinkTask> {
        Box::new(FileStreamSinkTask::default())
    }

    fn alter_offsets(&self, _config: &RawConfig, _offsets: &Offsets) -> Result<bool, Error> {
        Ok(true)
    }
}

fn file_of(config: &RawConfig) -> Option<PathBuf> {
    config
        .get(FILE)
        .map(|path| path.trim())
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// A kill in the middle of a write leaves half a line; its record comes again, and would be glued to it. The half line is moved to
/// `FILE.partial`, so that nothing is lost even if somebody else wrote it.
fn set_half_line_aside(path: &Path) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    let (mut end, mut tail) = (file.metadata()?.len(), Vec::new());
    let length = end;
    while end > 0 {
        let start = end.saturating_sub(TAIL_BYTES);
        let mut block = vec![0; usize::try_from(end - start).unwrap_or(0)];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block)?;
        let kept = block
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        tail.splice(0..0, block.drain(kept..));
        end = start;
        if kept > 0 {
            break;
        }
    }
    if tail.is_empty() {
        return Ok(());
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(".partial");
    let mut partial = OpenOptions::new().append(true).create(true).open(&aside)?;
    partial.write_all(&tail)?;
    partial.write_all(b"\n")?;
    partial.sync_data()?;
    let whole = length - u64::try_from(tail.len()).unwrap_or(0);
    warn!(file = %path.display(), bytes = tail.len(), moved_to = %Path::new(&aside).display(), "the file ended in half a line, which was moved away");
    file.set_len(whole)
}

/// Appends lines to one file, or to standard output.
#[derive(Debug, Default)]
pub(super) struct FileStreamSinkTask {
    path: PathBuf,
    out: Option<Out>,
    /// Whole lines that are not written yet.
    lines: Vec<u8>,
    is_dirty: bool,
}

#[derive(Debug)]
enum Out {
    File(File),
    Stdout,
}

impl SinkTask for FileStreamSinkTask {
    fn start(&mut self, context: &SinkContext) -> Result<(), Error> {
        match file_of(context.config()) {
            None => self.out = Some(Out::Stdout),
            Some(path) => {
                let file = OpenOptions::new().append(true).create(true).open(&path);
                self.out = Some(Out::File(
                    file.map_err(|error| io_error("write", &path, &error))?,
                ));
                self.path = path;
            }
        }
        Ok(())
    }

    fn put(&mut self, _context: &SinkContext, records: &[SinkRecord]) -> Result<(), Error> {
        for record in records {
            text::append(&mut self.lines, &record.value).map_err(|error| {
                error.at(Place::Record {
                    partition: record.partition.clone(),
                    offset: record.offset,
                })
            })?;
            self.lines.push(b'\n');
            if self.lines.len() >= WRITE_BYTES {
                self.write()?;
            }
        }
        self.write()
    }

    /// Lines are on the disk, not only with the operating system, before their offsets are committed.
    fn flush(&mut self, _offsets: &Offsets) -> Result<(), Error> {
        self.write()?;
        if let Some(Out::File(file)) = &self.out
            && std::mem::take(&mut self.is_dirty)
        {
            file.sync_data()
                .map_err(|error| io_error("write", &self.path, &error))?;
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.out = None;
    }
}

impl FileStreamSinkTask {
    fn write(&mut self) -> Result<(), Error> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let written = match &mut self.out {
            None => return Err(Error::bug("put before start")),
            Some(Out::File(file)) => file.write_all(&self.lines),
            Some(Out::Stdout) => {
                let mut stdout = std::io::stdout().lock();
                stdout.write_all(&self.lines).and_then(|()| stdout.flush())
            }
        };
        self.lines.clear();
        // A record may be far larger than a write.
        self.lines.shrink_to(2 * WRITE_BYTES);
        self.is_dirty = true;
        let name = if self.path.as_os_str().is_empty() {
            Path::new("standard output")
        } else {
            &self.path
        };
        written.map_err(|error| io_error("write", name, &error))
    }
}

/// Bytes per write, about: only whole lines are written.
const WRITE_BYTES: usize = 256 << 10;
/// Bytes looked at per step while searching the last line end.
const TAIL_BYTES: u64 = 64 << 10;

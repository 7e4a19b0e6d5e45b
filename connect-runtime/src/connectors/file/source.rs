use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Validator,
};
use ferroconnect_converters::data::{Headers, Schema, SchemaAndValue};
use tracing::{info, warn};

use super::io_error;
use super::lines::{LINE_BYTES_MAX, Lines};
use super::stdin::Stdin;
use crate::api::{
    ExactlyOnceSupport, OffsetValue, SourceConnector, SourceContext, SourceOffset, SourcePartition,
    SourceRecord, SourceTask,
};
use crate::error::{Error, Fault};

/// `org.apache.kafka.connect.file.FileStreamSourceConnector`.
#[derive(Debug)]
pub(super) struct FileStreamSource;

const FILE: &str = "file";
const TOPIC: &str = "topic";
const BATCH_SIZE: &str = "batch.size";
const FILENAME: &str = "filename";
const POSITION: &str = "position";

impl SourceConnector for FileStreamSource {
    fn config_def(&self) -> ConfigDef {
        use Importance::{High, Low};
        ConfigDef::new()
            .define(
                Key::new(
                    FILE,
                    Kind::String,
                    High,
                    "File to read; standard input when not set.",
                )
                .optional(),
            )
            .define(
                Key::new(TOPIC, Kind::String, High, "Topic to write lines to.")
                    .check(Validator::NonEmpty),
            )
            .define(
                Key::new(BATCH_SIZE, Kind::Int, Low, "Lines per batch, at most.").default("2000"),
            )
    }

    fn validate(&self, config: &RawConfig) -> Problems {
        let mut problems = Problems::new();
        if let Some(size) = config
            .get(BATCH_SIZE)
            .filter(|size| size.trim().parse::<i32>().is_ok_and(|size| size < 1))
        {
            problems.push(Problem::invalid(
                BATCH_SIZE,
                size,
                "Value must be at least 1",
            ));
        }
        if let Some(path) = file_of(config) {
            // A file that does not exist yet is waited for; one that can never be read is a mistake. A pipe is not tried: opening it
            // waits for its other end.
            let found = std::fs::metadata(&path).and_then(|metadata| {
                if metadata.is_dir() {
                    return Err(ErrorKind::IsADirectory.into());
                }
                if metadata.is_file() {
                    File::open(&path).map(drop)
                } else {
                    Ok(())
                }
            });
            if let Err(error) = found
                && error.kind() != ErrorKind::NotFound
            {
                problems.push(Problem::said(
                    FILE,
                    io_error("read", &path, &error).to_string(),
                ));
            }
        }
        problems
    }

    /// Always one: a file has one reading position.
    fn task_configs(&self, config: &RawConfig, _max: u32) -> Result<Vec<RawConfig>, Error> {
        Ok(vec![config.clone()])
    }

    fn task(&self) -> Box<dyn SourceTask> {
        Box::new(FileStreamSourceTask::default())
    }

    fn exactly_once_support(&self, config: &RawConfig) -> ExactlyOnceSupport {
        if file_of(config).is_some() {
            ExactlyOnceSupport::Supported
        } else {
            ExactlyOnceSupport::Unsupported
        }
    }

    fn alter_offsets(
        &self,
        config: &RawConfig,
        offsets: &[(SourcePartition, SourceOffset)],
    ) -> Result<bool, Error> {
        let refused = |text: &'static str| Error::new(Fault::Config, text);
        if file_of(config).is_none() {
            return Err(refused(
                "Offsets cannot be modified if the 'file' configuration is unspecified. This is because stdin is used for input and offsets are not tracked.",
            ));
        }
        for (partition, offset) in offsets {
            if offset.is_null() {
                continue;
            }
            if partition.text(FILENAME).is_none() {
                return Err(refused(
                    "Partition objects should contain the key 'filename'",
                ));
            }
            match offset.get(POSITION) {
                None => {
                    return Err(refused(
                        "Offset objects should either be null or contain the key 'position'",
                    ));
                }
                Some(OffsetValue::Integer(position)) if *position >= 0 => {}
                Some(OffsetValue::Integer(_)) => {
                    return Err(refused(
                        "The value for the 'position' key in the offset should be a non-negative value",
                    ));
                }
                Some(_) => {
                    return Err(refused(
                        "The value for the 'position' key in the offset is expected to be a Long value",
                    ));
                }
            }
        }
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

/// Reads one file, or standard input.
#[derive(Debug, Default)]
pub(super) struct FileStreamSourceTask {
    settings: Option<Settings>,
    input: Option<Input>,
    said_missing: bool,
    /// Where to begin in the file, until it could be opened.
    begin: u64,
}

#[derive(Debug)]
struct Settings {
    path: Option<PathBuf>,
    topic: Arc<str>,
    batch_size: usize,
    partition: SourcePartition,
    schema: Schema,
}

#[derive(Debug)]
struct Input {
    from: From,
    lines: Lines,
}

#[derive(Debug)]
enum From {
    File(File),
    Stdin(Stdin),
}

impl SourceTask for FileStreamSourceTask {
    fn start(&mut self, context: &SourceContext) -> Result<(), Error> {
        let parsed = FileStreamSource.config_def().parse(context.config())?;
        let path = file_of(context.config());
        let name = path.as_deref().map_or(OffsetValue::Null, |path| {
            OffsetValue::Text(path.to_string_lossy().into())
        });
        let settings = Settings {
            topic: parsed.get::<String>(TOPIC)?.into(),
            batch_size: usize::try_from(parsed.get::<i32>(BATCH_SIZE)?)
                .unwrap_or(1)
                .max(1),
            partition: SourcePartition::of(FILENAME, name),
            schema: Schema::string(),
            path,
        };
        if settings.path.is_some() {
            let stored = context.offset(&settings.partition)?;
            self.begin = match stored.as_ref().and_then(|offset| offset.get(POSITION)) {
                None | Some(OffsetValue::Null) => 0,
                Some(OffsetValue::Integer(position)) if *position >= 0 => position.unsigned_abs(),
                Some(_) => {
                    return Err(Error::new(
                        Fault::Data,
                        "the stored offset of the file is not a position",
                    )
                    .next_step("reset the offsets of the connector"));
                }
            };
        }
        self.settings = Some(settings);
        Ok(())
    }

    fn poll(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
        let Some(settings) = &self.settings else {
            return Err(Error::bug("poll before start"));
        };
        if self.input.is_none() {
            self.input = open(settings, self.begin, &mut self.said_missing)?;
        }
        let Some(input) = &mut self.input else {
            context.wait(WAIT);
            return Ok(Vec::new());
        };
        let records = input.read_batch(settings, context)?;
        if records.is_empty() && !context.is_stopping() {
            return self.look_again(context);
        }
        Ok(records)
    }

    fn stop(&mut self) {
        self.input = None;
    }
}

impl FileStreamSourceTask {
    /// Nothing was read: was the file rotated or cut short? If not, wait for more. What the old file still had is given out before the
    /// new one is opened, and its last line counts even without an end: nobody will write it.
    fn look_again(&mut self, context: &SourceContext) -> Result<Vec<SourceRecord>, Error> {
        let (Some(settings), Some(input)) = (&self.settings, &mut self.input) else {
            return Ok(Vec::new());
        };
        let (Some(path), From::File(file)) = (settings.path.as_deref(), &input.from) else {
            return Ok(Vec::new());
        };
        let held_back = input.lines.held_back();
        let read = input.lines.position() + u64::try_from(held_back).unwrap_or(u64::MAX);
        match change(path, file, read)? {
            Change::None => {
                context.wait(WAIT);
                Ok(Vec::new())
            }
            Change::Rotated => {
                // Something may have been written between the last read and the rename.
                let mut records = input.read_batch(settings, context)?;
                if records.is_empty() {
                    records.extend(input.last_line(settings, context.now_ms()));
                    info!(file = %path.display(), "the file was replaced by another one; reading the new one from its start");
                    self.input = None;
                    self.begin = 0;
                }
                Ok(records)
            }
            Change::Truncated => {
                warn!(file = %path.display(), position = read, unfinished_bytes = held_back, "the file became shorter than what was read of it; reading it again from its start");
                self.input = None;
                self.begin = 0;
                Ok(Vec::new())
            }
        }
    }
}

/// Opens the input; `None` when the file does not exist yet, which is said once.
fn open(settings: &Settings, begin: u64, said_missing: &mut bool) -> Result<Option<Input>, Error> {
    let Some(path) = settings.path.as_deref() else {
        let stdin =
            Stdin::open().map_err(|error| io_error("read", Path::new("standard input"), &error))?;
        return Ok(Some(Input {
            from: From::Stdin(stdin),
            lines: Lines::at(0),
        }));
    };
    let failed = |error: &std::io::Error| io_error("read", path, error);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if !std::mem::replace(said_missing, true) {
                warn!(file = %path.display(), "the file does not exist; waiting for it to be created");
            }
            return Ok(None);
        }
        Err(error) => return Err(failed(&error)),
    };
    let metadata = file.metadata().map_err(|error| failed(&error))?;
    if metadata.is_dir() {
        return Err(failed(&ErrorKind::IsADirectory.into()));
    }
    *said_missing = false;
    let mut position = begin;
    if metadata.is_file() && metadata.len() < begin {
        warn!(file = %path.display(), position = begin, length = metadata.len(), "the file is shorter than what was read of it before; reading it again from its start");
        position = 0;
    }
    if metadata.is_file()
        && position > 0
        && !ends_a_line(&mut file, position).map_err(|error| failed(&error))?
    {
        warn!(file = %path.display(), position, "the file does not end a line where reading stopped, so it is another one; reading it from its start");
        position = 0;
    }
    if position > 0 {
        file.seek(SeekFrom::Start(position))
            .map_err(|error| failed(&error))?;
        info!(file = %path.display(), position, "reading goes on where it was");
    }
    Ok(Some(Input {
        from: From::File(file),
        lines: Lines::at(position),
    }))
}

/// Whether a line ends before `position`: every stored position is one. A file that was rotated while nobody read it almost never has
/// a line end at the same place.
fn ends_a_line(file: &mut File, position: u64) -> std::io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::Start(position - 1))?;
    file.read_exact(&mut last)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(matches!(last, [b'\n' | b'\r']))
}

impl Input {
    /// What is left when no end of line will come.
    fn last_line(&mut self, settings: &Settings, timestamp: i64) -> Option<SourceRecord> {
        let line = self.lines.last_line()?;
        Some(self.record(settings, line, timestamp))
    }

    /// Lines until the batch is full, by number or by memory, or the input has no more.
    fn read_batch(
        &mut self,
        settings: &Settings,
        context: &SourceContext,
    ) -> Result<Vec<SourceRecord>, Error> {
        let timestamp = context.now_ms();
        let mut records = Vec::new();
        let mut bytes = 0;
        let is_full = |records: &Vec<SourceRecord>, bytes| {
            records.len() == settings.batch_size || bytes >= BATCH_BYTES_MAX
        };
        loop {
            while !is_full(&records, bytes) {
                let Some(line) = self.lines.next_line() else {
                    break;
                };
                if records.capacity() == 0 {
                    records.reserve_exact(settings.batch_size.min(RECORDS_RESERVED_MAX));
                }
                bytes += size_of::<SourceRecord>() + line.len();
                records.push(self.record(settings, line, timestamp));
            }
            if is_full(&records, bytes) || self.read_more(settings, records.is_empty())? == 0 {
                return Ok(records);
            }
        }
    }

    fn record(
        &self,
        settings: &Settings,
        line: std::ops::Range<usize>,
        timestamp: i64,
    ) -> SourceRecord {
        // Bytes that are no UTF-8 become U+FFFD, as Java's reader makes them.
        let text: Arc<str> = match std::str::from_utf8(self.lines.bytes(line.clone())) {
            Ok(text) => text.into(),
            Err(_) => String::from_utf8_lossy(self.lines.bytes(line)).into(),
        };
        let position = match &self.from {
            From::File(_) => {
                OffsetValue::Integer(i64::try_from(self.lines.position()).unwrap_or(i64::MAX))
            }
            From::Stdin(_) => OffsetValue::Null,
        };
        SourceRecord {
            partition: settings.partition.clone(),
            offset: SourceOffset::of(POSITION, position),
            topic: Arc::clone(&settings.topic),
            kafka_partition: None,
            key: SchemaAndValue::NULL,
            value: SchemaAndValue::text(Some(settings.schema.clone()), text),
            timestamp: Some(timestamp),
            headers: Headers::new(),
        }
    }

    fn read_more(&mut self, settings: &Settings, may_wait: bool) -> Result<usize, Error> {
        let space = self.lines.space().map_err(|line| {
            Error::new(
                Fault::Data,
                format!(
                    "the line at byte {} is longer than {LINE_BYTES_MAX} bytes",
                    line.position
                ),
            )
            .next_step("this is probably not a file of lines")
        })?;
        let read = match &mut self.from {
            From::Stdin(stdin) => stdin.read(space, if may_wait { WAIT } else { Duration::ZERO }),
            From::File(file) => loop {
                match file.read(space) {
                    Ok(read) => break read,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => {
                        return Err(io_error(
                            "read",
                            settings.path.as_deref().unwrap_or(Path::new("")),
                            &error,
                        ));
                    }
                }
            },
        };
        self.lines.filled(read);
        Ok(read)
    }
}

enum Change {
    None,
    Rotated,
    Truncated,
}

/// What happened to the file at `path` since `file` was opened there and read up to `read`.
fn change(path: &Path, file: &File, read: u64) -> Result<Change, Error> {
    let failed = |error: &std::io::Error| io_error("read", path, error);
    let open = file.metadata().map_err(|error| failed(&error))?;
    let named = match std::fs::metadata(path) {
        Ok(named) => named,
        // Moved away, and no new one yet: what is still written to the old one is read.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Change::None),
        Err(error) => return Err(failed(&error)),
    };
    if !is_same(&open, &named) {
        return Ok(Change::Rotated);
    }
    Ok(if open.is_file() && open.len() < read {
        Change::Truncated
    } else {
        Change::None
    })
}

#[cfg(unix)]
fn is_same(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    a.created().ok() == b.created().ok()
}

/// Pause when there is nothing to read. The JVM waits 1 s; a shorter pause shows new lines sooner and costs two calls.
const WAIT: Duration = Duration::from_millis(250);
/// Memory of the records of one batch, at most, but for its last line. The default batch of 2,000 lines has lines of some 300 bytes then;
/// longer lines make shorter batches.
const BATCH_BYTES_MAX: usize = 1 << 20;
/// Records reserved at once, whatever the batch size.
const RECORDS_RESERVED_MAX: usize = 10_000;

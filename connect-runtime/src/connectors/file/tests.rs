use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::api::{
    OffsetReads, SinkContext, SinkRecord, SourceContext, SourceOffset, SourcePartition,
    SourceRecord, SourceTask, StopSignal,
};
use crate::config::RawConfig;
use crate::ids::{ConnectorName, TaskId, TopicPartition};
use crate::kafka::{Offsets, TimestampType};
use crate::time::{ManualClock, Mono, Wall};
use crate::{Error, Fault};

/// Answers every question with the same offset.
struct Stored(Option<i64>);

impl OffsetReads for Stored {
    fn offsets(&self, partitions: &[SourcePartition]) -> Result<Vec<Option<SourceOffset>>, Error> {
        Ok(partitions
            .iter()
            .map(|_| {
                self.0
                    .map(|position| SourceOffset::of("position", position))
            })
            .collect())
    }
}

fn raw(pairs: &[(&str, &str)]) -> RawConfig {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn task_id() -> TaskId {
    TaskId::new(ConnectorName::new("file").unwrap(), 0)
}

fn context(path: &Path, stored: Option<i64>) -> SourceContext {
    context_with(path, stored, "3")
}

fn context_with(path: &Path, stored: Option<i64>, batch_size: &str) -> SourceContext {
    let config = raw(&[
        ("file", path.to_str().unwrap()),
        ("topic", "lines"),
        ("batch.size", batch_size),
    ]);
    let stop = StopSignal::new();
    // A raised signal makes waits return at once.
    stop.raise();
    let clock = ManualClock::new(Mono::from_millis(0), Wall::from_millis(77));
    SourceContext::new(
        task_id(),
        Arc::new(config),
        Arc::new(Stored(stored)),
        stop,
        Arc::new(clock),
    )
}

/// A context of a task that shall not stop, so that it waits a moment when there is nothing to read.
fn running(path: &Path) -> SourceContext {
    SourceContext::new(
        task_id(),
        Arc::new(context(path, None).config().clone()),
        Arc::new(Stored(None)),
        StopSignal::new(),
        Arc::new(ManualClock::new(Mono::from_millis(0), Wall::from_millis(0))),
    )
}

fn started(context: &SourceContext) -> Box<dyn SourceTask> {
    let mut task = source().task();
    task.start(context).unwrap();
    task
}

fn texts(records: &[SourceRecord]) -> Vec<(String, i64)> {
    records
        .iter()
        .map(|r| {
            (
                r.value.value().as_str().unwrap().to_owned(),
                r.offset.integer("position").unwrap(),
            )
        })
        .collect()
}

/// A batch size of a million is only an upper limit: long lines and masses of short ones end a batch at about 1 MiB.
#[test]
fn a_batch_is_limited_in_bytes_whatever_its_size() {
    const MEMORY: usize = 1 << 20;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    for (length, lines) in [(400_000, 9), (0, 30_000)] {
        std::fs::write(&path, ("x".repeat(length) + "\n").repeat(lines)).unwrap();
        let context = context_with(&path, None, "1000000");
        let mut task = started(&context);
        let (mut read, mut batches) = (0, 0);
        while read < lines {
            let records = task.poll(&context).unwrap();
            let per_record = size_of::<SourceRecord>() + length;
            assert!((1..=MEMORY / per_record + 1).contains(&records.len()));
            read += records.len();
            batches += 1;
        }
        assert_eq!(read, lines);
        assert!(batches > 1);
    }
}

#[test]
fn lines_come_in_batches_with_positions_in_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    std::fs::write(&path, "one\nzwölf\r\nthree\nfour\nunfinished").unwrap();
    let context = context(&path, None);
    let mut task = started(&context);
    let first = task.poll(&context).unwrap();
    assert_eq!(
        texts(&first),
        [
            ("one".into(), 4),
            ("zwölf".into(), 12),
            ("three".into(), 18)
        ]
    );
    assert_eq!(first[0].partition.text("filename"), path.to_str());
    assert_eq!(
        (&*first[0].topic, first[0].timestamp, first[0].key.is_null()),
        ("lines", Some(77), true)
    );
    assert_eq!(texts(&task.poll(&context).unwrap()), [("four".into(), 23)]);
    assert!(
        task.poll(&context).unwrap().is_empty(),
        "the last line has no end yet"
    );
    std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(b" no more\n")
        .unwrap();
    assert_eq!(
        texts(&task.poll(&context).unwrap()),
        [("unfinished no more".into(), 42)]
    );
}

#[test]
fn reading_goes_on_at_the_stored_byte_even_behind_other_characters() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    std::fs::write(&path, "zwölf\nnext\n").unwrap();
    let context = context(&path, Some(7));
    assert_eq!(
        texts(&started(&context).poll(&context).unwrap()),
        [("next".into(), 12)]
    );
}

#[test]
fn a_file_shorter_than_the_stored_position_is_read_from_its_start() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    std::fs::write(&path, "new\n").unwrap();
    let context = context(&path, Some(1_000));
    assert_eq!(
        texts(&started(&context).poll(&context).unwrap()),
        [("new".into(), 4)]
    );
}

#[test]
fn rotation_and_truncation_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    std::fs::write(&path, "first\nsecond\n").unwrap();
    let mut task = source().task();
    let running = running(&path);
    task.start(&running).unwrap();
    assert_eq!(task.poll(&running).unwrap().len(), 2);
    std::fs::rename(&path, dir.path().join("in.txt.1")).unwrap();
    std::fs::write(&path, "rotated\n").unwrap();
    let next = |task: &mut Box<dyn SourceTask>| {
        (0..9)
            .find_map(|_| task.poll(&running).ok().filter(|r| !r.is_empty()))
            .unwrap()
    };
    assert_eq!(texts(&next(&mut task)), [("rotated".into(), 8)]);
    std::fs::write(&path, "cut\n").unwrap();
    assert_eq!(texts(&next(&mut task)), [("cut".into(), 4)]);
}

/// A log is rotated by a rename; what is written to the old file until its writer notices must not be lost, the half line at its end
/// included.
#[test]
fn what_is_written_to_the_old_file_after_its_rename_is_read_before_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    std::fs::write(&path, "first\n").unwrap();
    let context = context(&path, None);
    let mut task = started(&context);
    assert_eq!(texts(&task.poll(&context).unwrap()).len(), 1);
    // The signal to stop is raised in this context, so a look for changes is made with one that runs.
    let running = running(&path);
    let old = dir.path().join("in.txt.1");
    std::fs::rename(&path, &old).unwrap();
    let mut writer = std::fs::OpenOptions::new().append(true).open(&old).unwrap();
    writer.write_all(b"late\nhalf").unwrap();
    std::fs::write(&path, "new\n").unwrap();
    let mut all = Vec::new();
    for _ in 0..9 {
        all.extend(texts(&task.poll(&running).unwrap()));
    }
    assert_eq!(
        all,
        [("late".into(), 11), ("half".into(), 15), ("new".into(), 4)]
    );
}

/// Rotation while nobody reads: the stored position lies in another file. A line that does not start there gives it away.
#[test]
fn a_stored_position_in_the_middle_of_a_line_means_another_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    std::fs::write(&path, "another file\nwith more\n").unwrap();
    let context = context(&path, Some(6));
    assert_eq!(
        texts(&started(&context).poll(&context).unwrap()),
        [("another file".into(), 13), ("with more".into(), 23)]
    );
}

#[test]
fn a_missing_file_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("later.txt");
    let context = context(&path, None);
    let mut task = started(&context);
    assert!(task.poll(&context).unwrap().is_empty());
    std::fs::write(&path, "here\n").unwrap();
    assert_eq!(task.poll(&context).unwrap().len(), 1);
}

#[test]
fn a_folder_or_a_wrong_batch_size_is_refused_before_anything_starts() {
    let dir = tempfile::tempdir().unwrap();
    let config = raw(&[
        ("file", dir.path().to_str().unwrap()),
        ("topic", "t"),
        ("batch.size", "0"),
    ]);
    let text = source().validate(&config).to_string();
    assert!(text.contains("it is a folder"), "{text}");
    assert!(text.contains("Value must be at least 1"), "{text}");
}

#[test]
fn bytes_that_are_no_utf_8_become_replacement_characters() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("in.txt");
    std::fs::write(&path, b"a\xffb\n").unwrap();
    let context = context(&path, None);
    assert_eq!(
        texts(&started(&context).poll(&context).unwrap()),
        [("a\u{fffd}b".into(), 4)]
    );
}

#[test]
fn offsets_are_checked_before_they_are_altered() {
    let connector = source();
    let config = raw(&[("file", "x"), ("topic", "t")]);
    let check = |partition: SourcePartition, offset| {
        connector.alter_offsets(&config, &[(partition, offset)])
    };
    let file = || SourcePartition::of("filename", "x");
    assert!(check(file(), SourceOffset::of("position", 5)).unwrap());
    assert!(
        check(SourcePartition::null(), SourceOffset::null()).unwrap(),
        "a reset needs no check"
    );
    for (partition, offset) in [
        (
            SourcePartition::of("name", "x"),
            SourceOffset::of("position", 5),
        ),
        (file(), SourceOffset::of("line", 5)),
        (file(), SourceOffset::of("position", -1)),
        (file(), SourceOffset::of("position", "5")),
    ] {
        assert_eq!(check(partition, offset).unwrap_err().fault(), Fault::Config);
    }
    assert!(
        connector
            .alter_offsets(&raw(&[("topic", "t")]), &[])
            .is_err(),
        "standard input has no offsets"
    );
}

fn sink_record(text: Option<&str>) -> SinkRecord {
    SinkRecord {
        partition: TopicPartition::new("t", 0),
        offset: 0,
        timestamp: None,
        timestamp_type: TimestampType::None,
        key: ferroconnect_converters::data::SchemaAndValue::NULL,
        value: text.map_or(
            ferroconnect_converters::data::SchemaAndValue::NULL,
            Into::into,
        ),
        headers: ferroconnect_converters::data::Headers::new(),
    }
}

fn write(path: &Path, records: &[SinkRecord]) -> Result<(), Error> {
    let config = raw(&[("file", path.to_str().unwrap())]);
    let mut connector = sink();
    connector.start(&config)?;
    let context = SinkContext::new(task_id(), Arc::new(config), StopSignal::new(), None);
    let mut task = connector.task();
    task.start(&context)?;
    task.put(&context, records)?;
    task.flush(&Offsets::new())?;
    task.stop();
    Ok(())
}

#[test]
fn the_sink_appends_a_line_per_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.txt");
    write(&path, &[sink_record(Some("one")), sink_record(None)]).unwrap();
    write(&path, &[sink_record(Some("two"))]).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\nnull\ntwo\n");
    assert!(!dir.path().join("out.txt.partial").exists());
}

#[test]
fn half_a_line_is_moved_aside_and_never_glued_to_a_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.txt");
    std::fs::write(&path, "whole\nhal").unwrap();
    write(&path, &[sink_record(Some("half"))]).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole\nhalf\n");
    assert_eq!(
        std::fs::read_to_string(dir.path().join("out.txt.partial")).unwrap(),
        "hal\n"
    );
    let long = "x".repeat(200_000);
    std::fs::write(&path, &long).unwrap();
    write(&path, &[]).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
}

#[test]
fn a_file_that_cannot_be_written_is_a_clear_error() {
    let error = write(Path::new("/nonexistent/folder/out.txt"), &[]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("cannot write file /nonexistent/folder/out.txt: it does not exist"),
        "{error}"
    );
    if Path::new("/dev/full").exists() {
        let error = write(Path::new("/dev/full"), &[sink_record(Some("x"))]).unwrap_err();
        assert!(error.to_string().contains("the disk is full"), "{error}");
    }
}

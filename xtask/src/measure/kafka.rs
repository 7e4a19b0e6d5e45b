//! `cargo xtask measure --kafka [--jvm]`: the same files, broker and run for our worker and for Apache's.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ferroconnect_node::{Distribution, KAFKA_VERSION, Node, create_topic, end_offset};

use super::process::Usage;
use super::{mb, write_input};
use crate::clock::{self, Stopwatch};
use crate::steps::{Outcome, Steps, Trouble, Trying};
use crate::worker::{Bench, Layout, Program, STRING, Worker};

pub(super) fn run(steps: &Steps, ours: &Program, lines: u64, jvm: bool) -> Outcome {
    let mut sides = vec![Side {
        name: "ours",
        program: ours.clone(),
    }];
    if jvm {
        let program = Program::Jvm(Distribution::fetch()?);
        let name = "JVM";
        sides.push(Side { name, program });
    }
    let folder = tempfile::tempdir_in(steps.target()).trying("make a folder")?;
    let input = folder.path().join("input");
    steps.say(&format!("write an input of {lines} lines"));
    let (lines, bytes) = write_input(&input, |written, _| written < lines).trying("write it")?;
    steps.say(&format!("start a Kafka {KAFKA_VERSION} node"));
    let mut node = Node::builder().heap_mb(BROKER_HEAP_MB).start()?;
    let job = Job {
        steps,
        bootstrap: node.bootstrap(),
        input,
        lines,
        bytes,
    };
    let mut ratios = Vec::new();
    for converter in CONVERTERS {
        for direction in [Direction::ToTopic, Direction::ToFile] {
            ratios.extend(job.compare(&sides, converter, direction)?);
        }
    }
    node.stop()?;
    println!();
    ratios.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// One worker of the comparison.
struct Side {
    name: &'static str,
    program: Program,
}

/// What the records look like in the topic.
#[derive(Clone, Copy)]
struct Converters {
    name: &'static str,
    /// Lines of worker.properties.
    properties: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToTopic,
    ToFile,
}

/// What all runs share.
struct Job<'a> {
    steps: &'a Steps,
    bootstrap: String,
    input: PathBuf,
    lines: u64,
    bytes: u64,
}

/// One run, from the start of the process until the last record was where it belongs.
struct Measured {
    time: Duration,
    usage: Usage,
    /// When the first record was there, and what the process had used by then.
    first: (Duration, Usage),
}

impl Job<'_> {
    /// One direction with one converter, every side; returns the lines that close the report.
    fn compare(
        &self,
        sides: &[Side],
        converters: Converters,
        direction: Direction,
    ) -> Outcome<Option<String>> {
        let what = match direction {
            Direction::ToTopic => format!("file -> topic, {}", converters.name),
            Direction::ToFile => format!("topic -> file, {}", converters.name),
        };
        let mut results = Vec::new();
        for side in sides {
            self.steps.say(&format!("{what}: {}", side.name));
            let measured = self.measure(side, converters, direction)?;
            measured.print(side.name, self.lines);
            results.push(measured);
        }
        let [ours, jvm] = results.as_slice() else {
            return Ok(None);
        };
        Ok(Some(format!(
            "{what}: CPU 1/{:.1} of the JVM's (goal 1/3 or less), from first to last record 1/{:.1}; peak {:.0} MB \
             (goal 100 MB or less), the JVM {:.0} MB",
            ratio(jvm.usage.cpu, ours.usage.cpu),
            ratio(jvm.steady(), ours.steady()),
            mb(ours.usage.peak_kb),
            mb(jvm.usage.peak_kb),
        )))
    }

    fn measure(
        &self,
        side: &Side,
        converters: Converters,
        direction: Direction,
    ) -> Outcome<Measured> {
        let folder = tempfile::tempdir_in(self.steps.target()).trying("make a folder")?;
        // Both sinks read what our source wrote; the sources write to topics of their own.
        let writer = match direction {
            Direction::ToTopic => side.name,
            Direction::ToFile => "ours",
        };
        let topic = format!("{}-{writer}", converters.name);
        let suffix = format!("-{}-{}", converters.name, side.name);
        let mut layout = Layout::new(&side.program, folder.path(), FLUSH_INTERVAL_MS);
        layout.bootstrap = Some(&self.bootstrap);
        (layout.topic, layout.suffix) = (&topic, &suffix);
        (layout.converter, layout.more) = (converters.properties, WORKER);
        let bench = layout.write()?;
        let measured = match direction {
            Direction::ToTopic => self.to_topic(&bench, &topic),
            Direction::ToFile => self.to_file(&bench),
        };
        measured.map_err(|trouble| bench.explain(trouble))
    }

    fn to_topic(&self, bench: &Bench, topic: &str) -> Outcome<Measured> {
        create_topic(&self.bootstrap, topic, 1).trying("create the topic")?;
        std::fs::hard_link(&self.input, bench.input()).trying("link the input")?;
        let end = || {
            let end = end_offset(&self.bootstrap, topic, 0).trying("ask for the topic's end")?;
            Ok(u64::try_from(end).unwrap_or(0))
        };
        let started = Stopwatch::start();
        let mut worker = bench.start_source()?;
        let measured = watch(started, &mut worker, self.lines, end)?;
        worker.stop()?;
        let end = end()?;
        if end == self.lines {
            return Ok(measured);
        }
        let words = format!("the topic holds {end} records, not {}", self.lines);
        Err(Trouble::new(words))
    }

    fn to_file(&self, bench: &Bench) -> Outcome<Measured> {
        let started = Stopwatch::start();
        let mut worker = bench.start_sink()?;
        let measured = watch(
            started,
            &mut worker,
            self.bytes,
            || Ok(bench.output_bytes()),
        )?;
        worker.stop()?;
        match same(&self.input, &bench.output()).trying("compare input and output")? {
            true => Ok(measured),
            false => Err(Trouble::new("the output is not the input")),
        }
    }
}

/// Looks at a running worker until its work is done.
fn watch(
    started: Stopwatch,
    worker: &mut Worker,
    until: u64,
    progress: impl Fn() -> Outcome<u64>,
) -> Outcome<Measured> {
    let mut first = None;
    clock::wait_for("waiting for the last record", PATIENCE, || {
        // Questions cost the broker time, which the worker may need.
        clock::pause(LOOK_AGAIN);
        worker.expect_running()?;
        let here = progress()?;
        if here == 0 {
            return Ok((None, here));
        }
        let now = (started.elapsed(), Usage::of(worker.id())?);
        let (time, usage) = now.clone();
        let first = first.get_or_insert(now).clone();
        let measured = Measured { time, usage, first };
        Ok(((here >= until).then_some(measured), here))
    })
}

impl Measured {
    /// CPU time from the first to the last record.
    fn steady(&self) -> Duration {
        self.usage.cpu.saturating_sub(self.first.1.cpu)
    }

    fn print(&self, name: &str, lines: u64) {
        let (seconds, cpu) = (self.time.as_secs_f64(), self.usage.cpu.as_secs_f64());
        println!(
            "  {name:>4}: {seconds:>6.1} s, {cpu:>6.2} CPU s, {:>9.0} records per CPU second, peak resident memory {:.1} MB; \
             first record after {:.1} s and {:.2} CPU s, the rest in {:.2} CPU s",
            lines as f64 / cpu.max(f64::EPSILON),
            mb(self.usage.peak_kb),
            self.first.0.as_secs_f64(),
            self.first.1.cpu.as_secs_f64(),
            self.steady().as_secs_f64(),
        );
    }
}

fn ratio(theirs: Duration, ours: Duration) -> f64 {
    theirs.as_secs_f64() / ours.as_secs_f64().max(0.01)
}

/// Whether two files hold the same bytes.
fn same(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let piece = |file: &mut File| {
        let mut bytes = Vec::new();
        file.take(PIECE_BYTES)
            .read_to_end(&mut bytes)
            .map(|_| bytes)
    };
    loop {
        let (one, other) = (piece(&mut one)?, piece(&mut other)?);
        if one != other || one.is_empty() {
            return Ok(one == other);
        }
    }
}

/// Compared at a time.
const PIECE_BYTES: u64 = 1 << 20;

const CONVERTERS: [Converters; 2] = [
    Converters {
        name: "string",
        properties: STRING,
    },
    Converters {
        name: "json-envelope",
        properties: "\
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
key.converter.schemas.enable=true
value.converter.schemas.enable=true",
    },
];

/// The JVM's worker listens for requests; on a free port two can run at once.
const WORKER: &str = "listeners=HTTP://127.0.0.1:0";

/// `offset.flush.interval.ms` of Apache's example, config/connect-standalone.properties.
const FLUSH_INTERVAL_MS: u64 = 10_000;

/// The broker must not be what is waited for.
const BROKER_HEAP_MB: u32 = 512;

/// Without any progress for this long, the worker is stuck. Apache's looks through all jars when it starts, which
/// takes a busy machine a minute.
const PATIENCE: Duration = Duration::from_secs(180);

const LOOK_AGAIN: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_the_same_to_the_last_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (a, b) = (path("a", "one\ntwo\n"), path("b", "one\ntwo\n"));
        assert!(same(&a, &b).unwrap());
        assert!(!same(&a, &path("c", "one\ntwo")).unwrap());
        assert!(!same(&a, &path("d", "one\ntwp\n")).unwrap());
    }
}

//! `cargo xtask measure`: the worker's promises as numbers.

mod kafka;
mod process;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::clock::{self, Stopwatch};
use crate::steps::{Outcome, Steps, Trouble, Trying};
use crate::worker::{Bench, Layout, Program};
use process::Usage;

#[derive(Args)]
pub(crate) struct MeasureArguments {
    /// Size of the large file, in units of 1024 * 1024 bytes.
    #[arg(long, default_value_t = 1_024)]
    megabytes: u64,
    /// Converter of keys and values, by alias or class.
    #[arg(long, default_value = "StringConverter")]
    converter: String,
    /// Against a real Kafka node in place of the embedded log: file to topic and topic to file, as text and as
    /// JSON with its schema.
    #[arg(long)]
    kafka: bool,
    /// Run Apache's ConnectStandalone on the same files beside ours, and print the ratios.
    #[arg(long, requires = "kafka")]
    jvm: bool,
    /// Lines of about 100 bytes, with --kafka.
    #[arg(long, default_value_t = 2_000_000)]
    lines: u64,
    /// Run this build of `ferroconnect` instead of building one.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

pub(crate) fn run(steps: &Steps, arguments: &MeasureArguments) -> Outcome {
    let program = Program::given_or_built(steps, arguments.program.as_deref())?;
    if arguments.kafka {
        return kafka::run(steps, &program, arguments.lines, arguments.jvm);
    }
    start(steps, &program)?;
    large_file(steps, &program, arguments)
}

/// Start to first record in the sink's file, and memory when nothing happens.
fn start(steps: &Steps, program: &Program) -> Outcome {
    steps.say(&format!(
        "start the worker {STARTS} times, each in a new folder"
    ));
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let folder = tempfile::tempdir_in(steps.target()).trying("make a folder")?;
        let bench = Layout::new(program, folder.path(), FLUSH_INTERVAL_MS).write()?;
        std::fs::write(bench.input(), "the first record\n").trying("write the input")?;
        let started = Stopwatch::start();
        let mut worker = bench.start()?;
        let first = clock::wait_for("waiting for the first record", PATIENCE, || {
            worker.expect_running()?;
            Ok(((bench.output_bytes() > 0).then(|| started.elapsed()), ()))
        });
        times.push(first.map_err(|trouble| bench.explain(trouble))?);
        clock::pause(IDLE);
        memory.push(Usage::of(worker.id())?.resident_kb);
        worker.stop().map_err(|trouble| bench.explain(trouble))?;
    }
    times.sort();
    memory.sort_unstable();
    let ms = |time: &Duration| time.as_secs_f64() * 1_000.0;
    println!(
        "start to first record: {:.0} ms at best, {:.0} ms median of {STARTS} (target < 300 ms)",
        ms(&times[0]),
        ms(&times[STARTS / 2]),
    );
    let median = mb(memory[STARTS / 2]);
    println!("idle resident memory: {median:.1} MB, median of {STARTS} (target < 30 MB)");
    Ok(())
}

/// A large file, first into the log, then in a new folder into the log and out again: constant memory, and records per CPU second.
fn large_file(steps: &Steps, program: &Program, arguments: &MeasureArguments) -> Outcome {
    let megabytes = arguments.megabytes;
    let folder = tempfile::tempdir_in(steps.target()).trying("make a folder")?;
    let input = folder.path().join("input");
    steps.say(&format!("write an input of {megabytes} MB"));
    let (lines, bytes) =
        write_input(&input, |_, bytes| bytes < megabytes << 20).trying("write the input")?;
    for journey in [Journey::Log, Journey::Output] {
        let folder = tempfile::tempdir_in(steps.target()).trying("make a folder")?;
        let class = &arguments.converter;
        let converter = format!("key.converter={class}\nvalue.converter={class}");
        let mut layout = Layout::new(program, folder.path(), FLUSH_INTERVAL_MS);
        layout.converter = &converter;
        let bench = layout.write()?;
        std::fs::hard_link(&input, bench.input()).trying("link the input")?;
        steps.say(&format!("{}: {lines} lines, {bytes} bytes", journey.name()));
        let measured = journey
            .run(&bench, lines, bytes)
            .map_err(|trouble| bench.explain(trouble))?;
        measured.print(journey, lines, bytes);
    }
    Ok(())
}

/// How far the records go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Journey {
    /// Into the embedded log: a source alone.
    Log,
    /// Into the log and out into another file: a source and a sink.
    Output,
}

/// What one journey took.
struct Measured {
    time: Duration,
    usage: Usage,
}

impl Journey {
    const fn name(self) -> &'static str {
        match self {
            Self::Log => "file -> converter -> log",
            Self::Output => "file -> converter -> log -> converter -> file",
        }
    }

    fn run(self, bench: &Bench, lines: u64, bytes: u64) -> Outcome<Measured> {
        let started = Stopwatch::start();
        let mut worker = match self {
            Self::Log => bench.start_source()?,
            Self::Output => bench.start()?,
        };
        let time = clock::wait_for("waiting for the last line", PATIENCE, || {
            worker.expect_running()?;
            let here = match self {
                Self::Log => process::position(worker.id(), &bench.input()),
                Self::Output => bench.output_bytes(),
            };
            Ok(((here >= bytes).then(|| started.elapsed()), here))
        })?;
        if self == Self::Log {
            // What was read last is still on its way into the log; the work on it counts too.
            clock::pause(IDLE);
        }
        let usage = Usage::of(worker.id())?;
        worker.stop()?;
        if bench.has_written(lines) {
            Ok(Measured { time, usage })
        } else {
            let words = format!("the worker did not say that {lines} records were written");
            Err(Trouble::new(words))
        }
    }
}

impl Measured {
    fn print(&self, journey: Journey, lines: u64, bytes: u64) {
        let (seconds, cpu) = (self.time.as_secs_f64(), self.usage.cpu.as_secs_f64());
        let per_cpu_second = lines as f64 / cpu;
        println!(
            "{}: {lines} records, {} MB in {seconds:.1} s",
            journey.name(),
            bytes >> 20
        );
        println!(
            "  peak resident memory: {:.1} MB, {:.1} MB at the end",
            mb(self.usage.peak_kb),
            mb(self.usage.resident_kb)
        );
        println!("  records per second: {:.0}", lines as f64 / seconds);
        println!("  CPU seconds: {cpu:.1}");
        println!(
            "  records per CPU second: {per_cpu_second:.0} (the JVM's FileStreamSource alone: {JVM_PER_CPU_SECOND}, \
             here {:.1} times that, target 5)",
            per_cpu_second / f64::from(JVM_PER_CPU_SECOND),
        );
    }
}

/// Lines like those of a web server's log, about 80 bytes each, as long as `more` agrees to their number and bytes.
fn write_input(path: &Path, more: impl Fn(u64, u64) -> bool) -> std::io::Result<(u64, u64)> {
    let mut file = BufWriter::new(File::create(path)?);
    let (mut lines, mut bytes) = (0u64, 0u64);
    while more(lines, bytes) {
        let (host, page, size) = (
            lines % 251,
            lines * 7_919 % 10_007,
            lines * 104_729 % 65_521,
        );
        let line = format!(
            "10.0.{host}.17 - - [30/Nov/2026:12:00:00 +0000] \"GET /orders/{page}?n={lines} HTTP/1.1\" 200 {size}\n"
        );
        file.write_all(line.as_bytes())?;
        lines += 1;
        bytes += line.len() as u64;
    }
    file.flush()?;
    Ok((lines, bytes))
}

fn mb(kb: u64) -> f64 {
    kb as f64 / 1_024.0
}

const STARTS: usize = 5;
const FLUSH_INTERVAL_MS: u64 = 1_000;

/// Long enough for start-up work to be over.
const IDLE: Duration = Duration::from_secs(2);

/// Without any progress for this long, the worker is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measured with Kafka 4.3.1 on the reference machine.
const JVM_PER_CPU_SECOND: u32 = 125_000;

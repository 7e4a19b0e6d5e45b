//! `cargo xtask measure`: the worker's promises as numbers.

mod process;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use clap::Args;

use crate::clock::{self, Stopwatch};
use crate::steps::{Outcome, Steps, Trying};
use crate::worker::Bench;
use process::Usage;

#[derive(Args)]
pub(crate) struct MeasureArguments {
    /// Size of the large file, in units of 1024 * 1024 bytes.
    #[arg(long, default_value_t = 1_024)]
    megabytes: u64,
}

pub(crate) fn run(steps: &Steps, arguments: &MeasureArguments) -> Outcome {
    let program = Bench::build(steps)?;
    start(steps, &program)?;
    large_file(steps, &program, arguments.megabytes)
}

/// Start to first record in the sink's file, and memory when nothing happens.
fn start(steps: &Steps, program: &Path) -> Outcome {
    steps.say(&format!(
        "start the worker {STARTS} times, each in a new folder"
    ));
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let folder = tempfile::tempdir_in(steps.target()).trying("make a folder")?;
        let bench = Bench::lay_out(program, folder.path(), FLUSH_INTERVAL_MS)?;
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

/// A large file through the worker: constant memory, and records per CPU second.
fn large_file(steps: &Steps, program: &Path, megabytes: u64) -> Outcome {
    let folder = tempfile::tempdir_in(steps.target()).trying("make a folder")?;
    let bench = Bench::lay_out(program, folder.path(), FLUSH_INTERVAL_MS)?;
    steps.say(&format!("write an input of {megabytes} MB"));
    let (lines, bytes) = write_input(&bench.input(), megabytes << 20).trying("write the input")?;

    steps.say(&format!(
        "copy {lines} lines ({bytes} bytes) and stop the worker"
    ));
    let started = Stopwatch::start();
    let mut worker = bench.start()?;
    let copied = clock::wait_for("waiting for the last line", PATIENCE, || {
        worker.expect_running()?;
        let here = bench.output_bytes();
        Ok(((here >= bytes).then(|| started.elapsed()), here))
    });
    let time = copied.map_err(|trouble| bench.explain(trouble))?;
    let usage = Usage::of(worker.id())?;
    worker.stop().map_err(|trouble| bench.explain(trouble))?;

    let (seconds, cpu) = (time.as_secs_f64(), usage.cpu.as_secs_f64());
    let per_cpu_second = lines as f64 / cpu;
    println!("{megabytes} MB file: {lines} records in {seconds:.1} s");
    println!("  peak resident memory: {:.1} MB", mb(usage.peak_kb));
    println!("  records per second: {:.0}", lines as f64 / seconds);
    println!("  CPU seconds: {cpu:.1}");
    println!(
        "  records per CPU second: {per_cpu_second:.0} \
         (the JVM's FileStreamSource: {JVM_PER_CPU_SECOND}, here {:.1} times that, target 5)",
        per_cpu_second / f64::from(JVM_PER_CPU_SECOND),
    );
    Ok(())
}

/// Lines like those of a web server's log, about 100 bytes each.
fn write_input(path: &Path, bytes_min: u64) -> std::io::Result<(u64, u64)> {
    let mut file = BufWriter::new(File::create(path)?);
    let (mut lines, mut bytes) = (0u64, 0u64);
    while bytes < bytes_min {
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

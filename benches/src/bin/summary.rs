//! Prints a line per benchmark: time, allocations and bytes per record, target, and the times of the JVM and of other libraries beside it.
//!
//! `ferroconnect-bench-summary [FILTER] [--jvm FILE] [--export FILE] [--instructions]`; `cargo xtask bench --summary` runs it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints its result"
)]

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, ExitCode};

use ferroconnect_benches::Benchmark;
use serde_json::Value as Json;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Speed of the core that the targets were set on.
const TARGET_GHZ: f64 = 3.7;

#[derive(Default)]
struct Arguments {
    filter: String,
    /// Times of the JVM, a line of JSON each: `{"name", "ns"}`.
    jvm: Option<String>,
    /// Only write the records there, for the JVM to measure.
    export: Option<String>,
    /// Count instructions with valgrind: slow, and the same on every day.
    instructions: bool,
}

fn main() -> ExitCode {
    let mut arguments = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--jvm" => arguments.jvm = words.next(),
            "--export" => arguments.export = words.next(),
            "--instructions" => arguments.instructions = true,
            _ => arguments.filter = word,
        }
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    if let Some(path) = &arguments.export {
        return export(path, &arguments.filter);
    }
    let counts = counts(&arguments.filter)?;
    let jvm = match &arguments.jvm {
        Some(path) => by_name(&std::fs::read_to_string(path)?),
        None => HashMap::new(),
    };
    print_head(arguments);
    let mut ours = f64::NAN;
    for mut benchmark in ferroconnect_benches::benchmarks(&arguments.filter)? {
        let gigahertz = ferroconnect_benches::measure::gigahertz();
        let ns = ferroconnect_benches::measure::ns_per_call(&mut *benchmark.run);
        let scaled = ns * gigahertz / TARGET_GHZ;
        let counted = counts.get(&benchmark.name);
        let number = |key: &str| counted.and_then(|c| c[key].as_f64()).unwrap_or(f64::NAN);
        let (target, verdict) = against_target(&benchmark, scaled);
        #[expect(clippy::cast_precision_loss, reason = "bytes of one record")]
        let throughput = benchmark.bytes as f64 / ns;
        let (name, java_ns, ratio) = match benchmark.peer {
            Some(library) => (
                format!("    {library}"),
                String::new(),
                format!("{:.1}x", ns / ours),
            ),
            None => {
                ours = ns;
                let (java_ns, ratio) = java(&benchmark, &jvm, (ns, scaled));
                (benchmark.name.clone(), java_ns, ratio)
            }
        };
        println!(
            "{name:<46} {ns:>9.1} {:>9.1} {:>7} {:>7} {throughput:>8.2} {gigahertz:>9.2} {scaled:>9.1} {target:>7} \
             {verdict:>8} {java_ns:>9} {ratio:>7} {:>8}",
            number("ns"),
            number("allocations"),
            number("bytes"),
            if arguments.instructions {
                instructions(&benchmark.name)?.to_string()
            } else {
                String::new()
            },
        );
    }
    if MANY_TASKS.contains(&arguments.filter) {
        println!("\n{}", ferroconnect_benches::cache::many_tasks()?);
    }
    Ok(())
}

/// What filters must match for the table of many tasks.
const MANY_TASKS: &str = "cache/many-tasks";

fn print_head(arguments: &Arguments) {
    println!(
        "ns: CPU time on this core. Targets are for a core at {TARGET_GHZ} GHz, so they are compared with `scaled`: ns \
         brought to that speed, which is measured beside each benchmark.\n\
         Below ours, other libraries on the same bytes; `ratio` is how many times as long they and the JVM take. A time of the JVM \
         with an R was recorded earlier, on a core of that speed, and is compared with `scaled`."
    );
    println!(
        "{:<46} {:>9} {:>9} {:>7} {:>7} {:>8} {:>9} {:>9} {:>7} {:>8} {:>9} {:>7} {:>8}",
        "benchmark",
        "ns",
        "glibc ns",
        "allocs",
        "bytes",
        "GB/s",
        "core GHz",
        "scaled",
        "target",
        "",
        "jvm ns",
        "ratio",
        if arguments.instructions { "instr" } else { "" }
    );
}

fn against_target(benchmark: &Benchmark, scaled: f64) -> (String, &'static str) {
    match benchmark.target_ns {
        Some(target) if scaled <= f64::from(target) => (target.to_string(), "reached"),
        Some(target) => (target.to_string(), "missed"),
        None => (String::new(), ""),
    }
}

/// The JVM's time and how often ours fits into it: measured beside ours, or recorded.
fn java(
    benchmark: &Benchmark,
    jvm: &HashMap<String, Json>,
    (ns, scaled): (f64, f64),
) -> (String, String) {
    let measured = jvm.get(&benchmark.name).and_then(|j| j["ns"].as_f64());
    match (measured, benchmark.recorded_jvm_ns) {
        (Some(java), _) => (format!("{java:.0}"), format!("{:.1}x", java / ns)),
        (None, Some(recorded)) => (
            format!("R {recorded}"),
            format!("{:.1}x", f64::from(recorded) / scaled),
        ),
        (None, None) => (String::new(), String::new()),
    }
}

/// Writes the records of the benchmarks to a file, a line each.
fn export(path: &str, filter: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut file = std::fs::File::create(path)?;
    for sample in ferroconnect_benches::samples()? {
        if sample.format.runs_on_jvm()
            && format!("{}/", sample.name)
                .contains(filter.split("/decode").next().unwrap_or_default())
        {
            writeln!(file, "{}", ferroconnect_benches::tagged::export(&sample))?;
        }
    }
    Ok(())
}

/// Instructions per call, under the system's allocator: the difference of two runs that differ in their calls.
fn instructions(name: &str) -> Result<u64, Box<dyn std::error::Error>> {
    const CALLS: [u64; 2] = [100, 600];
    let sibling = std::env::current_exe()?.with_file_name("ferroconnect-bench-allocations");
    let mut counts = [0u64; 2];
    for (count, calls) in counts.iter_mut().zip(CALLS) {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(&sibling)
            .args(["--calls", &calls.to_string(), name])
            .output()
            .map_err(|error| {
                format!("valgrind counts instructions and cannot be run ({error}); install it")
            })?;
        let report = String::from_utf8_lossy(&output.stderr).into_owned();
        let collected = report
            .lines()
            .find_map(|line| line.split_once("Collected : "));
        *count = collected
            .and_then(|(_, count)| count.trim().parse().ok())
            .ok_or("valgrind printed no count of instructions")?;
    }
    Ok((counts[1].saturating_sub(counts[0])) / (CALLS[1] - CALLS[0]))
}

/// Runs the sibling program, whose allocator counts.
fn counts(filter: &str) -> Result<HashMap<String, Json>, Box<dyn std::error::Error>> {
    let sibling = std::env::current_exe()?.with_file_name("ferroconnect-bench-allocations");
    if !sibling.exists() {
        eprintln!(
            "allocations are not counted: build the sibling program too (cargo build --release -p ferroconnect-benches)"
        );
        return Ok(HashMap::new());
    }
    let output = Command::new(sibling).arg(filter).output()?;
    Ok(by_name(&String::from_utf8_lossy(&output.stdout)))
}

fn by_name(lines: &str) -> HashMap<String, Json> {
    let parsed = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Json>(line).ok());
    parsed
        .filter_map(|line| Some((line["name"].as_str()?.to_owned(), line)))
        .collect()
}

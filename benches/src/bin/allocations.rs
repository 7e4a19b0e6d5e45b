//! Counts allocations per record, and times the same code under the system's allocator.
//!
//! Prints a line of JSON per benchmark: `{"name", "allocations", "bytes", "ns"}`. `ferroconnect-bench-summary` runs it.
//! `--calls N NAME` only calls one benchmark N times: the difference of two such runs under callgrind is the number of
//! instructions that a call takes, which no neighbour on the machine can change.
#![expect(clippy::print_stdout, reason = "a program that prints its result")]

use std::process::ExitCode;

use allocation_counter::measure;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, calls, name] = words.as_slice()
        && flag == "--calls"
    {
        return only_call(name, calls.parse().unwrap_or(1));
    }
    let filter = words.into_iter().next().unwrap_or_default();
    let benchmarks = match ferroconnect_benches::benchmarks(&filter) {
        Ok(benchmarks) => benchmarks,
        Err(error) => {
            println!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for mut benchmark in benchmarks {
        // The first record of a schema may allocate: plans, buffers.
        (0..3).for_each(|_| (benchmark.run)());
        let counted = measure(|| (benchmark.run)());
        let ns = ferroconnect_benches::measure::ns_per_call(&mut *benchmark.run);
        let line = serde_json::json!({
            "name": benchmark.name, "allocations": counted.count_total, "bytes": counted.bytes_total, "ns": ns,
        });
        println!("{line}");
    }
    ExitCode::SUCCESS
}

fn only_call(name: &str, calls: u64) -> ExitCode {
    let found = ferroconnect_benches::benchmarks(name)
        .ok()
        .and_then(|list| list.into_iter().find(|b| b.name == name));
    let Some(mut benchmark) = found else {
        return ExitCode::FAILURE;
    };
    for _ in 0..calls {
        (benchmark.run)();
    }
    ExitCode::SUCCESS
}

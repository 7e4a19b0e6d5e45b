//! Counts allocations per record, and times the same code under the system's allocator.
//!
//! Prints a line of JSON per benchmark: `{"name", "allocations", "bytes", "ns"}`. `ferroconnect-bench-summary` runs it.
#![expect(clippy::print_stdout, reason = "a program that prints its result")]

use std::process::ExitCode;

use allocation_counter::measure;

fn main() -> ExitCode {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let benchmarks = match ferroconnect_benches::benchmarks() {
        Ok(benchmarks) => benchmarks,
        Err(error) => {
            println!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for mut benchmark in benchmarks.into_iter().filter(|b| b.name.contains(&filter)) {
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

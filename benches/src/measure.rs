//! Measuring one benchmark: CPU time of the thread, minimum of many short runs.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this thread in nanoseconds.
fn thread_ns() -> u64 {
    nanoseconds(ClockId::ThreadCPUTime)
}

/// CPU time of this process, with all its threads, in nanoseconds.
pub fn process_ns() -> u64 {
    nanoseconds(ClockId::ProcessCPUTime)
}

/// Time that only goes forward, in nanoseconds.
pub fn clock_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

/// Length of one run in nanoseconds.
const RUN_NS: u64 = 2_000_000;
/// Runs of which the fastest counts.
const RUNS: u32 = 40;

/// Nanoseconds of CPU time that one call takes.
pub fn ns_per_call(run: &mut dyn FnMut()) -> f64 {
    let mut calls = 1u64;
    // Also the warm-up: schemas are compiled and buffers grow here.
    loop {
        let spent = timed(run, calls);
        if spent > RUN_NS / 4 || calls > 1 << 30 {
            calls = (calls * RUN_NS / spent.max(1)).max(1);
            break;
        }
        calls *= 4;
    }
    let best = (0..RUNS).map(|_| timed(run, calls)).min().unwrap_or(0);
    #[expect(
        clippy::cast_precision_loss,
        reason = "nanoseconds of a few milliseconds"
    )]
    let per_call = best as f64 / calls as f64;
    per_call
}

fn timed(run: &mut dyn FnMut(), calls: u64) -> u64 {
    let start = thread_ns();
    for _ in 0..calls {
        run();
    }
    thread_ns() - start
}

/// Cycles per second, in billions, as a chain of dependent shifts and xors shows it: each takes a cycle, and none can begin
/// before the one in front of it has ended. Shared machines run slower than their name says.
#[must_use]
pub fn gigahertz() -> f64 {
    const STEPS: u32 = 1000;
    const CYCLES_PER_STEP: f64 = 6.0;
    let mut x = 1u64;
    let ns = ns_per_call(&mut || {
        for _ in 0..STEPS {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        std::hint::black_box(x);
    });
    f64::from(STEPS) * CYCLES_PER_STEP / ns
}

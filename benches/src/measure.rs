//! Measuring one benchmark: CPU time of the thread, minimum of many short runs.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this thread in nanoseconds.
fn thread_ns() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
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

/// Cycles per second, in billions, as a chain of dependent multiplications and additions (4 cycles each) shows it. Shared
/// machines run slower than their name says: compare times only at equal speed.
#[must_use]
pub fn gigahertz() -> f64 {
    const STEPS: u32 = 1000;
    let mut x = 1u64;
    let ns = ns_per_call(&mut || {
        for _ in 0..STEPS {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        }
        std::hint::black_box(x);
    });
    f64::from(STEPS) * 4.0 / ns
}

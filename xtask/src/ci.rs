//! `cargo xtask ci`: everything that must hold besides the tests.

use crate::steps::{Outcome, Steps, Trouble};
use crate::{fuzz, tools};

pub(crate) fn run(steps: &Steps) -> Outcome {
    let parts: [(&str, Part); 6] = [
        ("format", format),
        ("lints", lints),
        ("dependencies", dependencies),
        ("documentation", documentation),
        ("fuzz smoke", |steps| fuzz::all(steps, SMOKE_SECONDS)),
        ("bench smoke", bench_smoke),
    ];
    // One failure does not hide the next: every part runs, and the end says how each went.
    let ends: Vec<(&str, Outcome)> = parts
        .into_iter()
        .map(|(name, part)| (name, part(steps)))
        .collect();
    println!();
    for (name, end) in &ends {
        match end {
            Ok(()) => println!("{name}: passed"),
            Err(trouble) => println!("{name}: FAILED: {trouble}"),
        }
    }
    match ends.iter().filter(|(_, end)| end.is_err()).count() {
        0 => Ok(()),
        failed => Err(Trouble::new(format!(
            "{failed} of {} parts failed",
            ends.len()
        ))),
    }
}

type Part = fn(&Steps) -> Outcome;

fn format(steps: &Steps) -> Outcome {
    steps.run("cargo", &["fmt", "--all", "--check"])?;
    steps.run(
        "cargo",
        &["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"],
    )
}

fn lints(steps: &Steps) -> Outcome {
    steps.run(
        "cargo",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    )
}

/// Licences, sources and bans. Advisories are configured in deny.toml but not checked here: their database
/// cannot be fetched everywhere, and a build must not depend on the day it runs.
fn dependencies(steps: &Steps) -> Outcome {
    tools::cargo_deny(steps)?;
    steps.run(
        "cargo",
        &[
            "deny",
            "--workspace",
            "check",
            "bans",
            "licenses",
            "sources",
        ],
    )
}

fn documentation(steps: &Steps) -> Outcome {
    let deny = [("RUSTDOCFLAGS", "-D warnings")];
    steps.run_with(&deny, "cargo", &["doc", "--workspace", "--no-deps"])
}

/// Every benchmark once, without measuring: they must build, run and give the right output.
fn bench_smoke(steps: &Steps) -> Outcome {
    steps.run(
        "cargo",
        &[
            "bench",
            "-p",
            "ferroconnect-benches",
            "--bench",
            "*",
            "--",
            "--test",
        ],
    )
}

/// Per fuzz target.
const SMOKE_SECONDS: u32 = 5;

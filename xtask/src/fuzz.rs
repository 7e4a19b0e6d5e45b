//! `cargo xtask fuzz`: the fuzzer over one target or all.

use clap::Args;

use crate::steps::{Outcome, Steps, Trouble, Trying};
use crate::tools;

#[derive(Args)]
pub(crate) struct FuzzArguments {
    /// The target, a file name in fuzz/targets without its end. All of them when left out.
    target: Option<String>,
    /// How long each target runs.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

pub(crate) fn run(steps: &Steps, arguments: &FuzzArguments) -> Outcome {
    let Some(target) = &arguments.target else {
        return all(steps, arguments.seconds);
    };
    let known = targets(steps)?;
    if !known.contains(target) {
        let known = known.join(", ");
        return Err(Trouble::new(format!(
            "no fuzz target `{target}`; there are: {known}"
        )));
    }
    ready(steps)?;
    one(steps, target, arguments.seconds)
}

/// Every target for that long.
pub(crate) fn all(steps: &Steps, seconds: u32) -> Outcome {
    let targets = targets(steps)?;
    ready(steps)?;
    for target in &targets {
        one(steps, target, seconds)?;
    }
    println!(
        "{} fuzz targets, {seconds} s each, no finding",
        targets.len()
    );
    Ok(())
}

fn ready(steps: &Steps) -> Outcome {
    tools::nightly(steps)?;
    tools::cargo_fuzz(steps)
}

/// The names in fuzz/targets, in order.
fn targets(steps: &Steps) -> Outcome<Vec<String>> {
    let folder = steps.root().join("fuzz/targets");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).trying("read fuzz/targets")? {
        let path = entry.trying("read fuzz/targets")?.path();
        if path.extension().is_some_and(|end| end == "rs") {
            names.extend(
                path.file_stem()
                    .map(|name| name.to_string_lossy().into_owned()),
            );
        }
    }
    names.sort();
    Ok(names)
}

fn one(steps: &Steps, target: &str, seconds: u32) -> Outcome {
    // New inputs go to the first folder, which git ignores; the committed seeds are only read.
    let (corpus, seeds) = (
        format!("fuzz/corpus/{target}"),
        format!("fuzz/seeds/{target}"),
    );
    let folder = steps.root().join(&corpus);
    std::fs::create_dir_all(&folder).trying(&format!("create {corpus}"))?;
    let time = format!("-max_total_time={seconds}");
    let dictionary = format!("fuzz/dicts/{target}.dict");
    let has_dictionary = steps.root().join(&dictionary).is_file();
    let dictionary = format!("-dict={dictionary}");

    let mut line = vec![
        "run",
        "nightly",
        "cargo",
        "fuzz",
        "run",
        "--fuzz-dir",
        "fuzz",
    ];
    line.extend([
        target, &corpus, &seeds, "--", &time, TIMEOUT, MEMORY, LENGTH,
    ]);
    line.extend(has_dictionary.then_some(dictionary.as_str()));
    steps.run("rustup", &line)
}

/// Seconds for one input: more is a finding.
const TIMEOUT: &str = "-timeout=10";

/// Megabytes for the whole process: more is a finding.
const MEMORY: &str = "-rss_limit_mb=2048";

/// Bytes of one input: long enough for every format, short enough to try many.
const LENGTH: &str = "-max_len=16384";

//! Programs that the commands need: found, or installed by their own installers.

use crate::steps::{Outcome, Steps, Trouble};

/// Checks dependencies; installed with cargo when it is missing.
pub(crate) fn cargo_deny(steps: &Steps) -> Outcome {
    cargo_tool(steps, "deny", "cargo-deny")
}

/// Runs fuzz targets; installed with cargo when it is missing.
pub(crate) fn cargo_fuzz(steps: &Steps) -> Outcome {
    cargo_tool(steps, "fuzz", "cargo-fuzz")
}

/// A nightly compiler, which the fuzzer's instrumentation needs; installed with rustup when it is missing.
pub(crate) fn nightly(steps: &Steps) -> Outcome {
    if steps
        .ask("rustup", &["run", "nightly", "rustc", "--version"])
        .is_some()
    {
        return Ok(());
    }
    steps
        .run(
            "rustup",
            &["toolchain", "install", "nightly", "--profile", "minimal"],
        )
        .map_err(|trouble| {
            let next = "fuzzing needs a nightly compiler: `rustup toolchain install nightly`";
            Trouble::new(format!("{trouble}; {next}"))
        })
}

/// A JDK and Maven, for the JVM's side of the benchmarks.
pub(crate) fn java(steps: &Steps) -> Outcome {
    let missing: Vec<&str> = [("javac", "default-jdk-headless"), ("mvn", "maven")]
        .into_iter()
        .filter(|(program, _)| steps.ask(program, &["-version"]).is_none())
        .map(|(_, package)| package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let install: Vec<&str> = ["install", "--yes", "--no-install-recommends"]
        .into_iter()
        .chain(missing)
        .collect();
    let root = steps
        .ask("id", &["-u"])
        .is_some_and(|user| user.trim() == "0");
    if !root {
        let line = install.join(" ");
        return Err(Trouble::new(format!(
            "a JDK and Maven are needed: `sudo apt-get {line}`"
        )));
    }
    steps.run("apt-get", &["update"])?;
    steps.run("apt-get", &install)
}

fn cargo_tool(steps: &Steps, subcommand: &str, package: &str) -> Outcome {
    if steps.ask("cargo", &[subcommand, "--version"]).is_some() {
        return Ok(());
    }
    steps.run("cargo", &["install", "--locked", package])
}

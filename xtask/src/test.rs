//! `cargo xtask test`: every test there is.

use clap::Args;

use crate::steps::{Outcome, Steps, Trouble};

#[derive(Args)]
pub(crate) struct TestArguments {
    /// Pass even though the suites that need a Kafka broker could not run. Without it, a suite that cannot run
    /// makes the command fail.
    #[arg(long)]
    without_kafka: bool,
    /// Run only tests whose name contains this.
    filter: Option<String>,
}

pub(crate) fn run(steps: &Steps, arguments: &TestArguments) -> Outcome {
    // Cargo joins the features of all crates it builds at once, which hides a missing dependency: the
    // libraries are checked alone.
    steps.run("cargo", &["check", "-p", "ferroconnect-converters"])?;
    steps.run(
        "cargo",
        &[
            "check",
            "-p",
            "ferroconnect-runtime",
            "--no-default-features",
        ],
    )?;
    let filter = arguments.filter.as_deref();
    let line: Vec<&str> = ["test", "--workspace", "--no-fail-fast"]
        .into_iter()
        .chain(filter)
        .collect();
    let tests = steps.run("cargo", &line);

    println!("\n{}", closing(NEEDS_KAFKA, arguments.without_kafka));
    if let Some(filter) = filter {
        println!("Only tests with `{filter}` in their name ran.");
    }
    tests?;
    if NEEDS_KAFKA.is_empty() || arguments.without_kafka {
        return Ok(());
    }
    Err(Trouble::new(
        "some suites could not run; --without-kafka accepts that",
    ))
}

/// Suites that need a Kafka broker, which this command cannot start yet. None exist: everything that is
/// tested today runs on the in-memory and the embedded log.
const NEEDS_KAFKA: &[&str] = &[];

/// The last words: which suites could not run.
fn closing(could_not_run: &[&str], without_kafka: bool) -> String {
    if could_not_run.is_empty() {
        return "Every suite ran. No suite of this release needs a Kafka broker.".to_owned();
    }
    let how = if without_kafka {
        "left out, as asked"
    } else {
        "could not run"
    };
    let list: Vec<String> = could_not_run
        .iter()
        .map(|name| format!("  {name}: {how}"))
        .collect();
    format!("Suites that need a Kafka broker:\n{}", list.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::closing;

    #[test]
    fn the_last_words_name_what_did_not_run() {
        assert!(closing(&[], false).starts_with("Every suite ran."));
        assert_eq!(
            closing(&["ports"], false),
            "Suites that need a Kafka broker:\n  ports: could not run"
        );
        assert!(closing(&["ports"], true).ends_with("ports: left out, as asked"));
    }
}

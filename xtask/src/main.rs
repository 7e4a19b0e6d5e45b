//! The repository's own commands: `cargo xtask --help`.
//!
//! ```text
//!  main (arguments)  ->  test  ci  kafka  fuzz  bench  soak  measure   one file per command
//!                              |
//!                        steps (say, do, remember)   tools   worker   clock   random
//! ```
//!
//! Every command says each step before it does it, so that whoever reads the output can do the same by
//! hand.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program speaks on its standard streams"
)]

mod bench;
mod ci;
mod clock;
mod fuzz;
mod kafka;
mod measure;
mod random;
mod soak;
mod steps;
mod test;
mod tools;
mod worker;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use steps::{Outcome, Steps};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "The commands of this repository. Each one prints every step before doing it.",
    after_help = "Example: cargo xtask test"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every test, those against a real Kafka node included, and check that the libraries build alone.
    #[command(
        after_help = "Example: cargo xtask test wire_  (only tests with wire_ in their name)"
    )]
    Test(test::TestArguments),
    /// Format, lints, dependencies, documentation, and a short run of every fuzz target and benchmark.
    #[command(after_help = "Example: cargo xtask ci")]
    Ci,
    /// A Kafka node for people, in the background.
    #[command(after_help = "Example: cargo xtask kafka up")]
    Kafka(kafka::KafkaArguments),
    /// Fuzz one target, or all of them one after the other. Needs a nightly compiler; fetches it.
    #[command(after_help = "Example: cargo xtask fuzz wire_frame --seconds 300")]
    Fuzz(fuzz::FuzzArguments),
    /// Benchmarks: in full by criterion, or one line each with --summary.
    #[command(after_help = "Example: cargo xtask bench --summary --jvm json")]
    Bench(bench::BenchArguments),
    /// Long runs against faults.
    #[command(after_help = "Example: cargo xtask soak kill --kills 20")]
    Soak(soak::SoakArguments),
    /// Measure the worker: start to first record, idle memory, a large file; or throughput on a Kafka node.
    #[command(after_help = "Example: cargo xtask measure --megabytes 1024\n\
        Example: cargo xtask measure --kafka --jvm  (beside Apache's worker on a real broker)")]
    Measure(measure::MeasureArguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let steps = Steps::at_root();
    let outcome = match arguments.command {
        Command::Test(arguments) => test::run(&steps, &arguments),
        Command::Ci => ci::run(&steps),
        Command::Kafka(arguments) => kafka::run(&steps, &arguments),
        Command::Fuzz(arguments) => fuzz::run(&steps, &arguments),
        Command::Bench(arguments) => bench::run(&steps, &arguments),
        Command::Soak(arguments) => soak::run(&steps, &arguments),
        Command::Measure(arguments) => measure::run(&steps, &arguments),
    };
    close(outcome)
}

fn close(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("xtask: {trouble}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    fn expect_example(command: &mut clap::Command) {
        let help = command.render_long_help().to_string();
        assert!(help.contains("Example: cargo xtask"), "{help}");
    }

    #[test]
    fn the_arguments_are_sound_and_every_command_shows_an_example() {
        Arguments::command().debug_assert();
        let mut command = Arguments::command();
        for sub in command.get_subcommands_mut() {
            sub.get_subcommands_mut().for_each(expect_example);
            expect_example(sub);
        }
    }
}

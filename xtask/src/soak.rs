//! `cargo xtask soak`: long runs against faults.

mod feed;
mod kill;
mod tally;

use clap::{Args, Subcommand};

use crate::steps::{Outcome, Steps};

#[derive(Args)]
pub(crate) struct SoakArguments {
    #[command(subcommand)]
    fault: Fault,
}

#[derive(Subcommand)]
enum Fault {
    /// Kill the worker with SIGKILL at random moments while it copies a file, start it again each time, and count
    /// what was lost, reordered or duplicated.
    #[command(
        after_help = "Example: cargo xtask soak kill --kills 20 --lines 200000 --seed 7\n\n\
        The last line is `lost 0, reordered 0, duplicated N (bound M)`; anything else fails."
    )]
    Kill(kill::KillArguments),
}

pub(crate) fn run(steps: &Steps, arguments: &SoakArguments) -> Outcome {
    match &arguments.fault {
        Fault::Kill(arguments) => kill::run(steps, arguments),
    }
}

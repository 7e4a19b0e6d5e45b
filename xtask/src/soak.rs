//! `cargo xtask soak`: long runs against faults.

mod feed;
mod kill;
mod outage;
mod output;
mod registry;
mod tally;

use clap::{Args, Subcommand};

use ferroconnect_node::{KAFKA_VERSION, Node};

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
        after_help = "Example: cargo xtask soak kill --kills 20 --lines 200000 --seed 7\n\
        Example: cargo xtask soak kill --kafka --kills 20\n\n\
        The last line is `lost 0, reordered 0, duplicated N (bound M)`; anything else fails."
    )]
    Kill(kill::KillArguments),
    /// Start the worker before its broker, then kill the broker (SIGKILL) in mid-run and bring it back, and count
    /// what was lost, reordered or duplicated.
    #[command(
        after_help = "Example: cargo xtask soak outage --kafka --outages 2 --seconds 15\n\n\
        The last line is `lost 0, reordered 0, duplicated N (bound M)`; anything else fails."
    )]
    Outage(outage::OutageArguments),
    /// Kill the schema registry (SIGKILL) while a worker copies lines through Avro, restart the worker meanwhile, start
    /// another one that has seen no schema, bring the registry back, and count what was lost or wrong.
    #[command(
        after_help = "Example: cargo xtask soak registry-outage --seconds 10\n\n\
        The last line is `lost 0, wrong 0`; anything else fails."
    )]
    RegistryOutage(registry::RegistryArguments),
}

pub(crate) fn run(steps: &Steps, arguments: &SoakArguments) -> Outcome {
    match &arguments.fault {
        Fault::Kill(arguments) => kill::run(steps, arguments),
        Fault::Outage(arguments) => outage::run(steps, arguments),
        Fault::RegistryOutage(arguments) => registry::run(steps, arguments),
    }
}

fn start_node(steps: &Steps) -> Outcome<Node> {
    steps.say(&format!("start a Kafka {KAFKA_VERSION} node"));
    let node = Node::builder().start()?;
    println!("bootstrap.servers={}", node.bootstrap());
    Ok(node)
}

//! `cargo xtask kafka`: a Kafka node for people.

use clap::{Args, Subcommand};
use ferroconnect_node::{Background, KAFKA_VERSION, Up};

use crate::clock::Stopwatch;
use crate::steps::{Outcome, Steps};

#[derive(Args)]
pub(crate) struct KafkaArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Start the node in the background, unless it is up; fetches Kafka the first time.
    #[command(after_help = "Example: cargo xtask kafka up --port 19092")]
    Up {
        /// The port of the plaintext listener: 9092 when left out, or a free one when that is taken.
        #[arg(long)]
        port: Option<u16>,
    },
    /// Stop the node; its topics stay for the next start.
    #[command(after_help = "Example: cargo xtask kafka down")]
    Down,
    /// Say whether the node is up, and where.
    #[command(after_help = "Example: cargo xtask kafka status")]
    Status,
}

pub(crate) fn run(steps: &Steps, arguments: &KafkaArguments) -> Outcome {
    let node = Background::of_workspace();
    match arguments.action {
        Action::Up { port } => up(steps, &node, port),
        Action::Down => down(steps, &node),
        Action::Status => status(&node),
    }
}

fn up(steps: &Steps, node: &Background, port: Option<u16>) -> Outcome {
    steps.say(&format!(
        "start a Kafka {KAFKA_VERSION} node in {}",
        node.folder().display()
    ));
    let started = Stopwatch::start();
    let up = node.up(port)?;
    match up.already {
        true => println!("It was up already."),
        false => println!("Ready after {:.1} s.", started.elapsed().as_secs_f64()),
    }
    describe(node, &up);
    Ok(())
}

fn down(steps: &Steps, node: &Background) -> Outcome {
    steps.say("stop the Kafka node");
    match node.down()? {
        true => println!("It is down."),
        false => println!("No node was up."),
    }
    println!(
        "Its topics are in {}; delete that folder to begin with none.",
        node.folder().display()
    );
    Ok(())
}

fn status(node: &Background) -> Outcome {
    match node.status()? {
        Some(up) => describe(node, &up),
        None => println!("No node is up; `cargo xtask kafka up` starts one."),
    }
    Ok(())
}

fn describe(node: &Background, up: &Up) {
    let Up {
        address,
        process_id,
        ..
    } = up;
    println!("A Kafka {KAFKA_VERSION} node (process {process_id}) listens on {address}.");
    println!("  in worker.properties:  bootstrap.servers={address}");
    println!(
        "  for one test:          FERROCONNECT_KAFKA={address} cargo test -p ferroconnect-tests -- --ignored NAME"
    );
    println!(
        "  what it says:          {}",
        node.folder().join("broker.log").display()
    );
    println!("  stop it:               cargo xtask kafka down");
}

//! The `ferroconnect` program: flags, files, start, progress, stop; everything else is in the library.

mod banner;
mod log;
mod memory;
mod progress;
mod registry;
mod signals;
mod voice;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use ferroconnect_runtime::task::TaskState;
use ferroconnect_runtime::{Runtime, StartError};

use voice::Voice;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Kafka Connect in Rust: moves records between files, databases and topics with the configurations you have.
#[derive(Parser, Debug)]
#[command(name = "ferroconnect", version, about, after_help = HELP_AFTER, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// How log lines look.
    #[arg(long, global = true, value_enum, default_value = "text")]
    log_format: log::Format,
    /// What is logged: error, warn, info, debug or trace, also per module, as in info,ferroconnect_runtime::kafka=debug. RUST_LOG says it
    /// too.
    #[arg(long, global = true, value_name = "LEVELS")]
    log_level: Option<String>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// One process with its own connectors; topics live in a Kafka cluster or in a folder of this machine.
    #[command(after_help = HELP_STANDALONE)]
    Standalone {
        /// The worker's properties: bootstrap.servers, key.converter, value.converter, ...
        worker: PathBuf,
        /// One file per connector: Java properties or JSON.
        connectors: Vec<PathBuf>,
        /// Check every key of every file, say what is wrong, and start nothing.
        #[arg(long)]
        check: bool,
    },
    /// A schema registry in a folder of this machine, with the REST interface of Confluent's.
    #[command(after_help = HELP_REGISTRY)]
    Registry {
        /// The folder; made if it does not exist. One process at a time owns it.
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// Where to listen; port 0 takes a free one.
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8081")]
        listen: String,
    },
}

const HELP_AFTER: &str = "\
Exit codes:
  0  stopped in order, by Ctrl-C or SIGTERM (Kafka's own worker ends with 143 then)
  1  wrong use of this command
  2  the worker's configuration is wrong
  3  a connector's configuration is wrong, or something does not start
  4  stopped in order, but a task had failed before

Start with the example that comes with the sources:
  ferroconnect standalone examples/quickstart/worker.properties examples/quickstart/connectors/*.properties";

const HELP_STANDALONE: &str = "\
A worker file needs three keys:
  bootstrap.servers=embedded:data        a folder for topics and offsets; one process at a time owns it
  key.converter=org.apache.kafka.connect.storage.StringConverter
  value.converter=org.apache.kafka.connect.storage.StringConverter
With a Kafka cluster the first is its addresses, and a fourth says where source offsets are kept:
  bootstrap.servers=broker-1:9092,broker-2:9092
  offset.storage.file.filename=/var/lib/ferroconnect/connect.offsets     the file of Kafka's own worker, read and written
A connector file needs name, connector.class and what the class asks for, for example:
  name=orders-in
  connector.class=FileStreamSource
  file=orders.txt
  topic=orders
Ctrl-C stops in order: what was read is written, offsets are stored, and the next start goes on from there.
--log-level debug shows more, --log-level warn less; --log-format json is for programs that collect logs.";

const HELP_REGISTRY: &str = "\
Converters and other programs use it as they use Confluent's registry:
  ferroconnect registry --data registry-data
  schema.registry.url=http://127.0.0.1:8081
What was answered is on the disk. It asks for no password: listen at an address that only friends can reach.
It compares Avro, JSON Schema and Protobuf schemas: the first level is BACKWARD, as in Confluent's.";

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::from(error.use_stderr()));
        }
    };
    let voice = Voice(arguments.log_format);
    if let Err(error) = log::install(arguments.log_format, arguments.log_level.as_deref()) {
        voice.refuse(&error);
        return ExitCode::from(1);
    }
    memory::use_small_pages();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            voice.refuse(&format!("no threads can be started: {error}"));
            return ExitCode::from(3);
        }
    };
    let code = runtime.block_on(async {
        match arguments.command {
            Command::Standalone {
                worker,
                connectors,
                check,
            } => standalone(&worker, &connectors, check, voice).await,
            Command::Registry { data, listen } => registry::run(&data, &listen, voice).await,
        }
    });
    // A connector that hangs must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(200));
    ExitCode::from(code)
}

async fn standalone(worker: &PathBuf, connectors: &[PathBuf], check: bool, voice: Voice) -> u8 {
    let mut signals = match signals::Signals::listen() {
        Ok(signals) => signals,
        Err(error) => {
            voice.refuse(&format!("signals cannot be heard: {error}"));
            return 3;
        }
    };
    let builder = connectors
        .iter()
        .fold(Runtime::builder().worker_file(worker), |builder, path| {
            builder.connector_file(path)
        });
    let plan = match builder.check() {
        Ok(plan) => plan,
        Err(error) => return refuse(&error, voice),
    };
    if check {
        plan.warnings().iter().for_each(|line| voice.warn(line));
        voice.say("The configuration is good.");
        return 0;
    }
    // A cluster that is away is waited for; a signal ends that.
    let started = tokio::select! {
        started = Box::pin(builder.start()) => started,
        name = signals.next() => {
            voice.say(&format!("{name}: stopped before everything had started."));
            return 0;
        }
    };
    let runtime = match started {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&error, voice),
    };
    voice.say(&banner::text(&plan));
    run(runtime, signals, voice).await
}

/// Shows progress until a signal arrives, then stops.
async fn run(runtime: Runtime, mut signals: signals::Signals, voice: Voice) -> u8 {
    let is_terminal = std::io::stderr().is_terminal();
    let mut progress = progress::Progress::new(is_terminal, voice);
    let name = loop {
        tokio::select! {
            name = signals.next() => break name,
            () = tokio::time::sleep(progress.interval()) => progress.show(&runtime.tasks()),
        }
    };
    progress.end();
    voice.say(&format!("{name}: stopping; a second one ends at once"));
    let stopped = tokio::select! {
        stopped = Box::pin(runtime.stop()) => stopped,
        _ = signals.next() => {
            voice.say("Ended at once. What was not committed is delivered again after the next start.");
            return 130;
        }
    };
    voice.say(&progress::summary(&stopped));
    let has_failed = stopped
        .iter()
        .any(|task| matches!(task.state(), TaskState::Failed(_)));
    if has_failed { 4 } else { 0 }
}

fn refuse(error: &StartError, voice: Voice) -> u8 {
    let lines = error.lines();
    for line in &lines {
        voice.refuse(line);
    }
    error.warnings().iter().for_each(|line| voice.warn(line));
    if let count @ 2.. = lines.len() {
        voice.say(&format!("{count} problems; nothing was started."));
    } else {
        voice.say("Nothing was started.");
    }
    error.exit_code()
}

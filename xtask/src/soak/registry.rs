//! `cargo xtask soak registry-outage`: the schema registry is killed in mid-run.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::Args;
use ferroconnect_node::Node;

use super::feed::Feed;
use super::output::Output;
use crate::clock::{self, Stopwatch};
use crate::steps::{Outcome, Steps, Trouble, Trying};
use crate::worker::{Bench, Layout, Program, Worker};

#[derive(Args)]
pub(crate) struct RegistryArguments {
    /// How long the registry is away while both workers run.
    #[arg(long, default_value_t = 10)]
    seconds: u32,
    /// Lines of the input.
    #[arg(long, default_value_t = 100_000)]
    lines: usize,
    /// Against a real Kafka node, started for this run, instead of the embedded log.
    #[arg(long)]
    kafka: bool,
    /// Run this build of `ferroconnect` instead of building one.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

pub(crate) fn run(steps: &Steps, arguments: &RegistryArguments) -> Outcome {
    let program = Program::given_or_built(steps, arguments.program.as_deref())?;
    let folder = tempfile::tempdir_in(steps.target()).trying("make a folder for the run")?;
    let node = match arguments.kafka {
        true => Some(super::start_node(steps)?),
        false => None,
    };
    let address = node.as_ref().map(Node::bootstrap);
    let Program::Ours(binary) = &program else {
        return Err(Trouble::new("the registry is a command of our program"));
    };
    let registry = Registry::start(binary, folder.path())?;
    let known = Side::create(
        &program,
        folder.path(),
        "known",
        &registry.url(),
        address.as_deref(),
        arguments.lines,
    )?;
    let fresh = Side::create(
        &program,
        folder.path(),
        "fresh",
        &registry.url(),
        address.as_deref(),
        FRESH_LINES,
    )?;
    let mut soak = Soak {
        registry,
        known,
        fresh,
    };
    let away = Duration::from_secs(arguments.seconds.into());
    let went = soak.go(steps, arguments.lines, away);
    let end = soak.verdict().and(went);
    if end.is_err() {
        let kept = folder.keep();
        steps.say(&format!("kept for a look: {}", kept.display()));
    }
    end
}

/// Two workers and their registry: one has seen its schemas before the registry dies, the other has not.
struct Soak {
    registry: Registry,
    known: Side,
    fresh: Side,
}

impl Soak {
    fn go(&mut self, steps: &Steps, lines: usize, away: Duration) -> Outcome {
        let quarter = lines / 4;
        steps.say("copy a quarter of the lines with the registry there");
        self.known.start()?;
        self.known.copy(quarter)?;
        steps.say("kill the registry (SIGKILL), copy a quarter");
        self.registry.kill()?;
        self.known.copy(quarter)?;
        steps.say("restart the worker while the registry is away, copy a quarter");
        self.known.restart()?;
        self.known.copy(quarter)?;
        steps.say("start a worker that has never seen the registry: it waits and says so");
        self.fresh.start()?;
        self.fresh.feed.finish()?;
        let said = self.fresh.waits_and_says()?;
        println!("the worker says: {said}");
        let waited = Stopwatch::start();
        while waited.elapsed() < away {
            self.fresh.worker()?.expect_running()?;
            self.known.worker()?.expect_running()?;
            clock::pause(LOOK_PAUSE);
        }
        if self.fresh.output.look()? {
            return Err(Trouble::new("something was written without its schema"));
        }
        steps.say("start the registry again");
        self.registry.restart()?;
        let back = Stopwatch::start();
        self.fresh.drain()?;
        println!(
            "{FRESH_LINES} waiting lines arrived {:.1} s after the registry was back",
            back.elapsed().as_secs_f64()
        );
        self.known.feed.finish()?;
        self.known.drain()?;
        self.known.stop()?;
        self.fresh.stop()
    }

    /// The last line, and whether it is a good one.
    fn verdict(&self) -> Outcome {
        let sides = [&self.known, &self.fresh];
        let lost: u64 = sides.iter().map(|side| side.output.missing()).sum();
        let counts = sides.map(|side| side.output.counts());
        let wrong: u64 = counts
            .iter()
            .map(|counts| counts.torn + counts.reordered)
            .sum();
        let duplicated: u64 = counts.iter().map(|counts| counts.duplicated()).sum();
        println!("duplicated {duplicated} (bound 0: no worker was killed)");
        println!("lost {lost}, wrong {wrong}");
        match (lost, wrong, duplicated) {
            (0, 0, 0) => Ok(()),
            _ => Err(Trouble::new("the copy is not what was promised")),
        }
    }
}

/// One worker that copies lines through Avro.
struct Side {
    bench: Bench,
    feed: Feed,
    output: Output,
    worker: Option<Worker>,
}

impl Side {
    fn create(
        program: &Program,
        folder: &Path,
        name: &str,
        registry: &str,
        bootstrap: Option<&str>,
        lines: usize,
    ) -> Outcome<Self> {
        let folder = folder.join(name);
        std::fs::create_dir(&folder).trying("make a folder for a worker")?;
        let converter = format!(
            "key.converter=org.apache.kafka.connect.storage.StringConverter\n\
             value.converter=io.confluent.connect.avro.AvroConverter\n\
             value.converter.schema.registry.url={registry}\n\
             value.converter.schema.registry.cache.dir={}",
            folder.join("schemas").display()
        );
        let mut layout = Layout::new(program, &folder, FLUSH_INTERVAL_MS);
        layout.topic = name;
        layout.suffix = name;
        layout.bootstrap = bootstrap;
        layout.converter = &converter;
        let bench = layout.write()?;
        Ok(Self {
            feed: Feed::create(&bench.input(), lines)?,
            output: Output::new(&bench.output(), lines),
            worker: None,
            bench,
        })
    }

    fn start(&mut self) -> Outcome {
        self.worker = Some(self.bench.start()?);
        Ok(())
    }

    fn stop(&mut self) -> Outcome {
        self.worker.take().map_or(Ok(()), Worker::stop)
    }

    fn restart(&mut self) -> Outcome {
        self.stop()?;
        self.start()
    }

    fn worker(&mut self) -> Outcome<&mut Worker> {
        let gone = || Trouble::new("the worker is not started");
        self.worker.as_mut().ok_or_else(gone)
    }

    /// Writes more lines and waits until all of them came out.
    fn copy(&mut self, lines: usize) -> Outcome {
        self.feed.write(lines, 0)?;
        let all = self.feed.begun() as u64;
        self.wait_for(all)
    }

    /// Waits for everything.
    fn drain(&mut self) -> Outcome {
        self.wait_for(self.feed.begun() as u64)
    }

    fn wait_for(&mut self, lines: u64) -> Outcome {
        let arrived = clock::wait_for("waiting for lines to come out", PATIENCE, || {
            if let Some(worker) = &mut self.worker {
                worker.expect_running()?;
            }
            self.output.look()?;
            let done = self.output.counts().distinct >= lines;
            Ok((done.then_some(()), self.output.bytes()))
        });
        arrived.map_err(|trouble| self.bench.explain(trouble))
    }

    /// The line in which the worker says what it waits for.
    fn waits_and_says(&self) -> Outcome<String> {
        let said = clock::wait_for("waiting for a word about the registry", SAYS_WITHIN, || {
            let said = self.bench.said();
            let line = said
                .lines()
                .find(|line| line.contains("waits for the schema registry"));
            Ok((line.map(|line| line.trim().to_owned()), ()))
        });
        said.map_err(|trouble| self.bench.explain(trouble))
    }
}

/// `ferroconnect registry` as a child process; killed when dropped.
struct Registry {
    binary: PathBuf,
    folder: PathBuf,
    port: u16,
    child: Child,
}

impl Registry {
    fn start(binary: &Path, folder: &Path) -> Outcome<Self> {
        let probe = TcpListener::bind("127.0.0.1:0").trying("find a free port")?;
        let port = probe.local_addr().trying("find a free port")?.port();
        drop(probe);
        let folder = folder.join("registry");
        let child = Self::spawn(binary, &folder, port)?;
        let mut registry = Self {
            binary: binary.to_path_buf(),
            folder,
            port,
            child,
        };
        registry.wait_until_it_listens()?;
        Ok(registry)
    }

    fn spawn(binary: &Path, folder: &Path, port: u16) -> Outcome<Child> {
        Command::new(binary)
            .arg("registry")
            .arg("--data")
            .arg(folder)
            .args(["--listen", &format!("127.0.0.1:{port}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .trying("start the registry")
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn wait_until_it_listens(&mut self) -> Outcome {
        clock::wait_for("waiting for the registry", SAYS_WITHIN, || {
            if let Some(status) = self.child.try_wait().trying("look after the registry")? {
                return Err(Trouble::new(format!("the registry ended with {status}")));
            }
            let open = std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok();
            Ok((open.then_some(()), ()))
        })
    }

    fn kill(&mut self) -> Outcome {
        self.child.kill().trying("kill the registry")?;
        self.child
            .wait()
            .trying("wait for the killed registry")
            .map(|_| ())
    }

    fn restart(&mut self) -> Outcome {
        self.child = Self::spawn(&self.binary, &self.folder, self.port)?;
        self.wait_until_it_listens()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // Ended already when a run is over; then both calls do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `offset.flush.interval.ms` of the workers.
const FLUSH_INTERVAL_MS: u64 = 50;

/// Lines of the worker that waits: enough for several batches.
const FRESH_LINES: usize = 5_000;

/// An operator looks at the terminal for about this long.
const SAYS_WITHIN: Duration = Duration::from_secs(10);

const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// Without any new output for this long, a worker is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

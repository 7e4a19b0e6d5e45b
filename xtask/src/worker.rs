//! A Connect worker as a child process, copying a file: the release build of `ferroconnect`, or Apache's.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use ferroconnect_node::{Distribution, LOGGING};

use crate::clock;
use crate::steps::{Outcome, Steps, Trouble, Trying};

/// A worker of Kafka Connect: who runs the files.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// Our release build.
    Ours(PathBuf),
    /// Apache's `ConnectStandalone`.
    Jvm(Distribution),
}

impl Program {
    /// The program that was given, or the worker built now; every [`Layout`] after uses it.
    pub(crate) fn given_or_built(steps: &Steps, given: Option<&Path>) -> Outcome<Self> {
        if let Some(program) = given {
            let found = program.canonicalize();
            return found
                .trying(&format!("find {}", program.display()))
                .map(Self::Ours);
        }
        steps.run(
            "cargo",
            &[
                "build",
                "--release",
                "-p",
                "ferroconnect-runtime",
                "--bin",
                "ferroconnect",
            ],
        )?;
        Ok(Self::Ours(steps.target().join("release/ferroconnect")))
    }

    /// The signal that asks for an orderly end, and the exit code after it. A JVM ends with 128 + the signal even
    /// then, and leaves an interrupt alone when its parent runs in the background.
    const fn orderly_end(&self) -> (&'static str, i32) {
        match self {
            Self::Ours(_) => ("INT", 0),
            Self::Jvm(_) => ("TERM", 143),
        }
    }

    /// What comes before the names of the files.
    fn command(&self) -> Command {
        match self {
            Self::Ours(program) => {
                let mut command = Command::new(program);
                command.arg("standalone");
                command
            }
            Self::Jvm(distribution) => {
                let mut command = distribution.command();
                command.args(JVM_OPTIONS).arg(JVM_MAIN);
                command
            }
        }
    }
}

/// What a worker is started with.
#[derive(Clone, Debug)]
pub(crate) struct Layout<'a> {
    /// Who runs it.
    pub(crate) program: &'a Program,
    /// Where its files, its input and its output are.
    pub(crate) folder: &'a Path,
    /// `bootstrap.servers`; the embedded log in the folder without it.
    pub(crate) bootstrap: Option<&'a str>,
    /// The topic between source and sink.
    pub(crate) topic: &'a str,
    /// Names of the connectors end in it: the sink's name is that of its consumer group.
    pub(crate) suffix: &'a str,
    /// `offset.flush.interval.ms`.
    pub(crate) flush_ms: u64,
    /// Lines of worker.properties that set the converters.
    pub(crate) converter: &'a str,
    /// More lines of worker.properties.
    pub(crate) more: &'a str,
}

impl<'a> Layout<'a> {
    /// A worker that copies text through the embedded log.
    pub(crate) const fn new(program: &'a Program, folder: &'a Path, flush_ms: u64) -> Self {
        Self {
            program,
            folder,
            bootstrap: None,
            topic: "copy",
            suffix: "",
            flush_ms,
            converter: STRING,
            more: "",
        }
    }

    /// Writes the configuration of a worker that copies `input` to `output`.
    pub(crate) fn write(&self) -> Outcome<Bench> {
        let path = |name: &str| self.folder.join(name).to_string_lossy().into_owned();
        let embedded = format!("embedded:{}", path("log"));
        let Self {
            topic,
            suffix,
            converter,
            more,
            ..
        } = self;
        let worker = format!(
            "bootstrap.servers={}\n\
             {converter}\n\
             offset.storage.file.filename={}\n\
             offset.flush.interval.ms={}\n\
             {more}\n",
            self.bootstrap.unwrap_or(&embedded),
            path("offsets"),
            self.flush_ms,
        );
        let source = format!(
            "name=copy-source{suffix}\nconnector.class=FileStreamSource\ntasks.max=1\nfile={}\ntopic={topic}\n",
            path("input")
        );
        let sink = format!(
            "name=copy-sink{suffix}\nconnector.class=FileStreamSink\ntasks.max=1\ntopics={topic}\nfile={}\n",
            path("output")
        );
        for (name, text) in [("worker", worker), ("source", source), ("sink", sink)] {
            let name = format!("{name}.properties");
            std::fs::write(self.folder.join(&name), text).trying(&format!("write {name}"))?;
        }
        if let Program::Jvm(_) = self.program {
            let path = self.folder.join("log4j2.properties");
            std::fs::write(path, LOGGING).trying("write log4j2.properties")?;
        }
        Ok(Bench {
            program: self.program.clone(),
            folder: self.folder.to_path_buf(),
        })
    }
}

/// A folder with everything one worker needs: configuration, input, log and output.
pub(crate) struct Bench {
    program: Program,
    folder: PathBuf,
}

impl Bench {
    pub(crate) fn input(&self) -> PathBuf {
        self.folder.join("input")
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.folder.join("output")
    }

    /// Bytes that reached the output; 0 while there is none.
    pub(crate) fn output_bytes(&self) -> u64 {
        std::fs::metadata(self.output()).map_or(0, |data| data.len())
    }

    /// Starts the worker; what it says is added to `worker.log`.
    pub(crate) fn start(&self) -> Outcome<Worker> {
        self.start_with(&["source.properties", "sink.properties"])
    }

    /// Starts the worker with the source alone.
    pub(crate) fn start_source(&self) -> Outcome<Worker> {
        self.start_with(&["source.properties"])
    }

    /// Starts the worker with the sink alone.
    pub(crate) fn start_sink(&self) -> Outcome<Worker> {
        self.start_with(&["sink.properties"])
    }

    fn start_with(&self, connectors: &[&str]) -> Outcome<Worker> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log())
            .and_then(|log| Ok((log.try_clone()?, log)))
            .trying("open worker.log")?;
        let child = self
            .program
            .command()
            .arg("worker.properties")
            .args(connectors)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(log.0)
            .stderr(log.1)
            .spawn()
            .trying("start the worker")?;
        Ok(Worker {
            child,
            orderly_end: self.program.orderly_end(),
        })
    }

    /// Adds the worker's last words to a failure.
    pub(crate) fn explain(&self, trouble: Trouble) -> Trouble {
        let log = self.said();
        let mut tail: Vec<&str> = log.lines().rev().take(TAIL_LINES).collect();
        tail.reverse();
        Trouble::new(format!(
            "{trouble}\nthe worker's last lines:\n{}",
            tail.join("\n")
        ))
    }

    /// Whether the worker said, when it stopped, that its source wrote so many records to the log.
    pub(crate) fn has_written(&self, records: u64) -> bool {
        let log = self.said();
        // Numbers are written in groups of three digits.
        log.replace(',', "")
            .contains(&format!(" {records} written to the log"))
    }

    /// What the worker said so far.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(self.log()).unwrap_or_default()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("worker.log")
    }
}

/// A running worker; killed when dropped.
pub(crate) struct Worker {
    child: Child,
    /// Its signal and its exit code.
    orderly_end: (&'static str, i32),
}

impl Worker {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Fails when the worker ended by itself.
    pub(crate) fn expect_running(&mut self) -> Outcome {
        match self.child.try_wait().trying("look after the worker")? {
            None => Ok(()),
            Some(status) => Err(Trouble::new(format!(
                "the worker ended by itself with {status}"
            ))),
        }
    }

    /// `kill -9`: no last words, no clean-up.
    pub(crate) fn kill(mut self) -> Outcome {
        self.child.kill().trying("kill the worker")?;
        self.child
            .wait()
            .trying("wait for the killed worker")
            .map(|_| ())
    }

    /// [`Worker::interrupt`], at the end of its life.
    pub(crate) fn stop(mut self) -> Outcome {
        self.interrupt()
    }

    /// Asks for an orderly end, which comes within the deadline.
    pub(crate) fn interrupt(&mut self) -> Outcome {
        let (signal, code) = self.orderly_end;
        let id = self.id().to_string();
        let status = Command::new("sh")
            .args(["-c", "kill -\"$0\" \"$1\"", signal, &id])
            .status();
        status.trying("ask the worker to stop")?;
        let ended: ExitStatus = clock::wait_for("stopping the worker", STOP_PATIENCE, || {
            Ok((self.child.try_wait().trying("wait for the worker")?, ()))
        })?;
        if ended.code() == Some(code) {
            return Ok(());
        }
        Err(Trouble::new(format!(
            "the worker stopped with {ended}, not cleanly"
        )))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Ended already in the good case; then both calls do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const STOP_PATIENCE: Duration = Duration::from_secs(30);
const TAIL_LINES: usize = 20;

/// Text as it is.
pub(crate) const STRING: &str = "\
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter";

/// What `connect-standalone.sh` and `kafka-run-class.sh` give to their JVM, unless told otherwise.
const JVM_OPTIONS: [&str; 8] = [
    "-Xms256M",
    "-Xmx2G",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-Djava.awt.headless=true",
    "-Dlog4j2.configurationFile=log4j2.properties",
];

const JVM_MAIN: &str = "org.apache.kafka.connect.cli.ConnectStandalone";

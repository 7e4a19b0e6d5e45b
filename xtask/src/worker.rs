//! The release build of `ferroconnect` as a child process, copying a file through the embedded log.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::clock;
use crate::steps::{Outcome, Steps, Trouble, Trying};

/// A folder with everything one worker needs: configuration, input, log and output.
pub(crate) struct Bench {
    program: PathBuf,
    folder: PathBuf,
}

impl Bench {
    /// Builds the worker; every [`Bench::lay_out`] after uses that build.
    pub(crate) fn build(steps: &Steps) -> Outcome<PathBuf> {
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
        Ok(steps.target().join("release/ferroconnect"))
    }

    /// Writes the configuration of a worker that copies `input` to `output` in `folder`.
    pub(crate) fn lay_out(program: &Path, folder: &Path, flush_ms: u64) -> Outcome<Self> {
        Self::lay_out_with(program, folder, flush_ms, "StringConverter")
    }

    /// The same with a converter of any alias or class for keys and values.
    pub(crate) fn lay_out_with(
        program: &Path,
        folder: &Path,
        flush_ms: u64,
        converter: &str,
    ) -> Outcome<Self> {
        let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let worker = format!(
            "bootstrap.servers=embedded:{}\n\
             key.converter={converter}\n\
             value.converter={converter}\n\
             offset.storage.file.filename={}\n\
             offset.flush.interval.ms={flush_ms}\n",
            path("log"),
            path("offsets"),
        );
        let source = format!(
            "name=copy-source\nconnector.class=FileStreamSource\ntasks.max=1\nfile={}\ntopic=copy\n",
            path("input")
        );
        let sink = format!(
            "name=copy-sink\nconnector.class=FileStreamSink\ntasks.max=1\ntopics=copy\nfile={}\n",
            path("output")
        );
        for (name, text) in [("worker", worker), ("source", source), ("sink", sink)] {
            let name = format!("{name}.properties");
            std::fs::write(folder.join(&name), text).trying(&format!("write {name}"))?;
        }
        Ok(Self {
            program: program.to_path_buf(),
            folder: folder.to_path_buf(),
        })
    }

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

    fn start_with(&self, connectors: &[&str]) -> Outcome<Worker> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log())
            .and_then(|log| Ok((log.try_clone()?, log)))
            .trying("open worker.log")?;
        let child = Command::new(&self.program)
            .args(["standalone", "worker.properties"])
            .args(connectors)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(log.0)
            .stderr(log.1)
            .spawn()
            .trying("start the worker")?;
        Ok(Worker(child))
    }

    /// Adds the worker's last words to a failure.
    pub(crate) fn explain(&self, trouble: Trouble) -> Trouble {
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        let mut tail: Vec<&str> = log.lines().rev().take(TAIL_LINES).collect();
        tail.reverse();
        Trouble::new(format!(
            "{trouble}\nthe worker's last lines:\n{}",
            tail.join("\n")
        ))
    }

    /// Whether the worker said, when it stopped, that its source wrote so many records to the log.
    pub(crate) fn has_written(&self, records: u64) -> bool {
        let log = std::fs::read_to_string(self.log()).unwrap_or_default();
        // Numbers are written in groups of three digits.
        log.replace(',', "")
            .contains(&format!(" {records} written to the log"))
    }

    fn log(&self) -> PathBuf {
        self.folder.join("worker.log")
    }
}

/// A running worker; killed when dropped.
pub(crate) struct Worker(Child);

impl Worker {
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Fails when the worker ended by itself.
    pub(crate) fn expect_running(&mut self) -> Outcome {
        match self.0.try_wait().trying("look after the worker")? {
            None => Ok(()),
            Some(status) => Err(Trouble::new(format!(
                "the worker ended by itself with {status}"
            ))),
        }
    }

    /// `kill -9`: no last words, no clean-up.
    pub(crate) fn kill(mut self) -> Outcome {
        self.0.kill().trying("kill the worker")?;
        self.0
            .wait()
            .trying("wait for the killed worker")
            .map(|_| ())
    }

    /// Ctrl-C, then a clean end within the deadline.
    pub(crate) fn stop(mut self) -> Outcome {
        let id = self.id().to_string();
        let status = Command::new("kill").args(["-INT", &id]).status();
        status.trying("send the worker an interrupt")?;
        let ended: ExitStatus = clock::wait_for("stopping the worker", STOP_PATIENCE, || {
            Ok((self.0.try_wait().trying("wait for the worker")?, ()))
        })?;
        if ended.success() {
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
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const STOP_PATIENCE: Duration = Duration::from_secs(30);
const TAIL_LINES: usize = 20;

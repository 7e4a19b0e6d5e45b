//! A node and what can be done to it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::builder::Builder;
use crate::distribution::{self, Distribution};
use crate::error::{NodeError, Trying};
use crate::jvm::Jvm;
use crate::ports::Port;
use crate::{KAFKA_VERSION, clock, probe, settings};

/// One Kafka node, running or not. Dropped, it is killed, and its temporary folder goes with it.
#[derive(Debug)]
pub struct Node {
    // Fields drop in this order: the process goes before its folder.
    jvm: Option<Jvm>,
    distribution: Distribution,
    settings: Builder,
    /// One for each listener of the settings, then the controller's.
    ports: Vec<Port>,
    folder: PathBuf,
    temporary: Option<TempDir>,
}

impl Node {
    /// Describes a node with a plaintext listener and no extras.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn prepare(settings: Builder) -> Result<Self, NodeError> {
        let distribution = Distribution::fetch()?;
        let (folder, temporary) = match &settings.folder {
            Some(folder) => (folder.clone(), None),
            None => {
                let nodes = distribution::kafka_folder().join("nodes");
                std::fs::create_dir_all(&nodes).trying("create a folder for nodes")?;
                let folder = tempfile::tempdir_in(nodes).trying("create a folder for a node")?;
                (folder.path().to_path_buf(), Some(folder))
            }
        };
        std::fs::create_dir_all(&folder).trying(&format!("create {}", folder.display()))?;
        let first = settings
            .port
            .map_or_else(Port::claim, |port| Ok(Port::fixed(port)));
        let mut ports = vec![first?];
        while ports.len() <= settings.listeners.len() {
            ports.push(Port::claim()?);
        }
        let node = Self {
            jvm: None,
            distribution,
            settings,
            ports,
            folder,
            temporary,
        };
        node.write_files()?;
        Ok(node)
    }

    /// Starts it on the same ports and data, and waits until it answers. Nothing happens when it runs already.
    ///
    /// # Errors
    /// When it ends by itself or does not answer in time; the error shows its last lines.
    pub fn start(&mut self) -> Result<(), NodeError> {
        if self.jvm.is_some() {
            return Ok(());
        }
        if !self.data_folder().join("meta.properties").exists() {
            self.format()?;
        }
        let mut command = self.java();
        command.arg("kafka.Kafka").arg(self.folder.join(PROPERTIES));
        let temporary = self.temporary.as_ref().map(TempDir::path);
        let mut jvm = Jvm::start(&mut command, &self.log_file(), temporary)?;
        let address = self.bootstrap();
        let ready = clock::wait(START_PATIENCE, || match jvm.ended()? {
            Some(status) => Err(NodeError::new(format!("the node ended with {status}"))),
            None => Ok(probe::answers(&address).then_some(())),
        });
        match ready {
            Ok(Some(())) => {
                self.jvm = Some(jvm);
                Ok(())
            }
            Ok(None) => {
                let seconds = START_PATIENCE.as_secs();
                let words = format!("the node does not answer on {address} after {seconds} s");
                Err(self.explain(&words))
            }
            Err(error) => Err(self.explain(&error.to_string())),
        }
    }

    /// SIGTERM: the node shuts down cleanly, which takes some seconds. Nothing happens when it does not run.
    ///
    /// # Errors
    /// When it has not ended in time; it is killed then.
    pub fn stop(&mut self) -> Result<(), NodeError> {
        let Some(mut jvm) = self.jvm.take() else {
            return Ok(());
        };
        jvm.signal("TERM")?;
        // A suspended process hears it only when it goes on.
        jvm.signal("CONT")?;
        match jvm.wait(STOP_PATIENCE)? {
            Some(_) => Ok(()),
            None => Err(self.explain("the node does not stop; it was killed")),
        }
    }

    /// SIGKILL, and waits until the process is gone. Nothing happens when it does not run.
    ///
    /// # Errors
    /// None today.
    pub fn kill(&mut self) -> Result<(), NodeError> {
        drop(self.jvm.take());
        Ok(())
    }

    /// SIGSTOP: connections stay open and nobody answers, like a machine that hangs.
    ///
    /// # Errors
    /// When it does not run.
    pub fn suspend(&self) -> Result<(), NodeError> {
        self.running()?.signal("STOP")
    }

    /// SIGCONT: goes on after [`Node::suspend`].
    ///
    /// # Errors
    /// When it does not run.
    pub fn resume(&self) -> Result<(), NodeError> {
        self.running()?.signal("CONT")
    }

    /// Lets the process live on after this value and this program; returns its process id. The folder must have
    /// been given, for a temporary one is removed.
    ///
    /// # Errors
    /// When it does not run, or its folder is temporary.
    pub fn detach(mut self) -> Result<u32, NodeError> {
        if self.temporary.is_some() {
            return Err(NodeError::new("a node with a temporary folder cannot stay"));
        }
        match self.jvm.take() {
            Some(jvm) => Ok(jvm.detach()),
            None => Err(NodeError::new("the node does not run")),
        }
    }

    /// `bootstrap.servers` of the plaintext listener.
    pub fn bootstrap(&self) -> String {
        format!("{}:{}", self.settings.host, self.ports[0].number())
    }

    /// `bootstrap.servers` of a listener of the builder; `None` for an unknown name.
    pub fn bootstrap_of(&self, listener: &str) -> Option<String> {
        let named = |l: &crate::builder::Listener| l.name == listener;
        let at = self.settings.listeners.iter().position(named)?;
        Some(format!(
            "{}:{}",
            self.settings.host,
            self.ports[at].number()
        ))
    }

    /// The id of the process while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.jvm.as_ref().map(Jvm::id)
    }

    /// Where the partitions lie (`log.dirs`).
    pub fn data_folder(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Where configuration, log and data lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the node said, over all its starts.
    pub fn log_file(&self) -> PathBuf {
        self.folder.join("broker.log")
    }

    fn running(&self) -> Result<&Jvm, NodeError> {
        let jvm = self.jvm.as_ref();
        jvm.ok_or_else(|| NodeError::new("the node does not run"))
    }

    fn write_files(&self) -> Result<(), NodeError> {
        let mut numbers = self.ports.iter().map(Port::number);
        let listeners: Vec<_> = self
            .settings
            .listeners
            .iter()
            .cloned()
            .zip(numbers.clone())
            .collect();
        let properties = settings::properties(
            &listeners,
            numbers.next_back().unwrap_or_default(),
            &self.settings.host,
            &self.data_folder(),
            &self.settings.properties,
        );
        let files = [
            (PROPERTIES, settings::text(&properties)),
            (LOGGING, settings::LOGGING.to_owned()),
        ];
        for (name, text) in files {
            std::fs::write(self.folder.join(name), text).trying(&format!("write {name}"))?;
        }
        Ok(())
    }

    /// Writes the first metadata: cluster id, features, users. Without users it is the same for every node, and a
    /// copy of what an earlier one got saves a third of its start.
    fn format(&self) -> Result<(), NodeError> {
        let plain = self.settings.scram.is_empty();
        let kept = distribution::kafka_folder().join(format!("{KAFKA_VERSION}-formatted"));
        let data = self.data_folder();
        if plain && kept.is_dir() {
            return copy_files(&kept, &data).trying("copy the first metadata");
        }
        let mut command = self.java();
        command.args(["kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER]);
        command.arg("--config").arg(self.folder.join(PROPERTIES));
        for user in &self.settings.scram {
            command.args(["--add-scram", user]);
        }
        let output = command.stdin(Stdio::null()).output().trying("run java")?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            let said = last_lines(&String::from_utf8_lossy(&said));
            return Err(NodeError::new(format!("cannot format the node:\n{said}")));
        }
        if plain {
            let new = kept.with_file_name(format!("new-{}", self.ports[0].number()));
            copy_files(&data, &new).trying("keep the first metadata")?;
            // Somebody else may have been faster; then this copy is not needed.
            if std::fs::rename(&new, &kept).is_err() {
                std::fs::remove_dir_all(&new).trying("remove a second copy")?;
            }
        }
        Ok(())
    }

    /// A JVM that starts fast and stays small.
    fn java(&self) -> Command {
        let mut command = self.distribution.command();
        command
            .arg(format!("-Xmx{}m", self.settings.heap_mb))
            .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
            .arg(format!(
                "-Dlog4j2.configurationFile={}",
                self.folder.join(LOGGING).display()
            ))
            .args(&self.settings.jvm_options)
            .current_dir(&self.folder);
        command
    }

    fn explain(&self, words: &str) -> NodeError {
        let log = std::fs::read(self.log_file()).unwrap_or_default();
        let log = last_lines(&String::from_utf8_lossy(&log));
        NodeError::new(format!("{words}; its last lines:\n{log}"))
    }
}

/// Copies the files of a folder without folders.
fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn last_lines(text: &str) -> String {
    let count = text.lines().count();
    let tail: Vec<&str> = text
        .lines()
        .skip(count.saturating_sub(TAIL_LINES))
        .collect();
    tail.join("\n")
}

const PROPERTIES: &str = "server.properties";
const LOGGING: &str = "log4j2.properties";

/// Any sixteen bytes: every node is a cluster of its own.
const CLUSTER: &str = "RmVycm9jb25uZWN0LW5vZA";

/// Three to five seconds on an idle machine; tests may run beside it.
const START_PATIENCE: Duration = Duration::from_secs(120);

const STOP_PATIENCE: Duration = Duration::from_secs(60);

const TAIL_LINES: usize = 25;

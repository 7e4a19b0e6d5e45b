//! A node that stays when the program that started it has ended.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{NodeError, Trying};
use crate::node::Node;
use crate::{clock, distribution, jvm, probe};

/// The node that lives in one folder, up or down. Its data stays there in between.
#[derive(Debug)]
pub struct Background {
    folder: PathBuf,
}

/// A node that is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Up {
    /// `bootstrap.servers`.
    pub address: String,
    /// The process.
    pub process_id: u32,
    /// Whether it was up before.
    pub already: bool,
}

impl Background {
    /// The one node for people: in `target/kafka/node` of this workspace.
    #[must_use]
    pub fn of_workspace() -> Self {
        Self::in_folder(distribution::kafka_folder().join("node"))
    }

    /// Another one in this folder.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self { folder }
    }

    /// Where its configuration, log (`broker.log`) and data lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts it, unless it is up. Without a `port` it takes 9092, or a free one when somebody has that.
    ///
    /// # Errors
    /// When it cannot start, or is up on another port than the one asked for.
    pub fn up(&self, port: Option<u16>) -> Result<Up, NodeError> {
        std::fs::create_dir_all(&self.folder).trying("create the node's folder")?;
        let lock = File::create(self.folder.join("lock")).trying("create the node's lock")?;
        lock.lock().trying("wait for another command")?;
        if let Some(up) = self.status()? {
            let asked = port.is_none_or(|port| up.address.ends_with(&format!(":{port}")));
            return match asked {
                true => Ok(up),
                false => Err(NodeError::new(format!(
                    "the node is up on {}; take it down first",
                    up.address
                ))),
            };
        }
        let mut builder = Node::builder().folder(&self.folder).heap_mb(HEAP_MB);
        let usual = || TcpListener::bind((Ipv4Addr::LOCALHOST, USUAL_PORT)).is_ok();
        if let Some(port) = port.or_else(|| usual().then_some(USUAL_PORT)) {
            builder = builder.port(port);
        }
        let node = builder.start()?;
        let address = node.bootstrap();
        let process_id = node.detach()?;
        let state = format!("{process_id} {address}\n");
        std::fs::write(self.folder.join(STATE), state).trying("note that the node is up")?;
        Ok(Up {
            address,
            process_id,
            already: false,
        })
    }

    /// Stops it; says whether it was up.
    ///
    /// # Errors
    /// When it does not end even by SIGKILL.
    pub fn down(&self) -> Result<bool, NodeError> {
        let Some((process_id, _)) = self.state() else {
            return Ok(false);
        };
        let was_up = self.is_ours(process_id);
        if was_up {
            jvm::send("TERM", process_id)?;
            let gone = |patience| {
                clock::wait(patience, || {
                    Ok::<_, NodeError>((!self.is_ours(process_id)).then_some(()))
                })
            };
            if gone(STOP_PATIENCE)?.is_none() {
                jvm::send("KILL", process_id)?;
                gone(STOP_PATIENCE)?
                    .ok_or_else(|| NodeError::new(format!("process {process_id} stays")))?;
            }
        }
        std::fs::remove_file(self.folder.join(STATE)).trying("note that the node is down")?;
        Ok(was_up)
    }

    /// The node when it is up and answers.
    ///
    /// # Errors
    /// When the process is there and does not answer.
    pub fn status(&self) -> Result<Option<Up>, NodeError> {
        let state = self.state();
        let Some((process_id, address)) = state.filter(|(id, _)| self.is_ours(*id)) else {
            return Ok(None);
        };
        if !probe::answers(&address) {
            return Err(NodeError::new(format!(
                "the node (process {process_id}) does not answer on {address}; see {}",
                self.folder.join("broker.log").display()
            )));
        }
        Ok(Some(Up {
            address,
            process_id,
            already: true,
        }))
    }

    fn state(&self) -> Option<(u32, String)> {
        let state = std::fs::read_to_string(self.folder.join(STATE)).ok()?;
        let (process_id, address) = state.trim().split_once(' ')?;
        Some((process_id.parse().ok()?, address.to_owned()))
    }

    /// Whether that process runs and was started in our folder: after a restart of the machine the number may be
    /// another program's.
    fn is_ours(&self, process_id: u32) -> bool {
        let line = std::fs::read(format!("/proc/{process_id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        line.split('\0')
            .any(|word| Path::new(word).starts_with(&self.folder))
    }
}

/// Process id and address.
const STATE: &str = "up";

/// Where everybody expects Kafka.
const USUAL_PORT: u16 = 9_092;

/// For people's experiments; more than a test needs.
const HEAP_MB: u32 = 512;

const STOP_PATIENCE: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_never_was_is_down() {
        let folder = tempfile::tempdir().unwrap();
        let node = Background::in_folder(folder.path());
        assert_eq!(node.status().unwrap(), None);
        assert!(!node.down().unwrap());
    }

    #[test]
    fn a_process_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let node = Background::in_folder(folder.path());
        let state = format!("{} 127.0.0.1:9092\n", std::process::id());
        std::fs::write(folder.path().join(STATE), state).unwrap();
        assert_eq!(node.status().unwrap(), None);
        assert!(!node.down().unwrap(), "this test goes on");
        assert_eq!(node.state(), None);
    }
}

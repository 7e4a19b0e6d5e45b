//! The node of cases with levers: one for all of them, used by one case at a time.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use ferroconnect_node::Node;
use ferroconnect_runtime::ids::TopicPartition;

/// How often a suspended node is looked at until all of it stands still.
const LOOKS_MAX: usize = 1_000;
/// Pause between two looks.
const LOOK_PAUSE: Duration = Duration::from_millis(2);

static NODE: OnceLock<Mutex<Node>> = OnceLock::new();

/// A running Kafka node that nobody else uses while this is here.
#[derive(Debug)]
pub(crate) struct OwnNode(MutexGuard<'static, Node>);

impl OwnNode {
    /// Waits until no other case uses the node; the first starts it.
    ///
    /// # Panics
    /// If it cannot be started.
    pub(crate) fn take() -> Self {
        let node = NODE.get_or_init(|| {
            let started = Node::builder().start();
            Mutex::new(started.expect("a Kafka node can be started here"))
        });
        let mut node = node.lock().unwrap_or_else(PoisonError::into_inner);
        // A case that killed it may not have got it up again.
        node.start().expect("the Kafka node can be started again");
        Self(node)
    }

    pub(crate) fn bootstrap(&self) -> String {
        self.0.bootstrap()
    }

    /// It hangs from now on: connections stay, nobody answers.
    ///
    /// # Panics
    /// If it does not run, or runs on.
    #[expect(
        clippy::disallowed_methods,
        reason = "the node is another process; nothing tells when all its threads stand still"
    )]
    pub(crate) fn suspend(&self) {
        self.0.suspend().expect("the node runs");
        // The signal is on its way to each thread by itself.
        let stopped = || self.threads().all(|stat| stat.contains(") T "));
        let looks = (0..LOOKS_MAX).any(|_| {
            std::thread::sleep(LOOK_PAUSE);
            stopped()
        });
        assert!(looks, "the node stops");
    }

    /// What Linux says about each thread of the node (proc(5), `stat`).
    fn threads(&self) -> impl Iterator<Item = String> {
        let process = self.0.process_id().expect("the node runs");
        let threads = std::fs::read_dir(format!("/proc/{process}/task"));
        let threads = threads.expect("Linux lists the threads of a process");
        threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("stat")).ok())
    }

    /// Ends [`OwnNode::suspend`].
    pub(crate) fn resume(&self) {
        self.0.resume().expect("the node runs");
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.0.kill().expect("the node can be killed");
    }

    /// Up again after [`OwnNode::kill`], with the same data and address.
    pub(crate) fn start(&mut self) {
        self.0.start().expect("the node starts again");
    }

    /// Both.
    pub(crate) fn restart_after_kill(&mut self) {
        self.kill();
        self.start();
    }

    /// Flips the last byte of the last stored batch of `partition`.
    ///
    /// # Panics
    /// If nothing is stored.
    pub(crate) fn damage(&self, partition: &TopicPartition) {
        let folder = self.0.data_folder().join(partition.to_string());
        let segment = folder.join("00000000000000000000.log");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&segment)
            .expect("the first segment of the partition is there");
        let mut byte = [0];
        file.seek(SeekFrom::End(-1)).expect("something is stored");
        file.read_exact(&mut byte).expect("the last byte is there");
        file.seek(SeekFrom::End(-1)).expect("something is stored");
        file.write_all(&[byte[0] ^ 0x55])
            .expect("the segment can be written");
    }
}

impl Drop for OwnNode {
    /// The next case finds it running, however this one ended.
    fn drop(&mut self) {
        let _ = self.0.resume();
    }
}

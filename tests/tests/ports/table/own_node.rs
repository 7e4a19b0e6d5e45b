//! The node of cases with levers: one for all of them, used by one at a time.

use ferroconnect_runtime::ids::TopicPartition;

/// A Kafka node that nobody else uses while this is here.
#[derive(Debug)]
pub(crate) struct OwnNode;

impl OwnNode {
    /// Waits until no other case uses the node.
    pub(crate) fn take() -> Self {
        Self
    }
    pub(crate) fn bootstrap(&self) -> String {
        std::env::var("OWN_KAFKA").expect("own")
    }
    fn signal(&self, signal: &str) {
        let pid = std::env::var("OWN_PID").expect("own");
        std::process::Command::new("kill")
            .args([signal, &pid])
            .status()
            .expect("kill");
    }
    pub(crate) fn suspend(&self) {
        self.signal("-STOP");
    }
    pub(crate) fn resume(&self) {
        self.signal("-CONT");
    }
    pub(crate) fn damage(&self, _partition: &TopicPartition) {
        panic!("not here");
    }
}

impl Drop for OwnNode {
    fn drop(&mut self) {
        self.resume();
    }
}

//! The worker end to end: loops, ports, stores and connectors together, on the embedded log and on the in-memory cluster.

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod bench;
mod cases;
mod flow;
mod kafka;
mod lifecycle;
mod offset_file;
mod pipe;
mod pipe_sink;
mod plugins;
mod port_table;
mod port_table_sink;
mod registry;
mod trouble;
mod vectors;

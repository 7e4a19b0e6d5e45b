//! Configuration of worker and connectors: raw text in, typed structs out, every problem at once.
//!
//! Nothing behind this module looks a key up by name; what exists as a struct is valid.

mod clients;
mod connector;
mod definition;
mod distributed;
pub mod files;
mod findings;
pub mod properties;
pub mod providers;
mod sink;
mod source;
pub mod suggest;
mod topic_groups;
mod validate;
mod worker;

pub use clients::{
    OverridePolicy, WorkerClients, check_overrides, check_worker_clients, overridable,
};
pub use connector::{
    ConnectorConfig, ErrorPolicy, InitialState, PluginConfig, Tolerance, connector_def, task_def,
};
pub use definition::{CheckedAgainst, ConnectorDefinition};
pub use distributed::distributed_def;
pub use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Secret, Setting, Settings,
    Validator, Width, prefixed,
};
pub use findings::{Finding, Findings};
pub use sink::{SinkConfig, Topics, sink_def};
pub use source::{SourceConfig, TransactionBoundary, source_def};
pub use topic_groups::{TopicCreation, TopicGroup, topic_group_def};

pub use validate::{PlannedConnector, check_connector, check_worker_plugins};
pub use worker::{ClusterLocation, WorkerConfig, common_def, standalone_def};

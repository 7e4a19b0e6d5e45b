//! The behaviour of the Kafka ports as one table of cases, run against every adapter.
//!
//! A case gets a [`Stage`]: a cluster and the few levers that differ between adapters (hold back
//! acknowledgements, cut the cluster off, damage a batch). Cases use topics, groups and transactional
//! ids of their own, so that one long-lived cluster can serve them all.

pub(crate) mod admin;
pub(crate) mod consuming;
mod groups;
mod own_node;
pub(crate) mod producing;
mod stage;
mod tools;
pub(crate) mod transactions;

pub(crate) use groups::{Club, Dealing, broker_groups, cooperative_groups, eager_groups};
pub(crate) use own_node::OwnNode;
pub(crate) use stage::{Embedded, Fake, Kafka, Stage, prefix, shared};
pub(crate) use tools::{
    LONG, SHORT, batch_of, collect_outcomes, produce, read_all, read_settled, reader, refused,
    values,
};

/// The outcome of a case.
pub(crate) type Case = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Runs `case` on a runtime of its own.
///
/// # Panics
/// If the case fails.
pub(crate) fn run<F: Future<Output = Case>>(case: F) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let outcome = runtime
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(case));
    assert!(
        outcome.is_ok(),
        "{}",
        outcome
            .err()
            .map_or_else(String::new, |error| error.to_string())
    );
}

/// Makes a test of every case for every adapter: `adapter::area::case`.
macro_rules! port_table {
    ($($area:ident: $($case:ident)*;)*) => {
        mod fake {
            $(mod $area { $(#[test] fn $case() {
                crate::table::run(crate::table::$area::$case(crate::table::Fake::new()));
            })* })*
        }
        mod embedded {
            $(mod $area { $(#[test] fn $case() {
                crate::table::run(crate::table::$area::$case(crate::table::Embedded::new()));
            })* })*
        }
        mod kafka {
            $(mod $area { $(#[test] #[ignore = "needs a Kafka node: cargo xtask test"] fn $case() {
                let stage = crate::table::Kafka::for_case(stringify!($case));
                crate::table::run(crate::table::$area::$case(stage));
            })* })*
        }
    };
}

pub(crate) use port_table;

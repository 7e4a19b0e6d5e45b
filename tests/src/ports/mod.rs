//! The behaviour of the Kafka ports as one table of cases, run against every adapter.
//!
//! A case gets a [`Stage`]: a cluster and the few levers that differ between adapters (hold back
//! acknowledgements, cut the cluster off, damage a batch). Cases use topics, groups and transactional
//! ids of their own, so that one long-lived cluster can serve them all.

pub mod admin;
pub mod consuming;
pub mod groups;
pub mod producing;
mod stage;
mod tools;
pub mod transactions;

pub use stage::{Embedded, Fake, Stage};
pub use tools::{Collected, batch_of, read_all, values};

/// The outcome of a case.
pub type Case = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Runs `case` on a runtime of its own.
///
/// # Panics
/// If the case fails.
pub fn run<F: Future<Output = Case>>(case: F) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
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

/// Makes a test of every case for every adapter: `adapter::case`.
#[macro_export]
macro_rules! port_table {
    ($($area:ident: $($case:ident)*;)*) => {
        mod fake {
            $($(#[test] fn $case() {
                $crate::ports::run($crate::ports::$area::$case($crate::ports::Fake::new()));
            })*)*
        }
        mod embedded {
            $($(#[test] fn $case() {
                $crate::ports::run($crate::ports::$area::$case($crate::ports::Embedded::new()));
            })*)*
        }
    };
}

//! Java client properties against a real broker: every way to show who one is, and every way to get it wrong.

#![allow(
    clippy::unwrap_used,
    reason = "what the cases share fails as a case does"
)]

mod broker;
mod client;
mod jaas;
mod material;
mod page;
mod refusals;
mod round_trips;

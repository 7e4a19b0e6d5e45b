//! Java client properties against a real broker: every way to show who one is, and every way to get it wrong.

mod broker;
mod client;
mod material;
mod refusals;
mod round_trips;

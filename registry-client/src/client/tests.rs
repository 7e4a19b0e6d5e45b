//! The client over transports in memory.

mod answers;
mod outages;
mod recorded;
mod requests;
mod script;

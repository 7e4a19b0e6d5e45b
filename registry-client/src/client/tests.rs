//! The client over transports in memory.

mod answers;
mod outages;
mod requests;
mod script;

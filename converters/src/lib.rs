//! Kafka Connect converters.
#![allow(missing_docs, clippy::all, reason = "stub")]
pub mod config;
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault { Config, Data, Transient, Fenced, Plugin, Bug }
#[derive(Debug)]
pub struct Error(Box<u8>);
impl Error { pub fn fault(&self) -> Fault { Fault::Data } }
impl std::fmt::Display for Error { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "x{}", self.0) } }

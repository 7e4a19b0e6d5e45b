//! Java client properties as typed settings.
//!
//! [`KEYS`] is the one table of every configuration key of Kafka 4.3's producer, consumer and admin clients, with what each
//! does here. Settings come in [layers](Layers): defaults of Connect, then the worker's `producer.` and so on, then the connector's
//! `producer.override.`. They come out typed: [`ConnectionSettings`] for every client, [`ProducerSettings`] and [`ConsumerSettings`]
//! beside the settings of the ports. Nothing here does I/O: key stores stay names of files until an adapter reads them.

mod connection;
mod consumer;
mod docs;
mod keys;
mod layers;
mod producer;
pub mod security;

pub use connection::{ConnectionSettings, MetadataRecovery};
pub use consumer::{Assignor, ConsumerSettings, GroupProtocol};
pub use docs::client_properties_page;
pub use keys::{ClientKey, ClientKind, Effect, KEYS, KeyDefault, client_def, client_key};
pub use layers::{Layers, Parsed};
pub use producer::{Acks, Compression, ProducerSettings};
pub use security::{
    KeyMaterial, OAuth, Sasl, ScramHash, Security, StoreFile, StoreKind, Tls, TokenRequest,
    TrustMaterial,
};

#[cfg(test)]
mod tests;

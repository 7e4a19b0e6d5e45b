//! Key stores and trust stores: JKS, PKCS#12 and PEM.
//!
//! Where they are is plain data ([`KeyMaterial`], [`TrustMaterial`]), made from Kafka's keys by [`KeySource`] and [`TrustSource`].
//! With feature `http` they are read.

mod material;
#[cfg(feature = "http")]
mod read;

pub use material::{
    KeyMaterial, KeySource, Refusal, StoreFile, StoreKind, TrustMaterial, TrustSource,
};
#[cfg(feature = "http")]
pub use read::{
    Identity, ReadFile, STORE_BYTES_MAX, StoreError, Trusted, Validity, identity, trusted,
};

//! The TLS settings of a client: rustls with ring, TLS 1.2 and 1.3, host names always checked.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::config::TlsSettings;
use crate::keystore::{self, Identity};
use crate::{Error, Secret};

/// Reads the stores, and the system's list of authorities where no trust store is named and `is_needed`.
///
/// # Errors
/// A store that cannot be read, or holds nothing that fits.
pub(super) fn rustls_config(
    settings: &TlsSettings,
    is_needed: bool,
) -> Result<rustls::ClientConfig, Error> {
    let mut roots = RootCertStore::empty();
    match &settings.trust {
        Some(trust) => {
            let trusted = keystore::trusted(trust, &read_file).map_err(misconfigured)?;
            for certificate in trusted.certificates {
                roots.add(CertificateDer::from(certificate)).map_err(|error| {
                    Error::misconfigured(format!(
                        "trust store {}: a certificate cannot be used: {error}; check ssl.truststore.location",
                        trusted.place
                    ))
                })?;
            }
        }
        None if is_needed => {
            let found = rustls_native_certs::load_native_certs();
            let (added, _) = roots.add_parsable_certificates(found.certs);
            if added == 0 {
                return Err(Error::misconfigured(
                    "the system has no list of certificate authorities; install one (package ca-certificates), or set \
                     schema.registry.ssl.truststore.location",
                ));
            }
        }
        None => {}
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::misconfigured(format!("TLS cannot be used: {error}")))?
        .with_root_certificates(roots);
    match &settings.key {
        None => Ok(builder.with_no_client_auth()),
        Some(key) => {
            let identity = keystore::identity(key, &read_file).map_err(misconfigured)?;
            let key = private_key(&identity.key_pem).ok_or_else(|| unusable(&identity))?;
            let chain = identity.chain.iter().cloned().map(CertificateDer::from);
            builder
                .with_client_auth_cert(chain.collect(), key)
                .map_err(|_| unusable(&identity))
        }
    }
}

fn private_key(pem: &Secret) -> Option<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(pem.reveal().as_bytes()).ok()
}

fn unusable(identity: &Identity) -> Error {
    Error::misconfigured(format!(
        "key store {}: the private key cannot be used, or is not that of the certificate; use RSA, EC or Ed25519",
        identity.place
    ))
}

fn misconfigured(error: keystore::StoreError) -> Error {
    Error::misconfigured(format!("{}; {}", error.cause(), error.advice()))
}

fn read_file(path: &str, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

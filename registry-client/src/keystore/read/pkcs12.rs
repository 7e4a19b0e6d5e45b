//! PKCS#12 (RFC 7292), as `keytool` and `openssl` write it.

use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12ImportPolicy, error::Error};

use super::{KeyEntry, Trouble};
use crate::Secret;

/// The first private key by alias, with its certificates.
pub(super) fn key(bytes: &[u8], password: &Secret) -> Result<KeyEntry, Trouble> {
    let store = open(bytes, password)?;
    let (_, entry) = store.private_key_chain().ok_or(Trouble::NoKey)?;
    let chain = entry.certs().iter();
    Ok(KeyEntry {
        key: entry.key().as_der().to_vec(),
        chain: chain
            .map(|certificate| certificate.as_der().to_vec())
            .collect(),
    })
}

/// Certificates that are marked as trusted, and as in Java the first certificate of each key.
pub(super) fn trusted(bytes: &[u8], password: &Secret) -> Result<Vec<Vec<u8>>, Trouble> {
    let store = open(bytes, password)?;
    let certificates = store.entries().filter_map(|(_, entry)| match entry {
        KeyStoreEntry::Certificate(certificate) => Some(certificate.as_der().to_vec()),
        KeyStoreEntry::PrivateKeyChain(chain) => {
            let first = chain.certs().first();
            first.map(|certificate| certificate.as_der().to_vec())
        }
        KeyStoreEntry::Secret(_) => None,
    });
    Ok(certificates.collect())
}

fn open(bytes: &[u8], password: &Secret) -> Result<KeyStore, Trouble> {
    KeyStore::from_pkcs12(bytes, password.reveal(), Pkcs12ImportPolicy::Strict).map_err(|error| {
        match error {
            // The checksum does not fit, or what was decrypted is not what it should be.
            Error::MacError(_) | Error::Pkcs5Error(_) | Error::UnpadError => Trouble::WrongPassword,
            Error::UnsupportedEncryptionScheme | Error::UnsupportedMacAlgorithm => {
                Trouble::Encryption
            }
            Error::IoError(_)
            | Error::DerError(_)
            | Error::InvalidVersion
            | Error::UnsupportedContentType
            | Error::InvalidLength
            | Error::InvalidParameters
            | Error::InvalidData => Trouble::Damaged("it is not PKCS#12"),
            Error::UnsupportedCertificateType | Error::X509Error(_) => {
                Trouble::Damaged("a certificate that is not X.509")
            }
            Error::InvalidPrivateKey => Trouble::Damaged("a private key that is not PKCS#8"),
        }
    })
}

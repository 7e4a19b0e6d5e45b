//! Key stores and trust stores: bytes in, certificates and keys out.
//!
//! Files are read by a function of the caller. Every byte string has an answer; nothing here panics, and no error shows what a store
//! holds.

mod der;
mod ec;
mod jks;
mod pem;
mod pkcs12;

use std::fmt;
use std::io;

pub use der::Validity;

use super::{KeyMaterial, StoreFile, StoreKind, TrustMaterial};
use crate::Secret;

/// Reads a file of at most so many bytes; longer ones are an error of kind [`io::ErrorKind::FileTooLarge`].
pub type ReadFile<'a> = &'a dyn Fn(&str, usize) -> io::Result<Vec<u8>>;

/// Bytes of a store at most. The list of every public authority has about 200,000.
pub const STORE_BYTES_MAX: usize = 16 << 20;

/// Who a client is.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// Certificates in DER, the client's own first.
    pub chain: Vec<Vec<u8>>,
    /// Its private key as PEM, not encrypted.
    pub key_pem: Secret,
    /// Where it is from, for people.
    pub place: String,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("place", &self.place)
            .field("certificates", &self.chain.len())
            .finish_non_exhaustive()
    }
}

impl Identity {
    /// When the client's own certificate is valid; `None` if it cannot be told.
    pub fn validity(&self) -> Option<Validity> {
        Validity::of(self.chain.first()?)
    }

    /// The certificates as PEM.
    pub fn chain_pem(&self) -> String {
        pem::write_certificates(&self.chain)
    }
}

/// Whom a client trusts.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trusted {
    /// Certificates in DER; at least one.
    pub certificates: Vec<Vec<u8>>,
    /// Where they are from, for people.
    pub place: String,
}

impl fmt::Debug for Trusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trusted")
            .field("place", &self.place)
            .field("certificates", &self.certificates.len())
            .finish()
    }
}

impl Trusted {
    /// The certificates as PEM.
    pub fn to_pem(&self) -> String {
        pem::write_certificates(&self.certificates)
    }
}

/// Why a store gives no key or no certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreError {
    place: String,
    role: Role,
    trouble: Trouble,
}

/// What a store is for: that decides how its keys are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Key,
    Trust,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    Unreadable(io::ErrorKind),
    TooLarge,
    Empty,
    /// It is no store of any kind.
    NotAStore,
    /// It is a store, but of this other kind.
    Is(StoreKind),
    /// Java's newer format of its own, which nobody needs for certificates.
    Jceks,
    NeedsPassword,
    WrongPassword,
    NeedsKeyPassword,
    WrongKeyPassword,
    /// The encryption is none that is safe and known.
    Encryption,
    /// Encrypted the way of old OpenSSL versions.
    OldPem,
    NoKey,
    NoCertificate,
    NoTrusted,
    Damaged(&'static str),
}

impl StoreError {
    /// What is wrong, and where.
    pub fn cause(&self) -> String {
        let what = match self.role {
            Role::Key => "key store",
            Role::Trust => "trust store",
        };
        let trouble = match &self.trouble {
            Trouble::Unreadable(kind) => format!("cannot be read: {kind}"),
            Trouble::TooLarge => format!("is larger than {} MiB", STORE_BYTES_MAX >> 20),
            Trouble::Empty => "is empty".to_owned(),
            Trouble::NotAStore => "is no JKS, PKCS#12 or PEM file".to_owned(),
            Trouble::Is(kind) => format!("is a {} file, not what its type says", kind.name()),
            Trouble::Jceks => "is a JCEKS file, which is not supported".to_owned(),
            Trouble::NeedsPassword => "needs a password".to_owned(),
            Trouble::WrongPassword => "wrong password, or the file is damaged".to_owned(),
            Trouble::NeedsKeyPassword => "the private key is encrypted".to_owned(),
            Trouble::WrongKeyPassword => "wrong password of the private key".to_owned(),
            Trouble::Encryption => "the encryption is not supported".to_owned(),
            Trouble::OldPem => {
                "the private key is encrypted the old way of OpenSSL (Proc-Type: 4,ENCRYPTED)"
                    .to_owned()
            }
            Trouble::NoKey => "holds no private key".to_owned(),
            Trouble::NoCertificate => "holds no certificate of the private key".to_owned(),
            Trouble::NoTrusted => "holds no trusted certificate".to_owned(),
            Trouble::Damaged(what) => format!("is damaged: {what}"),
        };
        format!("{what} {}: {trouble}", self.place)
    }

    /// What to do about it.
    pub const fn advice(&self) -> &'static str {
        match (&self.trouble, self.role) {
            (
                Trouble::Unreadable(_) | Trouble::TooLarge | Trouble::Empty | Trouble::NotAStore,
                Role::Key,
            ) => "check ssl.keystore.location and the file's permissions",
            (
                Trouble::Unreadable(_) | Trouble::TooLarge | Trouble::Empty | Trouble::NotAStore,
                Role::Trust,
            ) => "check ssl.truststore.location and the file's permissions",
            (Trouble::Is(_), Role::Key) => "set ssl.keystore.type to that type",
            (Trouble::Is(_), Role::Trust) => "set ssl.truststore.type to that type",
            (Trouble::NeedsPassword, Role::Key) => "set ssl.keystore.password",
            (Trouble::NeedsPassword, Role::Trust) => "set ssl.truststore.password",
            (Trouble::WrongPassword, Role::Key) => "check ssl.keystore.password",
            (Trouble::WrongPassword, Role::Trust) => "check ssl.truststore.password",
            (Trouble::NeedsKeyPassword, _) => "set ssl.key.password",
            (Trouble::WrongKeyPassword, _) => "check ssl.key.password",
            (Trouble::Jceks, _) => "convert it with keytool -importkeystore -deststoretype PKCS12",
            (Trouble::Encryption | Trouble::OldPem, _) => {
                "encrypt the key again: openssl pkcs8 -topk8 -v2 aes256 -in OLD -out NEW"
            }
            (Trouble::NoKey | Trouble::NoCertificate, _) => {
                "import the client's key together with its certificate"
            }
            (Trouble::NoTrusted, _) => {
                "import the authority's certificate with keytool -importcert (what openssl pkcs12 writes is not marked as trusted)"
            }
            (Trouble::Damaged(_), _) => "copy it again, or make a new one",
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.cause(), self.advice())
    }
}

impl std::error::Error for StoreError {}

/// A private key in DER with its certificates.
pub(super) struct KeyEntry {
    /// PKCS#8.
    pub(super) key: Vec<u8>,
    pub(super) chain: Vec<Vec<u8>>,
}

/// Gets the client's key and certificates.
///
/// # Errors
/// The file cannot be read, is not what it should be, or a password is wrong.
pub fn identity(material: &KeyMaterial, read: ReadFile<'_>) -> Result<Identity, StoreError> {
    let (place, outcome) = match material {
        KeyMaterial::Pem {
            chain,
            key,
            key_password,
        } => {
            let place = "in ssl.keystore.key and ssl.keystore.certificate.chain".to_owned();
            let parts = pem::certificates(chain.reveal().as_bytes()).and_then(|chain| {
                let key = pem::private_key(key.reveal().as_bytes(), key_password.as_ref())?;
                Ok((completed(key, &chain), chain))
            });
            (place, parts)
        }
        KeyMaterial::File {
            store,
            key_password,
        } => {
            let parts = bytes(store, read).and_then(|bytes| {
                if store.kind == StoreKind::Pem {
                    let key = pem::private_key(&bytes, key_password.as_ref())?;
                    let chain = pem::certificates(&bytes)?;
                    return Ok((completed(key, &chain), chain));
                }
                let password = store.password.as_ref().ok_or(Trouble::NeedsPassword)?;
                let entry = match found(&bytes)? {
                    StoreKind::Jks => jks::key(&bytes, password, key_password.as_ref())?,
                    StoreKind::Pkcs12 => pkcs12::key(&bytes, password)?,
                    StoreKind::Pem => return Err(Trouble::Is(StoreKind::Pem)),
                };
                let certificate = entry.chain.first().ok_or(Trouble::NoCertificate)?;
                let key = ec::with_public_key(entry.key, certificate);
                Ok((pem::write_key(&key), entry.chain))
            });
            (store.path.clone(), parts)
        }
    };
    let checked = outcome.and_then(|(key, chain)| {
        if chain.is_empty() {
            return Err(Trouble::NoCertificate);
        }
        Ok((key, chain))
    });
    match checked {
        Ok((key_pem, chain)) => Ok(Identity {
            chain,
            key_pem,
            place,
        }),
        Err(trouble) => Err(StoreError {
            place,
            role: Role::Key,
            trouble,
        }),
    }
}

/// A PKCS#8 key with the public key of its certificate, where the key leaves it out; every other key as it is.
fn completed(key: Secret, chain: &[Vec<u8>]) -> Secret {
    match (pem::pkcs8(&key), chain.first()) {
        (Some(der), Some(certificate)) => pem::write_key(&ec::with_public_key(der, certificate)),
        (None, _) | (_, None) => key,
    }
}

/// Gets the trusted certificates.
///
/// # Errors
/// As [`identity`].
pub fn trusted(material: &TrustMaterial, read: ReadFile<'_>) -> Result<Trusted, StoreError> {
    let (place, outcome) = match material {
        TrustMaterial::Pem(text) => (
            "in ssl.truststore.certificates".to_owned(),
            pem::certificates(text.reveal().as_bytes()),
        ),
        TrustMaterial::File(store) => (
            store.path.clone(),
            bytes(store, read).and_then(|bytes| {
                if store.kind == StoreKind::Pem {
                    return pem::certificates(&bytes);
                }
                match found(&bytes)? {
                    StoreKind::Jks => jks::trusted(&bytes, store.password.as_ref()),
                    StoreKind::Pkcs12 => {
                        let password = store.password.as_ref().ok_or(Trouble::NeedsPassword)?;
                        pkcs12::trusted(&bytes, password)
                    }
                    StoreKind::Pem => Err(Trouble::Is(StoreKind::Pem)),
                }
            }),
        ),
    };
    let outcome = match outcome {
        Ok(certificates) if certificates.is_empty() => Err(Trouble::NoTrusted),
        other => other,
    };
    match outcome {
        Ok(certificates) => Ok(Trusted {
            certificates,
            place,
        }),
        Err(trouble) => Err(StoreError {
            place,
            role: Role::Trust,
            trouble,
        }),
    }
}

fn bytes(store: &StoreFile, read: ReadFile<'_>) -> Result<Vec<u8>, Trouble> {
    match read(&store.path, STORE_BYTES_MAX) {
        Ok(bytes) if bytes.is_empty() => Err(Trouble::Empty),
        Ok(bytes) if store.kind == StoreKind::Pem => match found(&bytes) {
            Ok(StoreKind::Pem) => Ok(bytes),
            Ok(other) => Err(Trouble::Is(other)),
            Err(trouble) => Err(trouble),
        },
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(Trouble::TooLarge),
        Err(error) => Err(Trouble::Unreadable(error.kind())),
    }
}

/// What the file is, whatever its type is said to be. Java's own store recognises both binary formats under either name.
fn found(bytes: &[u8]) -> Result<StoreKind, Trouble> {
    if bytes.starts_with(&jks::MAGIC) {
        return Ok(StoreKind::Jks);
    }
    if bytes.starts_with(&jks::JCEKS_MAGIC) {
        return Err(Trouble::Jceks);
    }
    if pem::is_pem(bytes) {
        return Ok(StoreKind::Pem);
    }
    if der::is_one_sequence(bytes) {
        return Ok(StoreKind::Pkcs12);
    }
    Err(Trouble::NotAStore)
}

#[cfg(test)]
mod tests;

//! Where keys and certificates are, as configuration says it. No file is read here.

use crate::Secret;

/// Where the client's certificate chain and private key are.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the two ways of Kafka's ssl.keystore.* keys"
)]
pub enum KeyMaterial {
    /// In a file.
    File {
        /// `ssl.keystore.location`, `.type`, `.password`.
        store: StoreFile,
        /// `ssl.key.password`: the private key's own password; the store's when not set.
        key_password: Option<Secret>,
    },
    /// In the configuration, as PEM.
    Pem {
        /// `ssl.keystore.certificate.chain`, the client's certificate first.
        chain: Secret,
        /// `ssl.keystore.key`, PKCS#8.
        key: Secret,
        /// `ssl.key.password`, for an encrypted key.
        key_password: Option<Secret>,
    },
}

/// Where the trusted certificates are.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the two ways of Kafka's ssl.truststore.* keys"
)]
pub enum TrustMaterial {
    /// In a file: `ssl.truststore.location`, `.type`, `.password`.
    File(StoreFile),
    /// In the configuration, as PEM: `ssl.truststore.certificates`.
    Pem(Secret),
}

/// A key store or trust store on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreFile {
    /// The path as it was given.
    pub path: String,
    /// Its type.
    pub kind: StoreKind,
    /// Its password.
    pub password: Option<Secret>,
}

/// `ssl.keystore.type`, `ssl.truststore.type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum StoreKind {
    /// Java's own format; as in Java, a PKCS#12 file under this type is recognised.
    #[default]
    Jks,
    /// PKCS#12; as in Java, a JKS file under this type is recognised.
    Pkcs12,
    /// Text.
    Pem,
}

impl StoreKind {
    /// Kafka's name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jks => "JKS",
            Self::Pkcs12 => "PKCS12",
            Self::Pem => "PEM",
        }
    }

    /// The kind of that name, in any case (`P12` is PKCS#12 too).
    fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            "JKS" => Some(Self::Jks),
            "PKCS12" | "P12" => Some(Self::Pkcs12),
            "PEM" => Some(Self::Pem),
            _ => None,
        }
    }
}

/// What is wrong with a group of keys: the key to name, and why.
pub type Refusal = (&'static str, &'static str);

/// The keys `ssl.keystore.*` and `ssl.key.password` as they were given.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "Kafka's keys")]
pub struct KeySource {
    /// `ssl.keystore.key`.
    pub key: Option<Secret>,
    /// `ssl.keystore.certificate.chain`.
    pub chain: Option<Secret>,
    /// `ssl.keystore.location`.
    pub location: Option<String>,
    /// `ssl.keystore.password`.
    pub password: Option<Secret>,
    /// `ssl.key.password`.
    pub key_password: Option<Secret>,
    /// `ssl.keystore.type`; Kafka's default is `JKS`.
    pub kind: String,
}

impl KeySource {
    /// Where the client's key is; nothing without one.
    ///
    /// # Errors
    /// The combinations that Kafka's `DefaultSslEngineFactory` refuses, in its words.
    pub fn read(self) -> Result<Option<KeyMaterial>, Refusal> {
        let Some(kind) = StoreKind::parse(&self.kind) else {
            return Err(("ssl.keystore.type", UNKNOWN_KIND));
        };
        let is_pem = kind == StoreKind::Pem;
        let (password, key_password) = (self.password, self.key_password);
        match (self.key, self.chain, self.location) {
            (Some(_), _, _) if !is_pem => Err((
                "ssl.keystore.key",
                "SSL private key can be specified only for PEM; set ssl.keystore.type=PEM",
            )),
            (Some(key), Some(chain), _) => Ok(Some(KeyMaterial::Pem {
                chain,
                key,
                key_password,
            })),
            (Some(_), None, _) => Err((
                "ssl.keystore.key",
                "SSL private key is specified, but certificate chain is not specified; set ssl.keystore.certificate.chain",
            )),
            (None, Some(_), _) => Err((
                "ssl.keystore.certificate.chain",
                "SSL certificate chain is specified, but private key is not specified; set ssl.keystore.key",
            )),
            (None, None, Some(_)) if is_pem && password.is_some() => Err((
                "ssl.keystore.password",
                "SSL key store password cannot be specified with PEM format, only key password may be specified; use ssl.key.password",
            )),
            (None, None, Some(_)) if !is_pem && password.is_none() => Err((
                "ssl.keystore.location",
                "SSL key store is specified, but key store password is not specified; set ssl.keystore.password",
            )),
            (None, None, Some(path)) => Ok(Some(KeyMaterial::File {
                store: StoreFile {
                    path,
                    kind,
                    password,
                },
                key_password,
            })),
            (None, None, None) if password.is_some() => Err((
                "ssl.keystore.password",
                "SSL key store is not specified, but key store password is specified; set ssl.keystore.location",
            )),
            (None, None, None) => Ok(None),
        }
    }
}

/// The four keys `ssl.truststore.*` as they were given.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "Kafka's keys")]
pub struct TrustSource {
    /// `ssl.truststore.certificates`.
    pub certificates: Option<Secret>,
    /// `ssl.truststore.location`.
    pub location: Option<String>,
    /// `ssl.truststore.type`; Kafka's default is `JKS`.
    pub kind: String,
    /// `ssl.truststore.password`.
    pub password: Option<Secret>,
}

impl TrustSource {
    /// Whom to trust; nothing means the system's own list.
    ///
    /// # Errors
    /// As [`KeySource::read`].
    pub fn read(self) -> Result<Option<TrustMaterial>, Refusal> {
        let Some(kind) = StoreKind::parse(&self.kind) else {
            return Err(("ssl.truststore.type", UNKNOWN_KIND));
        };
        let is_pem = kind == StoreKind::Pem;
        match (self.certificates, self.location, self.password) {
            (Some(_), _, _) if !is_pem => Err((
                "ssl.truststore.certificates",
                "SSL trust store certs can be specified only for PEM; set ssl.truststore.type=PEM",
            )),
            (Some(certificates), _, None) => Ok(Some(TrustMaterial::Pem(certificates))),
            (Some(_), _, Some(_)) => Err((
                "ssl.truststore.password",
                "SSL trust store password cannot be specified for PEM format; remove it",
            )),
            (None, Some(_), Some(_)) if is_pem => Err((
                "ssl.truststore.password",
                "SSL trust store password cannot be specified for PEM format; remove it",
            )),
            (None, Some(path), password) => Ok(Some(TrustMaterial::File(StoreFile {
                path,
                kind,
                password,
            }))),
            (None, None, Some(_)) => Err((
                "ssl.truststore.password",
                "SSL trust store is not specified, but trust store password is specified; set ssl.truststore.location",
            )),
            (None, None, None) => Ok(None),
        }
    }
}

const UNKNOWN_KIND: &str =
    "not supported; use JKS, PKCS12 or PEM (keytool -importkeystore converts a store)";

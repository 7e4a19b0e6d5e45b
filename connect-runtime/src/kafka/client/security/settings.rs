//! From keys to [`Security`].

use ferroconnect_converters::config::{Problem, Secret};

use super::{KeyMaterial, Security, StoreFile, StoreKind, Tls, TrustMaterial, sasl};
use crate::kafka::client::layers::{Remarks, Values};

/// Reads `security.protocol` and what belongs to it.
pub(in crate::kafka::client) fn security(
    values: &Values,
    remarks: &mut Remarks,
) -> Result<Security, Problem> {
    let protocol: String = values.get("security.protocol")?;
    let protocol = protocol.to_ascii_uppercase();
    let (has_tls, has_sasl) = (protocol.ends_with("SSL"), protocol.starts_with("SASL"));
    for (prefix, is_used) in [("ssl.", has_tls), ("sasl.", has_sasl)] {
        let mut set = values.set_keys().filter(|key| key.starts_with(prefix));
        if !is_used && let Some(key) = set.next() {
            remarks.warning(format!(
                "{} has no effect: security.protocol is {protocol}",
                values.name(key)
            ));
        }
    }
    Ok(Security {
        tls: if has_tls {
            Some(tls(values, remarks)?)
        } else {
            None
        },
        sasl: if has_sasl {
            sasl::sasl(values, remarks)?
        } else {
            None
        },
    })
}

fn tls(values: &Values, remarks: &mut Remarks) -> Result<Tls, Problem> {
    versions(values, remarks)?;
    let key = key_material(values, remarks)?;
    let source = TrustSource {
        certificates: values.get("ssl.truststore.certificates")?,
        location: values.get("ssl.truststore.location")?,
        kind: values.get("ssl.truststore.type")?,
        password: values.get("ssl.truststore.password")?,
    };
    let trust = match source.read() {
        Ok(trust) => trust,
        Err((key, text)) => {
            remarks.problem(values.invalid(key, text));
            None
        }
    };
    Ok(Tls { key, trust })
}

/// The client offers TLS 1.2 and 1.3, always; says where that is not what was asked for.
fn versions(values: &Values, remarks: &mut Remarks) -> Result<(), Problem> {
    let key = "ssl.enabled.protocols";
    let enabled: Vec<String> = values.get(key)?;
    let has = |version: &str| enabled.iter().any(|given| given == version);
    if !has("TLSv1.2") {
        remarks.problem(values.invalid(key, if has("TLSv1.3") {
            "not supported: TLS 1.2 cannot be switched off here; remove the key (TLS 1.3 is used whenever the broker has it), or switch \
             TLS 1.2 off at the broker"
        } else {
            "not supported: versions before TLS 1.2 are unsafe and do not exist here; enable TLSv1.2 or TLSv1.3 at the broker and name both"
        }));
    } else if !has("TLSv1.3") {
        remarks.warning(format!("{}: TLS 1.3 is offered too", values.name(key)));
    }
    let key = "ssl.protocol";
    let protocol: String = values.get(key)?;
    match protocol.as_str() {
        "TLSv1.3" | "TLS" => {}
        "TLSv1.2" => remarks.warning(format!("{}: TLS 1.3 is offered too", values.name(key))),
        _ => remarks.problem(values.invalid(key, "not supported; use TLSv1.3, TLSv1.2 or TLS")),
    }
    Ok(())
}

fn key_material(values: &Values, remarks: &mut Remarks) -> Result<Option<KeyMaterial>, Problem> {
    let key: Option<Secret> = values.get("ssl.keystore.key")?;
    let chain: Option<Secret> = values.get("ssl.keystore.certificate.chain")?;
    let location: Option<String> = values.get("ssl.keystore.location")?;
    let password: Option<Secret> = values.get("ssl.keystore.password")?;
    let key_password: Option<Secret> = values.get("ssl.key.password")?;
    let kind: String = values.get("ssl.keystore.type")?;
    let Some(kind) = store_kind(&kind) else {
        remarks.problem(values.invalid("ssl.keystore.type", UNKNOWN_KIND));
        return Ok(None);
    };
    let is_pem = kind == StoreKind::Pem;
    let mut refuse = |key: &str, text: &str| {
        remarks.problem(values.invalid(key, text));
        Ok(None)
    };
    match (key, chain, location) {
        (Some(_), _, _) if !is_pem => refuse(
            "ssl.keystore.key",
            "SSL private key can be specified only for PEM; set ssl.keystore.type=PEM",
        ),
        (Some(key), Some(chain), _) => Ok(Some(KeyMaterial::Pem {
            chain,
            key,
            key_password,
        })),
        (Some(_), None, _) => refuse(
            "ssl.keystore.key",
            "SSL private key is specified, but certificate chain is not specified; set ssl.keystore.certificate.chain",
        ),
        (None, Some(_), _) => refuse(
            "ssl.keystore.certificate.chain",
            "SSL certificate chain is specified, but private key is not specified; set ssl.keystore.key",
        ),
        (None, None, Some(_)) if is_pem && password.is_some() => refuse(
            "ssl.keystore.password",
            "SSL key store password cannot be specified with PEM format, only key password may be specified; use ssl.key.password",
        ),
        (None, None, Some(_)) if !is_pem && password.is_none() => refuse(
            "ssl.keystore.location",
            "SSL key store is specified, but key store password is not specified; set ssl.keystore.password",
        ),
        (None, None, Some(path)) => Ok(Some(KeyMaterial::File {
            store: StoreFile {
                path,
                kind,
                password,
            },
            key_password,
        })),
        (None, None, None) if password.is_some() => refuse(
            "ssl.keystore.password",
            "SSL key store is not specified, but key store password is specified; set ssl.keystore.location",
        ),
        (None, None, None) => Ok(None),
    }
}

/// The four `ssl.truststore.*` keys, wherever they come from.
pub(super) struct TrustSource {
    pub(super) certificates: Option<Secret>,
    pub(super) location: Option<String>,
    pub(super) kind: String,
    pub(super) password: Option<Secret>,
}

impl TrustSource {
    /// Whom to trust; else the key that is wrong, and why.
    pub(super) fn read(self) -> Result<Option<TrustMaterial>, (&'static str, &'static str)> {
        let Some(kind) = store_kind(&self.kind) else {
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

fn store_kind(text: &str) -> Option<StoreKind> {
    match text.to_ascii_uppercase().as_str() {
        "JKS" => Some(StoreKind::Jks),
        "PKCS12" | "P12" => Some(StoreKind::Pkcs12),
        "PEM" => Some(StoreKind::Pem),
        _ => None,
    }
}

const UNKNOWN_KIND: &str =
    "not supported; use JKS, PKCS12 or PEM (keytool -importkeystore converts a store)";

//! `schema.registry.ssl.*`.

use super::TlsSettings;
use super::parse::Keys;
use crate::keystore::{KeySource, TrustSource};

pub(super) fn tls(keys: &mut Keys<'_>) -> TlsSettings {
    refuse_weakening(keys);
    let kind = |keys: &Keys<'_>, key: &str| keys.text(key).unwrap_or("JKS").trim().to_owned();
    let key = KeySource {
        key: keys.secret("ssl.keystore.key"),
        chain: keys.secret("ssl.keystore.certificate.chain"),
        location: keys.text("ssl.keystore.location").map(str::to_owned),
        password: keys.secret("ssl.keystore.password"),
        key_password: keys.secret("ssl.key.password"),
        kind: kind(keys, "ssl.keystore.type"),
    };
    let trust = TrustSource {
        certificates: keys.secret("ssl.truststore.certificates"),
        location: keys.text("ssl.truststore.location").map(str::to_owned),
        kind: kind(keys, "ssl.truststore.type"),
        password: keys.secret("ssl.truststore.password"),
    };
    let key = key.read().unwrap_or_else(|(key, why)| {
        keys.problem(key, why);
        None
    });
    let trust = trust.read().unwrap_or_else(|(key, why)| {
        keys.problem(key, why);
        None
    });
    TlsSettings { key, trust }
}

/// What would make a connection less safe, or needs a Java class.
fn refuse_weakening(keys: &mut Keys<'_>) {
    const HOST_NAME: &str = "ssl.endpoint.identification.algorithm";
    match keys.find(HOST_NAME).map(|(_, value)| value.trim()) {
        Some(value) if !value.eq_ignore_ascii_case("https") => keys.problem(
            HOST_NAME,
            "not supported: the host name is always checked; give the registry a certificate with its name, and trust it with \
             ssl.truststore.location",
        ),
        Some(_) | None => {}
    }
    const VERSIONS: &str = "ssl.enabled.protocols";
    if let Some(list) = keys.text(VERSIONS)
        && !list.split(',').any(|version| version.trim() == "TLSv1.2")
    {
        keys.problem(
            VERSIONS,
            "not supported: TLS 1.2 and 1.3 are offered, always; switch versions off at the registry",
        );
    }
    for key in JAVA_ONLY {
        if keys.text(key).is_some() {
            keys.problem(
                key,
                "not supported: it is for Java's TLS library; remove it",
            );
        }
    }
}

const JAVA_ONLY: [&str; 4] = [
    "ssl.cipher.suites",
    "ssl.engine.factory.class",
    "ssl.provider",
    "ssl.secure.random.implementation",
];

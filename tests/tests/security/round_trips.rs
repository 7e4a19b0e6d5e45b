//! Every way to show who one is.

use super::broker::{BROKER, PASSWORD};
use super::client::{Pairs, round_trip, with};
use super::material::STORE;

pub(crate) const PLAIN: &str = "org.apache.kafka.common.security.plain.PlainLoginModule";
pub(crate) const SCRAM: &str = "org.apache.kafka.common.security.scram.ScramLoginModule";

/// A client of a listener.
pub(crate) fn at(listener: &str, protocol: &str) -> Pairs<'static> {
    vec![
        ("bootstrap.servers", BROKER.at(listener)),
        ("security.protocol", protocol.to_owned()),
    ]
}

/// The same, which trusts our authority.
pub(crate) fn trusting(listener: &str, protocol: &str) -> Pairs<'static> {
    let mut pairs = at(listener, protocol);
    pairs.push(("ssl.truststore.type", "PEM".to_owned()));
    pairs.push(("ssl.truststore.location", BROKER.material.path("ca.pem")));
    pairs
}

/// A login with this password.
pub(crate) fn jaas(module: &str, password: &str) -> String {
    let quoted = password.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{module} required username=\"alice\" password=\"{quoted}\";")
}

fn login(pairs: Pairs<'static>, mechanism: &str, module: &str) -> Pairs<'static> {
    let jaas = jaas(module, PASSWORD);
    with(
        &pairs,
        &[("sasl.mechanism", mechanism), ("sasl.jaas.config", &jaas)],
    )
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn sasl_plain() {
    round_trip(
        "sasl-plain",
        &login(at("LOGIN", "SASL_PLAINTEXT"), "PLAIN", PLAIN),
    );
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn sasl_scram() {
    for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
        let topic = format!("sasl-{mechanism}");
        round_trip(
            &topic,
            &login(at("LOGIN", "SASL_PLAINTEXT"), mechanism, SCRAM),
        );
    }
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn sasl_over_tls() {
    for (mechanism, module) in [
        ("PLAIN", PLAIN),
        ("SCRAM-SHA-256", SCRAM),
        ("SCRAM-SHA-512", SCRAM),
    ] {
        let topic = format!("sasl-tls-{mechanism}");
        round_trip(
            &topic,
            &login(trusting("LOGINTLS", "SASL_SSL"), mechanism, module),
        );
    }
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn tls_with_trust_stores_of_every_kind() {
    let material = &BROKER.material;
    for (name, kind, password) in [
        ("ca.pem", "PEM", None),
        ("trusted.jks", "JKS", Some(STORE)),
        ("trusted.jks", "JKS", None),
        ("trusted.p12", "PKCS12", Some(STORE)),
        // As in Java, a PKCS#12 file under the default type.
        ("trusted.p12", "JKS", Some(STORE)),
    ] {
        let path = material.path(name);
        let trust = [
            ("ssl.truststore.type", kind),
            ("ssl.truststore.location", &path),
        ];
        let mut pairs = with(&at("OPENTLS", "SSL"), &trust);
        if let Some(password) = password {
            pairs.push(("ssl.truststore.password", password.to_owned()));
        }
        let topic = format!("tls-{name}-{kind}-{}", password.is_some());
        round_trip(&topic, &pairs);
    }
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn mutual_tls_with_pem() {
    let material = &BROKER.material;
    let file = [
        ("ssl.keystore.type", "PEM"),
        ("ssl.keystore.location", &material.path("client.pem")),
    ];
    round_trip("mutual-pem-file", &with(&trusting("MUTUAL", "SSL"), &file));

    let both = material.read("client.pem");
    let (key, chain) = both.split_at(both.find("-----BEGIN CERTIFICATE").unwrap());
    let inline = [
        ("ssl.keystore.type", "PEM"),
        ("ssl.keystore.key", key),
        ("ssl.keystore.certificate.chain", chain),
        ("ssl.truststore.type", "PEM"),
        ("ssl.truststore.certificates", &material.read("ca.pem")),
    ];
    round_trip("mutual-pem-inline", &with(&at("MUTUAL", "SSL"), &inline));
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn mutual_tls_with_the_stores_of_keytool() {
    let material = &BROKER.material;
    let (jks, p12) = (material.path("client.jks"), material.path("client.p12"));
    let jks = [
        ("ssl.keystore.location", jks.as_str()),
        ("ssl.keystore.password", STORE),
        ("ssl.key.password", "key-secret"),
    ];
    round_trip("mutual-jks", &with(&trusting("MUTUAL", "SSL"), &jks));
    let p12 = [
        ("ssl.keystore.type", "PKCS12"),
        ("ssl.keystore.location", p12.as_str()),
        ("ssl.keystore.password", STORE),
    ];
    round_trip("mutual-p12", &with(&trusting("MUTUAL", "SSL"), &p12));
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn oauthbearer_with_an_unsigned_token() {
    let module = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
    let jaas = format!(
        "{module} required unsecuredLoginStringClaim_sub=\"alice\" unsecuredLoginNumberClaim_n=\"1\" unsecuredLoginListClaim_scope=\"|a|b\";"
    );
    let token = [
        ("sasl.mechanism", "OAUTHBEARER"),
        ("sasl.jaas.config", &jaas),
    ];
    round_trip("tokens", &with(&at("TOKENS", "SASL_PLAINTEXT"), &token));
}

//! Every way to get it wrong: a clear error of the right class, soon.

use ferroconnect_runtime::kafka::{Class, Error};

use super::broker::BROKER;
use super::client::{Pairs, refusal, with};
use super::material::STORE;
use super::round_trips::{PLAIN, SCRAM, at, jaas, trusting};

/// What the error must be and say; it never shows a password.
fn expect(error: &Error, class: Class, parts: &[&str]) {
    let text = error.to_string();
    assert_eq!(error.class(), class, "{text}");
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
    for secret in ["not hers", STORE, "PRIVATE KEY"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_wrong_password() {
    for (mechanism, module) in [
        ("PLAIN", PLAIN),
        ("SCRAM-SHA-256", SCRAM),
        ("SCRAM-SHA-512", SCRAM),
    ] {
        let jaas = jaas(module, "not hers");
        let login = [
            ("sasl.mechanism", mechanism),
            ("sasl.jaas.config", jaas.as_str()),
        ];
        for pairs in [
            at("LOGIN", "SASL_PLAINTEXT"),
            trusting("LOGINTLS", "SASL_SSL"),
        ] {
            let servers = pairs[0].1.clone();
            let error = refusal(&with(&pairs, &login));
            expect(&error, Class::Auth, &[&servers, "sasl.jaas.config"]);
        }
    }
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_mechanism_that_the_listener_does_not_have() {
    let jaas = jaas(PLAIN, "not hers");
    let login = [
        ("sasl.mechanism", "PLAIN"),
        ("sasl.jaas.config", jaas.as_str()),
    ];
    let error = refusal(&with(&at("TOKENS", "SASL_PLAINTEXT"), &login));
    expect(
        &error,
        Class::InvalidRequest,
        &["OAUTHBEARER", "not PLAIN", "sasl.mechanism"],
    );
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_certificate_for_another_host() {
    let pairs = trusting("ELSEWHERE", "SSL");
    let servers = pairs[0].1.clone();
    expect(
        &refusal(&pairs),
        Class::Auth,
        &[&servers, "127.0.0.1", "elsewhere.example", "host name"],
    );
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn an_expired_certificate() {
    let pairs = trusting("EXPIRED", "SSL");
    let servers = pairs[0].1.clone();
    expect(
        &refusal(&pairs),
        Class::Auth,
        &[&servers, "expired", "renew"],
    );
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_certificate_of_a_stranger() {
    let mut pairs = at("OPENTLS", "SSL");
    pairs.push(("ssl.truststore.type", "PEM".to_owned()));
    pairs.push((
        "ssl.truststore.location",
        BROKER.material.path("strangers-ca.pem"),
    ));
    let servers = pairs[0].1.clone();
    expect(&refusal(&pairs), Class::Auth, &[&servers, "ssl.truststore"]);
    // Without a trust store, the system's own list does not know our authority either.
    expect(
        &refusal(&at("OPENTLS", "SSL")),
        Class::Auth,
        &["ssl.truststore"],
    );
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn no_certificate_of_the_client() {
    let pairs = trusting("MUTUAL", "SSL");
    let servers = pairs[0].1.clone();
    expect(&refusal(&pairs), Class::Auth, &[&servers, "ssl.keystore"]);
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_certificate_of_the_client_that_the_broker_refuses() {
    for name in ["strangers-client.pem", "expired-client.pem"] {
        let path = BROKER.material.path(name);
        let key = [
            ("ssl.keystore.type", "PEM"),
            ("ssl.keystore.location", path.as_str()),
        ];
        let error = refusal(&with(&trusting("MUTUAL", "SSL"), &key));
        expect(&error, Class::Auth, &["ssl.keystore"]);
    }
}

/// Who speaks in the clear to a listener with TLS, the other way round, and with no login where one is wanted.
#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn another_protocol_than_the_listeners() {
    let jaas = jaas(PLAIN, "not hers");
    let login = [
        ("sasl.mechanism", "PLAIN"),
        ("sasl.jaas.config", jaas.as_str()),
    ];
    let wrong: [(Pairs<'_>, &str); 8] = [
        (at("OPENTLS", "PLAINTEXT"), "TLS"),
        (with(&at("LOGINTLS", "SASL_PLAINTEXT"), &login), "TLS"),
        (trusting("PLAINTEXT", "SSL"), "no TLS"),
        (with(&trusting("LOGIN", "SASL_SSL"), &login), "no TLS"),
        (at("LOGIN", "PLAINTEXT"), "SASL"),
        (with(&at("PLAINTEXT", "SASL_PLAINTEXT"), &login), "no SASL"),
        (trusting("LOGINTLS", "SSL"), "SASL"),
        (with(&trusting("OPENTLS", "SASL_SSL"), &login), "no SASL"),
    ];
    for (pairs, part) in wrong {
        let servers = pairs[0].1.clone();
        let error = refusal(&pairs);
        expect(
            &error,
            Class::InvalidRequest,
            &[&servers, part, "security.protocol"],
        );
    }
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_wrong_password_of_a_key_store() {
    for (name, kind) in [("client.jks", "JKS"), ("client.p12", "PKCS12")] {
        let path = BROKER.material.path(name);
        let key = [
            ("ssl.keystore.type", kind),
            ("ssl.keystore.location", path.as_str()),
            ("ssl.keystore.password", "not hers"),
        ];
        let error = refusal(&with(&trusting("MUTUAL", "SSL"), &key));
        expect(
            &error,
            Class::InvalidRequest,
            &[&path, "wrong password", "check ssl.keystore.password"],
        );
    }
}

#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_token_file_that_is_not_there() {
    let module = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
    let jaas = format!("{module} required;");
    let token = [
        ("sasl.mechanism", "OAUTHBEARER"),
        ("sasl.jaas.config", jaas.as_str()),
        (
            "sasl.login.callback.handler.class",
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
        ),
        (
            "sasl.oauthbearer.token.endpoint.url",
            "file:///nowhere/token",
        ),
    ];
    let error = refusal(&with(&at("TOKENS", "SASL_PLAINTEXT"), &token));
    expect(
        &error,
        Class::InvalidRequest,
        &["/nowhere/token", "sasl.oauthbearer.token.endpoint.url"],
    );
}

//! One node with a listener for each kind of trouble.

use std::sync::LazyLock;

use ferroconnect_node::{Node, Protocol};

use super::material::Material;

/// Alice's password, under every mechanism.
pub(crate) const PASSWORD: &str = "her \"own\" secret\\";

/// The node of all cases. It dies with this program.
pub(crate) static BROKER: LazyLock<Broker> = LazyLock::new(Broker::start);

pub(crate) struct Broker {
    node: Node,
    pub(crate) material: Material,
}

impl Broker {
    fn start() -> Self {
        let material = Material::make();
        let quoted = PASSWORD.replace('\\', "\\\\").replace('"', "\\\"");
        let plain = format!(
            "org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=\"{quoted}\";"
        );
        let scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
        let login = [
            (
                "sasl.enabled.mechanisms",
                "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
            ),
            ("plain.sasl.jaas.config", plain.as_str()),
            ("scram-sha-256.sasl.jaas.config", scram),
            ("scram-sha-512.sasl.jaas.config", scram),
        ];
        let tls = |certificate: &str| {
            [
                ("ssl.keystore.type", "PEM".to_owned()),
                ("ssl.keystore.location", material.path(certificate)),
            ]
        };
        let trust = [
            ("ssl.truststore.type", "PEM".to_owned()),
            ("ssl.truststore.location", material.path("clients.pem")),
        ];
        let open = ("ssl.client.auth", "none".to_owned());
        let good = tls("broker.pem");
        let node = Node::builder()
            .scram_user("SCRAM-SHA-256", "alice", PASSWORD)
            .scram_user("SCRAM-SHA-512", "alice", PASSWORD)
            .listener("LOGIN", Protocol::SaslPlaintext, login)
            .listener("LOGINTLS", Protocol::SaslSsl, login.into_iter().chain(texts(&good)))
            .listener("MUTUAL", Protocol::Ssl, texts(&good).chain(texts(&trust)))
            .listener("OPENTLS", Protocol::Ssl, texts(&good).chain(texts(std::slice::from_ref(&open))))
            .listener(
                "ELSEWHERE",
                Protocol::Ssl,
                texts(&tls("elsewhere.pem")).chain(texts(std::slice::from_ref(&open))),
            )
            .listener(
                "EXPIRED",
                Protocol::Ssl,
                texts(&tls("expired.pem")).chain(texts(std::slice::from_ref(&open))),
            )
            .listener("TOKENS", Protocol::SaslPlaintext, [
                ("sasl.enabled.mechanisms", "OAUTHBEARER"),
                (
                    "oauthbearer.sasl.jaas.config",
                    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";",
                ),
            ])
            .start()
            .unwrap();
        Self { node, material }
    }

    /// `bootstrap.servers` of a listener.
    pub(crate) fn at(&self, listener: &str) -> String {
        self.node.bootstrap_of(listener).unwrap()
    }
}

fn texts<'a>(pairs: &'a [(&'a str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    pairs.iter().map(|(key, value)| (*key, value.as_str()))
}

//! From keys to settings, in the words of Kafka's own refusals (recorded with kafka-clients 4.3.1).

use super::*;
use crate::kafka::types::{ConsumerConfig, OffsetReset, ProducerConfig};
use crate::time::Span;
use ferroconnect_converters::config::{RawConfig, Secret};

fn layers(kind: ClientKind, pairs: &[(&str, &str)]) -> Layers {
    let pairs = pairs.iter();
    let raw: RawConfig = pairs
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Layers::new(kind).add(kind.worker_prefix(), &raw)
}

fn producer(pairs: &[(&str, &str)]) -> ProducerConfig {
    layers(Producer, pairs).producer().unwrap().config
}

fn consumer(pairs: &[(&str, &str)]) -> ConsumerConfig {
    layers(Consumer, pairs).consumer().unwrap().config
}

fn security(pairs: &[(&str, &str)]) -> Security {
    (*producer(pairs).connection.security).clone()
}

/// Everything that is wrong, one line each.
fn problems(kind: ClientKind, pairs: &[(&str, &str)]) -> String {
    match layers(kind, pairs).check() {
        Ok(_) => String::new(),
        Err(problems) => problems.to_string(),
    }
}

fn refused(kind: ClientKind, pairs: &[(&str, &str)], expected: &str) {
    let said = problems(kind, pairs);
    assert!(said.contains(expected), "'{expected}' is not in:\n{said}");
    assert!(!said.contains("hunter2"), "{said}");
}

use ClientKind::{Admin, Consumer, Producer};

#[test]
fn connection_keys_become_typed() {
    let config = producer(&[
        ("bootstrap.servers", "a:1, [::1]:2,SSL://b-c.d:3"),
        ("request.timeout.ms", "5000"),
        ("connections.max.idle.ms", "-1"),
        ("send.buffer.bytes", "-1"),
        ("receive.buffer.bytes", "1024"),
        ("metadata.recovery.strategy", "NONE"),
        ("client.id", "me"),
    ]);
    assert_eq!(config.client_id, "me");
    let connection = config.connection;
    assert_eq!(connection.bootstrap, ["a:1", "[::1]:2", "SSL://b-c.d:3"]);
    assert_eq!(connection.request_timeout, Span::secs(5));
    assert_eq!((connection.max_idle, connection.send_buffer), (None, None));
    assert_eq!(connection.receive_buffer, Some(1_024));
    assert_eq!(connection.metadata_recovery, MetadataRecovery::None);
}

#[test]
fn addresses_are_checked() {
    for wrong in [
        "a b",
        "localhost",
        "localhost:",
        "localhost:x",
        ":1",
        "a:70000",
        "[::1:2",
        "http//x:1",
    ] {
        refused(
            Producer,
            &[("bootstrap.servers", wrong)],
            "Invalid url in bootstrap.servers: ",
        );
    }
}

#[test]
fn producer_keys_become_typed() {
    let config = producer(&[
        ("acks", "1"),
        ("compression.type", "gzip"),
        ("compression.gzip.level", "7"),
        ("compression.zstd.level", "5"),
        (
            "partitioner.class",
            "org.apache.kafka.clients.producer.RoundRobinPartitioner",
        ),
        ("transaction.timeout.ms", "9"),
    ]);
    let settings = config.settings;
    assert_eq!(
        (settings.acks, settings.compression),
        (Acks::Leader, Compression::Gzip)
    );
    assert_eq!(settings.compression_level, Some(7));
    assert!(settings.round_robin);
    assert_eq!(settings.transaction_timeout, Some(Span::millis(9)));
    // The level of another codec, gzip's "as you like", and none.
    for pairs in [
        &[
            ("compression.type", "zstd"),
            ("compression.gzip.level", "7"),
        ][..],
        &[
            ("compression.type", "gzip"),
            ("compression.gzip.level", "-1"),
        ],
        &[("compression.gzip.level", "7")],
    ] {
        assert_eq!(producer(pairs).settings.compression_level, None);
    }
    let zstd = [
        ("compression.type", "zstd"),
        ("compression.zstd.level", "-5"),
    ];
    assert_eq!(producer(&zstd).settings.compression_level, Some(-5));
}

#[test]
fn producers_refuse_what_kafkas_refuses() {
    let idempotent = ("enable.idempotence", "true");
    refused(
        Producer,
        &[("acks", "7")],
        "String must be one of: all, -1, 0, 1",
    );
    refused(
        Producer,
        &[idempotent, ("acks", "1")],
        "Must set acks to all in order to use the idempotent producer.",
    );
    refused(
        Producer,
        &[idempotent, ("max.in.flight.requests.per.connection", "6")],
        "To use the idempotent producer, max.in.flight.requests.per.connection must be set to at most 5. Current value is 6.",
    );
    refused(
        Producer,
        &[idempotent, ("retries", "0")],
        "Must set retries to non-zero when using the idempotent producer.",
    );
    refused(
        Producer,
        &[("delivery.timeout.ms", "100")],
        "should be equal to or larger than linger.ms + request.timeout.ms",
    );
    refused(
        Producer,
        &[("compression.gzip.level", "11")],
        "Value must be between 1 and 9 or equal to -1",
    );
    refused(
        Producer,
        &[("compression.zstd.level", "50")],
        "Value must be no more than 22",
    );
    refused(
        Producer,
        &[("partitioner.class", "com.acme.P")],
        "a partitioner is a Java class",
    );
    // What is left out of Connect, and says so.
    refused(
        Producer,
        &[("transactional.id", "t")],
        "the worker gives transactional ids itself; remove it",
    );
    refused(Producer, &[("key.serializer", "x.Y")], "use key.converter");
    let own = "org.apache.kafka.common.serialization.ByteArraySerializer";
    assert_eq!(
        problems(
            Producer,
            &[("key.serializer", own), ("interceptor.classes", "")]
        ),
        ""
    );
}

#[test]
fn consumer_keys_become_typed() {
    let config = consumer(&[
        ("group.protocol", "Consumer"),
        ("group.remote.assignor", "uniform"),
        ("auto.offset.reset", "none"),
        ("client.rack", "r1"),
        ("group.id", "g"),
    ]);
    let assignor = Some("uniform".to_owned());
    assert_eq!(
        config.settings.protocol,
        GroupProtocol::Consumer { assignor }
    );
    assert_eq!(config.reset, OffsetReset::Fail);
    assert_eq!(config.settings.rack.as_deref(), Some("r1"));
    let classic = consumer(&[
        (
            "partition.assignment.strategy",
            "org.apache.kafka.clients.consumer.RoundRobinAssignor",
        ),
        ("heartbeat.interval.ms", "7"),
    ]);
    let expected = GroupProtocol::Classic {
        assignors: vec![Assignor::RoundRobin],
        heartbeat: Span::millis(7),
    };
    assert_eq!(classic.settings.protocol, expected);
}

#[test]
fn consumers_refuse_what_kafkas_refuses() {
    refused(
        Consumer,
        &[("heartbeat.interval.ms", "50000")],
        "Heartbeat must be set lower than the session timeout",
    );
    refused(
        Consumer,
        &[
            ("group.protocol", "consumer"),
            ("session.timeout.ms", "5"),
            ("heartbeat.interval.ms", "3"),
        ],
        "heartbeat.interval.ms, session.timeout.ms cannot be set when group.protocol=CONSUMER",
    );
    refused(
        Consumer,
        &[("group.remote.assignor", "x")],
        "group.remote.assignor cannot be set when group.protocol=CLASSIC",
    );
    refused(
        Consumer,
        &[("partition.assignment.strategy", "com.acme.A")],
        "com.acme.A is a Java class",
    );
    refused(
        Consumer,
        &[("auto.offset.reset", "middle")],
        "The value must be either 'earliest', 'latest', 'none' or of the format",
    );
    refused(
        Consumer,
        &[("auto.offset.reset", "by_duration:PT1H")],
        "not supported",
    );
    refused(
        Consumer,
        &[("group.id", " ")],
        "should not be an empty string or whitespace.",
    );
    refused(
        Consumer,
        &[("group.instance.id", "")],
        "String must be non-empty",
    );
    refused(
        Consumer,
        &[("isolation.level", "READ_COMMITTED")],
        "String must be one of: read_committed, read_uncommitted",
    );
    refused(
        Consumer,
        &[("enable.auto.commit", "true")],
        "the worker commits what the task has written",
    );
    refused(
        Admin,
        &[("bootstrap.controllers", "a:1")],
        "use bootstrap.servers",
    );
}

#[test]
fn plaintext_has_no_use_for_certificates_and_logins() {
    let pairs = [
        ("ssl.truststore.location", "/x"),
        ("ssl.endpoint.identification.algorithm", ""),
        ("sasl.jaas.config", "hunter2"),
        ("sasl.mechanism", "GSSAPI"),
    ];
    let parsed = layers(Producer, &pairs).producer().unwrap();
    assert_eq!(parsed.config.connection.security.protocol(), "PLAINTEXT");
    assert_eq!(
        parsed.warnings,
        [
            "producer.ssl.endpoint.identification.algorithm has no effect: security.protocol is PLAINTEXT",
            "producer.sasl.jaas.config has no effect: security.protocol is PLAINTEXT",
        ]
    );
    assert!(!format!("{:?}", parsed.config).contains("hunter2"));
}

const SSL: (&str, &str) = ("security.protocol", "ssl");

#[test]
fn stores_become_typed() {
    let file = security(&[
        SSL,
        ("ssl.keystore.location", "/k"),
        ("ssl.keystore.password", "hunter2"),
        ("ssl.truststore.location", "/t"),
        ("ssl.truststore.type", "pkcs12"),
    ]);
    let tls = file.tls.unwrap();
    let store = StoreFile {
        path: "/k".to_owned(),
        kind: StoreKind::Jks,
        password: Some(Secret::new("hunter2")),
    };
    let expected = KeyMaterial::File {
        store,
        key_password: None,
    };
    assert_eq!(tls.key, Some(expected));
    let Some(TrustMaterial::File(trust)) = tls.trust else {
        panic!("a file");
    };
    assert_eq!(
        (trust.path.as_str(), trust.kind, trust.password),
        ("/t", StoreKind::Pkcs12, None)
    );
    assert_eq!(security(&[SSL]).tls, Some(Tls::default()));
}

#[test]
fn stores_refuse_what_kafkas_refuse() {
    let pem = ("ssl.keystore.type", "PEM");
    for (pairs, expected) in [
        (
            &[("ssl.keystore.key", "hunter2")][..],
            "SSL private key can be specified only for PEM",
        ),
        (
            &[pem, ("ssl.keystore.key", "hunter2")],
            "SSL private key is specified, but certificate chain is not specified",
        ),
        (
            &[pem, ("ssl.keystore.certificate.chain", "hunter2")],
            "SSL certificate chain is specified, but private key is not specified",
        ),
        (
            &[("ssl.keystore.location", "/k")],
            "SSL key store is specified, but key store password is not specified",
        ),
        (
            &[("ssl.keystore.password", "hunter2")],
            "SSL key store is not specified, but key store password is specified",
        ),
        (
            &[
                pem,
                ("ssl.keystore.location", "/k"),
                ("ssl.keystore.password", "hunter2"),
            ],
            "only key password may be specified",
        ),
        (&[("ssl.keystore.type", "BCFKS")], "use JKS, PKCS12 or PEM"),
        (
            &[("ssl.truststore.certificates", "hunter2")],
            "SSL trust store certs can be specified only for PEM",
        ),
        (
            &[("ssl.truststore.password", "hunter2")],
            "SSL trust store is not specified, but trust store password is specified",
        ),
        (&[("ssl.truststore.type", "X")], "use JKS, PKCS12 or PEM"),
    ] {
        refused(Producer, &[&[SSL], pairs].concat(), expected);
    }
}

#[test]
fn what_rustls_cannot_do_is_refused() {
    for (pairs, expected) in [
        (
            &[("ssl.endpoint.identification.algorithm", "")],
            "the client always checks that the certificate is for the host",
        ),
        (
            &[("ssl.cipher.suites", "TLS_X")],
            "the suites are those of rustls",
        ),
        (
            &[("ssl.enabled.protocols", "TLSv1.3")],
            "TLS 1.2 cannot be switched off here",
        ),
        (
            &[("ssl.enabled.protocols", "TLSv1.1")],
            "versions before TLS 1.2 are unsafe",
        ),
        (
            &[("ssl.protocol", "TLSv1.1")],
            "use TLSv1.3, TLSv1.2 or TLS",
        ),
        (
            &[("ssl.engine.factory.class", "x.Y")],
            "an engine factory is a Java class",
        ),
    ] {
        refused(Producer, &[&[SSL], &pairs[..]].concat(), expected);
    }
    let parsed = layers(Producer, &[SSL, ("ssl.enabled.protocols", "TLSv1.2")]).producer();
    assert_eq!(
        parsed.unwrap().warnings,
        ["producer.ssl.enabled.protocols: TLS 1.3 is offered too"]
    );
}

const SASL: (&str, &str) = ("security.protocol", "SASL_PLAINTEXT");
const PLAIN: &str = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"hunter2\";";
const SCRAM: &str = "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"u\" password=\"hunter2\";";

#[test]
fn logins_become_typed() {
    let (user, password) = ("u".to_owned(), Secret::new("hunter2"));
    let plain = security(&[
        SASL,
        ("sasl.mechanism", "PLAIN"),
        ("sasl.jaas.config", PLAIN),
    ]);
    assert_eq!(plain.protocol(), "SASL_PLAINTEXT");
    let expected = Sasl::Plain {
        user: user.clone(),
        password: password.clone(),
    };
    assert_eq!(plain.sasl, Some(expected));
    let scram = security(&[
        ("security.protocol", "SASL_SSL"),
        ("sasl.mechanism", "SCRAM-SHA-512"),
        ("sasl.jaas.config", SCRAM),
    ]);
    assert_eq!(scram.protocol(), "SASL_SSL");
    let expected = Sasl::Scram {
        hash: ScramHash::Sha512,
        user,
        password,
    };
    assert_eq!(scram.sasl.as_ref(), Some(&expected));
    assert!(!format!("{plain:?} {scram:?}").contains("hunter2"));
}

#[test]
fn logins_that_cannot_work_are_refused() {
    let plain = ("sasl.mechanism", "PLAIN");
    for (pairs, expected) in [
        (
            &[][..],
            "producer.sasl.mechanism is not set, which means GSSAPI (Kerberos).",
        ),
        (
            &[("sasl.mechanism", "GSSAPI")],
            "use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER",
        ),
        (&[("sasl.mechanism", "FOO")], "use PLAIN, SCRAM-SHA-256"),
        (
            &[plain],
            "producer.sasl.jaas.config is required by sasl.mechanism=PLAIN; set it to: org.apache.kafka.common.security.plain.",
        ),
        (
            &[plain, ("sasl.jaas.config", "hunter2")],
            "control flag not specified",
        ),
        (
            &[plain, ("sasl.jaas.config", SCRAM)],
            "the login module does not belong to sasl.mechanism=PLAIN",
        ),
        (
            &[
                plain,
                (
                    "sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"\";",
                ),
            ],
            "the option password is missing or empty",
        ),
        (
            &[
                plain,
                ("sasl.jaas.config", PLAIN),
                ("sasl.login.callback.handler.class", "com.acme.H"),
            ],
            "a callback handler is a Java class",
        ),
        (
            &[
                plain,
                ("sasl.jaas.config", PLAIN),
                ("sasl.login.class", "com.acme.L"),
            ],
            "a login class is a Java class",
        ),
    ] {
        refused(Producer, &[&[SASL], pairs].concat(), expected);
    }
    let token = SCRAM.replace("required", "required tokenauth=\"true\"");
    let pairs = [
        SASL,
        ("sasl.mechanism", "SCRAM-SHA-256"),
        ("sasl.jaas.config", &token),
    ];
    refused(Producer, &pairs, "tokenauth (delegation tokens)");
}

const OAUTH: [(&str, &str); 2] = [SASL, ("sasl.mechanism", "OAUTHBEARER")];
const HANDLER: (&str, &str) = (
    "sasl.login.callback.handler.class",
    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
);
const MODULE: &str = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required";

fn oauth(options: &str, pairs: &[(&str, &str)]) -> Result<Sasl, String> {
    let jaas = format!("{MODULE} {options};");
    let all = [&OAUTH[..], &[("sasl.jaas.config", jaas.as_str())], pairs].concat();
    let parsed = layers(Producer, &all).producer();
    match parsed {
        Ok(parsed) => Ok(parsed.config.connection.security.sasl.clone().unwrap()),
        Err(problems) => Err(problems.to_string()),
    }
}

#[test]
fn unsigned_tokens_have_the_claims_of_java() {
    let options = "unsecuredLoginStringClaim_sub=\"alice\" unsecuredLoginNumberClaim_n=\"2\" unsecuredLoginListClaim_l=\"|a|b\" \
                   unsecuredLoginLifetimeSeconds=\"60\" unsecuredLoginExtension_k=\"v\"";
    let expected = OAuth::Unsecured {
        claims: r#"{"l":["a","b"],"n":2.0,"sub":"alice"}"#.to_owned(),
        lifetime: Span::secs(60),
        extensions: vec![("k".to_owned(), "v".to_owned())],
    };
    assert_eq!(oauth(options, &[]), Ok(Sasl::OAuthBearer(expected)));
    for (options, expected) in [
        ("", "unsecuredLoginStringClaim_sub is missing"),
        (
            "unsecuredLoginStringClaim_sub=\"a\" unsecuredLoginNumberClaim_n=\"x\"",
            "is not a number",
        ),
        (
            "unsecuredLoginStringClaim_sub=\"a\" unsecuredLoginLifetimeSeconds=\"x\"",
            "is not a whole number of seconds",
        ),
    ] {
        let said = oauth(options, &[]).unwrap_err();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn tokens_come_from_files_and_identity_providers() {
    let endpoint = "sasl.oauthbearer.token.endpoint.url";
    let file = OAuth::File {
        path: "/t".to_owned(),
        extensions: Vec::new(),
    };
    assert_eq!(
        oauth("", &[HANDLER, (endpoint, "file:///t")]),
        Ok(Sasl::OAuthBearer(file))
    );
    let provider = [
        HANDLER,
        (endpoint, "https://idp/token"),
        ("sasl.oauthbearer.client.credentials.client.id", "new"),
        ("sasl.login.connect.timeout.ms", "2000"),
        ("sasl.login.read.timeout.ms", "3000"),
    ];
    let options =
        "clientId=\"old\" clientSecret=\"hunter2\" scope=\"s\" extension_logicalCluster=\"l\"";
    let request = TokenRequest {
        endpoint: "https://idp/token".to_owned(),
        client_id: "new".to_owned(),
        client_secret: Secret::new("hunter2"),
        scope: Some("s".to_owned()),
        timeout: Some(Span::secs(5)),
        trust: None,
        extensions: vec![("logicalCluster".to_owned(), "l".to_owned())],
    };
    let asked = oauth(options, &provider);
    assert_eq!(
        asked,
        Ok(Sasl::OAuthBearer(OAuth::Request(Box::new(request))))
    );
    assert!(!format!("{asked:?}").contains("hunter2"));
}

#[test]
fn tokens_that_cannot_be_had_are_refused() {
    let endpoint = "sasl.oauthbearer.token.endpoint.url";
    let secret = "clientId=\"c\" clientSecret=\"hunter2\"";
    for (options, pairs, expected) in [
        (
            "",
            &[HANDLER][..],
            "sasl.oauthbearer.token.endpoint.url is required by OAUTHBEARER",
        ),
        (
            "",
            &[(endpoint, "https://idp")],
            "has no effect without sasl.login.callback.handler.class=",
        ),
        (
            secret,
            &[HANDLER, (endpoint, "http://idp")],
            "must not cross the network in the clear; use an https address",
        ),
        (
            "",
            &[HANDLER, (endpoint, "https://idp")],
            "client.credentials.client.secret is required by",
        ),
        (
            "",
            &[("sasl.login.callback.handler.class", "com.acme.H")],
            "a callback handler is a Java class",
        ),
        (
            secret,
            &[
                HANDLER,
                (endpoint, "https://idp"),
                ("sasl.oauthbearer.jwt.retriever.class", "com.acme.R"),
            ],
            "ClientCredentialsJwtRetriever",
        ),
        (
            secret,
            &[
                HANDLER,
                (endpoint, "https://idp"),
                ("sasl.oauthbearer.assertion.file", "/a"),
            ],
            "a token that the Java client signs itself",
        ),
    ] {
        let said = oauth(options, pairs).unwrap_err();
        assert!(said.contains(expected), "'{expected}' is not in:\n{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

use ferroconnect_converters::config::{Importance, Kind, Setting, Validator};

use super::{ClientKey, ClientKind, Effect, KeyDefault};
use ClientKind::{Admin, Consumer, Producer};
use Effect::{Mapped, NoEffect, Unsupported};
use Importance::{High, Low, Medium};
use KeyDefault::{Is, Null};
use Kind::{Boolean, Class, Double, Int, List, Long, Password, Short, String};
use Validator::{AtLeast, Between, NonEmpty, OneOf, OneOfIgnoreCase};

const P: &[ClientKind] = &[Producer];
const C: &[ClientKind] = &[Consumer];
const A: &[ClientKind] = &[Admin];
const PC: &[ClientKind] = &[Producer, Consumer];
const CA: &[ClientKind] = &[Consumer, Admin];
const PCA: &[ClientKind] = &[Producer, Consumer, Admin];

const GZIP_LEVEL: Validator = Validator::Custom {
    text: "[1,...,9] or -1",
    check: |value| match value.as_integer() {
        Some(-1 | 1..=9) => Ok(()),
        Some(_) | None => Err("Value must be between 1 and 9 or equal to -1".to_owned()),
    },
};

const OFFSET_RESET: Validator = Validator::Custom {
    text: "[latest, earliest, none, by_duration:PnDTnHnMn.nS]",
    check: |value| match value.as_text() {
        Some(text) if text.starts_with("by_duration:") => Ok(()),
        Some("latest" | "earliest" | "none") => Ok(()),
        Some(text) => Err(format!(
            "Invalid value `{text}` for configuration auto.offset.reset. The value must be either 'earliest', 'latest', 'none' or \
             of the format 'by_duration:<PnDTnHnMn.nS.>'."
        )),
        None => Err("Value must be non-null".to_owned()),
    },
};

const WINDOW_FACTOR: Validator = Validator::Custom {
    text: "[0.5,...,1.0]",
    check: |value| between(value, 0.5, 1.0),
};

const WINDOW_JITTER: Validator = Validator::Custom {
    text: "[0.0,...,0.25]",
    check: |value| between(value, 0.0, 0.25),
};

fn between(value: &Setting, least: f64, most: f64) -> Result<(), ::std::string::String> {
    match value {
        Setting::Double(number) if *number < least => {
            Err(format!("Value must be at least {least:?}"))
        }
        Setting::Double(number) if *number > most => {
            Err(format!("Value must be no more than {most:?}"))
        }
        Setting::Double(_)
        | Setting::Null
        | Setting::Boolean(_)
        | Setting::Short(_)
        | Setting::Int(_)
        | Setting::Long(_)
        | Setting::Text(_)
        | Setting::List(_)
        | Setting::Password(_) => Ok(()),
    }
}

macro_rules! keys {
    ($($name:literal, $clients:ident, $kind:ident, $importance:ident, $default:expr, [$($check:expr),*], $effect:expr;)*) => {
        &[$(ClientKey {
            name: $name,
            clients: $clients,
            kind: $kind,
            importance: $importance,
            default: $default,
            checks: &[$($check),*],
            effect: $effect,
        }),*]
    };
}

/// Every key that Kafka 4.3.1's `ProducerConfig`, `ConsumerConfig` and `AdminClientConfig` define. A key whose default differs between
/// clients stands here once per default.
///
/// Name, clients, kind, importance, default, checks; below, what it does here.
pub const KEYS: &[ClientKey] = keys! {
    // Connecting.
    "bootstrap.controllers", A, List, High, Is(""), [],
        Unsupported(
            "the client speaks to brokers only",
            "remove it and use bootstrap.servers");
    "bootstrap.servers", PCA, List, High, Is(""), [],
        Mapped("where the client starts; the worker's when not set");
    "client.dns.lookup", PCA, String, Medium, Is("use_all_dns_ips"), [
        OneOf(&["use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"])],
        Unsupported(
            "all addresses of a host name are tried, names are never canonicalised",
            "remove it");
    "client.id", PCA, String, Medium, Is(""), [],
        Mapped("told to the broker with every request; Connect's default names connector and task");
    "client.rack", C, String, Low, Is(""), [],
        Mapped("the closest replica is read (KIP-392)");
    "connections.max.idle.ms", PC, Long, Medium, Is("540000"), [],
        Mapped("a connection unused for so long is closed; negative keeps it");
    "connections.max.idle.ms", A, Long, Medium, Is("300000"), [],
        Mapped("a connection unused for so long is closed; negative keeps it");
    "default.api.timeout.ms", CA, Int, Medium, Is("60000"), [AtLeast(0)],
        NoEffect("the worker gives each call its own time");
    "metadata.max.age.ms", PCA, Long, Low, Is("300000"), [AtLeast(0)],
        Mapped("how old metadata may get");
    "metadata.max.idle.ms", P, Long, Low, Is("300000"), [AtLeast(5_000)],
        Mapped("a topic unused for so long is forgotten");
    "metadata.recovery.rebootstrap.trigger.ms", PCA, Long, Low, Is("300000"), [AtLeast(0)],
        Mapped("when to go back to bootstrap.servers (KIP-1102)");
    "metadata.recovery.strategy", PCA, String, Low, Is("rebootstrap"), [OneOfIgnoreCase(&["REBOOTSTRAP", "NONE"])],
        Mapped("what to do when no known broker answers (KIP-899)");
    "receive.buffer.bytes", P, Int, Medium, Is("32768"), [AtLeast(-1)],
        Mapped("size of the socket's receive buffer; -1 leaves it to the operating system");
    "receive.buffer.bytes", CA, Int, Medium, Is("65536"), [AtLeast(-1)],
        Mapped("size of the socket's receive buffer; -1 leaves it to the operating system");
    "reconnect.backoff.max.ms", PCA, Long, Low, Is("1000"), [AtLeast(0)],
        NoEffect("the pause before connecting again doubles up to 1 s");
    "reconnect.backoff.ms", PCA, Long, Low, Is("50"), [AtLeast(0)],
        NoEffect("the pause before connecting again starts at 50 ms");
    "request.timeout.ms", PCA, Int, Medium, Is("30000"), [AtLeast(0)],
        Mapped("how long one request may wait for its answer");
    "retries", P, Int, High, Is("2147483647"), [Between(0, 2_147_483_647)],
        NoEffect("what may be retried is, until delivery.timeout.ms or default.api.timeout.ms is over");
    "retries", A, Int, Low, Is("2147483647"), [Between(0, 2_147_483_647)],
        NoEffect("what may be retried is, until delivery.timeout.ms or default.api.timeout.ms is over");
    "retry.backoff.max.ms", PCA, Long, Low, Is("1000"), [AtLeast(0)],
        NoEffect("the pause before a retry doubles up to 1 s");
    "retry.backoff.ms", PCA, Long, Low, Is("100"), [AtLeast(0)],
        Mapped("the first pause before a retry");
    "send.buffer.bytes", PCA, Int, Medium, Is("131072"), [AtLeast(-1)],
        Mapped("size of the socket's send buffer; -1 leaves it to the operating system");
    "socket.connection.setup.timeout.max.ms", PCA, Long, Medium, Is("30000"), [],
        NoEffect("every attempt has the same time, socket.connection.setup.timeout.ms");
    "socket.connection.setup.timeout.ms", PCA, Long, Medium, Is("10000"), [],
        Mapped("how long one connection may take to come about; at most request.timeout.ms");
    // Extensions and metrics.
    "config.providers", PCA, List, Low, Is(""), [],
        Unsupported(
            "placeholders are resolved by the worker, not by clients",
            "name the providers in the worker's own config.providers");
    "enable.metrics.push", PC, Boolean, Low, Is("true"), [],
        Mapped("whether brokers that ask are told this client's metrics (KIP-714)");
    "enable.metrics.push", A, Boolean, Low, Is("false"), [],
        Mapped("whether brokers that ask are told this client's metrics (KIP-714)");
    "interceptor.classes", PC, List, Low, Is(""), [],
        Unsupported(
            "an interceptor is a Java class, which cannot be loaded here",
            "remove it");
    "metric.reporters", PCA, List, Low, Is("org.apache.kafka.common.metrics.JmxReporter"), [],
        NoEffect("reporters are Java classes");
    "metrics.num.samples", PCA, Int, Low, Is("2"), [AtLeast(1)],
        NoEffect("belongs to Java's metrics");
    "metrics.recording.level", PCA, String, Low, Is("INFO"), [OneOf(&["INFO", "DEBUG", "TRACE"])],
        NoEffect("belongs to Java's metrics");
    "metrics.sample.window.ms", PCA, Long, Low, Is("30000"), [AtLeast(0)],
        NoEffect("belongs to Java's metrics");
    "security.providers", PCA, String, Low, Null, [],
        Unsupported(
            "a security provider is a Java class, which cannot be loaded here",
            "remove it; TLS is done by rustls");
    // TLS.
    "security.protocol", PCA, String, Medium, Is("PLAINTEXT"), [
        OneOfIgnoreCase(&["SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT"])],
        Mapped("PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL");
    "ssl.cipher.suites", PCA, List, Low, Is(""), [],
        Unsupported(
            "the suites are those of rustls (TLS 1.3, and ECDHE with AES-GCM or ChaCha20 for TLS 1.2) and cannot be narrowed",
            "remove it");
    "ssl.enabled.protocols", PCA, List, Medium, Is("TLSv1.2,TLSv1.3"), [],
        Mapped("both TLS 1.2 and 1.3 are always offered, so a list without TLSv1.2 is refused");
    "ssl.endpoint.identification.algorithm", PCA, String, Low, Is("https"), [],
        Unsupported(
            "the client always checks that the certificate is for the host it calls; it can only check everything or nothing",
            "remove it, and give the broker a certificate with its host name, or call it by a name that the certificate has");
    "ssl.engine.factory.class", PCA, Class, Low, Null, [],
        Unsupported(
            "an engine factory is a Java class, which cannot be loaded here",
            "remove it and use the other ssl.* keys");
    "ssl.key.password", PCA, Password, High, Null, [],
        Mapped("password of the private key; the file's when not set");
    "ssl.keymanager.algorithm", PCA, String, Low, Is("SunX509"), [],
        NoEffect("belongs to Java's TLS");
    "ssl.keystore.certificate.chain", PCA, Password, High, Null, [],
        Mapped("certificates of the client as PEM");
    "ssl.keystore.key", PCA, Password, High, Null, [],
        Mapped("private key as PEM, PKCS#8");
    "ssl.keystore.location", PCA, String, High, Null, [],
        Mapped("file with the client's certificate and key");
    "ssl.keystore.password", PCA, Password, High, Null, [],
        Mapped("password of that file");
    "ssl.keystore.type", PCA, String, Medium, Is("JKS"), [],
        Mapped("JKS, PKCS12 or PEM; JKS and PKCS12 are told apart by the file itself");
    "ssl.protocol", PCA, String, Medium, Is("TLSv1.3"), [],
        Mapped("TLSv1.3, TLSv1.2 or TLS; the version is negotiated, TLS 1.3 whenever the broker has it");
    "ssl.provider", PCA, String, Medium, Null, [],
        Unsupported(
            "a security provider is a Java class, which cannot be loaded here",
            "remove it; TLS is done by rustls");
    "ssl.secure.random.implementation", PCA, String, Low, Null, [],
        NoEffect("belongs to Java's TLS");
    "ssl.trustmanager.algorithm", PCA, String, Low, Is("PKIX"), [],
        NoEffect("belongs to Java's TLS");
    "ssl.truststore.certificates", PCA, Password, High, Null, [],
        Mapped("trusted certificates as PEM");
    "ssl.truststore.location", PCA, String, High, Null, [],
        Mapped("file with the trusted certificates; the system's own when no truststore is set");
    "ssl.truststore.password", PCA, Password, High, Null, [],
        Mapped("password of that file; without one a JKS file is read unchecked, as in Java");
    "ssl.truststore.type", PCA, String, Medium, Is("JKS"), [],
        Mapped("JKS, PKCS12 or PEM; JKS and PKCS12 are told apart by the file itself");
    // SASL.
    "sasl.client.callback.handler.class", PCA, Class, Medium, Null, [],
        Unsupported(
            "a callback handler is a Java class, which cannot be loaded here",
            "remove it and put the credentials into sasl.jaas.config");
    "sasl.jaas.config", PCA, Password, Medium, Null, [],
        Mapped("one login module with its options");
    "sasl.kerberos.kinit.cmd", PCA, String, Low, Is("/usr/bin/kinit"), [],
        NoEffect("belongs to Kerberos, which is not supported");
    "sasl.kerberos.min.time.before.relogin", PCA, Long, Low, Is("60000"), [],
        NoEffect("belongs to Kerberos, which is not supported");
    "sasl.kerberos.service.name", PCA, String, Medium, Null, [],
        NoEffect("belongs to Kerberos, which is not supported");
    "sasl.kerberos.ticket.renew.jitter", PCA, Double, Low, Is("0.05"), [],
        NoEffect("belongs to Kerberos, which is not supported");
    "sasl.kerberos.ticket.renew.window.factor", PCA, Double, Low, Is("0.8"), [],
        NoEffect("belongs to Kerberos, which is not supported");
    "sasl.login.callback.handler.class", PCA, Class, Medium, Null, [],
        Mapped("Kafka's OAuthBearerLoginCallbackHandler or OAuthBearerUnsecuredLoginCallbackHandler; any other class is refused");
    "sasl.login.class", PCA, Class, Medium, Null, [],
        Unsupported(
            "a login class is a Java class, which cannot be loaded here",
            "remove it and put the credentials into sasl.jaas.config");
    "sasl.login.connect.timeout.ms", PCA, Int, Low, Null, [],
        Mapped("time for connecting to the token endpoint, added to sasl.login.read.timeout.ms");
    "sasl.login.read.timeout.ms", PCA, Int, Low, Null, [],
        Mapped("time for the token endpoint's answer, added to sasl.login.connect.timeout.ms");
    "sasl.login.refresh.buffer.seconds", PCA, Short, Low, Is("300"), [Between(0, 3_600)],
        NoEffect("a token is asked for before each connection");
    "sasl.login.refresh.min.period.seconds", PCA, Short, Low, Is("60"), [Between(0, 900)],
        NoEffect("a token is asked for before each connection");
    "sasl.login.refresh.window.factor", PCA, Double, Low, Is("0.8"), [WINDOW_FACTOR],
        NoEffect("a token is asked for before each connection");
    "sasl.login.refresh.window.jitter", PCA, Double, Low, Is("0.05"), [WINDOW_JITTER],
        NoEffect("a token is asked for before each connection");
    "sasl.login.retry.backoff.max.ms", PCA, Long, Low, Is("10000"), [],
        NoEffect("a failed request for a token is repeated with the connection");
    "sasl.login.retry.backoff.ms", PCA, Long, Low, Is("100"), [],
        NoEffect("a failed request for a token is repeated with the connection");
    "sasl.mechanism", PCA, String, Medium, Is("GSSAPI"), [],
        Mapped("PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER; GSSAPI is refused");
    "sasl.oauthbearer.assertion.algorithm", PCA, String, Medium, Is("RS256"), [OneOfIgnoreCase(&["ES256", "RS256"])],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.claim.aud", PCA, String, Medium, Null, [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.claim.exp.seconds", PCA, Int, Low, Is("300"), [Between(0, 86_400)],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.claim.iss", PCA, String, Medium, Null, [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.claim.jti.include", PCA, Boolean, Medium, Is("false"), [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.claim.nbf.seconds", PCA, Int, Low, Is("60"), [Between(0, 3_600)],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.claim.sub", PCA, String, Medium, Null, [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.file", PCA, String, Medium, Null, [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.private.key.file", PCA, String, Medium, Null, [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.private.key.passphrase", PCA, Password, Medium, Null, [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.assertion.template.file", PCA, String, Medium, Null, [],
        Unsupported(
            "is part of a token that the Java client signs itself, which is not supported",
            "use a client id and secret, or sasl.oauthbearer.token.endpoint.url=file:PATH with tokens that another program renews");
    "sasl.oauthbearer.client.credentials.client.id", PCA, String, Medium, Null, [],
        Mapped("who asks for a token; before the JAAS option clientId");
    "sasl.oauthbearer.client.credentials.client.secret", PCA, Password, Medium, Null, [],
        Mapped("its secret; before the JAAS option clientSecret");
    "sasl.oauthbearer.clock.skew.seconds", PCA, Int, Low, Is("30"), [],
        NoEffect("is for brokers that check tokens");
    "sasl.oauthbearer.expected.audience", PCA, List, High, Is(""), [],
        NoEffect("is for brokers that check tokens");
    "sasl.oauthbearer.expected.issuer", PCA, String, High, Null, [],
        NoEffect("is for brokers that check tokens");
    "sasl.oauthbearer.header.urlencode", PCA, Boolean, Low, Is("false"), [],
        Unsupported(
            "client id and secret are sent as they are",
            "remove it");
    "sasl.oauthbearer.jwks.endpoint.refresh.ms", PCA, Long, Low, Is("3600000"), [],
        NoEffect("is for brokers that check tokens");
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", PCA, Long, Low, Is("10000"), [],
        NoEffect("is for brokers that check tokens");
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", PCA, Long, Low, Is("100"), [],
        NoEffect("is for brokers that check tokens");
    "sasl.oauthbearer.jwks.endpoint.url", PCA, String, Medium, Null, [],
        NoEffect("is for brokers that check tokens");
    "sasl.oauthbearer.jwt.retriever.class", PCA, Class, Medium, Is("org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever"), [],
        Mapped("Kafka's DefaultJwtRetriever, ClientCredentialsJwtRetriever or FileJwtRetriever; any other class is refused");
    "sasl.oauthbearer.jwt.validator.class", PCA, Class, Medium, Is("org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator"), [],
        NoEffect("the broker checks the token");
    "sasl.oauthbearer.scope", PCA, String, Medium, Null, [],
        Mapped("the scope asked for; before the JAAS option scope");
    "sasl.oauthbearer.scope.claim.name", PCA, String, Low, Is("scope"), [],
        NoEffect("the broker checks the token");
    "sasl.oauthbearer.sub.claim.name", PCA, String, Low, Is("sub"), [],
        NoEffect("the broker checks the token");
    "sasl.oauthbearer.token.endpoint.url", PCA, String, Medium, Null, [],
        Mapped("where tokens come from: an https address, or file: and a path");
    // Producer.
    "acks", P, String, Low, Is("all"), [OneOf(&["all", "-1", "0", "1"])],
        Mapped("who must have a record before it counts as written");
    "batch.size", P, Int, Medium, Is("16384"), [AtLeast(0)],
        Mapped("bytes of one batch");
    "buffer.memory", P, Long, High, Is("33554432"), [AtLeast(0)],
        Mapped("bytes accepted and not yet written");
    "compression.gzip.level", P, Int, Medium, Is("-1"), [GZIP_LEVEL],
        Mapped("level of gzip");
    "compression.lz4.level", P, Int, Medium, Is("9"), [Between(1, 17)],
        NoEffect("the lz4 encoder has one level");
    "compression.type", P, String, High, Is("none"), [OneOf(&["none", "gzip", "snappy", "lz4", "zstd"])],
        Mapped("none, gzip, snappy, lz4 or zstd");
    "compression.zstd.level", P, Int, Medium, Is("3"), [Between(-131_072, 22)],
        Mapped("level of zstd");
    "delivery.timeout.ms", P, Int, Medium, Is("120000"), [AtLeast(0)],
        Mapped("how long a record may take to be written; Connect's default is for ever");
    "enable.idempotence", P, Boolean, Low, Is("true"), [],
        Mapped("whether the broker drops repeated batches; Connect's default is false");
    "key.serializer", P, Class, High, Is("org.apache.kafka.common.serialization.ByteArraySerializer"), [],
        Unsupported(
            "the connector's converters make the bytes",
            "remove it and use key.converter");
    "linger.ms", P, Long, Medium, Is("5"), [AtLeast(0)],
        Mapped("how long a batch waits for more records");
    "max.block.ms", P, Long, Medium, Is("60000"), [AtLeast(0)],
        Mapped("how long a call may wait for metadata or space; Connect's default is for ever");
    "max.in.flight.requests.per.connection", P, Int, Low, Is("5"), [AtLeast(1)],
        NoEffect("one batch of a partition is on its way at once, so records are in order whatever it says");
    "max.request.size", P, Int, Medium, Is("1048576"), [AtLeast(0)],
        Mapped("bytes of one record");
    "partitioner.adaptive.partitioning.enable", P, Boolean, Low, Is("true"), [],
        NoEffect("keyless records stay with one partition for one batch, whatever its speed");
    "partitioner.availability.timeout.ms", P, Long, Low, Is("0"), [AtLeast(0)],
        NoEffect("keyless records stay with one partition for one batch, whatever its speed");
    "partitioner.class", P, Class, Medium, Null, [],
        Mapped("not set, or Kafka's RoundRobinPartitioner; any other class is refused");
    "partitioner.ignore.keys", P, Boolean, Medium, Is("false"), [],
        Unsupported(
            "a record with a key goes where its key says",
            "remove it, or let the connector name partitions");
    "transaction.timeout.ms", P, Int, Low, Is("60000"), [],
        Mapped("how long a transaction may stay open");
    "transaction.two.phase.commit.enable", P, Boolean, Low, Is("false"), [],
        Unsupported(
            "nothing outside Kafka coordinates transactions of the worker",
            "remove it");
    "transactional.id", P, String, Low, Null, [NonEmpty],
        Unsupported(
            "the worker gives transactional ids itself",
            "remove it");
    "value.serializer", P, Class, High, Is("org.apache.kafka.common.serialization.ByteArraySerializer"), [],
        Unsupported(
            "the connector's converters make the bytes",
            "remove it and use value.converter");
    // Consumer.
    "allow.auto.create.topics", C, Boolean, Medium, Is("true"), [],
        Mapped("whether asking for a topic may create it");
    "auto.commit.interval.ms", C, Int, Low, Is("5000"), [AtLeast(0)],
        NoEffect("the worker commits; offset.flush.interval.ms says how often");
    "auto.offset.reset", C, String, Medium, Is("latest"), [OFFSET_RESET],
        Mapped("earliest, latest or none; by_duration is refused. Connect's default is earliest");
    "check.crcs", C, Boolean, Low, Is("true"), [],
        NoEffect("checksums are always checked");
    "enable.auto.commit", C, Boolean, Medium, Is("true"), [],
        Unsupported(
            "the worker commits what the task has written",
            "remove it; offset.flush.interval.ms says how often");
    "exclude.internal.topics", C, Boolean, Medium, Is("true"), [],
        Unsupported(
            "a pattern never matches Kafka's internal topics",
            "remove it, or name the topics");
    "fetch.max.bytes", C, Int, Medium, Is("52428800"), [AtLeast(0)],
        Mapped("bytes that one poll gives at most");
    "fetch.max.wait.ms", C, Int, Low, Is("500"), [AtLeast(0)],
        Mapped("the broker waits at most so long");
    "fetch.min.bytes", C, Int, High, Is("1"), [AtLeast(0)],
        Mapped("the broker waits until it has so much");
    "group.id", C, String, High, Null, [],
        Mapped("the group; Connect's default is connect- and the connector's name");
    "group.instance.id", C, String, Medium, Null, [NonEmpty],
        Mapped("name of a static member (KIP-345)");
    "group.protocol", C, String, High, Is("classic"), [OneOfIgnoreCase(&["CONSUMER", "CLASSIC"])],
        Mapped("classic, or consumer (KIP-848)");
    "group.remote.assignor", C, String, Medium, Null, [],
        Mapped("the broker's assignor, under group.protocol=consumer");
    "heartbeat.interval.ms", C, Int, High, Is("3000"), [],
        Mapped("how often a member says that it lives");
    "internal.throw.on.fetch.stable.offset.unsupported", C, Boolean, Low, Is("false"), [],
        NoEffect("belongs to Java's consumer");
    "isolation.level", C, String, Medium, Is("read_uncommitted"), [OneOf(&["read_committed", "read_uncommitted"])],
        Mapped("whether records of open and aborted transactions are seen");
    "key.deserializer", C, Class, High, Is("org.apache.kafka.common.serialization.ByteArrayDeserializer"), [],
        Unsupported(
            "the connector's converters read the bytes",
            "remove it and use key.converter");
    "max.partition.fetch.bytes", C, Int, High, Is("1048576"), [AtLeast(0)],
        Mapped("bytes of one partition in one answer");
    "max.poll.interval.ms", C, Int, Medium, Is("300000"), [AtLeast(1)],
        Mapped("a member that does not poll for so long loses its partitions");
    "max.poll.records", C, Int, Medium, Is("500"), [AtLeast(1)],
        Mapped("records that one poll gives at most");
    "partition.assignment.strategy", C, List, Medium, Is("org.apache.kafka.clients.consumer.RangeAssignor,org.apache.kafka.clients.consumer.CooperativeStickyAssignor"), [],
        Mapped("Kafka's RangeAssignor, RoundRobinAssignor and CooperativeStickyAssignor; any other class is refused");
    "session.timeout.ms", C, Int, High, Is("45000"), [],
        Mapped("a member silent for so long is thrown out");
    "share.acknowledgement.mode", C, String, Medium, Is("implicit"), [OneOf(&["implicit", "explicit"])],
        NoEffect("belongs to share groups");
    "share.acquire.mode", C, String, Medium, Is("BATCH_OPTIMIZED"), [
        OneOfIgnoreCase(&["batch_optimized", "record_limit"])],
        NoEffect("belongs to share groups");
    "value.deserializer", C, Class, High, Is("org.apache.kafka.common.serialization.ByteArrayDeserializer"), [],
        Unsupported(
            "the connector's converters read the bytes",
            "remove it and use value.converter");
};

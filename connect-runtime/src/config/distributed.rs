//! The keys that only a distributed worker has (`DistributedConfig`), as Kafka 4.3 defines them.

use ferroconnect_converters::config::{ConfigDef, Importance, Key, Kind, Setting, Validator};

use super::topic_groups::{PARTITIONS, REPLICAS};
use super::worker::common_def;

/// Every key of a distributed worker, in Kafka's order.
pub fn distributed_def() -> ConfigDef {
    let rows = MEMBER_AND_CLIENT.iter().chain(&SASL).chain(&CLUSTER);
    rows.map(key).fold(common_def(), ConfigDef::define)
}

/// One line per key: name, kind, importance, default, check, what it is.
type Row = (&'static str, Kind, Importance, Unset, Check, &'static str);

/// What holds when the key is not set.
#[derive(Clone, Copy)]
enum Unset {
    Required,
    Null,
    Text(&'static str),
}

#[derive(Clone, Copy)]
enum Check {
    Any,
    Distinct,
    Checked(Validator),
}

fn key((name, kind, importance, default, check, doc): &Row) -> Key {
    let key = Key::new(name, *kind, *importance, doc);
    let key = match default {
        Required => key,
        Null => key.optional(),
        Text(text) => key.default(text),
    };
    match check {
        Any => key,
        Distinct => key.check(Validator::Distinct {
            or_empty: true,
            or_null: true,
        }),
        Checked(validator) => key.check(*validator),
    }
}

use Check::{Any, Checked, Distinct};
use Importance::{High, Low, Medium};
use Unset::{Null, Required, Text};

const KEY_ALGORITHM: Validator = Validator::Custom {
    text: "Any KeyGenerator algorithm supported by the worker JVM",
    check: |value| one_of(value, &ALGORITHMS),
};
const MAC_ALGORITHM: Validator = Validator::Custom {
    text: "Any MAC algorithm supported by the worker JVM",
    check: |value| one_of(value, &ALGORITHMS),
};
const MAC_ALGORITHMS: Validator = Validator::Custom {
    text: "A list of one or more MAC algorithms, each supported by the worker JVM",
    check: |value| match value.as_list() {
        Some([]) => {
            Err("At least one signature verification algorithm must be provided".to_owned())
        }
        Some(list) => list
            .iter()
            .try_for_each(|name| one_of(&Setting::Text(name.clone()), &ALGORITHMS)),
        None => Ok(()),
    },
};

/// Algorithms of keys and signatures between workers; every JVM has these too.
const ALGORITHMS: [&str; 5] = [
    "HmacSHA1",
    "HmacSHA224",
    "HmacSHA256",
    "HmacSHA384",
    "HmacSHA512",
];

fn one_of(value: &Setting, known: &[&str]) -> Result<(), String> {
    match value.as_text() {
        Some(text) if !known.iter().any(|name| name.eq_ignore_ascii_case(text)) => Err(format!(
            "the algorithm is not known; use one of {}",
            known.join(", ")
        )),
        Some(_) | None => Ok(()),
    }
}

#[rustfmt::skip]
const MEMBER_AND_CLIENT: [Row; 18] = [
    ("group.id", Kind::String, High, Required, Any, "Name of the worker group; workers with the same one share connectors."),
    ("session.timeout.ms", Kind::Int, High, Text("10000"), Any, "A worker that is silent for this long is taken for dead."),
    ("rebalance.timeout.ms", Kind::Int, High, Text("60000"), Any, "Time for every worker to give up its work and rejoin."),
    ("heartbeat.interval.ms", Kind::Int, High, Text("3000"), Any, "Time between two signs of life to the group's coordinator."),
    ("exactly.once.source.support", Kind::String, High, Text("disabled"), Checked(Validator::OneOfIgnoreCase(&["DISABLED", "ENABLED", "PREPARING"])), "Whether source records and their offsets are written in one transaction."),
    ("metadata.max.age.ms", Kind::Long, Low, Text("300000"), Checked(Validator::AtLeast(0)), "Age at which knowledge about topics and brokers is renewed."),
    ("client.id", Kind::String, Low, Text(""), Any, "Name of the worker's clients in the logs and metrics of the brokers."),
    ("send.buffer.bytes", Kind::Int, Medium, Text("131072"), Checked(Validator::AtLeast(-1)), "Size of the send buffer of a connection, in bytes; -1 is the system's."),
    ("receive.buffer.bytes", Kind::Int, Medium, Text("32768"), Checked(Validator::AtLeast(-1)), "Size of the receive buffer of a connection, in bytes; -1 is the system's."),
    ("reconnect.backoff.ms", Kind::Long, Low, Text("50"), Checked(Validator::AtLeast(0)), "First pause before a broker is connected to again."),
    ("reconnect.backoff.max.ms", Kind::Long, Low, Text("1000"), Checked(Validator::AtLeast(0)), "Longest pause before a broker is connected to again."),
    ("socket.connection.setup.timeout.ms", Kind::Long, Low, Text("10000"), Checked(Validator::AtLeast(0)), "Time for the first attempt to connect."),
    ("socket.connection.setup.timeout.max.ms", Kind::Long, Low, Text("30000"), Checked(Validator::AtLeast(0)), "Longest time for one attempt to connect."),
    ("retry.backoff.ms", Kind::Long, Low, Text("100"), Checked(Validator::AtLeast(0)), "First pause before a request is repeated."),
    ("retry.backoff.max.ms", Kind::Long, Low, Text("1000"), Checked(Validator::AtLeast(0)), "Longest pause before a request is repeated."),
    ("request.timeout.ms", Kind::Int, Medium, Text("40000"), Checked(Validator::AtLeast(0)), "Time for the answer to a request."),
    ("connections.max.idle.ms", Kind::Long, Medium, Text("540000"), Any, "Age at which an unused connection is closed."),
    ("security.protocol", Kind::String, Medium, Text("PLAINTEXT"), Checked(Validator::OneOfIgnoreCase(&["SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT"])), "How brokers are talked to."),
];

#[rustfmt::skip]
const SASL: [Row; 45] = [
    ("sasl.kerberos.service.name", Kind::String, Medium, Null, Any, "Kerberos; not supported."),
    ("sasl.kerberos.kinit.cmd", Kind::String, Low, Text("/usr/bin/kinit"), Any, "Kerberos; not supported."),
    ("sasl.kerberos.ticket.renew.window.factor", Kind::Double, Low, Text("0.8"), Any, "Kerberos; not supported."),
    ("sasl.kerberos.ticket.renew.jitter", Kind::Double, Low, Text("0.05"), Any, "Kerberos; not supported."),
    ("sasl.kerberos.min.time.before.relogin", Kind::Long, Low, Text("60000"), Any, "Kerberos; not supported."),
    ("sasl.login.refresh.window.factor", Kind::Double, Low, Text("0.8"), Checked(Validator::BetweenDoubles(0.5, 1.0)), "SASL: as for Kafka's clients."),
    ("sasl.login.refresh.window.jitter", Kind::Double, Low, Text("0.05"), Checked(Validator::BetweenDoubles(0.0, 0.25)), "SASL: as for Kafka's clients."),
    ("sasl.login.refresh.min.period.seconds", Kind::Short, Low, Text("60"), Checked(Validator::Between(0, 900)), "SASL: as for Kafka's clients."),
    ("sasl.login.refresh.buffer.seconds", Kind::Short, Low, Text("300"), Checked(Validator::Between(0, 3600)), "SASL: as for Kafka's clients."),
    ("sasl.mechanism", Kind::String, Medium, Text("GSSAPI"), Any, "SASL: as for Kafka's clients."),
    ("sasl.jaas.config", Kind::Password, Medium, Null, Any, "SASL: as for Kafka's clients."),
    ("sasl.client.callback.handler.class", Kind::Class, Medium, Null, Any, "SASL: as for Kafka's clients."),
    ("sasl.login.callback.handler.class", Kind::Class, Medium, Null, Any, "SASL: as for Kafka's clients."),
    ("sasl.login.class", Kind::Class, Medium, Null, Any, "SASL: as for Kafka's clients."),
    ("sasl.login.connect.timeout.ms", Kind::Int, Low, Null, Any, "SASL: as for Kafka's clients."),
    ("sasl.login.read.timeout.ms", Kind::Int, Low, Null, Any, "SASL: as for Kafka's clients."),
    ("sasl.login.retry.backoff.max.ms", Kind::Long, Low, Text("10000"), Any, "SASL: as for Kafka's clients."),
    ("sasl.login.retry.backoff.ms", Kind::Long, Low, Text("100"), Any, "SASL: as for Kafka's clients."),
    ("sasl.oauthbearer.jwt.retriever.class", Kind::Class, Medium, Text("org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.jwt.validator.class", Kind::Class, Medium, Text("org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.scope", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.client.credentials.client.id", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.client.credentials.client.secret", Kind::Password, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.algorithm", Kind::String, Medium, Text("RS256"), Checked(Validator::OneOfIgnoreCase(&["ES256", "RS256"])), "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.claim.aud", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.claim.exp.seconds", Kind::Int, Low, Text("300"), Checked(Validator::Between(0, 86400)), "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.claim.iss", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.claim.jti.include", Kind::Boolean, Medium, Text("false"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.claim.nbf.seconds", Kind::Int, Low, Text("60"), Checked(Validator::Between(0, 3600)), "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.claim.sub", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.file", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.private.key.file", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.private.key.passphrase", Kind::Password, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.assertion.template.file", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.scope.claim.name", Kind::String, Low, Text("scope"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.sub.claim.name", Kind::String, Low, Text("sub"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.token.endpoint.url", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.jwks.endpoint.url", Kind::String, Medium, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.jwks.endpoint.refresh.ms", Kind::Long, Low, Text("3600000"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", Kind::Long, Low, Text("10000"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", Kind::Long, Low, Text("100"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.clock.skew.seconds", Kind::Int, Low, Text("30"), Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.expected.audience", Kind::List, High, Text(""), Distinct, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.expected.issuer", Kind::String, High, Null, Any, "OAUTHBEARER: as for Kafka's clients."),
    ("sasl.oauthbearer.header.urlencode", Kind::Boolean, Low, Text("false"), Any, "OAUTHBEARER: as for Kafka's clients."),
];

#[rustfmt::skip]
const CLUSTER: [Row; 19] = [
    ("worker.sync.timeout.ms", Kind::Int, Medium, Text("3000"), Any, "Time for a worker to read the configuration topic up to its end."),
    ("worker.unsync.backoff.ms", Kind::Int, Medium, Text("300000"), Any, "Pause of a worker that fell behind before it joins again."),
    ("offset.storage.topic", Kind::String, High, Required, Any, "Topic of the source offsets."),
    ("offset.storage.partitions", Kind::Int, Low, Text("25"), Checked(PARTITIONS), "Partitions of that topic when it is created; -1 is the broker's choice."),
    ("offset.storage.replication.factor", Kind::Short, Low, Text("3"), Checked(REPLICAS), "Replicas of that topic when it is created; -1 is the broker's choice."),
    ("config.storage.topic", Kind::String, High, Required, Any, "Topic of the connector configurations."),
    ("config.storage.replication.factor", Kind::Short, Low, Text("3"), Checked(REPLICAS), "Replicas of that topic when it is created; -1 is the broker's choice."),
    ("status.storage.topic", Kind::String, High, Required, Any, "Topic of the states of connectors and tasks."),
    ("status.storage.partitions", Kind::Int, Low, Text("5"), Checked(PARTITIONS), "Partitions of that topic when it is created; -1 is the broker's choice."),
    ("status.storage.replication.factor", Kind::Short, Low, Text("3"), Checked(REPLICAS), "Replicas of that topic when it is created; -1 is the broker's choice."),
    ("connect.protocol", Kind::String, Low, Text("sessioned"), Checked(Validator::OneOf(&["eager", "compatible", "sessioned"])), "Newest version of the group protocol that this worker offers."),
    ("scheduled.rebalance.max.delay.ms", Kind::Int, Low, Text("300000"), Checked(Validator::Between(0, 2147483647)), "How long the work of a worker that left waits for its return."),
    ("inter.worker.key.ttl.ms", Kind::Int, Low, Text("3600000"), Checked(Validator::Between(0, 2147483647)), "Age at which the key for requests between workers is renewed."),
    ("inter.worker.key.generation.algorithm", Kind::String, Low, Text("HmacSHA256"), Checked(KEY_ALGORITHM), "Algorithm that makes the key for requests between workers."),
    ("inter.worker.key.size", Kind::Int, Low, Null, Any, "Size of that key in bits; null is the algorithm's own."),
    ("inter.worker.signature.algorithm", Kind::String, Low, Text("HmacSHA256"), Checked(MAC_ALGORITHM), "Algorithm that signs requests between workers."),
    ("inter.worker.verification.algorithms", Kind::List, Low, Text("HmacSHA256"), Checked(MAC_ALGORITHMS), "Algorithms whose signatures are accepted."),
    ("metadata.recovery.strategy", Kind::String, Low, Text("rebootstrap"), Checked(Validator::OneOfIgnoreCase(&["REBOOTSTRAP", "NONE"])), "What a client does when it knows no broker any more."),
    ("metadata.recovery.rebootstrap.trigger.ms", Kind::Long, Low, Text("300000"), Checked(Validator::AtLeast(0)), "Time without any known broker after which bootstrap.servers is asked again."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawConfig;

    #[test]
    fn a_distributed_worker_needs_a_group_and_three_topics() {
        let problems = distributed_def().parse(&RawConfig::new()).unwrap_err();
        let missing: Vec<&str> = problems.iter().map(crate::config::Problem::key).collect();
        assert_eq!(
            missing,
            [
                "bootstrap.servers",
                "key.converter",
                "value.converter",
                "group.id",
                "offset.storage.topic",
                "config.storage.topic",
                "status.storage.topic"
            ]
        );
    }

    #[test]
    fn algorithms_are_checked() {
        let raw = |key: &str, value: &str| RawConfig::from([(key.to_owned(), value.to_owned())]);
        let said = |key: &str, value: &str| {
            let problems = distributed_def().parse(&raw(key, value)).unwrap_err();
            problems.iter().any(|problem| problem.key() == key)
        };
        assert!(said("inter.worker.signature.algorithm", "Rot13"));
        assert!(said("inter.worker.verification.algorithms", ""));
        assert!(said(
            "inter.worker.verification.algorithms",
            "HmacSHA256,Rot13"
        ));
        assert!(!said("inter.worker.signature.algorithm", "hmacsha512"));
    }
}

use std::collections::BTreeSet;

use super::*;

/// What Kafka 4.3.1 itself says about its keys; see `testdata/client-keys/Dump.java`.
const KAFKAS: &str = include_str!("../../../../testdata/client-keys/kafka-4.3.1.tsv");

fn kind_of(letter: &str) -> ClientKind {
    match letter {
        "P" => ClientKind::Producer,
        "C" => ClientKind::Consumer,
        _ => ClientKind::Admin,
    }
}

/// Defaults that differ from Kafka's on purpose: the worker sets these keys, or Kafka prints objects instead of names.
const OTHER_DEFAULTS: [&str; 6] = [
    "bootstrap.servers",
    "key.serializer",
    "value.serializer",
    "key.deserializer",
    "value.deserializer",
    "partition.assignment.strategy",
];

#[test]
fn every_key_of_kafka_is_in_the_table_as_kafka_defines_it() {
    let mut kafkas = BTreeSet::new();
    for line in KAFKAS.lines() {
        let [client, name, kind, default, importance, checks] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let client = kind_of(client);
        let key = client_key(client, name).unwrap_or_else(|| panic!("{name} is missing"));
        assert!(kafkas.insert((client, name)), "{name} twice");
        assert_eq!(key.kind.name(), kind, "{name}");
        if !OTHER_DEFAULTS.contains(&name) {
            let ours = match key.default {
                KeyDefault::Null => "<null>",
                KeyDefault::Is(text) => text,
            };
            assert_eq!(ours, default, "{name}");
        }
        // The consumer thinks less of its id than the other clients.
        if name != "client.id" {
            assert_eq!(key.importance.name(), importance, "{name}");
        }
        let ours: Vec<String> = key.checks.iter().map(ToString::to_string).collect();
        // Kafka's check of share.acquire.mode prints as a list and ignores the case.
        let ours = ours
            .join(",")
            .replace("(case insensitive) [batch", "[batch");
        assert_eq!(ours, checks, "{name}");
    }
    let ours: usize = KEYS.iter().map(|key| key.clients.len()).sum();
    assert_eq!(
        ours,
        kafkas.len(),
        "a key that Kafka does not have, or one twice"
    );
}

#[test]
fn every_default_passes_its_own_checks() {
    for kind in ClientKind::ALL {
        let def = client_def(kind);
        let problems = def.parse(&ferroconnect_converters::config::RawConfig::new());
        assert!(problems.is_ok(), "{problems:?}");
    }
}

#[test]
fn secrets_are_known_by_kind() {
    for key in [
        "sasl.jaas.config",
        "ssl.keystore.key",
        "ssl.key.password",
        "sasl.oauthbearer.client.credentials.client.secret",
    ] {
        let key = client_key(ClientKind::Admin, key).unwrap();
        assert_eq!(key.kind, Kind::Password, "{}", key.name);
    }
}

#[test]
fn what_is_refused_says_what_to_do() {
    for key in KEYS {
        if let Effect::Unsupported(why, next) = key.effect {
            assert!(!why.is_empty() && !next.is_empty(), "{}", key.name);
        }
    }
}

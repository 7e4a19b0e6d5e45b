use super::*;
use crate::config::files::RawConnector;
use crate::config::{InitialState, check_connector};
use crate::plugins::Catalog;

fn raw(pairs: &[(&str, &str)]) -> RawConfig {
    let pairs = pairs.iter();
    pairs
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn of_worker(pairs: &[(&str, &str)]) -> Findings {
    let mut findings = Findings::default();
    check_worker_clients(&raw(pairs), "w", &mut findings);
    findings
}

/// A connector of that class with those keys, under a worker with these.
fn of_connector(worker: &[(&str, &str)], class: &str, pairs: &[(&str, &str)]) -> Findings {
    let mut config = raw(pairs);
    for (key, value) in [("name", "c"), ("connector.class", class), ("file", "f")] {
        config.insert(key.to_owned(), value.to_owned());
    }
    let key = if class.ends_with("Sink") {
        "topics"
    } else {
        "topic"
    };
    config.insert(key.to_owned(), "t".to_owned());
    let connector = RawConnector {
        name: "c".to_owned(),
        config,
        initial_state: InitialState::Running,
    };
    let mut findings = Findings::default();
    check_connector(
        &connector,
        &raw(worker),
        &Catalog::builtin(),
        "c",
        &mut findings,
    );
    findings
}

fn problems(findings: &Findings) -> Vec<&str> {
    let problems = findings.problems.iter();
    problems.map(|finding| finding.text.as_str()).collect()
}

fn warnings(findings: &Findings) -> Vec<&str> {
    let warnings = findings.warnings.iter();
    warnings.map(|finding| finding.text.as_str()).collect()
}

const SOURCE: &str = "FileStreamSource";
const SINK: &str = "FileStreamSink";

#[test]
fn policies_are_known_by_alias_and_class() {
    let java = "org.apache.kafka.connect.connector.policy.NoneConnectorClientConfigOverridePolicy";
    for (given, expected) in [
        ("All", OverridePolicy::All),
        ("None", OverridePolicy::None),
        (java, OverridePolicy::None),
        (
            "PrincipalConnectorClientConfigOverridePolicy",
            OverridePolicy::Principal,
        ),
        (" Allowlist ", OverridePolicy::Allowlist(Vec::new())),
    ] {
        assert_eq!(
            OverridePolicy::parse(&raw(&[(POLICY, given)])),
            Ok(expected)
        );
    }
    assert_eq!(
        OverridePolicy::parse(&RawConfig::new()),
        Ok(OverridePolicy::All)
    );
    let wrong = of_worker(&[(POLICY, "Some")]);
    assert!(
        problems(&wrong)[0].contains("available policies are: All, None, Principal, Allowlist")
    );
}

/// What the policies of Kafka 4.3.1 answer to the same four overrides.
#[test]
fn policies_answer_in_javas_words() {
    let overrides = [
        ("producer.override.acks", "1"),
        ("producer.override.batch.size", "5"),
        ("producer.override.foo", "b"),
        ("producer.override.sasl.jaas.config", "x"),
    ];
    let refused = |policy: &str| {
        let worker = raw(&[(POLICY, policy), (ALLOWLIST, "acks, linger.ms")]);
        let policy = OverridePolicy::parse(&worker).unwrap();
        let problems = policy.refused(ClientKind::Producer, &raw(&overrides));
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let text = |policy: &str, key: &str| {
        format!(
            "The '{policy}' policy does not allow '{key}' to be overridden in the connector configuration."
        )
    };
    assert!(refused("All").is_empty());
    assert_eq!(
        refused("None"),
        ["acks", "batch.size", "foo", "sasl.jaas.config"].map(|key| text("None", key))
    );
    assert_eq!(
        refused("Principal"),
        ["acks", "batch.size", "foo"].map(|key| text("Principal", key))
    );
    assert_eq!(
        refused("Allowlist"),
        ["batch.size", "foo", "sasl.jaas.config"].map(|key| text("Allowlist", key))
    );
}

#[test]
fn a_refusal_at_the_start_hides_secrets() {
    let own = raw(&[("producer.override.sasl.jaas.config", "hunter2")]);
    let text = OverridePolicy::None
        .start_refusal(ClientKind::Producer, &own)
        .unwrap();
    assert!(text.contains("[sasl.jaas.config,[hidden],[],["), "{text}");
    assert!(
        OverridePolicy::All
            .start_refusal(ClientKind::Producer, &own)
            .is_none()
    );
}

#[test]
fn odd_policies_are_warned_about() {
    let deprecated = of_worker(&[(POLICY, "Principal")]);
    assert!(warnings(&deprecated)[0].contains("deprecated"));
    let empty = of_worker(&[(POLICY, "Allowlist")]);
    assert!(warnings(&empty)[0].contains("may override nothing"));
    let unused = of_worker(&[(ALLOWLIST, "acks")]);
    assert!(warnings(&unused)[0].contains("has no effect"));
}

#[test]
fn the_policy_counts_for_the_clients_that_the_connector_has() {
    let none = [(POLICY, "None")];
    let own = [
        ("producer.override.acks", "1"),
        ("consumer.override.group.id", "g"),
        ("admin.override.retries", "1"),
    ];
    let source = of_connector(&none, SOURCE, &own);
    assert_eq!(problems(&source).len(), 1, "{source:?}");
    assert!(problems(&source)[0].contains("'acks'"));
    let unused = "consumer.override.group.id has no effect: the connector has no such client";
    assert!(warnings(&source).contains(&unused), "{source:?}");
    let sink = of_connector(&none, SINK, &own);
    assert_eq!(problems(&sink).len(), 1, "{sink:?}");
    assert!(problems(&sink)[0].contains("'group.id'"));
    // A source that creates topics has an admin client too.
    let mut creating = own.to_vec();
    creating.extend([
        ("topic.creation.default.partitions", "1"),
        ("topic.creation.default.replication.factor", "1"),
    ]);
    assert_eq!(problems(&of_connector(&none, SOURCE, &creating)).len(), 2);
    let off = [(POLICY, "None"), ("topic.creation.enable", "false")];
    assert_eq!(problems(&of_connector(&off, SOURCE, &creating)).len(), 1);
}

#[test]
fn every_problem_is_told_once_with_the_name_it_was_written_with() {
    let findings = of_worker(&[
        ("bootstrap.servers", "localhost:9092,nowhere"),
        ("producer.acks", "7"),
        ("producer.interceptor.classes", "com.acme.Spy"),
        ("consumer.max.poll.records", "none"),
        ("request.timeout.ms", "x"),
    ]);
    let texts = problems(&findings);
    assert_eq!(
        texts,
        [
            "Invalid value com.acme.Spy for configuration producer.interceptor.classes: not supported: an interceptor is a Java class, \
             which cannot be loaded here; remove it",
            "Invalid value 7 for configuration producer.acks: String must be one of: all, -1, 0, 1",
            "Invalid value localhost:9092,nowhere for configuration bootstrap.servers: Invalid url in bootstrap.servers: nowhere; write \
             host:port, separated by commas",
            "Invalid value none for configuration consumer.max.poll.records: Not a number of type INT",
            "Invalid value x for configuration request.timeout.ms: Not a number of type INT",
        ]
    );
}

#[test]
fn a_connector_answers_for_its_own_keys_only() {
    let worker = [
        ("producer.acks", "7"),
        ("producer.security.protocol", "SASL_SSL"),
    ];
    let findings = of_connector(&worker, SOURCE, &[("producer.override.linger.ms", "-1")]);
    assert_eq!(
        problems(&findings),
        [
            "Invalid value -1 for configuration producer.override.linger.ms: Value must be at least 0"
        ]
    );
    // Together with the worker's keys: the mechanism is the worker's, the credentials the connector's.
    let worker = [
        ("producer.security.protocol", "SASL_PLAINTEXT"),
        ("producer.sasl.mechanism", "PLAIN"),
    ];
    let jaas = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"hunter2\"";
    let findings = of_connector(
        &worker,
        SOURCE,
        &[("producer.override.sasl.jaas.config", jaas)],
    );
    assert_eq!(
        problems(&findings),
        [
            "Invalid value [hidden] for configuration producer.override.sasl.jaas.config: JAAS config entry not terminated by semi-colon; \
          write ; at the end"
        ]
    );
}

#[test]
fn what_changes_nothing_and_what_nobody_knows_is_warned_about() {
    let findings = of_worker(&[
        ("producer.compresion.type", "zstd"),
        ("producer.reconnect.backoff.ms", "10"),
        ("consumer.ssl.truststore.location", "/x"),
        ("metric.reporters", "x"),
        ("security.protocol", "PLAINTEXT"),
    ]);
    assert!(findings.problems.is_empty(), "{findings}");
    assert_eq!(
        warnings(&findings),
        [
            "producer.reconnect.backoff.ms has no effect: the pause before connecting again starts at 50 ms",
            "The configuration 'producer.compresion.type' was supplied but isn't a known config. Did you mean \
             'producer.compression.type'?",
            "consumer.ssl.truststore.location has no effect: security.protocol is PLAINTEXT",
        ]
    );
}

#[test]
fn debug_shows_no_value() {
    let clients = WorkerClients::new(&raw(&[("producer.sasl.jaas.config", "hunter2")]));
    let layers = clients.layers(ClientKind::Producer, None);
    assert!(!format!("{clients:?} {layers:?}").contains("hunter2"));
}

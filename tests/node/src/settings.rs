//! The text of a node's configuration files.

use std::collections::BTreeMap;
use std::path::Path;

use crate::builder::{Listener, Protocol};

/// Every property of the node, the caller's last: theirs win.
pub(crate) fn properties(
    listeners: &[(Listener, u16)],
    controller: u16,
    host: &str,
    data: &Path,
    more: &[(String, String)],
) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut set = |name: &str, value: &str| drop(all.insert(name.to_owned(), value.to_owned()));
    for (name, value) in SINGLE_NODE {
        set(name, value);
    }
    set("log.dirs", &data.to_string_lossy());
    set(
        "controller.quorum.voters",
        &format!("1@127.0.0.1:{controller}"),
    );
    let mut bound = vec![format!("CONTROLLER://127.0.0.1:{controller}")];
    let (mut advertised, mut protocols) = (Vec::new(), vec!["CONTROLLER:PLAINTEXT".to_owned()]);
    for (listener, port) in listeners {
        let name = &listener.name;
        bound.push(format!("{name}://127.0.0.1:{port}"));
        advertised.push(format!("{name}://{host}:{port}"));
        protocols.push(format!("{name}:{}", listener.protocol.name()));
        let prefix = format!("listener.name.{}.", name.to_lowercase());
        if listener.protocol == Protocol::Ssl {
            set(&format!("{prefix}ssl.client.auth"), "required");
        }
        for (key, value) in &listener.properties {
            set(&format!("{prefix}{key}"), value);
        }
    }
    set("listeners", &bound.join(","));
    set("advertised.listeners", &advertised.join(","));
    set("listener.security.protocol.map", &protocols.join(","));
    for (name, value) in more {
        set(name, value);
    }
    all
}

/// The text of a `.properties` file.
pub(crate) fn text(properties: &BTreeMap<String, String>) -> String {
    let line = |(name, value): (&String, &String)| {
        let value = value.replace('\\', "\\\\").replace('\n', "\\n");
        format!("{}={value}\n", name.replace(':', "\\:"))
    };
    properties.iter().map(line).collect()
}

/// A broker that is its own controller, with few threads and one replica of everything.
const SINGLE_NODE: [(&str, &str); 22] = [
    ("process.roles", "broker,controller"),
    ("node.id", "1"),
    ("controller.listener.names", "CONTROLLER"),
    ("inter.broker.listener.name", PLAINTEXT),
    ("default.replication.factor", "1"),
    ("offsets.topic.replication.factor", "1"),
    ("transaction.state.log.replication.factor", "1"),
    ("transaction.state.log.min.isr", "1"),
    ("share.coordinator.state.topic.replication.factor", "1"),
    ("share.coordinator.state.topic.min.isr", "1"),
    // With 50 of each the first group or transaction waits for a hundred folders.
    ("offsets.topic.num.partitions", "4"),
    ("transaction.state.log.num.partitions", "4"),
    // The first member of a group need not wait for others.
    ("group.initial.rebalance.delay.ms", "0"),
    ("num.network.threads", "2"),
    ("num.io.threads", "4"),
    // The default of 128 MiB is half of the heap.
    ("log.cleaner.dedupe.buffer.size", "16777216"),
    // Tests of silent members and abandoned transactions need not wait for long.
    ("group.min.session.timeout.ms", "500"),
    ("group.consumer.min.session.timeout.ms", "1000"),
    ("group.consumer.session.timeout.ms", "6000"),
    ("group.consumer.min.heartbeat.interval.ms", "100"),
    ("group.consumer.heartbeat.interval.ms", "500"),
    (
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        "1000",
    ),
];

/// The listener that every node has.
pub(crate) const PLAINTEXT: &str = "PLAINTEXT";

/// A `log4j2.properties` for programs of the distribution: events of level INFO on standard output. The values of
/// all settings are left out: hundreds of lines, and passwords among them.
pub const LOGGING: &str = "\
status=warn
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=info
rootLogger.appenderRef.out.ref=out
logger.settings.name=org.apache.kafka.common.config.AbstractConfig
logger.settings.level=warn
logger.kafkasettings.name=kafka.server.KafkaConfig
logger.kafkasettings.level=warn
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_bring_their_own_settings() {
        let plain = Listener::new("PLAINTEXT", Protocol::Plaintext, Vec::new());
        let own = vec![("ssl.keystore.type".to_owned(), "PEM".to_owned())];
        let mutual = Listener::new("MUTUAL", Protocol::Ssl, own);
        let properties = properties(
            &[(plain, 20_001), (mutual, 20_002)],
            20_003,
            "localhost",
            Path::new("data"),
            &[("num.io.threads".to_owned(), "9".to_owned())],
        );
        let is = |name: &str, value: &str| assert_eq!(properties[name], value);
        is("listener.name.mutual.ssl.client.auth", "required");
        is("listener.name.mutual.ssl.keystore.type", "PEM");
        is(
            "advertised.listeners",
            "PLAINTEXT://localhost:20001,MUTUAL://localhost:20002",
        );
        is(
            "listeners",
            "CONTROLLER://127.0.0.1:20003,PLAINTEXT://127.0.0.1:20001,MUTUAL://127.0.0.1:20002",
        );
        is(
            "listener.security.protocol.map",
            "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,MUTUAL:SSL",
        );
        is("num.io.threads", "9");
    }

    #[test]
    fn values_of_several_lines_and_backslashes_survive() {
        let value = ("key".to_owned(), "-----BEGIN\nx\\y\n".to_owned());
        assert_eq!(text(&[value].into()), "key=-----BEGIN\\nx\\\\y\\n\n");
    }
}

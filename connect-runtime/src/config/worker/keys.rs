//! The keys of every worker, and the one that only a standalone worker has, as Kafka 4.3 defines them.

use ferroconnect_converters::config::{ConfigDef, Importance, Key, Kind, Validator};

/// Every key of a standalone worker (`StandaloneConfig`), in Kafka's order.
pub fn standalone_def() -> ConfigDef {
    common_def().define(text(
        OFFSETS_FILE,
        Importance::High,
        "File of the source offsets, in the format of Kafka's own worker. Not needed with the embedded log, which keeps them itself.",
    ))
}

/// Where a standalone worker keeps source offsets.
pub(super) const OFFSETS_FILE: &str = "offset.storage.file.filename";

/// What standalone and distributed workers have in common (`WorkerConfig` and `RestServerConfig`), in Kafka's order.
pub fn common_def() -> ConfigDef {
    use Importance::{High, Low, Medium};
    let clients = ConfigDef::new()
        .define(
            Key::new(
                "bootstrap.servers",
                Kind::List,
                High,
                "Addresses of the Kafka cluster, or embedded:PATH for a folder of this machine.",
            )
            .check(Validator::Distinct {
                or_empty: false,
                or_null: false,
            }),
        )
        .define(
            text("client.dns.lookup", Medium, "How host names are looked up.")
                .default("use_all_dns_ips")
                .check(Validator::OneOf(&[
                    "use_all_dns_ips",
                    "resolve_canonical_bootstrap_servers_only",
                ])),
        )
        .define(Key::new(
            "key.converter",
            Kind::Class,
            High,
            "Converter of record keys.",
        ))
        .define(
            text(
                "key.converter.plugin.version",
                Low,
                "Version of the key converter.",
            )
            .optional(),
        )
        .define(Key::new(
            "value.converter",
            Kind::Class,
            High,
            "Converter of record values.",
        ))
        .define(
            text(
                "value.converter.plugin.version",
                Low,
                "Version of the value converter.",
            )
            .optional(),
        )
        .define(millis(
            "task.shutdown.graceful.timeout.ms",
            "5000",
            "Time for all tasks together to stop.",
        ))
        .define(millis(
            "offset.flush.interval.ms",
            "60000",
            "Time between two commits of offsets.",
        ))
        .define(millis(
            "offset.flush.timeout.ms",
            "5000",
            "Time that one commit may take.",
        ));
    clients.and(plugin_keys()).and(ssl_keys()).and(rest_keys())
}

#[expect(
    clippy::too_many_lines,
    reason = "a table of keys reads best in one piece"
)]
fn plugin_keys() -> ConfigDef {
    use Importance::{Low, Medium};
    ConfigDef::new()
        .define(
            list(
                "plugin.path",
                Low,
                "Folders of Java plugins; none is loaded.",
            )
            .optional(),
        )
        .define(
            text("plugin.discovery", Low, "How Java plugins are found.")
                .default("hybrid_warn")
                .check(Validator::OneOfIgnoreCase(&[
                    "ONLY_SCAN",
                    "SERVICE_LOAD",
                    "HYBRID_WARN",
                    "HYBRID_FAIL",
                ])),
        )
        .define(
            millis(
                "metrics.sample.window.ms",
                "30000",
                "Window of one metrics sample.",
            )
            .check(Validator::AtLeast(0)),
        )
        .define(
            Key::new(
                "metrics.num.samples",
                Kind::Int,
                Low,
                "Samples kept per metric.",
            )
            .default("2")
            .check(Validator::AtLeast(1)),
        )
        .define(
            text("metrics.recording.level", Low, "How much is measured.")
                .default("INFO")
                .check(Validator::OneOf(&["INFO", "DEBUG"])),
        )
        .define(
            list("metric.reporters", Low, "Java classes that report metrics.")
                .default("org.apache.kafka.common.metrics.JmxReporter"),
        )
        .define(
            Key::new(
                "header.converter",
                Kind::Class,
                Low,
                "Converter of record headers.",
            )
            .default("org.apache.kafka.connect.storage.SimpleHeaderConverter"),
        )
        .define(
            text(
                "header.converter.plugin.version",
                Low,
                "Version of the header converter.",
            )
            .optional(),
        )
        .define(
            list(
                "config.providers",
                Low,
                "Names of the providers that fill in placeholders.",
            )
            .default(""),
        )
        .define(
            text(
                "connector.client.config.override.policy",
                Medium,
                "Which client settings connectors may override.",
            )
            .default("All"),
        )
        .define(
            Key::new(
                "topic.creation.enable",
                Kind::Boolean,
                Low,
                "Whether source connectors may create topics.",
            )
            .default("true"),
        )
}

fn ssl_keys() -> ConfigDef {
    use Importance::{High, Low, Medium};
    let doc = "TLS of the REST API and of clients.";
    let secret = |name: &str| Key::new(name, Kind::Password, High, doc).optional();
    ConfigDef::new()
        .define(text("ssl.protocol", Medium, doc).default("TLSv1.3"))
        .define(text("ssl.provider", Medium, doc).optional())
        .define(list("ssl.cipher.suites", Low, doc).default(""))
        .define(list("ssl.enabled.protocols", Medium, doc).default("TLSv1.2,TLSv1.3"))
        .define(text("ssl.keystore.type", Medium, doc).default("JKS"))
        .define(text("ssl.keystore.location", High, doc).optional())
        .define(secret("ssl.keystore.password"))
        .define(secret("ssl.key.password"))
        .define(secret("ssl.keystore.key"))
        .define(secret("ssl.keystore.certificate.chain"))
        .define(secret("ssl.truststore.certificates"))
        .define(text("ssl.truststore.type", Medium, doc).default("JKS"))
        .define(text("ssl.truststore.location", High, doc).optional())
        .define(secret("ssl.truststore.password"))
        .define(text("ssl.keymanager.algorithm", Low, doc).default("SunX509"))
        .define(text("ssl.trustmanager.algorithm", Low, doc).default("PKIX"))
        .define(text("ssl.endpoint.identification.algorithm", Low, doc).default("https"))
        .define(text("ssl.secure.random.implementation", Low, doc).optional())
        .define(Key::new("ssl.engine.factory.class", Kind::Class, Low, doc).optional())
}

fn rest_keys() -> ConfigDef {
    use Importance::Low;
    let flag = |name: &str, doc: &str| Key::new(name, Kind::Boolean, Low, doc).default("true");
    ConfigDef::new()
        .define(flag("topic.tracking.enable", "Whether the topics a connector uses are remembered."))
        .define(flag("topic.tracking.allow.reset", "Whether that memory may be reset."))
        .define(Key::new("listeners", Kind::List, Low, "Addresses of the REST API.").default("http://:8083").check(Validator::Custom {
            text: "List of comma-separated URLs, ex: http://localhost:8080,https://localhost:8443.",
            check: |_| Ok(()),
        }))
        .define(text("rest.advertised.host.name", Low, "Host name told to other workers.").optional())
        .define(Key::new("rest.advertised.port", Kind::Int, Low, "Port told to other workers.").optional())
        .define(text("rest.advertised.listener", Low, "Listener told to other workers.").optional())
        .define(text("access.control.allow.origin", Low, "Origins that browsers may call from.").default(""))
        .define(text("access.control.allow.methods", Low, "Methods that browsers may call.").default(""))
        .define(text("response.http.headers.config", Low, "Headers added to REST answers.").default("").check(Validator::Custom {
            text: "Comma-separated header rules, where each header rule is of the form '[action] [header name]:[header value]' and \
                   optionally surrounded by double quotes if any part of a header rule contains a comma",
            check: |_| Ok(()),
        }))
        .define(
            text("ssl.client.auth", Low, "Whether REST clients need a certificate.")
                .default("none")
                .check(Validator::OneOf(&["required", "requested", "none"])),
        )
        .define(list("rest.extension.classes", Low, "Java classes that extend the REST API.").default(""))
        .define(list("admin.listeners", Low, "Addresses of the administrative REST API.").optional())
}

fn text(name: &str, importance: Importance, doc: &str) -> Key {
    Key::new(name, Kind::String, importance, doc)
}

/// A list whose elements are distinct.
fn list(name: &str, importance: Importance, doc: &str) -> Key {
    Key::new(name, Kind::List, importance, doc).check(Validator::Distinct {
        or_empty: true,
        or_null: true,
    })
}

fn millis(name: &str, default: &str, doc: &str) -> Key {
    Key::new(name, Kind::Long, Importance::Low, doc).default(default)
}

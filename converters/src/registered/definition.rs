//! The table of the settings that all converters with a registry have, with Java's names and defaults.
//!
//! Keys of the connection to the registry stand here for documentation and validation; the client reads them.

use super::RegisteredConfig;
use crate::config::{ConfigDef, Importance, Key, Kind, Validator};

impl RegisteredConfig {
    /// The table of settings.
    #[must_use]
    pub fn definition() -> ConfigDef {
        let writing = table(WRITING);
        let naming = table(NAMING);
        let client = table(CLIENT);
        let security = table(SECURITY);
        let url = Key::new(
            "schema.registry.url",
            List,
            Importance::High,
            "Addresses of the schema registry, separated by commas: one is used while it answers. `embedded:` is the \
             registry inside this process.",
        )
        .check(Validator::NonEmpty);
        ConfigDef::new()
            .define(url)
            .and(writing)
            .and(naming)
            .and(client)
            .and(security)
    }
}

/// Name, kind, default (none is null), importance, what it does.
type Row = (
    &'static str,
    Kind,
    Option<&'static str>,
    Importance,
    &'static str,
);

fn table(rows: &[Row]) -> ConfigDef {
    rows.iter().fold(
        ConfigDef::new(),
        |def, (name, kind, default, importance, doc)| {
            let key = Key::new(name, *kind, *importance, doc);
            def.define(match default {
                Some(text) => key.default(text),
                None => key.optional(),
            })
        },
    )
}

use Importance::{Low, Medium};
use Kind::{Boolean, Class, Int, List, Long, Password, String};

/// Which schema is written with, which is read with.
const WRITING: &[Row] = &[
    (
        "auto.register.schemas",
        Boolean,
        Some("true"),
        Medium,
        "Whether generated schemas are registered. Off, `use.schema.id`, `use.schema.guid`, `use.latest.with.metadata` and \
      `use.latest.version` choose the schema, in this order; without any, the generated one must be registered already.",
    ),
    (
        "normalize.schemas",
        Boolean,
        Some("false"),
        Medium,
        "Whether the registry brings schemas into normal form before it compares or keeps them.",
    ),
    (
        "propagate.schema.tags",
        Boolean,
        Some("false"),
        Low,
        "Whether tags of the subject's last version are kept when a new one is registered.",
    ),
    (
        "use.schema.id",
        Int,
        Some("-1"),
        Low,
        "The id of the schema to write with, when schemas are not registered; and to read with, for ConfigSchemaIdDeserializer.",
    ),
    (
        "use.schema.guid",
        String,
        None,
        Low,
        "As use.schema.id, by the schema's GUID.",
    ),
    (
        "use.message.indexes",
        String,
        None,
        Low,
        "Which message of the file is read, for ConfigSchemaIdDeserializer and Protobuf: `0,1`.",
    ),
    (
        "id.compatibility.strict",
        Boolean,
        Some("true"),
        Low,
        "Whether the schema of use.schema.id must be able to read what the generated schema writes.",
    ),
    (
        "use.latest.version",
        Boolean,
        Some("false"),
        Low,
        "Write with the newest schema of the subject, when schemas are not registered.",
    ),
    (
        "use.latest.with.metadata",
        String,
        None,
        Low,
        "Write with the newest schema of the subject whose metadata have these properties: `name=value,name2=value2`, quoted \
      by apostrophes.",
    ),
    (
        "latest.compatibility.strict",
        Boolean,
        Some("true"),
        Low,
        "Whether the schema of use.latest.version must be able to read what the generated schema writes.",
    ),
    (
        "latest.cache.size",
        Int,
        Some("1000"),
        Low,
        "How many newest schemas are remembered.",
    ),
    (
        "latest.cache.ttl.sec",
        Long,
        Some("-1"),
        Low,
        "How long a newest schema is remembered, in seconds; -1 is for ever.",
    ),
    (
        "max.schemas.per.subject",
        Int,
        Some("1000"),
        Low,
        "How many schemas are remembered.",
    ),
    (
        "schema.format",
        String,
        None,
        Low,
        "The form in which the registry answers schema texts.",
    ),
    (
        "schema.reflection",
        Boolean,
        Some("false"),
        Low,
        "Read schemas off Java classes. Not supported.",
    ),
    (
        "schema.backup.enabled",
        Boolean,
        Some("false"),
        Low,
        "Wrap records with everything that restores their schema. Not supported.",
    ),
    (
        "execution.environment",
        String,
        None,
        Low,
        "Where rules run. Without effect: rules are not supported.",
    ),
    (
        "rule.executors",
        List,
        Some(""),
        Low,
        "Rules by name. Not supported: rules are Java classes.",
    ),
    (
        "rule.actions",
        List,
        Some(""),
        Low,
        "Actions of rules by name. Not supported: rules are Java classes.",
    ),
    (
        "rule.service.loader.enable",
        Boolean,
        Some("true"),
        Low,
        "Whether rules are found on the class path. Without effect.",
    ),
    (
        "rule.metrics.enable",
        Boolean,
        Some("true"),
        Low,
        "Whether rules are measured. Without effect.",
    ),
    (
        "validation.rules.execution",
        String,
        Some("DISABLED"),
        Low,
        "Whether validation rules run. Not supported: rules are Java classes.",
    ),
    (
        "validation.rules.executor.class",
        Class,
        Some("io.confluent.kafka.schemaregistry.rules.cel.CelValidator"),
        Low,
        "What runs validation rules. Without effect.",
    ),
    (
        "validation.rules.fail.fast",
        Boolean,
        Some("false"),
        Low,
        "Whether the first broken validation rule ends the check. Without effect.",
    ),
];

const SUBJECT_STRATEGY: &str = "io.confluent.kafka.serializers.subject.AssociatedNameStrategy";
const ID_SERIALIZER: &str = "io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer";
const ID_DESERIALIZER: &str = "io.confluent.kafka.serializers.schema.id.DualSchemaIdDeserializer";

/// Under which name schemas are kept, and where their identity stands in a record.
const NAMING: &[Row] = &[
    (
        "context.name.strategy",
        Class,
        Some("io.confluent.kafka.serializers.context.NullContextNameStrategy"),
        Low,
        "In which context of the registry subjects are. Only the default is supported: no context.",
    ),
    (
        "key.subject.name.strategy",
        Class,
        Some(SUBJECT_STRATEGY),
        Medium,
        "How the subject of keys is named: TopicNameStrategy (platforms before 8), RecordNameStrategy, \
      TopicRecordNameStrategy, AssociatedNameStrategy.",
    ),
    (
        "value.subject.name.strategy",
        Class,
        Some(SUBJECT_STRATEGY),
        Medium,
        "How the subject of values is named: TopicNameStrategy (platforms before 8), RecordNameStrategy, \
      TopicRecordNameStrategy, AssociatedNameStrategy.",
    ),
    (
        "subject.name.strategy.kafka.cluster.id",
        String,
        None,
        Low,
        "The Kafka cluster for which AssociatedNameStrategy asks.",
    ),
    (
        "subject.name.strategy.fallback.type",
        String,
        Some("TOPIC"),
        Low,
        "What names the subject when the registry associates none: TOPIC, RECORD, TOPIC_RECORD or NONE.",
    ),
    (
        "subject.name.strategy.cache.size",
        Int,
        Some("1000"),
        Low,
        "How many associations are remembered.",
    ),
    (
        "subject.name.strategy.cache.expiry.secs",
        Long,
        Some("-1"),
        Low,
        "How long associations are remembered, in seconds; -1 is for ever.",
    ),
    (
        "key.schema.id.serializer",
        Class,
        Some(ID_SERIALIZER),
        Low,
        "Where the identity of a key's schema is written: PrefixSchemaIdSerializer or HeaderSchemaIdSerializer.",
    ),
    (
        "value.schema.id.serializer",
        Class,
        Some(ID_SERIALIZER),
        Low,
        "Where the identity of a value's schema is written: PrefixSchemaIdSerializer or HeaderSchemaIdSerializer.",
    ),
    (
        "key.schema.id.deserializer",
        Class,
        Some(ID_DESERIALIZER),
        Low,
        "Where the identity of a key's schema is looked for: DualSchemaIdDeserializer, PrefixSchemaIdDeserializer or \
      ConfigSchemaIdDeserializer.",
    ),
    (
        "value.schema.id.deserializer",
        Class,
        Some(ID_DESERIALIZER),
        Low,
        "Where the identity of a value's schema is looked for: DualSchemaIdDeserializer, PrefixSchemaIdDeserializer or \
      ConfigSchemaIdDeserializer.",
    ),
];

/// The connection.
const CLIENT: &[Row] = &[
    (
        "schema.registry.url.randomize",
        Boolean,
        Some("false"),
        Low,
        "Whether the first address is drawn.",
    ),
    (
        "http.connect.timeout.ms",
        Int,
        Some("60000"),
        Low,
        "How long a connection may take to stand, in milliseconds.",
    ),
    (
        "http.read.timeout.ms",
        Int,
        Some("60000"),
        Low,
        "How long an answer may take, in milliseconds.",
    ),
    (
        "max.retries",
        Int,
        Some("3"),
        Low,
        "How often a question is asked again when the registry is away.",
    ),
    (
        "retries.wait.ms",
        Int,
        Some("1000"),
        Low,
        "The first pause between tries, in milliseconds; it doubles.",
    ),
    (
        "retries.max.wait.ms",
        Int,
        Some("20000"),
        Low,
        "The longest pause between tries, in milliseconds.",
    ),
    (
        "proxy.host",
        String,
        Some(""),
        Low,
        "The host of an HTTP proxy.",
    ),
    (
        "proxy.port",
        Int,
        Some("-1"),
        Low,
        "The port of the HTTP proxy.",
    ),
    (
        "use.apache.http.client",
        Boolean,
        Some("false"),
        Low,
        "Which Java client is used. Without effect.",
    ),
    (
        "missing.cache.size",
        Int,
        Some("10000"),
        Low,
        "How many missing things are remembered.",
    ),
    (
        "missing.id.cache.ttl.sec",
        Long,
        Some("0"),
        Low,
        "How long a missing id is remembered, in seconds.",
    ),
    (
        "missing.version.cache.ttl.sec",
        Long,
        Some("0"),
        Low,
        "How long a missing version is remembered, in seconds.",
    ),
    (
        "missing.schema.cache.ttl.sec",
        Long,
        Some("0"),
        Low,
        "How long a missing schema is remembered, in seconds.",
    ),
];

/// Who we are to the registry.
const SECURITY: &[Row] = &[
    (
        "basic.auth.credentials.source",
        String,
        Some("URL"),
        Medium,
        "Where user and password come from: URL, USER_INFO or SASL_INHERIT.",
    ),
    (
        "basic.auth.user.info",
        Password,
        Some(""),
        Medium,
        "User and password: `user:password`.",
    ),
    (
        "schema.registry.basic.auth.user.info",
        Password,
        Some(""),
        Medium,
        "The old name of basic.auth.user.info.",
    ),
    (
        "bearer.auth.credentials.source",
        String,
        None,
        Medium,
        "Where a bearer token comes from: STATIC_TOKEN, OAUTHBEARER, SASL_OAUTHBEARER_INHERIT.",
    ),
    (
        "bearer.auth.token",
        Password,
        Some(""),
        Medium,
        "The token of STATIC_TOKEN.",
    ),
    (
        "bearer.auth.issuer.endpoint.url",
        String,
        None,
        Medium,
        "Where OAuth tokens are got.",
    ),
    (
        "bearer.auth.client.id",
        String,
        None,
        Medium,
        "The OAuth client.",
    ),
    (
        "bearer.auth.client.secret",
        Password,
        None,
        Medium,
        "The OAuth client's secret.",
    ),
    (
        "bearer.auth.scope",
        String,
        None,
        Medium,
        "The scope that is asked for.",
    ),
    (
        "bearer.auth.scope.claim.name",
        String,
        Some("scope"),
        Low,
        "The claim that holds the scope.",
    ),
    (
        "bearer.auth.sub.claim.name",
        String,
        Some("sub"),
        Low,
        "The claim that holds the subject.",
    ),
    (
        "bearer.auth.logical.cluster",
        String,
        None,
        Medium,
        "The registry's logical cluster.",
    ),
    (
        "bearer.auth.identity.pool.id",
        String,
        None,
        Medium,
        "The identity pool.",
    ),
    (
        "bearer.auth.cache.expiry.buffer.seconds",
        Int,
        Some("300"),
        Low,
        "How long before its end a token is renewed, in seconds.",
    ),
    (
        "bearer.auth.custom.provider.class",
        String,
        None,
        Low,
        "A Java class that gets tokens. Not supported.",
    ),
];

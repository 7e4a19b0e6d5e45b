//! The settings that all converters with a registry have: `AbstractKafkaSchemaSerDeConfig`.

use std::time::Duration;

use ferroconnect_registry_client::{SchemaGuid, SchemaId};

use crate::config::{Problem, Problems, Settings};
use crate::converter::Role;
use crate::error::{Error, config::Kind};
use crate::subject::{Associated, Fallback, SubjectStrategy};
use crate::wire::{IdReader, IdWriter, Identity, parse_index_list};

/// Which schema data are written with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WhichSchema {
    /// The generated one, which is registered where it is not there yet (`auto.register.schemas`, the default). Then none
    /// of the other settings has an effect.
    #[default]
    Registered,
    /// The one with this id (`use.schema.id`).
    Id(SchemaId),
    /// The one with this content name (`use.schema.guid`).
    Guid(SchemaGuid),
    /// The newest under the subject whose metadata have these properties (`use.latest.with.metadata`).
    LatestWith(Properties),
    /// The newest under the subject (`use.latest.version`).
    Latest,
    /// The generated one, which must be registered already.
    Generated,
}

/// Names and values of a schema's metadata.
pub type Properties = Box<[(Box<str>, Box<str>)]>;

/// The parsed settings that all converters with a registry have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredConfig {
    /// Which schema data are written with.
    pub which: WhichSchema,
    /// `normalize.schemas`: the registry brings schemas into normal form before it compares or keeps them.
    pub normalize: bool,
    /// `propagate.schema.tags`: tags of a subject's last version are kept on the new one.
    pub propagate_schema_tags: bool,
    /// `id.compatibility.strict`: the schema of `use.schema.id` must read what the generated one writes.
    pub id_strict: bool,
    /// `latest.compatibility.strict`: the same of `use.latest.version`.
    pub latest_strict: bool,
    /// `latest.cache.ttl.sec`: how long the newest version counts as known; `None` is for ever.
    pub latest_life: Option<Duration>,
    /// `subject.name.strategy.cache.expiry.secs`: how long associations of topics count as known; `None` is for ever.
    pub associations_life: Option<Duration>,
    /// `key.subject.name.strategy` or `value.subject.name.strategy`.
    pub subjects: SubjectStrategy,
    /// `key.schema.id.serializer` or `value.schema.id.serializer`.
    pub id_writer: IdWriter,
    /// `key.schema.id.deserializer` or `value.schema.id.deserializer`; `None` when the configuration is to name the schema
    /// and names none.
    pub id_reader: Option<IdReader>,
    /// `max.schemas.per.subject`, in schemas: how many are remembered.
    pub schemas_per_subject: usize,
}

impl Default for RegisteredConfig {
    fn default() -> Self {
        Self {
            which: WhichSchema::Registered,
            normalize: false,
            propagate_schema_tags: false,
            id_strict: true,
            latest_strict: true,
            latest_life: None,
            associations_life: None,
            subjects: SubjectStrategy::default(),
            id_writer: IdWriter::default(),
            id_reader: Some(IdReader::default()),
            schemas_per_subject: 1000,
        }
    }
}

impl RegisteredConfig {
    /// The settings of a configuration that [`RegisteredConfig::definition`] has parsed.
    pub(crate) fn from_settings(settings: &Settings, role: Role) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let identity = problems.collect(identity(settings));
        let subjects = problems.collect(subjects(settings, role));
        let id_writer = problems.collect(id_writer(settings, role));
        let which = problems.collect(which(settings));
        let (Some(identity), Some(subjects), Some(id_writer), Some(which)) =
            (identity, subjects, id_writer, which)
        else {
            problems.into_result()?;
            return Ok(Self::default());
        };
        let id_reader = problems.collect(id_reader(settings, role, identity));
        problems.into_result()?;
        let size: i32 = settings.get("max.schemas.per.subject")?;
        Ok(Self {
            which,
            normalize: settings.get("normalize.schemas")?,
            propagate_schema_tags: settings.get("propagate.schema.tags")?,
            id_strict: settings.get("id.compatibility.strict")?,
            latest_strict: settings.get("latest.compatibility.strict")?,
            latest_life: seconds(settings, "latest.cache.ttl.sec")?,
            associations_life: seconds(settings, "subject.name.strategy.cache.expiry.secs")?,
            subjects,
            id_writer,
            id_reader: id_reader.flatten(),
            schemas_per_subject: usize::try_from(size).unwrap_or(0),
        })
    }
}

fn seconds(settings: &Settings, key: &str) -> Result<Option<Duration>, Problem> {
    let text: i64 = settings.get(key)?;
    Ok(u64::try_from(text).ok().map(Duration::from_secs))
}

fn identity(settings: &Settings) -> Result<Option<Identity>, Problem> {
    let id: i32 = settings.get("use.schema.id")?;
    if let Some(id) = SchemaId::new(id) {
        return Ok(Some(Identity::Id(id)));
    }
    let guid: Option<String> = settings.get("use.schema.guid")?;
    let Some(text) = guid.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match SchemaGuid::parse(&text) {
        Some(guid) => Ok(Some(Identity::Guid(guid))),
        None => Err(Problem::invalid("use.schema.guid", &text, "not a GUID")),
    }
}

/// The first that applies (`auto.register.schemas` before all others).
fn which(settings: &Settings) -> Result<WhichSchema, Problem> {
    if settings.get("auto.register.schemas")? {
        return Ok(WhichSchema::Registered);
    }
    match identity(settings)? {
        Some(Identity::Id(id)) => return Ok(WhichSchema::Id(id)),
        Some(Identity::Guid(guid)) => return Ok(WhichSchema::Guid(guid)),
        None => {}
    }
    let metadata: Option<String> = settings.get("use.latest.with.metadata")?;
    if let Some(text) = metadata.filter(|text| !text.is_empty()) {
        return properties(&text)
            .map(WhichSchema::LatestWith)
            .ok_or_else(|| {
                let reason = "expected are pairs: name=value,name2=value2";
                Problem::invalid("use.latest.with.metadata", &text, reason)
            });
    }
    Ok(match settings.get("use.latest.version")? {
        true => WhichSchema::Latest,
        false => WhichSchema::Generated,
    })
}

/// `k=v,k2='v,2'`: pairs by commas, quoted by apostrophes, doubled inside quotes.
fn properties(text: &str) -> Option<Properties> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, parts.last_mut()) {
            ('\'', Some(part)) if quoted && characters.peek() == Some(&'\'') => {
                characters.next();
                part.push('\'');
            }
            ('\'', _) => quoted = !quoted,
            (',', _) if !quoted => parts.push(String::new()),
            (other, Some(part)) => part.push(other),
            (_, None) => {}
        }
    }
    let pair = |part: &String| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().into(), value.trim().into()))
    };
    parts.iter().map(pair).collect()
}

fn subjects(settings: &Settings, role: Role) -> Result<SubjectStrategy, Problem> {
    let key = format!("{}.subject.name.strategy", role.name());
    let class: String = settings.get(&key)?;
    let Some(strategy) = SubjectStrategy::from_class_name(&class) else {
        let reason = "no strategy of that name; known are TopicNameStrategy, RecordNameStrategy, \
                      TopicRecordNameStrategy and AssociatedNameStrategy";
        return Err(Problem::invalid(&key, &class, reason));
    };
    let SubjectStrategy::Associated(_) = strategy else {
        return Ok(strategy);
    };
    let name: String = settings.get(FALLBACK)?;
    let cluster: Option<String> = settings.get("subject.name.strategy.kafka.cluster.id")?;
    match Fallback::from_name(&name) {
        Some(fallback) => Ok(SubjectStrategy::Associated(Associated {
            cluster: cluster
                .filter(|id| !id.is_empty() && id != "-")
                .map(Into::into),
            fallback,
        })),
        None => Err(Problem::invalid(
            FALLBACK,
            &name,
            "TOPIC, RECORD, TOPIC_RECORD or NONE",
        )),
    }
}

fn id_writer(settings: &Settings, role: Role) -> Result<IdWriter, Problem> {
    let key = format!("{}.schema.id.serializer", role.name());
    let class: String = settings.get(&key)?;
    IdWriter::from_class_name(&class).ok_or_else(|| {
        let reason = "known are PrefixSchemaIdSerializer and HeaderSchemaIdSerializer";
        Problem::invalid(&key, &class, reason)
    })
}

fn id_reader(
    settings: &Settings,
    role: Role,
    identity: Option<Identity>,
) -> Result<Option<IdReader>, Problem> {
    let key = format!("{}.schema.id.deserializer", role.name());
    let class: String = settings.get(&key)?;
    let short = class.strip_prefix(ID_PACKAGE).unwrap_or(&class);
    let [dual, prefix, config] = IdReader::CLASS_NAMES;
    if short == dual {
        return Ok(Some(IdReader::Dual));
    }
    if short == prefix {
        return Ok(Some(IdReader::Prefix));
    }
    if short != config {
        let reason = format!("known are {dual}, {prefix} and {config}");
        return Err(Problem::invalid(&key, &class, reason));
    }
    let list: Option<String> = settings.get("use.message.indexes")?;
    let list = list.unwrap_or_default();
    let path = parse_index_list(if list.is_empty() { "0" } else { &list });
    let indexes = path.ok_or_else(|| {
        let reason = "expected are numbers from 0, separated by commas";
        Problem::invalid("use.message.indexes", &list, reason)
    })?;
    Ok(identity.map(|identity| IdReader::Config { identity, indexes }))
}

/// Keys that Java knows and we do not serve: setting one to anything but its default is an error, so that nobody relies on it.
pub(crate) fn unsupported(settings: &Settings, more: &[Unsupported]) -> Result<(), Error> {
    let mut problems = Problems::new();
    for (key, idle, why) in UNSUPPORTED.iter().chain(more) {
        let given = settings.original(key).map(str::trim).unwrap_or_default();
        if !given.is_empty() && !idle.iter().any(|idle| given.eq_ignore_ascii_case(idle)) {
            problems.push(Problem::said(key, format!("{key} is not supported: {why}")));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Kind::Unsupported(problems).into()),
    }
}

const FALLBACK: &str = "subject.name.strategy.fallback.type";
const ID_PACKAGE: &str = "io.confluent.kafka.serializers.schema.id.";

/// A key, the values that change nothing, and why others are refused.
pub(crate) type Unsupported = (&'static str, &'static [&'static str], &'static str);

const UNSUPPORTED: [Unsupported; 6] = [
    ("rule.executors", &[], "rules are Java classes"),
    ("rule.actions", &[], "rules are Java classes"),
    (
        "validation.rules.execution",
        &["DISABLED"],
        "rules are Java classes",
    ),
    (
        "context.name.strategy",
        &[
            "io.confluent.kafka.serializers.context.NullContextNameStrategy",
            "NullContextNameStrategy",
        ],
        "a context strategy of your own is a Java class",
    ),
    (
        "schema.reflection",
        &["false"],
        "it reads schemas off Java classes",
    ),
    (
        "schema.backup.enabled",
        &["false"],
        "the backup envelope is not built",
    ),
];

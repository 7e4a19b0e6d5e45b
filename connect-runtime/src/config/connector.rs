use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, RawConfig, Setting, Settings, Validator, Width,
    prefixed,
};

use crate::ids::ConnectorName;
use crate::time::Span;

/// What sources and sinks have in common.
#[derive(Clone)]
pub struct ConnectorConfig {
    /// Its name, unique in the worker.
    pub name: ConnectorName,
    /// The class as it was given: Java class name, simple name or alias.
    pub class: String,
    /// Tasks it may have at most.
    pub tasks_max: u32,
    /// Whether more tasks than that are an error (and not only a warning).
    pub tasks_max_enforced: bool,
    /// Its own key converter; `None` is the worker's.
    pub key_converter: Option<PluginConfig>,
    /// Its own value converter; `None` is the worker's.
    pub value_converter: Option<PluginConfig>,
    /// Its own header converter; `None` is the worker's.
    pub header_converter: Option<PluginConfig>,
    /// What happens with records that fail.
    pub errors: ErrorPolicy,
    /// Whether it is restarted when values of config providers run out (`config.action.reload`).
    pub reload: bool,
    /// All keys, placeholders replaced.
    pub raw: RawConfig,
}

impl std::fmt::Debug for ConnectorConfig {
    /// Names the keys and few values: settings may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectorConfig")
            .field("name", &self.name)
            .field("class", &self.class)
            .field("keys", &self.raw.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A plugin by class name, with its own settings (prefix removed).
#[derive(Clone, PartialEq, Eq)]
pub struct PluginConfig {
    /// Java class name, simple name or alias.
    pub class: String,
    /// Its settings.
    pub settings: RawConfig,
}

impl std::fmt::Debug for PluginConfig {
    /// Names the keys and no value: settings may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PluginConfig")
            .field("class", &self.class)
            .field("keys", &self.settings.keys().collect::<Vec<_>>())
            .finish()
    }
}

/// What happens with records that fail (`errors.*`, KIP-298).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorPolicy {
    /// How long a transient failure is retried; `None` is for ever.
    pub retry_timeout: Option<Span>,
    /// The longest pause between two attempts.
    pub retry_delay_max: Span,
    /// Whether a record that fails is skipped.
    pub tolerance: Tolerance,
    /// Whether each failure is logged with its place.
    pub log: bool,
    /// Whether the log names the record.
    pub log_records: bool,
}

/// `errors.tolerance`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect")]
pub enum Tolerance {
    /// The first record that fails fails the task.
    None,
    /// Records that fail are skipped.
    All,
}

/// The state a connector starts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::exhaustive_enums, reason = "fixed by Kafka Connect (KIP-980)")]
pub enum InitialState {
    /// It runs.
    #[default]
    Running,
    /// It has tasks that wait.
    Paused,
    /// It has no tasks.
    Stopped,
}

impl InitialState {
    /// Reads the state, in any case.
    ///
    /// # Errors
    /// Anything but the three names.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        match text.to_ascii_uppercase().as_str() {
            "RUNNING" => Ok(Self::Running),
            "PAUSED" => Ok(Self::Paused),
            "STOPPED" => Ok(Self::Stopped),
            _ => Err(Self::refused(text)),
        }
    }

    pub(super) fn refused(text: &str) -> Problem {
        Problem::invalid("initial_state", text, "must be RUNNING, PAUSED or STOPPED")
    }
}

impl ConnectorConfig {
    pub(super) fn from_settings(settings: &Settings) -> Result<Self, Problem> {
        let raw = settings.originals().clone();
        let name: String = settings.get("name")?;
        let plugin = |role: &str| -> Result<Option<PluginConfig>, Problem> {
            let class: Option<String> = settings.get(role)?;
            Ok(class.map(|class| PluginConfig {
                class,
                settings: prefixed(&raw, &format!("{role}.")),
            }))
        };
        let tasks_max: i32 = settings.get("tasks.max")?;
        let tolerance: String = settings.get("errors.tolerance")?;
        let retry_timeout: i64 = settings.get("errors.retry.timeout")?;
        let retry_delay_max: i64 = settings.get("errors.retry.delay.max.ms")?;
        Ok(Self {
            name: ConnectorName::new(&name).ok_or_else(|| {
                Problem::invalid(
                    "name",
                    &name,
                    "String may not be blank and may not contain control sequences",
                )
            })?,
            class: settings.get("connector.class")?,
            tasks_max: tasks_max.unsigned_abs(),
            tasks_max_enforced: settings.get("tasks.max.enforce")?,
            key_converter: plugin("key.converter")?,
            value_converter: plugin("value.converter")?,
            header_converter: plugin("header.converter")?,
            errors: ErrorPolicy {
                retry_timeout: u64::try_from(retry_timeout).ok().map(Span::millis),
                retry_delay_max: Span::millis(u64::try_from(retry_delay_max).unwrap_or(0)),
                tolerance: if tolerance == "all" {
                    Tolerance::All
                } else {
                    Tolerance::None
                },
                log: settings.get("errors.log.enable")?,
                log_records: settings.get("errors.log.include.messages")?,
            },
            reload: settings.get::<String>("config.action.reload")? == "restart",
            raw,
        })
    }
}

const COMMON: &str = "Common";
const ERRORS: &str = "Error Handling";

/// The key of every task (`TaskConfig`); the framework sets it.
pub fn task_def() -> ConfigDef {
    ConfigDef::new().define(Key::new(
        "task.class",
        Kind::Class,
        Importance::High,
        "Class of the task; set by the worker.",
    ))
}

/// Keys of every connector, in Kafka's order.
#[expect(
    clippy::too_many_lines,
    reason = "a table of keys reads best in one piece"
)]
pub fn connector_def() -> ConfigDef {
    use Importance::{High, Low, Medium};
    ConfigDef::new()
        .define(
            Key::new(
                "name",
                Kind::String,
                High,
                "Name of the connector, unique in the worker.",
            )
            .check(Validator::NonEmptyWithoutControl)
            .group(COMMON, 1, Width::Medium)
            .shown_as("Connector name"),
        )
        .define(
            Key::new(
                "connector.class",
                Kind::String,
                High,
                "Class of the connector: Java class name, simple name or alias.",
            )
            .group(COMMON, 2, Width::Long)
            .shown_as("Connector class"),
        )
        .define(version(
            "connector.plugin.version",
            3,
            Medium,
            Width::Medium,
            "Connector version",
        ))
        .define(
            Key::new(
                "tasks.max",
                Kind::Int,
                High,
                "Tasks the connector may have at most.",
            )
            .default("1")
            .check(Validator::AtLeast(1))
            .group(COMMON, 4, Width::Short)
            .shown_as("Tasks max"),
        )
        .define(
            Key::new(
                "tasks.max.enforce",
                Kind::Boolean,
                Low,
                "Whether more tasks than tasks.max are an error.",
            )
            .default("true")
            .group(COMMON, 5, Width::Short)
            .shown_as("Enforce tasks max"),
        )
        .define(converter(
            "key.converter",
            6,
            "Key converter class",
            CONVERTER_CLASS,
        ))
        .define(version(
            "key.converter.plugin.version",
            7,
            Low,
            Width::Short,
            "Key converter version",
        ))
        .define(converter(
            "value.converter",
            8,
            "Value converter class",
            CONVERTER_CLASS,
        ))
        .define(version(
            "value.converter.plugin.version",
            9,
            Low,
            Width::Short,
            "Value converter version",
        ))
        .define(converter(
            "header.converter",
            10,
            "Header converter class",
            HEADER_CONVERTER_CLASS,
        ))
        .define(version(
            "header.converter.plugin.version",
            11,
            Low,
            Width::Short,
            "Header converter version",
        ))
        .define(aliases(
            "transforms",
            "Transforms",
            12,
            "non-null string, unique transformation aliases",
        ))
        .define(aliases(
            "predicates",
            "Predicates",
            13,
            "non-null string, unique predicate aliases",
        ))
        .define(
            Key::new(
                "config.action.reload",
                Kind::String,
                Low,
                "What happens when a config provider has new values.",
            )
            .default("restart")
            .check(Validator::OneOf(&["none", "restart"]))
            .group(COMMON, 14, Width::Medium)
            .shown_as("Reload Action"),
        )
        .and(error_def())
}

fn error_def() -> ConfigDef {
    use Importance::Medium;
    let flag = |name: &str, order: i32, shown: &str, doc: &str| {
        Key::new(name, Kind::Boolean, Medium, doc)
            .default("false")
            .group(ERRORS, order, Width::Short)
            .shown_as(shown)
    };
    ConfigDef::new()
        .define(
            Key::new(
                "errors.retry.timeout",
                Kind::Long,
                Medium,
                "Milliseconds a failing record is retried; 0 is never, -1 for ever.",
            )
            .default("0")
            .group(ERRORS, 1, Width::Medium)
            .shown_as("Retry Timeout for Errors"),
        )
        .define(
            Key::new(
                "errors.retry.delay.max.ms",
                Kind::Long,
                Medium,
                "The longest pause between two attempts, in milliseconds.",
            )
            .default("60000")
            .group(ERRORS, 2, Width::Medium)
            .shown_as("Maximum Delay Between Retries for Errors"),
        )
        .define(
            Key::new(
                "errors.tolerance",
                Kind::String,
                Medium,
                "Whether records that fail are skipped (all) or fail the task (none).",
            )
            .default("none")
            .check(Validator::OneOf(&["none", "all"]))
            .group(ERRORS, 3, Width::Short)
            .shown_as("Error Tolerance"),
        )
        .define(flag(
            "errors.log.enable",
            4,
            "Log Errors",
            "Whether each failing record is logged.",
        ))
        .define(flag(
            "errors.log.include.messages",
            5,
            "Log Error Details",
            "Whether the log names the failing record.",
        ))
}

const CONVERTER_CLASS: &str = "A concrete subclass of org.apache.kafka.connect.storage.Converter, A class with a public, no-argument constructor";
const HEADER_CONVERTER_CLASS: &str = "A concrete subclass of org.apache.kafka.connect.storage.HeaderConverter, A class with a public, no-argument constructor";

fn converter(name: &str, order: i32, shown: &str, text: &'static str) -> Key {
    let recommender = if text == HEADER_CONVERTER_CLASS {
        "HeaderConverterPluginRecommender"
    } else {
        "ConverterPluginRecommender"
    };
    Key::new(
        name,
        Kind::Class,
        Importance::Low,
        "Converter of this connector; the worker's when not set.",
    )
    .optional()
    .check(Validator::Custom {
        text,
        check: |_| Ok(()),
    })
    .recommender_class(&format!("{RECOMMENDERS}{recommender}"))
    .group(COMMON, order, Width::Short)
    .shown_as(shown)
}

/// The Java class whose inner classes recommend plugins and versions.
const RECOMMENDERS: &str = "org.apache.kafka.connect.runtime.isolation.PluginsRecommenders$";

fn version(name: &str, order: i32, importance: Importance, width: Width, shown: &str) -> Key {
    // Java prints this check's identity, not a text.
    let text = "org.apache.kafka.connect.runtime.ConnectorConfig$PluginVersionValidator@ID";
    let recommender = match name.strip_suffix(".plugin.version") {
        Some("key.converter") => "KeyConverterPluginVersionRecommender",
        Some("value.converter") => "ValueConverterPluginVersionRecommender",
        Some("header.converter") => "HeaderConverterPluginVersionRecommender",
        Some(_) | None => "ConnectorPluginVersionRecommender",
    };
    Key::new(
        name,
        Kind::String,
        importance,
        "Version range of the plugin; plugins are compiled in, so there is one.",
    )
    .optional()
    .check(Validator::Custom {
        text,
        check: |_| Ok(()),
    })
    .recommender_class(&format!("{RECOMMENDERS}{recommender}"))
    .group(COMMON, order, width)
    .shown_as(shown)
}

fn aliases(name: &str, group: &str, order: i32, text: &'static str) -> Key {
    Key::new(
        name,
        Kind::List,
        Importance::Low,
        "Aliases in the order in which they apply.",
    )
    .default("")
    .check(Validator::Custom {
        text,
        check: unique,
    })
    .group(group, order, Width::Long)
    .shown_as(group)
}

/// Java's text about aliases that occur twice.
pub(super) fn unique(value: &Setting) -> Result<(), String> {
    let list = value.as_list().unwrap_or_default();
    let repeated = list
        .iter()
        .enumerate()
        .any(|(at, name)| list[..at].contains(name));
    if repeated {
        Err("Duplicate alias provided.".to_owned())
    } else {
        Ok(())
    }
}

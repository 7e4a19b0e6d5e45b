//! Settings from several places become one set of values.

use std::collections::BTreeMap;

use ferroconnect_converters::config::{
    FromSetting, HIDDEN, Kind, Problem, Problems, RawConfig, Setting, is_secret_name,
};

use super::keys::{ClientKey, ClientKind, Effect, KEYS, KeyDefault, client_key};
use crate::kafka::types::Properties;
use crate::time::Span;

/// Settings of one client, from several places: what is added later counts more.
///
/// ```
/// use ferroconnect_runtime::config::RawConfig;
/// use ferroconnect_runtime::kafka::client::{ClientKind, Layers};
/// use ferroconnect_runtime::time::Span;
///
/// let worker = RawConfig::from([("linger.ms".into(), "20".into()), ("acks".into(), "1".into())]);
/// let connector = RawConfig::from([("linger.ms".into(), "0".into())]);
/// let settings = Layers::new(ClientKind::Producer)
///     .add("producer.", &worker)
///     .add("producer.override.", &connector)
///     .producer()
///     .unwrap();
/// assert_eq!(settings.config.linger, Span::ZERO);
/// ```
#[derive(Clone)]
pub struct Layers {
    kind: ClientKind,
    given: BTreeMap<String, Given>,
}

/// One value, and the name it was written under.
#[derive(Clone)]
struct Given {
    text: String,
    name: String,
    /// Whether it is Connect's own default and not somebody's wish.
    is_default: bool,
}

/// Settings of a client, with what is odd about them.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a result with its remarks")]
pub struct Parsed<T> {
    /// The settings.
    pub config: T,
    /// Keys that have no effect, one sentence each.
    pub warnings: Vec<String>,
    /// Keys that nobody knows, under the names they were written with.
    pub unknown: Vec<String>,
}

impl std::fmt::Debug for Layers {
    /// Names the keys and no value: settings may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self
            .given
            .values()
            .map(|given| given.name.as_str())
            .collect();
        f.debug_struct("Layers")
            .field("kind", &self.kind)
            .field("keys", &names)
            .finish()
    }
}

impl Layers {
    /// Connect's defaults for such a client.
    pub fn new(kind: ClientKind) -> Self {
        let defaults = kind.connect_defaults().iter();
        defaults.fold(
            Self {
                kind,
                given: BTreeMap::new(),
            },
            |layers, (key, text)| layers.default(key, text),
        )
    }

    /// The kind of client.
    pub const fn kind(&self) -> ClientKind {
        self.kind
    }

    /// A value that stands unless somebody says otherwise.
    #[must_use]
    pub fn default(mut self, key: &str, text: &str) -> Self {
        let given = Given {
            text: text.to_owned(),
            name: format!("{}{key}", self.kind.worker_prefix()),
            is_default: true,
        };
        self.given.insert(key.to_owned(), given);
        self
    }

    /// A value that stands if nobody has said anything yet.
    #[must_use]
    pub fn default_when_unset(self, key: &str, text: &str) -> Self {
        if self.given.contains_key(key) {
            self
        } else {
            self.default(key, text)
        }
    }

    /// What `settings` say, which were written with `prefix` in front.
    #[must_use]
    pub fn add(mut self, prefix: &str, settings: &RawConfig) -> Self {
        for (key, text) in settings {
            let given = Given {
                text: text.clone(),
                name: format!("{prefix}{key}"),
                is_default: false,
            };
            self.given.insert(key.clone(), given);
        }
        self
    }

    /// Reads every key by itself, then all together.
    pub(super) fn read<T>(
        self,
        together: impl FnOnce(&Values, &mut Remarks) -> Result<T, Problem>,
    ) -> Result<Parsed<T>, Problems> {
        let mut remarks = Remarks::default();
        let (values, unknown) = self.values(&mut remarks);
        let config = together(&values, &mut remarks);
        match remarks.problems.collect(config) {
            Some(config) if remarks.problems.is_empty() => Ok(Parsed {
                config,
                warnings: remarks.warnings,
                unknown,
            }),
            Some(_) | None => Err(remarks.problems),
        }
    }

    /// Reads the settings for the sake of their remarks: warnings, and keys that nobody knows.
    ///
    /// # Errors
    /// As [`Layers::producer`], [`Layers::consumer`], [`Layers::admin`].
    pub fn check(self) -> Result<(Vec<String>, Vec<String>), Problems> {
        match self.kind {
            ClientKind::Producer => self.producer().map(|read| (read.warnings, read.unknown)),
            ClientKind::Consumer => self.consumer().map(|read| (read.warnings, read.unknown)),
            ClientKind::Admin => self.admin().map(|read| (read.warnings, read.unknown)),
        }
    }

    /// What does not fit is noted, and its default stands in so that checking can go on.
    fn values(self, remarks: &mut Remarks) -> (Values, Vec<String>) {
        let mut settings = BTreeMap::new();
        for key in KEYS.iter().filter(|key| key.clients.contains(&self.kind)) {
            let given = self.given.get(key.name);
            let read = match given {
                Some(given) => remarks
                    .problems
                    .collect(read(key, &given.name, &given.text)),
                None => None,
            };
            if let Some(given) = given.filter(|given| !given.is_default)
                && let Some(setting) = &read
                && self.uses(key.name)
            {
                remark(key, given, &self.standard(key), setting, remarks);
            }
            settings.insert(key.name, read.unwrap_or_else(|| self.standard(key)));
        }
        let unknown = self
            .given
            .iter()
            .filter(|(key, _)| client_key(self.kind, key).is_none())
            .map(|(_, given)| given.name.clone())
            .collect();
        let values = Values {
            kind: self.kind,
            settings,
            given: self.given,
        };
        (values, unknown)
    }

    /// Whether `security.protocol` has a use for the key.
    fn uses(&self, key: &str) -> bool {
        let given = self.given.get("security.protocol");
        let protocol = given
            .map_or("", |given| given.text.trim())
            .to_ascii_uppercase();
        match key.split_once('.') {
            Some(("ssl", _)) => protocol.ends_with("SSL"),
            Some(("sasl", _)) => protocol.starts_with("SASL"),
            Some(_) | None => true,
        }
    }

    /// What the key holds when nobody says anything: Connect's default, else Kafka's.
    fn standard(&self, key: &ClientKey) -> Setting {
        let mut connects = self.kind.connect_defaults().iter();
        let text = match connects.find(|(name, _)| *name == key.name) {
            Some((_, text)) => Some(*text),
            None => match key.default {
                KeyDefault::Null => None,
                KeyDefault::Is(text) => Some(text),
            },
        };
        text.and_then(|text| Setting::parse(key.kind, text).ok())
            .unwrap_or(Setting::Null)
    }
}

/// Reads one value under the name it was written with.
fn read(key: &ClientKey, name: &str, text: &str) -> Result<Setting, Problem> {
    if key.is_unset_by(text) {
        return Ok(Setting::Null);
    }
    let raw = RawConfig::from([(name.to_owned(), text.to_owned())]);
    let def = ferroconnect_converters::config::ConfigDef::new().define(key.definition(name));
    let mut checked = def.check(&raw);
    match checked.pop() {
        Some(checked) => checked.value,
        None => Ok(Setting::Null),
    }
}

/// Says what is to be said about a key that somebody set.
fn remark(
    key: &ClientKey,
    given: &Given,
    standard: &Setting,
    setting: &Setting,
    remarks: &mut Remarks,
) {
    match key.effect {
        Effect::Mapped(_) => {}
        Effect::NoEffect(reason) => {
            remarks.warning(format!("{} has no effect: {reason}", given.name));
        }
        Effect::Unsupported(why, next) if setting != standard => {
            let reason = format!("not supported: {why}; {next}");
            remarks.problem(if key.kind == Kind::Password {
                Problem::invalid_secret(&given.name, reason)
            } else {
                Problem::invalid(&given.name, &given.text, reason)
            });
        }
        Effect::Unsupported(_, _) => {}
    }
}

/// What is to be said about the settings of one client.
#[derive(Default)]
pub(super) struct Remarks {
    problems: Problems,
    warnings: Vec<String>,
}

impl Remarks {
    /// Notes what prevents a start.
    pub(super) fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Notes what is probably not meant.
    pub(super) fn warning(&mut self, text: String) {
        self.warnings.push(text);
    }
}

/// The values of all keys of one client, each read and checked by itself.
pub(super) struct Values {
    pub(super) kind: ClientKind,
    settings: BTreeMap<&'static str, Setting>,
    given: BTreeMap<String, Given>,
}

impl Values {
    /// The value of `key`.
    ///
    /// # Errors
    /// The table has no such key for this client, or it holds another kind: mistakes in this crate.
    pub(super) fn get<T: FromSetting>(&self, key: &str) -> Result<T, Problem> {
        let setting = self.settings.get(key).unwrap_or(&Setting::Null);
        T::from_setting(setting).ok_or_else(|| {
            Problem::said(
                key,
                format!("Configuration '{key}' does not hold the kind of value that is asked for"),
            )
        })
    }

    /// Whether the key exists for this client.
    pub(super) fn knows(&self, key: &str) -> bool {
        self.settings.contains_key(key)
    }

    /// A length of time; Java's negative ones are none at all.
    pub(super) fn span(&self, key: &str) -> Result<Span, Problem> {
        let millis = match self.settings.get(key).and_then(Setting::as_integer) {
            Some(millis) => millis,
            None => self.get::<i64>(key)?,
        };
        Ok(Span::millis(u64::try_from(millis).unwrap_or(0)))
    }

    /// A number of bytes or things.
    pub(super) fn count(&self, key: &str) -> Result<usize, Problem> {
        let number = match self.settings.get(key).and_then(Setting::as_integer) {
            Some(number) => number,
            None => self.get::<i64>(key)?,
        };
        Ok(usize::try_from(number).unwrap_or(0))
    }

    /// Whether somebody set the key to something.
    pub(super) fn is_set(&self, key: &str) -> bool {
        let wished = self.given.get(key).is_some_and(|given| !given.is_default);
        wished && !matches!(self.settings.get(key), None | Some(Setting::Null))
    }

    /// The keys that somebody set to something.
    pub(super) fn set_keys(&self) -> impl Iterator<Item = &str> {
        self.given
            .keys()
            .map(String::as_str)
            .filter(|key| self.is_set(key))
    }

    /// Whether the key was written at all, be it empty.
    pub(super) fn is_given(&self, key: &str) -> bool {
        self.given.contains_key(key)
    }

    /// The name that the key was written with, or would be by the operator of the worker.
    pub(super) fn name(&self, key: &str) -> String {
        match self.given.get(key) {
            Some(given) => given.name.clone(),
            None => format!("{}{key}", self.kind.worker_prefix()),
        }
    }

    /// A problem of this key's value, which is hidden when it is secret.
    pub(super) fn invalid(&self, key: &str, reason: impl Into<Box<str>>) -> Problem {
        let is_secret = is_secret_name(key)
            || client_key(self.kind, key).is_some_and(|key| key.kind == Kind::Password);
        let text = self.given.get(key).map(|given| given.text.as_str());
        match text {
            Some(text) if !is_secret => Problem::invalid(&self.name(key), text, reason),
            Some(_) => Problem::invalid(&self.name(key), HIDDEN, reason),
            None => Problem::invalid(&self.name(key), "null", reason),
        }
    }

    /// A problem in its own words.
    pub(super) fn said(&self, key: &str, text: impl Into<Box<str>>) -> Problem {
        Problem::said(&self.name(key), text)
    }

    /// Everything that was set, for adapters that have a use for it.
    pub(super) fn properties(&self) -> Properties {
        let pairs = self.given.iter();
        Properties(
            pairs
                .map(|(key, given)| (key.clone(), given.text.clone()))
                .collect(),
        )
    }
}

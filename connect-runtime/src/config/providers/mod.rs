//! Config providers: values that stand elsewhere, named by placeholders (KIP-297, KIP-421).
//!
//! `${provider:path:key}` and `${provider:key}` in a value are replaced, once and not again in what came in. A placeholder of an unknown
//! provider, or of a key that is not there, stays as it is, as in Kafka. What providers give counts as secret: it is never shown.
//!
//! | class, or its alias | a placeholder | parameters |
//! | --- | --- | --- |
//! | `…EnvVarConfigProvider`, `env` | `${env:NAME}` | `allowlist.pattern` |
//! | `…FileConfigProvider`, `file` | `${file:/etc/app.properties:key}` | `allowed.paths` |
//! | `…DirectoryConfigProvider`, `dir` | `${dir:/run/secrets:name}` | `allowed.paths` |
//!
//! Kafka's three give values without an end. Here every provider takes `param.ttl.ms` besides: when that time is over, connectors that
//! use its values are restarted with new ones, unless they say `config.action.reload=none`. As in Kafka the connector is restarted in
//! any case, its tasks only if something has changed.

mod builtin;
mod placeholder;
mod schedule;
mod secrets;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Secret, Validator, prefixed,
};

pub(crate) use builtin::{DIRECTORY, ENV_VAR, FILE, directory, env_var, file};
pub use schedule::ReloadSchedule;
pub use secrets::Secrets;

use super::Findings;
use crate::plugins::Catalog;
use crate::time::Span;

/// Gives values that stand elsewhere.
pub trait ConfigProvider: Send + Sync + fmt::Debug {
    /// The values of those of `keys` that are at `path`; `path` is empty when the placeholder had none.
    ///
    /// # Errors
    /// The place cannot be read. A key that is not there is no error, and neither is a place that must not be read.
    fn get(&self, path: &str, keys: &BTreeSet<&str>) -> Result<Provided, Problem>;
}

/// What a provider gives.
#[derive(Clone, Debug, Default)]
pub struct Provided {
    /// By key.
    pub values: BTreeMap<String, Secret>,
    /// How long they hold. After that the connector is restarted with new ones.
    pub ttl: Option<Span>,
}

/// The variables of the process's environment, as they were when the worker started.
pub type Environment = BTreeMap<String, String>;

/// The providers of a worker, by the names its properties give them.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    by_name: BTreeMap<String, Named>,
}

#[derive(Clone, Debug)]
struct Named {
    provider: Arc<dyn ConfigProvider>,
    /// `config.providers.NAME.param.ttl.ms`.
    ttl: Option<Span>,
}

/// Values by provider and path, then by key.
type Given<'a> = BTreeMap<(&'a str, &'a str), BTreeMap<String, Secret>>;

/// A configuration with its placeholders replaced.
#[derive(Clone, Default)]
pub struct Resolved {
    /// The configuration.
    pub config: RawConfig,
    /// What must not be shown.
    pub secrets: Secrets,
    /// Where values came from that hold for a time only: provider and path.
    pub ttls: BTreeMap<String, Span>,
    /// Placeholders that stayed, and why; one line each.
    pub left: Vec<String>,
}

impl fmt::Debug for Resolved {
    /// Names the keys and no value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolved")
            .field("keys", &self.config.keys().collect::<Vec<_>>())
            .field("ttls", &self.ttls)
            .finish_non_exhaustive()
    }
}

impl Providers {
    /// The providers that `config.providers` names, each with its class and parameters.
    ///
    /// # Errors
    /// Every provider without a class, of an unknown class, or with a parameter that makes no sense.
    pub fn load(
        worker: &RawConfig,
        catalog: &Catalog,
        environment: &Environment,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut by_name = BTreeMap::new();
        let list = worker.get("config.providers").map_or("", String::as_str);
        for name in list
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let made = load_one(name, worker, catalog, environment);
            if let Some(made) = problems.collect(made) {
                by_name.insert(name.to_owned(), made);
            }
        }
        problems.into_result().map(|()| Self { by_name })
    }

    /// Replaces the placeholders of a connector's configuration.
    ///
    /// # Errors
    /// Every place that cannot be read.
    pub fn resolve(&self, raw: &RawConfig) -> Result<Resolved, Problems> {
        self.resolve_except(raw, |_| false)
    }

    /// Replaces the placeholders of the worker's properties; `plugin.path` and the providers' own settings stay.
    ///
    /// # Errors
    /// Every place that cannot be read.
    pub fn resolve_worker(&self, raw: &RawConfig) -> Result<Resolved, Problems> {
        self.resolve_except(raw, |key| {
            key == "plugin.path" || key == "config.providers" || key.starts_with(PREFIX)
        })
    }

    fn resolve_except(
        &self,
        raw: &RawConfig,
        stays: impl Fn(&str) -> bool,
    ) -> Result<Resolved, Problems> {
        let mut resolved = Resolved::default();
        if self.by_name.is_empty() {
            resolved.config = raw.clone();
            return Ok(resolved);
        }
        let replaced = raw.iter().filter(|(key, _)| !stays(key));
        let given = self.ask(
            replaced.map(|(_, value)| value.as_str()),
            &mut resolved.ttls,
        )?;
        for (key, value) in raw {
            if stays(key) {
                resolved.config.insert(key.clone(), value.clone());
                continue;
            }
            let text = placeholder::replace(value, |found| {
                let why = match given.get(&(found.provider, found.path)) {
                    None => format!("config.providers does not name '{}'", found.provider),
                    Some(values) => match values.get(found.key) {
                        Some(secret) => {
                            resolved.secrets.add(key, secret);
                            return Some(secret.reveal().to_owned());
                        }
                        None => "the provider has no such key there".to_owned(),
                    },
                };
                let text = found.text;
                let line = format!("{key}: the placeholder {text} stays as it is: {why}");
                resolved.left.push(line);
                None
            });
            resolved.config.insert(key.clone(), text);
        }
        Ok(resolved)
    }

    /// Asks every provider once per path, for all keys together.
    fn ask<'a>(
        &self,
        values: impl Iterator<Item = &'a str>,
        ttls: &mut BTreeMap<String, Span>,
    ) -> Result<Given<'a>, Problems> {
        let mut wanted: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for found in values.flat_map(placeholder::all) {
            if self.by_name.contains_key(found.provider) {
                wanted
                    .entry((found.provider, found.path))
                    .or_default()
                    .insert(found.key);
            }
        }
        let mut problems = Problems::new();
        let mut given = BTreeMap::new();
        for ((name, path), keys) in wanted {
            let Some(named) = self.by_name.get(name) else {
                continue;
            };
            let Some(provided) = problems.collect(named.provider.get(path, &keys)) else {
                continue;
            };
            if let Some(ttl) = named.ttl.or(provided.ttl) {
                ttls.insert(format!("{name}:{path}"), ttl);
            }
            given.insert((name, path), provided.values);
        }
        problems.into_result().map(|()| given)
    }
}

impl Resolved {
    /// Warns about placeholders that stayed, and hides what came in from everything that is found later.
    pub fn note(&self, place: &str, findings: &mut Findings) {
        findings.hide(self.secrets.clone());
        for line in &self.left {
            findings.warning(place, line);
        }
    }
}

fn load_one(
    name: &str,
    worker: &RawConfig,
    catalog: &Catalog,
    environment: &Environment,
) -> Result<Named, Problems> {
    let prefix = format!("{PREFIX}{name}.");
    let class_key = format!("{prefix}class");
    let Some(class) = worker.get(&class_key) else {
        return Err(Problem::missing(&class_key).into());
    };
    let factory = catalog
        .find_config_provider(class.trim())
        .map_err(|unknown| Problem::invalid(&class_key, class, unknown.to_string()))?;
    let prefix = format!("{prefix}param.");
    let params = prefixed(worker, &prefix);
    let of_file = |found: Problems| {
        let mut renamed = Problems::new();
        found
            .into_iter()
            .for_each(|problem| renamed.push(problem.under(&prefix)));
        renamed
    };
    let ttl = ttl_def().parse(&params).map_err(of_file)?;
    let ttl: Option<i64> = ttl.get(TTL)?;
    let provider = factory
        .factory()
        .build(&params, environment)
        .map_err(of_file)?;
    Ok(Named {
        provider,
        ttl: ttl
            .and_then(|millis| u64::try_from(millis).ok())
            .map(Span::millis),
    })
}

/// The one parameter that every provider has here and none of Kafka's has.
fn ttl_def() -> ConfigDef {
    ConfigDef::new().define(
        Key::new(
            TTL,
            Kind::Long,
            Importance::Low,
            "Milliseconds that values hold; after that, connectors that use them are restarted with new ones. Never when not set.",
        )
        .optional()
        .check(Validator::Custom {
            text: "[1,...]",
            check: |value| match value.as_integer() {
                Some(millis) if millis < 1 => Err("Value must be at least 1".to_owned()),
                Some(_) | None => Ok(()),
            },
        }),
    )
}

const PREFIX: &str = "config.providers.";
const TTL: &str = "ttl.ms";

#[cfg(test)]
mod tests;

//! The three providers of Kafka: variables of the environment, properties files, folders of files. They read the disk, each time anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferroconnect_converters::config::{
    ConfigDef, Importance, Key, Kind, Problem, Problems, RawConfig, Secret, Validator,
};

use super::{ConfigProvider, Environment, Provided};
use crate::config::properties;
use crate::config::topic_groups::whole;

/// Class name of the provider of environment variables.
pub(crate) const ENV_VAR: &str = "org.apache.kafka.common.config.provider.EnvVarConfigProvider";
/// Class name of the provider of properties files.
pub(crate) const FILE: &str = "org.apache.kafka.common.config.provider.FileConfigProvider";
/// Class name of the provider of folders.
pub(crate) const DIRECTORY: &str =
    "org.apache.kafka.common.config.provider.DirectoryConfigProvider";

/// Variables of the environment, as they were when the worker started.
pub(crate) fn env_var(
    params: &RawConfig,
    environment: &Environment,
) -> Result<Arc<dyn ConfigProvider>, Problems> {
    let def = ConfigDef::new().define(
        Key::new(
            ALLOWLIST,
            Kind::String,
            Importance::Low,
            "Pattern of the variables that may be read.",
        )
        .default(".*"),
    );
    let pattern: String = def.parse(params)?.get(ALLOWLIST)?;
    let allowed = whole(ALLOWLIST, &pattern)?;
    Ok(Arc::new(EnvVars {
        variables: environment
            .iter()
            .filter(|(name, _)| allowed.is_match(name))
            .map(|(name, value)| (name.clone(), Secret::new(value)))
            .collect(),
    }))
}

/// Keys of properties files.
pub(crate) fn file(
    params: &RawConfig,
    _environment: &Environment,
) -> Result<Arc<dyn ConfigProvider>, Problems> {
    Ok(Arc::new(PropertiesFiles(AllowedPaths::parse(params)?)))
}

/// Files of folders: each name is a key, each content a value.
pub(crate) fn directory(
    params: &RawConfig,
    _environment: &Environment,
) -> Result<Arc<dyn ConfigProvider>, Problems> {
    Ok(Arc::new(Folders(AllowedPaths::parse(params)?)))
}

#[derive(Debug)]
struct EnvVars {
    variables: BTreeMap<String, Secret>,
}

impl ConfigProvider for EnvVars {
    fn get(&self, path: &str, keys: &BTreeSet<&str>) -> Result<Provided, Problem> {
        if !path.is_empty() {
            return Err(Problem::said(
                "",
                format!("Path is not supported for EnvVarConfigProvider, invalid value '{path}'"),
            ));
        }
        let wanted = keys
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), self.variables.get(*key)?.clone())));
        Ok(provided(wanted))
    }
}

#[derive(Debug)]
struct PropertiesFiles(AllowedPaths);

impl ConfigProvider for PropertiesFiles {
    fn get(&self, path: &str, keys: &BTreeSet<&str>) -> Result<Provided, Problem> {
        let refused = |why: &dyn std::fmt::Display| {
            Problem::said(
                "",
                format!("Could not read properties from file {path}: {why}"),
            )
        };
        if path.is_empty() {
            return Ok(Provided::default());
        }
        let Some(place) = self.0.check(path).map_err(|error| refused(&error))? else {
            return Ok(Provided::default());
        };
        let bytes = read_limited(&place).map_err(|error| refused(&error))?;
        let values = properties::parse(&bytes).map_err(|error| refused(&error))?;
        let wanted = keys
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), Secret::new(values.get(*key)?))));
        Ok(provided(wanted))
    }
}

#[derive(Debug)]
struct Folders(AllowedPaths);

impl ConfigProvider for Folders {
    fn get(&self, path: &str, keys: &BTreeSet<&str>) -> Result<Provided, Problem> {
        if path.is_empty() {
            return Ok(Provided::default());
        }
        let refused = |place: &Path, why: &dyn std::fmt::Display| {
            Problem::said(
                "",
                format!("Could not read file {}: {why}", place.display()),
            )
        };
        let folder = Path::new(path);
        let Some(allowed) = self
            .0
            .check(path)
            .map_err(|error| refused(folder, &error))?
        else {
            return Ok(Provided::default());
        };
        if !allowed.is_dir() {
            tracing::warn!("config provider: {path} is not a folder, so none of its keys exist");
            return Ok(Provided::default());
        }
        let mut values = Vec::new();
        for key in keys.iter().filter(|key| is_file_name(key)) {
            let file = folder.join(key);
            // A file of the folder can be a link to somewhere else.
            let Some(place) = self.0.check_file(&file) else {
                continue;
            };
            let bytes = read_limited(&place).map_err(|error| refused(&file, &error))?;
            let text = String::from_utf8(bytes).map_err(|_| refused(&file, &"it is not UTF-8"))?;
            values.push(((*key).to_owned(), Secret::new(&text)));
        }
        Ok(provided(values.into_iter()))
    }
}

/// Java lists the folder and so never finds a key that leads out of it.
fn is_file_name(key: &str) -> bool {
    !key.is_empty() && key != "." && key != ".." && !key.contains(['/', '\\', '\0'])
}

fn provided(values: impl Iterator<Item = (String, Secret)>) -> Provided {
    Provided {
        values: values.collect(),
        ttl: None,
    }
}

fn read_limited(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(BYTES_MAX + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(std::io::Error::other(format!(
            "it is longer than {BYTES_MAX} bytes"
        )));
    }
    Ok(bytes)
}

/// `allowed.paths`: files and folders below which a provider may read; without it, everywhere.
#[derive(Debug)]
struct AllowedPaths(Option<Vec<PathBuf>>);

impl AllowedPaths {
    fn parse(params: &RawConfig) -> Result<Self, Problems> {
        let def = ConfigDef::new().define(
            Key::new(
                ALLOWED,
                Kind::List,
                Importance::Low,
                "Paths below which the provider may read; everywhere when not set.",
            )
            .optional()
            .check(Validator::Distinct {
                or_empty: true,
                or_null: true,
            }),
        );
        let list: Option<Vec<String>> = def.parse(params)?.get(ALLOWED)?;
        let Some(list) = list.filter(|list| !list.is_empty()) else {
            return Ok(Self(None));
        };
        let mut problems = Problems::new();
        let real = list.iter().filter_map(|path| {
            let said = |what: &str| Problem::invalid(ALLOWED, path, format!("Path {path} {what}"));
            let checked = if Path::new(path).is_absolute() {
                fs::canonicalize(path).map_err(|_| said("does not exist"))
            } else {
                Err(said("is not absolute"))
            };
            problems.collect(checked)
        });
        let real = real.collect();
        problems.into_result().map(|()| Self(Some(real)))
    }

    /// The real place of a path; `None` and a warning when it lies outside. Links and `..` are followed before that is decided.
    fn check(&self, path: &str) -> std::io::Result<Option<PathBuf>> {
        let Some(allowed) = &self.0 else {
            return Ok(Some(PathBuf::from(path)));
        };
        let real = fs::canonicalize(path)?;
        if allowed.iter().any(|allowed| real.starts_with(allowed)) {
            return Ok(Some(real));
        }
        tracing::warn!(
            "config provider: {path} is outside of {ALLOWED}, so none of its keys exist"
        );
        Ok(None)
    }

    /// The real place of a regular file that exists and lies inside.
    fn check_file(&self, file: &Path) -> Option<PathBuf> {
        let is_file = fs::metadata(file).is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return None;
        }
        self.check(file.to_str()?).ok().flatten()
    }
}

const ALLOWLIST: &str = "allowlist.pattern";
const ALLOWED: &str = "allowed.paths";
/// Bytes of one file of values, at most.
const BYTES_MAX: u64 = 16 << 20;

//! Settings that each converter has of its own, as far as they have one form.

use crate::config::{ConfigDef, Importance, Key, Kind, Problems, Settings};
use crate::error::Error;

/// A switch: name, default, what it does.
pub(crate) type Flag = (&'static str, &'static str, &'static str);

/// The table of some switches.
pub(crate) fn flags(rows: &[Flag]) -> ConfigDef {
    let key = |(name, default, doc): &Flag| {
        Key::new(name, Kind::Boolean, Importance::Medium, doc).default(default)
    };
    rows.iter()
        .fold(ConfigDef::new(), |def, row| def.define(key(row)))
}

/// Settings that name Java classes which records are read as.
pub(crate) fn specific_types(names: [&'static str; 2]) -> ConfigDef {
    let doc = "A Java class that records are read as. Without effect.";
    let key = |name| Key::new(name, Kind::Class, Importance::Low, doc).optional();
    names
        .into_iter()
        .fold(ConfigDef::new(), |def, name| def.define(key(name)))
}

const CACHE: &str = "schemas.cache.config";

/// How many schemas are remembered.
pub(crate) fn cache() -> Key {
    let doc = "How many schemas are remembered in each direction.";
    Key::new(CACHE, Kind::Int, Importance::Low, doc).default("1000")
}

/// A switch.
pub(crate) fn flag(settings: &Settings, key: &str) -> Result<bool, Error> {
    settings.get(key).map_err(|p| Problems::from(p).into())
}

/// How many schemas are remembered.
pub(crate) fn cache_size(settings: &Settings) -> Result<usize, Error> {
    let size: i32 = settings.get(CACHE).map_err(Problems::from)?;
    Ok(usize::try_from(size).unwrap_or(0))
}

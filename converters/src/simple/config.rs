//! Typed configuration of the simple converters.

use super::charset::Charset;
use crate::Role;
use crate::config::{ConfigDef, Importance, Key, Kind, RawConfig, Validator, Width};
use crate::error::{Error, config};

/// What all converters may be told: whether they serve keys, values or headers. The worker sets it.
pub(crate) const TYPE_KEY: &str = "converter.type";

const ENCODING: &str = "converter.encoding";
const KEY_SERIALIZER: &str = "key.serializer.encoding";
const VALUE_SERIALIZER: &str = "value.serializer.encoding";
const KEY_DESERIALIZER: &str = "key.deserializer.encoding";
const VALUE_DESERIALIZER: &str = "value.deserializer.encoding";

/// The keys of a converter that has no options of its own.
#[must_use]
pub fn type_only_def() -> ConfigDef {
    ConfigDef::new().define(
        Key::new(
            TYPE_KEY,
            Kind::String,
            Importance::Low,
            "How this converter will be used: key, value or header. Set by the worker.",
        )
        .check(Validator::OneOf(&["key", "value", "header"])),
    )
}

/// The settings with the converter's role, which the worker adds when nobody said it.
pub(super) fn with_type(raw: &RawConfig, role: &str) -> RawConfig {
    let mut raw = raw.clone();
    raw.entry(TYPE_KEY.to_owned())
        .or_insert_with(|| role.to_owned());
    raw
}

/// Configuration of [`StringConverter`](super::StringConverter).
#[derive(Clone, Debug)]
pub struct StringConfig {
    pub(super) write: Charset,
    pub(super) read: Charset,
}

impl StringConfig {
    /// The keys.
    #[must_use]
    pub fn def() -> ConfigDef {
        let specific = |name: &str, of: &str| {
            let doc = format!("Encoding of {of}; wins over {ENCODING}.");
            Key::new(name, Kind::String, Importance::Low, &doc).optional()
        };
        type_only_def()
            .define(
                Key::new(
                    ENCODING,
                    Kind::String,
                    Importance::High,
                    "The name of the Java character set to use for encoding strings as bytes.",
                )
                .default("UTF-8")
                .width_of_field(Width::Medium)
                .shown_as("Encoding"),
            )
            .define(specific(KEY_SERIALIZER, "keys that are written"))
            .define(specific(VALUE_SERIALIZER, "values that are written"))
            .define(specific(KEY_DESERIALIZER, "keys that are read"))
            .define(specific(VALUE_DESERIALIZER, "values that are read"))
    }

    /// Reads the configuration of a converter of keys or values; headers count as values.
    ///
    /// # Errors
    /// Config fault for an encoding that is not known.
    pub fn parse(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        let settings = Self::def().parse(&with_type(raw, role.name()))?;
        let general: String = settings
            .get(ENCODING)
            .map_err(crate::config::Problems::from)?;
        let charset = |key: &str| -> Result<Charset, Error> {
            let specific: Option<String> =
                settings.get(key).map_err(crate::config::Problems::from)?;
            let name = specific.as_deref().unwrap_or(&general);
            Charset::from_name(name)
                .ok_or_else(|| config::Kind::UnsupportedEncoding { name: name.into() }.into())
        };
        let (write, read) = match role {
            Role::Key => (KEY_SERIALIZER, KEY_DESERIALIZER),
            Role::Value => (VALUE_SERIALIZER, VALUE_DESERIALIZER),
        };
        Ok(Self {
            write: charset(write)?,
            read: charset(read)?,
        })
    }
}

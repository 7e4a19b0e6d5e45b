//! [`JsonSchemaConverter`]: the converter itself.

use super::JsonSchemaConverterConfig;
use super::language::JsonSchemaLanguage;
use crate::config::RawConfig;
use crate::converter::Role;
use crate::error::Error;
use crate::registered::{RegisteredConverter, converter};

/// `io.confluent.connect.json.JsonSchemaConverter`. See the [module](super).
#[derive(Debug)]
pub struct JsonSchemaConverter(RegisteredConverter<JsonSchemaLanguage>);

impl JsonSchemaConverter {
    /// A converter of these settings, for keys or for values.
    #[must_use]
    pub fn new(config: JsonSchemaConverterConfig, role: Role) -> Self {
        let registered = config.registered.clone();
        let plans = config.data.schemas_cache_size;
        Self(RegisteredConverter::new(
            JsonSchemaLanguage { config },
            role,
            registered,
            plans,
        ))
    }

    /// A converter of raw settings, as `configure(map, isKey)`.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        Ok(Self::new(
            JsonSchemaConverterConfig::parse(raw, role)?,
            role,
        ))
    }
}

converter!(JsonSchemaConverter);

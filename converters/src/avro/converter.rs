//! [`AvroConverter`]: the converter itself.

use super::AvroConverterConfig;
use super::decode::DecodeOptions;
use super::language::AvroLanguage;
use crate::config::RawConfig;
use crate::converter::Role;
use crate::error::Error;
use crate::registered::{RegisteredConverter, converter};

/// `io.confluent.connect.avro.AvroConverter`. See the [module](super).
#[derive(Debug)]
pub struct AvroConverter(RegisteredConverter<AvroLanguage>);

impl AvroConverter {
    /// A converter of these settings, for keys or for values.
    #[must_use]
    pub fn new(config: AvroConverterConfig, role: Role) -> Self {
        let AvroConverterConfig {
            registered,
            data,
            fail_on_trailing,
            use_logical_type_converters,
        } = config;
        let options = DecodeOptions {
            fail_on_trailing,
            reserve_logical_types: use_logical_type_converters,
        };
        let language = AvroLanguage {
            config: data,
            options,
        };
        Self(RegisteredConverter::new(
            language,
            role,
            registered,
            data.schemas_cache_size,
        ))
    }

    /// A converter of raw settings, as `configure(map, isKey)`.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        Ok(Self::new(AvroConverterConfig::parse(raw, role)?, role))
    }
}

converter!(AvroConverter);

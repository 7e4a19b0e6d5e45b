//! [`ProtobufConverter`]: the converter itself.

use super::ProtobufConverterConfig;
use super::language::ProtobufLanguage;
use crate::config::RawConfig;
use crate::converter::Role;
use crate::error::Error;
use crate::registered::{RegisteredConverter, converter};

/// `io.confluent.connect.protobuf.ProtobufConverter`. See the [module](super).
#[derive(Debug)]
pub struct ProtobufConverter(RegisteredConverter<ProtobufLanguage>);

impl ProtobufConverter {
    /// A converter of these settings, for keys or for values.
    #[must_use]
    pub fn new(config: ProtobufConverterConfig, role: Role) -> Self {
        let imports = config.imports();
        let ProtobufConverterConfig {
            registered, data, ..
        } = config;
        Self(RegisteredConverter::new(
            ProtobufLanguage {
                config: data,
                imports,
            },
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
        Ok(Self::new(ProtobufConverterConfig::parse(raw, role)?, role))
    }
}

converter!(ProtobufConverter);

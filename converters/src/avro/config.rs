//! The settings of `AvroConverter`: `AvroConverterConfig` and `AvroDataConfig`.

use super::AvroDataConfig;
use crate::config::{ConfigDef, RawConfig};
use crate::converter::Role;
use crate::error::Error;
use crate::registered::{RegisteredConfig, Unsupported, own, unsupported};

/// The parsed settings of an [`AvroConverter`](super::AvroConverter).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AvroConverterConfig {
    /// What all converters with a registry have.
    pub registered: RegisteredConfig,
    /// How schemas are turned into each other.
    pub data: AvroDataConfig,
    /// `avro.fail.on.trailing.data` (false): bytes behind the value are an error.
    pub fail_on_trailing: bool,
    /// `avro.use.logical.type.converters` (false): logical types are refused on reading, as by Java's converter, to which Avro's
    /// library then gives values of classes it does not know.
    pub use_logical_type_converters: bool,
}

impl AvroConverterConfig {
    /// The table of settings, with Java's names and defaults.
    #[must_use]
    pub fn definition() -> ConfigDef {
        let classes = own::specific_types(["specific.avro.key.type", "specific.avro.value.type"]);
        RegisteredConfig::definition()
            .and(own::flags(FLAGS))
            .and(classes)
            .define(own::cache())
    }

    /// Reads the settings of a converter of keys or values.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn parse(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        let settings = Self::definition().parse(raw)?;
        let registered = RegisteredConfig::from_settings(&settings, role)?;
        unsupported(&settings, &UNSUPPORTED)?;
        let flag = |key| own::flag(&settings, key);
        Ok(Self {
            registered,
            data: AvroDataConfig {
                enhanced_schemas: flag("enhanced.avro.schema.support")?,
                scrub_invalid_names: flag("scrub.invalid.names")?,
                connect_meta_data: flag("connect.meta.data")?,
                discard_type_doc_default: flag("discard.type.doc.default")?,
                allow_optional_map_keys: flag("allow.optional.map.keys")?,
                flatten_singleton_unions: flag("flatten.singleton.unions")?,
                generalized_sum_types: flag("generalized.sum.type.support")?,
                ignore_default_for_nullables: flag("ignore.default.for.nullables")?,
                schemas_cache_size: own::cache_size(&settings)?,
            },
            fail_on_trailing: flag("avro.fail.on.trailing.data")?,
            use_logical_type_converters: flag("avro.use.logical.type.converters")?,
        })
    }
}

const UNSUPPORTED: [Unsupported; 2] = [
    (
        "specific.avro.reader",
        &["false"],
        "it reads into Java classes",
    ),
    (
        "avro.reflection.allow.null",
        &["false"],
        "it reads schemas off Java classes",
    ),
];

/// Name, default, what it does.
const FLAGS: &[own::Flag] = &[
    (
        "enhanced.avro.schema.support",
        "false",
        "Write enums as Avro enums, and call members of unions by their full names.",
    ),
    (
        "scrub.invalid.names",
        "false",
        "Replace characters that Avro does not allow in names.",
    ),
    (
        "connect.meta.data",
        "true",
        "Write and read `connect.*` attributes, which carry what Avro has no place for.",
    ),
    (
        "discard.type.doc.default",
        "false",
        "Do not make parameters of docs and enum defaults.",
    ),
    (
        "allow.optional.map.keys",
        "false",
        "Write maps with optional text keys as Avro maps.",
    ),
    (
        "flatten.singleton.unions",
        "true",
        "Read a union of one type as that type.",
    ),
    (
        "generalized.sum.type.support",
        "false",
        "Read enums and unions with parameters that all formats share.",
    ),
    (
        "ignore.default.for.nullables",
        "false",
        "Write a null as null although there is a default.",
    ),
    (
        "avro.fail.on.trailing.data",
        "false",
        "Refuse records with bytes behind the value.",
    ),
    (
        "avro.use.logical.type.converters",
        "false",
        "Let Avro's library convert logical types; a converter then refuses them.",
    ),
    (
        "avro.remove.java.properties",
        "false",
        "Without effect, as in Java's converter.",
    ),
    (
        "avro.reflection.allow.null",
        "false",
        "Read schemas off Java classes. Not supported.",
    ),
    (
        "specific.avro.reader",
        "false",
        "Read into Java classes. Not supported.",
    ),
];

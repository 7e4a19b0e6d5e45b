//! The settings of `JsonSchemaConverter`: `JsonSchemaConverterConfig` and `JsonSchemaDataConfig`.

use super::JsonSchemaDataConfig;
use crate::config::{ConfigDef, Importance, Key, Kind, Problems, RawConfig, Validator};
use crate::converter::Role;
use crate::error::Error;
use crate::json::DecimalFormat;
use crate::registered::{RegisteredConfig, own, unsupported};

/// The parsed settings of a [`JsonSchemaConverter`](super::JsonSchemaConverter).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonSchemaConverterConfig {
    /// What all converters with a registry have.
    pub registered: RegisteredConfig,
    /// How schemas are turned into each other.
    pub data: JsonSchemaDataConfig,
    /// `json.fail.invalid.schema` (false): documents that their schema does not allow are an error, in both directions.
    pub fail_invalid_schema: bool,
    /// `json.indent.output` (false): documents are written with line breaks.
    pub indent_output: bool,
}

impl JsonSchemaConverterConfig {
    /// The table of settings, with Java's names and defaults.
    #[must_use]
    pub fn definition() -> ConfigDef {
        let idle = IDLE
            .iter()
            .fold(ConfigDef::new(), |def, (name, kind, default)| {
                let doc =
                    "Acts on schemas of Java classes, which a converter never has. Without effect.";
                let key = Key::new(name, *kind, Importance::Low, doc);
                def.define(match default {
                    Some(text) => key.default(text),
                    None => key.optional(),
                })
            });
        let decimals = Key::new(
            "decimal.format",
            Kind::String,
            Importance::Low,
            "How decimals are written: BASE64 or NUMERIC, in any case. Both are read.",
        );
        RegisteredConfig::definition()
            .and(own::flags(FLAGS))
            .and(idle)
            .define(
                decimals
                    .default("BASE64")
                    .check(Validator::OneOfIgnoreCase(&["NUMERIC", "BASE64"])),
            )
            .define(own::cache())
    }

    /// Reads the settings of a converter of keys or values.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn parse(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        let settings = Self::definition().parse(raw)?;
        let registered = RegisteredConfig::from_settings(&settings, role)?;
        unsupported(&settings, &[])?;
        let flag = |key| own::flag(&settings, key);
        let decimals: String = settings.get("decimal.format").map_err(Problems::from)?;
        Ok(Self {
            registered,
            data: JsonSchemaDataConfig {
                object_additional_properties: flag("object.additional.properties")?,
                optional_for_nonrequired: flag("use.optional.for.nonrequired")?,
                ignore_modern_dialects: flag("ignore.modern.dialects")?,
                decimal_format: match decimals.eq_ignore_ascii_case("NUMERIC") {
                    true => DecimalFormat::Numeric,
                    false => DecimalFormat::Base64,
                },
                flatten_singleton_unions: flag("flatten.singleton.unions")?,
                preserve_additional_properties: flag("preserve.additional.properties")?,
                generalized_sum_types: flag("generalized.sum.type.support")?,
                ignore_default_for_nullables: flag("ignore.default.for.nullables")?,
                schemas_cache_size: own::cache_size(&settings)?,
            },
            fail_invalid_schema: flag("json.fail.invalid.schema")?,
            indent_output: flag("json.indent.output")?,
        })
    }
}

/// Name, default, what it does.
const FLAGS: &[own::Flag] = &[
    (
        "object.additional.properties",
        "true",
        "Off, generated objects allow no properties but their own.",
    ),
    (
        "use.optional.for.nonrequired",
        "false",
        "Read properties that are not required as optional.",
    ),
    (
        "ignore.modern.dialects",
        "false",
        "Read schemas of newer drafts as draft 7.",
    ),
    (
        "flatten.singleton.unions",
        "true",
        "Read a union of one schema as that schema.",
    ),
    (
        "preserve.additional.properties",
        "false",
        "Keep properties that the schema does not declare in the field __connect_additional_properties__.",
    ),
    (
        "generalized.sum.type.support",
        "false",
        "Read and write enums and unions with parameters that all formats share.",
    ),
    (
        "ignore.default.for.nullables",
        "false",
        "Write a null as null although there is a default.",
    ),
    (
        "json.fail.invalid.schema",
        "false",
        "Refuse documents that their schema does not allow, on writing and on reading.",
    ),
    (
        "json.validate.before.domain.rules",
        "false",
        "Validate before rules run. Without effect: rules are not supported.",
    ),
    (
        "json.indent.output",
        "false",
        "Write documents with line breaks.",
    ),
];

/// Settings without effect: name, kind, default.
const IDLE: &[(&str, Kind, Option<&str>)] = &[
    ("json.fail.unknown.properties", Kind::Boolean, Some("true")),
    ("json.write.dates.iso8601", Kind::Boolean, Some("false")),
    ("json.schema.spec.version", Kind::String, Some("draft_7")),
    ("json.schema.scan.packages", Kind::List, Some("")),
    ("json.envelope.detection", Kind::Boolean, Some("true")),
    ("json.oneof.for.nullables", Kind::Boolean, Some("true")),
    ("json.default.property.inclusion", Kind::String, None),
    ("json.key.type", Kind::Class, Some("java.lang.Object")),
    ("json.value.type", Kind::Class, Some("java.lang.Object")),
    ("type.property", Kind::String, Some("javaType")),
    ("json.type.allowed.packages", Kind::List, Some("*")),
];

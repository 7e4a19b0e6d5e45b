//! The settings of `JsonConverter`.

use crate::config::{ConfigDef, Importance, Key, Kind, RawConfig, Validator, Width};
use crate::converter::Role;
use crate::error::Error;

/// How decimals are written; both forms are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DecimalFormat {
    /// Base64 of the unscaled integer's bytes.
    #[default]
    Base64,
    /// A JSON number.
    Numeric,
}

/// The parsed settings of a [`JsonConverter`](super::JsonConverter): `JsonConverterConfig`.
#[derive(Clone, PartialEq, Debug)]
pub struct JsonConverterConfig {
    /// `schemas.enable`: records carry their schema in an envelope. Off, they are plain JSON and schemas are lost.
    pub schemas_enable: bool,
    /// `schemas.cache.size`, in schemas: how many are remembered in each direction.
    pub schemas_cache_size: usize,
    /// `decimal.format`: how decimals are written.
    pub decimal_format: DecimalFormat,
    /// `replace.null.with.default`: a null takes its schema's default, in both directions.
    pub replace_null_with_default: bool,
    /// `schema.content`: a schema for reading records that carry none (KIP-1054).
    pub schema_content: Option<String>,
}

impl Default for JsonConverterConfig {
    fn default() -> Self {
        Self {
            schemas_enable: true,
            schemas_cache_size: 1000,
            decimal_format: DecimalFormat::Base64,
            replace_null_with_default: true,
            schema_content: None,
        }
    }
}

impl JsonConverterConfig {
    /// The table of settings, with Java's names, defaults and documentation.
    #[must_use]
    pub fn definition() -> ConfigDef {
        ConfigDef::new()
            .define(
                Key::new("converter.type", Kind::String, Importance::Low, "How this converter will be used.")
                    .check(Validator::OneOf(&["key", "value", "header"])),
            )
            .define(
                Key::new(
                    "schemas.enable",
                    Kind::Boolean,
                    Importance::High,
                    "Include schemas within each of the serialized values and keys.",
                )
                .default("true")
                .group(SCHEMAS, 0, Width::Medium)
                .shown_as("Enable Schemas"),
            )
            .define(
                Key::new(
                    "schemas.cache.size",
                    Kind::Int,
                    Importance::High,
                    "The maximum number of schemas that are remembered by this converter instance.",
                )
                .default("1000")
                .group(SCHEMAS, 1, Width::Medium)
                .shown_as("Schema Cache Size"),
            )
            .define(
                Key::new(
                    "decimal.format",
                    Kind::String,
                    Importance::Low,
                    "How decimals are written: BASE64 or NUMERIC, in any case. Both are read.",
                )
                .default("BASE64")
                .check(Validator::OneOfIgnoreCase(&["NUMERIC", "BASE64"]))
                .group(SERIALIZATION, 0, Width::Medium)
                .shown_as("Decimal Format"),
            )
            .define(
                Key::new(
                    "replace.null.with.default",
                    Kind::Boolean,
                    Importance::Low,
                    "Whether fields that are null take the default of their schema.",
                )
                .default("true")
                .group(SERIALIZATION, 1, Width::Medium)
                .shown_as("Replace null with default"),
            )
            .define(
                Key::new(
                    "schema.content",
                    Kind::String,
                    Importance::High,
                    "The schema of records without an envelope, in the envelope's own format (KIP-1054).",
                )
                .optional()
                .group(SCHEMAS, 2, Width::Medium)
                .shown_as("Schema Content"),
            )
    }

    /// Reads the settings of a converter; `role` is what `configure(map, isKey)` adds in Java.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn parse(raw: &RawConfig, role: &str) -> Result<Self, Error> {
        let mut raw = raw.clone();
        raw.insert("converter.type".into(), role.into());
        let settings = Self::definition().parse(&raw)?;
        let problem = |problem| Error::from(crate::config::Problems::from(problem));
        let format: String = settings.get("decimal.format").map_err(problem)?;
        let size: i32 = settings.get("schemas.cache.size").map_err(problem)?;
        let content: Option<String> = settings.get("schema.content").map_err(problem)?;
        Ok(Self {
            schemas_enable: settings.get("schemas.enable").map_err(problem)?,
            schemas_cache_size: usize::try_from(size).unwrap_or(0),
            decimal_format: if format.eq_ignore_ascii_case("NUMERIC") {
                DecimalFormat::Numeric
            } else {
                DecimalFormat::Base64
            },
            replace_null_with_default: settings
                .get("replace.null.with.default")
                .map_err(problem)?,
            schema_content: content.filter(|text| !text.is_empty()),
        })
    }
}

const SCHEMAS: &str = "Schemas";
const SERIALIZATION: &str = "Serialization";

impl From<Role> for &'static str {
    fn from(role: Role) -> Self {
        role.name()
    }
}

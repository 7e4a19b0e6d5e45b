//! [`JsonSchemaDataConfig`]: how schemas and values of Connect and JSON Schema are turned into each other.

use crate::json::DecimalFormat;

/// Settings that Connect calls `JsonSchemaDataConfig`, by their names there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct JsonSchemaDataConfig {
    /// `object.additional.properties` (true): off, generated objects allow no other properties.
    pub object_additional_properties: bool,
    /// `use.optional.for.nonrequired` (false): properties that are not required are read as optional.
    pub optional_for_nonrequired: bool,
    /// `ignore.modern.dialects` (false): newer drafts are read as draft 7.
    pub ignore_modern_dialects: bool,
    /// `decimal.format` (`BASE64`): how decimals are written.
    pub decimal_format: DecimalFormat,
    /// `flatten.singleton.unions` (true): a union of one schema is read as that schema.
    pub flatten_singleton_unions: bool,
    /// `preserve.additional.properties` (false): properties that the schema does not declare are kept in a field.
    pub preserve_additional_properties: bool,
    /// `generalized.sum.type.support` (false): enums and unions have the parameters that all formats share.
    pub generalized_sum_types: bool,
    /// `ignore.default.for.nullables` (false): a null is not replaced by the default.
    pub ignore_default_for_nullables: bool,
    /// `schemas.cache.config` (1000): how many schemas are remembered in each direction.
    pub schemas_cache_size: usize,
}

impl Default for JsonSchemaDataConfig {
    fn default() -> Self {
        Self {
            object_additional_properties: true,
            optional_for_nonrequired: false,
            ignore_modern_dialects: false,
            decimal_format: DecimalFormat::Base64,
            flatten_singleton_unions: true,
            preserve_additional_properties: false,
            generalized_sum_types: false,
            ignore_default_for_nullables: false,
            schemas_cache_size: 1000,
        }
    }
}

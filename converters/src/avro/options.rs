//! [`AvroDataConfig`]: how Connect schemas and Avro schemas are turned into each other.

/// The settings of `AvroData`; each is named as its key, with its default in brackets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AvroDataConfig {
    /// `enhanced.avro.schema.support` (false): enums are Avro enums, union members have full names.
    pub enhanced_schemas: bool,
    /// `scrub.invalid.names` (false): characters that Avro does not allow in names are replaced.
    pub scrub_invalid_names: bool,
    /// `connect.meta.data` (true): `connect.*` attributes are written and read.
    pub connect_meta_data: bool,
    /// `discard.type.doc.default` (false): docs and enum defaults of types do not become parameters.
    pub discard_type_doc_default: bool,
    /// `allow.optional.map.keys` (false): maps with optional text keys are Avro maps.
    pub allow_optional_map_keys: bool,
    /// `flatten.singleton.unions` (true): a union of one type is that type.
    pub flatten_singleton_unions: bool,
    /// `generalized.sum.type.support` (false): enums and unions with parameters shared by all formats.
    pub generalized_sum_types: bool,
    /// `ignore.default.for.nullables` (false): a null is written as null although there is a default.
    pub ignore_default_for_nullables: bool,
    /// `schemas.cache.config` (1000): how many schemas each direction remembers.
    pub schemas_cache_size: usize,
}

impl Default for AvroDataConfig {
    fn default() -> Self {
        Self {
            enhanced_schemas: false,
            scrub_invalid_names: false,
            connect_meta_data: true,
            discard_type_doc_default: false,
            allow_optional_map_keys: false,
            flatten_singleton_unions: true,
            generalized_sum_types: false,
            ignore_default_for_nullables: false,
            schemas_cache_size: 1000,
        }
    }
}

//! [`ProtobufDataConfig`]: how schemas and values of Connect and Protobuf are turned into each other.

/// Settings that Connect calls `ProtobufDataConfig`, by their names there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct ProtobufDataConfig {
    /// `enhanced.protobuf.schema.support` (false): structs, enums, unions and maps are called by their full names.
    pub enhanced_schemas: bool,
    /// `scrub.invalid.names` (false): characters that Protobuf does not allow in names are replaced.
    pub scrub_invalid_names: bool,
    /// `int.for.enums` (false): enums are read as numbers.
    pub int_for_enums: bool,
    /// `optional.for.nullables` (false): optional fields are written with the word, and only such are read as optional.
    pub optional_for_nullables: bool,
    /// `optional.for.proto2` (true): an optional field of proto2 that is not set is null, not its default.
    pub optional_for_proto2: bool,
    /// `wrapper.for.nullables` (false): optional scalars are written as wrapper messages.
    pub wrapper_for_nullables: bool,
    /// `wrapper.for.raw.primitives` (true): a wrapper message is read as the scalar in it.
    pub wrapper_for_raw_primitives: bool,
    /// `generate.struct.for.nulls` (false): a message that is not set is a struct of defaults, not null.
    pub struct_for_nulls: bool,
    /// `generate.index.for.unions` (true): a oneof is a field `<name>_<index>`.
    pub index_for_unions: bool,
    /// `flatten.unions` (false): members of a oneof are read as fields of the struct around it.
    pub flatten_unions: bool,
    /// `generalized.sum.type.support` (false): enums and unions have the parameters that all formats share.
    pub generalized_sum_types: bool,
    /// `ignore.default.for.nullables` (false): a null is not replaced by the default.
    pub ignore_default_for_nullables: bool,
    /// `schemas.cache.config` (1000): how many schemas are remembered in each direction.
    pub schemas_cache_size: usize,
}

impl Default for ProtobufDataConfig {
    fn default() -> Self {
        Self {
            enhanced_schemas: false,
            scrub_invalid_names: false,
            int_for_enums: false,
            optional_for_nullables: false,
            optional_for_proto2: true,
            wrapper_for_nullables: false,
            wrapper_for_raw_primitives: true,
            struct_for_nulls: false,
            index_for_unions: true,
            flatten_unions: false,
            generalized_sum_types: false,
            ignore_default_for_nullables: false,
            schemas_cache_size: 1000,
        }
    }
}

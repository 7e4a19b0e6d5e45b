//! Names that Connect schemas of JSON Schema carry, and what they mark.

use crate::data::{Schema, Type};

/// Parameter of a schema that others refer to; its value is the address.
pub(super) const ID: &str = "io.confluent.connect.json.Id";
/// What the parameters begin with that stay out of schema texts.
pub(super) const OWN_PREFIX: &str = "io.confluent.connect.json";
/// Name of a struct that stands for a union.
pub(super) const ONE_OF: &str = "io.confluent.connect.json.OneOf";
/// Parameter of a struct that stands for a union, in all formats.
pub(super) const UNION: &str = "org.apache.kafka.connect.data.Union";
/// Parameter of text that stands for an enum; with a dot and a symbol behind it, one parameter for each symbol.
pub(super) const ENUM: &str = "io.confluent.connect.json.Enum";
/// The same in all formats.
pub(super) const GENERAL_ENUM: &str = "org.apache.kafka.connect.data.Enum";
/// The symbol that stands for null.
pub(super) const NULL_SYMBOL: &str = "<NULL>";
/// Name of a struct of bytes that holds any JSON value.
pub(super) const VARIANT: &str = "org.apache.kafka.connect.data.Variant";
/// The field that holds properties which the schema does not declare.
pub(super) const ADDITIONAL: &str = "__connect_additional_properties__";
/// What an entry of a map consists of where the keys are not text.
pub(super) const KEY: &str = "key";
pub(super) const VALUE: &str = "value";

/// Whether a struct stands for a union.
pub(super) fn is_union(schema: &Schema) -> bool {
    schema.kind() == Type::Struct
        && (schema.name() == Some(ONE_OF) || schema.parameter(UNION).is_some())
}

/// Whether a struct holds any JSON value.
pub(super) fn is_variant(schema: &Schema) -> bool {
    schema.kind() == Type::Struct && schema.name() == Some(VARIANT)
}

/// Whether text stands for an enum, of this format or of all.
pub(super) fn is_enum(schema: &Schema) -> bool {
    schema.kind() == Type::String
        && [ENUM, GENERAL_ENUM]
            .iter()
            .any(|name| schema.parameter(name).is_some())
}

/// Whether a map is an object: its keys are text and never null.
pub(super) fn has_text_keys(schema: &Schema) -> bool {
    schema
        .key_schema()
        .is_some_and(|key| key.kind() == Type::String && !key.is_optional())
}

/// Which field of a struct holds additional properties, if one has the name and the kind for it.
pub(super) fn additional(schema: &Schema) -> Option<usize> {
    let field = schema.field(ADDITIONAL)?;
    let holds = field.schema();
    let fits = holds.kind() == Type::Map
        && has_text_keys(holds)
        && holds.value_schema().is_some_and(is_variant);
    fits.then(|| field.index())
}

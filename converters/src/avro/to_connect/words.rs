//! Names that Connect schemas and Avro schemas use to speak of each other.

/// Namespace of the types that the converter makes up.
pub(crate) const NAMESPACE: &str = "io.confluent.connect.avro";
/// Full name of a record for a struct without a name; such a name is not read back.
pub(crate) const DEFAULT_RECORD: &str = "io.confluent.connect.avro.ConnectDefault";
/// Full name of the record that schemaless data are written as.
pub(crate) const ANYTHING: &str = "io.confluent.connect.avro.Anything";
/// Short name of a record that is an entry of a map.
pub(crate) const MAP_ENTRY: &str = "MapEntry";
/// Fields of such a record.
pub(crate) const KEY_FIELD: &str = "key";
/// See [`KEY_FIELD`].
pub(crate) const VALUE_FIELD: &str = "value";

/// Attribute: the Connect name.
pub(crate) const CONNECT_NAME: &str = "connect.name";
/// Attribute: the Connect version.
pub(crate) const CONNECT_VERSION: &str = "connect.version";
/// Attribute: the Connect documentation.
pub(crate) const CONNECT_DOC: &str = "connect.doc";
/// Attribute: the Connect parameters, an object of text; also on a field.
pub(crate) const CONNECT_PARAMETERS: &str = "connect.parameters";
/// Attribute: the Connect default.
pub(crate) const CONNECT_DEFAULT: &str = "connect.default";
/// Attribute of an int: `int8` or `int16`.
pub(crate) const CONNECT_TYPE: &str = "connect.type";
/// Attribute of a record: [`MAP_ENTRY`].
pub(crate) const CONNECT_INTERNAL_TYPE: &str = "connect.internal.type";
/// Attribute: Avro's logical type.
pub(crate) const LOGICAL_TYPE: &str = "logicalType";
/// Attributes that begin so become parameters.
pub(crate) const AVRO_PREFIX: &str = "avro";

/// Parameter: the size of a fixed, in bytes.
pub(crate) const FIXED_SIZE: &str = "connect.fixed.size";
/// Parameter: the precision of a decimal, unless it is [`DEFAULT_PRECISION`].
pub(crate) const DECIMAL_PRECISION: &str = "connect.decimal.precision";
/// Digits of a decimal that says nothing else.
pub(crate) const DEFAULT_PRECISION: i64 = 64;
/// Parameter: the doc of a record.
pub(crate) const RECORD_DOC: &str = "io.confluent.connect.avro.record.doc";
/// Parameter prefix: the doc of a field.
pub(crate) const FIELD_DOC_PREFIX: &str = "io.confluent.connect.avro.field.doc.";
/// Parameter prefix: the doc of an enum, by its short name.
pub(crate) const ENUM_DOC_PREFIX: &str = "io.confluent.connect.avro.enum.doc.";
/// Parameter prefix: the default symbol of an enum, by its short name.
pub(crate) const ENUM_DEFAULT_PREFIX: &str = "io.confluent.connect.avro.enum.default.";
/// Parameter: the default came from the field, not from `connect.default`.
pub(crate) const FIELD_DEFAULT: &str = "io.confluent.connect.avro.field.default";
/// Parameter of `discard.type.doc.default`: the doc of a type.
pub(crate) const DISCARDED_RECORD_DOC: &str = "connect.record.doc";
/// Parameter of `discard.type.doc.default`: the doc of an enum.
pub(crate) const DISCARDED_ENUM_DOC: &str = "connect.enum.doc";
/// Parameter: the full name of an enum; with a dot and a symbol behind it, the symbol.
pub(crate) const ENUM: &str = "io.confluent.connect.avro.Enum";
/// As [`ENUM`], with `generalized.sum.type.support`: values are positions.
pub(crate) const GENERALIZED_ENUM: &str = "org.apache.kafka.connect.data.Enum";
/// Name of a struct that stands for a union.
pub(crate) const UNION: &str = "io.confluent.connect.avro.Union";
/// Parameter that makes a struct a union with `generalized.sum.type.support`.
pub(crate) const GENERALIZED_UNION: &str = "org.apache.kafka.connect.data.Union";
/// Name of such a struct, with a number behind it.
pub(crate) const GENERALIZED_UNION_PREFIX: &str = "connect_union_";
/// Name of its fields, with a number behind it.
pub(crate) const GENERALIZED_FIELD_PREFIX: &str = "connect_union_field_";

/// Full name of the record that holds a variant.
pub(crate) const VARIANT_RECORD: &str = "confluent.type.Variant";
/// Logical type of that record.
pub(crate) const VARIANT_LOGICAL: &str = "variant";
/// Connect name of a variant.
pub(crate) const VARIANT: &str = "org.apache.kafka.connect.data.Variant";

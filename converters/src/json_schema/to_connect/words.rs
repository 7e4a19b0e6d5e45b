//! Names that schemas and parameters have in Connect.

/// A union.
pub(in crate::json_schema) const ONE_OF: &str = "io.confluent.connect.json.OneOf";

/// What the names of a union's fields begin with; their number follows.
pub(in crate::json_schema) const ONE_OF_FIELD: &str = "io.confluent.connect.json.OneOf.field.";

/// The parameter that makes a text an enum, and, with a dot, what the parameters of its symbols begin with.
pub(in crate::json_schema) const ENUM: &str = "io.confluent.connect.json.Enum";

/// The parameter of what was referred to before.
pub(in crate::json_schema) const ID: &str = "io.confluent.connect.json.Id";

/// With `generalized.sum.type.support`: the parameter of enums.
pub(in crate::json_schema) const GENERAL_ENUM: &str = "org.apache.kafka.connect.data.Enum";

/// The parameter of unions there.
pub(in crate::json_schema) const GENERAL_UNION: &str = "org.apache.kafka.connect.data.Union";

/// What names of unions begin with there; their number follows.
pub(in crate::json_schema) const GENERAL_UNION_NAME: &str = "connect_union_";

/// What the names of a union's fields begin with there.
pub(in crate::json_schema) const GENERAL_UNION_FIELD: &str = "connect_union_field_";

/// Any JSON.
pub(in crate::json_schema) const VARIANT: &str = "org.apache.kafka.connect.data.Variant";

/// The symbol that stands for null in an enum.
pub(in crate::json_schema) const NULL_SYMBOL: &str = "<NULL>";

/// The field that keeps properties which the schema does not declare.
pub(in crate::json_schema) const EXTRAS: &str = "__connect_additional_properties__";

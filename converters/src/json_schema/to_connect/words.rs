//! What numbered names in Connect begin with.

/// Fields of a union.
pub(super) const ONE_OF_FIELD: &str = "io.confluent.connect.json.OneOf.field.";

/// Unions, with `generalized.sum.type.support`.
pub(super) const GENERAL_UNION_NAME: &str = "connect_union_";

/// Fields of a union there.
pub(super) const GENERAL_UNION_FIELD: &str = "connect_union_field_";

//! What a field holds, as far as the wire tells.

use super::{Names, Scope, Side};
use crate::protobuf::model::{Field, FieldType, Group, Label};
use crate::protobuf::names::TypeKind;

/// A field, in or outside of a oneof.
#[derive(Clone)]
pub(super) struct Member<'a> {
    pub(super) kind: FieldKind<'a>,
    pub(super) required: bool,
}

#[derive(Clone)]
pub(super) enum FieldKind<'a> {
    Scalar(Scalar),
    /// The name under which it is compared, and the message, if it is there.
    Message((Box<str>, Option<Scope>)),
    Map(Scalar, Box<Self>),
    /// A group, and the scope around it.
    Group(&'a Group, Scope),
}

/// Scalars that are read as each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    /// `int32`, `int64`, `uint32`, `uint64`, `bool` and enums: varints.
    General,
    /// `sint32`, `sint64`.
    ZigZag,
    /// `fixed32`, `sfixed32`.
    Fixed32,
    /// `fixed64`, `sfixed64`.
    Fixed64,
    /// `string`, `bytes`.
    Bytes,
    Float,
    Double,
}

impl Scalar {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "int32" | "int64" | "uint32" | "uint64" | "bool" => Self::General,
            "sint32" | "sint64" => Self::ZigZag,
            "fixed32" | "sfixed32" => Self::Fixed32,
            "fixed64" | "sfixed64" => Self::Fixed64,
            "string" | "bytes" => Self::Bytes,
            "float" => Self::Float,
            "double" => Self::Double,
            _ => return None,
        })
    }
}

impl<'a> Member<'a> {
    /// A field that stands in `scope`.
    pub(super) fn of(side: &Side<'a>, scope: Scope, field: &Field) -> Self {
        let kind = match &field.ty {
            FieldType::Name(name) => named(side, scope, name),
            // A key is a scalar, or the text was no schema.
            FieldType::Map { key, value } => FieldKind::Map(
                Scalar::of(key).unwrap_or(Scalar::General),
                Box::new(named(side, scope, value)),
            ),
        };
        Self {
            kind,
            required: field.label == Some(Label::Required),
        }
    }

    pub(super) fn of_group(group: &'a Group, scope: Scope) -> Self {
        Self {
            kind: FieldKind::Group(group, scope),
            required: group.label == Some(Label::Required),
        }
    }
}

/// A name that nobody defines is taken for a message: a registry keeps texts whose imports are missing.
fn named<'a>(side: &Side<'a>, scope: Scope, name: &str) -> FieldKind<'a> {
    if let Some(scalar) = Scalar::of(name) {
        return FieldKind::Scalar(scalar);
    }
    let names: &Names = &side.names;
    match names.find(scope, name) {
        Ok((_, TypeKind::Enum)) => FieldKind::Scalar(Scalar::General),
        Ok((found, TypeKind::Message)) => FieldKind::Message((side.name_of(found), Some(found))),
        Err(_) => FieldKind::Message((name.into(), None)),
    }
}

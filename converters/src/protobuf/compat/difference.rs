//! Differences, and how a registry words them.

use std::fmt;

use ferroconnect_registry_client::format::Incompatibility;

/// One reason why a file does not understand what another one wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::protobuf) struct ProtoDifference {
    pub(in crate::protobuf) kind: DifferenceKind,
    /// Where: `#/Message/Nested/1`, `#/Message/oneof/1`; `#/` is the file.
    pub(in crate::protobuf) path: String,
}

/// Kinds of [`ProtoDifference`]. What a registry notes beside them (`FIELD_ADDED`, `ENUM_REMOVED` and the like) breaks nothing and
/// is never shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::protobuf) enum DifferenceKind {
    PackageChanged,
    MessageRemoved,
    /// A scalar, a message, a map and a group are not read as each other.
    FieldKindChanged,
    /// Scalars of different groups.
    FieldScalarKindChanged,
    /// Messages of different names.
    FieldNamedTypeChanged,
    RequiredFieldAdded,
    RequiredFieldRemoved,
    OneofFieldRemoved,
    MultipleFieldsMovedToOneof,
    FieldMovedToExistingOneof,
}

impl DifferenceKind {
    /// The registry's word for it.
    pub(in crate::protobuf) const fn word(self) -> &'static str {
        match self {
            Self::PackageChanged => "PACKAGE_CHANGED",
            Self::MessageRemoved => "MESSAGE_REMOVED",
            Self::FieldKindChanged => "FIELD_KIND_CHANGED",
            Self::FieldScalarKindChanged => "FIELD_SCALAR_KIND_CHANGED",
            Self::FieldNamedTypeChanged => "FIELD_NAMED_TYPE_CHANGED",
            Self::RequiredFieldAdded => "REQUIRED_FIELD_ADDED",
            Self::RequiredFieldRemoved => "REQUIRED_FIELD_REMOVED",
            Self::OneofFieldRemoved => "ONEOF_FIELD_REMOVED",
            Self::MultipleFieldsMovedToOneof => "MULTIPLE_FIELDS_MOVED_TO_ONEOF",
            Self::FieldMovedToExistingOneof => "FIELD_MOVED_TO_EXISTING_ONEOF",
        }
    }
}

impl fmt::Display for ProtoDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind.word(), self.path)
    }
}

impl ProtoDifference {
    /// The registry's text. `reader` and `writer` are `new` and `old`, or the other way round.
    pub(in crate::protobuf) fn worded(self, reader: &str, writer: &str) -> Incompatibility {
        let (kind, path) = (self.kind.word(), self.path);
        let description = match self.kind {
            DifferenceKind::PackageChanged => format!(
                "The package at '{path}' in the {reader} schema does not match the package in the {writer} schema"
            ),
            DifferenceKind::MessageRemoved => format!(
                "The {reader} schema is missing a MESSAGE type at path '{path}' in the {writer} schema"
            ),
            DifferenceKind::FieldKindChanged => format!(
                "The type of a field at path '{path}' in the {reader} schema does not match the {writer} schema"
            ),
            DifferenceKind::FieldScalarKindChanged => format!(
                "The kind of a SCALAR field at path '{path}' in the {reader} schema does not match its kind in the {writer} schema"
            ),
            DifferenceKind::FieldNamedTypeChanged => format!(
                "The type of a MESSAGE field at path '{path}' in the {reader} schema does not match its type in the {writer} schema"
            ),
            // The second space is the registry's.
            DifferenceKind::RequiredFieldAdded => format!(
                "A required field  at path '{path}' in the {reader} schema is missing in the {writer} schema"
            ),
            DifferenceKind::RequiredFieldRemoved => format!(
                "The {reader} schema is missing a required field at path: '{path}' in the {writer} schema"
            ),
            DifferenceKind::OneofFieldRemoved => format!(
                "The {reader} schema is missing a oneof field at path '{path}' in the {writer} schema"
            ),
            DifferenceKind::MultipleFieldsMovedToOneof => format!(
                "Multiple fields in the oneof at path '{path}' in the {reader} schema are outside a oneof in the {writer} schema"
            ),
            DifferenceKind::FieldMovedToExistingOneof => format!(
                "A field in the oneof at path '{path}' in the {reader} schema is outside an existing oneof in the {writer} schema"
            ),
        };
        Incompatibility {
            kind,
            message: format!("{{errorType:\"{kind}\", description:\"{description}\"}}"),
        }
    }
}

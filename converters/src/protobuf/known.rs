//! Types that need not be registered: a registry knows them, whether a text imports their files or not.

use super::names::TypeKind;

/// Packages, and in them the types of one kind.
pub(super) const KNOWN: [(&str, TypeKind, &[&str]); 6] = [
    (
        "google.protobuf",
        TypeKind::Message,
        &[
            "Any",
            "Api",
            "BoolValue",
            "BytesValue",
            "DescriptorProto",
            "DescriptorProto.ExtensionRange",
            "DescriptorProto.ReservedRange",
            "DoubleValue",
            "Duration",
            "Empty",
            "Enum",
            "EnumDescriptorProto",
            "EnumDescriptorProto.EnumReservedRange",
            "EnumOptions",
            "EnumValue",
            "EnumValueDescriptorProto",
            "EnumValueOptions",
            "ExtensionRangeOptions",
            "ExtensionRangeOptions.Declaration",
            "FeatureSet",
            "FeatureSetDefaults",
            "FeatureSetDefaults.FeatureSetEditionDefault",
            "Field",
            "FieldDescriptorProto",
            "FieldMask",
            "FieldOptions",
            "FieldOptions.EditionDefault",
            "FieldOptions.FeatureSupport",
            "FileDescriptorProto",
            "FileDescriptorSet",
            "FileOptions",
            "FloatValue",
            "GeneratedCodeInfo",
            "GeneratedCodeInfo.Annotation",
            "Int32Value",
            "Int64Value",
            "ListValue",
            "MessageOptions",
            "Method",
            "MethodDescriptorProto",
            "MethodOptions",
            "Mixin",
            "OneofDescriptorProto",
            "OneofOptions",
            "Option",
            "ServiceDescriptorProto",
            "ServiceOptions",
            "SourceCodeInfo",
            "SourceCodeInfo.Location",
            "SourceContext",
            "StringValue",
            "Struct",
            "Timestamp",
            "Type",
            "UInt32Value",
            "UInt64Value",
            "UninterpretedOption",
            "UninterpretedOption.NamePart",
            "Value",
        ],
    ),
    (
        "google.protobuf",
        TypeKind::Enum,
        &[
            "Edition",
            "ExtensionRangeOptions.VerificationState",
            "FeatureSet.EnumType",
            "FeatureSet.FieldPresence",
            "FeatureSet.JsonFormat",
            "FeatureSet.MessageEncoding",
            "FeatureSet.RepeatedFieldEncoding",
            "FeatureSet.Utf8Validation",
            "Field.Cardinality",
            "Field.Kind",
            "FieldDescriptorProto.Label",
            "FieldDescriptorProto.Type",
            "FieldOptions.CType",
            "FieldOptions.JSType",
            "FieldOptions.OptionRetention",
            "FieldOptions.OptionTargetType",
            "FileOptions.OptimizeMode",
            "GeneratedCodeInfo.Annotation.Semantic",
            "MethodOptions.IdempotencyLevel",
            "NullValue",
            "Syntax",
        ],
    ),
    (
        "google.type",
        TypeKind::Message,
        &[
            "Color",
            "Date",
            "DateTime",
            "Decimal",
            "Expr",
            "Fraction",
            "Interval",
            "LatLng",
            "LocalizedText",
            "Money",
            "PhoneNumber",
            "PhoneNumber.ShortCode",
            "PostalAddress",
            "Quaternion",
            "TimeOfDay",
            "TimeZone",
        ],
    ),
    (
        "google.type",
        TypeKind::Enum,
        &["CalendarPeriod", "DayOfWeek", "Month"],
    ),
    ("confluent", TypeKind::Message, &["Meta"]),
    ("confluent.type", TypeKind::Message, &["Decimal", "Variant"]),
];

/// The scalar types by name, with the number that stands for them in a descriptor (`FieldDescriptorProto.Type`).
const SCALARS: [(&str, u32); 15] = [
    ("double", 1),
    ("float", 2),
    ("int64", 3),
    ("uint64", 4),
    ("int32", 5),
    ("fixed64", 6),
    ("fixed32", 7),
    ("bool", 8),
    ("string", 9),
    ("bytes", 12),
    ("uint32", 13),
    ("sfixed32", 15),
    ("sfixed64", 16),
    ("sint32", 17),
    ("sint64", 18),
];

/// The number of a scalar type, if it is one.
pub(super) fn scalar(name: &str) -> Option<u32> {
    let mut scalars = SCALARS.iter();
    scalars
        .find(|(known, _)| *known == name)
        .map(|(_, number)| *number)
}

/// The scalar type of a number.
pub(super) fn scalar_name(number: u32) -> Option<&'static str> {
    let mut scalars = SCALARS.iter();
    scalars
        .find(|(_, known)| *known == number)
        .map(|(name, _)| *name)
}

/// Whether a map may have keys of this type.
pub(super) fn is_map_key(name: &str) -> bool {
    scalar(name).is_some() && !matches!(name, "double" | "float" | "bytes")
}

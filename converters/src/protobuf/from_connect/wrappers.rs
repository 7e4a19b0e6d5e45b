//! `google/protobuf/wrappers.proto`: the file that a scalar at the root is registered as.

use super::super::model::{Field, FieldType, Message, OptionValue, ProtoFile, ProtoOption, Syntax};
use super::linked::Scalar;

/// Wrappers in the order of the file, which gives their indexes.
const ALL: [Scalar; 9] = [
    Scalar::Double,
    Scalar::Float,
    Scalar::Int64,
    Scalar::Uint64,
    Scalar::Int32,
    Scalar::Uint32,
    Scalar::Bool,
    Scalar::String,
    Scalar::Bytes,
];

pub(super) const FULL_NAMES: [&str; 9] = [
    "google.protobuf.DoubleValue",
    "google.protobuf.FloatValue",
    "google.protobuf.Int64Value",
    "google.protobuf.UInt64Value",
    "google.protobuf.Int32Value",
    "google.protobuf.UInt32Value",
    "google.protobuf.BoolValue",
    "google.protobuf.StringValue",
    "google.protobuf.BytesValue",
];

/// The full name of the message around a scalar; `None` where there is none.
pub(super) fn full_name(scalar: Scalar) -> Option<&'static str> {
    let at = ALL.iter().position(|known| *known == scalar)?;
    FULL_NAMES.get(at).copied()
}

/// The scalar in a wrapper message of that full name.
pub(super) fn scalar(full_name: &str) -> Option<Scalar> {
    let at = FULL_NAMES.iter().position(|known| *known == full_name)?;
    ALL.get(at).copied()
}

/// The index of the message around a scalar.
pub(super) fn index(scalar: Scalar) -> i32 {
    let at = ALL.iter().position(|known| *known == scalar);
    at.and_then(|at| i32::try_from(at).ok()).unwrap_or_default()
}

/// The file, as protobuf-java 4.34 has it built in.
pub(in crate::protobuf) fn file() -> ProtoFile {
    let option = |name: &str, value| ProtoOption {
        name: name.into(),
        is_custom: false,
        part: None,
        value,
    };
    let text = |value: &str| OptionValue::Text(value.into());
    let is_true = || OptionValue::Word("true".into());
    let message = |scalar: Scalar| Message {
        name: full_name(scalar)
            .and_then(|full| full.strip_prefix("google.protobuf."))
            .unwrap_or_default()
            .into(),
        fields: vec![Field {
            json_name: Some("value".into()),
            ..Field::new(FieldType::Name(scalar.word().into()), "value", 1)
        }],
        ..Message::default()
    };
    ProtoFile {
        syntax: Some(Syntax::Proto3),
        package: Some("google.protobuf".into()),
        options: vec![
            option("java_package", text("com.google.protobuf")),
            option("java_outer_classname", text("WrappersProto")),
            option("java_multiple_files", is_true()),
            option(
                "go_package",
                text("google.golang.org/protobuf/types/known/wrapperspb"),
            ),
            option("cc_enable_arenas", is_true()),
            option("objc_class_prefix", text("GPB")),
            option("csharp_namespace", text("Google.Protobuf.WellKnownTypes")),
        ],
        messages: ALL.into_iter().map(message).collect(),
        ..ProtoFile::default()
    }
}

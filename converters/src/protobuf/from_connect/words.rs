//! Names that the JVM gives to parameters, types and files.

/// Parameter: the number of a field.
pub(in crate::protobuf) const TAG: &str = "io.confluent.connect.protobuf.Tag";
/// Parameter: the scalar type of a number.
pub(in crate::protobuf) const TYPE: &str = "io.confluent.connect.protobuf.Type";
/// Parameter: the name of an enum; `<parameter>.<SYMBOL>` is the number of a symbol.
pub(in crate::protobuf) const ENUM: &str = "io.confluent.connect.protobuf.Enum";
/// The same parameter as all formats share it.
pub(in crate::protobuf) const GENERALIZED_ENUM: &str = "org.apache.kafka.connect.data.Enum";
/// In front of the name of a struct that stands for a oneof.
pub(in crate::protobuf) const UNION_PREFIX: &str = "io.confluent.connect.protobuf.Union.";
/// Parameter: the name of a oneof, as all formats share it.
pub(in crate::protobuf) const GENERALIZED_UNION: &str = "org.apache.kafka.connect.data.Union";
/// Parameter: a member of a oneof that is a wrapper message.
pub(in crate::protobuf) const WRAPPER: &str = "io.confluent.connect.protobuf.Wrapper";
/// Name of the struct that stands for a Variant.
pub(in crate::protobuf) const VARIANT: &str = "org.apache.kafka.connect.data.Variant";
/// Parameter of a Decimal: how many digits it has at most.
pub(in crate::protobuf) const PRECISION: &str = "connect.decimal.precision";
/// In front of the number of what has no name.
pub(in crate::protobuf) const UNNAMED: &str = "ConnectDefault";

pub(in crate::protobuf) const DECIMAL: (&str, &str) =
    ("confluent.type.Decimal", "confluent/type/decimal.proto");
pub(in crate::protobuf) const DATE: (&str, &str) = ("google.type.Date", "google/type/date.proto");
pub(in crate::protobuf) const TIME: (&str, &str) =
    ("google.type.TimeOfDay", "google/type/timeofday.proto");
pub(in crate::protobuf) const TIMESTAMP: (&str, &str) = (
    "google.protobuf.Timestamp",
    "google/protobuf/timestamp.proto",
);
pub(in crate::protobuf) const WRAPPERS: &str = "google/protobuf/wrappers.proto";

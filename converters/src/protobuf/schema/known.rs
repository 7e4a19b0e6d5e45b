//! The messages that every registry knows, as far as fields can have them: names, numbers and types.

use std::sync::LazyLock;

use super::super::from_connect::wrappers_file;
use super::super::model::ProtoFile;

/// The files. A text of ours that could not be read would be missing; a test reads them all.
pub(super) fn files() -> impl Iterator<Item = &'static ProtoFile> {
    static FILES: LazyLock<Vec<ProtoFile>> = LazyLock::new(|| {
        let parsed = TEXTS.iter().filter_map(|text| {
            let text = format!("syntax = \"proto3\"; {text}");
            ProtoFile::parse(&text).ok()
        });
        parsed.chain([wrappers_file()]).collect()
    });
    FILES.iter()
}

pub(super) const TEXTS: [&str; 4] = [
    "package google.protobuf;
     message Any { string type_url = 1; bytes value = 2; }
     message Timestamp { int64 seconds = 1; int32 nanos = 2; }
     message Duration { int64 seconds = 1; int32 nanos = 2; }
     message Empty {}
     message FieldMask { repeated string paths = 1; }
     message SourceContext { string file_name = 1; }
     message Struct { map<string, Value> fields = 1; }
     message Value { oneof kind {
       NullValue null_value = 1; double number_value = 2; string string_value = 3; bool bool_value = 4;
       Struct struct_value = 5; ListValue list_value = 6; } }
     message ListValue { repeated Value values = 1; }
     message Type {
       string name = 1; repeated Field fields = 2; repeated string oneofs = 3; repeated Option options = 4;
       SourceContext source_context = 5; Syntax syntax = 6; string edition = 7; }
     message Field {
       Kind kind = 1; Cardinality cardinality = 2; int32 number = 3; string name = 4; string type_url = 6;
       int32 oneof_index = 7; bool packed = 8; repeated Option options = 9; string json_name = 10;
       string default_value = 11;
       enum Kind {
         TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4; TYPE_INT32 = 5;
         TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11;
         TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16;
         TYPE_SINT32 = 17; TYPE_SINT64 = 18; }
       enum Cardinality {
         CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1; CARDINALITY_REQUIRED = 2; CARDINALITY_REPEATED = 3; } }
     message Enum {
       string name = 1; repeated EnumValue enumvalue = 2; repeated Option options = 3;
       SourceContext source_context = 4; Syntax syntax = 5; string edition = 6; }
     message EnumValue { string name = 1; int32 number = 2; repeated Option options = 3; }
     message Option { string name = 1; Any value = 2; }
     message Api {
       string name = 1; repeated Method methods = 2; repeated Option options = 3; string version = 4;
       SourceContext source_context = 5; repeated Mixin mixins = 6; Syntax syntax = 7; }
     message Method {
       string name = 1; string request_type_url = 2; bool request_streaming = 3; string response_type_url = 4;
       bool response_streaming = 5; repeated Option options = 6; Syntax syntax = 7; }
     message Mixin { string name = 1; string root = 2; }
     enum NullValue { NULL_VALUE = 0; }
     enum Syntax { SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2; }",
    "package google.type;
     message Color { float red = 1; float green = 2; float blue = 3; google.protobuf.FloatValue alpha = 4; }
     message Date { int32 year = 1; int32 month = 2; int32 day = 3; }
     message DateTime {
       int32 year = 1; int32 month = 2; int32 day = 3; int32 hours = 4; int32 minutes = 5; int32 seconds = 6;
       int32 nanos = 7;
       oneof time_offset { google.protobuf.Duration utc_offset = 8; TimeZone time_zone = 9; } }
     message TimeZone { string id = 1; string version = 2; }
     message Decimal { string value = 1; }
     message Expr { string expression = 1; string title = 2; string description = 3; string location = 4; }
     message Fraction { int64 numerator = 1; int64 denominator = 2; }
     message Interval { google.protobuf.Timestamp start_time = 1; google.protobuf.Timestamp end_time = 2; }
     message LatLng { double latitude = 1; double longitude = 2; }
     message LocalizedText { string text = 1; string language_code = 2; }
     message Money { string currency_code = 1; int64 units = 2; int32 nanos = 3; }
     message PhoneNumber {
       oneof kind { string e164_number = 1; ShortCode short_code = 2; }
       string extension = 3;
       message ShortCode { string region_code = 1; string number = 2; } }
     message PostalAddress {
       int32 revision = 1; string region_code = 2; string language_code = 3; string postal_code = 4;
       string sorting_code = 5; string administrative_area = 6; string locality = 7; string sublocality = 8;
       repeated string address_lines = 9; repeated string recipients = 10; string organization = 11; }
     message Quaternion { double x = 1; double y = 2; double z = 3; double w = 4; }
     message TimeOfDay { int32 hours = 1; int32 minutes = 2; int32 seconds = 3; int32 nanos = 4; }
     enum CalendarPeriod {
       CALENDAR_PERIOD_UNSPECIFIED = 0; DAY = 1; WEEK = 2; FORTNIGHT = 3; MONTH = 4; QUARTER = 5; HALF = 6; YEAR = 7; }
     enum DayOfWeek {
       DAY_OF_WEEK_UNSPECIFIED = 0; MONDAY = 1; TUESDAY = 2; WEDNESDAY = 3; THURSDAY = 4; FRIDAY = 5; SATURDAY = 6;
       SUNDAY = 7; }
     enum Month {
       MONTH_UNSPECIFIED = 0; JANUARY = 1; FEBRUARY = 2; MARCH = 3; APRIL = 4; MAY = 5; JUNE = 6; JULY = 7;
       AUGUST = 8; SEPTEMBER = 9; OCTOBER = 10; NOVEMBER = 11; DECEMBER = 12; }",
    "package confluent;
     message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }",
    "package confluent.type;
     message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }
     message Variant { bytes metadata = 1; bytes value = 2; }",
];

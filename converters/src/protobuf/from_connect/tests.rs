//! Texts of schemas, as the JVM registers them.

use super::*;
use crate::data::{SchemaBuilder, logical};

fn structure(name: &str) -> SchemaBuilder {
    SchemaBuilder::structure().name(name)
}

fn built(schema: SchemaBuilder) -> Schema {
    schema.build().unwrap()
}

fn text_with(schema: SchemaBuilder, config: &ProtobufDataConfig) -> String {
    let generated = convert(Some(&built(schema)), config).unwrap();
    let text = generated.text.text().to_owned();
    let again = ProtoFile::parse(&text).unwrap().to_text().unwrap();
    assert_eq!(again, text, "a text that is stored must stay as it is");
    text
}

fn text(schema: SchemaBuilder) -> String {
    text_with(schema, &ProtobufDataConfig::default())
}

/// The text behind the first line.
fn body(schema: SchemaBuilder, config: &ProtobufDataConfig) -> String {
    let text = text_with(schema, config);
    let body = text.strip_prefix("syntax = \"proto3\";\n\n").unwrap();
    body.to_owned()
}

fn refused(schema: SchemaBuilder) -> String {
    let error = convert(Some(&built(schema)), &ProtobufDataConfig::default()).unwrap_err();
    assert!(error.is_data());
    error.to_string()
}

fn tagged(schema: SchemaBuilder, tag: &str) -> Schema {
    built(schema.parameter(words::TAG, tag))
}

fn status(symbols: &[(&str, &str)]) -> SchemaBuilder {
    let schema = SchemaBuilder::string()
        .name("Status")
        .parameter(words::ENUM, "Status");
    symbols.iter().fold(schema, |schema, (symbol, number)| {
        schema.parameter(&format!("{}.{symbol}", words::ENUM), number)
    })
}

fn choice(tags: [&str; 2]) -> Schema {
    let text = SchemaBuilder::string().optional();
    let number = SchemaBuilder::int32().optional();
    built(
        structure("io.confluent.connect.protobuf.Union.choice")
            .optional()
            .field("s", tagged(text, tags[0]))
            .field("n", tagged(number, tags[1])),
    )
}

#[test]
fn a_struct_is_a_message_with_all_that_it_needs_inside() {
    let inner = built(structure("com.acme.Inner").field("x", Schema::int32()));
    let text_map = built(SchemaBuilder::map(Schema::string(), Schema::string()));
    let schema = structure("com.acme.Rec")
        .field("i8", Schema::int8())
        .field("amount", built(logical::decimal(2)))
        .field("ts", built(logical::timestamp().optional()))
        .field("inner", inner.clone())
        .field("again", inner)
        .field("tags", text_map)
        .field("list", built(SchemaBuilder::array(Schema::int64())));
    let expected = r#"syntax = "proto3";
package com.acme;

import "confluent/type/decimal.proto";
import "google/protobuf/timestamp.proto";

message Rec {
  int32 i8 = 1 [(confluent.field_meta) = {
    params: [
      {
        key: "connect.type",
        value: "int8"
      }
    ]
  }];
  confluent.type.Decimal amount = 2 [(confluent.field_meta) = {
    params: [
      {
        value: "2",
        key: "scale"
      }
    ]
  }];
  google.protobuf.Timestamp ts = 3;
  Inner inner = 4;
  Inner again = 5;
  repeated ConnectDefault1Entry tags = 6;
  repeated int64 list = 7;

  message Inner {
    int32 x = 1;
  }
  message ConnectDefault1Entry {
    string key = 1;
    string value = 2;
  }
}
"#;
    assert_eq!(text(schema), expected);
}

#[test]
fn a_union_is_a_oneof_and_takes_a_number_of_its_own() {
    let schema = structure("M")
        .field("choice_0", choice(["2", "4"]))
        .field("id", tagged(SchemaBuilder::int32(), "1"))
        .field("last", tagged(SchemaBuilder::int32(), "3"));
    let expected = "message M {\n  int32 id = 1;\n  int32 last = 3;\n\n  oneof choice {\n    string s = 2;\n    \
                    int32 n = 4;\n  }\n}\n";
    assert_eq!(body(schema, &ProtobufDataConfig::default()), expected);
}

#[test]
fn optional_fields_are_plain_or_have_the_word_or_are_wrappers() {
    let schema = || {
        structure("M")
            .field("o", built(SchemaBuilder::int64().optional()))
            .field("r", Schema::int64())
    };
    let plain = ProtobufDataConfig::default();
    let word = ProtobufDataConfig {
        optional_for_nullables: true,
        ..plain
    };
    let wrapper = ProtobufDataConfig {
        wrapper_for_nullables: true,
        ..plain
    };
    assert_eq!(
        body(schema(), &plain),
        "message M {\n  int64 o = 1;\n  int64 r = 2;\n}\n"
    );
    assert_eq!(
        body(schema(), &word),
        "message M {\n  optional int64 o = 1;\n  int64 r = 2;\n}\n"
    );
    assert_eq!(
        body(schema(), &wrapper),
        "import \"google/protobuf/wrappers.proto\";\n\nmessage M {\n  google.protobuf.Int64Value o = 1;\n  int64 r = 2;\n}\n"
    );
}

#[test]
fn what_has_no_name_gets_a_number_and_what_is_called_like_its_field_a_suffix() {
    let unnamed = || built(SchemaBuilder::structure().field("q", Schema::int32()));
    let schema = SchemaBuilder::structure()
        .field("a", unnamed())
        .field("b", unnamed())
        .field("C", built(structure("x.C").field("q", Schema::int32())));
    let text = body(schema, &ProtobufDataConfig::default());
    let fields = "message ConnectDefault1 {\n  ConnectDefault2 a = 1;\n  ConnectDefault3 b = 2;\n  CMessage C = 3;\n";
    assert!(text.starts_with(fields), "{text}");
}

#[test]
fn a_scalar_at_the_root_is_a_wrapper_of_the_built_in_file() {
    let generated = convert(Some(&Schema::string()), &ProtobufDataConfig::default()).unwrap();
    assert_eq!(&*generated.name, "google.protobuf.StringValue");
    assert_eq!(generated.indexes.encoded(), [0x02, 0x0e]);
    let text = generated.text.text();
    assert!(
        text.contains("message StringValue {\n  string value = 1 [json_name = \"value\"];\n}\n")
    );
    assert_eq!(ProtoFile::parse(text).unwrap().to_text().unwrap(), text);
}

#[test]
fn what_no_descriptor_can_be_built_of_is_refused() {
    let plain = |name: &str| structure(name).field("f", Schema::int32());
    let with = |schema: Schema| structure("M").field("f", schema);
    let array = |element| built(SchemaBuilder::array(element));
    let default = built(SchemaBuilder::int32().default_value(7i32));
    let mut cases = vec![
        (plain("Foo-Bar"), "not a valid identifier"),
        (plain("é"), "not a valid identifier"),
        (
            structure("M").field("a b", Schema::int32()),
            "not a valid identifier",
        ),
        (
            with(tagged(SchemaBuilder::int32(), "0")),
            "positive integers",
        ),
        (with(tagged(SchemaBuilder::int32(), "x")), "no number"),
        (
            with(tagged(SchemaBuilder::int32(), "1")).field("g", Schema::int32()),
            "already been used",
        ),
        (
            with(built(
                SchemaBuilder::int32().parameter(words::TYPE, "bogus"),
            )),
            "not defined",
        ),
        (with(built(status(&[]))), "at least one value"),
        (
            with(built(
                SchemaBuilder::string()
                    .name("a.Status")
                    .parameter(words::ENUM, "a.Status")
                    .parameter("io.confluent.connect.protobuf.Enum.A", "0"),
            )),
            "not defined",
        ),
        (
            with(array(default)),
            "Repeated fields cannot have default values",
        ),
        (
            with(array(array(Schema::int32()))),
            "Array cannot be nested",
        ),
        (with(choice(["0", "0"])), "positive integers"),
        (
            SchemaBuilder::array(Schema::int32()),
            "Unsupported root schema of type ARRAY",
        ),
    ];
    for (schema, words) in cases.drain(..) {
        let text = refused(schema);
        assert!(text.contains(words), "{text} must say {words}");
    }
}

#[test]
fn the_first_of_two_structs_with_one_name_defines_the_message() {
    let one = built(structure("Inner").field("x", Schema::int32()));
    let other = built(structure("b.Inner").field("y", Schema::string()));
    let schema = structure("M").field("a", one).field("b", other);
    let expected = "message M {\n  Inner a = 1;\n  Inner b = 2;\n\n  message Inner {\n    int32 x = 1;\n  }\n}\n";
    assert_eq!(body(schema, &ProtobufDataConfig::default()), expected);
}

#[test]
fn schemas_that_never_end_are_refused() {
    let mut knot = crate::data::Knot::new();
    let outer = knot.reserve();
    let inner = structure("B")
        .field("a", knot.reference(outer, true))
        .build();
    let schema = structure("A").field("b", inner.unwrap()).build();
    let schema = knot.define(outer, schema.unwrap());
    let schema = knot.tie(schema).unwrap();
    let error = convert(Some(&schema), &ProtobufDataConfig::default()).unwrap_err();
    assert!(error.to_string().contains("too deep"), "{error}");
}

use super::*;

fn connect(text: &str, config: &ProtobufDataConfig) -> Schema {
    let schema = ProtobufSchema::parse(text, &[]).unwrap();
    let message = schema.message(None).unwrap();
    to_connect_schema(&schema, message, config, Some(1)).unwrap()
}

#[test]
fn oneofs_come_first_and_are_structs() {
    let text = "syntax = \"proto3\"; message M { int32 a = 1; oneof o { string s = 2; } }";
    let schema = connect(text, &ProtobufDataConfig::default());
    let names: Vec<&str> = schema.fields().iter().map(|f| f.name()).collect();
    assert_eq!(names, ["o_0", "a"]);
    let flat = ProtobufDataConfig {
        flatten_unions: true,
        ..ProtobufDataConfig::default()
    };
    let schema = connect(text, &flat);
    let names: Vec<&str> = schema.fields().iter().map(|f| f.name()).collect();
    assert_eq!(names, ["s", "a"]);
}

#[test]
fn a_message_that_contains_itself_is_optional() {
    let text = "syntax = \"proto3\"; message L { int32 v = 1; L next = 2; }";
    let schema = connect(text, &ProtobufDataConfig::default());
    let next = schema.fields()[1].schema();
    assert!(schema.is_optional() && next.is_optional());
    assert_eq!(next.parameter(words::TAG), Some("2"));
    assert_eq!(schema.parameter(words::TAG), None);
    assert_eq!(next.version(), Some(1));
}

use super::*;

fn linked(text: &str) -> ProtobufSchema {
    ProtobufSchema::parse(text, &[]).unwrap()
}

#[test]
fn the_known_files_are_read_and_linked() {
    assert_eq!(known::files().count(), known::TEXTS.len() + 1);
    let schema = linked("syntax = \"proto3\"; message M { google.type.Color c = 1; }");
    let FieldType::Message(color) = schema.get(MessageId(0)).fields[0].ty else {
        panic!("a message");
    };
    let alpha = &schema.get(color).fields[3];
    let FieldType::Message(alpha) = alpha.ty else {
        panic!("a message");
    };
    assert_eq!(
        schema.get(alpha).special,
        Some(Special::Wrapper(Scalar::Float))
    );
}

#[test]
fn a_map_has_entries_by_its_name() {
    let schema = linked("message M { map<string, int32> my_map = 1; }");
    let FieldType::Message(entry) = schema.get(MessageId(0)).fields[0].ty else {
        panic!("a message");
    };
    assert_eq!(schema.full_name(entry), "M.MyMapEntry");
    assert!(schema.get(entry).as_entry().is_some());
}

#[test]
fn what_no_descriptor_can_have_is_refused() {
    for text in [
        "message M { optional int32 a = 0; }",
        "message M { optional int32 a = 1; optional int32 b = 1; }",
        "message M { optional int32 a = 1; optional int32 a = 2; }",
        "message M { optional N n = 1; }",
        "message M { optional E e = 1; } enum E {}",
    ] {
        assert!(ProtobufSchema::parse(text, &[]).is_err(), "{text}");
    }
}

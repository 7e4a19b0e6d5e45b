use super::*;

fn plan(text: &str, config: ProtobufDataConfig) -> DecodePlan {
    let schema = ProtobufSchema::parse(text, &[]).unwrap();
    let message = schema.message(None).unwrap();
    DecodePlan::compile(&schema, message, &config, Some(1)).unwrap()
}

/// Both ways: the fast one must not give up when it is said to be used.
fn both(plan: &DecodePlan, body: &[u8], is_fast: bool) -> SchemaAndValue {
    let defined = plan.define(body, 0).unwrap();
    let table = plan.fast.as_ref().unwrap();
    let fast = table.run(body, &plan.connect, &mut Scratch::default());
    assert_eq!(fast.is_some(), is_fast);
    if let Some(fast) = fast {
        assert_eq!(fast, defined);
    }
    defined
}

const ORDER: &str = "syntax = \"proto3\"; message Order {
    int64 id = 1; string note = 2; repeated int32 counts = 3; Line first = 4; repeated Line lines = 5;
    map<string, int32> tags = 6; Color color = 7; oneof paid { string card = 8; bool cash = 9; }
    message Line { string sku = 1; }
    enum Color { RED = 0; BLUE = 1; } }";

#[test]
fn an_ordinary_record_is_read_by_the_table() {
    let plan = plan(ORDER, ProtobufDataConfig::default());
    let body = b"\x08\x07\x12\x02hi\x1a\x02\x01\x02\x22\x03\x0a\x01a\x2a\x03\x0a\x01b\x2a\x00\
        \x32\x05\x0a\x01k\x10\x05\x32\x05\x0a\x01j\x10\x06\x38\x01\x42\x01c";
    both(&plan, body, true);
    both(&plan, b"", true);
}

#[test]
fn what_is_unusual_is_left_to_the_definition() {
    let plan = plan(ORDER, ProtobufDataConfig::default());
    for body in [
        // Elements with a field between them; a message twice; two members of a oneof; a key twice.
        &b"\x18\x01\x08\x07\x18\x02"[..],
        b"\x22\x03\x0a\x01a\x22\x00",
        b"\x42\x01c\x48\x01",
        b"\x32\x05\x0a\x01k\x10\x05\x32\x05\x0a\x01k\x10\x06",
        // A group that is not known.
        b"\xa3\x06\xa4\x06",
    ] {
        both(&plan, body, false);
    }
}

#[test]
fn an_error_says_where() {
    let plan = plan(ORDER, ProtobufDataConfig::default());
    let record = Bytes::from_static(b"\0\0\0\0\x01\0\x22\x03\x0a\x05a");
    let error = plan.run(&record, 6, &mut Scratch::default()).unwrap_err();
    assert_eq!(error.field_path(), "first.sku");
    assert_eq!(error.byte_offset(), Some(9));
}

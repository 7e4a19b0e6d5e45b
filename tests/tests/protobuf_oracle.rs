//! Reading Protobuf the fast way against the definition, and both against another library.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

use std::collections::BTreeMap;

use ferroconnect_converters::data::{SchemaAndValue, Struct, Value};
use ferroconnect_converters::protobuf::oracle::Reading;
use ferroconnect_converters::protobuf::{ProtobufDataConfig, ProtobufSchema};
use ferroconnect_tests::checks::{
    ProtoCase, plain_proto_case, proto_case, protobuf_reads_both_ways,
};
use proptest::collection::vec;
use proptest::prelude::*;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor,
    Value as Theirs,
};
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

fn case() -> impl Strategy<Value = ProtoCase> {
    vec(any::<u8>(), 0..500).prop_map(|entropy| proto_case(&entropy))
}

fn plain_case() -> impl Strategy<Value = ProtoCase> {
    vec(any::<u8>(), 0..500).prop_map(|entropy| plain_proto_case(&entropy))
}

/// A change of a body: a byte replaced, put in, taken out, or the rest cut off.
fn changed(body: &[u8], changes: &[(u8, u16, u8)]) -> Vec<u8> {
    let mut body = body.to_vec();
    for (what, place, byte) in changes {
        let place = usize::from(*place) % (body.len() + 1);
        match what % 5 {
            0 => body.insert(place, *byte),
            1 => body.truncate(place),
            2 if place < body.len() => drop(body.remove(place)),
            _ if place < body.len() => body[place] = *byte,
            _ => body.push(*byte),
        }
    }
    body
}

/// One text under one name.
struct Only(String);

impl FileResolver for Only {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            "drawn.proto" => File::from_source(name, &self.0),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// The first message of a text, as the other library links it.
fn theirs(text: &str) -> MessageDescriptor {
    let mut files = ChainFileResolver::new();
    files.add(Only(text.to_owned()));
    files.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(files);
    compiler.include_imports(true);
    compiler
        .open_file("drawn.proto")
        .unwrap_or_else(|e| panic!("{text}: {e}"));
    let pool: DescriptorPool = compiler.descriptor_pool();
    let file = pool.get_file_by_name("drawn.proto").unwrap();
    file.messages().next().unwrap()
}

/// Whether a struct is what the other library read.
fn same_message(ours: Struct<'_>, theirs: &DynamicMessage) -> bool {
    let descriptor = theirs.descriptor();
    descriptor.fields().all(|field| {
        let oneof = field.containing_oneof();
        let oneof = oneof.filter(|oneof| !oneof.is_synthetic());
        let value = match oneof {
            None => ours.get_without_default(field.name()).unwrap(),
            Some(oneof) => {
                let mut oneofs = descriptor.oneofs();
                let index = oneofs.position(|other| other == oneof).unwrap();
                let name = format!("{}_{index}", oneof.name());
                match ours.get_without_default(&name).unwrap() {
                    Value::Struct(union) => union.get_without_default(field.name()).unwrap(),
                    other => other,
                }
            }
        };
        same_field(value, &field, theirs)
    })
}

fn same_field(ours: Value<'_>, field: &FieldDescriptor, theirs: &DynamicMessage) -> bool {
    if field.supports_presence() && !theirs.has_field(field) {
        return ours.is_null();
    }
    match (ours, &*theirs.get_field(field)) {
        (Value::Map(ours), Theirs::Map(theirs)) => {
            let value_kind = match field.kind() {
                Kind::Message(entry) => entry.map_entry_value_field().kind(),
                other => panic!("entries are messages, not {other:?}"),
            };
            let theirs: BTreeMap<String, &Theirs> = theirs
                .iter()
                .map(|(key, value)| (key_text(key), value))
                .collect();
            ours.iter().count() == theirs.len()
                && ours.iter().all(|(key, value)| {
                    let found = theirs.get(&our_key_text(key));
                    found.is_some_and(|found| same_value(value, &value_kind, found))
                })
        }
        (Value::Array(ours), Theirs::List(theirs)) => {
            ours.iter().count() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| same_value(ours, &field.kind(), theirs))
        }
        (ours, theirs) => same_value(ours, &field.kind(), theirs),
    }
}

fn same_value(ours: Value<'_>, kind: &Kind, theirs: &Theirs) -> bool {
    match (ours, theirs) {
        (Value::Boolean(a), Theirs::Bool(b)) => a == *b,
        (Value::Int32(a), Theirs::I32(b)) => a == *b,
        (Value::Int64(a), Theirs::I64(b)) => a == *b,
        (Value::Int64(a), Theirs::U32(b)) => a == i64::from(*b),
        (Value::Int64(a), Theirs::U64(b)) => a.cast_unsigned() == *b,
        (Value::Float32(a), Theirs::F32(b)) => a.to_bits() == b.to_bits(),
        (Value::Float64(a), Theirs::F64(b)) => a.to_bits() == b.to_bits(),
        (Value::String(a), Theirs::String(b)) => a == b,
        (Value::Bytes(a), Theirs::Bytes(b)) => a == &b[..],
        (Value::String(a), Theirs::EnumNumber(number)) => {
            let Kind::Enum(descriptor) = kind else {
                return false;
            };
            // Of several symbols of a number, the first one of the text.
            let mut symbols = descriptor.values();
            match symbols.find(|symbol| symbol.number() == *number) {
                Some(symbol) => a == symbol.name(),
                None => a == format!("UNKNOWN_ENUM_VALUE_{}_{number}", descriptor.name()),
            }
        }
        (ours, Theirs::Message(theirs)) => {
            let descriptor = theirs.descriptor();
            let mut fields = descriptor.fields();
            let field = |name| theirs.get_field_by_name(name).unwrap().into_owned();
            match (ours, descriptor.full_name()) {
                (Value::Timestamp(millis), "google.protobuf.Timestamp") => {
                    let seconds = field("seconds").as_i64().unwrap();
                    let nanos = field("nanos").as_i32().unwrap();
                    millis == seconds * 1000 + i64::from(nanos) / 1_000_000
                }
                (Value::Struct(ours), _) => same_message(ours, theirs),
                (ours, name) if name.starts_with("google.protobuf.") => {
                    same_field(ours, &fields.next().unwrap(), theirs)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn key_text(key: &MapKey) -> String {
    match key {
        MapKey::Bool(key) => key.to_string(),
        MapKey::I32(key) => key.to_string(),
        MapKey::I64(key) => key.to_string(),
        MapKey::U32(key) => key.to_string(),
        MapKey::U64(key) => key.cast_signed().to_string(),
        MapKey::String(key) => key.clone(),
    }
}

fn our_key_text(key: Value<'_>) -> String {
    match (key, key.as_i64()) {
        (Value::String(key), _) => key.to_owned(),
        (Value::Boolean(key), _) => key.to_string(),
        (_, Some(key)) => key.to_string(),
        (key, None) => panic!("{key:?} is no key of a Protobuf map"),
    }
}

fn assert_same(ours: &SchemaAndValue, theirs: &DynamicMessage, text: &str) {
    let Value::Struct(root) = ours.value() else {
        panic!("a struct of {text}");
    };
    assert!(
        same_message(root, theirs),
        "ours {ours:?}\ntheirs {theirs}\n{text}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_message_reads_the_same_the_fast_way_and_by_definition(case in case()) {
        let _ = protobuf_reads_both_ways(&case, &case.body);
    }

    #[test]
    fn changed_bytes_are_refused_by_both_or_read_the_same(
        case in case(),
        changes in vec(any::<(u8, u16, u8)>(), 1..6),
    ) {
        let _ = protobuf_reads_both_ways(&case, &changed(&case.body, &changes));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn another_library_links_the_text_and_reads_the_message_alike(case in plain_case()) {
        let theirs = DynamicMessage::decode(theirs(&case.text), &case.body[..]).unwrap();
        match protobuf_reads_both_ways(&case, &case.body) {
            Ok(ours) => assert_same(&ours, &theirs, &case.text),
            Err(error) => prop_assert!(is_of_the_calendar(&error), "{error}: {}", case.text),
        }
    }

    /// It is stricter: a known field of another wire type is an error to it, and to the JVM an unknown field.
    #[test]
    fn what_another_library_reads_of_changed_bytes_we_read_alike(
        case in plain_case(),
        changes in vec(any::<(u8, u16, u8)>(), 1..4),
    ) {
        let body = changed(&case.body, &changes);
        let ours = protobuf_reads_both_ways(&case, &body);
        if let Ok(theirs) = DynamicMessage::decode(theirs(&case.text), &body[..]) {
            match ours {
                Ok(ours) => assert_same(&ours, &theirs, &case.text),
                Err(error) => prop_assert!(is_of_the_calendar(&error), "{error}: {}", case.text),
            }
        }
    }
}

/// Numbers that are no time are of no interest to another library.
fn is_of_the_calendar(error: &str) -> bool {
    error.contains("Timestamp is not valid")
}

/// Tests of two ways are worth nothing when one of them gives up.
#[test]
fn most_messages_of_writers_are_read_the_fast_way() {
    let (mut fast, mut ordinary) = (0, 0);
    let mut state = 1u64;
    for _ in 0..500 {
        let entropy: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 56) as u8
        })
        .take(400)
        .collect();
        let case = plain_proto_case(&entropy);
        let mut reading =
            Reading::new(&case.schema, &ProtobufDataConfig::default(), None).unwrap();
        if reading.define(&case.body).is_ok() {
            ordinary += 1;
            fast += u32::from(reading.fast(&case.body).is_some());
        }
    }
    assert!(ordinary > 300 && fast * 3 > ordinary, "{fast} of {ordinary}");
}

fn of_text(text: &str) -> ProtoCase {
    ProtoCase {
        schema: ProtobufSchema::parse(text, &[]).unwrap(),
        text: text.to_owned(),
        config: ProtobufDataConfig::default(),
        body: Vec::new(),
    }
}

/// A message in a field of number 1, so many times.
fn nested(mut body: Vec<u8>, levels: usize) -> Vec<u8> {
    for _ in 0..levels {
        let mut outer = vec![0x0a];
        let mut length = body.len();
        while length >= 0x80 {
            outer.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        outer.push(length as u8);
        outer.append(&mut body);
        body = outer;
    }
    body
}

/// protobuf-java counts every message on the way down: entries of maps, and those that stand for something else.
#[test]
fn every_message_is_a_level() {
    let leaf = of_text(
        "syntax = \"proto3\"; message M { M m = 1; google.protobuf.Timestamp t = 2; google.protobuf.Int32Value i = 3; }",
    );
    for last in [&[0x12, 0][..], &[0x1a, 0]] {
        assert!(protobuf_reads_both_ways(&leaf, &nested(last.to_vec(), 99)).is_ok());
        assert!(protobuf_reads_both_ways(&leaf, &nested(last.to_vec(), 100)).is_err());
    }
    assert!(protobuf_reads_both_ways(&leaf, &nested(Vec::new(), 100)).is_ok());
    assert!(protobuf_reads_both_ways(&leaf, &nested(Vec::new(), 101)).is_err());
    // Two levels each: an entry with a key that is not there, and its value in field 2.
    let map = of_text("syntax = \"proto3\"; message M { map<string, M> m = 1; }");
    for (levels, is_read) in [(50, true), (51, false)] {
        let mut body = Vec::new();
        for _ in 0..levels {
            let mut entry = nested(body, 1);
            entry[0] = 0x12;
            body = nested(entry, 1);
        }
        let read = protobuf_reads_both_ways(&map, &body);
        assert_eq!(read.is_ok(), is_read, "{levels}: {:?}", read.err());
    }
}

/// Text that is replaced by a later one must be text all the same.
#[test]
fn text_that_does_not_count_must_be_utf_8() {
    let case = of_text("syntax = \"proto3\"; message M { string s = 1; }");
    // The halves of one character, then a whole one.
    let body = b"\x0a\x01\xc3\x0a\x01\xa9\x0a\x01x";
    assert!(protobuf_reads_both_ways(&case, body).is_err());
    assert!(protobuf_reads_both_ways(&case, b"\x0a\x01a\x0a\x01x").is_ok());
}

//! Public cases of the wire format, by id.

#![allow(
    clippy::unwrap_used,
    reason = "in a test, a panic with its place is the report"
)]

use bytes::Bytes;
use ferroconnect_converters::avro::AvroConverter;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{Schema, SchemaAndValue, SchemaBuilder, StructBuilder, Value};
use ferroconnect_converters::wire::{
    Carrier, Frame, FrameFault, IdReader, Identity, KEY_HEADER, Layout, MessageIndexes,
    VALUE_HEADER, last_header, read_prefix, write_header, write_prefix,
};
use ferroconnect_converters::{Converter, Error, Outcome, RawHeaders, RecordContext, Role};
use ferroconnect_registry_client::fake::FakeRegistry;
use ferroconnect_registry_client::{
    Answer, Lookup, Question, RegisteredSchema, Registry as _, Resolved, SchemaGuid, SchemaId,
    SchemaText, SchemaType, Version,
};

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).expect("hex"))
        .collect()
}

fn id(raw: i32) -> Identity {
    Identity::Id(SchemaId::new(raw).expect("a valid id"))
}

/// C034: message indexes are zigzag varints, depth first; `[0]` shrinks to one zero byte.
#[test]
fn c034_message_indexes_are_zigzag() {
    // Messages A, B, B.C, B.D, E of one file; the body is field 1 with the value 5.
    let cases: [(&[i32], &str); 5] = [
        (&[0], "00 00 00 00 07 00 08 05"),
        (&[1], "00 00 00 00 07 02 02 08 05"),
        (&[1, 0], "00 00 00 00 07 04 02 00 08 05"),
        (&[1, 1], "00 00 00 00 07 04 02 02 08 05"),
        (&[2], "00 00 00 00 07 02 04 08 05"),
    ];
    for (path, expected) in cases {
        let indexes = MessageIndexes::new(path).expect("a valid path");
        let mut out = Vec::new();
        write_prefix(&mut out, id(7), Some(&indexes));
        out.extend_from_slice(&[8, 5]);
        assert_eq!(out, hex(expected), "{path:?}");

        let frame = read_prefix(&out, Layout::Indexed).expect("what was written can be read");
        let read: Vec<i32> = frame
            .indexes
            .into_iter()
            .flat_map(|p| p.to_vec())
            .map(u32::cast_signed)
            .collect();
        assert_eq!((read.as_slice(), frame.body), (path, &[8, 5][..]));
    }
}

/// C036: a bad message index is an error: no panic, no big allocation, never another message.
#[test]
fn c036_message_indexes_are_checked_at_every_level() {
    // The file has the messages A and B, and neither has messages inside.
    let messages = |path: &[u32]| if path.is_empty() { 2 } else { 0 };
    let fault = |text: &str| {
        let record = hex(text);
        let checked = read_prefix(&record, Layout::Indexed)
            .and_then(|frame| frame.indexes.expect("an indexed frame").check(messages));
        checked.expect_err(text).fault
    };
    assert_eq!(
        fault("00 00 00 00 07 02 01 08 01"),
        FrameFault::NegativeIndex { index: -1 }
    );
    assert_eq!(
        fault("00 00 00 00 07 02 04 08 01"),
        FrameFault::NoSuchMessage {
            depth: 0,
            index: 2,
            count: 2
        }
    );
    assert_eq!(
        fault("00 00 00 00 07 01"),
        FrameFault::NegativeIndexCount { count: -1 }
    );
    assert_eq!(
        fault("00 00 00 00 07 fe ff ff ff 0f"),
        FrameFault::TooManyIndexes {
            count: 2_147_483_647,
            left: 0
        }
    );
    assert_eq!(
        fault("00 00 00 00 07"),
        FrameFault::Short { wanted: 1, left: 0 }
    );
    assert_eq!(
        fault("00 00 00 00 07 03 08 01"),
        FrameFault::NegativeIndexCount { count: -2 }
    );
    assert_eq!(
        fault("00 00 00 00 07 04 02 00 08 01"),
        FrameFault::NoSuchMessage {
            depth: 1,
            index: 0,
            count: 0
        }
    );
}

/// A record as a consumer gets it, read by the default reader.
fn read<'a>(
    headers: &'a [(&'a str, Option<Vec<u8>>)],
    name: &str,
    record: &'a [u8],
    layout: Layout,
) -> Result<Frame<'a>, FrameFault> {
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, value.as_deref()));
    static DUAL: IdReader = IdReader::Dual;
    DUAL.read(last_header(headers, name), record, layout)
        .map_err(|error| error.fault)
}

const GUID: &str = "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff";

fn guid() -> SchemaGuid {
    SchemaGuid::parse("00112233-4455-6677-8899-aabbccddeeff").expect("a guid")
}

/// C062: the identity of the schema may stand in a record header.
#[test]
fn c062_the_identity_in_a_header_comes_first() {
    let body = hex("02");
    let header = Some(hex(&format!("01 {GUID}")));
    let value = [(VALUE_HEADER, header.clone())];
    let frame = read(&value, VALUE_HEADER, &body, Layout::Plain).expect("by guid");
    assert_eq!(
        (frame.identity, frame.body),
        (Identity::Guid(guid()), &body[..])
    );

    // An id instead of a GUID; the whole payload is the body.
    let by_id = [(VALUE_HEADER, Some(hex("00 00 00 00 07")))];
    let frame = read(&by_id, VALUE_HEADER, &body, Layout::Plain).expect("by id");
    assert_eq!((frame.identity, frame.body), (id(7), &body[..]));

    // The key's header is for keys: a value with it only falls back to its prefix, which is not there.
    let key = [(KEY_HEADER, header)];
    assert!(read(&key, KEY_HEADER, &body, Layout::Plain).is_ok());
    let fault = read(&key, VALUE_HEADER, &body, Layout::Plain).expect_err("no prefix");
    assert_eq!(fault, FrameFault::UnknownMagic { magic: 2 });

    // A bad header is an error and no reason to look at the payload.
    let framed = hex("00 00 00 00 07 02");
    for (bad, expected) in [
        ("02 00", FrameFault::UnknownMagic { magic: 2 }),
        (
            "01 00",
            FrameFault::Short {
                wanted: 16,
                left: 1,
            },
        ),
        ("00", FrameFault::Short { wanted: 4, left: 0 }),
    ] {
        let headers = [(VALUE_HEADER, Some(hex(bad)))];
        assert_eq!(
            read(&headers, VALUE_HEADER, &framed, Layout::Plain),
            Err(expected),
            "{bad}"
        );
    }

    // Without a header, or with one that has no value, the prefix counts.
    for headers in [
        vec![],
        vec![(VALUE_HEADER, Some(hex("00"))), (VALUE_HEADER, None)],
    ] {
        let frame = read(&headers, VALUE_HEADER, &framed, Layout::Plain).expect("by prefix");
        assert_eq!(
            (frame.identity, frame.body, frame.carrier),
            (id(7), &[2][..], Carrier::Prefix)
        );
    }

    // Protobuf: the message indexes stand where the identity stands.
    let indexed = [(VALUE_HEADER, Some(hex(&format!("01 {GUID} 02 02"))))];
    let frame = read(&indexed, VALUE_HEADER, &body, Layout::Indexed).expect("indexed");
    assert_eq!(frame.indexes.map(|path| path.to_vec()), Some(vec![1]));
    let path = MessageIndexes::new([1]).expect("a valid path");
    assert_eq!(indexed[0].1, Some(write_header(guid(), Some(&path))));
}

/// C062: the newest header of a name wins.
#[test]
fn c062_the_newest_header_wins() {
    let headers = [
        (VALUE_HEADER, Some(hex("00"))),
        (VALUE_HEADER, Some(hex(&format!("01 {GUID}")))),
        (KEY_HEADER, Some(hex("02"))),
    ];
    let frame = read(&headers, VALUE_HEADER, b"body", Layout::Plain).expect("by guid");
    assert_eq!(frame.identity, Identity::Guid(guid()));
}

/// C062: a GUID may stand in front of the body too.
#[test]
fn c062_a_guid_in_front_of_the_body() {
    let record = hex(&format!("01 {GUID} 02"));
    let frame = read(&[], VALUE_HEADER, &record, Layout::Plain).expect("by guid");
    assert_eq!(
        (frame.identity, frame.body),
        (Identity::Guid(guid()), &[2][..])
    );
}

/// C064: with the identity in a header, a body that begins with 0 is a body.
#[test]
fn c064_the_payload_is_never_stripped_when_a_header_decides() {
    let body = hex("00 06 00 00 00");
    let headers = [(VALUE_HEADER, Some(hex("00 00 00 00 09")))];
    let frame = read(&headers, VALUE_HEADER, &body, Layout::Plain).expect("by header");
    assert_eq!(
        (frame.identity, frame.body, frame.body_at),
        (id(9), &body[..], 0)
    );
}

fn converter(role: Role) -> AvroConverter {
    let url = ("schema.registry.url".to_owned(), "http://r".to_owned());
    AvroConverter::configure(&RawConfig::from([url]), role).unwrap()
}

/// What a registry says that has this one schema, under every id and under [`GUID`].
fn answer(lookup: &Lookup, text: &str) -> Resolved {
    let id = match &lookup.question {
        Question::Associated(_) => {
            return Resolved {
                id: lookup.id,
                answer: Ok(Answer::Subjects(Vec::new())),
            };
        }
        Question::ById { id, .. } => *id,
        Question::ByGuid { guid: asked } => {
            assert_eq!(*asked, guid());
            SchemaId::new(0).unwrap()
        }
        Question::Register { .. }
        | Question::Find { .. }
        | Question::Latest { .. }
        | Question::LatestWithMetadata { .. }
        | Question::Version { .. } => SchemaId::new(1).unwrap(),
    };
    Resolved {
        id: lookup.id,
        answer: Ok(Answer::Schema(RegisteredSchema {
            id,
            guid: None,
            subject: None,
            version: Some(Version::FIRST),
            schema: SchemaText::new(SchemaType::Avro, text),
        })),
    }
}

/// What the converter reads, and the questions about identities that it asked.
fn read_avro(
    role: Role,
    schema: &str,
    headers: &[(&str, Option<&str>)],
    payload: &str,
) -> (Result<SchemaAndValue, Error>, Vec<Question>) {
    let mut converter = converter(role);
    let mut all = RawHeaders::new();
    for (name, value) in headers {
        all.push(name, value.map(|value| Bytes::from(hex(value))));
    }
    let payload = Bytes::from(hex(payload));
    let mut asked = Vec::new();
    loop {
        let mut ctx = RecordContext::new("t", role).with_headers(&mut all);
        match converter.to_connect(&mut ctx, Some(&payload)) {
            Outcome::Ready(data) => return (Ok(data), asked),
            Outcome::Failed(error) => return (Err(error), asked),
            Outcome::Missing(_) => {
                for lookup in converter.unresolved() {
                    converter.install(answer(&lookup, schema));
                    if let Question::ById { .. } | Question::ByGuid { .. } = &lookup.question {
                        asked.push(lookup.question);
                    }
                }
            }
        }
    }
}

const R: &str = r#"{"type":"record","name":"r","fields":[{"name":"a","type":"int"}]}"#;

/// C062: AvroConverter takes the schema from the header of its side, and the whole payload for the body.
#[test]
fn c062_avro_with_the_identity_in_a_header() {
    let by_guid = format!("01 {GUID}");
    let framed_by_guid = format!("01 {GUID} 02");
    let (by_guid, framed_by_guid) = (by_guid.as_str(), framed_by_guid.as_str());
    let of_value = |value| vec![(VALUE_HEADER, Some(value))];
    let of_key = |value| vec![(KEY_HEADER, Some(value))];
    let framed = "00 00 00 00 07 02";
    let (value, key) = (Role::Value, Role::Key);
    for (role, headers, payload, is_by_guid) in [
        (value, of_value(by_guid), "02", true),
        (value, of_value("00 00 00 00 07"), "02", false),
        (key, of_key(by_guid), "02", true),
        (key, of_key("00 00 00 00 07"), "02", false),
        (value, vec![], framed, false),
        (key, vec![], framed, false),
        (value, vec![], framed_by_guid, true),
        // The other side's header is not looked at.
        (value, of_key(by_guid), framed, false),
        (key, of_value("02 00"), framed, false),
        // The newest counts, and one without a value is none.
        (
            value,
            vec![(VALUE_HEADER, Some("02 00")), (VALUE_HEADER, Some(by_guid))],
            "02",
            true,
        ),
        (
            value,
            vec![(VALUE_HEADER, Some(by_guid)), (VALUE_HEADER, None)],
            framed,
            false,
        ),
    ] {
        let (read, asked) = read_avro(role, R, &headers, payload);
        let data = read.unwrap();
        let Some(fields) = data.value().as_struct() else {
            unreachable!("a record is a struct")
        };
        assert_eq!(fields.get("a"), Some(Value::Int32(1)), "{headers:?}");
        let expected = if is_by_guid {
            Question::ByGuid { guid: guid() }
        } else {
            let id = SchemaId::new(7).unwrap();
            let mut asked_for = asked.clone();
            let subject = match asked_for.pop() {
                Some(Question::ById { subject, .. }) => subject,
                other => unreachable!("by id: {other:?}"),
            };
            Question::ById { id, subject }
        };
        assert_eq!(asked, [expected], "{headers:?}");
    }
    for bad in ["02 00", "01 00", "00 00 07", ""] {
        for payload in ["02", framed] {
            let (read, asked) = read_avro(Role::Value, R, &of_value(bad), payload);
            let error = read.unwrap_err();
            assert!(error.is_data(), "{bad}: {error}");
            assert_eq!(asked, [], "{bad}");
        }
    }
    let (read, _) = read_avro(Role::Value, R, &of_value("02 00"), framed);
    let text = read.unwrap_err().to_string();
    assert!(text.to_lowercase().contains("magic byte"), "{text}");
}

/// C064: a body that begins like a frame is a body.
#[test]
fn c064_avro_with_a_body_that_begins_with_zero() {
    let schema = r#"{"type":"record","name":"r","fields":[{"name":"s","type":["null","string"]},{"name":"b","type":"bytes"}]}"#;
    let headers = [(VALUE_HEADER, Some("00 00 00 00 09"))];
    let (read, asked) = read_avro(Role::Value, schema, &headers, "00 06 00 00 00");
    let data = read.unwrap();
    let fields = data.value().as_struct().unwrap();
    assert_eq!(fields.get("s"), Some(Value::Null));
    assert_eq!(fields.get("b"), Some(Value::Bytes(&[0, 0, 0])));
    assert!(matches!(&asked[..], [Question::ById { id, .. }] if id.get() == 9));
}

/// C065: which id is written depends on the subject too, and every subject is registered once.
#[test]
fn c065_one_converter_serves_many_topics() {
    let (mut converter, mut registry) = (converter(Role::Value), FakeRegistry::default());
    let datum = |name: &str| {
        let schema = SchemaBuilder::structure()
            .name(name)
            .field("a", Schema::int32());
        let data = StructBuilder::new(&schema.build().unwrap()).unwrap();
        data.set("a", 1i32).unwrap().finish().unwrap()
    };
    let (mut subjects, mut written) = (Vec::new(), Vec::new());
    // The schemas are made anew for each record: an equal one is the same.
    for (topic, name) in [
        ("a", "S1"),
        ("b", "S1"),
        ("a", "S2"),
        ("a", "S1"),
        ("b", "S1"),
    ] {
        let (data, mut out) = (datum(name), Vec::new());
        loop {
            let mut ctx = RecordContext::new(topic, Role::Value);
            match converter.from_connect(&mut ctx, &data, &mut out) {
                Outcome::Ready(range) => {
                    assert!(range.is_some());
                    break;
                }
                Outcome::Failed(error) => unreachable!("{error}"),
                Outcome::Missing(_) => {}
            }
            for lookup in converter.unresolved() {
                if let Question::Register { subject, .. } = &lookup.question {
                    subjects.push(subject.to_string());
                }
                converter.install(registry.answer(&lookup));
            }
        }
        written.push(out.get(..5).map(<[u8]>::to_vec).unwrap());
    }
    assert_eq!(subjects, ["a-value", "b-value", "a-value"]);
    let ids = [1, 1, 2, 1, 1].map(|id| vec![0, 0, 0, 0, id]);
    assert_eq!(written, ids);
}

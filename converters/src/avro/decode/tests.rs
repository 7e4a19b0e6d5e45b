use bytes::Bytes;
use proptest::prelude::*;

use super::{AvroDecoder, DecodeOptions, DecodePlan, Scratch};
use crate::avro::{AvroDataConfig, AvroSchema};
use crate::data::{SchemaAndValue, Value};
use crate::error::Error;
use crate::limits::{AVRO_EMPTY_ITEMS_MAX, NESTING_DEPTH_MAX};

fn decode(schema: &str, body: &[u8]) -> Result<SchemaAndValue, Error> {
    let schema = AvroSchema::parse(schema).unwrap();
    let mut decoder = AvroDecoder::new(&schema, &AvroDataConfig::default(), None);
    decoder.decode(&Bytes::copy_from_slice(body))
}

fn resolved(writer: &str, reader: &str, body: &[u8]) -> Result<SchemaAndValue, Error> {
    let (writer, reader) = (
        AvroSchema::parse(writer).unwrap(),
        AvroSchema::parse(reader).unwrap(),
    );
    let mut decoder = AvroDecoder::with_reader(&writer, &reader, &AvroDataConfig::default(), None)?;
    decoder.decode(&Bytes::copy_from_slice(body))
}

fn record(fields: &str) -> String {
    format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#)
}

#[test]
fn javas_leniences() {
    // A boolean other than 1 is false; numbers may be longer than needed; bytes behind the value are ignored.
    assert_eq!(
        decode("\"boolean\"", &[7]).unwrap().value(),
        Value::Boolean(false)
    );
    assert_eq!(
        decode("\"int\"", &[0x8a, 0x80, 0x80, 0x00, 9])
            .unwrap()
            .value(),
        Value::Int32(5)
    );
    let wide = decode(r#"{"type":"int","connect.type":"int8"}"#, &[0xd8, 0x04]).unwrap();
    assert_eq!(wide.value(), Value::Int8(44));
    // Malformed text is replaced, also where its pieces would make a character together.
    let pair = record(r#"{"name":"a","type":"string"},{"name":"b","type":"string"}"#);
    let data = decode(&pair, &[2, 0xc3, 2, 0xa9]).unwrap();
    let data = data.value();
    let data = data.as_struct().unwrap();
    assert_eq!(
        (data.at(0), data.at(1)),
        (Value::String("\u{fffd}"), Value::String("\u{fffd}"))
    );
    // The size of a block is not looked at.
    let list = decode(
        r#"{"type":"array","items":"int"}"#,
        &[3, 0x7f, 2, 4, 2, 6, 0],
    )
    .unwrap();
    assert_eq!(format!("{:?}", list.value()), "[int32 1, int32 2, int32 3]");
    // At the root, bytes have no length.
    assert_eq!(
        decode("\"bytes\"", &[4, 1]).unwrap().value(),
        Value::Bytes(&[4, 1])
    );
}

#[test]
fn a_null_has_no_schema_even_under_a_schema_that_connect_has_no_place_for() {
    for (schema, body) in [
        ("\"null\"", &[][..]),
        (r#"["null","int"]"#, &[0]),
        (r#"["string","null"]"#, &[2]),
        (r#"["null",{"type":"int","connect.version":"x"}]"#, &[0]),
    ] {
        assert_eq!(
            decode(schema, body).unwrap(),
            SchemaAndValue::NULL,
            "{schema}"
        );
    }
    let unusable = decode(r#"["null",{"type":"int","connect.version":"x"}]"#, &[2, 2]);
    assert!(
        unusable
            .unwrap_err()
            .to_string()
            .contains("Invalid Connect version")
    );
}

#[test]
fn an_error_names_the_field_the_byte_and_what_was_expected() {
    let order = record(
        r#"{"name":"id","type":"int"},{"name":"lines","type":{"type":"array","items":{"type":"record","name":"Line","fields":[{"name":"text","type":"string"}]}}}"#,
    );
    let place = |body: &[u8]| {
        let error = decode(&order, body).unwrap_err();
        (error.field_path(), error.byte_offset(), error.to_string())
    };
    let (path, offset, text) = place(&[2, 4, 2, b'a', 8, b'b']);
    assert_eq!((path.as_str(), offset), ("lines[1].text", Some(5)));
    assert!(
        text.contains("string expected, 4 bytes needed, 1 left"),
        "{text}"
    );
    let (path, offset, text) = place(&[2, 2, 3]);
    assert_eq!((path.as_str(), offset), ("lines[0].text", Some(2)));
    assert!(text.contains("Length is negative"), "{text}");
    let (path, offset, text) = place(&[0x80, 0x80, 0x80, 0x80, 0x80, 0]);
    assert_eq!((path.as_str(), offset), ("id", Some(0)));
    assert!(
        text.contains("int expected, but its number is longer than 5 bytes"),
        "{text}"
    );
    let (path, offset, _) = place(&[0x80]);
    assert_eq!((path.as_str(), offset), ("id", Some(1)));
}

#[test]
fn an_index_out_of_range_is_refused() {
    assert!(
        decode(r#"["null","int"]"#, &[4])
            .unwrap_err()
            .to_string()
            .contains("below 2, but found 2")
    );
    assert!(
        decode(r#"["null","int"]"#, &[1])
            .unwrap_err()
            .to_string()
            .contains("found -1")
    );
    let color = r#"{"type":"enum","name":"E","symbols":["A"]}"#;
    assert!(
        decode(color, &[2])
            .unwrap_err()
            .to_string()
            .contains("below 1, but found 1")
    );
}

#[test]
fn counts_are_checked_before_anything_is_kept() {
    let huge = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f];
    let ints = decode(r#"{"type":"array","items":"int"}"#, &huge).unwrap_err();
    assert!(
        ints.to_string()
            .contains("more items than fit into the 0 bytes"),
        "{ints}"
    );
    let empties = r#"{"type":"array","items":{"type":"record","name":"E","fields":[]}}"#;
    let error = decode(empties, &huge).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("more than {AVRO_EMPTY_ITEMS_MAX} items")),
        "{error}"
    );
    // As many blocks as there are bytes do not get around it.
    let mut blocks = Vec::new();
    for _ in 0..3 {
        crate::wire::write_i64(&mut blocks, 400_000);
    }
    assert!(decode(empties, &blocks).is_err());
    assert!(decode("\"string\"", &huge).is_err());
    let map = decode(r#"{"type":"map","values":"null"}"#, &huge);
    assert!(map.is_err());
}

#[test]
fn a_value_nests_as_deep_as_the_limit_and_no_deeper() {
    let list = r#"{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}"#;
    let body = |levels: usize| {
        let mut body = vec![2; levels - 1];
        body.push(0);
        body
    };
    assert!(decode(list, &body(NESTING_DEPTH_MAX)).is_ok());
    let error = decode(list, &body(NESTING_DEPTH_MAX + 1)).unwrap_err();
    assert!(
        error.to_string().contains("deeper than 1000 levels"),
        "{error}"
    );
    let endless = decode(list, &vec![2; 1 << 20]).unwrap_err();
    assert_eq!(endless.byte_offset(), Some(NESTING_DEPTH_MAX));
}

#[test]
fn what_is_no_avro_says_what_it_looks_like() {
    let order = record(r#"{"name":"id","type":"string"}"#);
    let error = decode(&order, b"{\"id\": \"a\"}").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("look like a JSON object; JsonConverter"),
        "{error}"
    );
    let error = decode(&order, b"Obj\x01\x04\x14avro.codec").unwrap_err();
    assert!(
        error.to_string().contains("an Avro container file"),
        "{error}"
    );
    let short = decode(&order, &[0x80]).unwrap_err();
    assert!(!short.to_string().contains("look like"), "{short}");
}

#[test]
fn maps_are_in_the_order_of_a_java_map_made_for_their_size() {
    let entries = |keys: &[&str]| {
        let mut body = Vec::new();
        crate::wire::write_i64(&mut body, i64::try_from(keys.len()).unwrap());
        for key in keys {
            crate::wire::write_i64(&mut body, i64::try_from(key.len()).unwrap());
            body.extend(key.bytes());
            body.push(2);
        }
        body.push(0);
        let data = decode(r#"{"type":"map","values":"int"}"#, &body).unwrap();
        let Value::Map(map) = data.value() else {
            unreachable!()
        };
        map.iter()
            .map(|(key, _)| format!("{key:?}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    // As recorded from Java.
    let recorded = ["uknuetd", "pjnatddqorgibkl", "ephmvogdlwd", "rtissj"];
    assert_eq!(
        entries(&recorded),
        r#""uknuetd" "ephmvogdlwd" "pjnatddqorgibkl" "rtissj""#
    );
    assert_eq!(entries(&["a", "b", "a"]), r#""a" "b""#);
}

#[test]
fn many_equal_keys_and_many_equal_hashes_take_no_time() {
    let keys: Vec<String> = (0..1 << 14)
        .map(|n| {
            let pieces = (0..14).map(|bit| if n >> bit & 1 == 0 { "Aa" } else { "BB" });
            pieces.collect()
        })
        .collect();
    let mut body = Vec::new();
    crate::wire::write_i64(&mut body, 2 * keys.len() as i64);
    for key in keys.iter().chain(&keys) {
        crate::wire::write_i64(&mut body, key.len() as i64);
        body.extend(key.bytes());
        body.push(2);
    }
    body.push(0);
    let data = decode(r#"{"type":"map","values":"int"}"#, &body).unwrap();
    assert!(matches!(data.value(), Value::Map(map) if map.len() == keys.len()));
}

#[test]
fn logical_types_are_refused_when_java_would_make_objects_of_them() {
    let options = DecodeOptions {
        reserve_logical_types: true,
        ..DecodeOptions::default()
    };
    let decode = |schema: &str, body: &[u8]| {
        let schema = AvroSchema::parse(schema).unwrap();
        let plan = DecodePlan::compile(&schema, &AvroDataConfig::default(), None, options);
        plan.run(
            &Bytes::copy_from_slice(body),
            0,
            options,
            &mut Scratch::default(),
        )
    };
    assert!(decode(r#"{"type":"int","logicalType":"date"}"#, &[2]).is_err());
    assert!(decode("\"int\"", &[2]).is_ok());
    // What comes raw does not pass Avro's reader.
    let decimal = r#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}"#;
    assert!(decode(decimal, &[0, 0x9c]).is_ok());
    assert!(
        decode(
            &record(&format!(r#"{{"name":"d","type":{decimal}}}"#)),
            &[4, 0, 0x9c]
        )
        .is_err()
    );
}

#[test]
fn the_buffers_carry_nothing_from_record_to_record() {
    let schema = AvroSchema::parse(&record(
        r#"{"name":"s","type":"string"},{"name":"e","type":{"type":"enum","name":"E","symbols":["ONE","TWO"]}}"#,
    ))
    .unwrap();
    let mut decoder = AvroDecoder::new(&schema, &AvroDataConfig::default(), None);
    let mut texts = Vec::new();
    for body in [
        &[2, b'a', 2][..],
        &[4, 0xff],
        &[0, 0],
        &[2, 0xff, 2],
        &[2, b'z', 2],
    ] {
        texts.push(match decoder.decode(&Bytes::copy_from_slice(body)) {
            Ok(data) => {
                let data = data.value();
                let data = data.as_struct().unwrap();
                format!("{:?} {:?}", data.at(0), data.at(1))
            }
            Err(error) => error.field_path(),
        });
    }
    assert_eq!(
        texts,
        [
            "\"a\" \"TWO\"",
            "s",
            "\"\" \"ONE\"",
            "\"\u{fffd}\" \"TWO\"",
            "\"z\" \"TWO\""
        ]
    );
}

#[test]
fn a_readers_schema_chooses_widens_renames_and_fills_in() {
    let writer = record(
        r#"{"name":"gone","type":{"type":"map","values":{"type":"array","items":"string"}}},
           {"name":"n","type":"int"},{"name":"old","type":["null","string"]},
           {"name":"e","type":{"type":"enum","name":"E","symbols":["A","B","C"]}}"#,
    );
    let reader = record(
        r#"{"name":"e","type":{"type":"enum","name":"E","symbols":["C","A","X"],"default":"X"}},
           {"name":"new","type":["null","bytes"],"aliases":["old"]},
           {"name":"n","type":["double","string"]},
           {"name":"list","type":{"type":"array","items":"long"},"default":[1,2]},
           {"name":"text","type":"string","default":"dflt"}"#,
    );
    // gone {k: ["v"]}, n 3, old "s", e B
    let body = [2, 2, b'k', 2, 2, b'v', 0, 0, 6, 2, 2, b's', 2];
    let data = resolved(&writer, &reader, &body).unwrap();
    let data = data.value();
    let data = data.as_struct().unwrap();
    assert_eq!(
        data.get("e"),
        Some(Value::String("X")),
        "the reader's default for a symbol it has not"
    );
    assert_eq!(data.get("new"), Some(Value::Bytes(b"s")));
    let Some(Value::Struct(n)) = data.get("n") else {
        unreachable!()
    };
    assert_eq!(
        (n.get("double"), n.get("string")),
        (Some(Value::Float64(3.0)), Some(Value::Null))
    );
    assert_eq!(
        format!("{:?}", data.get("list").unwrap()),
        "[int64 1, int64 2]"
    );
    assert_eq!(data.get("text"), Some(Value::String("dflt")));
}

#[test]
fn a_readers_schema_refuses_only_what_comes() {
    let written = resolved(r#"["int","string"]"#, "\"long\"", &[0, 6]).unwrap();
    assert_eq!(written.value(), Value::Int64(3));
    let error = resolved(r#"["int","string"]"#, "\"long\"", &[2, 2, b'a']).unwrap_err();
    assert!(
        error.to_string().contains("Found string, expecting long"),
        "{error}"
    );
    let missing = record(r#"{"name":"a","type":"int"}"#);
    assert!(resolved(&record(""), &missing, &[]).is_err());
}

#[test]
fn a_readers_schema_may_contain_itself() {
    let writer = r#"{"type":"record","name":"L","fields":[{"name":"v","type":"int"},{"name":"x","type":["null","L"]},{"name":"next","type":["null","L"]}]}"#;
    let reader = r#"{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]},{"name":"v","type":"long"}]}"#;
    // 1 { x: 9, next: 2 }
    let body = [2, 2, 18, 0, 0, 2, 4, 0, 0];
    let data = resolved(writer, reader, &body).unwrap();
    let next = data.field("next").unwrap();
    assert_eq!(next.field("v").unwrap().value(), Value::Int64(2));
    assert!(next.field("next").unwrap().is_null());
}

/// Every leaf of the fast path, plain and behind a null on either side, in a record, in arrays and in maps.
const LEAVES: [&str; 9] = [
    r#""string""#,
    r#""long""#,
    r#""int""#,
    r#""double""#,
    r#""float""#,
    r#""boolean""#,
    r#"{"type":"long","logicalType":"timestamp-millis"}"#,
    r#"{"type":"int","logicalType":"date"}"#,
    r#"{"type":"bytes","logicalType":"decimal","precision":40,"scale":3}"#,
];

fn in_every_place(leaf: &str) -> String {
    record(&format!(
        r#"{{"name":"a","type":{leaf}}},{{"name":"b","type":["null",{leaf}]}},{{"name":"c","type":[{leaf},"null"]}},
           {{"name":"d","type":{{"type":"array","items":{leaf}}}}},{{"name":"e","type":{leaf}}},
           {{"name":"f","type":{{"type":"map","values":["null",{leaf}]}}}},
           {{"name":"g","type":{{"type":"array","items":[{leaf},"null"]}}}},{{"name":"h","type":{leaf}}}"#
    ))
}

/// Bytes that are often what a leaf wants: short lengths, branches, ends of blocks, varints of every length.
fn likely() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => (0u8..70).prop_map(|len| [vec![2 * len], vec![b'x'; usize::from(len)]].concat()),
        4 => (0usize..4).prop_map(|at| vec![[0u8, 2, 4, 16][at]]),
        2 => any::<i64>().prop_flat_map(|v| (Just(v), 0u32..64)).prop_map(|(v, shift)| {
            let mut out = Vec::new();
            crate::wire::write_i64(&mut out, v >> shift);
            out
        }),
        1 => proptest::collection::vec(0u8..0x80, 0..9),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    /// Reading for a second time, which replaces malformed text, takes no fast path. Both ways give the same value or the
    /// same error.
    #[test]
    fn the_fast_path_reads_what_the_other_reads(leaf in 0..LEAVES.len(), body in likely()) {
        let schema = AvroSchema::parse(&in_every_place(LEAVES[leaf])).unwrap();
        let (config, options) = (AvroDataConfig::default(), DecodeOptions::default());
        let plan = DecodePlan::compile(&schema, &config, None, options);
        let body = Bytes::from(body);
        let mut scratch = Scratch::default();
        for _ in 0..2 {
            let fast = plan.pass(&body, 0, false, options, &mut scratch);
            let slow = plan.pass(&body, 0, true, options, &mut scratch);
            match fast {
                Ok(None) => {}
                Ok(Some(data)) => prop_assert_eq!(data, slow.unwrap().unwrap()),
                Err(error) => prop_assert_eq!(error.to_string(), slow.unwrap_err().to_string()),
            }
        }
    }
}

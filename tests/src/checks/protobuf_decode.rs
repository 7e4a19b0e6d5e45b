//! Any bytes through the Protobuf decoder: the fast way against the definition.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use bytes::Bytes;
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::protobuf::oracle::Reading;
use ferroconnect_converters::protobuf::{ProtobufDataConfig, ProtobufSchema};

use super::avro_decode::entries;
use super::drawn_proto::{ProtoCase, proto_case};

/// What ends a `.proto` text before the body of a record: never in UTF-8.
const END_OF_TEXT: u8 = 0xff;

/// The first byte says how many of the next ones draw the settings, a schema and a message of it; the rest are a body. The
/// body reads the same the fast way and by the definition, or both refuse it; so does the message that was drawn. When no
/// byte is to be drawn from, a `.proto` text comes first, and then a body.
pub fn protobuf_decode(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first() else {
        return;
    };
    if *length == 0 {
        return of_text(rest);
    }
    let (entropy, body) = rest.split_at(rest.len().min(usize::from(*length)));
    let case = proto_case(entropy);
    let _ = protobuf_reads_both_ways(&case, body);
    let _ = protobuf_reads_both_ways(&case, &case.body);
}

fn of_text(rest: &[u8]) {
    let end = rest.iter().position(|byte| *byte == END_OF_TEXT);
    let (text, body) = rest.split_at(end.unwrap_or(rest.len()));
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let Ok(schema) = ProtobufSchema::parse(text, &[]) else {
        return;
    };
    let case = ProtoCase {
        text: text.to_owned(),
        schema,
        config: ProtobufDataConfig::default(),
        body: Vec::new(),
    };
    let _ = protobuf_reads_both_ways(&case, body.get(1..).unwrap_or_default());
}

/// Reads a body both ways; gives what the definition says.
///
/// # Panics
/// When they part.
pub fn protobuf_reads_both_ways(case: &ProtoCase, body: &[u8]) -> Result<SchemaAndValue, String> {
    let ProtoCase { schema, config, .. } = case;
    let mut reading = match Reading::new(schema, config, Some(1)) {
        Ok(reading) => reading,
        Err(error) => {
            assert!(error.is_data(), "{error}");
            return Err(error.to_string());
        }
    };
    let expected = reading.define(body);
    if let Err(error) = &expected {
        assert!(error.is_data(), "{error}");
        let at = error.byte_offset().unwrap_or_default();
        assert!(at <= body.len(), "{error}");
    }
    for pass in 0..2 {
        let Some(got) = reading.fast(body) else {
            continue;
        };
        match &expected {
            Ok(expected) => {
                assert_eq!(&got, expected, "pass {pass}, {}", case.text);
                assert_eq!(
                    entries(got.value()),
                    entries(expected.value()),
                    "order of entries, pass {pass}, {}",
                    case.text
                );
            }
            Err(error) => panic!("read {got:?}, but {error}: {}", case.text),
        }
    }
    let decoded = reading.decode(&Bytes::copy_from_slice(body));
    assert_eq!(decoded.is_ok(), expected.is_ok(), "{}", case.text);
    expected.map_err(|error| error.to_string())
}

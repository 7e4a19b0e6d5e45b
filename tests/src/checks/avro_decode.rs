//! Any bytes through the Avro decoder: by plan against the oracle.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use bytes::Bytes;
use ferroconnect_converters::avro::{AvroDecoder, oracle};
use ferroconnect_converters::data::{SchemaAndValue, Value};
use ferroconnect_converters::limits::AVRO_VALUES_MAX;

use super::drawn_avro::{AvroCase, avro_case};

/// The first byte says how many of the next ones draw the settings, a schema and a value; the rest are a body. The body
/// reads the same by plan and by the oracle, or both refuse it; so does what the oracle writes of the value. What is
/// held while reading is bounded by the body.
pub fn avro_decode(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first() else {
        return;
    };
    let (entropy, body) = rest.split_at(rest.len().min(usize::from(*length)));
    let case = avro_case(entropy);
    let _ = avro_reads_both_ways(&case, body);
    let mut written = Vec::new();
    oracle::write(&case.schema, case.schema.root(), &case.tree, &mut written);
    let _ = avro_reads_both_ways(&case, &written);
}

/// Reads a body by plan and by the oracle.
///
/// # Panics
/// When they part.
pub fn avro_reads_both_ways(case: &AvroCase, body: &[u8]) -> Result<SchemaAndValue, String> {
    let AvroCase { schema, config, .. } = case;
    let expected = oracle::decode(schema, config, Some(1), body);
    let mut decoder = AvroDecoder::new(schema, config, Some(1));
    let body = Bytes::copy_from_slice(body);
    for pass in 0..2 {
        let got = decoder.decode(&body);
        if expected.as_ref().is_err_and(|e| e == oracle::TOO_DEEP) {
            continue;
        }
        match (&got, &expected) {
            (Ok(got), Ok(expected)) => {
                assert_eq!(got, expected, "pass {pass}, {}", case.text);
                assert_eq!(
                    entries(got.value()),
                    entries(expected.value()),
                    "order of entries, pass {pass}, {}",
                    case.text
                );
            }
            (Err(got), Err(_)) => {
                assert!(got.is_data(), "{got}");
                let at = got.byte_offset().unwrap_or_default();
                assert!(at <= body.len(), "{got}");
            }
            (Ok(got), Err(expected)) => {
                panic!("read {got:?}, but {expected}: {}", case.text)
            }
            (Err(got), Ok(expected)) => {
                panic!("{got}, but expected {expected:?}: {}", case.text)
            }
        }
        let (values, bytes) = decoder.used();
        assert!(values <= AVRO_VALUES_MAX, "{values} values");
        assert!(
            bytes <= body.len() * 3 + case.text.len(),
            "{bytes} bytes from {}",
            body.len()
        );
    }
    expected
}

/// The keys of all maps in the order in which they stand.
fn entries(value: Value<'_>) -> Vec<String> {
    let mut out = Vec::new();
    collect(value, &mut out);
    out
}

fn collect(value: Value<'_>, out: &mut Vec<String>) {
    match value {
        Value::Array(array) => array.iter().for_each(|v| collect(v, out)),
        Value::Struct(structure) => structure.values().for_each(|v| collect(v, out)),
        Value::Map(map) => map.iter().for_each(|(key, value)| {
            out.push(format!("{key:?}"));
            collect(key, out);
            collect(value, out);
        }),
        Value::Null
        | Value::Boolean(_)
        | Value::Int8(_)
        | Value::Int16(_)
        | Value::Int32(_)
        | Value::Int64(_)
        | Value::Float32(_)
        | Value::Float64(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Timestamp(_)
        | Value::Decimal(_)
        | Value::String(_)
        | Value::Bytes(_) => {}
    }
}

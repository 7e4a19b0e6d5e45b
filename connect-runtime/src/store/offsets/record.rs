//! Keys and values of the offsets topic, byte for byte what the JVM writes (its schemaless `JsonConverter`).

use std::fmt::{self, Write as _};

use serde_json::Value;

use crate::api::{OffsetValue, SourceOffset, SourcePartition};

/// The key of a connector's source partition. The entries keep their order, because the bytes decide about partition and compaction.
pub fn key_bytes(connector: &str, partition: &SourcePartition) -> Vec<u8> {
    let mut out = String::from("[");
    text(&mut out, connector);
    out.push(',');
    match partition.entries() {
        Some(entries) => map(&mut out, entries),
        None => out.push_str("null"),
    }
    out.push(']');
    out.into_bytes()
}

/// The value; `None` forgets the partition.
pub fn value_bytes(offset: &SourceOffset) -> Option<Vec<u8>> {
    let mut out = String::new();
    map(&mut out, offset.entries()?);
    Some(out.into_bytes())
}

/// One record of the topic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The connector.
    pub connector: String,
    /// Its source partition.
    pub partition: SourcePartition,
    /// The offset; null forgets the partition.
    pub offset: SourceOffset,
}

/// A record that is not one of ours, or damaged. Says which part, not what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordError(&'static str);

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for RecordError {}

/// Reads a record of the topic. Any bytes are an answer or an error.
///
/// # Errors
/// The key is no array of a connector name and a map, the value is no map, or a map holds more than primitives.
pub fn parse(key: &[u8], value: Option<&[u8]>) -> Result<Entry, RecordError> {
    let key: Value = serde_json::from_slice(key).map_err(|_| RecordError("the key is not JSON"))?;
    let Value::Array(parts) = key else {
        return Err(RecordError("the key is not a list"));
    };
    let Ok([Value::String(connector), partition]) = <[Value; 2]>::try_from(parts) else {
        return Err(RecordError(
            "the key is not a connector name and a source partition",
        ));
    };
    let offset = match value {
        None => Value::Null,
        Some(bytes) => {
            serde_json::from_slice(bytes).map_err(|_| RecordError("the value is not JSON"))?
        }
    };
    let entries = |value, what| entries(value).ok_or(RecordError(what));
    let partition = entries(partition, "the source partition is not a map of primitives")?;
    let offset = entries(offset, "the source offset is not a map of primitives")?;
    Ok(Entry {
        connector,
        partition: partition.map_or_else(SourcePartition::null, SourcePartition::from_entries),
        offset: offset.map_or_else(SourceOffset::null, SourceOffset::from_entries),
    })
}

type NamedValues = Vec<(std::borrow::Cow<'static, str>, OffsetValue)>;

fn entries(value: Value) -> Option<Option<NamedValues>> {
    match value {
        Value::Null => Some(None),
        Value::Object(map) => map
            .into_iter()
            .map(|(name, value)| Some((name.into(), primitive(value)?)))
            .collect::<Option<_>>()
            .map(Some),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

fn primitive(value: Value) -> Option<OffsetValue> {
    match value {
        Value::Null => Some(OffsetValue::Null),
        Value::Bool(value) => Some(OffsetValue::Boolean(value)),
        Value::String(text) => Some(OffsetValue::Text(text.into())),
        Value::Number(number) => number
            .as_i64()
            .map(OffsetValue::Integer)
            .or_else(|| number.as_f64().map(OffsetValue::Float)),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn map<'a>(out: &mut String, entries: impl Iterator<Item = (&'a str, &'a OffsetValue)>) {
    out.push('{');
    for (nth, (name, value)) in entries.enumerate() {
        if nth > 0 {
            out.push(',');
        }
        text(out, name);
        out.push(':');
        match value {
            OffsetValue::Null => out.push_str("null"),
            OffsetValue::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            OffsetValue::Integer(value) => print(out, format_args!("{value}")),
            OffsetValue::Float(value) => float(out, *value),
            OffsetValue::Text(value) => text(out, value),
        }
    }
    out.push('}');
}

/// Jackson's escapes: control characters, quote, backslash, and characters outside the basic plane as two units.
fn text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if !(' '..='\u{ffff}').contains(&c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    print(out, format_args!("\\u{unit:04X}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Java's `Double.toString`: plain between 10^-3 and 10^7, else with an exponent, and always with a fraction.
fn float(out: &mut String, value: f64) {
    if !value.is_finite() {
        let name = if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        return text(out, name);
    }
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
        print(out, format_args!("{value:?}"));
        return;
    }
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let fraction = if digits.contains('.') { "" } else { ".0" };
    print(out, format_args!("{digits}{fraction}E{exponent}"));
}

fn print(out: &mut String, text: fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_connector_writes_what_java_writes() {
        let key = key_bytes(
            "local-file-source",
            &SourcePartition::of("filename", "/tmp/in.txt"),
        );
        assert_eq!(key, br#"["local-file-source",{"filename":"/tmp/in.txt"}]"#);
        assert_eq!(
            value_bytes(&SourceOffset::of("position", 42)).unwrap(),
            br#"{"position":42}"#
        );
        assert_eq!(key_bytes("c", &SourcePartition::null()), br#"["c",null]"#);
        assert_eq!(value_bytes(&SourceOffset::null()), None);
    }

    #[test]
    fn numbers_and_escapes_are_javas() {
        let cases: [(OffsetValue, &str); 12] = [
            (OffsetValue::Float(1e-7), "1.0E-7"),
            (OffsetValue::Float(1e7), "1.0E7"),
            (OffsetValue::Float(123_456_789.125), "1.23456789125E8"),
            (OffsetValue::Float(100.0), "100.0"),
            (OffsetValue::Float(0.001), "0.001"),
            (OffsetValue::Float(-0.0), "-0.0"),
            (OffsetValue::Boolean(true), "true"),
            (OffsetValue::Null, "null"),
            (
                OffsetValue::Text("é/<\u{7f}\u{2028}".into()),
                "\"é/<\u{7f}\u{2028}\"",
            ),
            (OffsetValue::Text("\u{1f600}".into()), "\"\\uD83D\\uDE00\""),
            (
                OffsetValue::Text("\u{1}\t\"\\".into()),
                "\"\\u0001\\t\\\"\\\\\"",
            ),
            (OffsetValue::Integer(i64::MIN), "-9223372036854775808"),
        ];
        for (value, expected) in cases {
            let bytes = value_bytes(&SourceOffset::of("k", "").clone_with(value)).unwrap();
            assert_eq!(
                String::from_utf8(bytes).unwrap(),
                format!("{{\"k\":{expected}}}")
            );
        }
    }

    impl SourceOffset {
        fn clone_with(&self, value: OffsetValue) -> Self {
            Self::from_entries(
                self.entries()
                    .unwrap()
                    .map(|(name, _)| (name.to_owned().into(), value.clone()))
                    .collect::<Vec<_>>(),
            )
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let partition = SourcePartition::from_entries([
            ("b".into(), 1.into()),
            ("a".into(), "x\u{1f600}".into()),
            ("n".into(), OffsetValue::Null),
        ]);
        let offset =
            SourceOffset::from_entries([("f".into(), 1.5.into()), ("t".into(), true.into())]);
        let entry = parse(&key_bytes("c", &partition), value_bytes(&offset).as_deref()).unwrap();
        assert_eq!(
            entry,
            Entry {
                connector: "c".into(),
                partition: partition.clone(),
                offset
            }
        );
        assert!(
            parse(&key_bytes("c", &partition), None)
                .unwrap()
                .offset
                .is_null()
        );
    }

    #[test]
    fn foreign_records_are_errors_and_never_panics() {
        for key in [
            "",
            "1",
            "[]",
            "[1,{}]",
            "[\"c\"]",
            "[\"c\",1]",
            "[\"c\",{\"a\":[]}]",
            "[\"c\",{},1]",
        ] {
            assert!(parse(key.as_bytes(), None).is_err(), "{key}");
        }
        assert!(parse(b"[\"c\",{}]", Some(b"[]")).is_err());
        assert!(parse(b"[\"c\",{}]", Some(b"\xff")).is_err());
    }
}

//! Any bytes through `JsonConverter`: the fast way against the definition.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use bytes::Bytes;
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::json::{DecimalFormat, JsonConverter, JsonConverterConfig};
use ferroconnect_converters::{Converter, RecordContext, Role};

/// The first byte chooses the settings, the rest is the document. Reading never panics; the fast reader, with and
/// without the memory of the same document, gives what the definition gives; what was read is written the same
/// by plan and by definition, and reads back as the same value.
pub fn json_decode(bytes: &[u8]) {
    let Some((settings, document)) = bytes.split_first() else {
        return;
    };
    let document = Bytes::copy_from_slice(document);
    let mut fast = converter(*settings);
    let mut slow = converter(*settings).without_memory();
    let expected = read(&mut slow, &document);
    for pass in 0..3 {
        let got = read(&mut fast, &document);
        assert_eq!(got, expected, "pass {pass}");
    }
    let Ok(data) = expected else { return };
    let expected = write(&mut slow, &data);
    for pass in 0..2 {
        assert_eq!(write(&mut fast, &data), expected, "pass {pass}");
    }
    if let Ok(Some(written)) = expected {
        let back = read(&mut slow, &written.into());
        // With `schema.content` the envelope that is written is not what is read.
        if settings & CONTENT == 0 || settings & ENVELOPE == 0 {
            same_value(
                &data,
                &back.unwrap_or_else(|e| panic!("{e}")),
                settings & ENVELOPE != 0,
            );
        }
    }
}

const ENVELOPE: u8 = 1;
const NUMERIC: u8 = 2;
const KEEP_NULLS: u8 = 4;
const CONTENT: u8 = 8;

/// A converter with the settings that a byte stands for.
pub(super) fn converter(settings: u8) -> JsonConverter {
    const SCHEMA: &str = r#"{"type":"struct","optional":true,"fields":[
        {"type":"int32","field":"id"},{"type":"string","optional":true,"default":"none","field":"name"},
        {"type":"map","keys":{"type":"string"},"values":{"type":"double","optional":true},"optional":true,"field":"m"},
        {"type":"array","items":{"type":"bytes"},"optional":true,"field":"list"}]}"#;
    let config = JsonConverterConfig {
        schemas_enable: settings & ENVELOPE != 0,
        schemas_cache_size: usize::from(settings >> 4),
        decimal_format: if settings & NUMERIC != 0 {
            DecimalFormat::Numeric
        } else {
            DecimalFormat::Base64
        },
        replace_null_with_default: settings & KEEP_NULLS == 0,
        schema_content: (settings & CONTENT != 0).then(|| SCHEMA.to_owned()),
    };
    JsonConverter::new(config).unwrap_or_else(|e| panic!("the settings are fine: {e}"))
}

/// What a record reads as, with the differences met; errors as their text.
pub(super) fn read(
    converter: &mut JsonConverter,
    document: &Bytes,
) -> Result<SchemaAndValue, String> {
    let mut ctx = RecordContext::new("fuzz", Role::Value);
    converter
        .to_connect(&mut ctx, Some(document))
        .into_result()
        .map_err(|e| e.to_string())
}

pub(super) fn write(
    converter: &mut JsonConverter,
    data: &SchemaAndValue,
) -> Result<Option<Vec<u8>>, String> {
    let mut out = b"before".to_vec();
    let mut ctx = RecordContext::new("fuzz", Role::Value);
    let range = converter
        .from_connect(&mut ctx, data, &mut out)
        .into_result();
    assert!(out.starts_with(b"before"));
    match range {
        Ok(range) => Ok(range.map(|range| {
            assert_eq!(range, 6..out.len());
            out.split_off(6)
        })),
        Err(error) => {
            assert_eq!(out, b"before", "a failed record leaves nothing behind");
            Err(error.to_string())
        }
    }
}

/// The same value; without an envelope numbers lose their width and bytes become text, so only the kinds are compared.
fn same_value(before: &SchemaAndValue, after: &SchemaAndValue, with_schema: bool) {
    if with_schema && before.schema().is_some() {
        assert_eq!(before.schema(), after.schema());
    } else {
        // A double that reads as a whole number, or as a word, comes back as another type.
        return;
    }
    assert_eq!(before.is_null(), after.is_null());
}

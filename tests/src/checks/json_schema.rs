//! Any JSON Schema with any document through the reader of `JsonSchemaConverter`: by plan against the definition.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use bytes::Bytes;
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::json_schema::{JsonSchemaDataConfig, JsonSchemaDecoder};

/// The first byte chooses the settings; a schema text up to a zero byte follows, and the rest is a document. Reading a
/// schema never panics. What the plan answers is what the definition answers, in the same order; and it does so for
/// every document that the definition reads, if not at once.
pub fn json_schema(bytes: &[u8]) {
    let Some((settings, rest)) = bytes.split_first() else {
        return;
    };
    let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
    let (schema, document) = rest.split_at(end);
    let Ok(schema) = std::str::from_utf8(schema) else {
        return;
    };
    let document = Bytes::copy_from_slice(document.get(1..).unwrap_or_default());
    // A text that the schema may refer to.
    let references = [("other.json", OTHER)];
    let Ok(mut decoder) = JsonSchemaDecoder::new(schema, &references, &config(*settings), Some(1))
    else {
        return;
    };
    let (expected, _) = decoder.by_definition(&document);
    let expected = expected.map_err(|e| {
        assert!(e.is_data(), "{e}");
        e.to_string()
    });
    for pass in 0..3 {
        if let Some(got) = decoder.by_plan(&document) {
            let expected = expected
                .as_ref()
                .unwrap_or_else(|e| panic!("pass {pass}: read {got:?}, but {e}"));
            same(&got, expected);
        }
        let decoded = decoder.decode(&document).map_err(|e| e.to_string());
        match (&decoded, &expected) {
            (Ok(got), Ok(expected)) => same(got, expected),
            (Err(got), Err(expected)) => assert_eq!(got, expected),
            _ => panic!("pass {pass}: {decoded:?} against {expected:?}"),
        }
    }
}

const OTHER: &str = r#"{"title":"Other","type":"object","properties":{"x":{"type":"integer"}},
    "definitions":{"e":{"enum":["a","b"]},"root":{"$ref":"other.json"}}}"#;

fn same(got: &SchemaAndValue, expected: &SchemaAndValue) {
    assert_eq!(got, expected);
    assert_eq!(
        format!("{:?}", got.value()),
        format!("{:?}", expected.value()),
        "order of entries"
    );
}

/// The settings that a byte stands for.
fn config(settings: u8) -> JsonSchemaDataConfig {
    let is_on = |bit: u8| settings & (1 << bit) != 0;
    JsonSchemaDataConfig {
        object_additional_properties: true,
        optional_for_nonrequired: is_on(0),
        ignore_modern_dialects: is_on(1),
        decimal_format: ferroconnect_converters::json::DecimalFormat::Base64,
        flatten_singleton_unions: !is_on(2),
        preserve_additional_properties: is_on(3),
        generalized_sum_types: is_on(4),
        ignore_default_for_nullables: false,
        schemas_cache_size: 10,
    }
}

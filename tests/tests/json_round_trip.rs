//! JsonConverter on generated schemas and values: what is written comes back, by plan and by definition alike.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use bytes::Bytes;
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::json::{DecimalFormat, JsonConverter, JsonConverterConfig};
use ferroconnect_converters::{Converter, RecordContext, Role};
use ferroconnect_tests::generate;
use ferroconnect_tests::nulls::{defaults_hold_null, holds_null};
use proptest::prelude::*;

fn settings() -> impl Strategy<Value = JsonConverterConfig> {
    (any::<bool>(), any::<bool>()).prop_map(|(numeric, replace_null_with_default)| {
        JsonConverterConfig {
            decimal_format: if numeric {
                DecimalFormat::Numeric
            } else {
                DecimalFormat::Base64
            },
            replace_null_with_default,
            ..JsonConverterConfig::default()
        }
    })
}

/// The fast converter and the definition.
fn pair(config: &JsonConverterConfig) -> [JsonConverter; 2] {
    let make = || JsonConverter::new(config.clone()).unwrap();
    [make(), make().without_memory()]
}

fn write(converter: &mut JsonConverter, datum: &SchemaAndValue) -> Result<Option<Vec<u8>>, String> {
    let (mut out, mut ctx) = (Vec::new(), RecordContext::new("t", Role::Value));
    let range = converter
        .from_connect(&mut ctx, datum, &mut out)
        .into_result();
    range
        .map(|range| range.map(|range| out[range].to_vec()))
        .map_err(|e| e.to_string())
}

fn read(converter: &mut JsonConverter, document: &Bytes) -> SchemaAndValue {
    let mut ctx = RecordContext::new("t", Role::Value);
    converter
        .to_connect(&mut ctx, Some(document))
        .into_result()
        .unwrap()
}

proptest! {
    #[test]
    fn an_envelope_gives_back_schema_and_value(config in settings(), datum in generate::datum()) {
        let [mut fast, mut slow] = pair(&config);
        let written = write(&mut slow, &datum);
        prop_assert_eq!(&write(&mut fast, &datum), &written);
        // A required field takes a null only where its default stands in for it, in the value and in every default of the schema.
        let refused = written.is_err();
        let has_null = holds_null(datum.value()) || datum.schema().is_some_and(defaults_hold_null);
        prop_assert!(!refused || (!config.replace_null_with_default && has_null));
        let Ok(Some(written)) = written else { return Ok(()) };
        let document = Bytes::from(written);
        let back = read(&mut slow, &document);
        // Three times: without memory, with the memory of the first, with the shapes of the second.
        for _ in 0..3 {
            prop_assert_eq!(&read(&mut fast, &document), &back);
        }
        if !(config.replace_null_with_default && has_null) {
            prop_assert_eq!(back, datum);
        }
    }

    #[test]
    fn plain_json_is_the_same_by_both_ways(datum in generate::untyped()) {
        let config = JsonConverterConfig { schemas_enable: false, ..JsonConverterConfig::default() };
        let [mut fast, mut slow] = pair(&config);
        let written = write(&mut slow, &datum);
        prop_assert_eq!(&write(&mut fast, &datum), &written);
        // Dates and decimals have no JSON form without a schema: both ways refuse them alike.
        let Ok(Some(written)) = written else { return Ok(()) };
        let document = Bytes::from(written);
        let back = read(&mut slow, &document);
        for _ in 0..3 {
            prop_assert_eq!(&read(&mut fast, &document), &back);
        }
        // Types narrow to those of JSON once; from then on text and value repeat each other.
        prop_assert_eq!(write(&mut fast, &back), write(&mut slow, &back));
    }
}

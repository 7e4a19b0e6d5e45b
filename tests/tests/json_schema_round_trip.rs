//! JsonSchemaConverter on generated schemas and values: what is written comes back, is what its schema allows, and stays what it is
//! when it is written again.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use ferroconnect_converters::Role;
use ferroconnect_converters::data::{Schema, SchemaAndValue, Type, Value};
use ferroconnect_converters::json::DecimalFormat;
use ferroconnect_converters::json_schema::{
    JsonSchemaConverter, JsonSchemaConverterConfig, JsonSchemaDataConfig,
};
use ferroconnect_tests::nulls::{defaults_hold_null, holds_null};
use ferroconnect_tests::pair::Pair;
use ferroconnect_tests::{generate, tagged};
use proptest::prelude::*;
use serde_json::Value as Json;

fn settings() -> impl Strategy<Value = JsonSchemaConverterConfig> {
    any::<[bool; 6]>().prop_map(|[numeric, open, general, ignore, checked, indent]| {
        JsonSchemaConverterConfig {
            data: JsonSchemaDataConfig {
                decimal_format: match numeric {
                    true => DecimalFormat::Numeric,
                    false => DecimalFormat::Base64,
                },
                object_additional_properties: open,
                generalized_sum_types: general,
                ignore_default_for_nullables: ignore,
                ..JsonSchemaDataConfig::default()
            },
            fail_invalid_schema: checked,
            indent_output: indent,
            ..JsonSchemaConverterConfig::default()
        }
    })
}

fn pair(config: &JsonSchemaConverterConfig) -> Pair<JsonSchemaConverter> {
    Pair::new(JsonSchemaConverter::new(config.clone(), Role::Value))
}

/// Maps as sets, and one NaN.
fn sort(form: &mut Json) {
    match form {
        Json::Array(list) => list.iter_mut().for_each(sort),
        Json::Object(members) => {
            members.values_mut().for_each(sort);
            if members.values().any(|text| text == "NaN") {
                members.remove("bits");
            }
            if let Some(Json::Array(entries)) = members.get_mut("map") {
                entries.sort_by_key(ToString::to_string);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// The value alone.
fn plain(data: &SchemaAndValue) -> Json {
    let mut form = tagged::value_to(data.value(), data.schema());
    sort(&mut form);
    form
}

/// The schema as it comes back: with the version that the registry gave, where it had none of its own. In texts of schemas
/// numbers lose zeros at their end, and zero its sign.
fn settled(schema: Option<&Schema>) -> Json {
    fn settle(form: &mut Json, in_default: bool) {
        match form {
            Json::Array(list) => list.iter_mut().for_each(|form| settle(form, in_default)),
            Json::Object(members) => {
                if in_default && members.contains_key("decimal") {
                    members.clear();
                } else if let Some(bits) = members.get_mut("bits")
                    && in_default
                    && bits.as_str().is_some_and(is_zero)
                {
                    members.clear();
                }
                for (name, form) in members.iter_mut() {
                    settle(form, in_default || name == "default");
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    // Of either sign.
    fn is_zero(bits: &str) -> bool {
        matches!(bits.trim_end_matches('0'), "" | "8")
    }
    let mut form = tagged::schema_to(schema);
    settle(&mut form, false);
    sort(&mut form);
    form.as_object_mut()
        .unwrap()
        .entry("version")
        .or_insert(1.into());
    form
}

/// Whether all floating numbers are numbers: the others are words, which a schema of numbers does not allow.
fn is_finite(value: Value<'_>) -> bool {
    match value {
        Value::Float32(v) => v.is_finite(),
        Value::Float64(v) => v.is_finite(),
        Value::Array(list) => list.iter().all(is_finite),
        Value::Map(map) => map
            .iter()
            .all(|(key, value)| is_finite(key) && is_finite(value)),
        Value::Struct(fields) => fields.values().all(is_finite),
        Value::Null
        | Value::Boolean(_)
        | Value::Int8(_)
        | Value::Int16(_)
        | Value::Int32(_)
        | Value::Int64(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Timestamp(_)
        | Value::Decimal(_)
        | Value::String(_)
        | Value::Bytes(_) => true,
    }
}

/// Whether a whole document is an integer of 8 or 16 bits, which the JVM checks as no integer.
fn is_short(data: &SchemaAndValue) -> bool {
    let kind = data.schema().map(Schema::kind);
    matches!(kind, Some(Type::Int8 | Type::Int16))
}

proptest! {
    #[test]
    fn what_is_written_comes_back(config in settings(), datum in generate::datum()) {
        // The check has a test of its own.
        let config = JsonSchemaConverterConfig {
            fail_invalid_schema: false,
            ..config
        };
        let mut pair = pair(&config);
        let written = match pair.write(&datum) {
            Ok(Some(written)) => written,
            Ok(None) => {
                prop_assert!(datum.is_null());
                return Ok(());
            }
            Err(error) => {
                prop_assert!(error.is_data(), "{}", error);
                return Ok(());
            }
        };
        // The same record again goes the short way.
        prop_assert_eq!(pair.write(&datum).unwrap().unwrap(), written.clone());
        let back = pair.read(&written).unwrap();
        // A null takes the default, in defaults, too.
        if !datum.schema().is_some_and(defaults_hold_null) {
            prop_assert_eq!(settled(back.schema()), settled(datum.schema()));
        }
        if !holds_null(datum.value()) {
            prop_assert_eq!(plain(&back), plain(&datum));
        }
        // A version may come in front, which is another schema; the value stays, and from then on the text.
        if let Some(again) = pair.write(&back).unwrap() {
            let text = pair.texts().pop().unwrap();
            let twice = pair.read(&again).unwrap();
            prop_assert_eq!(plain(&twice), plain(&back));
            prop_assert_eq!(twice.schema(), back.schema());
            pair.write(&twice).unwrap();
            prop_assert_eq!(pair.texts().pop().unwrap(), text);
        }
    }

    #[test]
    fn what_is_written_is_what_its_schema_allows(config in settings(), datum in generate::datum()) {
        let mut pair = pair(&config);
        match pair.write(&datum) {
            Ok(Some(written)) => {
                let schema: Json = serde_json::from_str(&pair.texts().pop().unwrap()).unwrap();
                let validator = jsonschema::draft7::new(&schema).unwrap();
                let document: Json = serde_json::from_slice(&written[5..]).unwrap();
                prop_assert!(validator.is_valid(&document) || !is_finite(datum.value()));
            }
            Ok(None) => prop_assert!(datum.is_null()),
            // What the converter itself refuses to write must be wrong.
            Err(error) if error.to_string().contains("Validation error") => {
                prop_assert!(config.fail_invalid_schema);
                prop_assert!(is_short(&datum) || !is_finite(datum.value()), "{}", error);
            }
            Err(error) => prop_assert!(error.is_data(), "{}", error),
        }
    }
}

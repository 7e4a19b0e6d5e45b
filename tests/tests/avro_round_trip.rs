//! AvroConverter on generated schemas and values: what is written comes back, and stays what it is when it is written again.

use ferroconnect_converters::Role;
use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig, AvroDataConfig};
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_tests::nulls::holds_null;
use ferroconnect_tests::pair::Pair;
use ferroconnect_tests::{generate, tagged};
use proptest::prelude::*;
use serde_json::Value as Json;

fn settings() -> impl Strategy<Value = AvroDataConfig> {
    (any::<[bool; 4]>()).prop_map(|[enhanced, meta, discard, keys]| AvroDataConfig {
        enhanced_schemas: enhanced,
        connect_meta_data: meta,
        discard_type_doc_default: discard,
        allow_optional_map_keys: keys,
        scrub_invalid_names: true,
        ..AvroDataConfig::default()
    })
}

fn pair(data: AvroDataConfig) -> Pair<AvroConverter> {
    let config = AvroConverterConfig {
        data,
        ..AvroConverterConfig::default()
    };
    Pair::new(AvroConverter::new(config, Role::Value))
}

/// The value alone: maps as sets, fields by their positions, since names may be scrubbed.
fn plain(data: &SchemaAndValue) -> Json {
    fn sorted(form: &mut Json) {
        match form {
            Json::Array(list) => list.iter_mut().for_each(sorted),
            Json::Object(members) => {
                members.values_mut().for_each(sorted);
                if let Some(Json::Array(fields)) = members.get_mut("struct") {
                    fields.iter_mut().for_each(|field| *field = field[1].take());
                }
                if let Some(Json::Array(entries)) = members.get_mut("map") {
                    entries.sort_by_key(ToString::to_string);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    let mut form = tagged::value_to(data.value(), data.schema());
    sorted(&mut form);
    form
}

proptest! {
    #[test]
    fn what_is_written_comes_back(config in settings(), datum in generate::datum()) {
        let mut pair = pair(config);
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
        // Without its attributes a schema loses the narrow types, and a null in a field takes the default.
        if config.connect_meta_data && !holds_null(datum.value()) {
            prop_assert_eq!(plain(&back), plain(&datum));
        }
        // A version may come in front, which is another schema; the value stays.
        if let Ok(Some(again)) = pair.write(&back) {
            let again = pair.read(&again).unwrap();
            prop_assert_eq!(plain(&again), plain(&back));
        }
    }

    #[test]
    fn schemaless_data_come_back(datum in generate::untyped()) {
        let mut pair = pair(AvroDataConfig::default());
        match pair.write(&datum) {
            Ok(Some(written)) => {
                let back = pair.read(&written).unwrap();
                prop_assert!(back.schema().is_none());
                let again = pair.write(&back).unwrap().unwrap();
                prop_assert_eq!(plain(&pair.read(&again).unwrap()), plain(&back));
            }
            Ok(None) => prop_assert!(datum.is_null()),
            Err(error) => prop_assert!(error.is_data(), "{}", error),
        }
    }
}

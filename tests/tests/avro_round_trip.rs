//! AvroConverter on generated schemas and values: what is written comes back, and stays what it is when it is written again.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use bytes::Bytes;
use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig, AvroDataConfig};
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::{Converter, Error, Outcome, RecordContext, Role};
use ferroconnect_registry_client::Registry;
use ferroconnect_registry_client::fake::FakeRegistry;
use ferroconnect_tests::nulls::holds_null;
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

/// A converter and its registry.
struct Pair(AvroConverter, FakeRegistry);

impl Pair {
    fn new(data: AvroDataConfig) -> Self {
        let config = AvroConverterConfig {
            data,
            ..AvroConverterConfig::default()
        };
        Self(
            AvroConverter::new(config, Role::Value),
            FakeRegistry::default(),
        )
    }

    fn settle<T>(
        &mut self,
        mut call: impl FnMut(&mut AvroConverter, &mut RecordContext<'_>) -> Outcome<T>,
    ) -> Result<T, Error> {
        loop {
            let mut ctx = RecordContext::new("t", Role::Value);
            match call(&mut self.0, &mut ctx) {
                Outcome::Ready(done) => return Ok(done),
                Outcome::Failed(error) => return Err(error),
                Outcome::Missing(_) => {
                    for lookup in self.0.unresolved() {
                        self.0.install(self.1.answer(&lookup));
                    }
                }
            }
        }
    }

    fn write(&mut self, data: &SchemaAndValue) -> Result<Option<Bytes>, Error> {
        let mut out = Vec::new();
        let range = self.settle(|converter, ctx| converter.from_connect(ctx, data, &mut out))?;
        Ok(range.map(|range| Bytes::copy_from_slice(&out[range])))
    }

    fn read(&mut self, bytes: &Bytes) -> SchemaAndValue {
        self.settle(|converter, ctx| converter.to_connect(ctx, Some(bytes)))
            .unwrap()
    }
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
        let mut pair = Pair::new(config);
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
        let back = pair.read(&written);
        // Without its attributes a schema loses the narrow types, and a null in a field takes the default.
        if config.connect_meta_data && !holds_null(datum.value()) {
            prop_assert_eq!(plain(&back), plain(&datum));
        }
        // A version may come in front, which is another schema; the value stays.
        if let Ok(Some(again)) = pair.write(&back) {
            let again = pair.read(&again);
            prop_assert_eq!(plain(&again), plain(&back));
        }
    }

    #[test]
    fn schemaless_data_come_back(datum in generate::untyped()) {
        let mut pair = Pair::new(AvroDataConfig::default());
        match pair.write(&datum) {
            Ok(Some(written)) => {
                let back = pair.read(&written);
                prop_assert!(back.schema().is_none());
                let again = pair.write(&back).unwrap().unwrap();
                prop_assert_eq!(plain(&pair.read(&again)), plain(&back));
            }
            Ok(None) => prop_assert!(datum.is_null()),
            Err(error) => prop_assert!(error.is_data(), "{}", error),
        }
    }
}

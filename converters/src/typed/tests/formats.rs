//! A type's schema and values through the formats: what the other side reads is what was meant.

use ferroconnect_registry_client::fake::FakeRegistry;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::round_trip::{Everything, everything};
use crate::avro::{AvroConverter, AvroConverterConfig};
use crate::client::BlockingConverter;
use crate::config::RawConfig;
use crate::json::{JsonConverter, JsonConverterConfig};
use crate::typed::{Symbols, from_connect, schema_with, to_connect};
use crate::{Converter, Role};

type Face = BlockingConverter<Box<dyn Converter>, FakeRegistry>;

fn face(converter: Box<dyn Converter>) -> Face {
    BlockingConverter::new(Role::Value, converter, FakeRegistry::default())
}

fn avro(settings: &[(&str, &str)]) -> Face {
    let url = ("schema.registry.url", "embedded:");
    let all = settings.iter().chain([&url]);
    let raw: RawConfig = all
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    let config = AvroConverterConfig::parse(&raw, Role::Value).unwrap();
    face(Box::new(AvroConverter::new(config, Role::Value)))
}

fn json() -> Face {
    face(Box::new(
        JsonConverter::new(JsonConverterConfig::default()).unwrap(),
    ))
}

/// Writes a value, and reads it back with the schema that the format carries.
fn through<T: Serialize + DeserializeOwned>(face: &mut Face, value: &T, symbols: Symbols) -> T {
    let datum = to_connect(value, &schema_with::<T>(symbols).unwrap()).unwrap();
    let bytes = face.encode("t", &datum).unwrap();
    from_connect(&face.decode("t", bytes.as_ref()).unwrap()).unwrap()
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
enum State {
    Open,
    Closed,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(rename = "com.example.Ticket")]
struct Ticket {
    state: State,
    before: Vec<State>,
    parent: Option<Box<Self>>,
}

const ENHANCED: &[(&str, &str)] = &[("enhanced.avro.schema.support", "true")];
const GENERALIZED: &[(&str, &str)] = &[("generalized.sum.type.support", "true")];

#[test]
fn an_enum_is_one_in_avro_where_it_is_asked_for() {
    let ticket = Ticket {
        state: State::Closed,
        before: vec![State::Open],
        parent: None,
    };
    for (symbols, settings) in [
        (Symbols::Avro, ENHANCED),
        (Symbols::Generalized, GENERALIZED),
    ] {
        let mut face = avro(settings);
        assert_eq!(through(&mut face, &ticket, symbols), ticket);
        let registered = face.registry().registered().next().unwrap();
        let text = registered.schema.text();
        assert!(text.contains(r#""type":"enum","name":"State""#), "{text}");
        assert!(text.contains(r#""symbols":["Open","Closed"]"#), "{text}");
    }
}

#[test]
fn an_enum_is_text_everywhere_else() {
    for mut face in [json(), avro(&[]), avro(ENHANCED), avro(GENERALIZED)] {
        assert_eq!(through(&mut face, &State::Open, Symbols::Text), State::Open);
    }
    for symbols in [
        Symbols::Avro,
        Symbols::Generalized,
        Symbols::Json,
        Symbols::Protobuf,
    ] {
        assert_eq!(through(&mut avro(&[]), &State::Open, symbols), State::Open);
        assert_eq!(through(&mut json(), &State::Open, symbols), State::Open);
    }
}

#[test]
fn a_type_that_contains_itself_goes_through_avro() {
    let leaf = || Ticket {
        state: State::Open,
        before: vec![],
        parent: None,
    };
    let ticket = Ticket {
        parent: Some(Box::new(Ticket {
            parent: Some(Box::new(leaf())),
            ..leaf()
        })),
        ..leaf()
    };
    assert_eq!(through(&mut avro(&[]), &ticket, Symbols::Text), ticket);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn everything_goes_through_avro(value in everything()) {
        prop_assert_eq!(&through::<Everything>(&mut avro(&[]), &value, Symbols::Text), &value);
    }
}

//! The one list of what is compiled in.

use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
use ferroconnect_converters::config::{ConfigDef, RawConfig};
#[cfg(feature = "worker")]
use ferroconnect_converters::config::{Problem, Problems};
use ferroconnect_converters::json::{JsonConverter, JsonConverterConfig};
use ferroconnect_converters::json_schema::{JsonSchemaConverter, JsonSchemaConverterConfig};
use ferroconnect_converters::protobuf::{ProtobufConverter, ProtobufConverterConfig};
use ferroconnect_converters::simple::{
    BooleanConverter, ByteArrayConverter, DoubleConverter, FloatConverter, IntegerConverter,
    LongConverter, ShortConverter, SimpleHeaderConverter, StringConfig, StringConverter,
    type_only_def,
};
use ferroconnect_converters::{Converter, Error, HeaderConverter, Role};
#[cfg(feature = "worker")]
use ferroconnect_registry_client::client::ClientConfig;

use super::{Catalog, ConverterFactory, HeaderConverterFactory};
use crate::config::providers;

/// Everything that is compiled in, under its Java class name.
pub(super) fn catalog() -> Catalog {
    let catalog = CONVERTERS.iter().fold(Catalog::new(), |catalog, made| {
        catalog.converter(made.class, *made)
    });
    let catalog = HEADER_CONVERTERS.iter().fold(catalog, |catalog, made| {
        catalog.header_converter(made.class, *made)
    });
    let catalog = catalog
        .config_provider(providers::ENV_VAR, providers::env_var)
        .config_provider(providers::FILE, providers::file)
        .config_provider(providers::DIRECTORY, providers::directory);
    #[cfg(feature = "file")]
    let catalog = catalog
        .source(
            "org.apache.kafka.connect.file.FileStreamSourceConnector",
            crate::connectors::file::source,
        )
        .sink(
            "org.apache.kafka.connect.file.FileStreamSinkConnector",
            crate::connectors::file::sink,
        );
    catalog
}

/// Makes a converter from its settings.
type Build = fn(&RawConfig, Role) -> Result<Box<dyn Converter>, Error>;

#[derive(Clone, Copy)]
struct Made {
    class: &'static str,
    def: fn() -> ConfigDef,
    build: Build,
    needs_registry: bool,
}

#[derive(Clone, Copy)]
struct MadeForHeaders {
    class: &'static str,
    def: fn() -> ConfigDef,
    build: fn(&RawConfig) -> Result<Box<dyn HeaderConverter>, Error>,
}

/// A converter of keys and values, by class, definition and type.
macro_rules! made {
    ($class:literal, $def:path, $converter:ty) => {
        Made {
            class: $class,
            def: $def,
            build: |raw, role| Ok(Box::new(<$converter>::configure(raw, role)?)),
            needs_registry: false,
        }
    };
}

/// The same converter for headers.
/// A converter that asks a registry: the settings of the client that asks are checked with its own.
macro_rules! registered {
    ($class:literal, $def:path, $converter:ty) => {
        Made {
            build: |raw, role| {
                check_client(raw)?;
                Ok(Box::new(<$converter>::configure(raw, role)?))
            },
            needs_registry: true,
            ..made!($class, $def, $converter)
        }
    };
}

macro_rules! made_for_headers {
    ($class:literal, $def:path, $converter:ty) => {
        MadeForHeaders {
            class: $class,
            def: $def,
            build: |raw| Ok(Box::new(<$converter>::configure(raw, Role::Value)?)),
        }
    };
}

const CONVERTERS: [Made; 12] = [
    registered!(
        "io.confluent.connect.avro.AvroConverter",
        AvroConverterConfig::definition,
        AvroConverter
    ),
    registered!(
        "io.confluent.connect.json.JsonSchemaConverter",
        JsonSchemaConverterConfig::definition,
        JsonSchemaConverter
    ),
    registered!(
        "io.confluent.connect.protobuf.ProtobufConverter",
        ProtobufConverterConfig::definition,
        ProtobufConverter
    ),
    made!(
        "org.apache.kafka.connect.json.JsonConverter",
        JsonConverterConfig::definition,
        JsonConverter
    ),
    made!(
        "org.apache.kafka.connect.storage.StringConverter",
        StringConfig::def,
        StringConverter
    ),
    made!(
        "org.apache.kafka.connect.converters.ByteArrayConverter",
        type_only_def,
        ByteArrayConverter
    ),
    made!(
        "org.apache.kafka.connect.converters.BooleanConverter",
        type_only_def,
        BooleanConverter
    ),
    made!(
        "org.apache.kafka.connect.converters.ShortConverter",
        type_only_def,
        ShortConverter
    ),
    made!(
        "org.apache.kafka.connect.converters.IntegerConverter",
        type_only_def,
        IntegerConverter
    ),
    made!(
        "org.apache.kafka.connect.converters.LongConverter",
        type_only_def,
        LongConverter
    ),
    made!(
        "org.apache.kafka.connect.converters.FloatConverter",
        type_only_def,
        FloatConverter
    ),
    made!(
        "org.apache.kafka.connect.converters.DoubleConverter",
        type_only_def,
        DoubleConverter
    ),
];

const HEADER_CONVERTERS: [MadeForHeaders; 10] = [
    MadeForHeaders {
        class: "org.apache.kafka.connect.storage.SimpleHeaderConverter",
        def: type_only_def,
        build: |raw| Ok(Box::new(SimpleHeaderConverter::configure(raw)?)),
    },
    MadeForHeaders {
        class: "org.apache.kafka.connect.json.JsonConverter",
        def: JsonConverterConfig::definition,
        build: |raw| Ok(Box::new(JsonConverter::configure_for_headers(raw)?)),
    },
    made_for_headers!(
        "org.apache.kafka.connect.storage.StringConverter",
        StringConfig::def,
        StringConverter
    ),
    made_for_headers!(
        "org.apache.kafka.connect.converters.ByteArrayConverter",
        type_only_def,
        ByteArrayConverter
    ),
    made_for_headers!(
        "org.apache.kafka.connect.converters.BooleanConverter",
        type_only_def,
        BooleanConverter
    ),
    made_for_headers!(
        "org.apache.kafka.connect.converters.ShortConverter",
        type_only_def,
        ShortConverter
    ),
    made_for_headers!(
        "org.apache.kafka.connect.converters.IntegerConverter",
        type_only_def,
        IntegerConverter
    ),
    made_for_headers!(
        "org.apache.kafka.connect.converters.LongConverter",
        type_only_def,
        LongConverter
    ),
    made_for_headers!(
        "org.apache.kafka.connect.converters.FloatConverter",
        type_only_def,
        FloatConverter
    ),
    made_for_headers!(
        "org.apache.kafka.connect.converters.DoubleConverter",
        type_only_def,
        DoubleConverter
    ),
];

impl ConverterFactory for Made {
    fn config_def(&self) -> ConfigDef {
        (self.def)()
    }

    fn build(&self, role: Role, settings: &RawConfig) -> Result<Box<dyn Converter>, Error> {
        (self.build)(settings, role)
    }

    fn needs_registry(&self) -> bool {
        self.needs_registry
    }
}

/// The settings of a registry client, as far as they can be judged without a registry.
#[cfg(feature = "worker")]
fn check_client(raw: &RawConfig) -> Result<(), Error> {
    let pairs = raw.iter().map(|(key, value)| (&**key, &**value));
    let Err(problems) = ClientConfig::parse(pairs) else {
        return Ok(());
    };
    let mut found = Problems::new();
    for (key, why) in problems.iter() {
        found.push(Problem::said(
            key,
            format!("Invalid configuration {key}: {why}"),
        ));
    }
    Err(found.into())
}

/// Without the worker there is no client.
#[cfg(not(feature = "worker"))]
fn check_client(_raw: &RawConfig) -> Result<(), Error> {
    Ok(())
}

impl HeaderConverterFactory for MadeForHeaders {
    fn config_def(&self) -> ConfigDef {
        (self.def)()
    }

    fn build(&self, settings: &RawConfig) -> Result<Box<dyn HeaderConverter>, Error> {
        (self.build)(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_names_simple_names_and_aliases_are_all_accepted() {
        let catalog = catalog();
        for made in &CONVERTERS {
            let simple = made.class.rsplit('.').next().unwrap();
            let settings = if made.needs_registry {
                RawConfig::from([(
                    "schema.registry.url".to_owned(),
                    "http://one:8081".to_owned(),
                )])
            } else {
                RawConfig::new()
            };
            for name in [
                made.class,
                simple,
                simple.strip_suffix("Converter").unwrap(),
            ] {
                let found = catalog
                    .find_converter(name)
                    .unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(found.class(), made.class);
                assert!(
                    found.factory().build(Role::Value, &settings).is_ok(),
                    "{name} works without further settings"
                );
                assert!(found.factory().build(Role::Key, &settings).is_ok());
            }
        }
        for name in [
            "SimpleHeaderConverter",
            "Simple",
            "org.apache.kafka.connect.storage.StringConverter",
        ] {
            assert!(
                catalog
                    .find_header_converter(name)
                    .unwrap()
                    .factory()
                    .build(&RawConfig::new())
                    .is_ok(),
                "{name}"
            );
        }
    }

    #[test]
    fn an_unknown_name_brings_the_nearest_ones() {
        let error = catalog()
            .find_converter("org.apache.kafka.connect.json.JsonConvertor")
            .unwrap_err();
        assert_eq!(
            error.candidates(),
            ["org.apache.kafka.connect.json.JsonConverter"]
        );
        assert!(error.to_string().starts_with(
            "Failed to find any class that implements Converter and which name matches org.apache.kafka.connect.json.JsonConvertor."
        ));
    }

    #[test]
    fn a_wrong_converter_setting_is_refused() {
        let raw = RawConfig::from([("schemas.enable".to_owned(), "maybe".to_owned())]);
        let error = catalog()
            .find_converter("Json")
            .unwrap()
            .factory()
            .build(Role::Value, &raw)
            .unwrap_err();
        assert!(error.to_string().contains("schemas.enable"), "{error}");
    }
}

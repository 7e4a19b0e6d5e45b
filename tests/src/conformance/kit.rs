//! [`Kit`]: the converters under test, by the short name of their Java class.

use ferroconnect_converters::avro::AvroConverter;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::json::JsonConverter;
use ferroconnect_converters::json_schema::JsonSchemaConverter;
use ferroconnect_converters::protobuf::ProtobufConverter;
use ferroconnect_converters::simple::{
    BooleanConverter, ByteArrayConverter, DoubleConverter, FloatConverter, IntegerConverter,
    LongConverter, ShortConverter, SimpleHeaderConverter, StringConverter,
};
use ferroconnect_converters::{Converter, Error, HeaderConverter, Role};

/// Makes a converter of keys and values.
pub type MakeConverter = fn(&RawConfig, Role) -> Result<Box<dyn Converter>, Error>;
/// Makes a converter of header values.
pub type MakeHeaderConverter = fn(&RawConfig) -> Result<Box<dyn HeaderConverter>, Error>;

/// How to make one converter.
#[derive(Clone, Copy, Debug)]
pub struct Factory {
    /// Short name of the Java class, as in the vectors.
    pub name: &'static str,
    /// For keys and values, if it serves them.
    pub record: Option<MakeConverter>,
    /// For headers, if it serves them.
    pub header: Option<MakeHeaderConverter>,
}

/// The converters under test.
#[derive(Clone, Debug, Default)]
pub struct Kit {
    factories: Vec<Factory>,
    registry_url: Option<String>,
}

/// A factory of a converter that serves keys, values and headers.
macro_rules! serves_all {
    ($($converter:ident),+) => {
        [$(Factory {
            name: stringify!($converter),
            record: Some(|config, role| Ok(Box::new($converter::configure(config, role)?))),
            header: Some(|config| Ok(Box::new($converter::configure(config, Role::Value)?))),
        }),+]
    };
}

impl Kit {
    /// No converters.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            factories: Vec::new(),
            registry_url: None,
        }
    }

    /// All converters of this project.
    #[must_use]
    pub fn bundled() -> Self {
        let family = serves_all!(
            StringConverter,
            ByteArrayConverter,
            BooleanConverter,
            ShortConverter,
            IntegerConverter,
            LongConverter,
            FloatConverter,
            DoubleConverter
        );
        let kit = family.into_iter().fold(Self::empty(), Self::with);
        kit.with(Factory {
            name: "JsonConverter",
            record: Some(|config, role| Ok(Box::new(JsonConverter::configure(config, role)?))),
            header: Some(|config| Ok(Box::new(JsonConverter::configure_for_headers(config)?))),
        })
        .with(Factory {
            name: "AvroConverter",
            record: Some(|config, role| Ok(Box::new(AvroConverter::configure(config, role)?))),
            header: None,
        })
        .with(Factory {
            name: "ProtobufConverter",
            record: Some(|config, role| Ok(Box::new(ProtobufConverter::configure(config, role)?))),
            header: None,
        })
        .with(Factory {
            name: "JsonSchemaConverter",
            record: Some(|config, role| {
                Ok(Box::new(JsonSchemaConverter::configure(config, role)?))
            }),
            header: None,
        })
        .with(Factory {
            name: "SimpleHeaderConverter",
            record: None,
            header: Some(|config| Ok(Box::new(SimpleHeaderConverter::configure(config)?))),
        })
    }

    /// Adds a converter, or replaces the one of the same name.
    #[must_use]
    pub fn with(mut self, factory: Factory) -> Self {
        self.factories.retain(|known| known.name != factory.name);
        self.factories.push(factory);
        self
    }

    /// Asks the registry at a URL (`http://host:port`) instead of our own.
    #[must_use]
    pub fn with_registry(self, url: &str) -> Self {
        Self {
            registry_url: Some(url.to_owned()),
            ..self
        }
    }

    pub(super) fn registry_url(&self) -> Option<&str> {
        self.registry_url.as_deref()
    }

    pub(super) fn find(&self, name: &str) -> Option<Factory> {
        self.factories
            .iter()
            .find(|factory| factory.name == name)
            .copied()
    }
}

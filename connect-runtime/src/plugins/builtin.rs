//! The one list of what is compiled in.

use ferroconnect_converters::config::{ConfigDef, RawConfig};
use ferroconnect_converters::json::{JsonConverter, JsonConverterConfig};
use ferroconnect_converters::{Converter, Error, HeaderConverter, Role};

use super::{Catalog, ConverterFactory, HeaderConverterFactory};

/// Everything that is compiled in, under its Java class name.
pub(super) fn catalog() -> Catalog {
    let catalog = CONVERTERS.iter().fold(Catalog::new(), |catalog, made| catalog.converter(made.class, *made));
    let catalog = HEADER_CONVERTERS.iter().fold(catalog, |catalog, made| catalog.header_converter(made.class, *made));
    #[cfg(feature = "file")]
    let catalog = catalog
        .source("org.apache.kafka.connect.file.FileStreamSourceConnector", crate::connectors::file::source)
        .sink("org.apache.kafka.connect.file.FileStreamSinkConnector", crate::connectors::file::sink);
    catalog
}

#[derive(Clone, Copy)]
struct Made {
    class: &'static str,
    def: fn() -> ConfigDef,
    build: fn(&RawConfig, Role) -> Result<Box<dyn Converter>, Error>,
}

#[derive(Clone, Copy)]
struct MadeForHeaders {
    class: &'static str,
    def: fn() -> ConfigDef,
    build: fn(&RawConfig) -> Result<Box<dyn HeaderConverter>, Error>,
}

const JSON: &str = "org.apache.kafka.connect.json.JsonConverter";

const CONVERTERS: [Made; 1] = [Made {
    class: JSON,
    def: JsonConverterConfig::definition,
    build: |raw, role| Ok(Box::new(JsonConverter::configure(raw, role)?)),
}];

const HEADER_CONVERTERS: [MadeForHeaders; 1] = [MadeForHeaders {
    class: JSON,
    def: JsonConverterConfig::definition,
    build: |raw| Ok(Box::new(JsonConverter::configure_for_headers(raw)?)),
}];

impl ConverterFactory for Made {
    fn config_def(&self) -> ConfigDef {
        (self.def)()
    }

    fn build(&self, role: Role, settings: &RawConfig) -> Result<Box<dyn Converter>, Error> {
        (self.build)(settings, role)
    }
}

impl HeaderConverterFactory for MadeForHeaders {
    fn config_def(&self) -> ConfigDef {
        (self.def)()
    }

    fn build(&self, settings: &RawConfig) -> Result<Box<dyn HeaderConverter>, Error> {
        (self.build)(settings)
    }
}

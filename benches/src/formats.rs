//! The formats that are measured.

use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
use ferroconnect_converters::json::{JsonConverter, JsonConverterConfig};
use ferroconnect_converters::json_schema::{JsonSchemaConverter, JsonSchemaConverterConfig};
use ferroconnect_converters::protobuf::{ProtobufConverter, ProtobufConverterConfig};
use ferroconnect_converters::{Converter, Error, Role};

use crate::shapes::{self, Shape};

/// A format that is measured, with its settings.
#[derive(Debug)]
pub struct Format {
    /// Name in the benchmarks.
    pub name: &'static str,
    /// Settings, as a JVM converter would get them.
    pub config: &'static [(&'static str, &'static str)],
    /// Targets for the bench record in nanoseconds: decode, encode.
    pub(crate) targets_ns: (u32, u32),
    pub(crate) java: Java,
    pub(crate) converter: fn() -> Result<Box<dyn Converter>, Error>,
    pub(crate) shapes: fn() -> Result<Vec<Shape>, Error>,
}

/// What the JVM is measured with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Java {
    /// Apache's converter, in the same run.
    Beside,
    /// Confluent's converter, which `benches/jvm` cannot fetch: what it took for the bench record when it was recorded (decode, encode).
    Recorded(u32, u32),
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "json-schemaless",
        config: &[("schemas.enable", "false")],
        targets_ns: (400, 260),
        java: Java::Beside,
        converter: || {
            Ok(Box::new(JsonConverter::new(JsonConverterConfig {
                schemas_enable: false,
                ..JsonConverterConfig::default()
            })?))
        },
        shapes: shapes::all,
    },
    Format {
        name: "json-envelope",
        config: &[("schemas.enable", "true")],
        targets_ns: (340, 260),
        java: Java::Beside,
        converter: || {
            Ok(Box::new(
                JsonConverter::new(JsonConverterConfig::default())?,
            ))
        },
        shapes: shapes::all,
    },
    Format {
        name: "avro",
        config: &[],
        targets_ns: (160, 90),
        java: Java::Recorded(2064, 1612),
        converter: || {
            let config = AvroConverterConfig::default();
            Ok(Box::new(AvroConverter::new(config, Role::Value)))
        },
        shapes: shapes::with_structures,
    },
    Format {
        name: "protobuf",
        config: &[],
        targets_ns: (180, 110),
        java: Java::Recorded(4319, 7681),
        converter: || {
            let config = ProtobufConverterConfig::default();
            Ok(Box::new(ProtobufConverter::new(config, Role::Value)))
        },
        shapes: shapes::with_structures,
    },
    Format {
        name: "json_schema",
        config: &[],
        targets_ns: (330, 240),
        java: Java::Recorded(2834, 1630),
        converter: || {
            let config = JsonSchemaConverterConfig::default();
            Ok(Box::new(JsonSchemaConverter::new(config, Role::Value)))
        },
        shapes: shapes::with_structures,
    },
];

impl Format {
    /// Whether the Java program in `benches/jvm` measures this format.
    #[must_use]
    pub const fn runs_on_jvm(&self) -> bool {
        matches!(self.java, Java::Beside)
    }
}

//! What is measured, and how.
//!
//! Every benchmark is a named function that converts one record; its result is checked once before it is timed. Times
//! are CPU time of the thread, the minimum of many short runs, because the machines are shared.

mod convert;
mod data_model;
pub mod measure;
pub mod shapes;
pub mod tagged;

use bytes::Bytes;
use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::json::{JsonConverter, JsonConverterConfig};
use ferroconnect_converters::{Converter, Error, Role};
use ferroconnect_registry_client::fake::FakeRegistry;

/// One benchmark: a conversion of one record.
pub struct Benchmark {
    /// `format/shape/direction`.
    pub name: String,
    /// Nanoseconds per record that we want to stay below, if there is a target.
    pub target_ns: Option<u32>,
    /// Bytes of the record in this format.
    pub bytes: usize,
    /// Most allocations that one record may cost.
    pub allocations_max: Option<u64>,
    /// Converts one record.
    pub run: Box<dyn FnMut()>,
}

impl std::fmt::Debug for Benchmark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Benchmark")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A format that is measured, with its settings.
#[derive(Debug)]
pub struct Format {
    /// Name in the benchmarks.
    pub name: &'static str,
    /// Settings, as a JVM converter would get them.
    pub config: &'static [(&'static str, &'static str)],
    /// Targets for the bench record in nanoseconds: decode, encode.
    targets_ns: (u32, u32),
    make: fn() -> Result<Box<dyn Converter>, Error>,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "json-schemaless",
        config: &[("schemas.enable", "false")],
        targets_ns: (400, 260),
        make: || {
            let config = JsonConverterConfig {
                schemas_enable: false,
                ..JsonConverterConfig::default()
            };
            Ok(Box::new(JsonConverter::new(config)?))
        },
    },
    Format {
        name: "json-envelope",
        config: &[("schemas.enable", "true")],
        targets_ns: (340, 260),
        make: || {
            Ok(Box::new(
                JsonConverter::new(JsonConverterConfig::default())?,
            ))
        },
    },
    Format {
        name: "avro",
        config: &[],
        targets_ns: (160, 90),
        make: || {
            let config = AvroConverterConfig::default();
            Ok(Box::new(AvroConverter::new(config, Role::Value)))
        },
    },
];

/// A record in a format, as it is measured.
#[derive(Debug)]
pub struct Sample {
    /// `format/shape`.
    pub name: String,
    /// The format.
    pub format: &'static Format,
    /// What is written: with its schema.
    pub data: SchemaAndValue,
    /// What is read.
    pub bytes: Bytes,
}

/// Every shape in every format.
///
/// # Errors
/// When a shape cannot be converted: the converter is broken.
pub fn samples() -> Result<Vec<Sample>, Error> {
    let mut list = Vec::new();
    for format in FORMATS {
        for shape in shapes::all()? {
            let mut out = Vec::new();
            let mut converter = (format.make)()?;
            let mut registry = FakeRegistry::default();
            convert::settled(&mut *converter, &mut registry, |converter, ctx| {
                converter.from_connect(ctx, &shape.data, &mut out)
            })?;
            let name = format!("{}/{}", format.name, shape.name);
            list.push(Sample {
                name,
                format,
                data: shape.data,
                bytes: out.into(),
            });
        }
    }
    Ok(list)
}

/// All benchmarks.
///
/// # Errors
/// When a record cannot be converted: the converter is broken.
pub fn benchmarks() -> Result<Vec<Benchmark>, Error> {
    let mut list = Vec::new();
    for sample in samples()? {
        let is_bench = sample.name.ends_with("/bench");
        let (decode, encode) = sample.format.targets_ns;
        let target = |ns| is_bench.then_some(ns);
        list.push(Benchmark {
            name: format!("{}/decode", sample.name),
            target_ns: target(decode),
            bytes: sample.bytes.len(),
            // Slots, text, counter block; one more where there is a bytes heap.
            allocations_max: Some(if sample.name.contains("decimal") {
                4
            } else {
                3
            }),
            run: convert::decoding(&sample)?,
        });
        list.push(Benchmark {
            name: format!("{}/encode", sample.name),
            target_ns: target(encode),
            bytes: sample.bytes.len(),
            allocations_max: Some(0),
            run: convert::encoding(&sample)?,
        });
    }
    list.extend(data_model::benchmarks()?);
    Ok(list)
}

//! What is measured, and how.
//!
//! Every benchmark is a named function that converts one record; its result is checked once before it is timed. Times
//! are CPU time of the thread, the minimum of many short runs, because the machines are shared.

mod data_model;
pub mod measure;
pub mod shapes;
pub mod tagged;

use bytes::Bytes;
use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::json::{JsonConverter, JsonConverterConfig};
use ferroconnect_converters::{Converter, Error, Outcome, RecordContext, Role};
use ferroconnect_registry_client::{Registry, fake::FakeRegistry};

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
            settled(&mut *converter, &mut registry, |converter, ctx| {
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
            run: decoding(&sample)?,
        });
        list.push(Benchmark {
            name: format!("{}/encode", sample.name),
            target_ns: target(encode),
            bytes: sample.bytes.len(),
            allocations_max: Some(0),
            run: encoding(&sample)?,
        });
    }
    list.extend(data_model::benchmarks()?);
    Ok(list)
}

/// Makes a call until it needs nothing more from the registry: what a worker does once per schema.
fn settled<T>(
    converter: &mut dyn Converter,
    registry: &mut FakeRegistry,
    mut call: impl FnMut(&mut dyn Converter, &mut RecordContext<'_>) -> Outcome<T>,
) -> Result<T, Error> {
    loop {
        let mut ctx = RecordContext::new("bench", Role::Value);
        match call(converter, &mut ctx) {
            Outcome::Missing(_) => {
                for lookup in converter.unresolved() {
                    converter.install(registry.answer(&lookup));
                }
            }
            done @ (Outcome::Ready(_) | Outcome::Failed(_)) => return done.into_result(),
        }
    }
}

/// A converter that knows all it needs about a sample.
fn prepared(sample: &Sample) -> Result<Box<dyn Converter>, Error> {
    let mut converter = (sample.format.make)()?;
    let mut registry = FakeRegistry::default();
    let mut out = Vec::new();
    settled(&mut *converter, &mut registry, |converter, ctx| {
        converter.from_connect(ctx, &sample.data, &mut out)
    })?;
    settled(&mut *converter, &mut registry, |converter, ctx| {
        converter.to_connect(ctx, Some(&sample.bytes))
    })?;
    Ok(converter)
}

fn decoding(sample: &Sample) -> Result<Box<dyn FnMut()>, Error> {
    let mut converter = prepared(sample)?;
    let bytes = sample.bytes.clone();
    let mut read = move || {
        let mut ctx = RecordContext::new("bench", Role::Value);
        converter.to_connect(&mut ctx, Some(&bytes)).into_result()
    };
    if sample.format.name == "json-envelope" {
        assert_eq!(read()?, sample.data, "{} does not read back", sample.name);
    }
    Ok(Box::new(move || {
        std::hint::black_box(read().ok());
    }))
}

fn encoding(sample: &Sample) -> Result<Box<dyn FnMut()>, Error> {
    let mut converter = prepared(sample)?;
    let data = sample.data.clone();
    let mut out = Vec::with_capacity(sample.bytes.len() * 2);
    let mut write = move || {
        out.clear();
        let mut ctx = RecordContext::new("bench", Role::Value);
        let range = converter
            .from_connect(&mut ctx, &data, &mut out)
            .into_result();
        std::hint::black_box(&out);
        range
    };
    assert_eq!(
        write()?,
        Some(0..sample.bytes.len()),
        "{} is written differently",
        sample.name
    );
    Ok(Box::new(move || {
        std::hint::black_box(write().ok());
    }))
}

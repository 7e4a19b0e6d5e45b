//! Benchmarks of converters: reading and writing a sample.

use ferroconnect_converters::{Error, RecordContext, Role};

use crate::registry::settled;
use crate::{Sample, TOPIC, tagged};

/// Reads a sample; what is read is compared with what was written first.
pub(crate) fn decoding(sample: &Sample) -> Result<Box<dyn FnMut()>, Error> {
    let mut converter = (sample.format.converter)()?;
    let bytes = sample.bytes.clone();
    let mut registry = sample.registry.borrow_mut();
    let read_back = settled(&mut *converter, &mut *registry, |converter| {
        let mut ctx = RecordContext::new(TOPIC, Role::Value);
        converter.to_connect(&mut ctx, Some(&bytes))
    })?;
    match sample.format.name {
        "json-envelope" => assert_eq!(read_back, sample.data, "{} does not read back", sample.name),
        // A Protobuf field has no null: the default is read in its place.
        "protobuf" if is_nullable(&sample.name) => {}
        // The registry's version is part of the schema that is read.
        "avro" | "protobuf" | "json_schema" => assert_eq!(
            tagged::datum(&read_back),
            tagged::datum(&sample.data),
            "{} does not read back",
            sample.name
        ),
        _ => {}
    }
    let mut read = move || {
        let mut ctx = RecordContext::new(TOPIC, Role::Value);
        converter.to_connect(&mut ctx, Some(&bytes)).into_result()
    };
    Ok(Box::new(move || {
        std::hint::black_box(read().ok());
    }))
}

/// Whether the shape has fields that may be null, some of which are.
fn is_nullable(name: &str) -> bool {
    name.ends_with("/optional") || name.ends_with("/unions")
}

/// Writes a sample; the length is compared with the sample's first.
pub(crate) fn encoding(sample: &Sample) -> Result<Box<dyn FnMut()>, Error> {
    let mut converter = (sample.format.converter)()?;
    let data = sample.data.clone();
    let mut out = Vec::with_capacity(sample.bytes.len() * 2);
    let mut registry = sample.registry.borrow_mut();
    settled(&mut *converter, &mut *registry, |converter| {
        let mut ctx = RecordContext::new(TOPIC, Role::Value);
        converter.from_connect(&mut ctx, &data, &mut Vec::new())
    })?;
    let mut write = move || {
        out.clear();
        let mut ctx = RecordContext::new(TOPIC, Role::Value);
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

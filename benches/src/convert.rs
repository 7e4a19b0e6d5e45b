//! Conversions as they are measured: by converters that have met their registry.

use ferroconnect_converters::{Converter, Error, Outcome, RecordContext, Role};
use ferroconnect_registry_client::{Registry, fake::FakeRegistry};

use super::Sample;

/// Makes a call until it needs nothing more from the registry: what a worker does once per schema.
pub(crate) fn settled<T>(
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

pub(crate) fn decoding(sample: &Sample) -> Result<Box<dyn FnMut()>, Error> {
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

pub(crate) fn encoding(sample: &Sample) -> Result<Box<dyn FnMut()>, Error> {
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

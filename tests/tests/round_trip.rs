//! What is written comes back: generated schemas and values through every converter that can carry them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test, a panic with its place is the report"
)]

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{
    Projection, Schema, SchemaAndValue, Type, Value, check, infer_schema, text, write_java_text,
};
use ferroconnect_converters::simple::{
    BooleanConverter, ByteArrayConverter, DoubleConverter, FloatConverter, IntegerConverter,
    LongConverter, ShortConverter, SimpleHeaderConverter, StringConverter,
};
use ferroconnect_converters::{Converter, HeaderContext, HeaderConverter, RecordContext, Role};
use ferroconnect_tests::{generate, tagged};
use proptest::prelude::*;

fn write(converter: &mut dyn Converter, datum: &SchemaAndValue) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut ctx = RecordContext::new("t", Role::Value);
    let range = converter
        .from_connect(&mut ctx, datum, &mut out)
        .into_result()
        .unwrap();
    range.map(|range| out[range].to_vec())
}

fn through(converter: &mut dyn Converter, datum: &SchemaAndValue) -> SchemaAndValue {
    let bytes = write(converter, datum).map(Bytes::from);
    let mut ctx = RecordContext::new("t", Role::Value);
    converter
        .to_connect(&mut ctx, bytes.as_ref())
        .into_result()
        .unwrap()
}

/// The converter that carries a type alone, with the schema it reads back.
fn converter_of(kind: Type) -> Option<(Box<dyn Converter>, Schema)> {
    let config = RawConfig::new();
    let role = Role::Value;
    Some(match kind {
        Type::Int16 => (
            Box::new(ShortConverter::configure(&config, role).unwrap()),
            Schema::optional_int16(),
        ),
        Type::Int32 => (
            Box::new(IntegerConverter::configure(&config, role).unwrap()),
            Schema::optional_int32(),
        ),
        Type::Int64 => (
            Box::new(LongConverter::configure(&config, role).unwrap()),
            Schema::optional_int64(),
        ),
        Type::Float32 => (
            Box::new(FloatConverter::configure(&config, role).unwrap()),
            Schema::optional_float32(),
        ),
        Type::Float64 => (
            Box::new(DoubleConverter::configure(&config, role).unwrap()),
            Schema::optional_float64(),
        ),
        Type::Boolean => (
            Box::new(BooleanConverter::configure(&config, role).unwrap()),
            Schema::optional_boolean(),
        ),
        Type::Bytes => (
            Box::new(ByteArrayConverter::configure(&config, role).unwrap()),
            Schema::optional_bytes(),
        ),
        Type::String => (
            Box::new(StringConverter::configure(&config, role).unwrap()),
            Schema::optional_string(),
        ),
        Type::Int8 | Type::Array | Type::Map | Type::Struct => return None,
    })
}

proptest! {
    #[test]
    fn generated_values_fit_their_schemas(datum in generate::datum()) {
        let schema = datum.schema().unwrap();
        prop_assert!(check::check(schema, datum.value()).is_ok());
    }

    #[test]
    fn primitives_come_back_from_their_own_converter(datum in generate::primitive().prop_flat_map(|s| generate::datum_of(&s))) {
        let schema = datum.schema().unwrap();
        prop_assume!(schema.logical().is_none());
        if let Some((mut converter, read)) = converter_of(schema.kind()) {
            let back = through(&mut *converter, &datum);
            prop_assert_eq!(back.schema(), Some(&read));
            prop_assert_eq!(back.value(), datum.value());
        }
    }

    #[test]
    fn text_comes_back_in_every_encoding_that_has_all_characters(text in generate::text()) {
        for encoding in ["UTF-8", "UTF-16", "UTF-16BE", "UTF-16LE", "x-UTF-16LE-BOM", "UTF-32", "UTF-32LE", "GB18030"] {
            // These two cannot tell text that begins with a mark, or that holds what a mark looks like.
            prop_assume!(!text.contains(['\u{feff}', '\u{fffe}']));
            // GB18030 has private characters of its own.
            prop_assume!(encoding != "GB18030" || text.chars().all(|c| !('\u{e000}'..='\u{f8ff}').contains(&c)));
            let config = RawConfig::from([("converter.encoding".to_owned(), encoding.to_owned())]);
            let mut converter = StringConverter::configure(&config, Role::Value).unwrap();
            let back = through(&mut converter, &text.as_str().into());
            prop_assert_eq!(back.value(), Value::String(&text), "{}", encoding);
        }
    }

    #[test]
    fn java_text_is_written_as_it_is(datum in generate::datum()) {
        let mut converter = StringConverter::configure(&RawConfig::new(), Role::Value).unwrap();
        let mut text = Vec::new();
        if write_java_text(datum.value(), &mut text).is_ok() && !datum.is_null() {
            prop_assert_eq!(write(&mut converter, &datum), Some(text));
        } else {
            // Bytes somewhere inside: refused without a trace.
            prop_assert!(text.is_empty() || datum.is_null());
        }
    }

    #[test]
    fn headers_are_read_as_guessed_and_a_second_trip_changes_nothing(datum in generate::datum()) {
        let mut converter = SimpleHeaderConverter::configure(&RawConfig::new()).unwrap();
        let mut trip = |datum: &SchemaAndValue| {
            let mut out = Vec::new();
            let mut ctx = HeaderContext::new("t", "h");
            converter.from_connect_header(&mut ctx, datum, &mut out).unwrap();
            let bytes = Bytes::from(out);
            let guessed = converter.to_connect_header(&mut ctx, Some(&bytes)).unwrap();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            (text, guessed)
        };
        let (text, guessed) = trip(&datum);
        prop_assert_eq!(&guessed, &text::parse(&text).datum);
        // What was not read as a container or a number is the text itself.
        if let Value::String(kept) = guessed.value() {
            prop_assert_eq!(kept, text);
        }
    }

    #[test]
    fn integers_and_booleans_in_headers_keep_their_value(number in any::<i64>(), truth in any::<bool>()) {
        prop_assert_eq!(text::parse(&number.to_string()).datum.value().as_i64(), Some(number));
        let parsed = text::parse(&truth.to_string());
        prop_assert_eq!(parsed.datum.value(), Value::Boolean(truth));
    }

    #[test]
    fn any_text_is_read_and_nothing_of_a_text_is_lost(input in generate::text()) {
        let parsed = text::parse(&input);
        if let Value::String(text) = parsed.datum.value() {
            prop_assert_eq!(text, input);
        } else {
            prop_assert!(parsed.difference.is_none());
        }
    }

    #[test]
    fn text_made_of_delimiters_is_read(input in "[\\[\\]{},:\"\\\\ 0-9a-z.+-]{0,40}") {
        let parsed = text::parse(&input);
        let schema = parsed.datum.schema();
        prop_assert!(schema.is_some() || parsed.datum.is_null());
    }

    #[test]
    fn the_tagged_form_comes_back(datum in generate::datum()) {
        let schema = tagged::schema_from(&tagged::schema_to(datum.schema())).unwrap();
        prop_assert_eq!(schema.as_ref(), datum.schema());
        let form = tagged::value_to(datum.value(), datum.schema());
        let back = tagged::value_from(schema, &form).unwrap();
        prop_assert_eq!(&back, &datum);
        // Bits, not only equality.
        prop_assert_eq!(tagged::value_to(back.value(), back.schema()), form);
    }

    #[test]
    fn the_tagged_form_of_values_without_a_schema_comes_back(datum in generate::untyped()) {
        let form = tagged::value_to(datum.value(), None);
        prop_assert_eq!(tagged::value_from(None, &form).unwrap(), datum);
    }

    #[test]
    fn projection_to_an_equal_schema_changes_nothing(datum in generate::datum()) {
        let schema = datum.schema().unwrap();
        let projection = Projection::compile(schema, &schema.clone()).unwrap();
        prop_assert_eq!(projection.project(&datum).unwrap(), datum);
    }

    #[test]
    fn copies_are_equal(datum in generate::datum()) {
        let copy = SchemaAndValue::from(datum.value()).with_schema(datum.schema().cloned());
        prop_assert_eq!(copy, datum);
    }

    #[test]
    fn an_inferred_schema_takes_its_value(datum in generate::untyped()) {
        if let Some(schema) = infer_schema(datum.value()) {
            prop_assert!(check::check(&schema, datum.with_schema(Some(schema.clone())).value()).is_ok());
        }
    }
}

//! Any text as an Avro schema and as a JSON Schema.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use ferroconnect_converters::avro::{
    AvroSchema, DifferenceKind, Resolution, Strictness, crc_64_avro,
};
use ferroconnect_converters::json_schema::{JsonSchemaForm, canonical_text};

/// A text is refused, or it is a schema that prints to a text of the same schema, has a normal form that is its own normal
/// form, and understands itself.
pub fn schema_parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for strictness in [Strictness::New, Strictness::Library, Strictness::Registered] {
        if let Ok(schema) = AvroSchema::parse_with(&text, &[], strictness) {
            avro(&schema, strictness);
        }
    }
    for form in [JsonSchemaForm::Stored, JsonSchemaForm::Normal] {
        if let Ok((kept, root)) = canonical_text(&text, form) {
            assert_eq!(canonical_text(&kept, form), Ok((kept.clone(), root)));
        }
    }
}

fn avro(schema: &AvroSchema, strictness: Strictness) {
    let printed = schema
        .to_text()
        .unwrap_or_else(|e| panic!("what was read can be printed: {e}"));
    let again = AvroSchema::parse_with(&printed, &[], strictness)
        .unwrap_or_else(|e| panic!("{printed}: {e}"));
    assert_eq!(again.to_text().ok().as_deref(), Some(printed.as_str()));
    assert!(schema.redefinition().is_none(), "{printed}");

    let normal = |text: &str| AvroSchema::registered_text(text, &[], strictness, true);
    if let Ok(once) = normal(&printed) {
        let twice = normal(&once).unwrap_or_else(|e| panic!("{once}: {e}"));
        assert_eq!(twice, once);
    }

    let form = schema
        .parsing_form()
        .unwrap_or_else(|e| panic!("what was read can be printed: {e}"));
    assert_eq!(again.parsing_form().ok(), Some(form.clone()));
    assert_eq!(
        schema.fingerprint().ok(),
        Some(crc_64_avro(form.as_bytes()))
    );

    if let Ok(differences) = schema.differences_from(&again) {
        // A field that names another one as its alias is found twice.
        let expected = |kind| kind == DifferenceKind::AmbiguousField;
        assert!(
            differences.iter().all(|found| expected(found.kind)),
            "{printed}: {differences:?}"
        );
    }
    if let Ok(resolution) = Resolution::new(schema, &again) {
        assert_eq!(resolution.error(), None, "{printed}");
    }
}

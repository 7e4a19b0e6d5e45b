//! Any text through the guessing parser of header values.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{Value, check::check, text};
use ferroconnect_converters::simple::SimpleHeaderConverter;
use ferroconnect_converters::{HeaderContext, HeaderConverter};

/// Parsing never panics and never fails; a flat value fits the schema that was guessed; its text form is a text that parses, and
/// from the second turn on text and value repeat each other.
pub fn values_text(bytes: &[u8]) {
    let mut converter = SimpleHeaderConverter::configure(&RawConfig::new())
        .unwrap_or_else(|e| panic!("it has no settings: {e}"));
    let mut ctx = HeaderContext::new("fuzz", "h");
    let raw = Bytes::copy_from_slice(bytes);
    let header = converter.to_connect_header(&mut ctx, Some(&raw));
    let Ok(input) = std::str::from_utf8(bytes) else {
        return;
    };
    let parsed = text::parse(input).datum;
    assert_eq!(
        header.unwrap_or_else(|e| panic!("every text is at least a text: {e}")),
        parsed
    );
    if let (Some(schema), false) = (parsed.schema(), may_misfit(parsed.value(), 0)) {
        check(schema, parsed.value()).unwrap_or_else(|e| panic!("{e}"));
    }
    let once = written(parsed.value());
    // Backslashes stay in the value, as in Java, and are escaped again with each turn.
    if once.contains('\\') {
        return;
    }
    let again = text::parse(&once).datum;
    let twice = written(again.value());
    assert_eq!(
        written(text::parse(&twice).datum.value()),
        twice,
        "from {input:?}"
    );
}

fn written(value: Value<'_>) -> String {
    let mut out = Vec::new();
    text::write(value, &mut out);
    String::from_utf8(out).unwrap_or_else(|e| panic!("text forms are text: {e}"))
}

/// Whether Java guesses a schema that the value need not fit: mixed content has no element schema, and of containers inside a
/// container the last one's schema counts for all.
fn may_misfit(value: Value<'_>, depth: usize) -> bool {
    match value {
        Value::Array(list) => {
            depth > 0
                || list.element_schema().is_none()
                || list.iter().any(|element| may_misfit(element, 1))
        }
        Value::Map(map) => {
            depth > 0
                || map.key_schema().is_none()
                || map.value_schema().is_none()
                || map
                    .iter()
                    .any(|(k, v)| may_misfit(k, 1) || may_misfit(v, 1))
        }
        Value::Null
        | Value::Boolean(_)
        | Value::Int8(_)
        | Value::Int16(_)
        | Value::Int32(_)
        | Value::Int64(_)
        | Value::Float32(_)
        | Value::Float64(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Timestamp(_)
        | Value::Decimal(_)
        | Value::String(_)
        | Value::Bytes(_)
        | Value::Struct(_) => false,
    }
}

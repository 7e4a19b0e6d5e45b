//! Any text through the guessing parser of header values.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{Value, check::check, text};
use ferroconnect_converters::simple::SimpleHeaderConverter;
use ferroconnect_converters::{HeaderContext, HeaderConverter};

/// Parsing never panics and never fails; the value fits the schema that was guessed; its text form is a text that parses, and
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
    if let (Some(schema), false) = (parsed.schema(), has_open_schema(parsed.value())) {
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

/// Arrays and maps of mixed content have no element schema, which no check accepts.
fn has_open_schema(value: Value<'_>) -> bool {
    match value {
        Value::Array(list) => list.element_schema().is_none() || list.iter().any(has_open_schema),
        Value::Map(map) => {
            map.key_schema().is_none()
                || map.value_schema().is_none()
                || map
                    .iter()
                    .any(|(k, v)| has_open_schema(k) || has_open_schema(v))
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

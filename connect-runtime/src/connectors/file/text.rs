use ferroconnect_converters::data::SchemaAndValue;

/// Appends what Java's `println(value.toString())` prints, without the line end.
pub(super) fn append(out: &mut Vec<u8>, datum: &SchemaAndValue) {
    match datum.value().as_str() {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
}

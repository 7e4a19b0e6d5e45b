use ferroconnect_converters::data::{SchemaAndValue, Value, write_java_text};

use crate::error::Error;

/// Appends what Java's `println(value.toString())` prints, without the line end.
///
/// Bytes are an error: Java prints the address of the array there, from which nobody gets the bytes back.
pub(super) fn append(out: &mut Vec<u8>, datum: &SchemaAndValue) -> Result<(), Error> {
    if let Value::String(text) = datum.value() {
        out.extend_from_slice(text.as_bytes());
    } else {
        write_java_text(datum.value(), out)?;
    }
    Ok(())
}

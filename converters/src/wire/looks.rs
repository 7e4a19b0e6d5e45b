//! What bytes look like: for the error that a converter gives when it meets another converter's records.

use std::fmt;

use ferroconnect_registry_client::{SchemaGuid, SchemaId};

use super::frame::{Identity, Layout, read_prefix};
use crate::limits::RECOGNISE_BYTES_MAX;

/// What the bytes of a record look like. A guess for a person to read, never a decision: only the
/// configuration decides how a record is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// No bytes at all.
    Empty,
    /// `00` and a schema id.
    FramedId(SchemaId),
    /// `01` and a schema GUID.
    FramedGuid(SchemaGuid),
    /// A JSON object with `schema` and `payload`: the envelope of JsonConverter.
    JsonEnvelope,
    /// Another JSON object.
    JsonObject,
    /// A JSON array.
    JsonArray,
    /// An Avro object container file (`Obj` and the byte 1).
    AvroFile,
    /// Other text in UTF-8.
    Text,
    /// Anything else.
    Binary,
}

/// Says what bytes look like. Looks at the first [`RECOGNISE_BYTES_MAX`] only.
///
/// ```
/// use ferroconnect_converters::wire::{Looks, recognise};
/// assert_eq!(recognise(b" {\"id\": 7}"), Looks::JsonObject);
/// assert_eq!(
///     recognise(&[0, 0, 0, 0, 7, 2]).to_string(),
///     "a record framed with schema id 7; AvroConverter, ProtobufConverter or JsonSchemaConverter, \
///      with the schema registry it was written with, reads it",
/// );
/// ```
pub fn recognise(bytes: &[u8]) -> Looks {
    let head = bytes.get(..RECOGNISE_BYTES_MAX).unwrap_or(bytes);
    if head.is_empty() {
        return Looks::Empty;
    }
    if head.starts_with(b"Obj\x01") {
        return Looks::AvroFile;
    }
    if let Ok(frame) = read_prefix(head, Layout::Plain) {
        match frame.identity {
            // Registries count from 1; `00 00 00 00 00 …` is rather a number of eight bytes.
            Identity::Id(id) if id.get() > 0 => return Looks::FramedId(id),
            Identity::Guid(guid) if !frame.body.is_empty() => return Looks::FramedGuid(guid),
            Identity::Id(_) | Identity::Guid(_) => {}
        }
    }
    let Some(text) = text(head) else {
        return Looks::Binary;
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_start();
    let inside = text.get(1..).unwrap_or_default().trim_start();
    match text.as_bytes().first() {
        Some(b'{') if !inside.starts_with(['"', '}']) => Looks::Text,
        Some(b'{') if text.contains("\"payload\"") && text.contains("\"schema\"") => {
            Looks::JsonEnvelope
        }
        // In an envelope the schema comes first, and may be longer than what is looked at.
        Some(b'{') if inside.starts_with("\"schema\":{\"type\":") => Looks::JsonEnvelope,
        Some(b'{') => Looks::JsonObject,
        Some(b'[') => Looks::JsonArray,
        Some(_) | None => Looks::Text,
    }
}

impl Looks {
    /// Whether bytes look so because of a structure that others hardly have by chance.
    pub(crate) const fn is_structured(&self) -> bool {
        match self {
            Self::JsonEnvelope | Self::JsonObject | Self::JsonArray | Self::AvroFile => true,
            Self::Empty | Self::FramedId(_) | Self::FramedGuid(_) | Self::Text | Self::Binary => {
                false
            }
        }
    }

    /// Which converter reads such bytes, with the setting it needs; `None` when none is likely.
    pub const fn reader(&self) -> Option<&'static str> {
        match self {
            Self::FramedId(_) | Self::FramedGuid(_) => Some(
                "AvroConverter, ProtobufConverter or JsonSchemaConverter, \
                 with the schema registry it was written with,",
            ),
            Self::JsonEnvelope => Some("JsonConverter with schemas.enable=true"),
            Self::JsonObject | Self::JsonArray => Some("JsonConverter with schemas.enable=false"),
            Self::Text => Some("StringConverter"),
            Self::Binary => Some("ByteArrayConverter"),
            Self::Empty | Self::AvroFile => None,
        }
    }
}

impl fmt::Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no bytes at all")?,
            Self::FramedId(id) => write!(f, "a record framed with schema id {id}")?,
            Self::FramedGuid(guid) => write!(f, "a record framed with schema GUID {guid}")?,
            Self::JsonEnvelope => f.write_str("a JSON envelope with schema and payload")?,
            Self::JsonObject => f.write_str("a JSON object")?,
            Self::JsonArray => f.write_str("a JSON array")?,
            Self::AvroFile => f.write_str("an Avro container file, which is not a record")?,
            Self::Text => f.write_str("plain text")?,
            Self::Binary => f.write_str("binary data")?,
        }
        match self.reader() {
            Some(reader) => write!(f, "; {reader} reads it"),
            None => Ok(()),
        }
    }
}

/// The bytes as text without control characters. A character cut off at the end is left out.
fn text(head: &[u8]) -> Option<&str> {
    let text = match str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && head.len() == RECOGNISE_BYTES_MAX => {
            str::from_utf8(head.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    let printable = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    text.chars().all(printable).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_kind_of_record_is_recognised() {
        let id = SchemaId::new(7).unwrap();
        let guid = SchemaGuid::from_bytes([9; 16]);
        let framed_guid = [&[1][..], &[9; 16], b"x"].concat();
        let table: [(&[u8], Looks); 16] = [
            (b"", Looks::Empty),
            (&[0, 0, 0, 0, 7], Looks::FramedId(id)),
            (b"\0\0\0\0\x07{\"a\":1}", Looks::FramedId(id)),
            (&framed_guid, Looks::FramedGuid(guid)),
            (b"{\"schema\":null,\"payload\":{}}", Looks::JsonEnvelope),
            (b"{\"payload\":1, \"schema\":{}}", Looks::JsonEnvelope),
            (b"{}", Looks::JsonObject),
            (b"\n { \"a\" : 1 }", Looks::JsonObject),
            (b"\xef\xbb\xbf{\"a\":1}", Looks::JsonObject),
            (b"[1,2]", Looks::JsonArray),
            (b"Obj\x01\x04", Looks::AvroFile),
            (b"hello, world", Looks::Text),
            (b"{hello}", Looks::Text),
            ("grüße".as_bytes(), Looks::Text),
            (&[0, 0, 0, 0, 0, 0, 0, 5], Looks::Binary),
            (&[0xff, 0xfe], Looks::Binary),
        ];
        for (bytes, looks) in table {
            assert_eq!(recognise(bytes), looks, "{bytes:x?}");
        }
    }

    #[test]
    fn an_envelope_is_known_by_its_start_when_the_schema_is_long() {
        let schema = "x".repeat(5_000);
        let envelope =
            format!("{{\"schema\":{{\"type\":\"string\",\"doc\":\"{schema}\"}},\"payload\":1}}");
        assert_eq!(recognise(envelope.as_bytes()), Looks::JsonEnvelope);
    }

    #[test]
    fn a_character_cut_by_the_limit_is_still_text() {
        let long = format!("{}ü", "x".repeat(RECOGNISE_BYTES_MAX - 1));
        assert_eq!(recognise(long.as_bytes()), Looks::Text);
        assert_eq!(
            recognise(b"cut \xc3"),
            Looks::Binary,
            "but not one cut by its writer"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_look_like_something_that_can_be_said(bytes: Vec<u8>) {
            prop_assert!(!recognise(&bytes).to_string().is_empty());
        }
    }
}

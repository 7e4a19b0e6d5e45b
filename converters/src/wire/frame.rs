//! The Confluent framing: which schema a record was written with, and where its body begins.
//!
//! The identity of the schema is an id or a GUID; it stands in front of the body or in a record header.
//! Protobuf frames also say which message of the file was written, as a path of indexes.

mod choice;
mod error;
mod indexes;
#[cfg(test)]
mod tests;

pub use choice::{IdReader, IdWriter};
pub use error::{Carrier, FrameError, FrameFault};
pub use indexes::{Indexes, MessageIndexes, parse_index_list};

use ferroconnect_registry_client::{SchemaGuid, SchemaId};

use super::reader::Reader;

/// The record header that carries the identity of the key's schema.
pub const KEY_HEADER: &str = "__key_schema_id";

/// The record header that carries the identity of the value's schema.
pub const VALUE_HEADER: &str = "__value_schema_id";

/// How a frame names its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// Magic byte 0: the registry's number.
    Id(SchemaId),
    /// Magic byte 1: the content name.
    Guid(SchemaGuid),
}

/// What stands between the identity and the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Nothing: Avro and JSON Schema.
    Plain,
    /// Message indexes: Protobuf.
    Indexed,
}

/// A record taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The schema it was written with.
    pub identity: Identity,
    /// Which message of the file; `None` exactly for [`Layout::Plain`].
    pub indexes: Option<Indexes<'a>>,
    /// Where the identity stood. In a header, the whole record is the body.
    pub carrier: Carrier,
    /// The bytes of the format itself.
    pub body: &'a [u8],
    /// Where the body begins, in bytes from the start of the record.
    pub body_at: usize,
}

/// Takes a record apart whose identity stands in front.
///
/// ```
/// use ferroconnect_converters::wire::{Layout, read_prefix};
/// let frame = read_prefix(&[0, 0, 0, 0, 7, 2, 2, 8, 5], Layout::Indexed)?;
/// assert_eq!(frame.indexes.map(|path| path.to_vec()), Some(vec![1]));
/// assert_eq!((frame.body, frame.body_at), (&[8, 5][..], 7));
/// # Ok::<(), ferroconnect_converters::wire::FrameError>(())
/// ```
///
/// # Errors
/// [`FrameError`]: unknown magic byte, negative id, bad message indexes, or too few bytes.
pub fn read_prefix(record: &[u8], layout: Layout) -> Result<Frame<'_>, FrameError> {
    let mut reader = Reader::new(record);
    let (identity, indexes) = read_identity(&mut reader, layout, Carrier::Prefix)?;
    let carrier = Carrier::Prefix;
    Ok(Frame {
        identity,
        indexes,
        carrier,
        body: reader.rest(),
        body_at: reader.at(),
    })
}

/// Takes a record apart whose identity stands in this header value; no byte of the record is touched.
///
/// Bytes of the header after the identity and its indexes are ignored, as Java does.
///
/// # Errors
/// As [`read_prefix`], with offsets in the header value.
pub fn read_header<'a>(
    header: &'a [u8],
    record: &'a [u8],
    layout: Layout,
) -> Result<Frame<'a>, FrameError> {
    let mut reader = Reader::new(header);
    let (identity, indexes) = read_identity(&mut reader, layout, Carrier::Header)?;
    Ok(Frame {
        identity,
        indexes,
        carrier: Carrier::Header,
        body: record,
        body_at: 0,
    })
}

/// The value of the newest header called `name`. A newest one without a value counts as none at all:
/// older ones of the same name are not looked at.
///
/// ```
/// use ferroconnect_converters::wire::{VALUE_HEADER, last_header};
/// let mut headers = vec![(VALUE_HEADER, Some(&b"old"[..])), (VALUE_HEADER, Some(b"new"))];
/// assert_eq!(last_header(headers.iter().copied(), VALUE_HEADER), Some(&b"new"[..]));
/// headers.push((VALUE_HEADER, None));
/// assert_eq!(last_header(headers.iter().copied(), VALUE_HEADER), None);
/// ```
pub fn last_header<'a>(
    headers: impl IntoIterator<Item = (&'a str, Option<&'a [u8]>)>,
    name: &str,
) -> Option<&'a [u8]> {
    headers
        .into_iter()
        .filter(|(key, _)| *key == name)
        .last()
        .and_then(|(_, value)| value)
}

/// Appends the identity and, for Protobuf, the message indexes; the body comes after.
///
/// ```
/// use ferroconnect_converters::wire::{Identity, MessageIndexes, write_prefix};
/// use ferroconnect_registry_client::SchemaId;
/// let id = Identity::Id(SchemaId::new(7).ok_or("negative")?);
/// let mut out = Vec::new();
/// write_prefix(&mut out, id, Some(&MessageIndexes::new([1, 0])?));
/// assert_eq!(out, [0, 0, 0, 0, 7, 4, 2, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_prefix(out: &mut Vec<u8>, identity: Identity, indexes: Option<&MessageIndexes>) {
    match identity {
        Identity::Id(id) => {
            out.push(MAGIC_ID);
            out.extend_from_slice(&id.get().to_be_bytes());
        }
        Identity::Guid(guid) => {
            out.push(MAGIC_GUID);
            out.extend_from_slice(guid.bytes());
        }
    }
    if let Some(indexes) = indexes {
        out.extend_from_slice(indexes.encoded());
    }
}

/// The value of a header that carries the identity: always by GUID, and with the message indexes even
/// when they are `[0]`.
pub fn write_header(guid: SchemaGuid, indexes: Option<&MessageIndexes>) -> Vec<u8> {
    let mut value = Vec::new();
    write_prefix(&mut value, Identity::Guid(guid), indexes);
    value
}

/// Whether a header with this value must be added: not when the newest of its name has it already.
pub fn needs_header(newest: Option<&[u8]>, value: &[u8]) -> bool {
    newest != Some(value)
}

fn read_identity<'a>(
    reader: &mut Reader<'a>,
    layout: Layout,
    carrier: Carrier,
) -> Result<(Identity, Option<Indexes<'a>>), FrameError> {
    let identity = match reader
        .byte()
        .map_err(|short| FrameError::short(carrier, short))?
    {
        MAGIC_ID => {
            let at = reader.at();
            let raw = reader
                .i32_be()
                .map_err(|short| FrameError::short(carrier, short))?;
            let negative = FrameFault::NegativeId { raw };
            Identity::Id(SchemaId::new(raw).ok_or(FrameError {
                carrier,
                at,
                fault: negative,
            })?)
        }
        MAGIC_GUID => {
            let bytes = reader
                .array()
                .map_err(|short| FrameError::short(carrier, short))?;
            Identity::Guid(SchemaGuid::from_bytes(bytes))
        }
        magic => {
            return Err(FrameError {
                carrier,
                at: 0,
                fault: FrameFault::UnknownMagic { magic },
            });
        }
    };
    let indexes = match layout {
        Layout::Plain => None,
        Layout::Indexed => Some(indexes::read(reader, carrier)?),
    };
    Ok((identity, indexes))
}

const MAGIC_ID: u8 = 0;
const MAGIC_GUID: u8 = 1;

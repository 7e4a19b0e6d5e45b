//! [`Heaps`]: from the buffers of a reader to a datum.

use std::sync::Arc;

use bytes::Bytes;

use crate::data::record::{Record, Slot};
use crate::data::{Datum, Schema, SchemaAndValue, utf8};

/// What a reader filled while it read a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heaps<'a> {
    pub(crate) slots: &'a [Slot],
    pub(crate) text: &'a [u8],
    pub(crate) bytes: &'a [u8],
}

/// Slots of a reader's buffers above which they are given back after a record.
pub(crate) const KEPT_SLOTS_MAX: usize = 1 << 16;
/// The same for bytes.
pub(crate) const KEPT_BYTES_MAX: usize = 1 << 20;

/// Bytes of text that are looked at in about the time of one slot.
const BYTES_PER_SLOT: usize = 64;

impl Heaps<'_> {
    /// The datum; `None` when its text is not UTF-8.
    pub(crate) fn finish(&self, schema: Option<&Schema>, root: Slot) -> Option<SchemaAndValue> {
        let schema = schema.cloned();
        if root.stands_alone() {
            return Some(SchemaAndValue::from_parts(schema, Datum::Scalar(root)));
        }
        let text = std::str::from_utf8(self.text).ok()?;
        if let Slot::Text { at, len } = root {
            let text = text.get(at as usize..at as usize + len as usize)?;
            return Some(SchemaAndValue::text(schema, Arc::from(text)));
        }
        // Long text is not read once more for what few pieces tell.
        let few = self.slots.len() < text.len() / BYTES_PER_SLOT;
        if (few || !utf8::is_ascii(text.as_bytes())) && !self.pieces_are_whole(text) {
            return None;
        }
        let bytes = if self.bytes.is_empty() {
            Bytes::new()
        } else {
            Bytes::copy_from_slice(self.bytes)
        };
        if let Slot::Bytes { .. } = root {
            return Some(SchemaAndValue::bytes(schema, bytes));
        }
        let record = Record {
            slots: self.slots.into(),
            text: text.into(),
            bytes,
            schemas: Box::default(),
        };
        Some(SchemaAndValue::from_tree(schema, record, root))
    }

    /// Whether each text ends where a character ends.
    fn pieces_are_whole(&self, text: &str) -> bool {
        self.slots.iter().all(|slot| match slot {
            Slot::Text { at, len } => {
                let (start, end) = (*at as usize, *at as usize + *len as usize);
                text.is_char_boundary(start) && text.is_char_boundary(end)
            }
            Slot::Null
            | Slot::Boolean(_)
            | Slot::Int8(_)
            | Slot::Int16(_)
            | Slot::Int32(_)
            | Slot::Int64(_)
            | Slot::Float32(_)
            | Slot::Float64(_)
            | Slot::Date(_)
            | Slot::Time(_)
            | Slot::Timestamp(_)
            | Slot::Decimal { .. }
            | Slot::BigDecimal { .. }
            | Slot::Bytes { .. }
            | Slot::Array { .. }
            | Slot::Map { .. }
            | Slot::Struct { .. }
            | Slot::Foreign { .. } => true,
        })
    }
}

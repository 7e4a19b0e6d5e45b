//! Bytes as strangers wrote them: a total cursor, varints, and the Confluent framing.
//!
//! ```text
//!  00 | id, 4 bytes big-endian   | [message indexes] | body        prefix, by id
//!  01 | GUID, 16 bytes           | [message indexes] | body        prefix, by content name
//!
//!  header __value_schema_id: 01 | GUID | [message indexes]         the record is the body alone
//! ```
//!
//! Rules of this folder: every function is total (any bytes in, a value or an error out), nothing is
//! indexed, an error knows the byte offset, nothing is allocated in proportion to a number that was read,
//! and what is appended is taken back when a later part fails.
//!
//! ```
//! use ferroconnect_converters::wire::{Identity, Layout, read_prefix};
//!
//! let record = [0x00, 0, 0, 0, 7, b'b', b'o', b'd', b'y'];
//! let frame = read_prefix(&record, Layout::Plain)?;
//! assert!(matches!(frame.identity, Identity::Id(id) if id.get() == 7));
//! assert_eq!(frame.body, b"body");
//!
//! let error = read_prefix(b"{\"a\":1}", Layout::Plain).unwrap_err();
//! assert_eq!(error.at, 0); // 0x7b is no magic byte
//! # Ok::<(), ferroconnect_converters::wire::FrameError>(())
//! ```
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod frame;
mod looks;
mod reader;
mod varint;
mod writer;

pub use frame::{
    Carrier, Frame, FrameError, FrameFault, IdReader, IdWriter, Identity, Indexes, KEY_HEADER,
    Layout, MessageIndexes, VALUE_HEADER, last_header, needs_header, parse_index_list, read_header,
    read_prefix, write_header, write_prefix,
};
pub use looks::{Looks, recognise};
pub use reader::{Reader, ShortRead};
pub use varint::{VarintError, write_i32, write_i64, write_u32, write_u64};
pub use writer::append;
pub(crate) use writer::{SHORT, copy_short};

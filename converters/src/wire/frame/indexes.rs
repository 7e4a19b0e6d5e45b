//! Protobuf message indexes: the path from a file to one of its messages.
//!
//! On the wire: a zigzag varint count, then each index as a zigzag varint. The path `[0]`, by far the
//! most common, is the single byte `00`, so a count of 0 means `[0]` and not "no message".

use super::super::reader::Reader;
use super::super::varint::write_i32;
use super::{Carrier, FrameError, FrameFault};
use crate::limits::MESSAGE_INDEXES_MAX;

/// A path as it stands in a record: checked, but still the record's bytes, so reading one allocates
/// nothing. Two are equal when they lead to the same message, however they are written.
#[derive(Clone, Copy, Debug)]
pub struct Indexes<'a> {
    /// The indexes without their count; empty means `[0]`.
    encoded: &'a [u8],
}

impl<'a> Indexes<'a> {
    /// The indexes from the file down; never empty.
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<'a> {
        let mut reader = Reader::new(self.encoded);
        let first = self.encoded.is_empty().then_some(0);
        // Every index was read once before, so the reads fail only at the end.
        first.into_iter().chain(std::iter::from_fn(move || {
            reader.varint_i32().ok().map(i32::cast_unsigned)
        }))
    }

    /// The indexes as a list.
    pub fn to_vec(&self) -> Vec<u32> {
        self.iter().collect()
    }

    /// Checks the path against a schema: `count` says how many messages stand directly under the message
    /// at this path (under the file for an empty path).
    ///
    /// # Errors
    /// [`FrameFault::NoSuchMessage`] for the first index that leads nowhere.
    ///
    /// ```
    /// use ferroconnect_converters::wire::{FrameFault, Layout, read_prefix};
    /// let frame = read_prefix(&[0, 0, 0, 0, 7, 2, 4], Layout::Indexed)?; // the third message
    /// let path = frame.indexes.ok_or(frame).expect("an indexed frame has a path");
    /// let error = path.check(|_| 2).unwrap_err(); // of a file with two
    /// assert_eq!(error.fault, FrameFault::NoSuchMessage { depth: 0, index: 2, count: 2 });
    /// # Ok::<(), ferroconnect_converters::wire::FrameError>(())
    /// ```
    pub fn check(&self, mut count: impl FnMut(&[u32]) -> usize) -> Result<(), FrameError> {
        let mut path = Vec::new();
        for index in self.iter() {
            let count = count(&path);
            if index as usize >= count {
                let fault = FrameFault::NoSuchMessage {
                    depth: path.len(),
                    index,
                    count,
                };
                return Err(FrameError {
                    carrier: Carrier::Prefix,
                    at: 0,
                    fault,
                });
            }
            path.push(index);
        }
        Ok(())
    }
}

impl PartialEq for Indexes<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Indexes<'_> {}

/// A path as it is written: encoded once per schema, appended per record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageIndexes {
    /// Count and indexes.
    encoded: Box<[u8]>,
    /// Where the indexes begin in `encoded`.
    indexes_at: usize,
}

impl MessageIndexes {
    /// The path of these indexes from the file down.
    ///
    /// ```
    /// use ferroconnect_converters::wire::MessageIndexes;
    /// assert_eq!(MessageIndexes::new([0])?.encoded(), [0x00]);
    /// assert_eq!(MessageIndexes::new([7])?.encoded(), [0x02, 0x0e]);
    /// assert_eq!(MessageIndexes::new([2, 1])?.encoded(), [0x04, 0x04, 0x02]);
    /// assert!(MessageIndexes::new([-1]).is_err());
    /// # Ok::<(), ferroconnect_converters::wire::FrameError>(())
    /// ```
    ///
    /// # Errors
    /// A negative index, or more than [`MESSAGE_INDEXES_MAX`]. An empty list means `[0]`.
    pub fn new(path: impl AsRef<[i32]>) -> Result<Self, FrameError> {
        let path = path.as_ref();
        let config = |fault| FrameError {
            carrier: Carrier::Config,
            at: 0,
            fault,
        };
        let count = path.len();
        if count > MESSAGE_INDEXES_MAX {
            return Err(config(FrameFault::TooManyIndexes { count, left: count }));
        }
        if let Some(index) = path.iter().copied().find(|index| *index < 0) {
            return Err(config(FrameFault::NegativeIndex { index }));
        }
        let mut encoded = Vec::new();
        if path.is_empty() || path == [0] {
            encoded.push(0);
            return Ok(Self {
                encoded: encoded.into(),
                indexes_at: 1,
            });
        }
        // At most MESSAGE_INDEXES_MAX, so the count fits.
        write_i32(&mut encoded, i32::try_from(count).unwrap_or(i32::MAX));
        let indexes_at = encoded.len();
        path.iter()
            .for_each(|index| write_i32(&mut encoded, *index));
        Ok(Self {
            encoded: encoded.into(),
            indexes_at,
        })
    }

    /// The bytes as they are written, count included.
    pub fn encoded(&self) -> &[u8] {
        &self.encoded
    }

    /// The path in its borrowed form.
    pub fn as_indexes(&self) -> Indexes<'_> {
        Indexes {
            encoded: self.encoded.get(self.indexes_at..).unwrap_or_default(),
        }
    }
}

/// The path that `use.message.indexes` spells, for example `0,1`; `None` when a part is no index.
///
/// ```
/// use ferroconnect_converters::wire::parse_index_list;
/// assert_eq!(parse_index_list("0, 1").map(|path| path.as_indexes().to_vec()), Some(vec![0, 1]));
/// assert_eq!(parse_index_list("0,x"), None);
/// assert_eq!(parse_index_list("-1"), None);
/// ```
pub fn parse_index_list(text: &str) -> Option<MessageIndexes> {
    let path: Result<Vec<i32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    MessageIndexes::new(path.ok()?).ok()
}

/// Reads a path. The count is compared with what is left before anything is done with it.
pub(super) fn read<'a>(
    reader: &mut Reader<'a>,
    carrier: Carrier,
) -> Result<Indexes<'a>, FrameError> {
    let at = reader.at();
    let count = reader
        .varint_i32()
        .map_err(|error| FrameError::varint(carrier, error))?;
    let wrong = |at, fault| FrameError { carrier, at, fault };
    let Ok(count) = usize::try_from(count) else {
        return Err(wrong(at, FrameFault::NegativeIndexCount { count }));
    };
    let left = reader.left();
    if count > left || count > MESSAGE_INDEXES_MAX {
        return Err(wrong(at, FrameFault::TooManyIndexes { count, left }));
    }
    let whole = reader.rest();
    for _ in 0..count {
        let at = reader.at();
        let index = reader
            .varint_i32()
            .map_err(|error| FrameError::varint(carrier, error))?;
        if index < 0 {
            return Err(wrong(at, FrameFault::NegativeIndex { index }));
        }
    }
    let used = left.saturating_sub(reader.left());
    Ok(Indexes {
        encoded: whole.get(..used).unwrap_or_default(),
    })
}

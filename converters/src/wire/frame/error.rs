//! What can be wrong with a frame, and where.

use std::fmt;

use super::super::reader::ShortRead;
use super::super::varint::VarintError;
use crate::limits::MESSAGE_INDEXES_MAX;

/// A frame that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameError {
    /// Which bytes `at` counts in.
    pub carrier: Carrier,
    /// Where the trouble is, in bytes from the start of the record or of the header value.
    pub at: usize,
    /// What it is.
    pub fault: FrameFault,
}

/// Where the identity of the schema stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// In front of the body.
    Prefix,
    /// In a record header.
    Header,
    /// In the configuration.
    Config,
}

/// The ways in which a frame can be wrong. All of them are the data's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameFault {
    /// The first byte is neither 0 nor 1.
    UnknownMagic {
        /// The byte.
        magic: u8,
    },
    /// The id is below 0.
    NegativeId {
        /// The number that was read.
        raw: i32,
    },
    /// The bytes end inside the frame.
    Short {
        /// How many bytes are needed at `at`.
        wanted: usize,
        /// How many there are.
        left: usize,
    },
    /// A message index or their count is longer than 5 bytes.
    IndexTooLong,
    /// The count of message indexes is below 0.
    NegativeIndexCount {
        /// The count.
        count: i32,
    },
    /// There are more message indexes than bytes for them, or more than any schema can nest.
    TooManyIndexes {
        /// The count.
        count: usize,
        /// How many bytes are left.
        left: usize,
    },
    /// A message index is below 0.
    NegativeIndex {
        /// The index.
        index: i32,
    },
    /// The schema has no message at this index.
    NoSuchMessage {
        /// How many messages stand above it in the path.
        depth: usize,
        /// The index.
        index: u32,
        /// How many messages the schema has there.
        count: usize,
    },
}

impl FrameError {
    #[cold]
    pub(super) const fn short(carrier: Carrier, short: ShortRead) -> Self {
        let ShortRead { at, wanted, left } = short;
        Self {
            carrier,
            at,
            fault: FrameFault::Short { wanted, left },
        }
    }

    #[cold]
    pub(super) const fn varint(carrier: Carrier, error: VarintError) -> Self {
        match error {
            VarintError::Short(short) => Self::short(carrier, short),
            VarintError::TooLong { at, .. } => Self {
                carrier,
                at,
                fault: FrameFault::IndexTooLong,
            },
        }
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.carrier {
            Carrier::Prefix => "schema prefix",
            Carrier::Header => "schema id header",
            Carrier::Config => "configured schema id",
        };
        write!(f, "bad {place} at byte {}: {}", self.at, self.fault)
    }
}

impl fmt::Display for FrameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMagic { magic } => {
                write!(
                    f,
                    "unknown magic byte {magic:#04x}, 0x00 (id) or 0x01 (GUID) expected"
                )
            }
            Self::NegativeId { raw } => write!(f, "negative schema id {raw}"),
            Self::Short { wanted, left } => {
                write!(f, "the bytes end too early: {wanted} needed, {left} left")
            }
            Self::IndexTooLong => write!(f, "a message index is longer than 5 bytes"),
            Self::NegativeIndexCount { count } => {
                write!(f, "negative count {count} of message indexes")
            }
            Self::TooManyIndexes { count, left } => write!(
                f,
                "{count} message indexes announced, {left} bytes left, \
                 at most {MESSAGE_INDEXES_MAX} allowed"
            ),
            Self::NegativeIndex { index } => write!(f, "negative message index {index}"),
            Self::NoSuchMessage {
                depth,
                index,
                count,
            } => {
                write!(
                    f,
                    "message index {index} at depth {depth}, the schema has {count} there"
                )
            }
        }
    }
}

impl std::error::Error for FrameError {}

//! Varints: seven bits per byte, lowest first, the top bit says that more follow. Signed ones are
//! zigzag (0, -1, 1, -2, … as 0, 1, 2, 3, …).
//!
//! As Java's `ByteUtils` reads them: a number may be written longer than needed (`80 00` is 0), up to 5
//! bytes for 32 bits and 10 for 64; bits of the last byte beyond the width are dropped; a last byte that
//! says more follow is an error. Writing is always shortest.

use std::fmt;

use super::reader::{Reader, ShortRead};
use crate::limits::{VARINT_32_BYTES_MAX, VARINT_64_BYTES_MAX};

impl Reader<'_> {
    /// An unsigned 32-bit varint.
    ///
    /// # Errors
    /// [`VarintError`]; nothing is consumed then.
    ///
    /// ```
    /// use ferroconnect_converters::wire::Reader;
    /// assert_eq!(Reader::new(&[0xac, 0x02]).varint_u32(), Ok(300));
    /// assert_eq!(Reader::new(&[0x80, 0x00]).varint_u32(), Ok(0)); // longer than needed
    /// assert!(Reader::new(&[0x80]).varint_u32().is_err());
    /// ```
    #[allow(
        clippy::cast_possible_truncation,
        reason = "bits beyond the width are dropped, as Java does"
    )]
    pub fn varint_u32(&mut self) -> Result<u32, VarintError> {
        self.varint(VARINT_32_BYTES_MAX).map(|value| value as u32)
    }

    /// An unsigned 64-bit varint.
    ///
    /// # Errors
    /// As [`Reader::varint_u32`].
    pub fn varint_u64(&mut self) -> Result<u64, VarintError> {
        self.varint(VARINT_64_BYTES_MAX)
    }

    /// A signed (zigzag) 32-bit varint.
    ///
    /// # Errors
    /// As [`Reader::varint_u32`].
    ///
    /// ```
    /// use ferroconnect_converters::wire::Reader;
    /// assert_eq!(Reader::new(&[0x03]).varint_i32(), Ok(-2));
    /// assert_eq!(Reader::new(&[0xfe, 0xff, 0xff, 0xff, 0x0f]).varint_i32(), Ok(i32::MAX));
    /// ```
    pub fn varint_i32(&mut self) -> Result<i32, VarintError> {
        self.varint_u32()
            .map(|raw| (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg())
    }

    /// A signed (zigzag) 64-bit varint.
    ///
    /// # Errors
    /// As [`Reader::varint_u32`].
    pub fn varint_i64(&mut self) -> Result<i64, VarintError> {
        self.varint_u64()
            .map(|raw| (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg())
    }

    fn varint(&mut self, bytes_max: usize) -> Result<u64, VarintError> {
        let mut ahead = *self;
        let mut value = 0;
        for shift in (0..).step_by(7).take(bytes_max) {
            let byte = ahead.byte().map_err(VarintError::Short)?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                *self = ahead;
                return Ok(value);
            }
        }
        Err(VarintError::TooLong {
            at: self.at(),
            bytes_max,
        })
    }
}

/// Appends an unsigned 32-bit varint.
///
/// ```
/// use ferroconnect_converters::wire::write_u32;
/// let mut out = Vec::new();
/// write_u32(&mut out, 300);
/// assert_eq!(out, [0xac, 0x02]);
/// ```
pub fn write_u32(out: &mut Vec<u8>, value: u32) {
    write_u64(out, value.into());
}

/// Appends an unsigned 64-bit varint.
pub fn write_u64(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(low_seven(value) | 0x80);
        value >>= 7;
    }
    out.push(low_seven(value));
}

/// Appends a signed (zigzag) 32-bit varint.
///
/// ```
/// use ferroconnect_converters::wire::write_i32;
/// let mut out = Vec::new();
/// [0, -1, 1, 7].into_iter().for_each(|value| write_i32(&mut out, value));
/// assert_eq!(out, [0x00, 0x01, 0x02, 0x0e]);
/// ```
pub fn write_i32(out: &mut Vec<u8>, value: i32) {
    write_u32(out, ((value << 1) ^ (value >> 31)).cast_unsigned());
}

/// Appends a signed (zigzag) 64-bit varint.
pub fn write_i64(out: &mut Vec<u8>, value: i64) {
    write_u64(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

#[allow(clippy::cast_possible_truncation, reason = "masked to seven bits")]
const fn low_seven(value: u64) -> u8 {
    (value & 0x7f) as u8
}

/// What can be wrong with a varint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarintError {
    /// The bytes end inside it.
    Short(ShortRead),
    /// Its last possible byte says that more follow.
    TooLong {
        /// Where it begins, in bytes from the start.
        at: usize,
        /// How many bytes it may have.
        bytes_max: usize,
    },
}

impl VarintError {
    /// Where the trouble is, in bytes from the start.
    pub const fn at(&self) -> usize {
        match self {
            Self::Short(short) => short.at,
            Self::TooLong { at, .. } => *at,
        }
    }
}

impl fmt::Display for VarintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(short) => short.fmt(f),
            Self::TooLong { at, bytes_max } => {
                write!(
                    f,
                    "the varint at byte {at} is longer than {bytes_max} bytes"
                )
            }
        }
    }
}

impl std::error::Error for VarintError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_byte_keeps_only_the_bits_that_fit() {
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x7f]).varint_u32(),
            Ok(u32::MAX)
        );
        let mut ten = [0xff; 10];
        ten[9] = 0x7f;
        assert_eq!(Reader::new(&ten).varint_u64(), Ok(u64::MAX));
    }

    #[test]
    fn one_byte_too_many_is_an_error_at_its_start_and_consumes_nothing() {
        let mut reader = Reader::new(&[9, 0x80, 0x80, 0x80, 0x80, 0x80, 0]);
        reader.byte().unwrap();
        assert_eq!(
            reader.varint_u32(),
            Err(VarintError::TooLong {
                at: 1,
                bytes_max: 5
            })
        );
        assert_eq!(reader.at(), 1);
        assert_eq!(reader.varint_u64(), Ok(0), "six bytes are fine for 64 bits");
    }

    #[test]
    fn an_unfinished_varint_says_where_the_bytes_end() {
        let short = ShortRead {
            at: 2,
            wanted: 1,
            left: 0,
        };
        assert_eq!(
            Reader::new(&[0x80, 0x80]).varint_i64(),
            Err(VarintError::Short(short))
        );
        assert_eq!(VarintError::Short(short).at(), 2);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_and_is_shortest(value: u64) {
            let (low, mut out) = ((value & 0xffff_ffff) as u32, Vec::new());
            write_u64(&mut out, value);
            prop_assert_eq!(out.len(), u64::BITS.saturating_sub(value.leading_zeros()).div_ceil(7).max(1) as usize);
            write_i64(&mut out, value.cast_signed());
            write_u32(&mut out, low);
            write_i32(&mut out, low.cast_signed());
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.varint_u64(), Ok(value));
            prop_assert_eq!(reader.varint_i64(), Ok(value.cast_signed()));
            prop_assert_eq!(reader.varint_u32(), Ok(low));
            prop_assert_eq!(reader.varint_i32(), Ok(low.cast_signed()));
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn any_bytes_give_a_value_or_an_error(bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes);
            while let Ok(value) = reader.varint_u64() {
                let mut shortest = Vec::new();
                write_u64(&mut shortest, value);
                prop_assert_eq!(Reader::new(&shortest).varint_u64(), Ok(value));
            }
            prop_assert!(reader.at() <= bytes.len());
        }
    }
}

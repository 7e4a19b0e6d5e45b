//! Leaves straight from their slots: what most fields of most records are.
//!
//! This words no error and knows no null: what it does not write, [`Encoder::careful`](super::run::Encoder) writes or refuses.

use super::small::{NANOS_PER_MILLI, spread, varint};
use super::{FieldPlace, Key, Step};
use crate::data::record::{Record, Slot};
use crate::wire::SHORT;

/// Seconds of `google.protobuf.Timestamp`: the years 1 to 9999.
pub(super) const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Writes a leaf and says where it ends; `None`, and nothing is written, where the slot is not what the place is for.
#[inline(always)]
pub(super) fn leaf(
    buffer: &mut [u8],
    at: usize,
    place: &FieldPlace,
    record: &Record,
    slot: Slot,
) -> Option<usize> {
    let key = place.key;
    Some(match (place.step, slot) {
        (Step::String, Slot::Text { at: from, len }) => {
            if len == 0 && !place.has_presence {
                return Some(at);
            }
            write_piece(buffer, at, key, record.text.as_bytes(), from, len)
        }
        (Step::Int64, Slot::Int64(v)) => {
            if v == 0 && !place.has_presence {
                return Some(at);
            }
            write_varint(buffer, at, key, v.cast_unsigned())
        }
        (Step::Int32, Slot::Int32(v)) => {
            if v == 0 && !place.has_presence {
                return Some(at);
            }
            write_varint(buffer, at, key, i64::from(v).cast_unsigned())
        }
        (Step::Boolean, Slot::Boolean(v)) => {
            if !v && !place.has_presence {
                return Some(at);
            }
            write_varint(buffer, at, key, v.into())
        }
        (Step::Double, Slot::Float64(v)) => {
            if v.to_bits() == 0 && !place.has_presence {
                return Some(at);
            }
            write_fixed64(buffer, at, key, v.to_bits())
        }
        // Before 1970 and far from it the numbers are long.
        (Step::Timestamp, Slot::Timestamp(v)) if v >= 0 && v / 1_000 <= *SECONDS.end() => {
            timestamp(buffer, at, key, v.cast_unsigned())
        }
        (Step::Decimal, Slot::Decimal { scale, unscaled }) if (0..0x80).contains(&scale) => {
            decimal(buffer, at, key, scale.cast_unsigned(), unscaled)
        }
        _ => return None,
    })
}

/// `google.protobuf.Timestamp`: at most 6 and 5 bytes with their keys, so that its length is one byte.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "at most 13")]
fn timestamp(buffer: &mut [u8], at: usize, key: Key, millis: u64) -> usize {
    let length_at = write_key(buffer, at, key);
    let mut at = length_at + 1;
    let seconds = millis / 1_000;
    if seconds != 0 {
        at = write_varint(buffer, at, Key::byte(0x08), seconds);
    }
    let nanos = millis % 1_000 * NANOS_PER_MILLI;
    if nanos != 0 {
        at = write_varint(buffer, at, Key::byte(0x10), nanos);
    }
    if let Some(length) = buffer.get_mut(length_at) {
        *length = (at - length_at - 1) as u8;
    }
    at
}

/// `confluent.type.Decimal` of up to 64 bits, with a small scale.
#[inline(always)]
fn decimal(buffer: &mut [u8], at: usize, key: Key, scale: u32, unscaled: i64) -> usize {
    let magnitude = (unscaled ^ (unscaled >> 63)).leading_zeros();
    // One bit more than the magnitude has, for the sign.
    let count = (64 - magnitude) / 8 + 1;
    let tail_len = if scale == 0 { 2 } else { 4 };
    let head = (2 + count + tail_len) | 0x0a << 8 | count << 16;
    let shifted = (unscaled << (64 - 8 * count)).cast_unsigned();
    let tail = 0x10 | digits(unscaled) << 8 | 0x18 << 16 | scale << 24;
    let at = write_key(buffer, at, key);
    let at = put(buffer, at, head.into(), 3);
    let at = put(buffer, at, shifted.swap_bytes(), count);
    put(buffer, at, tail.into(), tail_len)
}

/// How many decimal digits a number has; zero has one.
#[inline(always)]
pub(super) const fn digits(number: i64) -> u32 {
    match number.unsigned_abs().checked_ilog10() {
        Some(log) => log + 1,
        None => 1,
    }
}

/// Writes the lowest `len` bytes, the first one lowest: one move of fixed length, of which `len` bytes count.
///
/// Where the buffer ends, nothing is written: the end that is returned tells.
#[inline(always)]
pub(super) fn put(buffer: &mut [u8], at: usize, bytes: u64, len: u32) -> usize {
    if let Some(place) = buffer.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *place = bytes.to_le_bytes();
    }
    at + len as usize
}

#[inline(always)]
pub(super) fn write_key(buffer: &mut [u8], at: usize, key: Key) -> usize {
    put(buffer, at, key.bytes, key.len.into())
}

/// Key and one byte: at most six together.
#[inline(always)]
fn write_short(buffer: &mut [u8], at: usize, key: Key, byte: u64) -> usize {
    let len = u32::from(key.len);
    put(buffer, at, key.bytes | byte << (8 * len), len + 1)
}

/// Key and varint.
#[inline(always)]
pub(super) fn write_varint(buffer: &mut [u8], at: usize, key: Key, value: u64) -> usize {
    if value < 0x80 {
        return write_short(buffer, at, key, value);
    }
    let at = write_key(buffer, at, key);
    if value < 1 << 56 {
        let (bytes, len) = spread(value);
        return put(buffer, at, bytes, len);
    }
    write_longest(buffer, at, value)
}

/// A varint of nine or ten bytes: negative numbers.
#[inline(never)]
fn write_longest(buffer: &mut [u8], at: usize, value: u64) -> usize {
    let (bytes, len) = varint(value);
    write_plain(
        buffer,
        at,
        bytes.to_le_bytes().get(..len as usize).unwrap_or_default(),
    )
}

#[inline(always)]
pub(super) fn write_fixed64(buffer: &mut [u8], at: usize, key: Key, value: u64) -> usize {
    let at = write_key(buffer, at, key);
    put(buffer, at, value, 8)
}

#[inline(always)]
pub(super) fn write_fixed32(buffer: &mut [u8], at: usize, key: Key, value: u32) -> usize {
    let at = write_key(buffer, at, key);
    put(buffer, at, value.into(), 4)
}

/// Bytes of a heap with key and length in front.
#[inline(always)]
fn write_piece(buffer: &mut [u8], at: usize, key: Key, heap: &[u8], from: u32, len: u32) -> usize {
    let rest = heap.get(from as usize..).unwrap_or_default();
    let bytes = len as usize;
    match rest.first_chunk::<SHORT>() {
        Some(chunk) if bytes <= SHORT => {
            let at = write_short(buffer, at, key, len.into());
            if let Some(place) = buffer.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *place = *chunk;
            }
            at + bytes
        }
        Some(_) | None => write_bytes(buffer, at, key, rest.get(..bytes).unwrap_or_default()),
    }
}

/// Bytes with key and length in front.
#[inline(never)]
pub(super) fn write_bytes(buffer: &mut [u8], at: usize, key: Key, bytes: &[u8]) -> usize {
    let at = write_varint(buffer, at, key, bytes.len() as u64);
    write_plain(buffer, at, bytes)
}

pub(super) fn write_plain(buffer: &mut [u8], at: usize, bytes: &[u8]) -> usize {
    let end = at + bytes.len();
    if let Some(place) = buffer.get_mut(at..end) {
        place.copy_from_slice(bytes);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Decimal;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_of_the_text(number: i64, shift in 0u32..64) {
            let number = number >> shift;
            let text = Decimal::new(i128::from(number).abs(), 0).to_string();
            prop_assert_eq!(digits(number) as usize, text.len());
        }
    }
}

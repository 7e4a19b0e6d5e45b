//! Leaves straight from their slots: what most fields of most records are.
//!
//! This words no error and knows no null: what it does not write, [`Encoder::careful`] writes or refuses.

use super::run::Encoder;
use super::small::{NANOS_PER_MILLI, varint};
use super::{FieldPlace, Key, Step};
use crate::data::record::{Record, Slot};
use crate::wire::{SHORT, copy_short};

/// Seconds of `google.protobuf.Timestamp`: the years 1 to 9999.
pub(super) const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

impl Encoder<'_> {
    /// Writes a leaf; false, and nothing is written, where the slot is not what the place is for.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a length of at most 8")]
    pub(super) fn leaf(&mut self, place: &FieldPlace, record: &Record, slot: Slot) -> bool {
        let key = place.key;
        let out = &mut *self.out;
        match (place.step, slot) {
            (Step::String, Slot::Text { at, len }) => {
                if len > 0 || place.has_presence {
                    write_piece(key, record.text.as_bytes(), at, len, out);
                }
            }
            (Step::Int64, Slot::Int64(v)) => {
                if v != 0 || place.has_presence {
                    write_varint(key, v.cast_unsigned(), out);
                }
            }
            (Step::Int32, Slot::Int32(v)) => {
                if v != 0 || place.has_presence {
                    write_varint(key, i64::from(v).cast_unsigned(), out);
                }
            }
            (Step::Boolean, Slot::Boolean(v)) => {
                if v || place.has_presence {
                    write_varint(key, v.into(), out);
                }
            }
            (Step::Double, Slot::Float64(v)) => {
                if v.to_bits() != 0 || place.has_presence {
                    write_fixed64(key, v.to_bits(), out);
                }
            }
            // Before 1970 and far from it the numbers are long.
            (Step::Timestamp, Slot::Timestamp(v)) if v >= 0 && v / 1_000 <= *SECONDS.end() => {
                let millis = v.cast_unsigned();
                let (mut bytes, mut len) = (0, 0);
                let nanos = millis % 1_000 * NANOS_PER_MILLI;
                if nanos != 0 {
                    let (nanos, more) = varint(nanos);
                    (bytes, len) = (nanos << 8 | 0x10, more + 1);
                }
                let seconds = millis / 1_000;
                if seconds != 0 {
                    let (seconds, more) = varint(seconds);
                    bytes = bytes << (8 * more) | seconds;
                    bytes = bytes << 8 | 0x08;
                    len += more + 1;
                }
                let all = bytes << 8 | u128::from(len);
                write_key(key, out);
                put(all, len + 1, out);
            }
            (Step::Decimal, Slot::Decimal { scale, unscaled }) if (0..0x80).contains(&scale) => {
                let magnitude = (unscaled ^ (unscaled >> 63)).leading_zeros();
                // One bit more than the magnitude has, for the sign.
                let count = (64 - magnitude) / 8 + 1;
                let tail_len = if scale == 0 { 2 } else { 4 };
                let head = u64::from(2 + count + tail_len) | 0x0a << 8 | u64::from(count) << 16;
                let shifted = (unscaled << (64 - 8 * count)).cast_unsigned();
                let body = u128::from(shifted.swap_bytes()) << 24 | u128::from(head);
                write_key(key, out);
                put(body, 3 + count, out);
                let tail = 0x10 | digits(unscaled) << 8 | 0x18 << 16 | scale.cast_unsigned() << 24;
                let end = out.len() + tail_len as usize;
                out.extend_from_slice(&tail.to_le_bytes());
                out.truncate(end);
            }
            _ => return false,
        }
        true
    }
}

/// How many decimal digits a number has; zero has one.
#[inline(always)]
pub(super) const fn digits(number: i64) -> u32 {
    match number.unsigned_abs().checked_ilog10() {
        Some(log) => log + 1,
        None => 1,
    }
}

/// Appends the lowest `len` bytes, the first one lowest: one move of fixed length, cut back.
#[inline(always)]
pub(super) fn put(bytes: u128, len: u32, out: &mut Vec<u8>) {
    let end = out.len() + len as usize;
    out.extend_from_slice(&bytes.to_le_bytes());
    out.truncate(end);
}

/// The key of a field; most are one byte.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the lowest byte")]
pub(super) fn write_key(key: Key, out: &mut Vec<u8>) {
    if key.len == 1 {
        out.push(key.bytes as u8);
    } else {
        let end = out.len() + usize::from(key.len);
        out.extend_from_slice(&key.bytes.to_le_bytes());
        out.truncate(end);
    }
}

/// Key and varint: at most 5 and 10 bytes.
#[inline(always)]
pub(super) fn write_varint(key: Key, value: u64, out: &mut Vec<u8>) {
    let (bytes, len) = varint(value);
    let all = bytes << (8 * u32::from(key.len)) | u128::from(key.bytes);
    put(all, u32::from(key.len) + len, out);
}

#[inline(always)]
pub(super) fn write_fixed64(key: Key, value: u64, out: &mut Vec<u8>) {
    let all = u128::from(value) << (8 * u32::from(key.len)) | u128::from(key.bytes);
    put(all, u32::from(key.len) + 8, out);
}

#[inline(always)]
pub(super) fn write_fixed32(key: Key, value: u32, out: &mut Vec<u8>) {
    let all = u128::from(value) << (8 * u32::from(key.len)) | u128::from(key.bytes);
    put(all, u32::from(key.len) + 4, out);
}

/// Bytes of a heap with key and length in front.
#[inline(always)]
fn write_piece(key: Key, heap: &[u8], at: u32, len: u32, out: &mut Vec<u8>) {
    let rest = heap.get(at as usize..).unwrap_or_default();
    let bytes = len as usize;
    match rest.first_chunk::<SHORT>() {
        Some(chunk) if bytes <= SHORT => {
            write_varint(key, len.into(), out);
            copy_short(chunk, bytes, out);
        }
        Some(_) | None => write_bytes(key, rest.get(..bytes).unwrap_or_default(), out),
    }
}

/// Bytes with key and length in front.
#[inline(never)]
pub(super) fn write_bytes(key: Key, bytes: &[u8], out: &mut Vec<u8>) {
    write_varint(key, bytes.len() as u64, out);
    out.extend_from_slice(bytes);
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

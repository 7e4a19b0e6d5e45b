//! Leaves straight from their slots: what most fields of most records are.
//!
//! This words no error and knows no null: what it does not write, [`Encoder::value`] writes or refuses.

use super::run::Encoder;
use super::{Place, Step};
use crate::data::record::{Record, Slot};
use crate::wire::{SHORT, copy_short};

impl Encoder<'_> {
    /// Writes a leaf; false, and nothing is written, where the slot is not what the place is for.
    #[inline(always)]
    pub(super) fn leaf(&mut self, place: &Place, record: &Record, slot: Slot) -> bool {
        let out = &mut *self.out;
        match (place.step, slot) {
            (Step::String, Slot::Text { at, len }) => {
                branch(place, out);
                write_piece(record.text.as_bytes(), at, len, out);
            }
            (Step::Int64, Slot::Int64(v)) | (Step::Timestamp, Slot::Timestamp(v)) => {
                branch(place, out);
                write_long(out, v);
            }
            (Step::Int32, Slot::Int32(v)) => {
                branch(place, out);
                write_long(out, v.into());
            }
            (Step::Boolean, Slot::Boolean(v)) => {
                branch(place, out);
                out.push(v.into());
            }
            (Step::Float64, Slot::Float64(v)) => {
                branch(place, out);
                out.extend_from_slice(&v.to_le_bytes());
            }
            (Step::Decimal(declared), Slot::Decimal { scale, unscaled }) if scale == declared => {
                branch(place, out);
                write_unscaled(out, unscaled);
            }
            _ => return false,
        }
        true
    }
}

#[inline(always)]
pub(super) fn branch(place: &Place, out: &mut Vec<u8>) {
    if place.branch >= 0 {
        write_long(out, place.branch.into());
    }
}

/// Bytes of a heap with their length in front.
#[inline(always)]
fn write_piece(heap: &[u8], at: u32, len: u32, out: &mut Vec<u8>) {
    let rest = heap.get(at as usize..).unwrap_or_default();
    let bytes = len as usize;
    match rest.first_chunk::<SHORT>() {
        Some(chunk) if bytes <= SHORT => {
            write_long(out, len.into());
            copy_short(chunk, bytes, out);
        }
        Some(_) | None => write_bytes(out, rest.get(..bytes).unwrap_or_default()),
    }
}

/// A two's complement number in as few bytes as hold its sign, the most significant one first, with its length in front.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a length of at most 8")]
fn write_unscaled(out: &mut Vec<u8>, unscaled: i64) {
    let magnitude = (unscaled ^ (unscaled >> 63)).leading_zeros();
    // One bit more than the magnitude has, for the sign.
    let bytes = (64 - magnitude) / 8 + 1;
    let end = out.len() + 1 + bytes as usize;
    out.push(2 * bytes as u8);
    out.extend_from_slice(&(unscaled << (64 - 8 * bytes)).to_be_bytes());
    out.truncate(end);
}

/// Bytes with their length in front.
#[inline(never)]
pub(super) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_count(out, bytes.len());
    out.extend_from_slice(bytes);
}

pub(super) fn write_count(out: &mut Vec<u8>, count: usize) {
    write_long(out, i64::try_from(count).unwrap_or(i64::MAX));
}

/// A zig-zag varint; one byte is by far the most common length.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "checked")]
pub(super) fn write_long(out: &mut Vec<u8>, value: i64) {
    let rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    if rest < 0x80 {
        out.push(rest as u8);
    } else {
        write_longer(out, rest);
    }
}

/// Two to ten bytes. Up to eight are made side by side; they go out in a move of fixed length, which is cut back.
#[inline(never)]
fn write_longer(out: &mut Vec<u8>, rest: u64) {
    if rest >= 1 << 56 {
        return write_longest(out, rest);
    }
    let fours = (rest & 0x0fff_ffff) | ((rest & 0x00ff_ffff_f000_0000) << 4);
    let twos = (fours & 0x0000_3fff_0000_3fff) | ((fours & 0x0fff_c000_0fff_c000) << 2);
    let ones = (twos & 0x007f_007f_007f_007f) | ((twos & 0x3f80_3f80_3f80_3f80) << 1);
    let last = (63 - ones.leading_zeros()) / 8;
    let more = 0x8080_8080_8080_8080 & ((1 << (8 * last)) - 1);
    let end = out.len() + last as usize + 1;
    out.extend_from_slice(&(ones | more).to_le_bytes());
    out.truncate(end);
}

#[cold]
#[expect(clippy::cast_possible_truncation, reason = "masked to seven bits")]
fn write_longest(out: &mut Vec<u8>, mut rest: u64) {
    while rest >= 0x80 {
        out.push((rest as u8) | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_as_the_plain_writer_has_them(value: i64, shift in 0u32..64) {
            let value = value >> shift;
            let (mut ours, mut plain) = (vec![7], vec![7]);
            write_long(&mut ours, value);
            crate::wire::write_i64(&mut plain, value);
            prop_assert_eq!(&ours, &plain);
            write_unscaled(&mut ours, value);
            crate::data::Decimal::new(value.into(), 0)
                .view()
                .with_be_bytes(|bytes| write_bytes(&mut plain, bytes));
            prop_assert_eq!(ours, plain);
        }

        #[test]
        fn text_is_copied_wherever_it_lies(heap: Vec<u8>, at: u8, len: u8) {
            let (at, len) = (usize::from(at).min(heap.len()), usize::from(len));
            let len = len.min(heap.len() - at);
            let (mut ours, mut plain) = (vec![7], vec![7]);
            write_piece(&heap, at.try_into().unwrap(), len.try_into().unwrap(), &mut ours);
            write_bytes(&mut plain, &heap[at..at + len]);
            prop_assert_eq!(ours, plain);
        }
    }
}

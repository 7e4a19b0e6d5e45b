//! Varints, eight bytes at a time: the fast reading of what [`wire::Reader`](crate::wire::Reader) reads byte by byte.

use crate::limits::{VARINT_32_BYTES_MAX, VARINT_64_BYTES_MAX};

/// A varint of up to eight bytes, and what follows it. Nothing when it is longer, or when fewer than eight bytes are left and it takes
/// more than one: then [`varint_64`] reads it.
#[inline(always)]
pub(crate) fn short_varint(rest: &[u8]) -> Option<(u64, &[u8])> {
    let (first, tail) = rest.split_first()?;
    if *first < 0x80 {
        return Some(((*first).into(), tail));
    }
    let word = u64::from_le_bytes(*rest.first_chunk()?);
    let stops = !word & TOP_BITS;
    if stops == 0 {
        return None;
    }
    Some((squeezed(word, stops), rest.get(stop_length(stops)..)?))
}

/// Reads the 64-bit varint at `at`; gives its bits, not unfolded, and the position behind it. Nothing when the bytes end
/// or the number is too long.
#[inline(always)]
pub(crate) fn varint_64(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    match short_varint(bytes.get(at..)?) {
        Some((value, behind)) => Some((value, bytes.len() - behind.len())),
        None => long(bytes, at),
    }
}

/// As [`varint_64`] for 32 bits; bits beyond them are dropped, as Java does.
#[inline(always)]
pub(crate) fn varint_32(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let (value, next) = varint_64(bytes, at)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "Java drops bits beyond the width"
    )]
    (next - at <= VARINT_32_BYTES_MAX).then_some((value as u32, next))
}

/// Zigzag: 0, 1, 2, 3 … stand for 0, -1, 1, -2 …
#[inline(always)]
pub(crate) const fn unfold_64(raw: u64) -> i64 {
    (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg()
}

/// As [`unfold_64`] for 32 bits.
#[inline(always)]
pub(crate) const fn unfold_32(raw: u32) -> i32 {
    (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg()
}

const TOP_BITS: u64 = 0x8080_8080_8080_8080;

/// Bytes up to the first one whose top bit is clear.
#[inline(always)]
const fn stop_length(stops: u64) -> usize {
    stops.trailing_zeros() as usize / 8 + 1
}

/// The seven low bits of each byte up to the stop, side by side.
#[inline(always)]
const fn squeezed(word: u64, stops: u64) -> u64 {
    let kept = word & (stops ^ stops.wrapping_sub(1)) & !TOP_BITS;
    let pairs = (kept & 0x007f_007f_007f_007f) | ((kept & 0x7f00_7f00_7f00_7f00) >> 1);
    let fours = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) >> 2);
    (fours & 0x0000_0000_0fff_ffff) | ((fours & 0x0fff_ffff_0000_0000) >> 4)
}

/// Byte by byte: near the end, and numbers of nine and ten bytes.
#[cold]
#[inline(never)]
fn long(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (place, byte) in bytes
        .get(at..)?
        .iter()
        .enumerate()
        .take(VARINT_64_BYTES_MAX)
    {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if *byte < 0x80 {
            return Some((value, at + place + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Reader, write_i64};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_read_as_byte_by_byte(bytes: Vec<u8>, low in 0u8..3) {
            // Many continuations, or almost none.
            let bytes: Vec<u8> = match low {
                0 => bytes,
                1 => bytes.iter().map(|b| b | 0x80).chain([1]).collect(),
                _ => bytes.iter().map(|b| b & 0x8f).collect(),
            };
            for at in 0..=bytes.len() {
                let mut reader = Reader::new(&bytes);
                reader.take(at).unwrap();
                let long = reader.clone().varint_i64().ok();
                let short = reader.varint_i32().ok();
                prop_assert_eq!(varint_64(&bytes, at).map(|(raw, _)| unfold_64(raw)), long);
                if let Some((raw, rest)) = short_varint(&bytes[at..]) {
                    prop_assert_eq!(varint_64(&bytes, at), Some((raw, bytes.len() - rest.len())));
                }
                prop_assert_eq!(varint_32(&bytes, at).map(|(raw, _)| unfold_32(raw)), short);
            }
        }

        #[test]
        fn what_is_written_is_read(value: i64, behind: Vec<u8>) {
            let mut bytes = Vec::new();
            write_i64(&mut bytes, value);
            let length = bytes.len();
            bytes.extend(behind);
            prop_assert_eq!(varint_64(&bytes, 0).map(|(raw, at)| (unfold_64(raw), at)), Some((value, length)));
        }
    }
}

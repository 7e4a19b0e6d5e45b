//! Small pieces in registers: varints, keys, and the messages that stand for logical types.

/// The varint of a number as bytes of an integer, the first one lowest, and how many there are.
#[inline(always)]
pub(super) const fn varint(value: u64) -> (u128, u32) {
    if value < 0x80 {
        (value as u128, 1)
    } else if value < 1 << 56 {
        let (bytes, len) = spread(value);
        (bytes as u128, len)
    } else {
        longest(value)
    }
}

/// The lowest 56 bits as eight groups of seven, made side by side.
#[inline(always)]
const fn groups(value: u64) -> u64 {
    let fours = (value & 0x0fff_ffff) | ((value & 0x00ff_ffff_f000_0000) << 4);
    let twos = (fours & 0x0000_3fff_0000_3fff) | ((fours & 0x0fff_c000_0fff_c000) << 2);
    (twos & 0x007f_007f_007f_007f) | ((twos & 0x3f80_3f80_3f80_3f80) << 1)
}

/// The varint of a number below 2^56: up to eight bytes.
#[inline(always)]
pub(super) const fn spread(value: u64) -> (u64, u32) {
    let ones = groups(value);
    let last = (63 - (ones | 1).leading_zeros()) / 8;
    let more = 0x8080_8080_8080_8080 & ((1 << (8 * last)) - 1);
    (ones | more, last + 1)
}

/// Nine or ten bytes.
#[inline(never)]
const fn longest(value: u64) -> (u128, u32) {
    let low = groups(value) | 0x8080_8080_8080_8080;
    let (high, len) = spread(value >> 56);
    (low as u128 | (high as u128) << 64, 8 + len)
}

/// A message of a few small fields, in a buffer of fixed size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    bytes: [u8; Self::BYTES],
    len: usize,
}

impl Small {
    /// Four fields of a key byte and a varint.
    const BYTES: usize = 4 * 11;

    const fn new() -> Self {
        Self {
            bytes: [0; Self::BYTES],
            len: 0,
        }
    }

    /// Adds a varint, unless it is zero. `key` is one byte.
    pub(super) fn add(&mut self, key: u8, value: u64) {
        if value == 0 {
            return;
        }
        let (bytes, len) = varint(value);
        let piece = (bytes << 8 | u128::from(key)).to_le_bytes();
        let len = len as usize + 1;
        if let (Some(to), Some(from)) = (
            self.bytes.get_mut(self.len..self.len + len),
            piece.get(..len),
        ) {
            to.copy_from_slice(from);
            self.len += len;
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// `google.type.Date`.
pub(super) fn date(year: u32, month: u32, day: u32) -> Small {
    let mut out = Small::new();
    out.add(0x08, year.into());
    out.add(0x10, month.into());
    out.add(0x18, day.into());
    out
}

/// `google.type.TimeOfDay`. The end of the day is its beginning.
pub(super) fn time_of_day(millis: u32) -> Small {
    let mut out = Small::new();
    out.add(0x08, (millis / 3_600_000 % 24).into());
    out.add(0x10, (millis / 60_000 % 60).into());
    out.add(0x18, (millis / 1_000 % 60).into());
    out.add(0x20, u64::from(millis % 1_000) * NANOS_PER_MILLI);
    out
}

/// `google.protobuf.Timestamp`.
pub(super) fn timestamp(millis: i64) -> Small {
    let mut out = Small::new();
    let nanos = millis.rem_euclid(1_000).cast_unsigned() * NANOS_PER_MILLI;
    out.add(0x08, millis.div_euclid(1_000).cast_unsigned());
    out.add(0x10, nanos);
    out
}

/// Precision and scale of `confluent.type.Decimal`: what follows its value.
pub(super) fn precision_and_scale(precision: u32, scale: i32) -> Small {
    let mut out = Small::new();
    out.add(0x10, precision.into());
    out.add(0x18, i64::from(scale).cast_unsigned());
    out
}

pub(super) const NANOS_PER_MILLI: u64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn varints_are_as_the_plain_writer_has_them(value: u64, shift in 0u32..64) {
            let value = value >> shift;
            let mut plain = Vec::new();
            crate::wire::write_u64(&mut plain, value);
            let (bytes, len) = varint(value);
            prop_assert_eq!(&bytes.to_le_bytes()[..len as usize], &plain[..]);
            prop_assert_eq!(bytes.checked_shr(8 * len).unwrap_or(0), 0);
        }
    }

    #[test]
    fn zeros_are_left_out() {
        assert_eq!(date(2019, 4, 14).bytes(), [8, 0xe3, 0x0f, 16, 4, 24, 14]);
        assert!(time_of_day(0).bytes().is_empty());
        assert!(time_of_day(86_400_000).bytes().is_empty());
        assert_eq!(timestamp(-1_000).bytes()[..2], [8, 0xff]);
        assert_eq!(timestamp(999).bytes(), [16, 0xc0, 0x8f, 0xae, 0xdc, 3]);
        assert_eq!(precision_and_scale(3, 0).bytes(), [16, 3]);
        assert_eq!(precision_and_scale(1, -3).bytes().len(), 2 + 11);
    }
}

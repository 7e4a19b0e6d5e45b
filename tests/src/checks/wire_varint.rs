//! Any bytes through the varints.

use std::fmt::Debug;

use ferroconnect_converters::wire::{
    Reader, VarintError, write_i32, write_i64, write_u32, write_u64,
};

/// Every width and sign: reading never panics and consumes nothing when it fails; all widths agree with a
/// slow reading of the bits; what was read, written again, is shortest and reads back the same.
#[allow(
    clippy::cast_possible_truncation,
    reason = "bits beyond the width are dropped: the rule that is checked here"
)]
pub fn wire_varint(bytes: &[u8]) {
    for at in 0..=bytes.len().min(OFFSETS_MAX) {
        let rest = bytes.get(at..).unwrap_or_default();
        let slow = bits(rest);
        let wide = read(rest, |reader| reader.varint_u64(), write_u64);
        assert_eq!(
            wide,
            slow.filter(|(_, length)| *length <= 10)
                .map(|(bits, _)| bits as u64)
        );
        let narrow = read(rest, |reader| reader.varint_u32(), write_u32);
        assert_eq!(
            narrow,
            slow.filter(|(_, length)| *length <= 5)
                .map(|(bits, _)| bits as u32)
        );

        let signed = read(rest, |reader| reader.varint_i64(), write_i64);
        assert_eq!(signed.map(i128::from), wide.map(|raw| zigzag(raw.into())));
        let signed = read(rest, |reader| reader.varint_i32(), write_i32);
        assert_eq!(signed.map(i128::from), narrow.map(|raw| zigzag(raw.into())));
    }
}

/// Numbers are looked at from each of the first offsets: enough for every length, and quick for long inputs.
const OFFSETS_MAX: usize = 64;

/// Reads one number, checks what holds for every width, and returns it.
fn read<T: Copy + PartialEq + Debug>(
    bytes: &[u8],
    read: fn(&mut Reader<'_>) -> Result<T, VarintError>,
    write: fn(&mut Vec<u8>, T),
) -> Option<T> {
    let mut reader = Reader::new(bytes);
    match read(&mut reader) {
        Ok(value) => {
            let mut out = Vec::new();
            write(&mut out, value);
            assert!(
                out.len() <= reader.at(),
                "{value:?} is not written shortest"
            );
            assert_eq!(read(&mut Reader::new(&out)), Ok(value));
            Some(value)
        }
        Err(error) => {
            assert_eq!(reader.at(), 0, "a failed read consumes nothing");
            assert!(error.at() <= bytes.len(), "{error:?} points outside");
            None
        }
    }
}

/// 0, 1, 2, 3, … as 0, -1, 1, -2, …: by arithmetic, not by bits.
fn zigzag(raw: i128) -> i128 {
    if raw % 2 == 0 {
        raw / 2
    } else {
        -(raw + 1) / 2
    }
}

/// The slow, obvious reading: all groups of seven bits, and how many bytes they took.
fn bits(bytes: &[u8]) -> Option<(u128, usize)> {
    let length = bytes.iter().take(11).position(|byte| *byte < 0x80)? + 1;
    let groups = bytes.iter().take(length).rev();
    let value = groups.fold(0u128, |value, byte| value << 7 | u128::from(byte & 0x7f));
    Some((value, length))
}

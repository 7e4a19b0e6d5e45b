//! Variants as JSON: a binary form of any JSON value, in two byte strings.
//!
//! `metadata` holds the names of members, `value` a tree whose nodes say their kind in the lowest two bits of their first byte. All
//! offsets count from where the items begin. Source: the variant encoding of Apache Parquet, version 1.

use crate::data::DecimalRef;
use crate::error::{Error, json_schema_write::Kind};
use crate::json::write::{write_base64, write_boolean, write_f32, write_f64, write_integer};
use crate::json_text::text::write_string;
use crate::limits::NESTING_DEPTH_MAX;

/// Appends a variant as JSON. On failure `out` may hold a part of it.
pub(super) fn write(metadata: &[u8], value: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let names = Names::read(metadata).ok_or_else(|| bad("its names cannot be read"))?;
    let mut printer = Printer { names, depth: 0 };
    printer.value(value, out)
}

fn bad(what: &'static str) -> Error {
    Kind::Variant { what }.into()
}

/// The names of members, which values call by number.
struct Names<'a> {
    /// Where the names begin and end, in `text`.
    offsets: Numbers<'a>,
    text: &'a [u8],
}

impl<'a> Names<'a> {
    fn read(metadata: &'a [u8]) -> Option<Self> {
        let (header, rest) = metadata.split_first()?;
        if header & 0x0f != 1 {
            return None;
        }
        let width = usize::from(header >> 6) + 1;
        let (count, rest) = (number(rest, 0, width)?, rest.get(width..)?);
        let (offsets, text) = Numbers::split(rest, count.checked_add(1)?, width)?;
        Some(Self { offsets, text })
    }

    fn get(&self, index: usize) -> Option<&'a str> {
        let (start, end) = (
            self.offsets.get(index)?,
            self.offsets.get(index.checked_add(1)?)?,
        );
        std::str::from_utf8(self.text.get(start..end)?).ok()
    }
}

/// Numbers without a sign, little end first, all of one width.
struct Numbers<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Numbers<'a> {
    /// So many numbers, and what follows them.
    fn split(bytes: &'a [u8], count: usize, width: usize) -> Option<(Self, &'a [u8])> {
        let (bytes, rest) = bytes.split_at_checked(count.checked_mul(width)?)?;
        Some((Self { bytes, width }, rest))
    }

    fn get(&self, index: usize) -> Option<usize> {
        number(self.bytes, index.checked_mul(self.width)?, self.width)
    }
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
    )
}

struct Printer<'a> {
    names: Names<'a>,
    depth: usize,
}

impl Printer<'_> {
    fn value(&mut self, value: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > NESTING_DEPTH_MAX {
            return Err(bad("it nests deeper than 1000 levels"));
        }
        let Some((header, rest)) = value.split_first() else {
            return Err(bad("a value ends before it begins"));
        };
        let kind = header >> 2;
        match header & 3 {
            0 => primitive(kind, rest, out)
                .ok_or_else(|| bad("a value is cut short, or of no known kind"))?,
            1 => text(rest.get(..usize::from(kind)), out)?,
            2 => self.object(kind, rest, out)?,
            _ => self.array(kind, rest, out)?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self, kind: u8, rest: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        const SHORT: &str = "an object is cut short";
        let offset_width = usize::from(kind & 3) + 1;
        let id_width = usize::from(kind >> 2 & 3) + 1;
        let count_width = if kind & 16 == 0 { 1 } else { 4 };
        let parts = || {
            let (count, rest) = (number(rest, 0, count_width)?, rest.get(count_width..)?);
            let (ids, rest) = Numbers::split(rest, count, id_width)?;
            let (offsets, items) = Numbers::split(rest, count.checked_add(1)?, offset_width)?;
            Some((count, ids, offsets, items))
        };
        let (count, ids, offsets, items) = parts().ok_or_else(|| bad(SHORT))?;
        out.push(b'{');
        for index in 0..count {
            if index > 0 {
                out.push(b',');
            }
            let name = ids.get(index).and_then(|id| self.names.get(id));
            write_string(name.ok_or_else(|| bad("a member has no name"))?, out);
            out.push(b':');
            let item = offsets.get(index).and_then(|at| items.get(at..));
            self.value(item.ok_or_else(|| bad(SHORT))?, out)?;
        }
        out.push(b'}');
        Ok(())
    }

    fn array(&mut self, kind: u8, rest: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        const SHORT: &str = "an array is cut short";
        let offset_width = usize::from(kind & 3) + 1;
        let count_width = if kind & 4 == 0 { 1 } else { 4 };
        let parts = || {
            let (count, rest) = (number(rest, 0, count_width)?, rest.get(count_width..)?);
            let (offsets, items) = Numbers::split(rest, count.checked_add(1)?, offset_width)?;
            Some((count, offsets, items))
        };
        let (count, offsets, items) = parts().ok_or_else(|| bad(SHORT))?;
        out.push(b'[');
        for index in 0..count {
            if index > 0 {
                out.push(b',');
            }
            let item = offsets.get(index).and_then(|at| items.get(at..));
            self.value(item.ok_or_else(|| bad(SHORT))?, out)?;
        }
        out.push(b']');
        Ok(())
    }
}

/// A value that holds no others; `None` when it is cut short or of a kind that the encoding does not have.
fn primitive(kind: u8, rest: &[u8], out: &mut Vec<u8>) -> Option<()> {
    match kind {
        0 => out.extend_from_slice(b"null"),
        1 | 2 => write_boolean(kind == 1, out),
        3 => write_integer(i8::from_le_bytes(*rest.first_chunk()?).into(), out),
        4 => write_integer(i16::from_le_bytes(*rest.first_chunk()?).into(), out),
        5 => write_integer(i32::from_le_bytes(*rest.first_chunk()?).into(), out),
        6 => write_integer(i64::from_le_bytes(*rest.first_chunk()?), out),
        7 => write_f64(f64::from_le_bytes(*rest.first_chunk()?), out),
        8..=10 => {
            let (scale, unscaled) = rest.split_first()?;
            let mut bytes = unscaled.get(..4 << (kind - 8))?.to_vec();
            bytes.reverse();
            DecimalRef::from_be_bytes(&bytes, (*scale).into()).write_text(out);
        }
        11 => {
            let days = i32::from_le_bytes(*rest.first_chunk()?);
            out.push(b'"');
            date(days.into(), out);
            out.push(b'"');
        }
        12 | 13 | 18 | 19 => {
            let of_second = if kind < 18 { MICROS } else { NANOS };
            let moment = i64::from_le_bytes(*rest.first_chunk()?);
            let of_day = of_second.per_second * SECONDS_PER_DAY;
            out.push(b'"');
            date(moment.div_euclid(of_day), out);
            out.push(b'T');
            time(moment.rem_euclid(of_day), &of_second, out);
            if matches!(kind, 12 | 18) {
                out.push(b'Z');
            }
            out.push(b'"');
        }
        14 => write_f32(f32::from_le_bytes(*rest.first_chunk()?), out),
        15 => write_base64(sized(rest)?, out),
        16 => write_string(std::str::from_utf8(sized(rest)?).ok()?, out),
        17 => {
            let of_day = i64::from_le_bytes(*rest.first_chunk()?);
            out.push(b'"');
            time(
                of_day.rem_euclid(MICROS.per_second * SECONDS_PER_DAY),
                &MICROS,
                out,
            );
            out.push(b'"');
        }
        20 => {
            let bytes: &[u8; 16] = rest.first_chunk()?;
            out.push(b'"');
            for (index, byte) in bytes.iter().enumerate() {
                if matches!(index, 4 | 6 | 8 | 10) {
                    out.push(b'-');
                }
                let digit = |four: u8| b"0123456789abcdef"[usize::from(four & 15)];
                out.extend_from_slice(&[digit(byte >> 4), digit(*byte)]);
            }
            out.push(b'"');
        }
        _ => return None,
    }
    Some(())
}

/// Bytes with their length in front.
fn sized(rest: &[u8]) -> Option<&[u8]> {
    let length = number(rest, 0, 4)?;
    rest.get(4..4_usize.checked_add(length)?)
}

fn text(bytes: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
    let bytes = bytes.ok_or_else(|| bad("a text is cut short"))?;
    let text = std::str::from_utf8(bytes).map_err(|_| bad("a text is no UTF-8"))?;
    write_string(text, out);
    Ok(())
}

/// Parts of a second that moments are counted in.
struct Fraction {
    per_second: i64,
    digits: usize,
}

const MICROS: Fraction = Fraction {
    per_second: 1_000_000,
    digits: 6,
};
const NANOS: Fraction = Fraction {
    per_second: 1_000_000_000,
    digits: 9,
};
const SECONDS_PER_DAY: i64 = 86_400;

/// A date of the Gregorian calendar, also before there was one, from days since 1970-01-01.
fn date(days: i64, out: &mut Vec<u8>) {
    // Years begin in March, so that the leap day is the last day of a year; 400 years are a cycle.
    let from = days + 719_468;
    let (cycle, of_cycle) = (from.div_euclid(146_097), from.rem_euclid(146_097));
    let year = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + cycle * 400 + i64::from(month <= 2);
    if year < 0 {
        out.push(b'-');
    }
    padded(year.abs(), 4, out);
    out.push(b'-');
    padded(month, 2, out);
    out.push(b'-');
    padded(day, 2, out);
}

fn time(of_day: i64, fraction: &Fraction, out: &mut Vec<u8>) {
    let seconds = of_day / fraction.per_second;
    padded(seconds / 3_600, 2, out);
    out.push(b':');
    padded(seconds / 60 % 60, 2, out);
    out.push(b':');
    padded(seconds % 60, 2, out);
    let rest = of_day % fraction.per_second;
    if rest != 0 {
        out.push(b'.');
        padded(rest, fraction.digits, out);
    }
}

/// A number that is not negative with at least so many digits.
fn padded(value: i64, width: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value).as_bytes();
    out.extend(std::iter::repeat_n(
        b'0',
        width.saturating_sub(digits.len()),
    ));
    out.extend_from_slice(digits);
}

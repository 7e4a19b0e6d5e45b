//! JSON numbers, fast: whole numbers of 64 bits, and fractions whose value is exact without big arithmetic.

use crate::data::Decimal;
use crate::limits::NUMBER_CHARS_MAX;

/// A number with a point or an exponent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fraction {
    start: usize,
    end: usize,
    negative: bool,
    /// All digits as one integer, when there are few enough.
    digits: Option<u64>,
    /// The value is `digits × 10^exponent`.
    exponent: i32,
    has_exponent: bool,
}

/// This many digits always fit 64 bits.
const DIGITS_MAX: usize = 18;

/// Reads the whole number at `at`: neither point nor exponent, and 64 bits are enough. Gives the position behind it.
#[inline]
pub(super) fn whole(document: &[u8], at: usize) -> Option<(i64, usize)> {
    let negative = document.get(at) == Some(&b'-');
    let start = at + usize::from(negative);
    let mut value = 0u64;
    let digits = document.get(start..)?;
    let mut rest = digits;
    while let Some((eight, tail)) = rest.split_first_chunk::<8>() {
        let Some(eight) = eight_digits(*eight) else {
            break;
        };
        value = value.wrapping_mul(100_000_000).wrapping_add(eight);
        rest = tail;
    }
    let next = loop {
        let Some((byte, tail)) = rest.split_first() else {
            break 0;
        };
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break *byte;
        }
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        rest = tail;
    };
    let count = digits.len() - rest.len();
    if count == 0 || matches!(next, b'.' | b'e' | b'E') {
        return None;
    }
    let end = start + count;
    if count > DIGITS_MAX {
        return long_whole(document, at, end);
    }
    // At most 18 digits: below 2^63.
    Some((
        if negative {
            -value.cast_signed()
        } else {
            value.cast_signed()
        },
        end,
    ))
}

#[cold]
fn long_whole(document: &[u8], at: usize, end: usize) -> Option<(i64, usize)> {
    if end - at > NUMBER_CHARS_MAX {
        return None;
    }
    Some((
        std::str::from_utf8(&document[at..end]).ok()?.parse().ok()?,
        end,
    ))
}

/// Reads the number with a point or an exponent at `at`.
pub(super) fn fraction(document: &[u8], at: usize) -> Option<Fraction> {
    let negative = document.get(at) == Some(&b'-');
    let first = at + usize::from(negative);
    let mut end = first;
    let mut digits = Some(0u64);
    end += take_digits(document, end, &mut digits);
    if end == first {
        return None;
    }
    let mut exponent = 0i32;
    if document.get(end) == Some(&b'.') {
        let count = take_digits(document, end + 1, &mut digits);
        if count == 0 {
            return None;
        }
        end += 1 + count;
        exponent = -i32::try_from(count).ok()?;
    }
    let has_exponent = matches!(document.get(end), Some(b'e' | b'E'));
    if has_exponent {
        end += 1;
        let minus = document.get(end) == Some(&b'-');
        end += usize::from(matches!(document.get(end), Some(b'+' | b'-')));
        let mut written = Some(0);
        let count = take_digits(document, end, &mut written);
        // Four digits are more than any double has; longer ones are for the definition.
        if count == 0 || count > 4 {
            return None;
        }
        end += count;
        let written = i32::try_from(written?).ok()?;
        exponent += if minus { -written } else { written };
    }
    let whole = exponent == 0 && !has_exponent;
    if whole || end - at > NUMBER_CHARS_MAX {
        return None;
    }
    Some(Fraction {
        start: at,
        end,
        negative,
        digits,
        exponent,
        has_exponent,
    })
}

/// Adds the digits at `at` to a number, which becomes `None` when it outgrows 64 bits; gives their count.
#[inline]
fn take_digits(document: &[u8], at: usize, number: &mut Option<u64>) -> usize {
    let rest = document.get(at..).unwrap_or_default();
    let mut count = 0;
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        *number = number.and_then(|sum| sum.checked_mul(10)?.checked_add(digit.into()));
        count += 1;
    }
    count
}

/// The value of eight ASCII digits; `None` when one of them is none. All eight are tested and added at once.
#[inline]
const fn eight_digits(word: [u8; 8]) -> Option<u64> {
    let word = u64::from_le_bytes(word);
    let zeros = 0x3030_3030_3030_3030;
    // A digit has 3 as its high half, and adding 6 to its low half does not carry.
    let high = word & 0xf0f0_f0f0_f0f0_f0f0;
    let carry = word.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    if high != zeros || carry != zeros {
        return None;
    }
    let pairs = (word - zeros)
        .wrapping_mul(10)
        .wrapping_add((word - zeros) >> 8);
    let pairs = pairs & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    Some(
        (fours & 0xffff_ffff)
            .wrapping_mul(10_000)
            .wrapping_add(fours >> 32),
    )
}

/// Powers of ten that a double holds exactly.
const EXACT_64: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

impl Fraction {
    /// Position behind the number.
    pub(super) const fn end(&self) -> usize {
        self.end
    }

    /// The nearest double. `None` for a negative zero: the definition notes that difference.
    pub(super) fn to_f64(self, document: &[u8]) -> Option<f64> {
        let text = std::str::from_utf8(&document[self.start..self.end]).ok()?;
        if let Some(digits) = self.digits {
            if digits == 0 && self.negative {
                return None;
            }
            // Both factors are exact, so the one operation rounds correctly (Clinger's fast path).
            let power = EXACT_64.get(self.exponent.unsigned_abs() as usize);
            if digits < 1 << 53
                && let Some(power) = power
            {
                #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
                let digits = digits as f64;
                let value = if self.exponent < 0 {
                    digits / power
                } else {
                    digits * power
                };
                return Some(if self.negative { -value } else { value });
            }
        }
        let value: f64 = text.parse().ok()?;
        // Without its digits at hand a zero could be a negative zero.
        if value == 0.0 && self.negative {
            None
        } else {
            Some(value)
        }
    }

    /// The nearest single precision number.
    pub(super) fn to_f32(self, document: &[u8]) -> Option<f32> {
        let value: f32 = std::str::from_utf8(&document[self.start..self.end])
            .ok()?
            .parse()
            .ok()?;
        if value == 0.0 && self.negative {
            None
        } else {
            Some(value)
        }
    }

    /// Unscaled integer and scale, when the number is written without an exponent and is short.
    pub(super) fn to_small_decimal(self) -> Option<(i64, i32)> {
        let unscaled = i64::try_from(self.digits?).ok()?;
        if self.has_exponent {
            return None;
        }
        Some((
            if self.negative { -unscaled } else { unscaled },
            -self.exponent,
        ))
    }

    /// The number with all its digits.
    pub(super) fn to_decimal(self, document: &[u8]) -> Option<Decimal> {
        Decimal::parse(std::str::from_utf8(&document[self.start..self.end]).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_digits_are_read_at_once() {
        assert_eq!(eight_digits(*b"12345678"), Some(12_345_678));
        assert_eq!(eight_digits(*b"00000000"), Some(0));
        assert_eq!(eight_digits(*b"99999999"), Some(99_999_999));
        for place in 0..8 {
            for b in (0..=255u8).filter(|b| !b.is_ascii_digit()) {
                let mut word = *b"12345678";
                word[place] = b;
                assert_eq!(eight_digits(word), None, "{b:#x} at {place}");
            }
        }
    }

    #[test]
    fn whole_numbers_are_read_to_their_last_digit() {
        for value in [
            0,
            7,
            -7,
            12_345_678,
            -123_456_789,
            1_234_567_890_123,
            i64::MAX,
            i64::MIN,
        ] {
            for tail in ["", ",", "}", " "] {
                let text = format!("{value}{tail}");
                let (read, end) = whole(text.as_bytes(), 0).unwrap();
                assert_eq!((read, &text[end..]), (value, tail));
            }
        }
        for text in [
            "",
            "-",
            "9223372036854775808",
            "-9223372036854775809",
            "x",
            "1.5",
            "1e3",
            "-.5",
        ] {
            assert!(whole(text.as_bytes(), 0).is_none(), "{text}");
        }
    }

    #[test]
    fn fractions_are_the_nearest_number() {
        for text in [
            "1.5",
            "-0.1",
            "1e22",
            "1E-5",
            "123456789.123456789",
            "9007199254740993.0",
            "1e400",
            "0.0",
            "17.00",
        ] {
            let fraction = fraction(text.as_bytes(), 0).unwrap();
            assert_eq!(fraction.end(), text.len());
            let expected: f64 = text.parse().unwrap();
            assert_eq!(
                fraction.to_f64(text.as_bytes()).map(f64::to_bits),
                Some(expected.to_bits()),
                "{text}"
            );
        }
        for text in ["", "-", "1.", "1e", "1e+", ".5", "1e12345", "-x", "17", "99999999999999999999"] {
            assert!(fraction(text.as_bytes(), 0).is_none(), "{text}");
        }
        assert!(
            fraction(b"-0.0", 0).unwrap().to_f64(b"-0.0").is_none(),
            "for the definition"
        );
    }
}

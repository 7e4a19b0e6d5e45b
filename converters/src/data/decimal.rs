//! [`Decimal`]: an unbounded decimal number, exactly `java.math.BigDecimal`'s value and text.

use std::fmt;

use num_bigint::BigInt;

use crate::limits::DECIMAL_DIGITS_MAX;

/// An owned decimal: an unscaled integer of any size and a scale; the value is `unscaled × 10^-scale`.
///
/// Equality is Java's `BigDecimal.equals`: 1.0 and 1.00 differ.
///
/// ```
/// use ferroconnect_converters::data::Decimal;
///
/// let price = Decimal::new(1_999_995, 2);
/// assert_eq!(price.to_string(), "19999.95");
/// assert_eq!(Decimal::new(0, 9).to_string(), "0E-9");
/// assert_eq!(Decimal::parse("1.50"), Some(Decimal::new(150, 2)));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    scale: i32,
    unscaled: Unscaled,
}

/// Integers of up to 64 bits are kept in place; the canonical form is unique, so derived equality is exact.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Unscaled {
    Small(i64),
    /// Shortest big-endian two's complement, longer than 8 bytes.
    Big(Box<[u8]>),
}

/// A borrowed decimal, as [`Value::Decimal`](super::Value::Decimal) gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecimalRef<'a> {
    scale: i32,
    unscaled: UnscaledRef<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum UnscaledRef<'a> {
    Small(i64),
    Big(&'a [u8]),
}

impl Decimal {
    /// A decimal from an unscaled integer of up to 128 bits.
    #[must_use]
    pub fn new(unscaled: i128, scale: i32) -> Self {
        match i64::try_from(unscaled) {
            Ok(small) => Self {
                scale,
                unscaled: Unscaled::Small(small),
            },
            Err(_) => Self::from_be_bytes(&unscaled.to_be_bytes(), scale),
        }
    }

    /// A decimal from the unscaled integer's big-endian two's complement of any length; no bytes are zero.
    #[must_use]
    pub fn from_be_bytes(bytes: &[u8], scale: i32) -> Self {
        DecimalRef::from_be_bytes(bytes, scale).to_owned()
    }

    /// Reads the forms that `new BigDecimal(String)` takes: sign, digits, point, exponent.
    ///
    /// `None` when the text is no number, its scale does not fit 32 bits, or it has more digits than
    /// [`DECIMAL_DIGITS_MAX`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let exponent_at = rest.iter().position(|b| matches!(b, b'e' | b'E'));
        let (mantissa, exponent) = match exponent_at {
            Some(at) => (rest.get(..at)?, parse_exponent(rest.get(at + 1..)?)?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.iter().position(|b| *b == b'.') {
            Some(at) => (mantissa.get(..at)?, mantissa.get(at + 1..)?),
            None => (mantissa, &[][..]),
        };
        let digits = || whole.iter().chain(fraction);
        if digits().next().is_none() || !digits().all(u8::is_ascii_digit) {
            return None;
        }
        let scale = i32::try_from(i64::try_from(fraction.len()).ok()? - exponent).ok()?;
        let count = digits().skip_while(|b| **b == b'0').count();
        if count > DECIMAL_DIGITS_MAX {
            return None;
        }
        // 38 digits always fit 127 bits.
        if count <= 38 {
            let magnitude = digits().fold(0i128, |sum, b| sum * 10 + i128::from(b - b'0'));
            return Some(Self::new(
                if negative { -magnitude } else { magnitude },
                scale,
            ));
        }
        let all: Vec<u8> = digits().copied().collect();
        let magnitude = BigInt::parse_bytes(&all, 10)?;
        let unscaled = if negative { -magnitude } else { magnitude };
        Some(Self::from_be_bytes(&unscaled.to_signed_bytes_be(), scale))
    }

    /// A view of this decimal.
    #[must_use]
    pub fn view(&self) -> DecimalRef<'_> {
        let unscaled = match &self.unscaled {
            Unscaled::Small(small) => UnscaledRef::Small(*small),
            Unscaled::Big(bytes) => UnscaledRef::Big(bytes),
        };
        DecimalRef {
            scale: self.scale,
            unscaled,
        }
    }

    /// Digits after the decimal point; negative when zeros stand before it.
    #[must_use]
    pub const fn scale(&self) -> i32 {
        self.scale
    }
}

/// Java takes an optional sign and up to ten significant digits.
fn parse_exponent(text: &[u8]) -> Option<i64> {
    let digits = match text {
        [b'+' | b'-', rest @ ..] => rest,
        rest => rest,
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

impl<'a> DecimalRef<'a> {
    pub(crate) const fn small(unscaled: i64, scale: i32) -> Self {
        Self {
            scale,
            unscaled: UnscaledRef::Small(unscaled),
        }
    }

    /// A decimal over the unscaled integer's big-endian two's complement; redundant sign bytes are dropped.
    #[must_use]
    pub fn from_be_bytes(bytes: &'a [u8], scale: i32) -> Self {
        let bytes = shortest(bytes);
        let unscaled = if bytes.len() <= 8 {
            UnscaledRef::Small(sign_extend_64(bytes))
        } else {
            UnscaledRef::Big(bytes)
        };
        Self { scale, unscaled }
    }

    pub(crate) const fn unscaled(self) -> UnscaledRef<'a> {
        self.unscaled
    }

    /// Digits after the decimal point; negative when zeros stand before it.
    #[must_use]
    pub const fn scale(self) -> i32 {
        self.scale
    }

    /// The unscaled integer when it fits 128 bits.
    #[must_use]
    pub fn unscaled_i128(self) -> Option<i128> {
        match self.unscaled {
            UnscaledRef::Small(small) => Some(i128::from(small)),
            UnscaledRef::Big(bytes) if bytes.len() <= 16 => {
                let fill = if bytes.first().is_some_and(|b| *b >= 0x80) {
                    0xff
                } else {
                    0
                };
                let mut wide = [fill; 16];
                wide[16 - bytes.len()..].copy_from_slice(bytes);
                Some(i128::from_be_bytes(wide))
            }
            UnscaledRef::Big(_) => None,
        }
    }

    /// Runs `use_bytes` on the unscaled integer's shortest big-endian two's complement (zero is one byte).
    pub fn with_be_bytes<T>(self, use_bytes: impl FnOnce(&[u8]) -> T) -> T {
        match self.unscaled {
            UnscaledRef::Small(small) => use_bytes(shortest(&small.to_be_bytes())),
            UnscaledRef::Big(bytes) => use_bytes(bytes),
        }
    }

    /// An owned copy.
    #[must_use]
    pub fn to_owned(self) -> Decimal {
        let unscaled = match self.unscaled {
            UnscaledRef::Small(small) => Unscaled::Small(small),
            UnscaledRef::Big(bytes) => Unscaled::Big(bytes.into()),
        };
        Decimal {
            scale: self.scale,
            unscaled,
        }
    }

    /// Appends the text of `BigDecimal.toString`: plain while that is short, else with an exponent (`1E+3`).
    pub fn write_text(self, out: &mut Vec<u8>) {
        match self.unscaled {
            UnscaledRef::Small(small) => {
                let mut buffer = itoa::Buffer::new();
                let digits = buffer.format(small.unsigned_abs());
                self.lay_out(small < 0, digits.as_bytes(), out);
            }
            UnscaledRef::Big(bytes) => {
                let value = BigInt::from_signed_bytes_be(bytes);
                let digits = value.magnitude().to_str_radix(10);
                self.lay_out(
                    value.sign() == num_bigint::Sign::Minus,
                    digits.as_bytes(),
                    out,
                );
            }
        }
    }

    fn lay_out(self, negative: bool, digits: &[u8], out: &mut Vec<u8>) {
        if negative {
            out.push(b'-');
        }
        let scale = i64::from(self.scale);
        let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
        let adjusted = count - 1 - scale;
        if scale == 0 {
            out.extend_from_slice(digits);
        } else if scale > 0 && adjusted >= -6 {
            let point = count - scale;
            if let Ok(whole @ 1..) = usize::try_from(point) {
                out.extend_from_slice(&digits[..whole]);
                out.push(b'.');
                out.extend_from_slice(&digits[whole..]);
            } else {
                out.extend_from_slice(b"0.");
                out.extend(std::iter::repeat_n(
                    b'0',
                    usize::try_from(-point).unwrap_or(0),
                ));
                out.extend_from_slice(digits);
            }
        } else {
            out.push(digits[0]);
            if digits.len() > 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[1..]);
            }
            if adjusted != 0 {
                out.extend_from_slice(if adjusted > 0 { b"E+" } else { b"E" });
                out.extend_from_slice(itoa::Buffer::new().format(adjusted).as_bytes());
            }
        }
    }
}

impl fmt::Display for DecimalRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write_text(&mut text);
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Debug for DecimalRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Drops leading bytes that only repeat the sign bit; an empty input is zero.
fn shortest(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let [first, second, ..] = rest {
        let redundant = (*first == 0 && *second < 0x80) || (*first == 0xff && *second >= 0x80);
        if !redundant {
            break;
        }
        rest = &rest[1..];
    }
    if rest.is_empty() { &[0] } else { rest }
}

/// `bytes` has 1 to 8 bytes.
fn sign_extend_64(bytes: &[u8]) -> i64 {
    let fill = if bytes.first().is_some_and(|b| *b >= 0x80) {
        -1
    } else {
        0
    };
    bytes.iter().fold(fill, |sum, b| (sum << 8) | i64::from(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_big_decimal_to_string() {
        for (unscaled, scale, text) in [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (0, 6, "0.000000"),
            (0, 7, "0E-7"),
            (0, -3, "0E+3"),
            (1, -3, "1E+3"),
            (123, -3, "1.23E+5"),
            (123, 5, "0.00123"),
            (1, 6, "0.000001"),
            (1, 7, "1E-7"),
            (-15, 1, "-1.5"),
            (-15, 10, "-1.5E-9"),
            (150, 2, "1.50"),
            (i128::MAX, 0, "170141183460469231731687303715884105727"),
            (i128::MIN, 3, "-170141183460469231731687303715884105.728"),
        ] {
            let value = Decimal::new(unscaled, scale);
            assert_eq!(value.to_string(), text);
            assert_eq!(Decimal::parse(text), Some(value), "{text}");
        }
    }

    #[test]
    fn bytes_are_shortest_twos_complement_with_the_sign_kept() {
        // Case C006: negative amounts must be sign-extended, never zero-padded.
        for (value, bytes) in [
            (-12_345, &[0xcf, 0xc7][..]),
            (-1, &[0xff][..]),
            (255, &[0x00, 0xff][..]),
            (0, &[0x00][..]),
            (128, &[0x00, 0x80][..]),
            (-128, &[0x80][..]),
            (
                9_223_372_036_854_775_808,
                &[0, 0x80, 0, 0, 0, 0, 0, 0, 0][..],
            ),
        ] {
            let decimal = Decimal::new(value, 3);
            decimal.view().with_be_bytes(|got| assert_eq!(got, bytes));
            assert_eq!(Decimal::from_be_bytes(bytes, 3), decimal);
            assert_eq!(decimal.view().unscaled_i128(), Some(value));
        }
        assert_eq!(Decimal::from_be_bytes(&[0, 0, 0, 5], 0), Decimal::new(5, 0));
        assert_eq!(Decimal::from_be_bytes(&[0xff; 20], 0), Decimal::new(-1, 0));
    }

    #[test]
    fn numbers_beyond_128_bits_keep_every_digit() {
        let text = "-1234567890123456789012345678901234567890123456789.5";
        let value = Decimal::parse(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(value.view().unscaled_i128(), None);
    }

    #[test]
    fn text_that_is_no_number_is_refused() {
        for text in [
            "",
            "-",
            ".",
            "1e",
            "1e+",
            "e5",
            "1.2.3",
            "0x10",
            "1e99999999999",
            "١",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse("1e5"), Some(Decimal::new(1, -5)));
        assert_eq!(Decimal::parse("+.5"), Some(Decimal::new(5, 1)));
    }
}

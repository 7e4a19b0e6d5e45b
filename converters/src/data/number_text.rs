//! The text of floating point numbers: `Double.toString` and `Float.toString` of JDK 19 and later (shortest form).
//!
//! Digits come from `zmij`; the layout is Java's: plain from 10^-3 up to 10^7, else `d.dddE±x`. Where the shortest form
//! has one digit, Java takes the nearest number of two digits, which differs only among the smallest subnormals
//! (`4.9E-324`, not `5.0E-324`).

/// Below this, the nearest two-digit number may differ from the one-digit one.
const TWO_DIGITS_BELOW_64: f64 = 1e-321;
const TWO_DIGITS_BELOW_32: f32 = 2e-43;

/// Appends a finite double as Java prints it.
#[inline]
pub(crate) fn write_f64(value: f64, out: &mut Vec<u8>) {
    let size = value.abs();
    if (1e-3..1e7).contains(&size) {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else if size != 0.0 && size < TWO_DIGITS_BELOW_64 && has_one_digit(&format!("{value:e}")) {
        lay_out(format!("{value:.1e}").as_bytes(), out);
    } else {
        lay_out(zmij::Buffer::new().format_finite(value).as_bytes(), out);
    }
}

/// Appends a finite float as Java prints it.
#[inline]
pub(crate) fn write_f32(value: f32, out: &mut Vec<u8>) {
    let size = value.abs();
    if (1e-3..1e7).contains(&size) {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else if size != 0.0 && size < TWO_DIGITS_BELOW_32 && has_one_digit(&format!("{value:e}")) {
        lay_out(format!("{value:.1e}").as_bytes(), out);
    } else {
        lay_out(zmij::Buffer::new().format_finite(value).as_bytes(), out);
    }
}

/// Whether a shortest form, `4e-324`, has a single digit.
fn has_one_digit(shortest: &str) -> bool {
    !shortest.contains('.')
}

/// Appends any double, with Java's words for those that are no number.
pub(crate) fn write_any_f64(value: f64, out: &mut Vec<u8>) {
    match not_finite(value) {
        Some(word) => out.extend_from_slice(word.as_bytes()),
        None => write_f64(value, out),
    }
}

/// Appends any float, with Java's words for those that are no number.
pub(crate) fn write_any_f32(value: f32, out: &mut Vec<u8>) {
    match not_finite(value.into()) {
        Some(word) => out.extend_from_slice(word.as_bytes()),
        None => write_f32(value, out),
    }
}

/// Java's word for a value that is no finite number.
pub(crate) const fn not_finite(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value == f64::INFINITY {
        Some("Infinity")
    } else if value == f64::NEG_INFINITY {
        Some("-Infinity")
    } else {
        None
    }
}

/// Lays digits in any usual notation (`-12.5`, `1.5e-7`, `1e23`) out as Java's `d.dddE±x`; zero stays plain.
#[cold]
fn lay_out(text: &[u8], out: &mut Vec<u8>) {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if negative {
        out.push(b'-');
    }
    let split = text.iter().position(|b| *b == b'e').unwrap_or(text.len());
    let (mantissa, exponent) = text.split_at(split);
    let exponent: i32 = std::str::from_utf8(exponent.get(1..).unwrap_or_default())
        .ok()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0);
    let point = mantissa
        .iter()
        .position(|b| *b == b'.')
        .unwrap_or(mantissa.len());
    let digits: Vec<u8> = mantissa
        .iter()
        .copied()
        .filter(u8::is_ascii_digit)
        .collect();
    let Some(first) = digits.iter().position(|b| *b != b'0') else {
        out.extend_from_slice(b"0.0");
        return;
    };
    let last = digits.iter().rposition(|b| *b != b'0').unwrap_or(first);
    // Digits in front of the point, less one, is the exponent of the first digit.
    let place = i32::try_from(point).unwrap_or(0) - 1 - i32::try_from(first).unwrap_or(0);
    out.push(digits[first]);
    out.push(b'.');
    if last > first {
        out.extend_from_slice(&digits[first + 1..=last]);
    } else {
        out.push(b'0');
    }
    out.push(b'E');
    out.extend_from_slice(itoa::Buffer::new().format(exponent + place).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        write_any_f64(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn float(value: f32) -> String {
        let mut out = Vec::new();
        write_any_f32(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn doubles_are_laid_out_as_java_does() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.001, "0.001"),
            (9.999e-4, "9.999E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (12_345_678.0, "1.2345678E7"),
            (123_456_789.125, "1.23456789125E8"),
            (1e21, "1.0E21"),
            (1e23, "1.0E23"),
            (2e23, "2.0E23"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (5e-324, "4.9E-324"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double(value), text);
        }
    }

    #[test]
    fn floats_are_laid_out_as_java_does() {
        for (value, text) in [
            (0.0f32, "0.0"),
            (16_777_216.0, "1.6777216E7"),
            (1e10, "1.0E10"),
            (f32::MAX, "3.4028235E38"),
            (1.4e-45, "1.4E-45"),
            (f32::MIN_POSITIVE, "1.1754944E-38"),
            (33_554_432.0, "3.3554432E7"),
            (0.3, "0.3"),
            (f32::INFINITY, "Infinity"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn the_smallest_subnormals_read_back_as_the_same_bits() {
        for bits in 1..2000u64 {
            let value = f64::from_bits(bits);
            assert_eq!(
                double(value).parse::<f64>().unwrap().to_bits(),
                bits,
                "{}",
                double(value)
            );
        }
        for bits in 1..2000u32 {
            let value = f32::from_bits(bits);
            assert_eq!(
                float(value).parse::<f32>().unwrap().to_bits(),
                bits,
                "{}",
                float(value)
            );
        }
        assert_eq!(double(1.14e-322), "1.14E-322");
        assert_eq!(double(1e-323), "9.9E-324");
    }

    #[test]
    fn every_text_reads_back_as_the_same_bits() {
        let mut bits = 1u64;
        for _ in 0..2000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(bits);
            if value.is_finite() {
                assert_eq!(double(value).parse::<f64>().unwrap().to_bits(), bits);
            }
        }
    }
}

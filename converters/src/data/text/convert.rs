//! Values to other types as Java's `Values.convertTo…` does: numbers are cut like Java casts, text is read as a number.
//!
//! Casts lose what does not fit, as in Java: a transform that must not lose anything checks first.

use num_bigint::{BigInt, Sign};

use crate::data::{Decimal, DecimalRef, Logical, Schema, Value, logical};
use crate::error::{Error, data::Kind};

const A_NUMBER: &str = "a number";

macro_rules! casts {
    ($($name:ident -> $native:ty, $from:ident, $java:literal;)+) => {$(
        #[doc = concat!("The value as a Java `", $java, "`, cut like a Java cast.")]
        ///
        /// # Errors
        /// Data fault for null, and for what is neither number, text of a number, nor a date of a logical schema.
        pub fn $name(schema: Option<&Schema>, value: Value<'_>) -> Result<$native, Error> {
            #[expect(clippy::cast_possible_truncation, reason = "Java's cast")]
            $from(schema, value).map(|wide| wide as $native)
        }
    )+};
}

casts!(
    to_byte -> i8, to_long, "byte";
    to_short -> i16, to_long, "short";
    to_integer -> i32, to_long, "int";
    to_float -> f32, to_double, "float";
);

/// The value as a Java `long`. Fractions are cut towards zero; a date counts in the unit of its logical schema.
///
/// # Errors
/// Data fault for null, and for what is neither number, text of a number, nor a date of a logical schema.
pub fn to_long(schema: Option<&Schema>, value: Value<'_>) -> Result<i64, Error> {
    match value {
        Value::Int8(v) => Ok(v.into()),
        Value::Int16(v) => Ok(v.into()),
        Value::Int32(v) => Ok(v.into()),
        Value::Int64(v) => Ok(v),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "Java's cast, which saturates too"
        )]
        Value::Float32(v) => Ok(v as i64),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "Java's cast, which saturates too"
        )]
        Value::Float64(v) => Ok(v as i64),
        Value::Decimal(v) => Ok(low_bits(v)),
        Value::String(v) => match Decimal::parse(&super::tokens::ascii_digits(v)) {
            Some(decimal) => Ok(low_bits(decimal.view())),
            None => Err(not_convertible(value, A_NUMBER)),
        },
        Value::Date(v) | Value::Time(v) | Value::Timestamp(v) => {
            match schema.and_then(Schema::logical) {
                Some(Logical::Date) => logical::date_to_days(v).map(i64::from),
                Some(Logical::Time) => logical::time_to_millis(v).map(i64::from),
                Some(Logical::Timestamp) => Ok(v),
                Some(Logical::Decimal) | None => Err(not_convertible(value, A_NUMBER)),
            }
        }
        Value::Null => Err(Kind::NullToConvert.into()),
        Value::Boolean(_)
        | Value::Bytes(_)
        | Value::Array(_)
        | Value::Map(_)
        | Value::Struct(_) => Err(not_convertible(value, A_NUMBER)),
    }
}

/// The value as a Java `double`.
///
/// # Errors
/// As [`to_long`].
pub fn to_double(schema: Option<&Schema>, value: Value<'_>) -> Result<f64, Error> {
    match value {
        Value::Float32(v) => Ok(v.into()),
        Value::Float64(v) => Ok(v),
        // A decimal's text is one that Rust parses, correctly rounded.
        Value::Decimal(v) => v
            .to_string()
            .parse()
            .map_err(|_| not_convertible(value, A_NUMBER)),
        Value::String(v) => {
            let text = super::tokens::ascii_digits(v);
            let number = Decimal::parse(&text).and_then(|_| text.parse().ok());
            number.ok_or_else(|| not_convertible(value, A_NUMBER))
        }
        Value::Null
        | Value::Boolean(_)
        | Value::Int8(_)
        | Value::Int16(_)
        | Value::Int32(_)
        | Value::Int64(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::Timestamp(_)
        | Value::Bytes(_)
        | Value::Array(_)
        | Value::Map(_)
        | Value::Struct(_) => to_long(schema, value).map(double_of),
    }
}

/// The value as a Java `boolean`: numbers are true unless 0, text only as `true` and `false`.
///
/// # Errors
/// Data fault for null and for what has no truth.
pub fn to_boolean(schema: Option<&Schema>, value: Value<'_>) -> Result<bool, Error> {
    if let Value::Boolean(truth) = value {
        return Ok(truth);
    }
    match value.as_str().map(super::tokens::trim) {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(_) => Err(not_convertible(value, "boolean")),
        None => to_long(schema, value).map(|number| number != 0),
    }
}

/// The value as a `BigDecimal`: text keeps its digits, a double its shortest text.
///
/// # Errors
/// As [`to_long`].
pub fn to_decimal(schema: Option<&Schema>, value: Value<'_>) -> Result<Decimal, Error> {
    let parsed = if let Value::Decimal(decimal) = value {
        return Ok(decimal.to_owned());
    } else if let Value::String(text) = value {
        Decimal::parse(&super::tokens::ascii_digits(text))
    } else if matches!(value, Value::Float32(_) | Value::Float64(_)) {
        let mut text = Vec::new();
        crate::data::number_text::write_any_f64(to_double(schema, value)?, &mut text);
        std::str::from_utf8(&text).ok().and_then(Decimal::parse)
    } else {
        Some(Decimal::new(to_long(schema, value)?.into(), 0))
    };
    parsed.ok_or_else(|| not_convertible(value, A_NUMBER))
}

#[cold]
fn not_convertible(value: Value<'_>, to: &'static str) -> Error {
    Kind::NotConvertible {
        class: value.java_class(),
        to,
    }
    .into()
}

/// `BigDecimal.longValue`: the fraction cut, then the low 64 bits.
fn low_bits(value: DecimalRef<'_>) -> i64 {
    let unscaled = value.with_be_bytes(BigInt::from_signed_bytes_be);
    let scale = i64::from(value.scale());
    let power = u32::try_from(scale.unsigned_abs()).unwrap_or(u32::MAX);
    let whole = if scale <= -64 {
        // 10^64 is a multiple of 2^64.
        return 0;
    } else if scale <= 0 {
        unscaled * BigInt::from(10).pow(power)
    } else if scale > i64::try_from(unscaled.bits()).unwrap_or(i64::MAX) {
        // 10^n has more than n bits.
        return 0;
    } else {
        unscaled / BigInt::from(10).pow(power)
    };
    let low = whole.iter_u64_digits().next().unwrap_or(0).cast_signed();
    if whole.sign() == Sign::Minus {
        low.wrapping_neg()
    } else {
        low
    }
}

/// The number when it is an integer of 64 bits, whatever its notation: `1.0`, `1e3`. `text` is a text that [`Decimal::parse`] takes.
pub(super) fn integral(text: &str) -> Option<i64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().ok()?;
    let negative = whole.starts_with('-');
    let whole = whole.trim_start_matches(['-', '+']);
    let digits = || whole.bytes().chain(fraction.bytes());
    let kept = digits().count() - digits().rev().take_while(|b| *b == b'0').count();
    if kept == 0 {
        return Some(0);
    }
    // Digits behind the last one that is not zero, counted from the decimal point.
    let zeros =
        exponent.checked_add(i64::try_from(whole.len()).ok()?)? - i64::try_from(kept).ok()?;
    let zeros = u32::try_from(zeros).ok()?;
    let mut number = 0i128;
    for digit in digits().take(kept).map(|b| i128::from(b - b'0')) {
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    let number = number.checked_mul(10i128.checked_pow(zeros)?)?;
    i64::try_from(if negative { -number } else { number }).ok()
}

#[expect(clippy::cast_precision_loss, reason = "Java's widening of a long")]
pub(super) const fn double_of(integer: i64) -> f64 {
    integer as f64
}

/// Java rounds twice here: to a double, then to a float.
#[expect(clippy::cast_possible_truncation, reason = "Java's cast")]
pub(super) const fn float_of(integer: i64) -> f32 {
    double_of(integer) as f32
}

#[cfg(test)]
mod tests;

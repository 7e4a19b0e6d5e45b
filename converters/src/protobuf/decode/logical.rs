//! What the messages of Connect's logical types stand for.

use num_bigint::BigInt;

use crate::data::calendar::{civil, days};
use crate::data::{Decimal, DecimalRef};
use crate::error::protobuf_read::Kind;

const MILLIS_PER_DAY: i64 = crate::data::logical::MILLIS_PER_DAY;
const NANOS_PER_MILLI: i64 = 1_000_000;
const NANOS_PER_SECOND: i64 = 1_000_000_000;
/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, the bounds of `google.protobuf.Timestamp`.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Milliseconds of `google.protobuf.Timestamp`.
pub(super) fn timestamp(seconds: i64, nanos: i64) -> Result<i64, Kind> {
    match SECONDS.contains(&seconds) && (0..NANOS_PER_SECOND).contains(&nanos) {
        true => Ok(seconds * 1000 + nanos / NANOS_PER_MILLI),
        false => Err(Kind::InvalidTimestamp),
    }
}

/// Milliseconds of `google.type.Date`, which must be a day of `GregorianCalendar`.
pub(super) fn date(year: i64, month: i64, day: i64) -> Result<i64, Kind> {
    let narrow = |part: i64| i32::try_from(part).map_err(|_| Kind::InvalidDate);
    let [y, m, d] = [narrow(year)?, narrow(month)?, narrow(day)?];
    let found = days(y, m, d);
    match y >= 1 && civil(found) == (year, month, day) {
        true => Ok(found * MILLIS_PER_DAY),
        false => Err(Kind::InvalidDate),
    }
}

/// Milliseconds of `google.type.TimeOfDay`.
pub(super) fn time([hours, minutes, seconds, nanos]: [i64; 4]) -> Result<i64, Kind> {
    let valid = (0..24).contains(&hours)
        && (0..60).contains(&minutes)
        && (0..60).contains(&seconds)
        && (0..NANOS_PER_SECOND).contains(&nanos);
    match valid {
        true => Ok(((hours * 60 + minutes) * 60 + seconds) * 1000 + nanos / NANOS_PER_MILLI),
        false => Err(Kind::InvalidTime),
    }
}

/// A `confluent.type.Decimal`: rounded to its precision, as `new BigDecimal(value, scale, new MathContext(precision))` does. A
/// precision of 0 is none.
pub(super) fn decimal(value: &[u8], precision: i32, scale: i32) -> Result<Decimal, Kind> {
    let invalid = |reason| Kind::InvalidDecimal { reason };
    if value.is_empty() {
        return Err(invalid("has no value"));
    }
    if precision < 0 {
        return Err(invalid("has a negative precision"));
    }
    let exact = DecimalRef::from_be_bytes(value, scale).to_owned();
    let digits = match exact.view().unscaled_i128() {
        Some(unscaled) => digits(unscaled),
        None => BigInt::from_signed_bytes_be(value)
            .magnitude()
            .to_string()
            .len(),
    };
    let precision = usize::try_from(precision).unwrap_or(0);
    if precision == 0 || digits <= precision {
        return Ok(exact);
    }
    rounded(value, digits - precision, scale).ok_or_else(|| invalid("has a scale out of range"))
}

const fn digits(unscaled: i128) -> usize {
    match unscaled.unsigned_abs().checked_ilog10() {
        Some(log) => log as usize + 1,
        None => 1,
    }
}

/// Without its last digits, the half rounded away from zero. Rounding up may leave a digit more: 9.9 becomes 1E+1.
fn rounded(value: &[u8], dropped: usize, scale: i32) -> Option<Decimal> {
    let unscaled = BigInt::from_signed_bytes_be(value);
    let text = unscaled.magnitude().to_string();
    let kept = text.get(..text.len() - dropped)?;
    let up = text.as_bytes().get(kept.len())? >= &b'5';
    let mut magnitude: BigInt = kept.parse().ok()?;
    let mut scale = i64::from(scale) - i64::try_from(dropped).ok()?;
    if up {
        magnitude += 1;
        if magnitude.to_string().len() > kept.len() {
            magnitude /= 10;
            scale -= 1;
        }
    }
    if unscaled.sign() == num_bigint::Sign::Minus {
        magnitude = -magnitude;
    }
    let scale = i32::try_from(scale).ok()?;
    Some(Decimal::from_be_bytes(
        &magnitude.to_signed_bytes_be(),
        scale,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_rounded_to_its_precision() {
        let read = |unscaled: i64, precision, scale| {
            decimal(&unscaled.to_be_bytes(), precision, scale).ok()
        };
        assert_eq!(read(156, 1, 2), Some(Decimal::new(2, 0)));
        assert_eq!(read(-156, 2, 2), Some(Decimal::new(-16, 1)));
        assert_eq!(read(99, 1, 1), Some(Decimal::new(1, -1)));
        assert_eq!(read(156, 0, 2), Some(Decimal::new(156, 2)));
        assert!(decimal(&[], 0, 0).is_err() && decimal(&[1], -1, 0).is_err());
    }

    #[test]
    fn a_date_is_a_day_of_the_calendar() {
        assert_eq!(date(1970, 1, 2).ok(), Some(MILLIS_PER_DAY));
        assert_eq!(
            date(1582, 10, 4).ok(),
            date(1582, 10, 15).ok().map(|d| d - MILLIS_PER_DAY)
        );
        for (year, month, day) in [
            (0, 1, 1),
            (2023, 2, 29),
            (1582, 10, 10),
            (0, 0, 0),
            (1, 13, 1),
        ] {
            assert!(date(year, month, day).is_err(), "{year}-{month}-{day}");
        }
    }

    #[test]
    fn times_and_timestamps_have_bounds() {
        assert_eq!(time([23, 59, 59, 999_999_999]).ok(), Some(86_399_999));
        assert!(time([24, 0, 0, 0]).is_err());
        assert_eq!(timestamp(-1, 999_999_999).ok(), Some(-1));
        assert!(timestamp(0, -1).is_err() && timestamp(253_402_300_800, 0).is_err());
    }
}

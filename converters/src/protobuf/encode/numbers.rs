//! Leaves that are not stored as their schemas have it: what the JVM's classes allow, and what must not be lost.

use num_bigint::BigInt;

use super::fast::{SECONDS, digits, write_fixed32, write_fixed64, write_varint};
use super::small::{self, Small};
use super::{FieldPlace, Step};
use crate::data::calendar::civil;
use crate::data::logical::{date_to_days, time_from_millis};
use crate::data::record::{Record, Slot};
use crate::data::{DecimalRef, UnscaledRef};
use crate::error::{Error, data, protobuf_write::Kind};

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "private, and only some steps come here"
)]
pub(super) fn write_int32(buffer: &mut [u8], at: usize, place: &FieldPlace, v: i32) -> usize {
    let key = place.key;
    match place.step {
        Step::Sint32 => {
            let v = ((v << 1) ^ (v >> 31)).cast_unsigned();
            write_varint(buffer, at, key, v.into())
        }
        Step::Uint32 => write_varint(buffer, at, key, v.cast_unsigned().into()),
        Step::Fixed32 => write_fixed32(buffer, at, key, v.cast_unsigned()),
        _ => write_varint(buffer, at, key, i64::from(v).cast_unsigned()),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "private, and only some steps come here"
)]
pub(super) fn write_int64(buffer: &mut [u8], at: usize, place: &FieldPlace, v: i64) -> usize {
    let key = place.key;
    match place.step {
        Step::Fixed64 => write_fixed64(buffer, at, key, v.cast_unsigned()),
        Step::Sint64 => {
            let v = ((v << 1) ^ (v >> 63)).cast_unsigned();
            write_varint(buffer, at, key, v)
        }
        _ => write_varint(buffer, at, key, v.cast_unsigned()),
    }
}

/// How many digits a decimal has, as `BigDecimal.precision`.
pub(super) fn precision(decimal: DecimalRef<'_>) -> u32 {
    match decimal.unscaled() {
        UnscaledRef::Small(small) => digits(small),
        UnscaledRef::Big(bytes) => match decimal.unscaled_i128() {
            Some(wide) => wide
                .unsigned_abs()
                .checked_ilog10()
                .map_or(1, |log| log + 1),
            None => {
                let text = BigInt::from_signed_bytes_be(bytes)
                    .magnitude()
                    .to_str_radix(10);
                u32::try_from(text.len()).unwrap_or(u32::MAX)
            }
        },
    }
}

pub(super) fn date(millis: i64) -> Result<Small, Error> {
    let (year, month, day) = civil(date_to_days(millis)?.into());
    let part = |part: i64| u32::try_from(part).map_err(|_| Error::from(Kind::EraLost));
    if year < 1 {
        return Err(Kind::EraLost.into());
    }
    Ok(small::date(part(year)?, part(month)?, part(day)?))
}

pub(super) fn time(millis: i64) -> Result<Small, Error> {
    let outside = || Error::from(data::Kind::TimeOutOfDay);
    let of_day = i32::try_from(millis).map_err(|_| outside())?;
    time_from_millis(of_day)?;
    Ok(small::time_of_day(of_day.cast_unsigned()))
}

pub(super) fn timestamp(millis: i64) -> Result<Small, Error> {
    if !SECONDS.contains(&millis.div_euclid(1_000)) {
        return Err(Kind::TimestampOutOfRange.into());
    }
    Ok(small::timestamp(millis))
}

pub(super) fn class(record: &Record, slot: Slot) -> &'static str {
    if matches!(slot, Slot::Struct { .. } | Slot::Foreign { .. }) {
        // Its value would need its schema.
        return "org.apache.kafka.connect.data.Struct";
    }
    record.value(slot, None).java_class()
}

/// Why a value of this class cannot stand at a place.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "private, and only some steps come here"
)]
#[cold]
pub(super) fn mismatch(place: &FieldPlace, class: &'static str) -> Error {
    let logical = |logical, expected| Kind::LogicalWrongClass {
        logical,
        expected,
        class,
    };
    let kind = place.kind;
    match place.step {
        Step::Decimal => logical("Decimal", "BigDecimal"),
        Step::Date => logical("Date", "Date"),
        Step::Time => logical("Time", "Date"),
        Step::Timestamp => logical("Timestamp", "Date"),
        _ => Kind::WrongClass { kind, class },
    }
    .into()
}

/// `java.lang.Number`: numbers are not told apart, so long as nothing is lost.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::wildcard_enum_match_arm,
    reason = "casts saturate, and what comes back must be the very same number; few slots are numbers"
)]
pub(super) fn whole(place: &FieldPlace, record: &Record, slot: Slot) -> Result<i64, Error> {
    let exact = |v: f64| {
        let whole = v as i64;
        (whole as f64 == v && whole != i64::MAX).then_some(whole)
    };
    let found = match slot {
        Slot::Int8(v) => Some(v.into()),
        Slot::Int16(v) => Some(v.into()),
        Slot::Int32(v) => Some(v.into()),
        Slot::Int64(v) => Some(v),
        Slot::Float32(v) => exact(v.into()),
        Slot::Float64(v) => exact(v),
        Slot::Decimal { scale: 0, unscaled } => Some(unscaled),
        Slot::Decimal { .. } | Slot::BigDecimal { .. } => None,
        slot => return Err(mismatch(place, class(record, slot))),
    };
    found.ok_or_else(|| narrowed(place))
}

pub(super) fn int32(place: &FieldPlace, record: &Record, slot: Slot) -> Result<i32, Error> {
    i32::try_from(whole(place, record, slot)?).map_err(|_| narrowed(place))
}

/// 32 bits of an INT64, which a reader takes for unsigned.
#[expect(clippy::cast_possible_truncation, reason = "checked")]
pub(super) fn unsigned(place: &FieldPlace, record: &Record, slot: Slot) -> Result<i32, Error> {
    let v = whole(place, record, slot)?;
    if (i32::MIN.into()..=i64::from(u32::MAX)).contains(&v) {
        return Ok(v as i32);
    }
    Err(narrowed(place))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::wildcard_enum_match_arm,
    reason = "what comes back must be the very same number; few slots are numbers"
)]
pub(super) fn double(place: &FieldPlace, record: &Record, slot: Slot) -> Result<f64, Error> {
    match slot {
        Slot::Float64(v) => Ok(v),
        Slot::Float32(v) => Ok(v.into()),
        slot => {
            let whole = whole(place, record, slot)?;
            let v = whole as f64;
            match v as i64 == whole && whole != i64::MAX {
                true => Ok(v),
                false => Err(narrowed(place)),
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "what comes back must be the very same number"
)]
pub(super) fn single(place: &FieldPlace, record: &Record, slot: Slot) -> Result<f32, Error> {
    if let Slot::Float32(v) = slot {
        return Ok(v);
    }
    let v = double(place, record, slot)?;
    let narrow = v as f32;
    match v.is_nan() || f64::from(narrow) == v {
        true => Ok(narrow),
        false => Err(narrowed(place)),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "private, and only some steps come here"
)]
#[cold]
fn narrowed(place: &FieldPlace) -> Error {
    let to = match place.step {
        Step::Int32 => "int32",
        Step::Uint32 => "uint32",
        Step::Sint32 => "sint32",
        Step::Fixed32 => "fixed32",
        Step::Float => "float",
        Step::Double => "double",
        _ => place.kind.name(),
    };
    Kind::Narrowed { to }.into()
}

//! The four logical types of Connect: names, ranges and conversions to their base types.

use super::{DecimalRef, Schema, SchemaBuilder};
use crate::error::{Error, data::Kind};

/// A logical type, recognised by the schema's name alone; the version is not looked at (Connect data model).
///
/// Closed: Connect knows these four; other names are left to their base type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logical {
    /// `org.apache.kafka.connect.data.Decimal` over bytes; parameter `scale`.
    Decimal,
    /// `org.apache.kafka.connect.data.Date` over int32: days since 1970-01-01.
    Date,
    /// `org.apache.kafka.connect.data.Time` over int32: milliseconds since midnight.
    Time,
    /// `org.apache.kafka.connect.data.Timestamp` over int64: milliseconds since 1970-01-01T00:00Z.
    Timestamp,
}

/// Name of the Decimal logical type.
pub const DECIMAL_NAME: &str = "org.apache.kafka.connect.data.Decimal";
/// Name of the Date logical type.
pub const DATE_NAME: &str = "org.apache.kafka.connect.data.Date";
/// Name of the Time logical type.
pub const TIME_NAME: &str = "org.apache.kafka.connect.data.Time";
/// Name of the Timestamp logical type.
pub const TIMESTAMP_NAME: &str = "org.apache.kafka.connect.data.Timestamp";
/// Parameter of a Decimal schema: digits after the decimal point, may be negative.
pub const SCALE_PARAMETER: &str = "scale";
/// Milliseconds of a day.
pub const MILLIS_PER_DAY: i64 = 86_400_000;
/// The version that built logical schemas carry.
pub(crate) const LOGICAL_VERSION: i32 = 1;

impl Logical {
    /// The logical type of a schema name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            DECIMAL_NAME => Some(Self::Decimal),
            DATE_NAME => Some(Self::Date),
            TIME_NAME => Some(Self::Time),
            TIMESTAMP_NAME => Some(Self::Timestamp),
            _ => None,
        }
    }

    /// The schema name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decimal => DECIMAL_NAME,
            Self::Date => DATE_NAME,
            Self::Time => TIME_NAME,
            Self::Timestamp => TIMESTAMP_NAME,
        }
    }
}

/// A builder for a Decimal schema of that scale.
#[must_use]
pub fn decimal(scale: i32) -> SchemaBuilder {
    SchemaBuilder::bytes()
        .name(DECIMAL_NAME)
        .version(LOGICAL_VERSION)
        .parameter(SCALE_PARAMETER, &scale.to_string())
}

/// A builder for a Date schema.
#[must_use]
pub fn date() -> SchemaBuilder {
    SchemaBuilder::int32()
        .name(DATE_NAME)
        .version(LOGICAL_VERSION)
}

/// A builder for a Time schema.
#[must_use]
pub fn time() -> SchemaBuilder {
    SchemaBuilder::int32()
        .name(TIME_NAME)
        .version(LOGICAL_VERSION)
}

/// A builder for a Timestamp schema.
#[must_use]
pub fn timestamp() -> SchemaBuilder {
    SchemaBuilder::int64()
        .name(TIMESTAMP_NAME)
        .version(LOGICAL_VERSION)
}

/// Days since the epoch of a Date value in milliseconds.
///
/// # Errors
/// Data fault unless the value is midnight UTC, or when the days do not fit 32 bits.
pub fn date_to_days(millis: i64) -> Result<i32, Error> {
    if millis % MILLIS_PER_DAY != 0 {
        return Err(Kind::DateHasTime.into());
    }
    i32::try_from(millis / MILLIS_PER_DAY).map_err(|_| Kind::DateOutOfRange.into())
}

/// A Date value in milliseconds from days since the epoch.
#[must_use]
pub const fn date_from_days(days: i32) -> i64 {
    days as i64 * MILLIS_PER_DAY
}

/// Milliseconds since midnight of a Time value.
///
/// # Errors
/// Data fault outside 0 …= 86 400 000 (the end is included, as in Java).
pub fn time_to_millis(millis: i64) -> Result<i32, Error> {
    match i32::try_from(millis) {
        Ok(of_day) if (0..=MILLIS_PER_DAY).contains(&millis) => Ok(of_day),
        Ok(_) | Err(_) => Err(Kind::TimeHasDate.into()),
    }
}

/// A Time value from milliseconds since midnight.
///
/// # Errors
/// Data fault outside 0 …= 86 400 000.
pub fn time_from_millis(of_day: i32) -> Result<i64, Error> {
    let millis = i64::from(of_day);
    if (0..=MILLIS_PER_DAY).contains(&millis) {
        Ok(millis)
    } else {
        Err(Kind::TimeOutOfDay.into())
    }
}

/// Checks that a decimal has the scale its schema declares.
///
/// # Errors
/// Data fault when the scales differ or the schema's `scale` parameter is unusable.
pub fn check_decimal_scale(schema: &Schema, value: DecimalRef<'_>) -> Result<(), Error> {
    check_scale(schema.decimal_scale()?, value)
}

/// The same, with the declared scale at hand.
#[inline]
pub(crate) fn check_scale(declared: i32, value: DecimalRef<'_>) -> Result<(), Error> {
    if declared == value.scale() {
        Ok(())
    } else {
        Err(Kind::DecimalScaleMismatch {
            schema: declared,
            value: value.scale(),
        }
        .into())
    }
}

//! Rust types of Connect's logical types. They are told apart by the names under which they go through serde.

use std::fmt;

use num_bigint::BigInt;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::data::logical::{DATE_NAME, DECIMAL_NAME, MILLIS_PER_DAY, TIME_NAME, TIMESTAMP_NAME};
use crate::data::{self, DecimalRef, Logical};
use crate::error::{Error, typed::Kind};
use crate::limits::DECIMAL_DIGITS_MAX;

/// A decimal whose scale belongs to the type: `org.apache.kafka.connect.data.Decimal`.
///
/// In other formats of serde it is its text.
///
/// ```
/// use ferroconnect_converters::data;
/// use ferroconnect_converters::typed::Decimal;
///
/// let price = Decimal::<2>::new(1_250);
/// assert_eq!(price.to_string(), "12.50");
/// assert_eq!(Decimal::<3>::try_from(price.get().clone())?.to_string(), "12.500");
/// assert!(Decimal::<0>::try_from(price.get().clone()).is_err()); // would round
/// # Ok::<(), ferroconnect_converters::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Decimal<const SCALE: i32>(data::Decimal);

impl<const SCALE: i32> Decimal<SCALE> {
    /// Its name within serde: that of the logical type, then the scale.
    const NAME: &'static str = match std::str::from_utf8(&Self::NAME_BYTES) {
        Ok(name) => name,
        // The bytes are those of a name and of digits.
        Err(_) => DECIMAL_NAME,
    };
    const NAME_BYTES: [u8; NAME_BYTES] = name_with_scale(SCALE);

    /// `unscaled × 10^-SCALE`.
    #[must_use]
    pub fn new(unscaled: i128) -> Self {
        Self(data::Decimal::new(unscaled, SCALE))
    }

    /// The decimal.
    #[must_use]
    pub const fn get(&self) -> &data::Decimal {
        &self.0
    }

    /// The decimal.
    #[must_use]
    pub fn into_inner(self) -> data::Decimal {
        self.0
    }
}

impl<const SCALE: i32> TryFrom<data::Decimal> for Decimal<SCALE> {
    type Error = Error;

    /// The same number with this scale.
    ///
    /// # Errors
    /// Data fault when it would have to be rounded.
    fn try_from(value: data::Decimal) -> Result<Self, Error> {
        rescaled(value.view(), SCALE).map(Self)
    }
}

impl<const SCALE: i32> fmt::Display for Decimal<SCALE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const SCALE: i32> Serialize for Decimal<SCALE> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(Self::NAME, &Text(self.0.view()))
    }
}

impl<'de, const SCALE: i32> Deserialize<'de> for Decimal<SCALE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = deserializer.deserialize_newtype_struct(Self::NAME, DecimalVisitor)?;
        rescaled(value.view(), SCALE)
            .map(Self)
            .map_err(de::Error::custom)
    }
}

struct Text<'a>(DecimalRef<'a>);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

struct DecimalVisitor;

impl<'de> Visitor<'de> for DecimalVisitor {
    type Value = data::Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        data::Decimal::parse(text).ok_or_else(|| E::custom(Kind::NotADecimal))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(data::Decimal::new(value.into(), 0))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(data::Decimal::new(value.into(), 0))
    }
}

/// Bytes of [`Decimal`]'s name: the logical type's, and room for the digits of any scale.
const NAME_BYTES: usize = DECIMAL_NAME.len() + SCALE_BYTES;
/// `:` and ten digits, the first of which is of another meaning when the scale is negative.
const SCALE_BYTES: usize = 12;

/// `org.apache.kafka.connect.data.Decimal:+0000000002`: a name of fixed length, since it is made while compiling.
const fn name_with_scale(scale: i32) -> [u8; NAME_BYTES] {
    let mut name = [b'0'; NAME_BYTES];
    let prefix = DECIMAL_NAME.as_bytes();
    let mut at = 0;
    while at < prefix.len() {
        name[at] = prefix[at];
        at += 1;
    }
    name[at] = b':';
    name[at + 1] = if scale < 0 { b'-' } else { b'+' };
    let mut rest = scale.unsigned_abs();
    let mut last = NAME_BYTES - 1;
    while rest > 0 {
        // A digit: below 10.
        name[last] = b'0' + (rest % 10).to_le_bytes()[0];
        rest /= 10;
        last -= 1;
    }
    name
}

/// The logical type behind a name under which serde wraps a value, and the scale where the name has one.
pub(super) fn reserved(name: &str) -> Option<(Logical, Option<i32>)> {
    if let Some(logical) = Logical::from_name(name) {
        return Some((logical, None));
    }
    let scale = name.strip_prefix(DECIMAL_NAME)?.strip_prefix(':')?;
    Some((Logical::Decimal, Some(scale.parse().ok()?)))
}

/// The same number with another scale.
pub(super) fn rescaled(value: DecimalRef<'_>, scale: i32) -> Result<data::Decimal, Error> {
    if value.scale() == scale {
        return Ok(value.to_owned());
    }
    let refuse = || Error::from(Kind::ScaleTooSmall { scale });
    let zeros = i64::from(scale) - i64::from(value.scale());
    let unscaled = value.with_be_bytes(BigInt::from_signed_bytes_be);
    if unscaled == BigInt::ZERO {
        return Ok(data::Decimal::new(0, scale));
    }
    let count = u32::try_from(zeros.unsigned_abs()).map_err(|_| refuse())?;
    if count as usize > DECIMAL_DIGITS_MAX {
        return Err(refuse());
    }
    let factor = BigInt::from(10u8).pow(count);
    let unscaled = if zeros > 0 {
        unscaled * factor
    } else if &unscaled % &factor == BigInt::ZERO {
        unscaled / factor
    } else {
        return Err(refuse());
    };
    Ok(data::Decimal::from_be_bytes(
        &unscaled.to_signed_bytes_be(),
        scale,
    ))
}

macro_rules! temporal {
    ($(#[$doc:meta])* $name:ident($native:ty) $connect:ident, $get:ident, $words:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name($native);

        impl $name {
            #[doc = concat!("The ", $words, ".")]
            #[must_use]
            pub const fn $get(self) -> $native {
                self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct($connect, &self.0)
            }
        }
    };
}

temporal!(
    /// A day: `org.apache.kafka.connect.data.Date`.
    Date(i32) DATE_NAME, days, "days since 1970-01-01"
);
temporal!(
    /// A time of day: `org.apache.kafka.connect.data.Time`.
    Time(i32) TIME_NAME, millis, "milliseconds since midnight"
);
temporal!(
    /// A point in time: `org.apache.kafka.connect.data.Timestamp`.
    Timestamp(i64) TIMESTAMP_NAME, millis, "milliseconds since 1970-01-01T00:00Z"
);

impl Date {
    /// The day that many days after 1970-01-01.
    #[must_use]
    pub const fn from_days(days: i32) -> Self {
        Self(days)
    }
}

impl Time {
    /// That many milliseconds after midnight, 0 to 86 400 000 (the end is included, as in Java); `None` outside.
    #[must_use]
    pub fn from_millis(millis: i32) -> Option<Self> {
        (0..=MILLIS_PER_DAY)
            .contains(&i64::from(millis))
            .then_some(Self(millis))
    }
}

impl Timestamp {
    /// That many milliseconds after 1970-01-01T00:00Z.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }
}

/// Reads the number inside of a wrapper.
struct Inner<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Inner<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date, time or timestamp as a number")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        T::deserialize(inner)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let inner = Inner(std::marker::PhantomData);
        deserializer
            .deserialize_newtype_struct(DATE_NAME, inner)
            .map(Self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let inner = Inner(std::marker::PhantomData);
        let millis = deserializer.deserialize_newtype_struct(TIME_NAME, inner)?;
        Self::from_millis(millis)
            .ok_or_else(|| de::Error::custom(crate::error::data::Kind::TimeOutOfDay))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let inner = Inner(std::marker::PhantomData);
        deserializer
            .deserialize_newtype_struct(TIMESTAMP_NAME, inner)
            .map(Self)
    }
}

/// Bytes that go through serde in one piece. `Vec<u8>` works too, byte by byte; `&[u8]` reads without a copy.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ByteBuf(pub Vec<u8>);

impl Serialize for ByteBuf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for ByteBuf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(ByteBufVisitor).map(Self)
    }
}

struct ByteBufVisitor;

impl<'de> Visitor<'de> for ByteBufVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = seq.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

//! [`NumberConverter`]: one big-endian number, in five sizes.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use bytes::Bytes;

use crate::config::RawConfig;
use crate::converter::SelfContained;
use crate::data::{Schema, SchemaAndValue, Value};
use crate::error::{Error, simple::Kind};
use crate::{Converter, Outcome, RecordContext, Role};

/// `org.apache.kafka.connect.converters.ShortConverter`: two bytes.
pub type ShortConverter = NumberConverter<i16>;
/// `org.apache.kafka.connect.converters.IntegerConverter`: four bytes.
pub type IntegerConverter = NumberConverter<i32>;
/// `org.apache.kafka.connect.converters.LongConverter`: eight bytes.
pub type LongConverter = NumberConverter<i64>;
/// `org.apache.kafka.connect.converters.FloatConverter`: four bytes; the bits of a NaN are kept.
pub type FloatConverter = NumberConverter<f32>;
/// `org.apache.kafka.connect.converters.DoubleConverter`: eight bytes; a NaN is written as `7ff8000000000000`.
pub type DoubleConverter = NumberConverter<f64>;

/// A number type that has a converter. Sealed: Kafka has serializers for these five.
pub trait Number: sealed::Number + Into<SchemaAndValue> {}

mod sealed {
    use super::{Schema, Value};

    #[expect(unnameable_types, reason = "sealed: nobody else may name it")]
    pub trait Number: Copy + Send + std::fmt::Debug {
        /// Java's word in error texts.
        const NAME: &'static str;
        /// Java's deserializer in error texts.
        const DESERIALIZER: &'static str;
        /// Bytes of one number.
        const SIZE: usize;

        fn schema() -> Schema;
        fn of(value: Value<'_>) -> Option<Self>;
        fn put(self, out: &mut Vec<u8>);
        fn get(bytes: &[u8]) -> Option<Self>;
    }
}

macro_rules! numbers {
    ($($native:ty, $variant:ident, $schema:ident, $name:literal, $deserializer:literal, $canonical:expr;)+) => {$(
        impl Number for $native {}

        impl sealed::Number for $native {
            const NAME: &'static str = $name;
            const DESERIALIZER: &'static str = $deserializer;
            const SIZE: usize = size_of::<$native>();

            fn schema() -> Schema {
                Schema::$schema()
            }

            fn of(value: Value<'_>) -> Option<Self> {
                if let Value::$variant(number) = value { Some(number) } else { None }
            }

            fn put(self, out: &mut Vec<u8>) {
                let canonical: fn($native) -> $native = $canonical;
                out.extend_from_slice(&canonical(self).to_be_bytes());
            }

            fn get(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(<$native>::from_be_bytes)
            }
        }
    )+};
}

numbers!(
    i16, Int16, optional_int16, "short", "ShortDeserializer", |v| v;
    i32, Int32, optional_int32, "integer", "IntegerDeserializer", |v| v;
    i64, Int64, optional_int64, "long", "LongDeserializer", |v| v;
    f32, Float32, optional_float32, "float", "Deserializer", |v| v;
    f64, Float64, optional_float64, "double", "Deserializer", |v| if v.is_nan() { f64::NAN } else { v };
);

/// Converts one number type. The schema of what is written does not matter, only the value's own type does.
pub struct NumberConverter<N> {
    schema: Schema,
    number: PhantomData<N>,
}

impl<N: Number> NumberConverter<N> {
    /// Makes one; its only option is its role, which the worker adds.
    ///
    /// # Errors
    /// Config fault for a `converter.type` that there is none of.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        super::type_only_def().parse(&super::config::with_type(raw, role.name()))?;
        Ok(Self {
            schema: N::schema(),
            number: PhantomData,
        })
    }
}

impl<N: Number> fmt::Debug for NumberConverter<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NumberConverter({})", N::NAME)
    }
}

impl<N: Number> Converter for NumberConverter<N> {
    fn from_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        let value = data.value();
        match N::of(value) {
            Some(number) => {
                let start = out.len();
                number.put(out);
                Outcome::Ready(Some(start..out.len()))
            }
            None if value.is_null() => Outcome::Ready(None),
            None => {
                let class = value.java_class();
                Outcome::Failed(Kind::NumberWrite { to: N::NAME, class }.into())
            }
        }
    }

    fn to_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        let datum = match bytes.map(|bytes| N::get(bytes)) {
            None => SchemaAndValue::null_of(None),
            Some(Some(number)) => number.into(),
            Some(None) => {
                let kind = Kind::NumberRead {
                    to: N::NAME,
                    deserializer: N::DESERIALIZER,
                    size: N::SIZE,
                };
                return Outcome::Failed(kind.into());
            }
        };
        Outcome::Ready(datum.with_schema(Some(self.schema.clone())))
    }
}

impl<N: Number> SelfContained for NumberConverter<N> {}

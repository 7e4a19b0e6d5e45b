//! Logical types: a view on the properties of a type.
//!
//! Source: Avro 1.12 specification, "Logical Types"; which ones are valid follows `LogicalTypes` of Avro's Java library.
//! An invalid one is no error: the type is then what it would be without it, and keeps the attributes.

use super::model::{AvroType, Fixed, Kind as Type};
use crate::json_text::Json;

/// What the values of a type mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LogicalType {
    /// An unscaled integer, big endian, on bytes or fixed.
    Decimal {
        /// Digits at most; at least 1.
        precision: i32,
        /// Digits behind the point; 0 to `precision`.
        scale: i32,
    },
    /// Bytes with the scale in them.
    BigDecimal,
    /// RFC 4122, as text or in 16 bytes.
    Uuid,
    /// Days since 1970, on int.
    Date,
    /// Milliseconds of a day, on int.
    TimeMillis,
    /// Microseconds of a day, on long.
    TimeMicros,
    /// Milliseconds since 1970 in UTC, on long.
    TimestampMillis,
    /// Microseconds since 1970 in UTC, on long.
    TimestampMicros,
    /// Nanoseconds since 1970 in UTC, on long.
    TimestampNanos,
    /// Milliseconds since 1970 in a time zone that is not told, on long.
    LocalTimestampMillis,
    /// Microseconds since 1970 in a time zone that is not told, on long.
    LocalTimestampMicros,
    /// Nanoseconds since 1970 in a time zone that is not told, on long.
    LocalTimestampNanos,
    /// Months, days and milliseconds, 32 bits each in little endian, on a fixed of 12 bytes.
    Duration,
}

impl LogicalType {
    /// The value of the attribute `logicalType`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Decimal { .. } => "decimal",
            Self::BigDecimal => "big-decimal",
            Self::Uuid => "uuid",
            Self::Date => "date",
            Self::TimeMillis => "time-millis",
            Self::TimeMicros => "time-micros",
            Self::TimestampMillis => "timestamp-millis",
            Self::TimestampMicros => "timestamp-micros",
            Self::TimestampNanos => "timestamp-nanos",
            Self::LocalTimestampMillis => "local-timestamp-millis",
            Self::LocalTimestampMicros => "local-timestamp-micros",
            Self::LocalTimestampNanos => "local-timestamp-nanos",
            Self::Duration => "duration",
        }
    }
}

impl AvroType {
    /// The logical type, if there is a valid one.
    ///
    /// ```
    /// use ferroconnect_converters::avro::{AvroSchema, LogicalType};
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let text = r#"{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}"#;
    /// let schema = AvroSchema::parse(text)?;
    /// let decimal = LogicalType::Decimal { precision: 4, scale: 2 };
    /// assert_eq!(schema.get(schema.root()).logical(), Some(decimal));
    /// let invalid = AvroSchema::parse(&text.replace('4', "1"))?;
    /// assert_eq!(invalid.get(invalid.root()).logical(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn logical(&self) -> Option<LogicalType> {
        let word = self.props.get("logicalType")?.as_text()?;
        Some(match (word, &self.kind) {
            ("decimal", Type::Bytes) => self.decimal(i32::MAX)?,
            ("decimal", Type::Fixed(fixed)) => self.decimal(digits(fixed.size))?,
            ("big-decimal", Type::Bytes) => LogicalType::BigDecimal,
            ("uuid", Type::String | Type::Fixed(Fixed { size: 16, .. })) => LogicalType::Uuid,
            ("date", Type::Int) => LogicalType::Date,
            ("time-millis", Type::Int) => LogicalType::TimeMillis,
            ("time-micros", Type::Long) => LogicalType::TimeMicros,
            ("timestamp-millis", Type::Long) => LogicalType::TimestampMillis,
            ("timestamp-micros", Type::Long) => LogicalType::TimestampMicros,
            ("timestamp-nanos", Type::Long) => LogicalType::TimestampNanos,
            ("local-timestamp-millis", Type::Long) => LogicalType::LocalTimestampMillis,
            ("local-timestamp-micros", Type::Long) => LogicalType::LocalTimestampMicros,
            ("local-timestamp-nanos", Type::Long) => LogicalType::LocalTimestampNanos,
            ("duration", Type::Fixed(Fixed { size: 12, .. })) => LogicalType::Duration,
            _ => return None,
        })
    }

    fn decimal(&self, precision_max: i32) -> Option<LogicalType> {
        let precision = self.props.get("precision").and_then(Json::as_i32)?;
        let scale = match self.props.get("scale") {
            None => 0,
            Some(scale) => scale.as_i32()?,
        };
        let valid = (1..=precision_max).contains(&precision) && (0..=precision).contains(&scale);
        valid.then_some(LogicalType::Decimal { precision, scale })
    }
}

/// The decimal digits that every number of so many bytes has room for: ⌊log₁₀ 2 · (8 · size − 1)⌋.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "Java computes with doubles here and rounds down; the cast saturates"
)]
fn digits(size: usize) -> i32 {
    (std::f64::consts::LOG10_2 * (8.0 * size as f64 - 1.0)).floor() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avro::AvroSchema;

    fn logical(attributes: &str) -> Option<LogicalType> {
        let schema = AvroSchema::parse(&format!("{{{attributes}}}")).unwrap();
        schema.get(schema.root()).logical()
    }

    #[test]
    fn decimals_must_make_sense() {
        let decimal = |precision, scale| Some(LogicalType::Decimal { precision, scale });
        let bytes =
            |rest: &str| logical(&format!(r#""type":"bytes","logicalType":"decimal"{rest}"#));
        assert_eq!(bytes(r#","precision":5"#), decimal(5, 0));
        assert_eq!(bytes(r#","precision":5,"scale":5"#), decimal(5, 5));
        for bad in [
            "",
            r#","precision":0"#,
            r#","precision":5,"scale":6"#,
            r#","precision":5,"scale":-1"#,
            r#","precision":"5""#,
            r#","precision":5.0"#,
            r#","precision":5,"scale":"1""#,
            r#","precision":3000000000"#,
        ] {
            assert_eq!(bytes(bad), None, "{bad}");
        }
        let fixed = |size: usize, precision: i32| {
            logical(&format!(
                r#""type":"fixed","name":"F","size":{size},"logicalType":"decimal","precision":{precision}"#
            ))
        };
        for (size, most) in [(1, 2), (2, 4), (8, 18), (16, 38), (300, 722)] {
            assert_eq!(fixed(size, most), decimal(most, 0));
            assert_eq!(fixed(size, most + 1), None, "{size}");
        }
        assert_eq!(fixed(0, 1), None);
    }

    #[test]
    fn each_word_belongs_to_its_types() {
        for (kind, word) in [
            ("int", "date"),
            ("int", "time-millis"),
            ("long", "time-micros"),
            ("long", "timestamp-millis"),
            ("long", "timestamp-micros"),
            ("long", "timestamp-nanos"),
            ("long", "local-timestamp-millis"),
            ("long", "local-timestamp-micros"),
            ("long", "local-timestamp-nanos"),
            ("string", "uuid"),
            ("bytes", "big-decimal"),
        ] {
            let found = logical(&format!(r#""type":"{kind}","logicalType":"{word}""#));
            assert_eq!(found.map(LogicalType::word), Some(word));
            assert_eq!(
                logical(&format!(r#""type":"double","logicalType":"{word}""#)),
                None
            );
        }
        for (size, word) in [(12, "duration"), (16, "uuid")] {
            let fixed = |size: usize| {
                logical(&format!(
                    r#""type":"fixed","name":"F","size":{size},"logicalType":"{word}""#
                ))
            };
            assert_eq!(fixed(size).map(LogicalType::word), Some(word));
            assert_eq!(fixed(size - 1), None);
        }
        assert_eq!(logical(r#""type":"int","logicalType":5"#), None);
        assert_eq!(logical(r#""type":"string","logicalType":"nope""#), None);
    }
}

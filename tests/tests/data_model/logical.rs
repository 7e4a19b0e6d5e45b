//! The tests of Decimal, Date, Time and Timestamp.

use ferroconnect_converters::data::{Decimal, Logical, Schema, SchemaBuilder, logical};

use crate::{built, text};

#[test]
fn schemas_of_the_logical_types() {
    for (builder, name, base, logical) in [
        (
            logical::decimal(2),
            "Decimal",
            Schema::bytes(),
            Logical::Decimal,
        ),
        (logical::date(), "Date", Schema::int32(), Logical::Date),
        (logical::time(), "Time", Schema::int32(), Logical::Time),
        (
            logical::timestamp(),
            "Timestamp",
            Schema::int64(),
            Logical::Timestamp,
        ),
    ] {
        let schema = built(builder);
        assert_eq!(
            schema.name(),
            Some(&*format!("org.apache.kafka.connect.data.{name}"))
        );
        assert_eq!((schema.kind(), schema.version()), (base.kind(), Some(1)));
        assert_eq!(schema.logical(), Some(logical));
        assert_eq!(Logical::from_name(logical.name()), Some(logical));
    }
    let decimal = built(logical::decimal(-3));
    assert_eq!(
        (decimal.parameter("scale"), decimal.decimal_scale().unwrap()),
        (Some("-3"), -3)
    );
    // Only the name counts.
    let odd = built(
        SchemaBuilder::string()
            .name("org.apache.kafka.connect.data.Date")
            .version(9),
    );
    assert_eq!(odd.logical(), Some(Logical::Date));
    assert_eq!(built(SchemaBuilder::int32().name("Date")).logical(), None);
}

#[test]
fn dates_are_whole_days() {
    for (millis, days) in [
        (0, 0),
        (86_400_000, 1),
        (-86_400_000, -1),
        (86_400_000 * 10_000, 10_000),
    ] {
        assert_eq!(logical::date_to_days(millis).unwrap(), days);
        assert_eq!(logical::date_from_days(days), millis);
    }
    for millis in [1, -1, 86_399_999] {
        assert_eq!(
            text(logical::date_to_days(millis)),
            "Kafka Connect Date type should not have any time fields set to non-zero values."
        );
    }
    assert!(
        logical::date_to_days(i64::MAX / 86_400_000 * 86_400_000).is_err(),
        "more than 32 bits of days"
    );
    assert_eq!(
        logical::date_to_days(logical::date_from_days(i32::MIN)).unwrap(),
        i32::MIN
    );
}

#[test]
fn times_are_of_one_day_and_its_end() {
    for millis in [0, 1, 86_399_999, 86_400_000] {
        let of_day = logical::time_to_millis(millis).unwrap();
        assert_eq!(i64::from(of_day), millis);
        assert_eq!(logical::time_from_millis(of_day).unwrap(), millis);
    }
    for millis in [-1, 86_400_001, i64::MAX] {
        assert_eq!(
            text(logical::time_to_millis(millis)),
            "Kafka Connect Time type should not have any date fields set to non-zero values."
        );
    }
    assert_eq!(
        text(logical::time_from_millis(86_400_001)),
        "Time values must use number of milliseconds greater than 0 and less than 86400000"
    );
    assert!(logical::time_from_millis(-1).is_err());
}

#[test]
fn decimals_have_the_scale_of_their_schema() {
    let schema = built(logical::decimal(2));
    logical::check_decimal_scale(&schema, Decimal::new(156, 2).view()).unwrap();
    assert_eq!(
        text(logical::check_decimal_scale(
            &schema,
            Decimal::new(156, 1).view()
        )),
        "Decimal value has mismatching scale for given Decimal schema. Schema has scale 2, value has scale 1."
    );
    let without = built(SchemaBuilder::bytes().name(logical::DECIMAL_NAME));
    assert_eq!(
        text(without.decimal_scale()),
        "Invalid Decimal schema: scale parameter not found."
    );
    let odd = built(
        SchemaBuilder::bytes()
            .name(logical::DECIMAL_NAME)
            .parameter("scale", "two"),
    );
    assert!(
        text(odd.decimal_scale()).starts_with("Invalid scale parameter found in Decimal schema: ")
    );
}

#[test]
fn decimals_as_bytes() {
    // 0 is one byte; the sign is kept; redundant sign bytes are dropped.
    for (unscaled, bytes) in [
        (0i128, vec![0u8]),
        (156, vec![0, 156]),
        (-156, vec![0xff, 0x64]),
        (
            i64::MAX.into(),
            vec![0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ),
        (i128::from(i64::MAX) + 1, vec![0, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        let decimal = Decimal::new(unscaled, 2);
        decimal.view().with_be_bytes(|got| assert_eq!(got, bytes));
        assert_eq!(Decimal::from_be_bytes(&bytes, 2), decimal);
    }
    assert_eq!(Decimal::from_be_bytes(&[], 2), Decimal::new(0, 2));
    assert_ne!(
        Decimal::new(10, 1),
        Decimal::new(1, 0),
        "BigDecimal.equals counts the scale"
    );
}

//! The iteration order of `java.util.HashMap`.
//!
//! The JVM converters collect objects and maps in a `HashMap`, and whatever they write afterwards comes out in its
//! order. To give the same bytes we put entries into that order when they are read; nothing is sorted on writing.
//!
//! Order: buckets by index, within a bucket by insertion. A table starts with 16 buckets and doubles when it holds more
//! than three quarters of them; doubling keeps the relative order inside a bucket. Buckets of eight and more
//! entries become trees in Java once the table has 64 buckets; they keep insertion order but for the tree's root,
//! which is moved to the front: that corner is not reproduced.

use super::DecimalRef;
use super::Value;
use super::decimal::UnscaledRef;

/// `String.hashCode` of text, over its UTF-16 units.
pub(crate) fn string_hash(text: &str) -> i32 {
    if text.is_ascii() {
        return text
            .bytes()
            .fold(0i32, |h, b| h.wrapping_mul(31).wrapping_add(i32::from(b)));
    }
    text.encode_utf16().fold(0i32, |h, unit| {
        h.wrapping_mul(31).wrapping_add(i32::from(unit))
    })
}

/// `Object.hashCode` of a value, where Java's does not depend on object identity.
pub(crate) fn value_hash(value: Value<'_>) -> Option<i32> {
    Some(match value {
        Value::Null => 0,
        Value::Boolean(v) => {
            if v {
                1231
            } else {
                1237
            }
        }
        Value::Int8(v) => v.into(),
        Value::Int16(v) => v.into(),
        Value::Int32(v) => v,
        Value::Int64(v) | Value::Date(v) | Value::Time(v) | Value::Timestamp(v) => fold_64(v),
        Value::Float32(v) => if v.is_nan() { f32::NAN } else { v }
            .to_bits()
            .cast_signed(),
        Value::Float64(v) => fold_64(
            if v.is_nan() { f64::NAN } else { v }
                .to_bits()
                .cast_signed(),
        ),
        Value::Decimal(v) => decimal_hash(v),
        Value::String(v) => string_hash(v),
        Value::Array(v) => v.iter().try_fold(1i32, |h, element| {
            Some(h.wrapping_mul(31).wrapping_add(value_hash(element)?))
        })?,
        Value::Map(v) => v.iter().try_fold(0i32, |sum, (key, value)| {
            Some(sum.wrapping_add(value_hash(key)? ^ value_hash(value)?))
        })?,
        Value::Bytes(_) | Value::Struct(_) => return None,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "Java keeps the low 32 bits"
)]
const fn fold_64(v: i64) -> i32 {
    (v ^ (v.cast_unsigned() >> 32).cast_signed()) as i32
}

fn decimal_hash(value: DecimalRef<'_>) -> i32 {
    let unscaled = match value.unscaled() {
        // `BigDecimal` treats Long.MIN_VALUE as "does not fit a long".
        UnscaledRef::Small(small) if small != i64::MIN => compact_hash(small),
        UnscaledRef::Small(_) | UnscaledRef::Big(_) => big_hash(value),
    };
    unscaled.wrapping_mul(31).wrapping_add(value.scale())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "Java keeps the low 32 bits"
)]
const fn compact_hash(small: i64) -> i32 {
    let magnitude = small.unsigned_abs();
    let high = (magnitude >> 32) as i32;
    let mixed =
        (high.wrapping_mul(31) as i64).wrapping_add((magnitude & 0xffff_ffff).cast_signed());
    let hash = mixed as i32;
    if small < 0 { hash.wrapping_neg() } else { hash }
}

fn big_hash(value: DecimalRef<'_>) -> i32 {
    value.with_be_bytes(|bytes| {
        let big = num_bigint::BigInt::from_signed_bytes_be(bytes);
        let digits = big.magnitude().to_u32_digits();
        let hash = digits.iter().rev().fold(0i32, |h, digit| {
            h.wrapping_mul(31).wrapping_add(digit.cast_signed())
        });
        if big.sign() == num_bigint::Sign::Minus {
            hash.wrapping_neg()
        } else {
            hash
        }
    })
}

/// Fills `order` with the indices of `hashes` in the iteration order of a `HashMap` that they were put into one by one.
/// Gives how many buckets that table has.
pub(crate) fn iteration_order(hashes: &[i32], order: &mut Vec<u32>) -> u32 {
    let buckets = table_size(INITIAL_BUCKETS, hashes.len());
    order_in_table(hashes, buckets, order);
    buckets
}

/// As [`iteration_order`] for a `HashMap` that was made for so many entries (`new HashMap<>(entries)`).
/// Gives how many buckets that table has.
pub(crate) fn presized_order(hashes: &[i32], expected: usize, order: &mut Vec<u32>) -> u32 {
    let initial = expected.max(1).next_power_of_two();
    let buckets = table_size(initial, hashes.len());
    order_in_table(hashes, buckets, order);
    buckets
}

/// Whether no two keys are one, by their hashes in the order of a table of so many buckets; `same` compares keys whose hashes are
/// equal. A bucket with too many keys to compare them all counts as if two were.
pub(crate) fn are_distinct(
    hashes: &[i32],
    order: &[u32],
    buckets: u32,
    same: impl Fn(u32, u32) -> bool,
) -> bool {
    // Equal keys share a bucket, and a bucket's entries follow each other.
    let home = |index: u32| bucket(hashes[index as usize], buckets);
    order.iter().enumerate().all(|(place, mine)| {
        let before = order[..place].iter().rev();
        let mates = before.take_while(|other| home(**other) == home(*mine));
        mates.enumerate().all(|(met, other)| {
            let alike = hashes[*other as usize] == hashes[*mine as usize];
            met < BUCKET_KEYS_MAX && !(alike && same(*mine, *other))
        })
    })
}

/// Keys of one bucket that are compared with each other.
const BUCKET_KEYS_MAX: usize = 16;

/// The bucket of a hash in a table of so many.
const fn bucket(hash: i32, buckets: u32) -> u32 {
    let spread = hash.cast_unsigned();
    (spread ^ (spread >> 16)) & (buckets - 1)
}

fn order_in_table(hashes: &[i32], buckets: u32, order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..u32::try_from(hashes.len()).unwrap_or(u32::MAX));
    order.sort_by_key(|index| bucket(hashes[*index as usize], buckets));
}

/// Buckets of a `HashMap` that says nothing else.
const INITIAL_BUCKETS: usize = 16;

/// Buckets of a `HashMap` of so many buckets after `entries` insertions.
fn table_size(initial: usize, entries: usize) -> u32 {
    let mut buckets = initial;
    // The threshold of a table is a float in Java: 0.75 of one bucket, which the first entry exceeds.
    while entries > buckets * 3 / 4 {
        buckets *= 2;
    }
    u32::try_from(buckets).unwrap_or(1 << 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Decimal;

    #[test]
    fn hashes_are_javas() {
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("hello"), 99_162_322);
        assert_eq!(string_hash("polygenelubricants"), i32::MIN);
        assert_eq!(string_hash("é"), 233);
        assert_eq!(string_hash("😀"), 0xd83d * 31 + 0xde00);
        assert_eq!(value_hash(Value::Int64(-1)), Some(0));
        assert_eq!(value_hash(Value::Int64(1 << 32)), Some(1));
        assert_eq!(value_hash(Value::Boolean(true)), Some(1231));
        assert_eq!(value_hash(Value::Float64(1.0)), Some(1_072_693_248));
        // new BigDecimal("1.50").hashCode() is 31·150 + 2.
        assert_eq!(
            value_hash(Value::Decimal(Decimal::new(150, 2).view())),
            Some(4652)
        );
    }

    #[test]
    fn order_is_by_bucket_then_by_insertion() {
        let keys = ["street", "city", "zip"];
        let hashes: Vec<i32> = keys.iter().map(|k| string_hash(k)).collect();
        let mut order = Vec::new();
        iteration_order(&hashes, &mut order);
        let sorted: Vec<&str> = order.iter().map(|i| keys[*i as usize]).collect();
        assert_eq!(sorted, ["zip", "city", "street"]);
    }

    #[test]
    fn the_table_grows_past_three_quarters() {
        assert_eq!(
            [12, 13, 24, 25].map(|n| table_size(INITIAL_BUCKETS, n)),
            [16, 32, 32, 64]
        );
    }
}

//! [`Json`]: a JSON value as Java's libraries hold one.

use num_bigint::BigInt;

/// A JSON value with Jackson's kinds of numbers; members keep their order.
///
/// Schema texts live on it: which kind of number a value has decides how it is printed (`1e10` is read as a double
/// and printed as `1.0E10`).
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number without point and exponent that fits into 64 bits (`IntNode`, `LongNode`).
    Integer(i64),
    /// A longer one (`BigIntegerNode`).
    BigInteger(BigInt),
    /// A number with a point or an exponent (`DoubleNode`).
    Double(f64),
    /// A 32-bit number; no reader makes one, Connect defaults do (`FloatNode`).
    Float(f32),
    /// Text.
    Text(Box<str>),
    /// Values in order.
    Array(Vec<Self>),
    /// Members in order; no two have one name.
    Object(Vec<(Box<str>, Self)>),
}

//! The typed face: Rust types to and from Connect values and schemas, by `serde` (feature `serde`).
//!
//! ```
//! use ferroconnect_converters::typed::{self, Decimal, Timestamp};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, PartialEq, Debug)]
//! #[serde(rename = "com.example.Order")]
//! struct Order {
//!     id: i64,
//!     customer: String,
//!     total: Decimal<2>,
//!     placed: Timestamp,
//!     note: Option<String>,
//! }
//!
//! # fn main() -> Result<(), ferroconnect_converters::Error> {
//! let schema = typed::schema_of::<Order>()?; // once: keep it
//! let order = Order {
//!     id: 7,
//!     customer: "Ada".into(),
//!     total: Decimal::new(19_95),
//!     placed: Timestamp::from_millis(1_700_000_000_000),
//!     note: None,
//! };
//! let datum = typed::to_connect(&order, &schema)?;
//! assert_eq!(typed::from_connect::<Order>(&datum)?, order);
//!
//! // Text and bytes can be borrowed from the record.
//! #[derive(Deserialize)]
//! struct Who<'a> {
//!     customer: &'a str,
//! }
//! assert_eq!(typed::from_connect::<Who>(&datum)?.customer, "Ada");
//! # Ok(())
//! # }
//! ```
//!
//! # What becomes what
//!
//! | Rust | Connect | by [`schema_of`] |
//! | --- | --- | --- |
//! | `bool`, `i8` … `i64`, `f32`, `f64`, `String`, `char` | the same type; a character is a string | yes |
//! | `u8`, `u16`, `u32`, `u64` | the next signed type: int16, int32, int64, int64 | yes |
//! | `i128`, `u128` | any integer type | no: [`Decimal<0>`](Decimal) |
//! | `Vec<u8>`, `[u8; N]`, `&[u8]`, [`ByteBuf`], `serde_bytes` | bytes | yes |
//! | `Vec<T>`, sets, `[T; N]`, tuples of one type | array | yes |
//! | maps | map; a struct when the schema says so | with text, numbers or booleans as keys |
//! | structs | struct; a map of text keys when the schema says so | yes, named as serde names it |
//! | `Option<T>` | the same schema, optional | yes |
//! | newtype structs | what is inside | yes |
//! | enums without content | string | yes, see below |
//! | enums with content | struct of optional fields, one for each variant, of which one is set | yes |
//! | [`Decimal`], [`Date`], [`Time`], [`Timestamp`] | the logical types | yes |
//! | types that contain themselves | recursive schema | yes |
//!
//! The schema decides, not the Rust type: the same struct can be written under another schema, and what was written under
//! another one can be read. Integers go into every integer type that holds them, floats too if no digit is lost, text
//! into a Decimal if its scale holds the number; logical types are also read and written as the integers below them
//! (days or milliseconds), and a Decimal as its text. Nothing is rounded or cut: what does not fit is an error with the
//! path of the field. A date under a schema of timestamps is an error too.
//!
//! # Nulls and defaults
//!
//! `None` is null, and so is a field that was skipped; whether that is legal says the schema. When reading, a null field
//! counts as left out: an `Option` is `None`, `#[serde(default)]` gives its default, and anything else is an error (a
//! field with `#[serde(deserialize_with)]` needs `default` even if it is an `Option`). A null that a schema with a
//! default forbids is read as that default, as `Struct.get` does. Fields that the Rust type does not have are passed
//! over; fields that the schema does not have are an error.
//!
//! # Enums
//!
//! Enums without content are strings. A schema for which the schema language of a format is to have an enum names its
//! symbols in parameters, which every format looks for under a name of its own: [`schema_with`] adds those of one
//! [`Symbols`]. Converters trip over parameters of the wrong kind, in Java too, so [`schema_of`] adds none.
//!
//! A variant without content among
//! others with content is the boolean `true`. Externally tagged enums, serde's default, are all of this; the other
//! representations can be written and read under a schema made by hand, but not traced.
//!
//! # What a type shows
//!
//! [`schema_of`] reads made-up values to see what the type asks for. So it knows names, nesting, `rename`, `skip` and
//! `alias` (an alias of a variant counts as a symbol), and it follows types that read text of a certain kind (times,
//! addresses, UUIDs) as strings. It does not know defaults: serde does not show them. Types that take what they
//! find (`flatten`, `untagged`, `tag`, `serde_json::Value`) are an error that says so.

mod fail;
mod logical;
mod read;
#[cfg(test)]
mod tests;
mod trace;
mod write;

use serde::{Deserialize, Serialize};

pub use self::logical::{ByteBuf, Date, Decimal, Time, Timestamp};
use crate::data::{Schema, SchemaAndValue};
use crate::error::Error;

/// The value as Connect data of that schema, checked against it.
///
/// ```
/// use ferroconnect_converters::data::{Schema, SchemaBuilder};
/// use ferroconnect_converters::typed;
///
/// #[derive(serde::Serialize)]
/// struct Reading {
///     celsius: f64,
///     sensor: u32,
/// }
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let schema = SchemaBuilder::structure()
///     .field("sensor", Schema::int16())
///     .field("celsius", Schema::float32())
///     .field("place", Schema::optional_string())
///     .build()?;
/// let datum = typed::to_connect(&Reading { celsius: 21.5, sensor: 9 }, &schema)?;
/// assert_eq!(format!("{:?}", datum.value()), r#"Struct { sensor: int16 9, celsius: float32 21.5, place: null }"#);
///
/// let error = typed::to_connect(&Reading { celsius: 21.5, sensor: 70_000 }, &schema).unwrap_err();
/// assert_eq!(error.field_path(), "sensor");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Data fault, with the path: a value of another kind, a number that does not fit, a null or a missing field where the
/// schema has neither an option nor a default, a field that the schema does not have,
/// [`TYPED_DEPTH_MAX`](crate::limits::TYPED_DEPTH_MAX).
pub fn to_connect<T: Serialize + ?Sized>(
    value: &T,
    schema: &Schema,
) -> Result<SchemaAndValue, Error> {
    write::to_connect(value, schema)
}

/// Reads Connect data, with or without a schema. `&str` and `&[u8]` are borrowed from it.
///
/// ```
/// use ferroconnect_converters::data::{Builder, Schema};
/// use ferroconnect_converters::typed;
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut out = Builder::new(None);
/// out.begin_map();
/// out.string("x").int64(1);
/// out.string("y").float64(2.5);
/// out.end_map();
/// let datum = out.finish()?;
///
/// #[derive(serde::Deserialize)]
/// struct Point {
///     x: f64,
///     y: f64,
/// }
/// let point: Point = typed::from_connect(&datum)?;
/// assert_eq!((point.x, point.y), (1.0, 2.5));
///
/// let error = typed::from_connect::<(String, String)>(&datum).unwrap_err();
/// assert_eq!(error.to_string(), "array expected, but found map");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Data fault, with the path: a value of another kind, a number that does not fit, a field without a value, more
/// elements than an array or tuple has places, [`TYPED_DEPTH_MAX`](crate::limits::TYPED_DEPTH_MAX), or what the
/// type's own code says. The text holds names and types; only a type's own code could put values into it.
pub fn from_connect<'de, T: Deserialize<'de>>(datum: &'de SchemaAndValue) -> Result<T, Error> {
    let reader = read::Reader::new(datum.value(), datum.schema());
    T::deserialize(reader).map_err(|fail| fail.0)
}

/// The schema of a Rust type, as far as it shows; see the module's words on what becomes what. It takes some microseconds to
/// milliseconds: call it once per type and keep the schema.
///
/// ```
/// use ferroconnect_converters::data::Type;
/// use ferroconnect_converters::typed;
///
/// #[derive(serde::Deserialize)]
/// struct Tree {
///     name: String,
///     children: Vec<Tree>,
/// }
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let tree = typed::schema_of::<Tree>()?;
/// assert_eq!((tree.kind(), tree.name()), (Type::Struct, Some("Tree")));
/// assert!(tree.is_recursive());
///
/// let error = typed::schema_of::<std::marker::PhantomData<u8>>().unwrap_err();
/// assert!(error.to_string().contains("no Connect type"), "{error}");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Plugin fault: the type does not show what it is made of, with the path of the part; two types of different
/// shape have one name; keys of a map are no text, number or boolean.
pub fn schema_of<'de, T: Deserialize<'de>>() -> Result<Schema, Error> {
    schema_with::<T>(Symbols::Text)
}

/// As [`schema_of`], with enums that a format's schema language has as enums.
///
/// ```
/// use ferroconnect_converters::typed::{self, Symbols};
///
/// #[derive(serde::Deserialize)]
/// enum Suit {
///     Spades,
///     Hearts,
/// }
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let suit = typed::schema_with::<Suit>(Symbols::Avro)?;
/// assert_eq!(suit.parameter("io.confluent.connect.avro.Enum"), Some("Suit"));
/// assert_eq!(suit.parameter("io.confluent.connect.avro.Enum.Hearts"), Some("Hearts"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`schema_of`].
pub fn schema_with<'de, T: Deserialize<'de>>(symbols: Symbols) -> Result<Schema, Error> {
    trace::schema_of::<T>(symbols)
}

/// How a string schema tells that it is an enum, and its symbols: the parameters that Confluent's converters read and
/// write (`AvroData`, `ProtobufData`, `JsonSchemaData`, `ConnectEnum`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Symbols {
    /// Not at all: a string in every format.
    #[default]
    Text,
    /// `io.confluent.connect.avro.Enum`: for `AvroConverter` with `enhanced.avro.schema.support`.
    Avro,
    /// `io.confluent.connect.protobuf.Enum`: for `ProtobufConverter`.
    Protobuf,
    /// `io.confluent.connect.json.Enum`: for `JsonSchemaConverter`.
    Json,
    /// `org.apache.kafka.connect.data.Enum`: for any of them with `generalized.sum.type.support`.
    Generalized,
}

impl Symbols {
    /// The parameter whose value is the enum's name; followed by a dot and a symbol it is that of the symbol.
    const fn parameter(self) -> Option<&'static str> {
        match self {
            Self::Text => None,
            Self::Avro => Some("io.confluent.connect.avro.Enum"),
            Self::Protobuf => Some("io.confluent.connect.protobuf.Enum"),
            Self::Json => Some("io.confluent.connect.json.Enum"),
            Self::Generalized => Some("org.apache.kafka.connect.data.Enum"),
        }
    }
}

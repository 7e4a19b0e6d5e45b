//! Converters without a schema language: text, bytes, numbers, booleans, and the header converter that guesses.
//!
//! | Converter | bytes |
//! | --- | --- |
//! | [`StringConverter`] | the text of any value in an encoding of your choice |
//! | [`ByteArrayConverter`] | as they are, not copied on reading |
//! | [`ShortConverter`], [`IntegerConverter`], [`LongConverter`], [`FloatConverter`], [`DoubleConverter`] | one big-endian number |
//! | [`BooleanConverter`] | `00` or `01` |
//! | [`SimpleHeaderConverter`] | headers: text that [`data::text`](crate::data::text) prints and guesses |
//!
//! A null value is null bytes and back. Readers give the optional schema of their type. Each is made by `configure`; each serves
//! headers as well as keys and values, but for SimpleHeaderConverter, which serves headers only.

mod boolean;
mod bytes;
mod charset;
mod config;
mod header;
mod numbers;
mod string;

use crate::data::{Schema, SchemaAndValue, Type};
use crate::error::{Error, simple::Kind};

pub use self::boolean::BooleanConverter;
pub use self::bytes::ByteArrayConverter;
pub use self::config::{StringConfig, type_only_def};
pub use self::header::SimpleHeaderConverter;
pub use self::numbers::{
    DoubleConverter, FloatConverter, IntegerConverter, LongConverter, Number, NumberConverter,
    ShortConverter,
};
pub use self::string::StringConverter;

/// Refuses a schema of another type than the converter's own; no schema is fine.
fn check_schema_type(
    data: &SchemaAndValue,
    own: Type,
    converter: &'static str,
) -> Result<(), Error> {
    match data.schema().map(Schema::kind) {
        Some(kind) if kind != own => Err(Kind::WrongSchemaType { converter, kind }.into()),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

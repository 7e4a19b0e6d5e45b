//! From a Connect value to JSON text: the obvious way, which defines what is written.
//!
//! The compiled plans of `encode.rs` must agree with it byte for byte; it writes the defaults inside schemas itself.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::base64::encode_integer;
use crate::data::{
    DecimalRef, Logical, Map, Schema, Struct, Type, UnscaledRef, Value, logical, number_text,
};
use crate::error::{Error, json::Kind};
use crate::json_text::text::write_string;

/// How values are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writing {
    /// Decimals as bare numbers instead of base64.
    pub(crate) numeric_decimals: bool,
    /// A null takes the schema's default, if it has one.
    pub(crate) null_becomes_default: bool,
}

impl Writing {
    /// Appends one value. On failure `out` may hold half of it.
    pub(crate) fn value(
        self,
        schema: Option<&Schema>,
        value: Value<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        if value.is_null() {
            return self.null(schema, out);
        }
        match schema {
            Some(schema) => match schema.logical() {
                Some(logical) => self.logical(logical, schema, value, out),
                None => self.typed(schema, value, out),
            },
            None => self.untyped(value, out),
        }
    }

    fn null(self, schema: Option<&Schema>, out: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(schema) = schema {
            if self.null_becomes_default
                && let Some(default) = schema.default_value()
            {
                return self.value(Some(schema), default, out);
            }
            if !schema.is_optional() {
                return Err(Kind::NullForRequiredOnWrite.into());
            }
        }
        out.extend_from_slice(b"null");
        Ok(())
    }

    fn typed(self, schema: &Schema, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        match (schema.kind(), value) {
            (Type::Int8, Value::Int8(v)) => write_integer(v.into(), out),
            (Type::Int16, Value::Int16(v)) => write_integer(v.into(), out),
            (Type::Int32, Value::Int32(v)) => write_integer(v.into(), out),
            (Type::Int64, Value::Int64(v)) => write_integer(v, out),
            (Type::Float32, Value::Float32(v)) => write_f32(v, out),
            (Type::Float64, Value::Float64(v)) => write_f64(v, out),
            (Type::Boolean, Value::Boolean(v)) => write_boolean(v, out),
            (Type::String, Value::String(v)) => write_string(v, out),
            (Type::Bytes, Value::Bytes(v)) => write_base64(v, out),
            (Type::Array, Value::Array(v)) => {
                return self.array(v.iter(), schema.value_schema(), out);
            }
            (Type::Map, Value::Map(v)) => {
                let text_keys = schema
                    .key_schema()
                    .is_some_and(|key| key.kind() == Type::String);
                return self.map(
                    v,
                    schema.key_schema(),
                    schema.value_schema(),
                    text_keys,
                    out,
                );
            }
            (Type::Struct, Value::Struct(v)) => return self.structure(schema, v, out),
            (kind, value) => {
                return Err(Kind::WrongClass {
                    kind: Some(kind),
                    class: value.java_class(),
                }
                .into());
            }
        }
        Ok(())
    }

    fn untyped(self, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        match value {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Boolean(v) => write_boolean(v, out),
            Value::Int8(v) => write_integer(v.into(), out),
            Value::Int16(v) => write_integer(v.into(), out),
            Value::Int32(v) => write_integer(v.into(), out),
            Value::Int64(v) => write_integer(v, out),
            Value::Float32(v) => write_f32(v, out),
            Value::Float64(v) => write_f64(v, out),
            Value::String(v) => write_string(v, out),
            Value::Bytes(v) => write_base64(v, out),
            Value::Array(v) => return self.array(v.iter(), None, out),
            Value::Map(v) => {
                let text_keys = v.iter().all(|(key, _)| matches!(key, Value::String(_)));
                return self.map(v, None, None, text_keys, out);
            }
            Value::Struct(_) => return Err(Kind::StructSchemasDiffer.into()),
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) | Value::Decimal(_) => {
                return Err(Kind::NoSchemaType {
                    class: value.java_class(),
                }
                .into());
            }
        }
        Ok(())
    }

    fn array<'v>(
        self,
        elements: impl Iterator<Item = Value<'v>>,
        schema: Option<&Schema>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        out.push(b'[');
        for (index, element) in elements.enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.value(schema, element, out)
                .map_err(|e| e.in_element(index))?;
        }
        out.push(b']');
        Ok(())
    }

    /// An object when all keys are text, else an array of pairs.
    fn map(
        self,
        map: Map<'_>,
        key_schema: Option<&Schema>,
        value_schema: Option<&Schema>,
        text_keys: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        out.push(if text_keys { b'{' } else { b'[' });
        for (index, (key, value)) in map.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            if text_keys {
                self.object_key(key_schema, key, out)
                    .map_err(|e| e.in_key(index))?;
                out.push(b':');
            } else {
                out.push(b'[');
                self.value(key_schema, key, out)
                    .map_err(|e| e.in_key(index))?;
                out.push(b',');
            }
            self.value(value_schema, value, out)
                .map_err(|e| e.in_map_value(index))?;
            if !text_keys {
                out.push(b']');
            }
        }
        out.push(if text_keys { b'}' } else { b']' });
        Ok(())
    }

    /// A null key becomes the name `null`.
    fn object_key(
        self,
        schema: Option<&Schema>,
        key: Value<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let start = out.len();
        self.value(schema, key, out)?;
        if out.get(start) != Some(&b'"') {
            out.truncate(start);
            out.extend_from_slice(b"\"null\"");
        }
        Ok(())
    }

    fn structure(self, schema: &Schema, value: Struct<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        if value.schema() != schema {
            return Err(Kind::StructSchemasDiffer.into());
        }
        out.push(b'{');
        for (field, value) in schema.fields().iter().zip(value.values()) {
            if field.index() > 0 {
                out.push(b',');
            }
            write_string(field.name(), out);
            out.push(b':');
            self.value(Some(field.schema()), value, out)
                .map_err(|e| e.in_field(field.name()))?;
        }
        out.push(b'}');
        Ok(())
    }

    fn logical(
        self,
        logical: Logical,
        schema: &Schema,
        value: Value<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let wrong = |expected, name| Kind::LogicalWrongClass {
            name,
            expected,
            class: value.java_class(),
        };
        match (logical, value) {
            (Logical::Decimal, Value::Decimal(v)) if self.numeric_decimals => v.write_text(out),
            (Logical::Decimal, Value::Decimal(v)) => {
                logical::check_decimal_scale(schema, v)?;
                write_decimal_base64(v, out);
            }
            (Logical::Date, Value::Date(v) | Value::Time(v) | Value::Timestamp(v)) => {
                write_integer(logical::date_to_days(v)?.into(), out);
            }
            (Logical::Time, Value::Date(v) | Value::Time(v) | Value::Timestamp(v)) => {
                write_integer(logical::time_to_millis(v)?.into(), out);
            }
            (Logical::Timestamp, Value::Date(v) | Value::Time(v) | Value::Timestamp(v)) => {
                write_integer(v, out);
            }
            (Logical::Decimal, _) => return Err(wrong("BigDecimal", "Decimal").into()),
            (Logical::Date, _) => return Err(wrong("Date", "Date").into()),
            (Logical::Time, _) => return Err(wrong("Date", "Time").into()),
            (Logical::Timestamp, _) => return Err(wrong("Date", "Timestamp").into()),
        }
        Ok(())
    }
}

#[inline]
pub(crate) fn write_integer(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

#[inline]
pub(crate) fn write_boolean(value: bool, out: &mut Vec<u8>) {
    let word: &[u8] = if value { b"true" } else { b"false" };
    out.extend_from_slice(word);
}

/// What is no finite number is written as a word in quotes.
#[inline]
pub(crate) fn write_f64(value: f64, out: &mut Vec<u8>) {
    match number_text::not_finite(value) {
        None => number_text::write_f64(value, out),
        Some(word) => write_string(word, out),
    }
}

/// What is no finite number is written as a word in quotes.
#[inline]
pub(crate) fn write_f32(value: f32, out: &mut Vec<u8>) {
    match number_text::not_finite(value.into()) {
        None => number_text::write_f32(value, out),
        Some(word) => write_string(word, out),
    }
}

/// Standard alphabet, padded, without line breaks.
pub(crate) fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    // The buffer has exactly the room that padded base64 takes, so this cannot fail.
    let written = STANDARD
        .encode_slice(bytes, &mut out[start..])
        .unwrap_or_default();
    out.truncate(start + written);
    out.push(b'"');
}

pub(crate) fn write_decimal_base64(value: DecimalRef<'_>, out: &mut Vec<u8>) {
    if let UnscaledRef::Small(unscaled) = value.unscaled() {
        out.push(b'"');
        encode_integer(unscaled, out);
        out.push(b'"');
        return;
    }
    value.with_be_bytes(|bytes| write_base64(bytes, out));
}

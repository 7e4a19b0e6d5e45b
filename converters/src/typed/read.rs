//! From a Connect value to a Rust type: text and bytes are borrowed, numbers are checked.

use serde::de::value::{BorrowedStrDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, Visitor};

use super::fail::Fail;
use super::logical::reserved;
use super::write::{deeper, narrowed, words};
use crate::data::{Array, Logical, Schema, Struct, Type, Value, logical};
use crate::error::typed::Kind;

/// A value that is being read. The schema counts for logical types only: Java keeps all dates in one class.
#[derive(Clone, Copy)]
pub(super) struct Reader<'de> {
    value: Value<'de>,
    schema: Option<&'de Schema>,
    depth: usize,
}

impl<'de> Reader<'de> {
    pub(super) const fn new(value: Value<'de>, schema: Option<&'de Schema>) -> Self {
        Self {
            value,
            schema,
            depth: 0,
        }
    }

    fn deeper(self) -> Result<Self, Fail> {
        let depth = deeper(self.depth)?;
        Ok(Self { depth, ..self })
    }

    const fn part(self, value: Value<'de>, schema: Option<&'de Schema>) -> Self {
        Self {
            value,
            schema,
            depth: self.depth,
        }
    }

    #[cold]
    fn mismatch<T>(self, expected: &str) -> Result<T, Fail> {
        Err(Fail::expected(expected, found(self.value)))
    }

    /// The logical type of a date, time, timestamp or decimal.
    fn logical(self) -> Option<Logical> {
        let of_value = match self.value {
            Value::Date(_) => Logical::Date,
            Value::Time(_) => Logical::Time,
            Value::Timestamp(_) => Logical::Timestamp,
            Value::Decimal(_) => return Some(Logical::Decimal),
            Value::Null
            | Value::Boolean(_)
            | Value::Int8(_)
            | Value::Int16(_)
            | Value::Int32(_)
            | Value::Int64(_)
            | Value::Float32(_)
            | Value::Float64(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Array(_)
            | Value::Map(_)
            | Value::Struct(_) => return None,
        };
        Some(self.schema.and_then(Schema::logical).unwrap_or(of_value))
    }

    /// Dates and times are read as the integers below them.
    fn temporal<V: Visitor<'de>>(self, millis: i64, visitor: V) -> Result<V::Value, Fail> {
        match self.logical() {
            Some(Logical::Date) => visitor.visit_i32(logical::date_to_days(millis)?),
            Some(Logical::Time) => visitor.visit_i32(logical::time_to_millis(millis)?),
            Some(Logical::Timestamp | Logical::Decimal) | None => visitor.visit_i64(millis),
        }
    }

    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match self.value {
            Value::Int8(v) => visitor.visit_i8(v),
            Value::Int16(v) => visitor.visit_i16(v),
            Value::Int32(v) => visitor.visit_i32(v),
            Value::Int64(v) => visitor.visit_i64(v),
            Value::Date(v) | Value::Time(v) | Value::Timestamp(v) => self.temporal(v, visitor),
            Value::Null
            | Value::Boolean(_)
            | Value::Float32(_)
            | Value::Float64(_)
            | Value::Decimal(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Array(_)
            | Value::Map(_)
            | Value::Struct(_) => self.mismatch("integer"),
        }
    }

    /// A number as a double, exactly. JSON without a schema has integers where a float happens to be whole.
    fn float(self) -> Result<f64, Fail> {
        let exact = match self.value {
            Value::Float32(v) => return Ok(v.into()),
            Value::Float64(v) => return Ok(v),
            Value::Int8(v) => Some(f64::from(v)),
            Value::Int16(v) => Some(f64::from(v)),
            Value::Int32(v) => Some(f64::from(v)),
            Value::Int64(v) => whole(v),
            Value::Null
            | Value::Boolean(_)
            | Value::Date(_)
            | Value::Time(_)
            | Value::Timestamp(_)
            | Value::Decimal(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Array(_)
            | Value::Map(_)
            | Value::Struct(_) => None,
        };
        match exact {
            Some(exact) => Ok(exact),
            None => self.mismatch("float"),
        }
    }

    /// Elements of an array; the bytes of a byte array.
    fn elements<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        if let Value::Bytes(bytes) = self.value {
            return visit_bytes(bytes, visitor);
        }
        let Value::Array(array) = self.value else {
            return self.mismatch("array");
        };
        let mut elements = Elements {
            outer: self.deeper()?,
            array,
            next: 0,
        };
        let value = visitor.visit_seq(&mut elements)?;
        all_taken(elements.next, array.len())?;
        Ok(value)
    }

    /// Fields of a struct, or entries of a map. A null field is one that was never set.
    fn members<V: Visitor<'de>>(self, visitor: V, nulls: bool) -> Result<V::Value, Fail> {
        let outer = self.deeper()?;
        if let Value::Struct(structure) = self.value {
            return visitor.visit_map(Fields {
                outer,
                structure,
                next: 0,
                current: None,
            });
        }
        let Value::Map(map) = self.value else {
            return self.mismatch("struct or map");
        };
        visitor.visit_map(Entries {
            outer,
            key: map.key_schema(),
            value: map.value_schema(),
            entries: map.iter(),
            index: 0,
            current: None,
            nulls,
        })
    }

    /// The only field of a struct, or entry of a map, that is set: the variant of an enum with its content.
    fn variant(self) -> Result<Variant<'de>, Fail> {
        let content = self.deeper()?;
        let mut set = Vec::new();
        if let Value::Struct(structure) = self.value {
            for (field, value) in structure.schema().fields().iter().zip(structure.values()) {
                set.push((field.name(), content.part(value, Some(field.schema()))));
            }
        } else if let Value::Map(map) = self.value {
            for (index, (key, value)) in map.iter().enumerate() {
                let name = key.as_str();
                let name = name.ok_or_else(|| Fail::expected("string", found(key)).in_key(index));
                set.push((name?, content.part(value, map.value_schema())));
            }
        } else {
            return self.mismatch("variant");
        }
        set.retain(|(_, content)| !content.value.is_null());
        match set[..] {
            [(name, content)] => Ok(Variant { name, content }),
            _ => Err(Kind::VariantsSet { count: set.len() }.into()),
        }
    }
}

fn visit_bytes<'de, V: Visitor<'de>>(bytes: &'de [u8], visitor: V) -> Result<V::Value, Fail> {
    let mut elements = SeqDeserializer::<_, Fail>::new(bytes.iter().copied());
    let value = visitor.visit_seq(&mut elements)?;
    let mut left = 0;
    while de::SeqAccess::next_element::<u8>(&mut elements)?.is_some() {
        left += 1;
    }
    all_taken(bytes.len() - left, bytes.len())?;
    Ok(value)
}

/// An integer as a double, when that loses nothing.
fn whole(value: i64) -> Option<f64> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "every integer of 53 bits is a double"
    )]
    let float = value as f64;
    (value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS).then_some(float)
}

/// A Rust array takes as many elements as it has places: the rest must not be lost.
fn all_taken(taken: usize, len: usize) -> Result<(), Fail> {
    if taken == len {
        return Ok(());
    }
    Err(Kind::LengthDiffers {
        expected: format!("{taken} elements").into(),
        found: len,
    }
    .into())
}

/// What a value is, for error texts.
const fn found(value: Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Boolean(_) => Type::Boolean.name(),
        Value::Int8(_) => Type::Int8.name(),
        Value::Int16(_) => Type::Int16.name(),
        Value::Int32(_) => Type::Int32.name(),
        Value::Int64(_) => Type::Int64.name(),
        Value::Float32(_) => Type::Float32.name(),
        Value::Float64(_) => Type::Float64.name(),
        Value::Date(_) => words(Logical::Date),
        Value::Time(_) => words(Logical::Time),
        Value::Timestamp(_) => words(Logical::Timestamp),
        Value::Decimal(_) => words(Logical::Decimal),
        Value::String(_) => Type::String.name(),
        Value::Bytes(_) => Type::Bytes.name(),
        Value::Array(_) => Type::Array.name(),
        Value::Map(_) => Type::Map.name(),
        Value::Struct(_) => Type::Struct.name(),
    }
}

macro_rules! integers {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
            self.integer(visitor)
        }
    )+};
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Fail;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Boolean(v) => visitor.visit_bool(v),
            Value::Int8(_)
            | Value::Int16(_)
            | Value::Int32(_)
            | Value::Int64(_)
            | Value::Date(_)
            | Value::Time(_)
            | Value::Timestamp(_) => self.integer(visitor),
            Value::Float32(v) => visitor.visit_f32(v),
            Value::Float64(v) => visitor.visit_f64(v),
            Value::Decimal(v) => visitor.visit_string(v.to_string()),
            Value::String(v) => visitor.visit_borrowed_str(v),
            Value::Bytes(v) => visitor.visit_borrowed_bytes(v),
            Value::Array(_) => self.elements(visitor),
            Value::Map(_) | Value::Struct(_) => self.members(visitor, true),
        }
    }

    integers!(
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    );

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        let Value::Boolean(v) = self.value else {
            return self.mismatch("boolean");
        };
        visitor.visit_bool(v)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        visitor.visit_f32(narrowed(self.float()?)?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        visitor.visit_f64(self.float()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        if let Value::Decimal(v) = self.value {
            return visitor.visit_string(v.to_string());
        }
        let Value::String(v) = self.value else {
            return self.mismatch("string");
        };
        visitor.visit_borrowed_str(v)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        let Value::Bytes(v) = self.value else {
            return self.mismatch("bytes");
        };
        visitor.visit_borrowed_bytes(v)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self.deeper()?)
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        if self.value.is_null() {
            visitor.visit_unit()
        } else {
            self.mismatch("null")
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fail> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fail> {
        if let (Some((of_type, _)), Some(of_value)) = (reserved(name), self.logical())
            && of_type != of_value
        {
            return Err(Kind::LogicalDiffers {
                of_type: words(of_type),
                of_schema: words(of_value).into(),
            }
            .into());
        }
        visitor.visit_newtype_struct(self.deeper()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.elements(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fail> {
        self.elements(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fail> {
        self.elements(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        self.members(visitor, true)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fail> {
        self.members(visitor, false)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fail> {
        if let Value::String(name) = self.value {
            return visitor.visit_enum(BorrowedStrDeserializer::new(name));
        }
        let variant = self.variant()?;
        let name = variant.name;
        (visitor.visit_enum(variant)).map_err(|fail| fail.in_field(name))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fail> {
        visitor.visit_unit()
    }
}

struct Elements<'de> {
    outer: Reader<'de>,
    array: Array<'de>,
    next: usize,
}

impl<'de> de::SeqAccess<'de> for Elements<'de> {
    type Error = Fail;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fail> {
        let index = self.next;
        let Some(value) = self.array.get(index) else {
            return Ok(None);
        };
        self.next += 1;
        let element = self.outer.part(value, self.array.element_schema());
        (seed.deserialize(element).map(Some)).map_err(|fail| fail.in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.array.len() - self.next)
    }
}

struct Fields<'de> {
    outer: Reader<'de>,
    structure: Struct<'de>,
    next: usize,
    current: Option<(&'de str, Reader<'de>)>,
}

impl<'de> de::MapAccess<'de> for Fields<'de> {
    type Error = Fail;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fail> {
        while let Some(field) = self.structure.schema().fields().get(self.next) {
            let schema = field.schema();
            let mut value = self.structure.at(self.next);
            self.next += 1;
            // A null that the schema forbids stands for the default; one that it allows is a null.
            if value.is_null() && !schema.is_optional() {
                value = schema.default_value().unwrap_or(Value::Null);
            }
            if value.is_null() {
                continue;
            }
            self.current = Some((field.name(), self.outer.part(value, Some(schema))));
            return seed
                .deserialize(BorrowedStrDeserializer::new(field.name()))
                .map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fail> {
        let (name, value) = self.current.take().ok_or_else(no_key)?;
        (seed.deserialize(value)).map_err(|fail| fail.in_field(name))
    }
}

/// Serde asks for a key before its value.
#[cold]
fn no_key() -> Fail {
    Kind::Said("a value was asked for before its key".into()).into()
}

struct Entries<'de, I> {
    outer: Reader<'de>,
    key: Option<&'de Schema>,
    value: Option<&'de Schema>,
    entries: I,
    /// Entries taken so far.
    index: usize,
    current: Option<(Value<'de>, Value<'de>)>,
    /// Whether null values count. Fields of Rust structs see them as left out.
    nulls: bool,
}

impl<'de, I: Iterator<Item = (Value<'de>, Value<'de>)>> de::MapAccess<'de> for Entries<'de, I> {
    type Error = Fail;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fail> {
        for (key, value) in self.entries.by_ref() {
            let index = self.index;
            self.index += 1;
            if value.is_null() && !self.nulls {
                continue;
            }
            self.current = Some((key, value));
            let key = self.outer.part(key, self.key);
            return (seed.deserialize(key).map(Some)).map_err(|fail| fail.in_key(index));
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fail> {
        let (key, value) = self.current.take().ok_or_else(no_key)?;
        let index = self.index - 1;
        seed.deserialize(self.outer.part(value, self.value))
            .map_err(|fail| match key.as_str() {
                Some(name) if !self.nulls => fail.in_field(name),
                Some(_) | None => fail.in_map_value(index),
            })
    }
}

/// A variant of an enum: the name of the field that is set, and its value.
struct Variant<'de> {
    name: &'de str,
    content: Reader<'de>,
}

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = Fail;
    type Variant = Reader<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Reader<'de>), Fail> {
        let variant = seed.deserialize(BorrowedStrDeserializer::<Fail>::new(self.name))?;
        Ok((variant, self.content))
    }
}

impl<'de> de::VariantAccess<'de> for Reader<'de> {
    type Error = Fail;

    fn unit_variant(self) -> Result<(), Fail> {
        if self.value == Value::Boolean(true) {
            return Ok(());
        }
        self.mismatch("true")
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fail> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fail> {
        self.elements(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fail> {
        self.members(visitor, false)
    }
}

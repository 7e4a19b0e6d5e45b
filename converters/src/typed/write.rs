//! From a Rust type under a schema into the model's builder: no tree between.

use serde::ser::{self, Serialize, Serializer};

use super::fail::Fail;
use super::logical::{rescaled, reserved};
use crate::data::{Builder, Decimal, Logical, Schema, SchemaAndValue, Type, check, logical};
use crate::error::data::Kind as ModelKind;
use crate::error::{Error, typed::Kind};
use crate::limits::TYPED_DEPTH_MAX;

pub(super) fn to_connect<T: Serialize + ?Sized>(
    value: &T,
    schema: &Schema,
) -> Result<SchemaAndValue, Error> {
    let mut out = Builder::new(Some(schema.clone()));
    let writer = Writer {
        out: &mut out,
        schema,
        depth: 0,
    };
    value.serialize(writer).map_err(|fail| fail.0)?;
    let datum = out.finish()?;
    // Nulls, fields that were left out: the model has one home for those rules.
    check::check(schema, datum.value())?;
    Ok(datum)
}

/// Where the next value goes, and its schema. Everything serde calls on it adds exactly one value.
pub(super) struct Writer<'o, 's> {
    out: &'o mut Builder,
    schema: &'s Schema,
    depth: usize,
}

/// Containers, options and wrappers, of which a type may have so many inside of each other.
pub(super) fn deeper(depth: usize) -> Result<usize, Fail> {
    if depth >= TYPED_DEPTH_MAX {
        let limit = TYPED_DEPTH_MAX;
        return Err(ModelKind::NestingTooDeep { limit }.into());
    }
    Ok(depth + 1)
}

impl<'o, 's> Writer<'o, 's> {
    #[cold]
    fn mismatch<T>(&self, found: &str) -> Result<T, Fail> {
        Err(Fail::expected(&words_of(self.schema), found))
    }

    fn integer(self, value: i128) -> Result<(), Fail> {
        let kind = self.schema.kind();
        let days_or_millis = || i32::try_from(value).map_err(|_| Kind::out_of(Type::Int32));
        let wide = || i64::try_from(value).map_err(|_| Kind::out_of(Type::Int64));
        match self.schema.logical() {
            Some(Logical::Date) => self.out.date(logical::date_from_days(days_or_millis()?)),
            Some(Logical::Time) => self.out.time(logical::time_from_millis(days_or_millis()?)?),
            Some(Logical::Timestamp) => self.out.timestamp(wide()?),
            Some(Logical::Decimal) => return self.decimal(&Decimal::new(value, 0)),
            None => match kind {
                Type::Int8 => {
                    let value = i8::try_from(value).map_err(|_| Kind::out_of(kind))?;
                    self.out.int8(value)
                }
                Type::Int16 => {
                    let value = i16::try_from(value).map_err(|_| Kind::out_of(kind))?;
                    self.out.int16(value)
                }
                Type::Int32 => self.out.int32(days_or_millis()?),
                Type::Int64 => self.out.int64(wide()?),
                Type::Float32
                | Type::Float64
                | Type::Boolean
                | Type::String
                | Type::Bytes
                | Type::Array
                | Type::Map
                | Type::Struct => return self.mismatch("integer"),
            },
        };
        Ok(())
    }

    fn float(self, value: f64) -> Result<(), Fail> {
        match (self.schema.kind(), self.schema.logical()) {
            (Type::Float64, None) => self.out.float64(value),
            (Type::Float32, None) => self.out.float32(narrowed(value)?),
            (
                Type::Float64
                | Type::Float32
                | Type::Int8
                | Type::Int16
                | Type::Int32
                | Type::Int64
                | Type::Boolean
                | Type::String
                | Type::Bytes
                | Type::Array
                | Type::Map
                | Type::Struct,
                _,
            ) => return self.mismatch("float"),
        };
        Ok(())
    }

    fn decimal(self, value: &Decimal) -> Result<(), Fail> {
        let scale = self.schema.decimal_scale()?;
        self.out.decimal(rescaled(value.view(), scale)?.view());
        Ok(())
    }

    fn is(&self, kind: Type) -> bool {
        self.schema.kind() == kind && self.schema.logical().is_none()
    }

    /// Opens an array, or gathers what goes into bytes.
    fn sequence(self, in_variant: bool) -> Result<Sequence<'o, 's>, Fail> {
        let depth = deeper(self.depth)?;
        let target = if self.is(Type::Bytes) {
            SequenceTarget::Bytes(Vec::new())
        } else if self.is(Type::Array) {
            self.out.begin_array();
            SequenceTarget::Array(part(self.schema.value_schema(), "element of array value")?)
        } else {
            return self.mismatch("array");
        };
        Ok(Sequence {
            out: self.out,
            target,
            index: 0,
            depth,
            in_variant,
        })
    }

    /// Opens a struct or a map.
    fn members(self, found: &str, in_variant: bool) -> Result<Members<'o, 's>, Fail> {
        let depth = deeper(self.depth)?;
        let target = if self.is(Type::Struct) {
            self.out.begin_struct(self.schema);
            MembersTarget::Struct {
                schema: self.schema,
                next: 0,
                name: String::new(),
            }
        } else if self.is(Type::Map) {
            let key = part(self.schema.key_schema(), "key of map value")?;
            let value = part(self.schema.value_schema(), "value of map value")?;
            self.out.begin_map();
            MembersTarget::Map { key, value }
        } else {
            return self.mismatch(found);
        };
        Ok(Members {
            out: self.out,
            target,
            index: 0,
            depth,
            in_variant,
        })
    }

    /// Opens the struct that stands for an enum, at the field of a variant.
    fn variant(self, name: &str) -> Result<Self, Fail> {
        if !self.is(Type::Struct) {
            return self.mismatch("variant with content");
        }
        let depth = deeper(self.depth)?;
        let field = field_of(self.schema, 0, name)?;
        self.out.begin_struct(self.schema).field(field.index());
        Ok(Self {
            out: self.out,
            schema: field.schema(),
            depth,
        })
    }
}

/// The type of a schema, for error texts.
fn words_of(schema: &Schema) -> String {
    match schema.logical() {
        Some(logical) => format!("{logical:?}"),
        None => schema.kind().name().to_owned(),
    }
}

fn part<'s>(schema: Option<&'s Schema>, location: &str) -> Result<&'s Schema, Fail> {
    let location = || location.into();
    schema.ok_or_else(|| {
        ModelKind::NoElementSchema {
            location: location(),
        }
        .into()
    })
}

/// The field of that name; `next` is where it most likely is.
fn field_of<'s>(
    schema: &'s Schema,
    next: usize,
    name: &str,
) -> Result<&'s crate::data::Field, Fail> {
    match schema.fields().get(next) {
        Some(field) if field.name() == name => Ok(field),
        Some(_) | None => schema
            .field(name)
            .ok_or_else(|| ModelKind::FieldUnknown { name: name.into() }.into()),
    }
}

/// A double as a float, when that loses nothing.
pub(super) fn narrowed(value: f64) -> Result<f32, Fail> {
    #[expect(clippy::cast_possible_truncation, reason = "checked by the way back")]
    let narrow = value as f32;
    if f64::from(narrow).to_bits() == value.to_bits() || value.is_nan() {
        Ok(narrow)
    } else {
        Err(Kind::Inexact.into())
    }
}

/// One value by itself: keys of structs, bytes of a byte array.
fn alone<T: Serialize + ?Sized>(value: &T, schema: &Schema) -> Result<SchemaAndValue, Fail> {
    let mut out = Builder::new(None);
    value.serialize(Writer {
        out: &mut out,
        schema,
        depth: 0,
    })?;
    Ok(out.finish()?)
}

macro_rules! integers {
    ($($method:ident $native:ty),+) => {$(
        fn $method(self, value: $native) -> Result<(), Fail> {
            self.integer(value.into())
        }
    )+};
}

impl<'o, 's> Serializer for Writer<'o, 's> {
    type Ok = ();
    type Error = Fail;
    type SerializeSeq = Sequence<'o, 's>;
    type SerializeTuple = Sequence<'o, 's>;
    type SerializeTupleStruct = Sequence<'o, 's>;
    type SerializeTupleVariant = Sequence<'o, 's>;
    type SerializeMap = Members<'o, 's>;
    type SerializeStruct = Members<'o, 's>;
    type SerializeStructVariant = Members<'o, 's>;

    integers!(
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64
    );

    fn serialize_u128(self, value: u128) -> Result<(), Fail> {
        let value = i128::try_from(value).map_err(|_| Kind::out_of(self.schema.kind()))?;
        self.integer(value)
    }

    fn serialize_bool(self, value: bool) -> Result<(), Fail> {
        if !self.is(Type::Boolean) {
            return self.mismatch("boolean");
        }
        self.out.boolean(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Fail> {
        self.float(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Fail> {
        self.float(value)
    }

    fn serialize_char(self, value: char) -> Result<(), Fail> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Fail> {
        if self.schema.logical() == Some(Logical::Decimal) {
            return match Decimal::parse(value) {
                Some(decimal) => self.decimal(&decimal),
                None => Err(Kind::NotADecimal.into()),
            };
        }
        if !self.is(Type::String) {
            return self.mismatch("string");
        }
        self.out.string(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Fail> {
        if !self.is(Type::Bytes) {
            return self.mismatch("bytes");
        }
        self.out.bytes(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Fail> {
        self.out.null();
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Fail> {
        let depth = deeper(self.depth)?;
        value.serialize(Self { depth, ..self })
    }

    fn serialize_unit(self) -> Result<(), Fail> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Fail> {
        self.serialize_none()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Fail> {
        if self.is(Type::Struct) {
            let inner = self.variant(variant)?;
            let out = &mut *inner.out;
            Writer { out, ..inner }.serialize_bool(true)?;
            inner.out.end_struct();
            return Ok(());
        }
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Fail> {
        if let Some((of_type, _)) = reserved(name) {
            same_logical(of_type, self.schema)?;
        }
        self.serialize_some(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Fail> {
        let inner = self.variant(variant)?;
        let out = &mut *inner.out;
        value
            .serialize(Writer { out, ..inner })
            .map_err(|fail| fail.in_field(variant))?;
        inner.out.end_struct();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Sequence<'o, 's>, Fail> {
        self.sequence(false)
    }

    fn serialize_tuple(self, _: usize) -> Result<Sequence<'o, 's>, Fail> {
        self.sequence(false)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Sequence<'o, 's>, Fail> {
        self.sequence(false)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Sequence<'o, 's>, Fail> {
        self.variant(variant)?.sequence(true)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'o, 's>, Fail> {
        self.members("map", false)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'o, 's>, Fail> {
        self.members("struct", false)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'o, 's>, Fail> {
        self.variant(variant)?.members("struct", true)
    }
}

/// A value of one logical type must not go where another is declared: both may be the same integers.
pub(super) fn same_logical(of_type: Logical, schema: &Schema) -> Result<(), Fail> {
    match schema.logical() {
        Some(of_schema) if of_schema != of_type => Err(Kind::LogicalDiffers {
            of_type: words(of_type),
            of_schema: words(of_schema).into(),
        }
        .into()),
        Some(_) | None => Ok(()),
    }
}

pub(super) const fn words(logical: Logical) -> &'static str {
    match logical {
        Logical::Decimal => "Decimal",
        Logical::Date => "Date",
        Logical::Time => "Time",
        Logical::Timestamp => "Timestamp",
    }
}

pub(super) struct Sequence<'o, 's> {
    out: &'o mut Builder,
    target: SequenceTarget<'s>,
    index: usize,
    depth: usize,
    /// Whether the struct of a variant is open around it.
    in_variant: bool,
}

enum SequenceTarget<'s> {
    Array(&'s Schema),
    Bytes(Vec<u8>),
}

impl Sequence<'_, '_> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fail> {
        let index = self.index;
        self.index += 1;
        let added = match &mut self.target {
            SequenceTarget::Array(schema) => value.serialize(Writer {
                out: self.out,
                schema,
                depth: self.depth,
            }),
            SequenceTarget::Bytes(bytes) => byte(value).map(|byte| bytes.push(byte)),
        };
        added.map_err(|fail| fail.in_element(index))
    }

    fn close(self) {
        match self.target {
            SequenceTarget::Array(_) => self.out.end_array(),
            SequenceTarget::Bytes(bytes) => self.out.bytes(&bytes),
        };
        if self.in_variant {
            self.out.end_struct();
        }
    }
}

fn byte<T: Serialize + ?Sized>(value: &T) -> Result<u8, Fail> {
    let number = alone(value, &Schema::int16())?.value().as_i64();
    number
        .and_then(|number| u8::try_from(number).ok())
        .ok_or_else(|| {
            Kind::OutOfRange {
                to: "a byte".into(),
            }
            .into()
        })
}

pub(super) struct Members<'o, 's> {
    out: &'o mut Builder,
    target: MembersTarget<'s>,
    index: usize,
    depth: usize,
    /// Whether the struct of a variant is open around it.
    in_variant: bool,
}

enum MembersTarget<'s> {
    Struct {
        schema: &'s Schema,
        /// Where the next field most likely is.
        next: usize,
        /// The key of an entry, until its value comes.
        name: String,
    },
    Map {
        key: &'s Schema,
        value: &'s Schema,
    },
}

impl Members<'_, '_> {
    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Fail> {
        let depth = self.depth;
        let schema = match &mut self.target {
            MembersTarget::Struct { schema, next, .. } => {
                let field = field_of(schema, *next, name)?;
                *next = field.index() + 1;
                self.out.field(field.index());
                field.schema()
            }
            MembersTarget::Map { key, value } => {
                let (out, schema) = (&mut *self.out, *key);
                Writer { out, schema, depth }
                    .serialize_str(name)
                    .map_err(|fail| fail.in_key(self.index))?;
                self.index += 1;
                *value
            }
        };
        let out = &mut *self.out;
        value
            .serialize(Writer { out, schema, depth })
            .map_err(|fail| fail.in_field(name))
    }

    fn close(self) {
        match self.target {
            MembersTarget::Struct { .. } => self.out.end_struct(),
            MembersTarget::Map { .. } => self.out.end_map(),
        };
        if self.in_variant {
            self.out.end_struct();
        }
    }
}

impl ser::SerializeMap for Members<'_, '_> {
    type Ok = ();
    type Error = Fail;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Fail> {
        let index = self.index;
        match &mut self.target {
            MembersTarget::Struct { name, .. } => {
                let text = alone(key, &Schema::string()).map_err(|fail| fail.in_key(index))?;
                name.clear();
                name.push_str(text.value().as_str().unwrap_or_default());
                Ok(())
            }
            MembersTarget::Map { key: schema, .. } => key
                .serialize(Writer {
                    out: self.out,
                    schema,
                    depth: self.depth,
                })
                .map_err(|fail| fail.in_key(index)),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fail> {
        let index = self.index;
        let schema = match &mut self.target {
            MembersTarget::Struct { name, .. } => {
                let name = std::mem::take(name);
                return self.field(&name, value);
            }
            MembersTarget::Map { value, .. } => *value,
        };
        self.index += 1;
        value
            .serialize(Writer {
                out: self.out,
                schema,
                depth: self.depth,
            })
            .map_err(|fail| fail.in_map_value(index))
    }

    fn end(self) -> Result<(), Fail> {
        self.close();
        Ok(())
    }
}

macro_rules! sequences {
    ($($kind:ident $method:ident),+) => {$(
        impl ser::$kind for Sequence<'_, '_> {
            type Ok = ();
            type Error = Fail;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fail> {
                self.add(value)
            }

            fn end(self) -> Result<(), Fail> {
                self.close();
                Ok(())
            }
        }
    )+};
}

sequences!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

macro_rules! structs {
    ($($kind:ident),+) => {$(
        impl ser::$kind for Members<'_, '_> {
            type Ok = ();
            type Error = Fail;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Fail> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Fail> {
                self.close();
                Ok(())
            }
        }
    )+};
}

structs!(SerializeStruct, SerializeStructVariant);

//! [`Builder`]: the only way to make a tree of values. [`StructBuilder`] is the everyday form of it.

use std::collections::HashSet;

use bytes::Bytes;

use super::datum::Datum;
use super::decimal::UnscaledRef;
use super::record::{Record, Slot};
use super::{Decimal, DecimalRef, Schema, SchemaAndValue, Type, Value};
use crate::error::{Error, data::Kind};
use crate::limits::NESTING_DEPTH_MAX;

/// Builds one datum from events, in document order; reads like writing JSON by hand.
///
/// A struct whose schema is the one declared at its place is stored without it; any other keeps its own schema, and
/// a converter will say that the schemas do not match. Misuse (an end without a begin, two roots) and limits are
/// reported once, by [`finish`](Self::finish).
///
/// ```
/// use ferroconnect_converters::data::{Builder, Value};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut out = Builder::new(None);
/// out.begin_map();
/// out.string("tags").begin_array().string("a").string("b").end_array();
/// out.string("n").int64(2);
/// out.end_map();
/// let datum = out.finish()?;
/// let Value::Map(map) = datum.value() else { unreachable!() };
/// assert_eq!(map.get("n"), Some(Value::Int64(2)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Builder {
    schema: Option<Schema>,
    slots: Vec<Slot>,
    text: String,
    bytes: Vec<u8>,
    schemas: Vec<Schema>,
    /// Values of open containers that are not in `slots` yet.
    stack: Vec<Slot>,
    frames: Vec<Frame>,
    root: Option<Slot>,
    fault: Option<Error>,
}

#[derive(Debug)]
struct Frame {
    open: Open,
    /// Where this container's values begin on the stack.
    base: usize,
    /// The schema declared for the container.
    schema: Option<Schema>,
}

#[derive(Debug)]
enum Open {
    Array,
    Map,
    Struct { next: usize, declared: bool },
}

impl Builder {
    /// Starts a datum of that schema, or of none.
    #[must_use]
    pub const fn new(schema: Option<Schema>) -> Self {
        Self {
            schema,
            slots: Vec::new(),
            text: String::new(),
            bytes: Vec::new(),
            schemas: Vec::new(),
            stack: Vec::new(),
            frames: Vec::new(),
            root: None,
            fault: None,
        }
    }

    pub(crate) fn copy_of(value: Value<'_>, schema: Option<Schema>) -> SchemaAndValue {
        let datum = Self::rebuilt(value, schema.as_ref());
        SchemaAndValue::from_parts(schema, datum)
    }

    /// A copy of `value` laid out under `schema`. A value that exists is within every limit already.
    pub(crate) fn rebuilt(value: Value<'_>, schema: Option<&Schema>) -> Datum {
        let mut builder = Self::new(schema.cloned());
        builder.copy(value);
        builder.finish().unwrap_or_default().datum().clone()
    }

    /// Adds a null.
    pub fn null(&mut self) -> &mut Self {
        self.deliver(Slot::Null)
    }

    /// Adds a boolean.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.deliver(Slot::Boolean(value))
    }

    /// Adds an 8-bit integer.
    pub fn int8(&mut self, value: i8) -> &mut Self {
        self.deliver(Slot::Int8(value))
    }

    /// Adds a 16-bit integer.
    pub fn int16(&mut self, value: i16) -> &mut Self {
        self.deliver(Slot::Int16(value))
    }

    /// Adds a 32-bit integer.
    pub fn int32(&mut self, value: i32) -> &mut Self {
        self.deliver(Slot::Int32(value))
    }

    /// Adds a 64-bit integer.
    pub fn int64(&mut self, value: i64) -> &mut Self {
        self.deliver(Slot::Int64(value))
    }

    /// Adds a single precision number.
    pub fn float32(&mut self, value: f32) -> &mut Self {
        self.deliver(Slot::Float32(value))
    }

    /// Adds a double precision number.
    pub fn float64(&mut self, value: f64) -> &mut Self {
        self.deliver(Slot::Float64(value))
    }

    /// Adds a Date in milliseconds since the epoch.
    pub fn date(&mut self, millis: i64) -> &mut Self {
        self.deliver(Slot::Date(millis))
    }

    /// Adds a Time in milliseconds since the epoch.
    pub fn time(&mut self, millis: i64) -> &mut Self {
        self.deliver(Slot::Time(millis))
    }

    /// Adds a Timestamp in milliseconds since the epoch.
    pub fn timestamp(&mut self, millis: i64) -> &mut Self {
        self.deliver(Slot::Timestamp(millis))
    }

    /// Adds a decimal.
    pub fn decimal(&mut self, value: DecimalRef<'_>) -> &mut Self {
        let scale = value.scale();
        let slot = match value.unscaled() {
            UnscaledRef::Small(unscaled) => Slot::Decimal { scale, unscaled },
            UnscaledRef::Big(bytes) => {
                let (at, len) = self.store_bytes(bytes);
                Slot::BigDecimal { scale, at, len }
            }
        };
        self.deliver(slot)
    }

    /// Adds text.
    pub fn string(&mut self, value: &str) -> &mut Self {
        let at = self.heap_offset(self.text.len());
        let len = self.heap_offset(value.len());
        self.text.push_str(value);
        self.deliver(Slot::Text { at, len })
    }

    /// Adds bytes.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        let (at, len) = self.store_bytes(value);
        self.deliver(Slot::Bytes { at, len })
    }

    /// Opens an array; its elements follow.
    pub fn begin_array(&mut self) -> &mut Self {
        self.open(Open::Array)
    }

    /// Closes the innermost array.
    pub fn end_array(&mut self) -> &mut Self {
        match self.frames.pop() {
            Some(Frame {
                open: Open::Array,
                base,
                ..
            }) => {
                let (at, len) = self.settle(base);
                self.deliver(Slot::Array { at, len })
            }
            _ => self.misuse("end_array without begin_array"),
        }
    }

    /// Opens a map; key, value, key, value … follow.
    pub fn begin_map(&mut self) -> &mut Self {
        self.open(Open::Map)
    }

    /// Closes the innermost map. Of equal keys the last value stays, at the place of the first, as `Map.put` does.
    pub fn end_map(&mut self) -> &mut Self {
        match self.frames.pop() {
            Some(Frame {
                open: Open::Map,
                base,
                ..
            }) if (self.stack.len() - base).is_multiple_of(2) => {
                self.drop_repeated_keys(base);
                let (at, len) = self.settle(base);
                self.deliver(Slot::Map { at, len })
            }
            _ => self.misuse("end_map without begin_map, or a key without its value"),
        }
    }

    /// Opens a struct; its field values follow in order, or by [`field`](Self::field). Fields left out are null.
    pub fn begin_struct(&mut self, schema: &Schema) -> &mut Self {
        if schema.kind() != Type::Struct {
            return self.fail(
                Kind::NotAStruct {
                    schema: schema.to_string().into(),
                }
                .into(),
            );
        }
        let declared = self.expected().is_some_and(|expected| expected == schema);
        // The declared handle wins over an equal one: it is the one that readers will hold.
        let base = self.stack.len();
        self.stack.resize(base + schema.fields().len(), Slot::Null);
        self.push_frame(Frame {
            open: Open::Struct { next: 0, declared },
            base,
            schema: Some(schema.clone()),
        })
    }

    /// Chooses the field that the next value goes to.
    pub fn field(&mut self, index: usize) -> &mut Self {
        match self.frames.last_mut() {
            Some(Frame {
                open: Open::Struct { next, .. },
                ..
            }) => {
                *next = index;
                self
            }
            _ => self.misuse("field outside of a struct"),
        }
    }

    /// Closes the innermost struct.
    pub fn end_struct(&mut self) -> &mut Self {
        match self.frames.pop() {
            Some(Frame {
                open: Open::Struct { declared, .. },
                base,
                schema: Some(schema),
            }) => {
                let (at, _) = self.settle(base);
                if declared {
                    return self.deliver(Slot::Struct { at });
                }
                let known = self.schemas.iter().position(|s| s.same(&schema));
                let index = known.unwrap_or_else(|| {
                    self.schemas.push(schema);
                    self.schemas.len() - 1
                });
                let schema = self.heap_offset(index);
                self.deliver(Slot::Foreign { at, schema })
            }
            _ => self.misuse("end_struct without begin_struct"),
        }
    }

    /// Adds a copy of a value with everything below it.
    pub fn copy(&mut self, value: Value<'_>) -> &mut Self {
        match value {
            Value::Null => self.null(),
            Value::Boolean(v) => self.boolean(v),
            Value::Int8(v) => self.int8(v),
            Value::Int16(v) => self.int16(v),
            Value::Int32(v) => self.int32(v),
            Value::Int64(v) => self.int64(v),
            Value::Float32(v) => self.float32(v),
            Value::Float64(v) => self.float64(v),
            Value::Date(v) => self.date(v),
            Value::Time(v) => self.time(v),
            Value::Timestamp(v) => self.timestamp(v),
            Value::Decimal(v) => self.decimal(v),
            Value::String(v) => self.string(v),
            Value::Bytes(v) => self.bytes(v),
            Value::Array(v) => {
                self.begin_array();
                v.iter().for_each(|element| {
                    self.copy(element);
                });
                self.end_array()
            }
            Value::Map(v) => {
                self.begin_map();
                v.iter().for_each(|(key, value)| {
                    self.copy(key).copy(value);
                });
                self.end_map()
            }
            Value::Struct(v) => {
                self.begin_struct(v.schema());
                v.values().for_each(|field| {
                    self.copy(field);
                });
                self.end_struct()
            }
        }
    }

    /// Ends the datum.
    ///
    /// # Errors
    /// Data fault when a limit was passed; plugin fault when the calls did not describe exactly one value.
    pub fn finish(self) -> Result<SchemaAndValue, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let Some(root) = self.root else {
            return Err(Kind::BuilderMisuse("no complete value was given").into());
        };
        if !self.frames.is_empty() {
            return Err(Kind::BuilderMisuse("a container was left open").into());
        }
        if root.stands_alone() {
            return Ok(SchemaAndValue::from_parts(self.schema, Datum::Scalar(root)));
        }
        let record = Record {
            slots: self.slots.into_boxed_slice(),
            text: self.text.into_boxed_str(),
            bytes: Bytes::from(self.bytes),
            schemas: self.schemas.into_boxed_slice(),
        };
        Ok(SchemaAndValue::from_tree(self.schema, record, root))
    }

    fn open(&mut self, open: Open) -> &mut Self {
        let schema = self.expected().cloned();
        let base = self.stack.len();
        self.push_frame(Frame { open, base, schema })
    }

    fn push_frame(&mut self, frame: Frame) -> &mut Self {
        if self.frames.len() >= NESTING_DEPTH_MAX {
            self.fail(
                Kind::NestingTooDeep {
                    limit: NESTING_DEPTH_MAX,
                }
                .into(),
            );
        }
        self.frames.push(frame);
        self
    }

    /// The schema declared for the next value.
    fn expected(&self) -> Option<&Schema> {
        let Some(frame) = self.frames.last() else {
            return self.schema.as_ref();
        };
        let schema = frame.schema.as_ref()?;
        match frame.open {
            Open::Array => schema.value_schema(),
            Open::Map if (self.stack.len() - frame.base).is_multiple_of(2) => schema.key_schema(),
            Open::Map => schema.value_schema(),
            Open::Struct { next, .. } => schema.fields().get(next).map(super::Field::schema),
        }
    }

    fn deliver(&mut self, slot: Slot) -> &mut Self {
        let Some(frame) = self.frames.last_mut() else {
            if self.root.replace(slot).is_some() {
                return self.misuse("a second root value");
            }
            return self;
        };
        match &mut frame.open {
            Open::Array | Open::Map => self.stack.push(slot),
            Open::Struct { next, .. } => match self.stack.get_mut(frame.base + *next) {
                Some(place) => {
                    *place = slot;
                    *next += 1;
                }
                None => return self.misuse("more values than the struct has fields"),
            },
        }
        self
    }

    /// Moves a closed container's values from the stack into the slots.
    fn settle(&mut self, base: usize) -> (u32, u32) {
        let at = self.heap_offset(self.slots.len());
        let len = self.heap_offset(self.stack.len() - base);
        self.slots.extend(self.stack.drain(base..));
        (at, len)
    }

    fn store_bytes(&mut self, value: &[u8]) -> (u32, u32) {
        let at = self.heap_offset(self.bytes.len());
        let len = self.heap_offset(value.len());
        self.bytes.extend_from_slice(value);
        (at, len)
    }

    fn heap_offset(&mut self, offset: usize) -> u32 {
        u32::try_from(offset).unwrap_or_else(|_| {
            self.fail(Kind::RecordTooLarge.into());
            0
        })
    }

    fn drop_repeated_keys(&mut self, base: usize) {
        let mut seen: HashSet<KeyBits<'_>> = HashSet::new();
        let entries = self.stack[base..].chunks_exact(2);
        let repeated = entries
            .filter_map(|e| key_bits(e[0], &self.text, &self.bytes))
            .any(|k| !seen.insert(k));
        if !repeated {
            return;
        }
        let mut kept: Vec<[Slot; 2]> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for entry in self.stack[base..].chunks_exact(2) {
            let place = kept.len();
            match key_bits(entry[0], &self.text, &self.bytes)
                .map(|k| *places.entry(k).or_insert(place))
            {
                Some(first) if first < place => kept[first][1] = entry[1],
                _ => kept.push([entry[0], entry[1]]),
            }
        }
        self.stack.truncate(base);
        self.stack.extend(kept.into_iter().flatten());
    }

    #[cold]
    fn misuse(&mut self, what: &'static str) -> &mut Self {
        self.fail(Kind::BuilderMisuse(what).into())
    }

    #[cold]
    fn fail(&mut self, error: Error) -> &mut Self {
        self.fault.get_or_insert(error);
        self
    }
}

/// What makes two keys of a map equal. Containers as keys are not compared: Java compares most of them by identity.
#[derive(PartialEq, Eq, Hash)]
enum KeyBits<'a> {
    Text(&'a str),
    Bits(u8, u64),
    Null,
    Decimal(i32, i64),
    Wide(i32, &'a [u8]),
}

fn key_bits<'a>(slot: Slot, text: &'a str, bytes: &'a [u8]) -> Option<KeyBits<'a>> {
    let range = |at: u32, len: u32| at as usize..at as usize + len as usize;
    match slot {
        Slot::Null => Some(KeyBits::Null),
        Slot::Boolean(v) => Some(KeyBits::Bits(0, v.into())),
        Slot::Int8(v) => Some(KeyBits::Bits(1, i64::from(v).cast_unsigned())),
        Slot::Int16(v) => Some(KeyBits::Bits(2, i64::from(v).cast_unsigned())),
        Slot::Int32(v) => Some(KeyBits::Bits(3, i64::from(v).cast_unsigned())),
        Slot::Int64(v) => Some(KeyBits::Bits(4, v.cast_unsigned())),
        Slot::Float32(v) => Some(KeyBits::Bits(5, super::value::java_bits_32(v).into())),
        Slot::Float64(v) => Some(KeyBits::Bits(6, super::value::java_bits_64(v))),
        Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v) => {
            Some(KeyBits::Bits(7, v.cast_unsigned()))
        }
        Slot::Decimal { scale, unscaled } => Some(KeyBits::Decimal(scale, unscaled)),
        Slot::BigDecimal { scale, at, len } => {
            Some(KeyBits::Wide(scale, bytes.get(range(at, len))?))
        }
        Slot::Text { at, len } => Some(KeyBits::Text(text.get(range(at, len))?)),
        Slot::Bytes { .. }
        | Slot::Array { .. }
        | Slot::Map { .. }
        | Slot::Struct { .. }
        | Slot::Foreign { .. } => None,
    }
}

/// Builds a struct field by field, by name; checks it against its schema at the end.
///
/// ```
/// use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder, Value};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let schema = SchemaBuilder::structure()
///     .field("id", Schema::int64())
///     .field("tags", SchemaBuilder::array(Schema::string()).build()?)
///     .build()?;
/// let order = StructBuilder::new(&schema)?.set("id", 7i64)?.set("tags", ["a", "b"])?.finish()?;
/// assert_eq!(order.value().as_struct().and_then(|s| s.get("id")), Some(Value::Int64(7)));
///
/// let error = StructBuilder::new(&schema)?.set("id", "seven")?.finish().unwrap_err();
/// assert!(error.to_string().contains("field: \"id\""), "{error}");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct StructBuilder {
    schema: Schema,
    out: Builder,
}

impl StructBuilder {
    /// Starts a struct with all fields null.
    ///
    /// # Errors
    /// Data fault when the schema is not a struct.
    pub fn new(schema: &Schema) -> Result<Self, Error> {
        if schema.kind() != Type::Struct {
            return Err(Kind::NotAStruct {
                schema: schema.to_string().into(),
            }
            .into());
        }
        let mut out = Builder::new(Some(schema.clone()));
        out.begin_struct(schema);
        Ok(Self {
            schema: schema.clone(),
            out,
        })
    }

    /// Sets a field.
    ///
    /// # Errors
    /// Data fault when there is no such field.
    pub fn set(self, name: &str, value: impl IntoValue) -> Result<Self, Error> {
        self.set_with(name, |out| value.put(out))
    }

    /// Sets a field to what `fill` adds: nested structs, maps, anything.
    ///
    /// # Errors
    /// Data fault when there is no such field.
    pub fn set_with(mut self, name: &str, fill: impl FnOnce(&mut Builder)) -> Result<Self, Error> {
        let Some(index) = self.schema.index_of(name) else {
            return Err(Kind::FieldUnknown { name: name.into() }.into());
        };
        self.out.field(index);
        fill(&mut self.out);
        Ok(self)
    }

    /// Checks the struct and ends it.
    ///
    /// # Errors
    /// Data fault, with the field's path, when a value does not fit its schema.
    pub fn finish(mut self) -> Result<SchemaAndValue, Error> {
        self.out.end_struct();
        let datum = self.out.finish()?;
        super::check::check(&self.schema, datum.value())?;
        Ok(datum)
    }
}

/// Rust values that have one obvious Connect value.
pub trait IntoValue {
    /// Adds the value to a builder.
    fn put(self, out: &mut Builder);
}

macro_rules! into_value {
    ($($native:ty => $method:ident),+ $(,)?) => {$(
        impl IntoValue for $native {
            fn put(self, out: &mut Builder) {
                out.$method(self);
            }
        }
    )+};
}

into_value!(
    bool => boolean, i8 => int8, i16 => int16, i32 => int32, i64 => int64, f32 => float32, f64 => float64,
    &str => string, &[u8] => bytes, DecimalRef<'_> => decimal, Value<'_> => copy,
);

impl IntoValue for String {
    fn put(self, out: &mut Builder) {
        out.string(&self);
    }
}

impl IntoValue for &Decimal {
    fn put(self, out: &mut Builder) {
        out.decimal(self.view());
    }
}

impl IntoValue for &SchemaAndValue {
    fn put(self, out: &mut Builder) {
        out.copy(self.value());
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    fn put(self, out: &mut Builder) {
        match self {
            Some(value) => value.put(out),
            None => {
                out.null();
            }
        }
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn put(self, out: &mut Builder) {
        out.begin_array();
        self.into_iter().for_each(|element| element.put(out));
        out.end_array();
    }
}

impl<T: IntoValue, const N: usize> IntoValue for [T; N] {
    fn put(self, out: &mut Builder) {
        out.begin_array();
        self.into_iter().for_each(|element| element.put(out));
        out.end_array();
    }
}

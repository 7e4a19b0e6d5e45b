//! The loop over a record.

use super::fast::{branch, write_bytes, write_count, write_long};
use super::{
    EncodePlan, FieldPlace, Node, Null, Number, Place, RecordNode, Scratch, Step, Symbols, Written,
};
use crate::data::hash_order::{iteration_order, string_hash};
use crate::data::logical::{check_scale, date_to_days, time_to_millis};
use crate::data::record::Slot;
use crate::data::{Array, DecimalRef, Map, Schema, SchemaAndValue, Struct, Type, Value};
use crate::error::{Error, avro_write::Kind};
use crate::plan::NodeId;

impl EncodePlan {
    /// Appends the bytes of a datum. What was appended before a failure stays; the caller takes it back.
    #[inline]
    pub(crate) fn run(
        &self,
        data: &SchemaAndValue,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Written, Error> {
        let value = data.value();
        if value.is_null() {
            return self.null_root(data.schema());
        }
        let mut encoder = Encoder {
            plan: self,
            scratch,
            out,
        };
        if self.raw {
            return encoder.raw(value);
        }
        if let Step::Union(id) = self.root.step
            && let Value::Struct(structure) = value
        {
            return encoder.union_root(id, structure, data.schema());
        }
        encoder.value(&self.root, value, data.schema())?;
        Ok(Written::Bytes)
    }

    #[cold]
    fn null_root(&self, schema: Option<&Schema>) -> Result<Written, Error> {
        match schema.is_none_or(Schema::is_optional) {
            true => Ok(Written::Null),
            false => Err(Kind::NullForRequired.into()),
        }
    }

    /// The bytes of a value at a place, for defaults.
    pub(super) fn default_bytes(
        &self,
        place: &Place,
        value: Value<'_>,
        schema: &Schema,
    ) -> Result<Box<[u8]>, Error> {
        let mut out = Vec::new();
        let mut encoder = Encoder {
            plan: self,
            scratch: &mut Scratch::default(),
            out: &mut out,
        };
        encoder.value(place, value, Some(schema))?;
        Ok(out.into())
    }
}

/// The record that holds anything, with nothing set: nine times the branch null.
const NOTHING_SET: [u8; 9] = [0; 9];

pub(super) struct Encoder<'a> {
    plan: &'a EncodePlan,
    scratch: &'a mut Scratch,
    pub(super) out: &'a mut Vec<u8>,
}

impl Encoder<'_> {
    /// `declared` is the schema of the value in the data themselves; only structs are held against it.
    #[inline]
    fn value(
        &mut self,
        place: &Place,
        value: Value<'_>,
        declared: Option<&Schema>,
    ) -> Result<(), Error> {
        if value.is_null() {
            return self.null(place.null);
        }
        if place.branch >= 0 {
            write_long(self.out, place.branch.into());
        }
        match (place.step, value) {
            (Step::Boolean, Value::Boolean(v)) => self.out.push(v.into()),
            (Step::Int8, Value::Int8(v)) => write_long(self.out, v.into()),
            (Step::Int16, Value::Int16(v)) => write_long(self.out, v.into()),
            (Step::Int32, Value::Int32(v)) => write_long(self.out, v.into()),
            (Step::Int64, Value::Int64(v)) => write_long(self.out, v),
            (Step::Float32, Value::Float32(v)) => self.out.extend_from_slice(&v.to_le_bytes()),
            (Step::Float64, Value::Float64(v)) => self.out.extend_from_slice(&v.to_le_bytes()),
            (Step::String, Value::String(v)) => write_bytes(self.out, v.as_bytes()),
            (Step::Bytes, Value::Bytes(v)) => write_bytes(self.out, v),
            (Step::Date, Value::Date(v) | Value::Time(v) | Value::Timestamp(v)) => {
                write_long(self.out, date_to_days(v)?.into());
            }
            (Step::Time, Value::Date(v) | Value::Time(v) | Value::Timestamp(v)) => {
                write_long(self.out, time_to_millis(v)?.into());
            }
            (Step::Timestamp, Value::Date(v) | Value::Time(v) | Value::Timestamp(v)) => {
                write_long(self.out, v);
            }
            (Step::Decimal(scale), Value::Decimal(v)) => {
                check_scale(scale, v)?;
                v.with_be_bytes(|bytes| write_bytes(self.out, bytes));
            }
            (Step::DecimalFixed { scale, size }, Value::Decimal(v)) => {
                self.decimal_fixed(v, scale, size)?;
            }
            (Step::Fixed { size }, Value::Bytes(v)) => self.fixed(v, size)?,
            (Step::Enum(id), Value::String(v)) => self.symbol(id, v)?,
            (Step::Record(id), Value::Struct(v)) => return self.record(id, v, declared),
            (Step::Array(id), Value::Array(v)) => return self.array(id, v),
            (Step::Map(id), Value::Map(v)) => return self.map(id, v),
            (Step::Entries(id), Value::Map(v)) => return self.entries(id, v),
            (Step::Union(id), Value::Struct(v)) => return self.union(id, v, declared),
            (Step::Anything, value) => return self.anything(value),
            (Step::Number { from, to }, value) => return self.number(from, to, value),
            (step, value) => return Err(self.mismatch(step, value)),
        }
        Ok(())
    }

    fn null(&mut self, null: Null) -> Result<(), Error> {
        match null {
            Null::Refused => Err(Kind::NullForRequired.into()),
            Null::Branch(branch) => {
                write_long(self.out, branch.into());
                Ok(())
            }
            Null::Nothing => Ok(()),
            Null::Default(index) => match self.plan.defaults.get(index as usize) {
                Some(Some(bytes)) => {
                    self.out.extend_from_slice(bytes);
                    Ok(())
                }
                Some(None) | None => Err(Kind::DefaultUnusable.into()),
            },
            Null::Anything => self.anything(Value::Null),
            Null::NoBranch => Err(no_branch("null")),
        }
    }

    /// Why a value of this class cannot stand at a place.
    #[cold]
    fn mismatch(&self, step: Step, value: Value<'_>) -> Error {
        let class = value.java_class();
        let logical = |logical, expected| Kind::LogicalWrongClass {
            logical,
            expected,
            class,
        };
        let kind = match step {
            Step::Decimal(_) | Step::DecimalFixed { .. } => {
                return logical("Decimal", "BigDecimal").into();
            }
            Step::Date => return logical("Date", "Date").into(),
            Step::Time => return logical("Time", "Date").into(),
            Step::Timestamp => return logical("Timestamp", "Date").into(),
            Step::Never(id) => match self.plan.nodes.get(id) {
                Node::Never(kind) => return kind.clone().into(),
                Node::Enum(_)
                | Node::Items(_)
                | Node::Entries(..)
                | Node::Record(_)
                | Node::Union(..) => return lost(),
            },
            Step::Anything => return Kind::SchemalessClass { class }.into(),
            Step::Boolean => Type::Boolean,
            Step::Int8 => Type::Int8,
            Step::Int16 => Type::Int16,
            Step::Int32 => Type::Int32,
            Step::Int64 => Type::Int64,
            Step::Float32 => Type::Float32,
            Step::Float64 => Type::Float64,
            Step::String | Step::Enum(_) => Type::String,
            Step::Bytes | Step::Fixed { .. } => Type::Bytes,
            Step::Number { from, .. } => from,
            Step::Array(_) => Type::Array,
            Step::Map(_) | Step::Entries(_) => Type::Map,
            Step::Record(_) | Step::Union(_) => Type::Struct,
        };
        Kind::WrongClass { kind, class }.into()
    }

    /// Bytes at the root, without a length.
    fn raw(&mut self, value: Value<'_>) -> Result<Written, Error> {
        match (self.plan.root.step, value) {
            (Step::Bytes, Value::Bytes(v)) => self.out.extend_from_slice(v),
            (Step::Decimal(scale), Value::Decimal(v)) => {
                check_scale(scale, v)?;
                v.with_be_bytes(|bytes| self.out.extend_from_slice(bytes));
            }
            (step @ Step::Decimal(_), value) => return Err(self.mismatch(step, value)),
            (_, value) => {
                let class = value.java_class();
                return Err(Kind::WrongClass {
                    kind: Type::Bytes,
                    class,
                }
                .into());
            }
        }
        Ok(Written::Bytes)
    }

    fn decimal_fixed(&mut self, v: DecimalRef<'_>, scale: i32, size: u32) -> Result<(), Error> {
        check_scale(scale, v)?;
        let size = size as usize;
        v.with_be_bytes(|bytes| {
            let Some(fill) = size.checked_sub(bytes.len()) else {
                return Err(Kind::DecimalTooLong {
                    length: bytes.len(),
                    size,
                }
                .into());
            };
            let sign = if bytes.first().is_some_and(|byte| *byte >= 0x80) {
                0xff
            } else {
                0
            };
            self.out.resize(self.out.len() + fill, sign);
            self.out.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn fixed(&mut self, v: &[u8], size: u32) -> Result<(), Error> {
        let (length, size) = (v.len(), size as usize);
        match length.cmp(&size) {
            std::cmp::Ordering::Equal => {
                self.out.extend_from_slice(v);
                Ok(())
            }
            std::cmp::Ordering::Less => Err(Kind::FixedTooShort { length, size }.into()),
            std::cmp::Ordering::Greater => Err(Kind::FixedTooLong { length, size }.into()),
        }
    }

    fn symbol(&mut self, id: NodeId, text: &str) -> Result<(), Error> {
        let Node::Enum(Symbols {
            name,
            numbers,
            list,
        }) = self.plan.nodes.get(id)
        else {
            return Err(lost());
        };
        match numbers.get(text) {
            Some(number) => {
                write_long(self.out, (*number).into());
                Ok(())
            }
            None => Err(Kind::UnknownSymbol {
                name: name.clone(),
                symbols: list.clone(),
            }
            .into()),
        }
    }

    fn record(
        &mut self,
        id: NodeId,
        structure: Struct<'_>,
        declared: Option<&Schema>,
    ) -> Result<(), Error> {
        check_schema(structure, declared)?;
        self.fields(id, structure)
    }

    fn fields(&mut self, id: NodeId, structure: Struct<'_>) -> Result<(), Error> {
        let Node::Record(record) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        for field in &record.fields {
            self.field(field, structure)?;
        }
        if record.unwritten.is_empty() {
            return Ok(());
        }
        self.check_unwritten(record, structure)
    }

    #[inline(always)]
    fn field(&mut self, field: &FieldPlace, structure: Struct<'_>) -> Result<(), Error> {
        let Some(slot) = field.slot else {
            return self.absent(field);
        };
        let (record, slots) = structure.slots();
        if let Some(stored) = slots.get(slot)
            && self.leaf(&field.place, record, *stored)
        {
            return Ok(());
        }
        self.field_value(field, structure, slot)
    }

    /// A field that is no plain leaf.
    #[inline(never)]
    fn field_value(
        &mut self,
        field: &FieldPlace,
        structure: Struct<'_>,
        slot: usize,
    ) -> Result<(), Error> {
        if let Some(written) = self.parts(field, structure, slot) {
            return written.map_err(|error| error.in_field(&field.name));
        }
        let value = structure.at(slot);
        let declared = value
            .as_struct()
            .and_then(|_| structure.schema().fields().get(slot))
            .map(crate::data::Field::schema);
        self.value(&field.place, value, declared)
            .map_err(|error| error.in_field(&field.name))
    }

    /// Writes what has parts and is stored without a schema of its own: then its schema is the declared one.
    fn parts(
        &mut self,
        field: &FieldPlace,
        structure: Struct<'_>,
        slot: usize,
    ) -> Option<Result<(), Error>> {
        let (record, slots) = structure.slots();
        let declared = structure.schema().fields().get(slot)?.schema();
        match (field.place.step, *slots.get(slot)?) {
            (Step::Record(id), Slot::Struct { at }) => {
                branch(&field.place, self.out);
                let slots = record.slots_at(at, declared.fields().len());
                Some(self.fields(id, Struct::new(record, slots, declared)))
            }
            (Step::Array(id), Slot::Array { at, len }) => {
                branch(&field.place, self.out);
                let slots = record.slots_at(at, len as usize);
                let array = Array::new(record, slots, declared.value_schema());
                Some(self.array(id, array))
            }
            _ => None,
        }
    }

    /// A field that the data lack.
    #[cold]
    fn absent(&mut self, field: &FieldPlace) -> Result<(), Error> {
        let failure = if let Step::Never(_) = field.place.step {
            Err(self.mismatch(field.place.step, Value::Null))
        } else {
            self.null(field.place.null)
        };
        failure.map_err(|error| error.in_field(&field.name))
    }

    /// Converts what is not written: what Connect's schemas forbid is refused there too.
    #[cold]
    fn check_unwritten(&mut self, record: &RecordNode, structure: Struct<'_>) -> Result<(), Error> {
        let end = self.out.len();
        for field in &record.unwritten {
            let result = self.field(field, structure);
            self.out.truncate(end);
            match result {
                Err(error) if error.avro_write().is_none_or(Kind::comes_first) => {
                    return Err(error);
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn array(&mut self, id: NodeId, array: Array<'_>) -> Result<(), Error> {
        let Node::Items(place) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        if !array.is_empty() {
            write_count(self.out, array.len());
            let declared = array.element_schema();
            let (record, slots) = array.slots();
            for (index, slot) in slots.iter().enumerate() {
                if self.leaf(place, record, *slot) {
                    continue;
                }
                let element = record.value(*slot, declared);
                self.value(place, element, declared)
                    .map_err(|error| error.in_element(index))?;
            }
        }
        self.out.push(0);
        Ok(())
    }

    /// Entries in the order in which `java.util.HashMap` has them.
    fn map(&mut self, id: NodeId, map: Map<'_>) -> Result<(), Error> {
        let Node::Items(place) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        if map.is_empty() {
            self.out.push(0);
            return Ok(());
        }
        write_count(self.out, map.len());
        // Maps in maps need lists of their own, so these are taken out and put back.
        let mut hashes = std::mem::take(&mut self.scratch.hashes);
        let mut order = std::mem::take(&mut self.scratch.order);
        let result = self.map_entries(place, map, &mut hashes, &mut order);
        self.scratch.hashes = hashes;
        self.scratch.order = order;
        result?;
        self.out.push(0);
        Ok(())
    }

    fn map_entries(
        &mut self,
        place: &Place,
        map: Map<'_>,
        hashes: &mut Vec<i32>,
        order: &mut Vec<u32>,
    ) -> Result<(), Error> {
        hashes.clear();
        for (index, (key, _)) in map.iter().enumerate() {
            let hash = if let Some(key) = key.as_str() {
                string_hash(key)
            } else if key.is_null() {
                0
            } else {
                let class = key.java_class();
                let kind = Type::Map;
                return Err(Error::from(Kind::WrongClass { kind, class }).in_key(index));
            };
            hashes.push(hash);
        }
        iteration_order(hashes, order);
        for index in order.iter() {
            let index = *index as usize;
            let (Some(key), Some(value)) = (map.key_at(index), map.value_at(index)) else {
                continue;
            };
            let Value::String(key) = key else {
                return Err(Error::from(Kind::NullKey).in_key(index));
            };
            write_bytes(self.out, key.as_bytes());
            self.value(place, value, map.value_schema())
                .map_err(|error| error.in_map_value(index))?;
        }
        Ok(())
    }

    fn entries(&mut self, id: NodeId, map: Map<'_>) -> Result<(), Error> {
        let Node::Entries(of_key, of_value) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        if !map.is_empty() {
            write_count(self.out, map.len());
            for (index, (key, value)) in map.iter().enumerate() {
                self.value(of_key, key, map.key_schema())
                    .map_err(|error| error.in_key(index))?;
                self.value(of_value, value, map.value_schema())
                    .map_err(|error| error.in_map_value(index))?;
            }
        }
        self.out.push(0);
        Ok(())
    }

    /// The first member that is set is the value; none is a null.
    fn union(
        &mut self,
        id: NodeId,
        structure: Struct<'_>,
        declared: Option<&Schema>,
    ) -> Result<(), Error> {
        check_schema(structure, declared)?;
        let Node::Union(members, null) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        match self.member(members, structure) {
            Some(field) => self.field(field, structure),
            None => self.null(*null),
        }
    }

    /// As [`Encoder::union`], where a null is a null record value.
    fn union_root(
        &mut self,
        id: NodeId,
        structure: Struct<'_>,
        declared: Option<&Schema>,
    ) -> Result<Written, Error> {
        check_schema(structure, declared)?;
        let Node::Union(members, _) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        match self.member(members, structure) {
            Some(field) => self.field(field, structure).map(|()| Written::Bytes),
            None => self.plan.null_root(declared),
        }
    }

    fn member<'m>(
        &self,
        members: &'m [FieldPlace],
        structure: Struct<'_>,
    ) -> Option<&'m FieldPlace> {
        members.iter().find(|member| {
            let set = member
                .slot
                .is_some_and(|slot| !structure.at(slot).is_null());
            set || matches!(member.place.null, Null::Default(_))
        })
    }

    /// The record that holds anything: nine fields, of which one is set.
    fn anything(&mut self, value: Value<'_>) -> Result<(), Error> {
        match value {
            Value::Null => {
                self.out.extend_from_slice(&NOTHING_SET);
                Ok(())
            }
            Value::Boolean(v) => self.only(0, |this| {
                this.out.push(v.into());
                Ok(())
            }),
            Value::Float64(v) => self.only(2, |this| this.plain(&v.to_le_bytes())),
            Value::Float32(v) => self.only(3, |this| this.plain(&v.to_le_bytes())),
            Value::Int8(v) => self.only(4, |this| this.whole(v.into())),
            Value::Int16(v) => self.only(4, |this| this.whole(v.into())),
            Value::Int32(v) => self.only(4, |this| this.whole(v.into())),
            Value::Int64(v) => self.only(5, |this| this.whole(v)),
            Value::String(v) => self.only(6, |this| {
                write_bytes(this.out, v.as_bytes());
                Ok(())
            }),
            Value::Array(v) => self.only(7, |this| this.anything_array(v)),
            Value::Map(v) => self.only(8, |this| this.anything_map(v)),
            Value::Bytes(_)
            | Value::Decimal(_)
            | Value::Date(_)
            | Value::Time(_)
            | Value::Timestamp(_)
            | Value::Struct(_) => {
                let class = value.java_class();
                Err(Kind::SchemalessClass { class }.into())
            }
        }
    }

    /// That record with one field set.
    fn only(
        &mut self,
        field: usize,
        write: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        const SET: u8 = 2;
        self.out.extend_from_slice(&NOTHING_SET[..field]);
        self.out.push(SET);
        write(self)?;
        self.out.extend_from_slice(&NOTHING_SET[field + 1..]);
        Ok(())
    }

    fn plain(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn whole(&mut self, number: i64) -> Result<(), Error> {
        write_long(self.out, number);
        Ok(())
    }

    fn anything_array(&mut self, array: Array<'_>) -> Result<(), Error> {
        if !array.is_empty() {
            write_count(self.out, array.len());
            for (index, element) in array.iter().enumerate() {
                self.anything(element)
                    .map_err(|error| error.in_element(index))?;
            }
        }
        self.out.push(0);
        Ok(())
    }

    fn anything_map(&mut self, map: Map<'_>) -> Result<(), Error> {
        if !map.is_empty() {
            write_count(self.out, map.len());
            for (index, (key, value)) in map.iter().enumerate() {
                self.anything(key).map_err(|error| error.in_key(index))?;
                self.anything(value)
                    .map_err(|error| error.in_map_value(index))?;
            }
        }
        self.out.push(0);
        Ok(())
    }

    /// A number in a type of the registry's schema. What does not survive is refused.
    #[cold]
    fn number(&mut self, from: Type, to: Number, value: Value<'_>) -> Result<(), Error> {
        let integer = match (from, value) {
            (Type::Int8, Value::Int8(v)) => Some(i64::from(v)),
            (Type::Int16, Value::Int16(v)) => Some(v.into()),
            (Type::Int32, Value::Int32(v)) => Some(v.into()),
            (Type::Int64, Value::Int64(v)) => Some(v),
            _ => None,
        };
        let float = match (from, value) {
            (Type::Float32, Value::Float32(v)) => Some(f64::from(v)),
            (Type::Float64, Value::Float64(v)) => Some(v),
            _ => None,
        };
        match (integer, float) {
            (Some(v), _) => self.integer_as(v, to),
            (None, Some(v)) => self.float_as(v, to),
            (None, None) => Err(Kind::WrongClass {
                kind: from,
                class: value.java_class(),
            }
            .into()),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "Avro's own promotion of whole numbers to floating ones rounds"
    )]
    fn integer_as(&mut self, v: i64, to: Number) -> Result<(), Error> {
        match to {
            Number::Int if i32::try_from(v).is_err() => {
                return Err(Kind::Narrowed { to: "int" }.into());
            }
            Number::Int | Number::Long => write_long(self.out, v),
            Number::Float => self.out.extend_from_slice(&(v as f32).to_le_bytes()),
            Number::Double => self.out.extend_from_slice(&(v as f64).to_le_bytes()),
        }
        Ok(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::float_cmp,
        reason = "casts saturate, and what comes back must be the very same number"
    )]
    fn float_as(&mut self, v: f64, to: Number) -> Result<(), Error> {
        let whole = v as i64;
        let narrow = v as f32;
        match to {
            Number::Double => self.out.extend_from_slice(&v.to_le_bytes()),
            Number::Float if v.is_nan() || f64::from(narrow) == v => {
                self.out.extend_from_slice(&narrow.to_le_bytes());
            }
            Number::Float => return Err(Kind::Narrowed { to: "float" }.into()),
            Number::Int | Number::Long if whole as f64 != v => {
                return Err(Kind::Narrowed { to: "int" }.into());
            }
            Number::Int | Number::Long => return self.integer_as(whole, to),
        }
        Ok(())
    }
}

/// A struct must be of the schema that is declared at its place. The data model stores structs of that very schema without
/// one of their own, so that mostly two handles are compared.
#[inline]
fn check_schema(structure: Struct<'_>, declared: Option<&Schema>) -> Result<(), Error> {
    match declared {
        Some(declared) if structure.schema().same(declared) || structure.schema() == declared => {
            Ok(())
        }
        Some(_) | None => Err(Kind::StructSchemasDiffer.into()),
    }
}

#[cold]
fn no_branch(class: &str) -> Error {
    Kind::OtherType {
        class: class.into(),
        found: "a type without null",
    }
    .into()
}

/// A step and its node are made together, so this is never met.
#[cold]
fn lost() -> Error {
    Kind::DefaultUnusable.into()
}

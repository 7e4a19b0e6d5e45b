//! The loop over a record.

use num_bigint::BigInt;

use super::fast::{
    SECONDS, digits, write_bytes, write_fixed32, write_fixed64, write_key, write_varint,
};
use super::small::{self, Small};
use super::{EncodePlan, FieldPlace, Key, MessageNode, Node, Null, Root, Scratch, Step, UnionNode};
use crate::data::calendar::civil;
use crate::data::logical::{date_to_days, time_from_millis};
use crate::data::record::{EMPTY, Record, Slot};
use crate::data::{Datum, DecimalRef, Schema, SchemaAndValue, Type, UnscaledRef, Value};
use crate::error::{Error, data, protobuf_write::Kind};
use crate::plan::NodeId;
use crate::registered::Written;
use crate::wire::MessageIndexes;

/// Nothing: elements of packed lists have no key.
pub(super) const NO_KEY: Key = Key { bytes: 0, len: 0 };

impl EncodePlan {
    /// Where the message stands in the file of the frame's schema.
    pub(crate) const fn indexes(&self) -> &MessageIndexes {
        &self.indexes
    }

    /// Appends a message. What was appended before a failure stays; the caller takes it back.
    #[inline]
    pub(crate) fn run(
        &self,
        data: &SchemaAndValue,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Written, Error> {
        scratch.widening.begin();
        let mut encoder = Encoder {
            plan: self,
            scratch,
            out,
        };
        if let Root::Message(id) = self.root
            && let Value::Struct(structure) = data.value()
        {
            let Node::Message(node) = self.nodes.get(id) else {
                return Err(lost());
            };
            if !structure.schema().same(&node.schema) {
                check_schema(structure.schema(), &node.schema)?;
            }
            let (record, slots) = structure.slots();
            encoder.fields(&node.fields, record, slots)?;
            encoder.finish();
            return Ok(Written::Bytes);
        }
        encoder.root(data)
    }

    /// The bytes of a value at a place, for defaults.
    pub(super) fn default_bytes(
        &self,
        place: &FieldPlace,
        default: &Datum,
    ) -> Result<Box<[u8]>, Error> {
        let (mut out, mut scratch) = (Vec::new(), Scratch::default());
        let mut encoder = Encoder {
            plan: self,
            scratch: &mut scratch,
            out: &mut out,
        };
        encoder.datum(place, default)?;
        encoder.finish();
        Ok(out.into())
    }
}

pub(super) struct Encoder<'a> {
    plan: &'a EncodePlan,
    scratch: &'a mut Scratch,
    pub(super) out: &'a mut Vec<u8>,
}

impl Encoder<'_> {
    #[inline]
    fn finish(&mut self) {
        self.scratch.widening.finish(self.out);
    }

    /// Anything but a struct where a struct is wanted.
    #[inline(never)]
    fn root(&mut self, data: &SchemaAndValue) -> Result<Written, Error> {
        if data.is_null() {
            return Ok(Written::Null);
        }
        match &self.plan.root {
            Root::Nothing(kind) => return Err(kind.clone().into()),
            Root::Message(_) => {
                let class = data.value().java_class();
                let kind = Type::Struct;
                return Err(Kind::WrongClass { kind, class }.into());
            }
            Root::Wrapper(place) => self.datum(place, data.datum())?,
        }
        self.finish();
        Ok(Written::Bytes)
    }

    fn datum(&mut self, place: &FieldPlace, datum: &Datum) -> Result<(), Error> {
        match datum {
            Datum::Scalar(slot) => self.value(place, &EMPTY, *slot),
            Datum::Tree { record, root } => self.value(place, record, *root),
            Datum::Text(text) => self.text(place, text),
            Datum::Bytes(bytes) => self.bytes(place, bytes),
        }
    }

    #[inline]
    fn fields(
        &mut self,
        fields: &[FieldPlace],
        record: &Record,
        slots: &[Slot],
    ) -> Result<(), Error> {
        for field in fields {
            let Some(slot) = slots.get(field.slot as usize) else {
                continue;
            };
            if !self.leaf(field, record, *slot) {
                self.field(field, record, *slot)?;
            }
        }
        Ok(())
    }

    /// A field that is no plain leaf.
    #[inline(never)]
    fn field(&mut self, field: &FieldPlace, record: &Record, slot: Slot) -> Result<(), Error> {
        self.careful(field, record, slot)
            .map_err(|error| error.in_field(&field.name))
    }

    #[inline]
    fn value(&mut self, place: &FieldPlace, record: &Record, slot: Slot) -> Result<(), Error> {
        if self.leaf(place, record, slot) {
            return Ok(());
        }
        self.careful(place, record, slot)
    }

    fn careful(&mut self, place: &FieldPlace, record: &Record, slot: Slot) -> Result<(), Error> {
        match (place.step, slot) {
            (_, Slot::Null) => self.null(place),
            (Step::Message(id), slot) => self.message(place, id, record, slot),
            (Step::List(id), Slot::Array { at, len }) => {
                self.list(id, record, record.slots_at(at, len as usize))
            }
            (Step::Packed(id), Slot::Array { at, len }) => {
                self.packed(place, id, record, record.slots_at(at, len as usize))
            }
            (Step::Map(id), Slot::Map { at, len }) => {
                self.map(place, id, record, record.slots_at(at, len as usize))
            }
            (Step::Union(id), slot) => self.union(id, record, slot),
            (Step::Member(id), slot) => self.member(id, record, slot),
            (Step::Wrapper(id), slot) => {
                let Node::Wrapper(inner) = self.plan.nodes.get(id) else {
                    return Err(lost());
                };
                write_key(place.key, self.out);
                let open = self.scratch.widening.open(self.out);
                self.value(inner, record, slot)?;
                self.scratch.widening.close(open, self.out);
                Ok(())
            }
            (Step::Never(id), _) => match self.plan.nodes.get(id) {
                Node::Never(kind) => Err(kind.clone().into()),
                _ => Err(lost()),
            },
            (Step::String, Slot::Text { at, len }) => self.text(place, record.text_at(at, len)),
            (Step::Bytes, Slot::Bytes { at, len }) => self.bytes(place, record.bytes_at(at, len)),
            (Step::Enum(id), slot) => self.symbol(place, id, record, slot),
            _ => self.scalar(place, record, slot),
        }
    }

    fn null(&mut self, place: &FieldPlace) -> Result<(), Error> {
        match place.null {
            Null::Skipped => Ok(()),
            Null::Refused => Err(Kind::NullElement.into()),
            Null::Default(index) => match self.plan.defaults.get(index as usize) {
                Some(Some(bytes)) => {
                    self.out.extend_from_slice(bytes);
                    Ok(())
                }
                Some(None) | None => Err(Kind::DefaultUnusable.into()),
            },
        }
    }

    fn text(&mut self, place: &FieldPlace, text: &str) -> Result<(), Error> {
        if place.step != Step::String {
            return Err(mismatch(place, "java.lang.String"));
        }
        if !text.is_empty() || place.has_presence {
            write_bytes(place.key, text.as_bytes(), self.out);
        }
        Ok(())
    }

    fn bytes(&mut self, place: &FieldPlace, bytes: &[u8]) -> Result<(), Error> {
        if place.step != Step::Bytes {
            return Err(mismatch(place, "[B"));
        }
        if !bytes.is_empty() || place.has_presence {
            write_bytes(place.key, bytes, self.out);
        }
        Ok(())
    }

    fn message(
        &mut self,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slot: Slot,
    ) -> Result<(), Error> {
        let Node::Message(MessageNode {
            schema,
            slots,
            fields,
        }) = self.plan.nodes.get(id)
        else {
            return Err(lost());
        };
        let slots = structure(schema, *slots, record, slot)?;
        write_key(place.key, self.out);
        let open = self.scratch.widening.open(self.out);
        self.fields(fields, record, slots)?;
        self.scratch.widening.close(open, self.out);
        Ok(())
    }

    fn list(&mut self, id: NodeId, record: &Record, slots: &[Slot]) -> Result<(), Error> {
        let Node::List(element) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        for (index, slot) in slots.iter().enumerate() {
            if !self.leaf(element, record, *slot) {
                self.careful(element, record, *slot)
                    .map_err(|error| error.in_element(index))?;
            }
        }
        Ok(())
    }

    fn packed(
        &mut self,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slots: &[Slot],
    ) -> Result<(), Error> {
        if slots.is_empty() {
            return Ok(());
        }
        write_key(place.key, self.out);
        let open = self.scratch.widening.open(self.out);
        self.list(id, record, slots)?;
        self.scratch.widening.close(open, self.out);
        Ok(())
    }

    fn map(
        &mut self,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slots: &[Slot],
    ) -> Result<(), Error> {
        let Node::Map(of_key, of_value) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        for (index, entry) in slots.chunks_exact(2).enumerate() {
            let &[key, value] = entry else {
                continue;
            };
            write_key(place.key, self.out);
            let open = self.scratch.widening.open(self.out);
            self.value(of_key, record, key)
                .map_err(|error| error.in_key(index))?;
            self.value(of_value, record, value)
                .map_err(|error| error.in_map_value(index))?;
            self.scratch.widening.close(open, self.out);
        }
        Ok(())
    }

    /// The first member that is set is the value.
    fn union(&mut self, id: NodeId, record: &Record, slot: Slot) -> Result<(), Error> {
        let Node::Union(UnionNode { schema, members }) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        let slots = structure(schema, members.len(), record, slot)?;
        let chosen = chosen(members, slots).ok_or(Kind::NoMember)?;
        self.one(members, slots, chosen, record)
    }

    /// One member of a union, at the place of its number: written if it is the chosen one.
    fn member(&mut self, id: NodeId, record: &Record, slot: Slot) -> Result<(), Error> {
        let Node::Member(node) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        let Node::Union(UnionNode { schema, members }) = self.plan.nodes.get(node.union) else {
            return Err(lost());
        };
        let slots = structure(schema, members.len(), record, slot)?;
        let chosen = chosen(members, slots).ok_or(Kind::NoMember)?;
        if chosen != node.index {
            return Ok(());
        }
        self.one(members, slots, chosen, record)
    }

    fn one(
        &mut self,
        members: &[FieldPlace],
        slots: &[Slot],
        chosen: usize,
        record: &Record,
    ) -> Result<(), Error> {
        let (Some(member), Some(slot)) = (members.get(chosen), slots.get(chosen)) else {
            return Err(lost());
        };
        if self.leaf(member, record, *slot) {
            return Ok(());
        }
        self.field(member, record, *slot)
    }

    fn symbol(
        &mut self,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slot: Slot,
    ) -> Result<(), Error> {
        let Node::Enum(symbols) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        let number = match (place.kind, slot) {
            (Type::String, Slot::Text { at, len }) => {
                let symbol = record.text_at(at, len);
                *symbols.numbers.get(symbol).ok_or(Kind::UnknownSymbol)?
            }
            (Type::Int32, slot) => {
                let number = int32(place, record, slot)?;
                if !symbols.all.contains(&number) {
                    return Err(Kind::UnknownNumber.into());
                }
                number
            }
            (_, slot) => return Err(mismatch(place, class(record, slot))),
        };
        if number != symbols.first || place.has_presence {
            write_varint(place.key, i64::from(number).cast_unsigned(), self.out);
        }
        Ok(())
    }

    /// Leaves that are not stored as their schemas have it, and the rarer ones.
    fn scalar(&mut self, place: &FieldPlace, record: &Record, slot: Slot) -> Result<(), Error> {
        let key = place.key;
        let is_written = |is_default: bool| !is_default || place.has_presence;
        match place.step {
            Step::Boolean => {
                let Slot::Boolean(v) = slot else {
                    return Err(mismatch(place, class(record, slot)));
                };
                if is_written(!v) {
                    write_varint(key, v.into(), self.out);
                }
            }
            Step::Int32 | Step::Sint32 | Step::Uint32 | Step::Fixed32 => {
                let v = match place.kind {
                    Type::Int64 => unsigned(place, record, slot)?,
                    _ => int32(place, record, slot)?,
                };
                if is_written(v == 0) {
                    self.int32(place.step, key, v);
                }
            }
            Step::Int64 | Step::Sint64 | Step::Fixed64 => {
                let v = whole(place, record, slot)?;
                if is_written(v == 0) {
                    match place.step {
                        Step::Fixed64 => write_fixed64(key, v.cast_unsigned(), self.out),
                        Step::Sint64 => {
                            let v = ((v << 1) ^ (v >> 63)).cast_unsigned();
                            write_varint(key, v, self.out);
                        }
                        _ => write_varint(key, v.cast_unsigned(), self.out),
                    }
                }
            }
            Step::Float => {
                let v = single(place, record, slot)?.to_bits();
                if is_written(v == 0) {
                    write_fixed32(key, v, self.out);
                }
            }
            Step::Double => {
                let v = double(place, record, slot)?.to_bits();
                if is_written(v == 0) {
                    write_fixed64(key, v, self.out);
                }
            }
            Step::Decimal => return self.decimal(place, record, slot),
            Step::Date | Step::Time | Step::Timestamp => {
                let (Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v)) = slot else {
                    return Err(mismatch(place, class(record, slot)));
                };
                let message = match place.step {
                    Step::Date => date(v)?,
                    Step::Time => time(v)?,
                    _ => timestamp(v)?,
                };
                write_bytes(key, message.bytes(), self.out);
            }
            Step::String
            | Step::Bytes
            | Step::Enum(_)
            | Step::Wrapper(_)
            | Step::Message(_)
            | Step::List(_)
            | Step::Packed(_)
            | Step::Map(_)
            | Step::Union(_)
            | Step::Member(_)
            | Step::Never(_) => return Err(mismatch(place, class(record, slot))),
        }
        Ok(())
    }

    fn int32(&mut self, step: Step, key: Key, v: i32) {
        match step {
            Step::Sint32 => {
                let v = ((v << 1) ^ (v >> 31)).cast_unsigned();
                write_varint(key, v.into(), self.out);
            }
            Step::Uint32 => write_varint(key, v.cast_unsigned().into(), self.out),
            Step::Fixed32 => write_fixed32(key, v.cast_unsigned(), self.out),
            _ => write_varint(key, i64::from(v).cast_unsigned(), self.out),
        }
    }

    fn decimal(&mut self, place: &FieldPlace, record: &Record, slot: Slot) -> Result<(), Error> {
        let Value::Decimal(decimal) = record.value(slot, None) else {
            return Err(mismatch(place, class(record, slot)));
        };
        let tail = small::precision_and_scale(precision(decimal), decimal.scale());
        write_key(place.key, self.out);
        let open = self.scratch.widening.open(self.out);
        const VALUE: Key = Key {
            bytes: 0x0a,
            len: 1,
        };
        decimal.with_be_bytes(|bytes| write_bytes(VALUE, bytes, self.out));
        self.out.extend_from_slice(tail.bytes());
        self.scratch.widening.close(open, self.out);
        Ok(())
    }
}

/// How many digits a decimal has, as `BigDecimal.precision`.
fn precision(decimal: DecimalRef<'_>) -> u32 {
    match decimal.unscaled() {
        UnscaledRef::Small(small) => digits(small),
        UnscaledRef::Big(bytes) => match decimal.unscaled_i128() {
            Some(wide) => wide
                .unsigned_abs()
                .checked_ilog10()
                .map_or(1, |log| log + 1),
            None => {
                let text = BigInt::from_signed_bytes_be(bytes)
                    .magnitude()
                    .to_str_radix(10);
                u32::try_from(text.len()).unwrap_or(u32::MAX)
            }
        },
    }
}

fn date(millis: i64) -> Result<Small, Error> {
    let (year, month, day) = civil(date_to_days(millis)?.into());
    let part = |part: i64| u32::try_from(part).map_err(|_| Error::from(Kind::EraLost));
    if year < 1 {
        return Err(Kind::EraLost.into());
    }
    Ok(small::date(part(year)?, part(month)?, part(day)?))
}

fn time(millis: i64) -> Result<Small, Error> {
    let outside = || Error::from(data::Kind::TimeOutOfDay);
    let of_day = i32::try_from(millis).map_err(|_| outside())?;
    time_from_millis(of_day)?;
    Ok(small::time_of_day(of_day.cast_unsigned()))
}

fn timestamp(millis: i64) -> Result<Small, Error> {
    if !SECONDS.contains(&millis.div_euclid(1_000)) {
        return Err(Kind::TimestampOutOfRange.into());
    }
    Ok(small::timestamp(millis))
}

/// The fields of a struct of that schema, with so many of them.
#[inline]
fn structure<'r>(
    schema: &Schema,
    fields: usize,
    record: &'r Record,
    slot: Slot,
) -> Result<&'r [Slot], Error> {
    match slot {
        // Stored without a schema: then it is the declared one.
        Slot::Struct { at } => Ok(record.slots_at(at, fields)),
        Slot::Foreign { at, schema: own } => {
            let own = record.schemas.get(own as usize);
            check_schema(own.ok_or(Kind::StructSchemasDiffer)?, schema)?;
            Ok(record.slots_at(at, fields))
        }
        slot => {
            let class = class(record, slot);
            let kind = Type::Struct;
            Err(Kind::WrongClass { kind, class }.into())
        }
    }
}

/// The first member that is set, or has a default.
fn chosen(members: &[FieldPlace], slots: &[Slot]) -> Option<usize> {
    let mut pairs = members.iter().zip(slots);
    pairs.position(|(member, slot)| {
        !matches!(slot, Slot::Null) || matches!(member.null, Null::Default(_))
    })
}

#[cold]
fn check_schema(own: &Schema, declared: &Schema) -> Result<(), Error> {
    if own == declared {
        return Ok(());
    }
    Err(Kind::StructSchemasDiffer.into())
}

fn class(record: &Record, slot: Slot) -> &'static str {
    match slot {
        Slot::Struct { .. } | Slot::Foreign { .. } => "org.apache.kafka.connect.data.Struct",
        slot => record.value(slot, None).java_class(),
    }
}

/// Why a value of this class cannot stand at a place.
#[cold]
fn mismatch(place: &FieldPlace, class: &'static str) -> Error {
    let logical = |logical, expected| Kind::LogicalWrongClass {
        logical,
        expected,
        class,
    };
    let kind = place.kind;
    match place.step {
        Step::Decimal => logical("Decimal", "BigDecimal"),
        Step::Date => logical("Date", "Date"),
        Step::Time => logical("Time", "Date"),
        Step::Timestamp => logical("Timestamp", "Date"),
        _ => Kind::WrongClass { kind, class },
    }
    .into()
}

/// `java.lang.Number`: numbers are not told apart, so long as nothing is lost.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "casts saturate, and what comes back must be the very same number"
)]
fn whole(place: &FieldPlace, record: &Record, slot: Slot) -> Result<i64, Error> {
    let exact = |v: f64| {
        let whole = v as i64;
        (whole as f64 == v && whole != i64::MAX).then_some(whole)
    };
    let found = match slot {
        Slot::Int8(v) => Some(v.into()),
        Slot::Int16(v) => Some(v.into()),
        Slot::Int32(v) => Some(v.into()),
        Slot::Int64(v) => Some(v),
        Slot::Float32(v) => exact(v.into()),
        Slot::Float64(v) => exact(v),
        Slot::Decimal { scale: 0, unscaled } => Some(unscaled),
        Slot::Decimal { .. } | Slot::BigDecimal { .. } => None,
        slot => return Err(mismatch(place, class(record, slot))),
    };
    found.ok_or_else(|| narrowed(place))
}

fn int32(place: &FieldPlace, record: &Record, slot: Slot) -> Result<i32, Error> {
    i32::try_from(whole(place, record, slot)?).map_err(|_| narrowed(place))
}

/// 32 bits of an INT64, which a reader takes for unsigned.
#[expect(clippy::cast_possible_truncation, reason = "checked")]
fn unsigned(place: &FieldPlace, record: &Record, slot: Slot) -> Result<i32, Error> {
    let v = whole(place, record, slot)?;
    if (i32::MIN.into()..=i64::from(u32::MAX)).contains(&v) {
        return Ok(v as i32);
    }
    Err(narrowed(place))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "what comes back must be the very same number"
)]
fn double(place: &FieldPlace, record: &Record, slot: Slot) -> Result<f64, Error> {
    match slot {
        Slot::Float64(v) => Ok(v),
        Slot::Float32(v) => Ok(v.into()),
        slot => {
            let whole = whole(place, record, slot)?;
            let v = whole as f64;
            match v as i64 == whole && whole != i64::MAX {
                true => Ok(v),
                false => Err(narrowed(place)),
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::float_cmp,
    reason = "what comes back must be the very same number"
)]
fn single(place: &FieldPlace, record: &Record, slot: Slot) -> Result<f32, Error> {
    if let Slot::Float32(v) = slot {
        return Ok(v);
    }
    let v = double(place, record, slot)?;
    let narrow = v as f32;
    match v.is_nan() || f64::from(narrow) == v {
        true => Ok(narrow),
        false => Err(narrowed(place)),
    }
}

#[cold]
fn narrowed(place: &FieldPlace) -> Error {
    let to = match place.step {
        Step::Int32 => "int32",
        Step::Uint32 => "uint32",
        Step::Sint32 => "sint32",
        Step::Fixed32 => "fixed32",
        Step::Float => "float",
        Step::Double => "double",
        _ => place.kind.name(),
    };
    Kind::Narrowed { to }.into()
}

/// A step and its node are made together, so this is never met.
#[cold]
fn lost() -> Error {
    Kind::DefaultUnusable.into()
}

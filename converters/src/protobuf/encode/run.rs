//! The loop over a record.

use num_bigint::BigInt;

use super::fast::{
    SECONDS, digits, leaf, write_bytes, write_fixed32, write_fixed64, write_key, write_plain,
    write_varint,
};
use super::small::{self, Small};
use super::widen::{Open, Widening};
use super::{EncodePlan, FieldPlace, Key, MessageNode, Node, Null, Root, Scratch, Step, UnionNode};
use crate::data::calendar::civil;
use crate::data::logical::{date_to_days, time_from_millis};
use crate::data::record::{EMPTY, Record, Slot};
use crate::data::{Datum, DecimalRef, Schema, SchemaAndValue, Type, UnscaledRef, Value};
use crate::error::{Error, data, protobuf_write::Kind};
use crate::plan::NodeId;
use crate::registered::Written;
use crate::wire::{MessageIndexes, SHORT};

/// Bytes behind the end of a record that a move of fixed length may touch.
const SLACK: usize = 2 * SHORT;

impl EncodePlan {
    /// Where the message stands in the file of the frame's schema.
    pub(crate) const fn indexes(&self) -> &MessageIndexes {
        &self.indexes
    }

    /// Appends a message.
    ///
    /// It is written to a buffer that is as long as the longest one so far. One that does not fit goes on counting, so that the
    /// second time the buffer is long enough.
    #[inline]
    pub(crate) fn run(
        &self,
        data: &SchemaAndValue,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Written, Error> {
        let mut end = self.write(data, scratch)?;
        if end + SLACK > scratch.buffer.len() {
            if data.is_null() {
                return Ok(Written::Null);
            }
            scratch.grow(end);
            end = self.write(data, scratch)?;
        }
        scratch
            .widening
            .copy(scratch.buffer.get(..end).unwrap_or_default(), out);
        Ok(Written::Bytes)
    }

    /// Where a datum ends in the buffer. A null has no end.
    #[inline]
    fn write(&self, data: &SchemaAndValue, scratch: &mut Scratch) -> Result<usize, Error> {
        scratch.widening.begin();
        let mut encoder = Encoder {
            plan: self,
            widening: &mut scratch.widening,
            buffer: &mut scratch.buffer,
        };
        let (Root::Message(id), Value::Struct(structure)) = (&self.root, data.value()) else {
            return encoder.root(data);
        };
        let Node::Message(node) = self.nodes.get(*id) else {
            return Err(lost());
        };
        if !structure.schema().same(&node.schema) {
            check_schema(structure.schema(), &node.schema)?;
        }
        let (record, slots) = structure.slots();
        encoder.fields(0, &node.fields, record, slots)
    }

    /// The bytes of a value at a place, for defaults.
    pub(super) fn default_bytes(
        &self,
        place: &FieldPlace,
        default: &Datum,
    ) -> Result<Box<[u8]>, Error> {
        let mut scratch = Scratch::default();
        loop {
            scratch.widening.begin();
            let mut encoder = Encoder {
                plan: self,
                widening: &mut scratch.widening,
                buffer: &mut scratch.buffer,
            };
            let end = encoder.datum(0, place, default)?;
            if end + SLACK <= scratch.buffer.len() {
                let mut out = Vec::new();
                scratch
                    .widening
                    .copy(scratch.buffer.get(..end).unwrap_or_default(), &mut out);
                return Ok(out.into());
            }
            scratch.grow(end);
        }
    }
}

impl Scratch {
    #[cold]
    fn grow(&mut self, end: usize) {
        self.buffer.resize((end + SLACK).next_power_of_two(), 0);
    }
}

pub(super) struct Encoder<'a> {
    plan: &'a EncodePlan,
    widening: &'a mut Widening,
    buffer: &'a mut [u8],
}

/// Every function takes where to write, and says where it ended.
impl Encoder<'_> {
    /// Anything but a struct where a struct is wanted.
    #[inline(never)]
    fn root(&mut self, data: &SchemaAndValue) -> Result<usize, Error> {
        if data.is_null() {
            return Ok(self.buffer.len());
        }
        match &self.plan.root {
            Root::Nothing(kind) => Err(kind.clone().into()),
            Root::Message(_) => {
                let class = data.value().java_class();
                let kind = Type::Struct;
                Err(Kind::WrongClass { kind, class }.into())
            }
            Root::Wrapper(place) => self.datum(0, place, data.datum()),
        }
    }

    fn datum(&mut self, at: usize, place: &FieldPlace, datum: &Datum) -> Result<usize, Error> {
        match datum {
            Datum::Scalar(slot) => self.value(at, place, &EMPTY, *slot),
            Datum::Tree { record, root } => self.value(at, place, record, *root),
            Datum::Text(text) => self.text(at, place, text),
            Datum::Bytes(bytes) => self.bytes(at, place, bytes),
        }
    }

    #[inline]
    fn fields(
        &mut self,
        mut at: usize,
        fields: &[FieldPlace],
        record: &Record,
        slots: &[Slot],
    ) -> Result<usize, Error> {
        for field in fields {
            let Some(slot) = slots.get(field.slot as usize) else {
                continue;
            };
            at = match leaf(self.buffer, at, field, record, *slot) {
                Some(end) => end,
                None => self.field(at, field, record, *slot)?,
            };
        }
        Ok(at)
    }

    /// A field that is no plain leaf.
    #[inline(never)]
    fn field(
        &mut self,
        at: usize,
        field: &FieldPlace,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        self.careful(at, field, record, slot)
            .map_err(|error| error.in_field(&field.name))
    }

    #[inline]
    fn value(
        &mut self,
        at: usize,
        place: &FieldPlace,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        match leaf(self.buffer, at, place, record, slot) {
            Some(end) => Ok(end),
            None => self.careful(at, place, record, slot),
        }
    }

    fn careful(
        &mut self,
        at: usize,
        place: &FieldPlace,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        match (place.step, slot) {
            (_, Slot::Null) => self.null(at, place),
            (Step::Message(id), slot) => self.message(at, place, id, record, slot),
            (Step::List(id), Slot::Array { at: first, len }) => {
                self.list(at, id, record, record.slots_at(first, len as usize))
            }
            (Step::Packed(id), Slot::Array { at: first, len }) => {
                self.packed(at, place, id, record, record.slots_at(first, len as usize))
            }
            (Step::Map(id), Slot::Map { at: first, len }) => {
                self.map(at, place, id, record, record.slots_at(first, len as usize))
            }
            (Step::Union(id), slot) => self.union(at, id, None, record, slot),
            (Step::Member(id), slot) => {
                let Node::Member(node) = self.plan.nodes.get(id) else {
                    return Err(lost());
                };
                self.union(at, node.union, Some(node.index), record, slot)
            }
            (Step::Wrapper(id), slot) => {
                let Node::Wrapper(inner) = self.plan.nodes.get(id) else {
                    return Err(lost());
                };
                let open = self.open(at, place.key);
                let end = self.value(open.behind(), inner, record, slot)?;
                Ok(self.widening.close(open, self.buffer, end))
            }
            (Step::Never(id), _) => match self.plan.nodes.get(id) {
                Node::Never(kind) => Err(kind.clone().into()),
                Node::Enum(_)
                | Node::Wrapper(_)
                | Node::Message(_)
                | Node::List(_)
                | Node::Map(..)
                | Node::Union(_)
                | Node::Member(_) => Err(lost()),
            },
            (Step::String, Slot::Text { at: from, len }) => {
                self.text(at, place, record.text_at(from, len))
            }
            (Step::Bytes, Slot::Bytes { at: from, len }) => {
                self.bytes(at, place, record.bytes_at(from, len))
            }
            (Step::Enum(id), slot) => self.symbol(at, place, id, record, slot),
            _ => self.scalar(at, place, record, slot),
        }
    }

    /// A key with room for a length.
    #[inline]
    fn open(&mut self, at: usize, key: Key) -> Open {
        let at = write_key(self.buffer, at, key);
        self.widening.open(at)
    }

    fn null(&mut self, at: usize, place: &FieldPlace) -> Result<usize, Error> {
        match place.null {
            Null::Skipped => Ok(at),
            Null::Refused => Err(Kind::NullElement.into()),
            Null::Default(index) => match self.plan.defaults.get(index as usize) {
                Some(Some(bytes)) => Ok(write_plain(self.buffer, at, bytes)),
                Some(None) | None => Err(Kind::DefaultUnusable.into()),
            },
        }
    }

    fn text(&mut self, at: usize, place: &FieldPlace, text: &str) -> Result<usize, Error> {
        if place.step != Step::String {
            return Err(mismatch(place, "java.lang.String"));
        }
        if text.is_empty() && !place.has_presence {
            return Ok(at);
        }
        Ok(write_bytes(self.buffer, at, place.key, text.as_bytes()))
    }

    fn bytes(&mut self, at: usize, place: &FieldPlace, bytes: &[u8]) -> Result<usize, Error> {
        if place.step != Step::Bytes {
            return Err(mismatch(place, "[B"));
        }
        if bytes.is_empty() && !place.has_presence {
            return Ok(at);
        }
        Ok(write_bytes(self.buffer, at, place.key, bytes))
    }

    fn message(
        &mut self,
        at: usize,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        let Node::Message(MessageNode {
            schema,
            slots,
            fields,
        }) = self.plan.nodes.get(id)
        else {
            return Err(lost());
        };
        let slots = structure(schema, *slots, record, slot)?;
        let open = self.open(at, place.key);
        let end = self.fields(open.behind(), fields, record, slots)?;
        Ok(self.widening.close(open, self.buffer, end))
    }

    #[inline]
    fn list(
        &mut self,
        mut at: usize,
        id: NodeId,
        record: &Record,
        slots: &[Slot],
    ) -> Result<usize, Error> {
        let Node::List(element) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        for (index, slot) in slots.iter().enumerate() {
            at = match leaf(self.buffer, at, element, record, *slot) {
                Some(end) => end,
                None => self
                    .careful(at, element, record, *slot)
                    .map_err(|error| error.in_element(index))?,
            };
        }
        Ok(at)
    }

    fn packed(
        &mut self,
        at: usize,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slots: &[Slot],
    ) -> Result<usize, Error> {
        if slots.is_empty() {
            return Ok(at);
        }
        let open = self.open(at, place.key);
        let end = self.list(open.behind(), id, record, slots)?;
        Ok(self.widening.close(open, self.buffer, end))
    }

    fn map(
        &mut self,
        mut at: usize,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slots: &[Slot],
    ) -> Result<usize, Error> {
        let Node::Map(of_key, of_value) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        for (index, entry) in slots.chunks_exact(2).enumerate() {
            let &[key, value] = entry else {
                continue;
            };
            let open = self.open(at, place.key);
            at = self
                .value(open.behind(), of_key, record, key)
                .map_err(|error| error.in_key(index))?;
            at = self
                .value(at, of_value, record, value)
                .map_err(|error| error.in_map_value(index))?;
            at = self.widening.close(open, self.buffer, at);
        }
        Ok(at)
    }

    /// The first member that is set is the value. `only` is the one whose place this is, where the numbers of the members are not in
    /// a row.
    fn union(
        &mut self,
        at: usize,
        id: NodeId,
        only: Option<usize>,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        let Node::Union(UnionNode { schema, members }) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        let slots = structure(schema, members.len(), record, slot)?;
        let chosen = chosen(members, slots).ok_or(Kind::NoMember)?;
        if only.is_some_and(|only| only != chosen) {
            return Ok(at);
        }
        let (Some(member), Some(slot)) = (members.get(chosen), slots.get(chosen)) else {
            return Err(lost());
        };
        match leaf(self.buffer, at, member, record, *slot) {
            Some(end) => Ok(end),
            None => self.field(at, member, record, *slot),
        }
    }

    fn symbol(
        &mut self,
        at: usize,
        place: &FieldPlace,
        id: NodeId,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        let Node::Enum(symbols) = self.plan.nodes.get(id) else {
            return Err(lost());
        };
        let number = match (place.kind, slot) {
            (Type::String, Slot::Text { at: from, len }) => {
                let symbol = record.text_at(from, len);
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
        if number == symbols.first && !place.has_presence {
            return Ok(at);
        }
        let number = i64::from(number).cast_unsigned();
        Ok(write_varint(self.buffer, at, place.key, number))
    }

    /// Leaves that are not stored as their schemas have it, and the rarer ones.
    fn scalar(
        &mut self,
        at: usize,
        place: &FieldPlace,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        let is_left_out = |is_default: bool| is_default && !place.has_presence;
        let (key, buffer) = (place.key, &mut *self.buffer);
        Ok(match place.step {
            Step::Boolean => {
                let Slot::Boolean(v) = slot else {
                    return Err(mismatch(place, class(record, slot)));
                };
                match is_left_out(!v) {
                    true => at,
                    false => write_varint(buffer, at, key, v.into()),
                }
            }
            Step::Int32 | Step::Sint32 | Step::Uint32 | Step::Fixed32 => {
                let v = match place.kind {
                    Type::Int64 => unsigned(place, record, slot)?,
                    _ => int32(place, record, slot)?,
                };
                match is_left_out(v == 0) {
                    true => at,
                    false => write_int32(buffer, at, place, v),
                }
            }
            Step::Int64 | Step::Sint64 | Step::Fixed64 => {
                let v = whole(place, record, slot)?;
                match is_left_out(v == 0) {
                    true => at,
                    false => write_int64(buffer, at, place, v),
                }
            }
            Step::Float => {
                let v = single(place, record, slot)?.to_bits();
                match is_left_out(v == 0) {
                    true => at,
                    false => write_fixed32(buffer, at, key, v),
                }
            }
            Step::Double => {
                let v = double(place, record, slot)?.to_bits();
                match is_left_out(v == 0) {
                    true => at,
                    false => write_fixed64(buffer, at, key, v),
                }
            }
            Step::Decimal => return self.decimal(at, place, record, slot),
            Step::Date | Step::Time | Step::Timestamp => {
                let (Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v)) = slot else {
                    return Err(mismatch(place, class(record, slot)));
                };
                let message = match place.step {
                    Step::Date => date(v)?,
                    Step::Time => time(v)?,
                    _ => timestamp(v)?,
                };
                write_bytes(buffer, at, key, message.bytes())
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
        })
    }

    fn decimal(
        &mut self,
        at: usize,
        place: &FieldPlace,
        record: &Record,
        slot: Slot,
    ) -> Result<usize, Error> {
        const VALUE: Key = Key::byte(0x0a);
        let Value::Decimal(decimal) = record.value(slot, None) else {
            return Err(mismatch(place, class(record, slot)));
        };
        let tail = small::precision_and_scale(precision(decimal), decimal.scale());
        let open = self.open(at, place.key);
        let at = open.behind();
        let at = decimal.with_be_bytes(|bytes| write_bytes(self.buffer, at, VALUE, bytes));
        let at = write_plain(self.buffer, at, tail.bytes());
        Ok(self.widening.close(open, self.buffer, at))
    }
}

fn write_int32(buffer: &mut [u8], at: usize, place: &FieldPlace, v: i32) -> usize {
    let key = place.key;
    match place.step {
        Step::Sint32 => {
            let v = ((v << 1) ^ (v >> 31)).cast_unsigned();
            write_varint(buffer, at, key, v.into())
        }
        Step::Uint32 => write_varint(buffer, at, key, v.cast_unsigned().into()),
        Step::Fixed32 => write_fixed32(buffer, at, key, v.cast_unsigned()),
        _ => write_varint(buffer, at, key, i64::from(v).cast_unsigned()),
    }
}

fn write_int64(buffer: &mut [u8], at: usize, place: &FieldPlace, v: i64) -> usize {
    let key = place.key;
    match place.step {
        Step::Fixed64 => write_fixed64(buffer, at, key, v.cast_unsigned()),
        Step::Sint64 => {
            let v = ((v << 1) ^ (v >> 63)).cast_unsigned();
            write_varint(buffer, at, key, v)
        }
        _ => write_varint(buffer, at, key, v.cast_unsigned()),
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

//! The loop over a record.

use super::fast::{
    leaf, write_bytes, write_fixed32, write_fixed64, write_key, write_plain, write_varint,
};
use super::numbers::{
    class, date, double, int32, mismatch, precision, single, time, timestamp, unsigned, whole,
    write_int32, write_int64,
};
use super::small;
use super::widen::{Open, Widening};
use super::{EncodePlan, FieldPlace, Key, MessageNode, Node, Null, Root, Scratch, Step, UnionNode};
use crate::data::record::{EMPTY, Record, Slot};
use crate::data::{Datum, Schema, SchemaAndValue, Type, Value};
use crate::error::{Error, protobuf_write::Kind};
use crate::limits::PROTO_VALUE_DEPTH_MAX;
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
            depth: 0,
        };
        let (Root::Message(id), Datum::Tree { record, root }) = (&self.root, data.datum()) else {
            return encoder.root(data);
        };
        let Node::Message(node) = self.nodes.get(*id) else {
            return Err(lost());
        };
        let slots = match (*root, data.schema()) {
            (Slot::Null, _) => return encoder.root(data),
            // A struct without a schema of its own has that of the datum.
            (Slot::Struct { at }, Some(schema)) => {
                if !schema.same(&node.schema) {
                    check_schema(schema, &node.schema)?;
                }
                record.slots_at(at, node.slots)
            }
            (slot, _) => structure(&node.schema, node.slots, record, slot)?,
        };
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
                depth: 0,
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
    /// How many messages are open around the one that is written.
    depth: usize,
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

    /// Goes one message deeper.
    #[inline]
    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > PROTO_VALUE_DEPTH_MAX {
            return Err(Kind::ValueTooDeep.into());
        }
        Ok(())
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
        self.enter()?;
        let open = self.open(at, place.key);
        let end = self.fields(open.behind(), fields, record, slots)?;
        self.depth -= 1;
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
        self.enter()?;
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
        self.depth -= 1;
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
                let v = match place.kind == Type::Int64 {
                    true => unsigned(place, record, slot)?,
                    false => int32(place, record, slot)?,
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
                let message = if place.step == Step::Date {
                    date(v)?
                } else if place.step == Step::Time {
                    time(v)?
                } else {
                    timestamp(v)?
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

/// The fields of a struct of that schema, with so many of them.
#[inline]
fn structure<'r>(
    schema: &Schema,
    fields: usize,
    record: &'r Record,
    slot: Slot,
) -> Result<&'r [Slot], Error> {
    // Stored without a schema: then it is the declared one.
    if let Slot::Struct { at } = slot {
        return Ok(record.slots_at(at, fields));
    }
    let Slot::Foreign { at, schema: own } = slot else {
        let class = class(record, slot);
        let kind = Type::Struct;
        return Err(Kind::WrongClass { kind, class }.into());
    };
    let own = record.schemas.get(own as usize);
    check_schema(own.ok_or(Kind::StructSchemasDiffer)?, schema)?;
    Ok(record.slots_at(at, fields))
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

/// A step and its node are made together, so this is never met.
#[cold]
fn lost() -> Error {
    Kind::DefaultUnusable.into()
}

//! Running a plan: from bytes straight into the slots of a record.
//!
//! What most records are made of is read by the fast path in `cursor.rs`; this file reads everything, and says what is wrong.
//! Text is appended as it lies there and checked once, at the end: when the whole is
//! UTF-8 and every piece ends where a character ends, every piece is UTF-8. When it is not, the record is read again,
//! this time with what is malformed replaced, as Java does (`lossy`).

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "each reader lists the nodes that are its own, and passes the others on"
)]

use super::plan::{Branch, Items, Node, Null, Place, Promotion, Quick};
use super::{DecodePlan, Scratch};
use crate::data::logical;
use crate::data::record::Slot;
use crate::error::{Error, avro_read::Kind, data};
use crate::limits::{AVRO_EMPTY_ITEMS_MAX, AVRO_VALUES_MAX, NESTING_DEPTH_MAX};
use crate::plan::NodeId;

pub(super) struct Reader<'a> {
    pub(super) plan: &'a DecodePlan,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Items without bytes so far.
    pub(super) empty_items: usize,
    /// Replace malformed text while reading.
    pub(super) lossy: bool,
    pub(super) scratch: &'a mut Scratch,
}

impl Reader<'_> {
    /// Reads one value of a place.
    pub(super) fn value(&mut self, place: Place) -> Result<Slot, Error> {
        if place.null != Null::Never {
            let (second, next) = self.second_branch(self.at)?;
            self.at = next;
            if second == (place.null == Null::Second) {
                return Ok(Slot::Null);
            }
        }
        if place.node.is_leaf() {
            self.leaf(place.node)
        } else {
            self.container(place.node)
        }
    }

    /// Reads a value that has parts: one level down. What reads leaves has returned by then, so that a level takes little
    /// of the stack.
    fn container(&mut self, node: Node) -> Result<Slot, Error> {
        self.deeper()?;
        let slot = match node {
            Node::Struct(index) => Slot::Struct {
                at: self.structure(index)?,
            },
            Node::Array(items) => self.elements(items)?,
            Node::Map(entries) | Node::Entries(entries) => self.map(entries)?,
            Node::Union(index) => self.union(index)?,
            Node::Tagged(index) => self.tagged(index)?,
            Node::Skipped(what) => self.skip(what)?,
            leaf => self.leaf(leaf)?,
        };
        self.depth -= 1;
        Ok(slot)
    }

    #[inline(always)]
    pub(super) fn deeper(&mut self) -> Result<(), Error> {
        if self.depth >= NESTING_DEPTH_MAX {
            let limit = NESTING_DEPTH_MAX;
            return Err(self.here(data::Kind::NestingTooDeep { limit }, self.at));
        }
        self.depth += 1;
        Ok(())
    }

    /// Reads a value that has no parts.
    #[inline(never)]
    fn leaf(&mut self, node: Node) -> Result<Slot, Error> {
        let at = self.at;
        let (slot, next) = match node {
            Node::Text => {
                let (len, start) = self.length(at, "string")?;
                (self.text(start, len), start + len)
            }
            Node::Bytes => {
                let (len, start) = self.length(at, "bytes")?;
                (self.piece(start, len)?, start + len)
            }
            Node::Decimal { scale } => {
                let (len, start) = self.length(at, "decimal")?;
                (self.decimal(start, len, scale)?, start + len)
            }
            Node::Fixed { size } => {
                let len = size as usize;
                self.left(at, len, "fixed")?;
                (self.piece(at, len)?, at + len)
            }
            Node::FixedDecimal { scale, size } => {
                let len = size as usize;
                self.left(at, len, "fixed")?;
                (self.decimal(at, len, scale)?, at + len)
            }
            Node::Enum(index) => return self.symbol(index),
            Node::Refused(refusal) => return Err(self.refused(refusal)),
            Node::Promoted(promotion) => return self.promoted(promotion),
            number => return self.number(number),
        };
        self.at = next;
        Ok(slot)
    }

    fn number(&mut self, node: Node) -> Result<Slot, Error> {
        let at = self.at;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "Java narrows to the low bits"
        )]
        let (slot, next) = match node {
            Node::Boolean => {
                // Java: 1 is true, anything else is false.
                let [byte] = self.array::<1>(at, "boolean")?;
                (Slot::Boolean(byte == 1), at + 1)
            }
            Node::Int8 => {
                let (value, next) = self.int(at, "int")?;
                (Slot::Int8(value as i8), next)
            }
            Node::Int16 => {
                let (value, next) = self.int(at, "int")?;
                (Slot::Int16(value as i16), next)
            }
            Node::Int32 => {
                let (value, next) = self.int(at, "int")?;
                (Slot::Int32(value), next)
            }
            Node::Int64 => {
                let (value, next) = self.long(at, "long")?;
                (Slot::Int64(value), next)
            }
            Node::Timestamp => {
                let (value, next) = self.long(at, "timestamp-millis")?;
                (Slot::Timestamp(value), next)
            }
            Node::Date => {
                let (days, next) = self.int(at, "date")?;
                (Slot::Date(logical::date_from_days(days)), next)
            }
            Node::Time => {
                let (millis, next) = self.int(at, "time-millis")?;
                let time = logical::time_from_millis(millis);
                (Slot::Time(time.map_err(|e| self.here(e, at))?), next)
            }
            Node::Float32 => {
                let bits = self.array::<4>(at, "float")?;
                (Slot::Float32(f32::from_le_bytes(bits)), at + 4)
            }
            Node::Float64 => {
                let bits = self.array::<8>(at, "double")?;
                (Slot::Float64(f64::from_le_bytes(bits)), at + 8)
            }
            // Nothing is there; what has parts is read elsewhere.
            _ => return Ok(Slot::Null),
        };
        self.at = next;
        Ok(slot)
    }

    #[cold]
    fn promoted(&mut self, promotion: Promotion) -> Result<Slot, Error> {
        let at = self.at;
        #[expect(clippy::cast_precision_loss, reason = "as Java widens")]
        let (slot, next) = match promotion {
            Promotion::Int64OfInt => {
                let (value, next) = self.int(at, "int")?;
                (Slot::Int64(value.into()), next)
            }
            Promotion::TimestampOfInt => {
                let (value, next) = self.int(at, "int")?;
                (Slot::Timestamp(value.into()), next)
            }
            Promotion::Float32OfInt => {
                let (value, next) = self.int(at, "int")?;
                (Slot::Float32(value as f32), next)
            }
            Promotion::Float64OfInt => {
                let (value, next) = self.int(at, "int")?;
                (Slot::Float64(value.into()), next)
            }
            Promotion::Float32OfLong => {
                let (value, next) = self.long(at, "long")?;
                (Slot::Float32(value as f32), next)
            }
            Promotion::Float64OfLong => {
                let (value, next) = self.long(at, "long")?;
                (Slot::Float64(value as f64), next)
            }
            Promotion::Float64OfFloat => {
                let bits = self.array::<4>(at, "float")?;
                (Slot::Float64(f32::from_le_bytes(bits).into()), at + 4)
            }
        };
        self.at = next;
        Ok(slot)
    }

    /// A struct in a struct.
    #[inline(always)]
    fn nested(&mut self, index: u32) -> Result<Slot, Error> {
        self.deeper()?;
        let at = self.structure(index)?;
        self.depth -= 1;
        Ok(Slot::Struct { at })
    }

    /// Reads a struct; gives where its fields are.
    fn structure(&mut self, index: u32) -> Result<u32, Error> {
        let plan = self.plan;
        let plan = &plan.parts.structs[index as usize];
        let base = self.room(plan.width)?;
        let mut number = 0;
        loop {
            number = self.quick_fields(&plan.quick, number, base);
            let Some(step) = plan.steps.get(number) else {
                break;
            };
            match self.field(step.place) {
                // What is skipped has no place.
                Ok(slot) => {
                    if let Some(place) = self.scratch.slots.get_mut(base + step.target as usize) {
                        *place = slot;
                    }
                }
                Err(error) => return Err(error.in_field(&plan.names[number])),
            }
            number += 1;
        }
        for (field, default) in &plan.defaults {
            self.scratch.slots[base + field] = self.default(*default)?;
        }
        Ok(narrow(base))
    }

    /// A value of a field. A struct in a struct takes one frame of the stack.
    #[inline(always)]
    fn field(&mut self, place: Place) -> Result<Slot, Error> {
        match place {
            Place {
                null: Null::Never,
                node: Node::Struct(index),
            } => self.nested(index),
            place => self.value(place),
        }
    }

    /// More slots, all null.
    #[inline(always)]
    fn room(&mut self, width: usize) -> Result<usize, Error> {
        let base = self.scratch.slots.len();
        if base.saturating_add(width) > AVRO_VALUES_MAX {
            return Err(self.too_many());
        }
        self.scratch.slots.resize(base + width, Slot::Null);
        Ok(base)
    }

    fn elements(&mut self, items: NodeId) -> Result<Slot, Error> {
        let plan = self.plan;
        let items = plan.parts.items.get(items);
        if items.place.node.is_leaf() {
            return self.leaves(items);
        }
        // Items with parts come in between their parts, so they wait on the stack.
        let base = self.scratch.stack.len();
        let mut number = 0;
        while let Some(count) = self.block(items, "items")? {
            for _ in 0..count {
                match self.value(items.place) {
                    Ok(slot) => self.scratch.stack.push(slot),
                    Err(error) => return Err(error.in_element(number)),
                }
                number += 1;
            }
            self.within()?;
        }
        let (at, len) = self.settle(base);
        Ok(Slot::Array { at, len })
    }

    /// Reads items without parts, where they stay.
    fn leaves(&mut self, items: &Items) -> Result<Slot, Error> {
        let base = self.scratch.slots.len();
        let quick = Quick::of(items.place);
        let mut number = 0;
        while let Some(count) = self.block(items, "items")? {
            self.room(count)?;
            let end = number + count;
            loop {
                number = self.quick_items(quick, number, base);
                if number == end {
                    break;
                }
                match self.value(items.place) {
                    Ok(slot) => self.scratch.slots[base + number] = slot,
                    Err(error) => return Err(error.in_element(number)),
                }
                number += 1;
            }
        }
        let (at, len) = (narrow(base), narrow(number));
        Ok(Slot::Array { at, len })
    }

    fn map(&mut self, entries: NodeId) -> Result<Slot, Error> {
        let plan = self.plan;
        let items = plan.parts.items.get(entries);
        let base = self.scratch.stack.len();
        let raw_base = self.scratch.raw_keys.len();
        let quick = Quick::of(items.place);
        let mut expected = None;
        let mut number = 0;
        while let Some(count) = self.block(items, "entries")? {
            expected.get_or_insert(count);
            let end = number + count;
            loop {
                if items.entry.is_none() {
                    number = end - self.quick_entries(quick, end - number);
                }
                if number == end {
                    break;
                }
                self.entry(items, number)?;
                number += 1;
            }
            self.within()?;
        }
        match items.entry {
            None => self.order_text_entries(base, raw_base, expected.unwrap_or_default()),
            Some(entry) => self.order_entries(base, number, Some(entry.key)),
        }
        let (at, len) = self.settle(base);
        Ok(Slot::Map { at, len })
    }

    /// Reads an entry onto the stack: key, then value.
    fn entry(&mut self, items: &Items, number: usize) -> Result<(), Error> {
        let Some(entry) = items.entry else {
            if self.lossy {
                let length = self.length(self.at, "string");
                let (len, start) = length.map_err(|error| error.in_key(number))?;
                self.scratch.raw_keys.push((narrow(start), narrow(len)));
            }
            let key = self.leaf(Node::Text);
            let key = key.map_err(|error| error.in_key(number))?;
            self.scratch.stack.push(key);
            let value = self.value(items.place);
            let value = value.map_err(|error| error.in_map_value(number))?;
            self.scratch.stack.push(value);
            return Ok(());
        };
        let read_key = |reader: &mut Self| {
            let key = reader.value(entry.key);
            key.map_err(|error| error.in_key(number))
        };
        let read_value = |reader: &mut Self| {
            let value = reader.value(entry.value);
            value.map_err(|error| error.in_map_value(number))
        };
        let (key, value) = if entry.key_first {
            let key = read_key(self)?;
            (key, read_value(self)?)
        } else {
            let value = read_value(self)?;
            (read_key(self)?, value)
        };
        self.scratch.stack.extend([key, value]);
        Ok(())
    }

    fn union(&mut self, index: u32) -> Result<Slot, Error> {
        let plan = self.plan;
        let plan = &plan.parts.unions[index as usize];
        let (branch, next) = self.branch(self.at, plan.branches.len())?;
        self.at = next;
        match plan.branches[branch] {
            Branch::Null => Ok(Slot::Null),
            Branch::Plain(place) => self.value(place),
            Branch::Field(field, place) => {
                let base = self.room(plan.width)?;
                let slot = self.value(place)?;
                self.scratch.slots[base + field as usize] = slot;
                Ok(Slot::Struct { at: narrow(base) })
            }
        }
    }

    /// A value that the reader has in a union.
    fn tagged(&mut self, index: u32) -> Result<Slot, Error> {
        let (width, field, place) = self.plan.parts.tagged[index as usize];
        let base = self.room(width)?;
        let slot = self.value(place)?;
        self.scratch.slots[base + field] = slot;
        Ok(Slot::Struct { at: narrow(base) })
    }

    /// Reads values and forgets them. Text and bytes are stepped over.
    fn skip(&mut self, what: NodeId) -> Result<Slot, Error> {
        let items = *self.plan.parts.items.get(what);
        let at = self.at;
        match items.place.node {
            Node::Text | Node::Bytes if items.place.null == Null::Never => {
                let (len, start) = self.length(at, "bytes")?;
                self.at = start + len;
                return Ok(Slot::Null);
            }
            _ => {}
        }
        let scratch = &*self.scratch;
        let (slots, stack) = (scratch.slots.len(), scratch.stack.len());
        let (text, bytes) = (scratch.text.len(), scratch.bytes.len());
        self.value(items.place)?;
        self.scratch.slots.truncate(slots);
        self.scratch.stack.truncate(stack);
        self.scratch.text.truncate(text);
        self.scratch.bytes.truncate(bytes);
        Ok(Slot::Null)
    }

    /// The number of items of the next block; `None` at the end.
    #[inline(always)]
    pub(super) fn block(
        &mut self,
        items: &Items,
        of: &'static str,
    ) -> Result<Option<usize>, Error> {
        if let Some(0) = self.bytes.get(self.at) {
            self.at += 1;
            return Ok(None);
        }
        self.counted(items, of)
    }

    #[inline(never)]
    fn counted(&mut self, items: &Items, of: &'static str) -> Result<Option<usize>, Error> {
        let at = self.at;
        let (count, mut next) = self.long(at, "block count")?;
        if count < 0 {
            // The size of the block in bytes is for those who skip it.
            (_, next) = self.long(next, "block size")?;
        }
        self.at = next;
        if count == 0 {
            return Ok(None);
        }
        let left = self.bytes.len() - next;
        let count = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        if items.bytes_min == 0 {
            self.empty_items = self.empty_items.saturating_add(count);
            if self.empty_items > AVRO_EMPTY_ITEMS_MAX {
                let limit = AVRO_EMPTY_ITEMS_MAX;
                return Err(self.here(Kind::EmptyItems { limit }, at));
            }
        } else if count.saturating_mul(items.bytes_min) > left {
            return Err(self.here(Kind::CountPastEnd { of, left }, at));
        }
        Ok(Some(count))
    }

    pub(super) fn within(&self) -> Result<(), Error> {
        if self.scratch.slots.len() + self.scratch.stack.len() > AVRO_VALUES_MAX {
            return Err(self.too_many());
        }
        Ok(())
    }

    #[cold]
    fn too_many(&self) -> Error {
        let limit = AVRO_VALUES_MAX;
        self.here(Kind::TooManyValues { limit }, self.at)
    }

    /// Moves the values from `base` on from the stack to the slots.
    pub(super) fn settle(&mut self, base: usize) -> (u32, u32) {
        let scratch = &mut *self.scratch;
        let at = narrow(scratch.slots.len());
        let len = narrow(scratch.stack.len() - base);
        scratch.slots.extend_from_slice(&scratch.stack[base..]);
        scratch.stack.truncate(base);
        (at, len)
    }
}

/// Lengths and offsets inside the heaps.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "bodies are below 2^30 bytes and values below 2^26, see limits.rs"
)]
pub(super) const fn narrow(offset: usize) -> u32 {
    offset as u32
}

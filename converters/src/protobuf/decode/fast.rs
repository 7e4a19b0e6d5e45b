//! The fast way: from the bytes of a message straight into the slots of a record.
//!
//! It words no error. Whatever is unusual (bytes that are wrong, a message or a oneof that is there twice, elements of a list with
//! other fields between them, keys that are there twice) it leaves to the definition, which reads the record again from its first byte.

use super::logical;
use super::plan::{Action, Entry, Leaf, Message, Part, Plan, Root, Step, Wrapped};
use crate::data::decimal::UnscaledRef;
use crate::data::logical::MILLIS_PER_DAY;
use crate::data::record::Slot;
use crate::data::{DecimalRef, Schema, SchemaAndValue};
use crate::limits::{PROTO_FAST_BYTES_MAX, PROTO_VALUE_DEPTH_MAX, PROTO_VALUES_MAX};
use crate::plan::varint::{short_varint, unfold_32, unfold_64, varint_64};
use crate::plan::{Heaps, KEPT_BYTES_MAX, KEPT_SLOTS_MAX, TextHeap};

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    slots: Vec<Slot>,
    /// Values of open lists and maps.
    pub(super) stack: Vec<Slot>,
    pub(super) text: TextHeap,
    bytes: Vec<u8>,
    pub(super) hashes: Vec<i32>,
    pub(super) order: Vec<u32>,
    pub(super) entries: Vec<Slot>,
}

/// What is left of a body.
type Rest<'b> = &'b [u8];

impl Plan {
    /// Reads a message; nothing when the definition must.
    #[inline]
    pub(super) fn run(
        &self,
        body: &[u8],
        connect: &Schema,
        scratch: &mut Scratch,
    ) -> Option<SchemaAndValue> {
        // Slots count bytes in 32 bits.
        if body.len() > PROTO_FAST_BYTES_MAX {
            return None;
        }
        scratch.clear();
        let mut reader = Reader {
            plan: self,
            scratch,
            depth: 0,
        };
        let root = match self.root {
            Root::Struct => Slot::Struct {
                at: reader.message(body, 0)?,
            },
            Root::Wrapper(Leaf::Wrapper(wrapped)) => reader.wrapped(body, wrapped)?,
            Root::Wrapper(_) => return None,
        };
        let heaps = Heaps {
            slots: &scratch.slots,
            text: scratch.text.as_bytes(),
            bytes: &scratch.bytes,
        };
        let data = heaps.finish(Some(connect), root);
        scratch.shrink();
        data
    }
}

struct Reader<'a> {
    plan: &'a Plan,
    scratch: &'a mut Scratch,
    depth: usize,
}

/// A value and what follows it.
type Read<'b> = Option<(Slot, Rest<'b>)>;

impl Reader<'_> {
    /// Reads a whole message into new slots; gives where they are.
    fn message(&mut self, body: &[u8], index: u32) -> Option<u32> {
        if self.depth > PROTO_VALUE_DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let plan = self.plan;
        let message = plan.messages.get(index as usize)?;
        let base = self.scratch.slots.len();
        self.scratch.slots.extend_from_slice(&message.template);
        if self.scratch.slots.len() > PROTO_VALUES_MAX {
            return None;
        }
        let mut rest = body;
        let mut next = 0;
        let mut seen = 0;
        while !rest.is_empty() {
            let (tag, behind) = tag(rest)?;
            let at = match message.steps.get(next) {
                Some(step) if step.tag == tag => next,
                Some(_) | None => match find(message, tag) {
                    Some(at) => at,
                    None => {
                        rest = skip(tag, behind)?;
                        continue;
                    }
                },
            };
            let step = message.steps.get(at)?;
            seen |= step.bit;
            rest = self.step(step, tag, behind, base)?;
            next = at + 1;
        }
        if seen != message.required {
            return None;
        }
        for (target, symbols) in &message.symbols {
            let place = base + *target as usize;
            if let Some(Slot::Null) = self.scratch.slots.get(place) {
                let symbol = &plan.enums.get(*symbols as usize)?.zero;
                let slot = self.put_text(symbol.as_bytes());
                *self.scratch.slots.get_mut(place)? = slot;
            }
        }
        self.depth -= 1;
        u32::try_from(base).ok()
    }

    #[inline(always)]
    fn step<'b>(&mut self, step: &Step, tag: u32, rest: Rest<'b>, base: usize) -> Option<Rest<'b>> {
        let place = base + step.target as usize;
        let (slot, rest) = match step.action {
            Action::Leaf(leaf) => {
                if leaf.is_message() && step.union.1 == 0 {
                    self.fresh(place)?;
                }
                self.leaf(leaf, rest)?
            }
            Action::Message(index) => {
                if step.union.1 == 0 {
                    self.fresh(place)?;
                }
                let (body, rest) = length(rest)?;
                let at = self.message(body, index)?;
                (Slot::Struct { at }, rest)
            }
            Action::Leaves(leaf) => self.leaves(leaf, step, (tag, rest), place)?,
            Action::Messages(index) => self.messages(index, step, rest, place)?,
            Action::Map(entry) => self.map(entry, step, rest, place)?,
            Action::Unusual => return None,
        };
        match step.union {
            (_, 0) => *self.scratch.slots.get_mut(place)? = slot,
            (union, width) => {
                let place = base + union as usize;
                self.fresh(place)?;
                let at = u32::try_from(self.scratch.slots.len()).ok()?;
                let members = self.scratch.slots.len() + width as usize;
                self.scratch.slots.resize(members, Slot::Null);
                let member = at as usize + step.target as usize;
                *self.scratch.slots.get_mut(member)? = slot;
                *self.scratch.slots.get_mut(place)? = Slot::Struct { at };
            }
        }
        Some(rest)
    }

    /// Nothing was read into that place yet.
    fn fresh(&self, place: usize) -> Option<()> {
        matches!(self.scratch.slots.get(place)?, Slot::Null).then_some(())
    }

    /// Nothing was read into the list or map of that place yet.
    fn empty(&self, place: usize) -> Option<()> {
        let slot = self.scratch.slots.get(place)?;
        let empty = matches!(slot, Slot::Array { len: 0, .. } | Slot::Map { len: 0, .. });
        empty.then_some(())
    }

    #[inline(always)]
    fn leaf<'b>(&mut self, leaf: Leaf, rest: Rest<'b>) -> Read<'b> {
        match leaf {
            Leaf::Text => {
                let (len, rest) = varint(rest)?;
                let len = usize::try_from(len).ok()?;
                let behind = rest.get(len..)?;
                let at = narrow(self.scratch.text.len());
                self.scratch.text.push_first(rest, len)?;
                let len = narrow(len);
                Some((Slot::Text { at, len }, behind))
            }
            Leaf::Int64 => varint(rest).map(|(raw, rest)| (Slot::Int64(raw.cast_signed()), rest)),
            Leaf::Int32 => varint(rest).map(|(raw, rest)| (Slot::Int32(low_32(raw)), rest)),
            Leaf::Bool => varint(rest).map(|(raw, rest)| (Slot::Boolean(raw != 0), rest)),
            Leaf::Double => {
                let (bits, rest) = rest.split_first_chunk()?;
                Some((Slot::Float64(f64::from_le_bytes(*bits)), rest))
            }
            Leaf::Float => {
                let (bits, rest) = rest.split_first_chunk()?;
                Some((Slot::Float32(f32::from_le_bytes(*bits)), rest))
            }
            Leaf::Timestamp => {
                let (body, rest) = length(rest)?;
                let [seconds, nanos] = numbers(body)?;
                let millis = logical::timestamp(seconds, low_32(nanos.cast_unsigned()).into());
                Some((Slot::Timestamp(millis.ok()?), rest))
            }
            Leaf::Symbol(symbols) => {
                let (raw, rest) = varint(rest)?;
                let plan = self.plan;
                let symbol = plan.enums.get(symbols as usize)?.find(low_32(raw))?;
                Some((self.put_text(symbol.as_bytes()), rest))
            }
            Leaf::Decimal => {
                let (body, rest) = length(rest)?;
                Some((self.decimal(body)?, rest))
            }
            Leaf::Int8
            | Leaf::Int16
            | Leaf::Uint32
            | Leaf::Sint32
            | Leaf::Fixed32
            | Leaf::Sfixed32
            | Leaf::Sint64
            | Leaf::Fixed64
            | Leaf::Bytes
            | Leaf::Number(_)
            | Leaf::Date
            | Leaf::Time
            | Leaf::Wrapper(_) => self.other(leaf, rest),
        }
    }

    #[inline(never)]
    fn other<'b>(&mut self, leaf: Leaf, rest: Rest<'b>) -> Read<'b> {
        Some(match leaf {
            Leaf::Int8 => {
                let (raw, rest) = varint(rest)?;
                (Slot::Int8(i8::try_from(low_32(raw)).ok()?), rest)
            }
            Leaf::Int16 => {
                let (raw, rest) = varint(rest)?;
                (Slot::Int16(i16::try_from(low_32(raw)).ok()?), rest)
            }
            Leaf::Uint32 => {
                let (raw, rest) = varint(rest)?;
                (Slot::Int64(low_32(raw).cast_unsigned().into()), rest)
            }
            Leaf::Sint32 => {
                let (raw, rest) = varint(rest)?;
                (Slot::Int32(unfold_32(low_32(raw).cast_unsigned())), rest)
            }
            Leaf::Sint64 => {
                let (raw, rest) = varint(rest)?;
                (Slot::Int64(unfold_64(raw)), rest)
            }
            Leaf::Fixed32 => {
                let (bits, rest) = rest.split_first_chunk()?;
                (Slot::Int64(u32::from_le_bytes(*bits).into()), rest)
            }
            Leaf::Sfixed32 => {
                let (bits, rest) = rest.split_first_chunk()?;
                (Slot::Int32(i32::from_le_bytes(*bits)), rest)
            }
            Leaf::Fixed64 => {
                let (bits, rest) = rest.split_first_chunk()?;
                (Slot::Int64(i64::from_le_bytes(*bits)), rest)
            }
            Leaf::Bytes => {
                let (piece, rest) = length(rest)?;
                (self.put_bytes(piece), rest)
            }
            Leaf::Number(symbols) => {
                let (raw, rest) = varint(rest)?;
                let number = low_32(raw);
                self.plan.enums.get(symbols as usize)?.find(number)?;
                (Slot::Int32(number), rest)
            }
            Leaf::Date => {
                let (body, rest) = length(rest)?;
                let [year, month, day] = numbers(body)?.map(low);
                (Slot::Date(logical::date(year, month, day).ok()?), rest)
            }
            Leaf::Time => {
                let (body, rest) = length(rest)?;
                let time = logical::time(numbers(body)?.map(low)).ok()?;
                debug_assert!(time < MILLIS_PER_DAY, "checked by its parts");
                (Slot::Time(time), rest)
            }
            Leaf::Wrapper(wrapped) => {
                let (body, rest) = length(rest)?;
                (self.wrapped(body, wrapped)?, rest)
            }
            Leaf::Int32
            | Leaf::Int64
            | Leaf::Float
            | Leaf::Double
            | Leaf::Bool
            | Leaf::Text
            | Leaf::Symbol(_)
            | Leaf::Timestamp
            | Leaf::Decimal => return None,
        })
    }

    /// The only field of a wrapper message, at most once.
    fn wrapped(&mut self, body: &[u8], wrapped: Wrapped) -> Option<Slot> {
        let (leaf, wire, zero) = match wrapped {
            Wrapped::Int32 => (Leaf::Int32, 0, Slot::Int32(0)),
            Wrapped::Uint32 => (Leaf::Uint32, 0, Slot::Int64(0)),
            Wrapped::Int64 => (Leaf::Int64, 0, Slot::Int64(0)),
            Wrapped::Bool => (Leaf::Bool, 0, Slot::Boolean(false)),
            Wrapped::Double => (Leaf::Double, 1, Slot::Float64(0.0)),
            Wrapped::Float => (Leaf::Float, 5, Slot::Float32(0.0)),
            Wrapped::Text => (Leaf::Text, 2, Slot::Text { at: 0, len: 0 }),
            Wrapped::Bytes => (Leaf::Bytes, 2, Slot::Bytes { at: 0, len: 0 }),
        };
        let Some((tag, rest)) = body.split_first() else {
            return Some(zero);
        };
        if *tag != 1 << 3 | wire {
            return None;
        }
        let (slot, rest) = self.leaf(leaf, rest)?;
        rest.is_empty().then_some(slot)
    }

    /// A `confluent.type.Decimal` of up to 128 bits, its fields in order.
    fn decimal(&mut self, body: &[u8]) -> Option<Slot> {
        let rest = body.strip_prefix(&[0x0a])?;
        let (value, rest) = length(rest)?;
        let (mut precision, mut scale, mut rest) = (0, 0, rest);
        if let Some(behind) = rest.strip_prefix(&[0x10]) {
            let (raw, behind) = varint(behind)?;
            (precision, rest) = (low_32(raw), behind);
        }
        if let Some(behind) = rest.strip_prefix(&[0x18]) {
            let (raw, behind) = varint(behind)?;
            (scale, rest) = (low_32(raw), behind);
        }
        if !rest.is_empty() || value.is_empty() || precision < 0 {
            return None;
        }
        let exact = DecimalRef::from_be_bytes(value, scale);
        // Rounding is left to the definition.
        let fits = |digits: u32| precision == 0 || digits <= precision.cast_unsigned();
        match exact.unscaled() {
            UnscaledRef::Small(unscaled) => {
                let digits = unscaled
                    .unsigned_abs()
                    .checked_ilog10()
                    .map_or(1, |n| n + 1);
                fits(digits).then_some(Slot::Decimal { scale, unscaled })
            }
            UnscaledRef::Big(bytes) => {
                let digits = exact.unscaled_i128()?.unsigned_abs().checked_ilog10();
                if !fits(digits.map_or(1, |n| n + 1)) {
                    return None;
                }
                let at = narrow(self.scratch.bytes.len());
                self.scratch.bytes.extend_from_slice(bytes);
                let len = narrow(bytes.len());
                Some(Slot::BigDecimal { scale, at, len })
            }
        }
    }

    fn put_text(&mut self, text: &[u8]) -> Slot {
        let at = narrow(self.scratch.text.len());
        self.scratch.text.push(text);
        let len = narrow(text.len());
        Slot::Text { at, len }
    }

    fn put_bytes(&mut self, piece: &[u8]) -> Slot {
        let at = narrow(self.scratch.bytes.len());
        self.scratch.bytes.extend_from_slice(piece);
        let len = narrow(piece.len());
        Slot::Bytes { at, len }
    }

    /// The elements of a list without parts: packed, or one by one with nothing between them.
    fn leaves<'b>(
        &mut self,
        leaf: Leaf,
        step: &Step,
        (tag, rest): (u32, Rest<'b>),
        place: usize,
    ) -> Read<'b> {
        self.empty(place)?;
        let first = self.scratch.slots.len();
        let mut rest = rest;
        if tag == step.single {
            loop {
                let (slot, behind) = self.leaf(leaf, rest)?;
                self.scratch.slots.push(slot);
                rest = match same_tag(behind, step.single) {
                    Some(rest) => rest,
                    None => {
                        rest = behind;
                        break;
                    }
                };
            }
        } else {
            let (mut packed, behind) = length(rest)?;
            rest = behind;
            while !packed.is_empty() {
                let (slot, behind) = self.leaf(leaf, packed)?;
                self.scratch.slots.push(slot);
                packed = behind;
            }
        }
        if self.scratch.slots.len() > PROTO_VALUES_MAX {
            return None;
        }
        let len = narrow(self.scratch.slots.len() - first);
        let at = narrow(first);
        Some((Slot::Array { at, len }, rest))
    }

    fn messages<'b>(&mut self, index: u32, step: &Step, rest: Rest<'b>, place: usize) -> Read<'b> {
        self.empty(place)?;
        let base = self.scratch.stack.len();
        let mut rest = rest;
        loop {
            let (body, behind) = length(rest)?;
            let at = self.message(body, index)?;
            self.scratch.stack.push(Slot::Struct { at });
            rest = match same_tag(behind, step.tag) {
                Some(rest) => rest,
                None => {
                    rest = behind;
                    break;
                }
            };
        }
        let (at, len) = self.unstack(base);
        Some((Slot::Array { at, len }, rest))
    }

    /// Moves what was stacked since `base` to the slots.
    fn unstack(&mut self, base: usize) -> (u32, u32) {
        let Scratch { slots, stack, .. } = &mut *self.scratch;
        let at = narrow(slots.len());
        slots.extend(stack.drain(base..));
        (at, narrow(slots.len()) - at)
    }

    fn map<'b>(&mut self, index: u32, step: &Step, rest: Rest<'b>, place: usize) -> Read<'b> {
        self.empty(place)?;
        let plan = self.plan;
        let entry = plan.entries.get(index as usize)?;
        let base = self.scratch.stack.len();
        let mut rest = rest;
        loop {
            let (body, behind) = length(rest)?;
            self.entry(entry, body)?;
            rest = match same_tag(behind, step.tag) {
                Some(rest) => rest,
                None => {
                    rest = behind;
                    break;
                }
            };
        }
        if self.scratch.stack.len() > base + 2 {
            self.scratch.order_entries(base)?;
        }
        let (at, slots) = self.unstack(base);
        Some((Slot::Map { at, len: slots }, rest))
    }

    fn entry(&mut self, entry: &Entry, body: &[u8]) -> Option<()> {
        let (mut key, mut value, mut rest) = (None, None, body);
        while !rest.is_empty() {
            let (tag, behind) = tag(rest)?;
            let (part, found) = match tag {
                tag if tag == entry.key.tag => (&entry.key, &mut key),
                tag if tag == entry.value.tag => (&entry.value, &mut value),
                _ => return None,
            };
            if found.is_some() {
                return None;
            }
            let (slot, behind) = self.part(part, behind)?;
            *found = Some(slot);
            rest = behind;
        }
        let pair = [key.or(entry.key.absent)?, value.or(entry.value.absent)?];
        self.scratch.stack.extend(pair);
        Some(())
    }

    fn part<'b>(&mut self, part: &Part, rest: Rest<'b>) -> Read<'b> {
        match part.action {
            Action::Leaf(leaf) => self.leaf(leaf, rest),
            Action::Message(index) => {
                let (body, rest) = length(rest)?;
                let at = self.message(body, index)?;
                Some((Slot::Struct { at }, rest))
            }
            Action::Leaves(_) | Action::Messages(_) | Action::Map(_) | Action::Unusual => None,
        }
    }
}

impl Leaf {
    /// Whether it is a message, so that a second one is merged into the first.
    const fn is_message(self) -> bool {
        matches!(
            self,
            Self::Timestamp | Self::Date | Self::Time | Self::Decimal | Self::Wrapper(_)
        )
    }
}

/// The step of a tag that was not the expected one; nothing for a field that is not known, or of another wire type.
fn find(message: &Message, tag: u32) -> Option<usize> {
    let number = tag >> 3;
    let steps = &message.steps;
    let at = steps
        .binary_search_by_key(&number, |step| step.tag >> 3)
        .ok()?;
    let step = steps.get(at)?;
    (step.tag == tag || step.single == tag).then_some(at)
}

#[inline(always)]
fn tag(rest: Rest<'_>) -> Option<(u32, Rest<'_>)> {
    let (raw, rest) = varint(rest)?;
    let tag = u32::try_from(raw).ok()?;
    (tag >> 3 != 0).then_some((tag, rest))
}

/// What follows the same tag again.
#[inline(always)]
fn same_tag(rest: Rest<'_>, wanted: u32) -> Option<Rest<'_>> {
    let (tag, rest) = tag(rest)?;
    (tag == wanted).then_some(rest)
}

/// A field that is not known; groups are left to the definition.
fn skip(tag: u32, rest: Rest<'_>) -> Option<Rest<'_>> {
    match tag & 7 {
        0 => varint(rest).map(|(_, rest)| rest),
        1 => rest.get(8..),
        2 => length(rest).map(|(_, rest)| rest),
        5 => rest.get(4..),
        _ => None,
    }
}

#[inline(always)]
fn varint(rest: Rest<'_>) -> Option<(u64, Rest<'_>)> {
    match short_varint(rest) {
        Some(found) => Some(found),
        None => {
            let (raw, at) = varint_64(rest, 0)?;
            Some((raw, rest.get(at..)?))
        }
    }
}

#[inline(always)]
fn length(rest: Rest<'_>) -> Option<(Rest<'_>, Rest<'_>)> {
    let (len, rest) = varint(rest)?;
    rest.split_at_checked(usize::try_from(len).ok()?)
}

/// The numbers of a message whose fields 1 to N are varints, each at most once and in order.
#[inline(always)]
fn numbers<const N: usize>(body: Rest<'_>) -> Option<[i64; N]> {
    let mut found = [0; N];
    let mut rest = body;
    for (number, place) in (1u8..).zip(&mut found) {
        if let Some((first, behind)) = rest.split_first()
            && *first == number << 3
        {
            let (raw, behind) = varint(behind)?;
            *place = raw.cast_signed();
            rest = behind;
        }
    }
    rest.is_empty().then_some(found)
}

/// A number of 32 bits.
fn low(number: i64) -> i64 {
    low_32(number.cast_unsigned()).into()
}

#[expect(clippy::cast_possible_truncation, reason = "Java keeps the low bits")]
const fn low_32(raw: u64) -> i32 {
    (raw as u32).cast_signed()
}

/// Offsets in heaps: no record has more bytes than [`PROTO_FAST_BYTES_MAX`], nor more slots than [`PROTO_VALUES_MAX`].
#[expect(clippy::cast_possible_truncation, reason = "bounded, see above")]
const fn narrow(offset: usize) -> u32 {
    offset as u32
}

impl Scratch {
    fn clear(&mut self) {
        self.slots.clear();
        self.stack.clear();
        self.text.truncate(0);
        self.bytes.clear();
    }

    /// Gives memory back after a giant record.
    fn shrink(&mut self) {
        if self.slots.capacity() > KEPT_SLOTS_MAX || self.stack.capacity() > KEPT_SLOTS_MAX {
            self.slots = Vec::new();
            self.stack = Vec::new();
        }
        if self.text.capacity() > KEPT_BYTES_MAX || self.bytes.capacity() > KEPT_BYTES_MAX {
            self.text = TextHeap::default();
            self.bytes = Vec::new();
        }
        if self.hashes.capacity() > KEPT_SLOTS_MAX {
            self.hashes = Vec::new();
            self.order = Vec::new();
            self.entries = Vec::new();
        }
    }
}

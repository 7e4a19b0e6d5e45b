//! Keys of maps while they are read: which are equal, as `Object.equals` has it.
//!
//! Slots do not say how wide a struct is, so the plan is followed beside them.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "only nodes with parts are followed, and leaves compared"
)]

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Scratch;
use super::plan::{Branch, Node, Parts, Place};
use crate::data::record::Slot;

/// What keys are looked at through.
#[derive(Clone, Copy)]
pub(super) struct Keys<'a> {
    pub(super) scratch: &'a Scratch,
    pub(super) parts: &'a Parts,
}

/// What makes two values equal that have no parts.
#[derive(PartialEq, Eq, Hash)]
enum Bits<'a> {
    Null,
    Whole(u8, u64),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Decimal(i32, i64),
    BigDecimal(i32, &'a [u8]),
}

impl<'a> Keys<'a> {
    /// Keeps one entry of those with equal keys: the last value, at the place of the first. `place` is that of the keys;
    /// schemaless keys say themselves what they are.
    pub(super) fn drop_repeated(self, place: Option<Place>, entries: &mut Vec<[Slot; 2]>) {
        let mut kept: Vec<[Slot; 2]> = Vec::with_capacity(entries.len());
        let mut places: HashMap<u64, Vec<usize>> = HashMap::with_capacity(entries.len());
        for entry in &*entries {
            let alike = places.entry(self.hash(place, entry[0])).or_default();
            let first =
                (alike.iter().copied()).find(|known| self.equal(place, kept[*known][0], entry[0]));
            if let Some(first) = first {
                kept[first][1] = entry[1];
            } else {
                alike.push(kept.len());
                kept.push(*entry);
            }
        }
        *entries = kept;
    }

    fn equal(self, place: Option<Place>, a: Slot, b: Slot) -> bool {
        match (a, b) {
            (Slot::Array { at, len }, Slot::Array { at: other, len: n }) => {
                let item = self.item(place);
                let mine = self.slots(at, len).iter();
                len == n && (mine.zip(self.slots(other, n))).all(|(a, b)| self.equal(item, *a, *b))
            }
            (Slot::Map { at, len }, Slot::Map { at: other, len: n }) => {
                let (key, value) = self.entry(place);
                let equal = |a: &[Slot], b: &[Slot]| {
                    self.equal(key, a[0], b[0]) && self.equal(value, a[1], b[1])
                };
                let theirs = self.slots(other, n);
                len == n
                    && (self.slots(at, len).chunks_exact(2))
                        .all(|mine| theirs.chunks_exact(2).any(|their| equal(mine, their)))
            }
            (Slot::Struct { at }, Slot::Struct { at: other }) => {
                let fields = self.fields(place);
                let width = u32::try_from(fields.len()).unwrap_or_default();
                let both = self.slots(at, width).iter().zip(self.slots(other, width));
                both.zip(fields)
                    .all(|((a, b), place)| self.equal(place, *a, *b))
            }
            _ => (self.bits(a)).is_some_and(|bits| self.bits(b) == Some(bits)),
        }
    }

    fn hash(self, place: Option<Place>, slot: Slot) -> u64 {
        let mut hasher = DefaultHasher::new();
        match slot {
            Slot::Array { at, len } => {
                let item = self.item(place);
                for slot in self.slots(at, len) {
                    self.hash(item, *slot).hash(&mut hasher);
                }
            }
            Slot::Map { at, len } => {
                let (key, value) = self.entry(place);
                let entries = self.slots(at, len).chunks_exact(2).map(|entry| {
                    let mut hasher = DefaultHasher::new();
                    (self.hash(key, entry[0]), self.hash(value, entry[1])).hash(&mut hasher);
                    hasher.finish()
                });
                // In any order.
                entries.fold(0u64, u64::wrapping_add).hash(&mut hasher);
            }
            Slot::Struct { at } => {
                let fields = self.fields(place);
                let width = u32::try_from(fields.len()).unwrap_or_default();
                for (slot, place) in self.slots(at, width).iter().zip(fields) {
                    self.hash(place, *slot).hash(&mut hasher);
                }
            }
            leaf => self.bits(leaf).hash(&mut hasher),
        }
        hasher.finish()
    }

    fn item(self, place: Option<Place>) -> Option<Place> {
        match place?.node {
            Node::Array(items) => Some(self.parts.items.get(items).place),
            Node::Union(index) => self.plain(index).find_map(|place| self.item(Some(place))),
            _ => None,
        }
    }

    fn entry(self, place: Option<Place>) -> (Option<Place>, Option<Place>) {
        let items = match place.map(|place| place.node) {
            Some(Node::Map(items) | Node::Entries(items)) => self.parts.items.get(items),
            Some(Node::Union(index)) => {
                let entries = self.plain(index).map(|place| self.entry(Some(place)));
                let mut known = entries.filter(|(key, value)| key.or(*value).is_some());
                return known.next().unwrap_or_default();
            }
            _ => return (None, None),
        };
        match items.entry {
            Some(entry) => (Some(entry.key), Some(entry.value)),
            None => (None, Some(items.place)),
        }
    }

    /// Branches of a writer's union that the reader has as they are.
    fn plain(self, union: u32) -> impl Iterator<Item = Place> {
        let branches = self.parts.unions[union as usize].branches.iter();
        branches.filter_map(|branch| match branch {
            Branch::Plain(place) => Some(*place),
            Branch::Null | Branch::Field(..) => None,
        })
    }

    /// The places of a struct's fields.
    fn fields(self, place: Option<Place>) -> Vec<Option<Place>> {
        match place.map(|place| place.node) {
            Some(Node::Struct(index)) => {
                let plan = &self.parts.structs[index as usize];
                let mut fields = vec![None; plan.width];
                for step in &plan.steps {
                    if let Some(field) = fields.get_mut(step.target as usize) {
                        *field = Some(step.place);
                    }
                }
                fields
            }
            Some(Node::Union(index)) => {
                let plan = &self.parts.unions[index as usize];
                let mut fields = vec![None; plan.width];
                for branch in &plan.branches {
                    match branch {
                        Branch::Null => {}
                        Branch::Field(field, place) => fields[*field as usize] = Some(*place),
                        // A union of the writer's alone: each branch gives a value of the reader's one type.
                        Branch::Plain(place) => self.add_fields(*place, &mut fields),
                    }
                }
                fields
            }
            Some(Node::Tagged(index)) => {
                let (width, field, place) = self.parts.tagged[index as usize];
                let mut fields = vec![None; width];
                fields[field] = Some(place);
                fields
            }
            _ => Vec::new(),
        }
    }

    /// Adds what another plan knows of the fields of the same struct.
    fn add_fields(self, place: Place, fields: &mut Vec<Option<Place>>) {
        let more = self.fields(Some(place));
        fields.resize(fields.len().max(more.len()), None);
        for (field, place) in fields.iter_mut().zip(more) {
            *field = field.or(place);
        }
    }

    fn slots(self, at: u32, len: u32) -> &'a [Slot] {
        let start = at as usize;
        let slots = self.scratch.slots.get(start..start + len as usize);
        slots.unwrap_or_default()
    }

    fn bits(self, slot: Slot) -> Option<Bits<'a>> {
        let whole = |kind: u8, value: i64| Some(Bits::Whole(kind, value.cast_unsigned()));
        match slot {
            Slot::Null => Some(Bits::Null),
            Slot::Boolean(v) => whole(0, v.into()),
            Slot::Int8(v) => whole(1, v.into()),
            Slot::Int16(v) => whole(2, v.into()),
            Slot::Int32(v) => whole(3, v.into()),
            Slot::Int64(v) => whole(4, v),
            // All that are no number are equal in Java.
            Slot::Float32(v) => {
                let v = if v.is_nan() { f32::NAN } else { v };
                Some(Bits::Whole(5, v.to_bits().into()))
            }
            Slot::Float64(v) => {
                let v = if v.is_nan() { f64::NAN } else { v };
                Some(Bits::Whole(6, v.to_bits()))
            }
            Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v) => whole(7, v),
            Slot::Decimal { scale, unscaled } => Some(Bits::Decimal(scale, unscaled)),
            Slot::BigDecimal { scale, at, len } => {
                Some(Bits::BigDecimal(scale, self.scratch.bytes_at(at, len)))
            }
            Slot::Text { at, len } => Some(Bits::Text(self.scratch.text_at(at, len))),
            Slot::Bytes { at, len } => Some(Bits::Bytes(self.scratch.bytes_at(at, len))),
            Slot::Array { .. } | Slot::Map { .. } | Slot::Struct { .. } | Slot::Foreign { .. } => {
                None
            }
        }
    }
}

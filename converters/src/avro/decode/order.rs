//! The entries of a map: equal keys put together, and the order of `java.util.HashMap`.

use std::collections::HashMap;

use super::Scratch;
use super::keys::Keys;
use super::plan::Place;
use super::read::{Reader, narrow};
use crate::data::record::Slot;
use crate::data::{DecimalRef, Value, hash_order, utf8};

/// Buffers for ordering, so that a map costs no allocation.
#[derive(Debug, Default)]
pub(super) struct Work {
    entries: Vec<[Slot; 2]>,
    sorted: Vec<[Slot; 2]>,
    hashes: Vec<i32>,
    order: Vec<u32>,
}

impl Reader<'_> {
    /// Puts the entries on the stack from `base` on into the order of a `HashMap` made for `expected` entries; of equal
    /// keys the last value stays, at the place of the first. Schemaless keys have no place.
    pub(super) fn order_entries(&mut self, base: usize, expected: usize, key: Option<Place>) {
        let parts = &self.plan.parts;
        let scratch = &mut *self.scratch;
        if scratch.stack.len() - base <= 2 {
            return;
        }
        let mut work = Work::of(scratch, base);
        Keys { scratch, parts }.drop_repeated(key, &mut work.entries);
        work.order_by(expected, |key| java_hash(scratch, key));
        work.put_back(scratch, base);
    }

    /// As [`Self::order_entries`] for a map with text keys. Avro's reader collects them by their bytes first, which hash
    /// differently; malformed keys may become equal only then.
    pub(super) fn order_text_entries(&mut self, base: usize, raw_base: usize, expected: usize) {
        let scratch = &mut *self.scratch;
        if scratch.stack.len() - base <= 2 {
            scratch.raw_keys.truncate(raw_base);
            return;
        }
        let mut work = Work::of(scratch, base);
        if self.lossy {
            let raw: Vec<&[u8]> = (scratch.raw_keys[raw_base..].iter())
                .map(|(at, len)| range(self.bytes, *at, *len))
                .collect();
            // Slots of keys cannot say where the key lies in the body, so their numbers are sorted.
            let numbers = (0..).map(|number| [Slot::Int64(number); 2]);
            let numbers = numbers.take(raw.len()).collect();
            let entries = std::mem::replace(&mut work.entries, numbers);
            drop_repeated(&mut work.entries, &raw);
            work.order_by(expected, |key| utf8_hash(raw[number_of(key)]));
            for entry in &mut work.entries {
                *entry = [
                    entries[number_of(entry[0])][0],
                    entries[number_of(entry[1])][1],
                ];
            }
            scratch.raw_keys.truncate(raw_base);
        } else if !work.order_distinct(expected, scratch) {
            drop_repeated_text(scratch, &mut work.entries);
            work.order_by(expected, |key| utf8_hash(text(scratch, key)));
        }
        let size = work.entries.len();
        if self.lossy {
            drop_repeated_text(scratch, &mut work.entries);
        }
        work.order_by(size, |key| java_hash(scratch, key));
        work.put_back(scratch, base);
    }
}

impl Work {
    /// Takes the buffers, with the entries from `base` on.
    fn of(scratch: &mut Scratch, base: usize) -> Self {
        let mut work = std::mem::take(&mut scratch.work);
        work.entries.clear();
        let entries = scratch.stack[base..].chunks_exact(2);
        work.entries
            .extend(entries.map(|entry| [entry[0], entry[1]]));
        work
    }

    fn order_by(&mut self, expected: usize, hash: impl Fn(Slot) -> i32) {
        self.hashes.clear();
        self.hashes
            .extend(self.entries.iter().map(|[key, _]| hash(*key)));
        hash_order::presized_order(&self.hashes, expected, &mut self.order);
        self.sort();
    }

    /// Orders entries with text keys as Avro's reader has them; false, and nothing is moved, when two keys may be equal.
    fn order_distinct(&mut self, expected: usize, scratch: &Scratch) -> bool {
        let Self {
            entries,
            hashes,
            order,
            ..
        } = self;
        let key = |index: u32| text(scratch, entries[index as usize][0]);
        hashes.clear();
        hashes.extend(
            entries
                .iter()
                .map(|[key, _]| utf8_hash(text(scratch, *key))),
        );
        let buckets = hash_order::presized_order(hashes, expected, order);
        let same = |mine, other| key(mine) == key(other);
        if !hash_order::are_distinct(hashes, order, buckets, same) {
            return false;
        }
        self.sort();
        true
    }

    /// Brings the entries into the order that was found.
    fn sort(&mut self) {
        self.sorted.clear();
        let sorted = self.order.iter().map(|index| self.entries[*index as usize]);
        self.sorted.extend(sorted);
        std::mem::swap(&mut self.entries, &mut self.sorted);
    }

    fn put_back(self, scratch: &mut Scratch, base: usize) {
        scratch.stack.truncate(base);
        scratch.stack.extend(self.entries.iter().flatten());
        if self.entries.capacity() <= KEPT_ENTRIES_MAX {
            scratch.work = self;
        }
    }
}

/// Entries above which the buffers are given back.
const KEPT_ENTRIES_MAX: usize = 1 << 12;

fn number_of(slot: Slot) -> usize {
    let Slot::Int64(number) = slot else {
        return 0;
    };
    usize::try_from(number).unwrap_or_default()
}

#[cold]
fn drop_repeated_text(scratch: &Scratch, entries: &mut Vec<[Slot; 2]>) {
    let keys: Vec<&[u8]> = entries.iter().map(|[key, _]| text(scratch, *key)).collect();
    drop_repeated(entries, &keys);
}

/// Keeps one entry of those with equal keys: the last value, at the place of the first.
fn drop_repeated(entries: &mut Vec<[Slot; 2]>, keys: &[&[u8]]) {
    let mut kept: Vec<[Slot; 2]> = Vec::with_capacity(entries.len());
    let mut places = HashMap::with_capacity(entries.len());
    for (entry, key) in entries.iter().zip(keys) {
        match *places.entry(key).or_insert(kept.len()) {
            first if first < kept.len() => kept[first][1] = entry[1],
            _ => kept.push(*entry),
        }
    }
    *entries = kept;
}

fn text(scratch: &Scratch, key: Slot) -> &[u8] {
    let Slot::Text { at, len } = key else {
        return &[];
    };
    scratch.text_at(at, len)
}

fn range(heap: &[u8], at: u32, len: u32) -> &[u8] {
    let start = at as usize;
    heap.get(start..start + len as usize).unwrap_or_default()
}

impl Scratch {
    pub(super) fn text_at(&self, at: u32, len: u32) -> &[u8] {
        range(self.text.as_bytes(), at, len)
    }

    pub(super) fn bytes_at(&self, at: u32, len: u32) -> &[u8] {
        range(&self.bytes, at, len)
    }
}

/// `org.apache.avro.util.Utf8.hashCode`.
fn utf8_hash(text: &[u8]) -> i32 {
    text.iter().fold(1i32, |hash, byte| {
        hash.wrapping_mul(31)
            .wrapping_add(i32::from(byte.cast_signed()))
    })
}

/// `Object.hashCode` of a key; 0 where Java's depends on identity, so that such keys keep their order.
fn java_hash(scratch: &Scratch, key: Slot) -> i32 {
    let value = match key {
        Slot::Text { .. } => return hash_order::string_hash(&utf8::decode(text(scratch, key))),
        Slot::Bytes { at, len } => {
            // `ByteBuffer.hashCode`, from the last byte to the first.
            let bytes = range(&scratch.bytes, at, len).iter().rev();
            return bytes.fold(1i32, |hash, byte| {
                hash.wrapping_mul(31)
                    .wrapping_add(i32::from(byte.cast_signed()))
            });
        }
        Slot::BigDecimal { scale, at, len } => Value::Decimal(DecimalRef::from_be_bytes(
            range(&scratch.bytes, at, len),
            scale,
        )),
        Slot::Decimal { scale, unscaled } => Value::Decimal(DecimalRef::small(unscaled, scale)),
        Slot::Null => Value::Null,
        Slot::Boolean(v) => Value::Boolean(v),
        Slot::Int8(v) => Value::Int8(v),
        Slot::Int16(v) => Value::Int16(v),
        Slot::Int32(v) => Value::Int32(v),
        Slot::Int64(v) => Value::Int64(v),
        Slot::Float32(v) => Value::Float32(v),
        Slot::Float64(v) => Value::Float64(v),
        Slot::Date(v) => Value::Date(v),
        Slot::Time(v) => Value::Time(v),
        Slot::Timestamp(v) => Value::Timestamp(v),
        Slot::Array { .. } | Slot::Map { .. } | Slot::Struct { .. } | Slot::Foreign { .. } => {
            return 0;
        }
    };
    hash_order::value_hash(value).unwrap_or_default()
}

/// A datum's value, copied into the slots of the record that is being read.
pub(super) fn copied(reader: &mut Reader<'_>, value: Value<'_>) -> Slot {
    let scratch = &mut *reader.scratch;
    match value {
        Value::Null => Slot::Null,
        Value::Boolean(v) => Slot::Boolean(v),
        Value::Int8(v) => Slot::Int8(v),
        Value::Int16(v) => Slot::Int16(v),
        Value::Int32(v) => Slot::Int32(v),
        Value::Int64(v) => Slot::Int64(v),
        Value::Float32(v) => Slot::Float32(v),
        Value::Float64(v) => Slot::Float64(v),
        Value::Date(v) => Slot::Date(v),
        Value::Time(v) => Slot::Time(v),
        Value::Timestamp(v) => Slot::Timestamp(v),
        Value::Decimal(v) => match v.unscaled() {
            crate::data::UnscaledRef::Small(unscaled) => Slot::Decimal {
                scale: v.scale(),
                unscaled,
            },
            crate::data::UnscaledRef::Big(big) => {
                let at = narrow(scratch.bytes.len());
                scratch.bytes.extend_from_slice(big);
                Slot::BigDecimal {
                    scale: v.scale(),
                    at,
                    len: narrow(big.len()),
                }
            }
        },
        Value::String(v) => {
            let at = narrow(scratch.text.len());
            scratch.text.push(v.as_bytes());
            Slot::Text {
                at,
                len: narrow(v.len()),
            }
        }
        Value::Bytes(v) => {
            let at = narrow(scratch.bytes.len());
            scratch.bytes.extend_from_slice(v);
            Slot::Bytes {
                at,
                len: narrow(v.len()),
            }
        }
        Value::Array(v) => {
            let (at, len) = settled(reader, v.iter());
            Slot::Array { at, len }
        }
        Value::Map(v) => {
            let (at, len) = settled(reader, v.iter().flat_map(|(key, value)| [key, value]));
            Slot::Map { at, len }
        }
        Value::Struct(v) => {
            let (at, _) = settled(reader, v.values());
            Slot::Struct { at }
        }
    }
}

fn settled<'v>(reader: &mut Reader<'_>, values: impl Iterator<Item = Value<'v>>) -> (u32, u32) {
    let base = reader.scratch.stack.len();
    for value in values {
        let slot = copied(reader, value);
        reader.scratch.stack.push(slot);
    }
    reader.settle(base)
}

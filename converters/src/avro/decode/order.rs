//! The entries of a map: equal keys put together, and the order of `java.util.HashMap`.

use std::collections::HashMap;

use super::Scratch;
use super::read::{Reader, narrow};
use crate::data::record::Slot;
use crate::data::{DecimalRef, Value, hash_order, utf8};

/// What makes two keys equal. Containers are not compared.
#[derive(PartialEq, Eq, Hash)]
enum KeyBits {
    Null,
    Bits(u8, u64),
    /// A range of the text heap, by its bytes.
    Text(Box<[u8]>),
    Bytes(Box<[u8]>),
    Decimal(i32, Box<[u8]>),
}

/// Above this many entries equal keys are looked for by hash.
const LINEAR_ENTRIES_MAX: usize = 16;

impl Reader<'_> {
    /// Puts the entries on the stack from `base` on into the order of a `HashMap` made for `expected` entries; of equal
    /// keys the last value stays, at the place of the first.
    pub(super) fn order_entries(&mut self, base: usize, expected: usize, text_keys: bool) {
        let scratch = &mut *self.scratch;
        if scratch.stack.len() - base <= 2 {
            return;
        }
        drop_repeated(scratch, base);
        let mut entries: Vec<[Slot; 2]> = (scratch.stack[base..].chunks_exact(2))
            .map(|entry| [entry[0], entry[1]])
            .collect();
        let mut order = Vec::new();
        if text_keys {
            // Avro's reader collects them under its own class of text first, which hashes differently.
            let hashes = hashes(&entries, |key| utf8_hash(text(scratch, key)));
            hash_order::presized_order(&hashes, expected, &mut order);
            entries = order.iter().map(|index| entries[*index as usize]).collect();
        }
        let hashes = hashes(&entries, |key| java_hash(scratch, key));
        let size = if text_keys { entries.len() } else { expected };
        hash_order::presized_order(&hashes, size, &mut order);
        scratch.stack.truncate(base);
        for index in order {
            scratch.stack.extend(entries[index as usize]);
        }
    }
}

fn hashes(entries: &[[Slot; 2]], hash: impl Fn(Slot) -> i32) -> Vec<i32> {
    entries.iter().map(|[key, _]| hash(*key)).collect()
}

fn drop_repeated(scratch: &mut Scratch, base: usize) {
    let entries = &scratch.stack[base..];
    let repeated = if entries.len() / 2 <= LINEAR_ENTRIES_MAX {
        let mut keys = entries.iter().step_by(2).enumerate();
        keys.any(|(number, key)| {
            (entries.iter().step_by(2).take(number)).any(|other| same_key(scratch, *key, *other))
        })
    } else {
        let mut seen = std::collections::HashSet::new();
        (entries.iter().step_by(2))
            .filter_map(|key| key_bits(scratch, *key))
            .any(|key| !seen.insert(key))
    };
    if !repeated {
        return;
    }
    let mut kept: Vec<[Slot; 2]> = Vec::new();
    let mut places = HashMap::new();
    for entry in entries.chunks_exact(2) {
        let next = kept.len();
        let place = key_bits(scratch, entry[0]).map(|key| *places.entry(key).or_insert(next));
        match place {
            Some(first) if first < next => kept[first][1] = entry[1],
            Some(_) | None => kept.push([entry[0], entry[1]]),
        }
    }
    scratch.stack.truncate(base);
    scratch.stack.extend(kept.into_iter().flatten());
}

fn same_key(scratch: &Scratch, a: Slot, b: Slot) -> bool {
    if let (Slot::Text { .. }, Slot::Text { .. }) = (a, b) {
        return text(scratch, a) == text(scratch, b);
    }
    matches!((key_bits(scratch, a), key_bits(scratch, b)), (Some(a), Some(b)) if a == b)
}

fn key_bits(scratch: &Scratch, key: Slot) -> Option<KeyBits> {
    let whole = |kind: u8, value: i64| Some(KeyBits::Bits(kind, value.cast_unsigned()));
    match key {
        Slot::Null => Some(KeyBits::Null),
        Slot::Boolean(v) => whole(0, v.into()),
        Slot::Int8(v) => whole(1, v.into()),
        Slot::Int16(v) => whole(2, v.into()),
        Slot::Int32(v) => whole(3, v.into()),
        Slot::Int64(v) => whole(4, v),
        // All that are no number are equal in Java.
        Slot::Float32(v) => Some(KeyBits::Bits(
            5,
            if v.is_nan() { f32::NAN } else { v }.to_bits().into(),
        )),
        Slot::Float64(v) => Some(KeyBits::Bits(
            6,
            if v.is_nan() { f64::NAN } else { v }.to_bits(),
        )),
        Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v) => whole(7, v),
        Slot::Decimal { scale, unscaled } => {
            Some(KeyBits::Decimal(scale, unscaled.to_be_bytes().into()))
        }
        Slot::BigDecimal { scale, at, len } => Some(KeyBits::Decimal(
            scale,
            range(&scratch.bytes, at, len).into(),
        )),
        Slot::Text { .. } => Some(KeyBits::Text(text(scratch, key).into())),
        Slot::Bytes { at, len } => Some(KeyBits::Bytes(range(&scratch.bytes, at, len).into())),
        Slot::Array { .. } | Slot::Map { .. } | Slot::Struct { .. } | Slot::Foreign { .. } => None,
    }
}

fn text(scratch: &Scratch, key: Slot) -> &[u8] {
    let Slot::Text { at, len } = key else {
        return &[];
    };
    range(&scratch.text, at, len)
}

fn range(heap: &[u8], at: u32, len: u32) -> &[u8] {
    let start = at as usize;
    heap.get(start..start + len as usize).unwrap_or_default()
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
            scratch.text.extend_from_slice(v.as_bytes());
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

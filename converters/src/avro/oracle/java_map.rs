//! `java.util.HashMap` as it is written in its documentation: an array of buckets that doubles.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "only containers are told apart from the rest"
)]

use std::borrow::Cow;

use super::Tree;
use crate::data::{SchemaAndValue, Value, hash_order, utf8};

struct JavaMap<K, V> {
    buckets: Vec<Vec<(i32, K, V)>>,
    threshold: usize,
    size: usize,
}

impl<K, V> JavaMap<K, V> {
    /// `new HashMap<>(capacity)`
    fn new(capacity: usize) -> Self {
        let buckets = capacity.max(1).next_power_of_two();
        Self {
            buckets: empty(buckets),
            threshold: buckets * 3 / 4,
            size: 0,
        }
    }

    fn put(&mut self, hash: i32, key: K, value: V, equal: impl Fn(&K, &K) -> bool) {
        let bucket = self.bucket(hash);
        let chain = &mut self.buckets[bucket];
        if let Some((_, _, old)) = chain
            .iter_mut()
            .find(|(h, k, _)| *h == hash && equal(k, &key))
        {
            *old = value;
            return;
        }
        chain.push((hash, key, value));
        self.size += 1;
        while self.size > self.threshold {
            let doubled = empty(self.buckets.len() * 2);
            let old = std::mem::replace(&mut self.buckets, doubled);
            self.threshold = self.buckets.len() * 3 / 4;
            for entry in old.into_iter().flatten() {
                let bucket = self.bucket(entry.0);
                self.buckets[bucket].push(entry);
            }
        }
    }

    fn bucket(&self, hash: i32) -> usize {
        let hash = hash.cast_unsigned();
        (hash ^ (hash >> 16)) as usize & (self.buckets.len() - 1)
    }

    fn into_entries(self) -> impl Iterator<Item = (K, V)> {
        (self.buckets.into_iter().flatten()).map(|(_, key, value)| (key, value))
    }
}

fn empty<T>(buckets: usize) -> Vec<Vec<T>> {
    std::iter::repeat_with(Vec::new).take(buckets).collect()
}

/// Avro's reader puts entries into a map of its own class of text, AvroData then into one of strings.
pub(super) fn text_map<'t>(
    entries: &'t [(Vec<u8>, Tree)],
    first_block: usize,
) -> Vec<(Cow<'t, str>, &'t Tree)> {
    let mut read = JavaMap::new(first_block.min(entries.len()));
    for (key, value) in entries {
        let hash = key.iter().fold(1i32, |hash, byte| {
            hash.wrapping_mul(31)
                .wrapping_add(byte.cast_signed().into())
        });
        read.put(hash, key, value, |a, b| a == b);
    }
    let size = read.size;
    let mut result = JavaMap::new(size);
    for (key, value) in read.into_entries() {
        let key = utf8::decode(key);
        let hash = hash_order::string_hash(&key);
        result.put(hash, key, value, |a, b| a == b);
    }
    result.into_entries().collect()
}

/// A map of any keys. The hash of a container is taken for 0: Java's depends on where objects lie.
pub(super) fn any_map(
    list: Vec<(SchemaAndValue, SchemaAndValue)>,
) -> Vec<(SchemaAndValue, SchemaAndValue)> {
    let mut map = JavaMap::new(list.len());
    for (key, value) in list {
        let hash = match key.value() {
            Value::Array(_) | Value::Map(_) | Value::Struct(_) => 0,
            Value::Bytes(bytes) => bytes.iter().rev().fold(1i32, |hash, byte| {
                hash.wrapping_mul(31)
                    .wrapping_add(byte.cast_signed().into())
            }),
            other => hash_order::value_hash(other).unwrap_or_default(),
        };
        map.put(hash, key, value, |a, b| a.value() == b.value());
    }
    map.into_entries().collect()
}

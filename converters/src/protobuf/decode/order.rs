//! The order of a map's entries, which is that of Java's `HashMap`.

use super::fast::Scratch;
use crate::data::hash_order::{bucket, iteration_order, string_hash};
use crate::data::record::Slot;
use crate::plan::TextHeap;

/// Keys in one bucket that are compared with each other; more are left to the definition.
const BUCKET_KEYS_MAX: usize = 16;

impl Scratch {
    /// Brings the entries since `base` into the order of a `HashMap`; nothing when two keys may be one.
    pub(super) fn order_entries(&mut self, base: usize) -> Option<()> {
        let Self {
            stack,
            text,
            hashes,
            order,
            entries,
            ..
        } = self;
        let list = stack.get(base..)?;
        hashes.clear();
        for pair in list.chunks_exact(2) {
            hashes.push(hash(*pair.first()?, text)?);
        }
        iteration_order(hashes, order);
        let buckets = table(hashes.len());
        let key = |at: u32| list.get(2 * at as usize).copied();
        for (place, mine) in order.iter().enumerate() {
            let mine_hash = *hashes.get(*mine as usize)?;
            let before = order.get(..place)?.iter().rev();
            let home = bucket(mine_hash, buckets);
            for (met, other) in before.enumerate() {
                let other_hash = *hashes.get(*other as usize)?;
                if bucket(other_hash, buckets) != home {
                    break;
                }
                let alike = other_hash == mine_hash && same(key(*mine)?, key(*other)?, text);
                if met >= BUCKET_KEYS_MAX || alike {
                    return None;
                }
            }
        }
        entries.clear();
        for at in order.iter() {
            entries.extend(list.get(2 * *at as usize..)?.first_chunk::<2>()?);
        }
        stack.truncate(base);
        stack.append(entries);
        Some(())
    }
}

/// Buckets of a `HashMap` with so many entries that were put in one by one.
const fn table(entries: usize) -> u32 {
    let mut buckets = 16u32;
    while entries > buckets as usize / 4 * 3 {
        buckets *= 2;
    }
    buckets
}

/// The hash of a key; nothing for keys that the definition compares.
fn hash(key: Slot, text: &TextHeap) -> Option<i32> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "few slots are keys here")]
    match key {
        Slot::Text { .. } => Some(string_hash(piece(key, text)?)),
        Slot::Int32(number) => Some(number),
        Slot::Int64(number) => Some(fold(number)),
        Slot::Boolean(flag) => Some(if flag { 1231 } else { 1237 }),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "Java's Long.hashCode")]
const fn fold(number: i64) -> i32 {
    (number ^ (number.cast_unsigned() >> 32).cast_signed()) as i32
}

fn same(a: Slot, b: Slot, text: &TextHeap) -> bool {
    match (a, b) {
        (Slot::Text { .. }, Slot::Text { .. }) => piece(a, text) == piece(b, text),
        (Slot::Int32(a), Slot::Int32(b)) => a == b,
        (Slot::Int64(a), Slot::Int64(b)) => a == b,
        (Slot::Boolean(a), Slot::Boolean(b)) => a == b,
        _ => true,
    }
}

fn piece(slot: Slot, text: &TextHeap) -> Option<&str> {
    let Slot::Text { at, len } = slot else {
        return None;
    };
    let bytes = text.as_bytes().get(at as usize..)?.get(..len as usize)?;
    std::str::from_utf8(bytes).ok()
}

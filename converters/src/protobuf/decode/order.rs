//! The order of a map's entries, which is that of Java's `HashMap`.

use super::fast::Scratch;
use crate::data::Value;
use crate::data::hash_order::{are_distinct, iteration_order, value_hash};
use crate::data::record::Slot;
use crate::plan::TextHeap;

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
        let buckets = iteration_order(hashes, order);
        let key = |at: u32| list[2 * at as usize];
        if !are_distinct(hashes, order, buckets, |a, b| same(key(a), key(b), text)) {
            return None;
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

/// The hash of a key; nothing for keys that the definition compares.
fn hash(key: Slot, text: &TextHeap) -> Option<i32> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "few slots are keys here")]
    let key = match key {
        Slot::Text { .. } => Value::String(piece(key, text)?),
        Slot::Int32(number) => Value::Int32(number),
        Slot::Int64(number) => Value::Int64(number),
        Slot::Boolean(flag) => Value::Boolean(flag),
        _ => return None,
    };
    value_hash(key)
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

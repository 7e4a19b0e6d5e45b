//! Lengths in front of what they count.
//!
//! A message is written behind one byte for its length. A length that needs more is noted, and put in place when the record is copied
//! from the buffer to where it belongs: no message is measured first, and none is moved twice.

use super::small::varint;

/// Lengths of one record that need more than one byte.
#[derive(Debug, Default)]
pub(super) struct Widening {
    noted: Vec<Wide>,
    /// How many bytes they need more, all together.
    more: usize,
}

#[derive(Clone, Copy, Debug)]
struct Wide {
    /// Where the byte for it lies.
    at: usize,
    bytes: u128,
    len: usize,
}

/// A length that is not known yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    at: usize,
    more: usize,
}

impl Open {
    /// Where what it counts begins.
    #[inline]
    pub(super) const fn behind(self) -> usize {
        self.at + 1
    }
}

impl Widening {
    /// Forgets the record before.
    #[inline]
    pub(super) fn begin(&mut self) {
        if self.more > 0 {
            self.noted.clear();
            self.more = 0;
        }
    }

    /// Leaves a byte for a length.
    #[inline]
    pub(super) const fn open(&self, at: usize) -> Open {
        Open {
            at,
            more: self.more,
        }
    }

    /// Says where what is counted ends, which is the end of it all.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "checked")]
    pub(super) fn close(&mut self, open: Open, buffer: &mut [u8], end: usize) -> usize {
        let inner = self.more - open.more;
        let len = end - open.behind() + inner;
        if len >= 0x80 {
            self.note(open.at, len);
        } else if let Some(place) = buffer.get_mut(open.at) {
            *place = len as u8;
        }
        end
    }

    #[cold]
    fn note(&mut self, at: usize, value: usize) {
        let (bytes, len) = varint(value as u64);
        let len = len as usize;
        self.noted.push(Wide { at, bytes, len });
        self.more += len - 1;
    }

    /// Appends a record with its lengths in place.
    #[inline]
    pub(super) fn copy(&mut self, record: &[u8], out: &mut Vec<u8>) {
        if self.more == 0 {
            out.extend_from_slice(record);
        } else {
            self.widen(record, out);
        }
    }

    #[inline(never)]
    fn widen(&mut self, record: &[u8], out: &mut Vec<u8>) {
        // Inner ones were closed first.
        self.noted.sort_unstable_by_key(|wide| wide.at);
        out.reserve(record.len() + self.more);
        let mut from = 0;
        for wide in &self.noted {
            out.extend_from_slice(record.get(from..wide.at).unwrap_or_default());
            let bytes = wide.bytes.to_le_bytes();
            out.extend_from_slice(bytes.get(..wide.len).unwrap_or_default());
            from = wide.at + 1;
        }
        out.extend_from_slice(record.get(from..).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes with messages in them.
    #[derive(Clone, Debug)]
    enum Part {
        Bytes(usize),
        Message(Vec<Self>),
    }

    fn parts() -> impl Strategy<Value = Vec<Part>> {
        let leaf = prop_oneof![0usize..9, 100usize..140, 16_000usize..17_000].prop_map(Part::Bytes);
        let part = leaf.prop_recursive(6, 40, 5, |inner| {
            prop::collection::vec(inner, 0..5).prop_map(Part::Message)
        });
        prop::collection::vec(part, 0..5)
    }

    fn measured(parts: &[Part], out: &mut Vec<u8>) {
        for part in parts {
            match part {
                Part::Bytes(len) => out.resize(out.len() + len, 0xee),
                Part::Message(parts) => {
                    let mut inner = Vec::new();
                    measured(parts, &mut inner);
                    crate::wire::write_u64(out, inner.len() as u64);
                    out.extend(inner);
                }
            }
        }
    }

    fn widened(parts: &[Part], widening: &mut Widening, buffer: &mut Vec<u8>) {
        for part in parts {
            match part {
                Part::Bytes(len) => buffer.resize(buffer.len() + len, 0xee),
                Part::Message(parts) => {
                    let open = widening.open(buffer.len());
                    buffer.push(0);
                    widened(parts, widening, buffer);
                    let end = buffer.len();
                    assert_eq!(widening.close(open, buffer, end), end);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn lengths_are_those_of_what_follows(records in prop::collection::vec(parts(), 1..3)) {
            let mut widening = Widening::default();
            for parts in records {
                let (mut ours, mut plain) = (vec![7, 7], vec![7, 7]);
                measured(&parts, &mut plain);
                widening.begin();
                let mut buffer = Vec::new();
                widened(&parts, &mut widening, &mut buffer);
                widening.copy(&buffer, &mut ours);
                prop_assert!(ours == plain);
            }
        }
    }
}

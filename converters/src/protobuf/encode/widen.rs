//! Lengths in front of what they count.
//!
//! A message is written behind one byte for its length. A length that needs more is noted, and when the record is done, all
//! that is noted is put in place in one move from the end to the front: no message is measured first, and none is moved twice.

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

impl Widening {
    /// Forgets the record before.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.noted.clear();
        self.more = 0;
    }

    /// Leaves a byte for a length.
    #[inline]
    pub(super) fn open(&self, out: &mut Vec<u8>) -> Open {
        let at = out.len();
        out.push(0);
        Open {
            at,
            more: self.more,
        }
    }

    /// Says how long it became.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "checked")]
    pub(super) fn close(&mut self, open: Open, out: &mut [u8]) {
        let inner = self.more - open.more;
        let len = out.len() - open.at - 1 + inner;
        if len < 0x80
            && let Some(place) = out.get_mut(open.at)
        {
            *place = len as u8;
        } else {
            self.note(open.at, len);
        }
    }

    #[cold]
    fn note(&mut self, at: usize, value: usize) {
        let (bytes, len) = varint(value as u64);
        let len = len as usize;
        self.noted.push(Wide { at, bytes, len });
        self.more += len - 1;
    }

    /// Puts the lengths in place.
    #[inline]
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.noted.is_empty() {
            self.widen(out);
        }
    }

    #[cold]
    fn widen(&mut self, out: &mut Vec<u8>) {
        // Inner ones were closed first.
        self.noted.sort_unstable_by_key(|wide| wide.at);
        let mut from = out.len();
        let mut to = from + self.more;
        out.resize(to, 0);
        for wide in self.noted.iter().rev() {
            let behind = wide.at + 1;
            to -= from - behind;
            out.copy_within(behind..from, to);
            to -= wide.len;
            let bytes = wide.bytes.to_le_bytes();
            if let (Some(place), Some(bytes)) =
                (out.get_mut(to..to + wide.len), bytes.get(..wide.len))
            {
                place.copy_from_slice(bytes);
            }
            from = wide.at;
        }
        debug_assert_eq!(from, to, "what lies in front stays where it is");
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
        Message(Vec<Part>),
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

    fn widened(parts: &[Part], widening: &mut Widening, out: &mut Vec<u8>) {
        for part in parts {
            match part {
                Part::Bytes(len) => out.resize(out.len() + len, 0xee),
                Part::Message(parts) => {
                    let open = widening.open(out);
                    widened(parts, widening, out);
                    widening.close(open, out);
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
                widened(&parts, &mut widening, &mut ours);
                widening.finish(&mut ours);
                prop_assert!(ours == plain);
            }
        }
    }
}

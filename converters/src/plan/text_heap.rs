//! The text of a record while it is read.

use crate::wire::SHORT;

/// Text behind text. The buffer is longer than what is in it, so that a piece of up to [`ROOM`] bytes is put down in moves
/// of a fixed length.
#[derive(Debug, Default)]
pub(crate) struct TextHeap {
    /// The text, and bytes without a meaning behind it.
    buffer: Vec<u8>,
    len: usize,
}

/// Bytes that are free behind the text once anything was pushed.
const ROOM: usize = 2 * SHORT;

/// Size of the first buffer in bytes.
const BYTES_MIN: usize = 1 << 10;

impl TextHeap {
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Bytes of the buffer.
    pub(crate) const fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_default()
    }

    /// Forgets text; the buffer stays.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends a piece of any length.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        let end = self.len + piece.len();
        let wanted = end + ROOM;
        if self.buffer.len() < wanted {
            let grown = (2 * self.buffer.len()).max(wanted).max(BYTES_MIN);
            self.buffer.resize(grown, 0);
        }
        if let Some(place) = self.buffer.get_mut(self.len..end) {
            place.copy_from_slice(piece);
            self.len = end;
        }
    }

    /// Appends the first `len` bytes of what is left of a body: a short piece in one move of a fixed length.
    #[inline(always)]
    pub(crate) fn push_first(&mut self, rest: &[u8], len: usize) -> Option<()> {
        let (at, end) = (self.len, self.len + len);
        if len <= SHORT
            && let Some(chunk) = rest.first_chunk::<SHORT>()
            && let Some(place) = self.buffer.get_mut(at..)
            && let Some(place) = place.first_chunk_mut::<SHORT>()
        {
            *place = *chunk;
            self.len = end;
            return Some(());
        }
        self.push(rest.get(..len)?);
        Some(())
    }

    /// The buffer and the end of the text in it, for one who appends short pieces.
    #[inline(always)]
    pub(crate) fn parts(&mut self) -> (&mut [u8], usize) {
        (&mut self.buffer, self.len)
    }

    /// Text ends there now: the buffer was filled up to it.
    #[inline(always)]
    pub(crate) fn filled(&mut self, end: usize) {
        debug_assert!(end <= self.buffer.len(), "text ends in its buffer");
        self.len = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_holds_what_was_pushed(pieces: Vec<Vec<u8>>, keep: usize) {
            let (mut heap, mut plain) = (TextHeap::default(), Vec::new());
            for piece in &pieces {
                heap.push(piece);
                plain.extend_from_slice(piece);
                let (buffer, end) = heap.parts();
                prop_assert!(buffer.len() - end >= ROOM);
            }
            prop_assert_eq!(heap.as_bytes(), &plain[..]);
            heap.truncate(keep);
            plain.truncate(keep);
            prop_assert_eq!(heap.as_bytes(), &plain[..]);
        }
    }
}

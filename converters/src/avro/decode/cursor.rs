//! The fast path: leaves as they are met most often.
//!
//! It words no error and changes nothing it does not finish. Whatever is unusual (parts, long text, the last bytes of a body,
//! bytes that are wrong) it leaves to the [`Reader`], which reads the same field again from its first byte. So there are two
//! ways to read a leaf, and a test holds them against each other.

use super::Scratch;
use super::plan::{Leaf, Null, Quick};
use super::read::{Reader, narrow};
use crate::data::logical;
use crate::data::record::Slot;
use crate::limits::VARINT_32_BYTES_MAX;
use crate::plan::TextHeap;
use crate::plan::varint::{short_varint, unfold_32, unfold_64};
use crate::wire::SHORT;

/// What is left of a body.
type Rest<'a> = &'a [u8];

/// The text of the record so far.
struct Text<'a> {
    buffer: &'a mut [u8],
    end: usize,
}

impl<'a> Text<'a> {
    #[inline(always)]
    fn of(heap: &'a mut TextHeap) -> Self {
        let (buffer, end) = heap.parts();
        Self { buffer, end }
    }

    /// Reads text whose length takes one byte.
    #[inline(always)]
    fn read<'b>(&mut self, rest: Rest<'b>) -> Option<(Slot, Rest<'b>)> {
        let (len, tail) = short_length(rest)?;
        let at = self.end;
        let room = self.buffer.get_mut(at..)?;
        match (tail.first_chunk::<SHORT>(), room.first_chunk_mut::<SHORT>()) {
            (Some(chunk), Some(room)) if len <= SHORT => *room = *chunk,
            _ => copy(tail, room, len)?,
        }
        let rest = tail.get(len..)?;
        self.end = at + len;
        let (at, len) = (narrow(at), narrow(len));
        Some((Slot::Text { at, len }, rest))
    }
}

/// Where values go.
struct Slots<'a> {
    slots: &'a mut Vec<Slot>,
    stack: &'a mut Vec<Slot>,
}

impl Quick {
    /// Reads a value that may be null.
    #[inline(always)]
    fn read<'a>(self, rest: Rest<'a>, text: &mut Text<'_>) -> Option<(Slot, Rest<'a>)> {
        if self.null == Null::Never {
            return self.leaf.read(rest, text);
        }
        let (branch, rest) = rest.split_first()?;
        let second = match branch {
            0 => false,
            2 => true,
            _ => return None,
        };
        if second == (self.null == Null::Second) {
            return Some((Slot::Null, rest));
        }
        self.leaf.read(rest, text)
    }
}

impl Leaf {
    #[inline(always)]
    fn read<'a>(self, rest: Rest<'a>, text: &mut Text<'_>) -> Option<(Slot, Rest<'a>)> {
        match self {
            Self::Text => text.read(rest),
            Self::Int64 => long(rest).map(|(v, rest)| (Slot::Int64(v), rest)),
            Self::Timestamp => long(rest).map(|(v, rest)| (Slot::Timestamp(v), rest)),
            Self::Int32 => int(rest).map(|(v, rest)| (Slot::Int32(v), rest)),
            Self::Date => int(rest).map(|(v, rest)| (Slot::Date(logical::date_from_days(v)), rest)),
            Self::Float64 => {
                let (bits, rest) = rest.split_first_chunk()?;
                Some((Slot::Float64(f64::from_le_bytes(*bits)), rest))
            }
            Self::Float32 => {
                let (bits, rest) = rest.split_first_chunk()?;
                Some((Slot::Float32(f32::from_le_bytes(*bits)), rest))
            }
            Self::Boolean => {
                // Java: 1 is true, anything else is false.
                let (byte, rest) = rest.split_first()?;
                Some((Slot::Boolean(*byte == 1), rest))
            }
            Self::Decimal { scale } => {
                let (len, tail) = short_length(rest)?;
                let unscaled = short_number(tail, len)?;
                Some((Slot::Decimal { scale, unscaled }, tail.get(len..)?))
            }
            Self::Other => None,
        }
    }
}

/// A length of one byte, and what follows it.
#[inline(always)]
fn short_length(rest: Rest<'_>) -> Option<(usize, Rest<'_>)> {
    let (first, tail) = rest.split_first()?;
    // The lowest bit is the sign; the highest says that more bytes follow.
    (first & 0x81 == 0).then_some((usize::from(first >> 1), tail))
}

/// A number in one to eight bytes, the most significant one first, of which eight are there to be taken.
#[inline(always)]
fn short_number(tail: &[u8], len: usize) -> Option<i64> {
    let eight = tail.first_chunk::<8>()?;
    (1..=8)
        .contains(&len)
        .then(|| i64::from_be_bytes(*eight) >> (64 - 8 * len))
}

#[inline(always)]
fn long(rest: Rest<'_>) -> Option<(i64, Rest<'_>)> {
    let (value, rest) = short_varint(rest)?;
    Some((unfold_64(value), rest))
}

#[inline(always)]
fn int(rest: Rest<'_>) -> Option<(i32, Rest<'_>)> {
    let (value, behind) = short_varint(rest)?;
    if rest.len() - behind.len() > VARINT_32_BYTES_MAX {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "Java drops bits beyond the width"
    )]
    Some((unfold_32(value as u32), behind))
}

/// The end of a body, and text of more than one move.
#[inline(never)]
fn copy(from: &[u8], to: &mut [u8], len: usize) -> Option<()> {
    to.get_mut(..len)?.copy_from_slice(from.get(..len)?);
    Some(())
}

impl Reader<'_> {
    /// Lets `read` go on from where the reader stands, and stands where it stopped. Malformed text is not for it.
    #[inline(always)]
    fn quickly(&mut self, read: impl FnOnce(&mut Slots<'_>, Rest<'_>, &mut Text<'_>) -> usize) {
        if self.lossy {
            return;
        }
        let Scratch {
            slots, stack, text, ..
        } = &mut *self.scratch;
        let mut heap = Text::of(text);
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let left = read(&mut Slots { slots, stack }, rest, &mut heap);
        self.at = self.bytes.len() - left;
        let end = heap.end;
        text.filled(end);
    }

    /// Reads fields from that number on, up to one that is not as most are; gives its number.
    #[inline(never)]
    pub(super) fn quick_fields(&mut self, fields: &[Quick], first: usize, base: usize) -> usize {
        let mut left = fields.get(first..).unwrap_or_default();
        self.quickly(|slots, mut rest, text| {
            let slots = slots.slots.get_mut(base..).unwrap_or_default();
            while let Some((field, more)) = left.split_first() {
                let Some((slot, behind)) = field.read(rest, text) else {
                    break;
                };
                if let Some(place) = slots.get_mut(field.target as usize) {
                    *place = slot;
                }
                (rest, left) = (behind, more);
            }
            rest.len()
        });
        fields.len() - left.len()
    }

    /// Reads items into slots from that number on, up to one that is not as most are; gives its number.
    #[inline(never)]
    pub(super) fn quick_items(&mut self, item: Quick, first: usize, base: usize) -> usize {
        let mut number = first;
        self.quickly(|slots, mut rest, text| {
            let slots = slots.slots.get_mut(base..).unwrap_or_default();
            for place in slots.iter_mut().skip(first) {
                let Some((slot, behind)) = item.read(rest, text) else {
                    break;
                };
                *place = slot;
                rest = behind;
                number += 1;
            }
            rest.len()
        });
        number
    }

    /// Reads entries with text keys onto the stack, up to one that is not as most are; gives how many are left.
    #[inline(never)]
    pub(super) fn quick_entries(&mut self, value: Quick, mut count: usize) -> usize {
        self.quickly(|slots, mut rest, text| {
            while count > 0 {
                let before = text.end;
                let entry = text.read(rest).and_then(|(key, rest)| {
                    let (value, rest) = value.read(rest, text)?;
                    Some(([key, value], rest))
                });
                let Some((entry, behind)) = entry else {
                    text.end = before;
                    break;
                };
                slots.stack.extend(entry);
                rest = behind;
                count -= 1;
            }
            rest.len()
        });
        count
    }
}

//! Shapes of JSON objects: the keys of the last record predict those of the next.
//!
//! Objects that become maps must come out in the order of Java's `HashMap`, and equal keys must be found. Both are known
//! at once when the keys are, byte for byte and in order, those of an object met before. A shape holds the keys
//! of one object, the order they come out in, and the sites of the objects below it. The tree of sites follows
//! the structure of the documents: root, values by key; the elements of an array share the array's site.
//!
//! This memory changes the time a record takes, never its result.

use std::collections::HashSet;

use super::typed::{DecodePlan, PlaceId};
use super::{Reader, narrow, push, step_end, value_start};
use crate::data::hash_order::{iteration_order, string_hash};
use crate::data::record::Slot;
use crate::limits::{NAME_CHARS_MAX, OBJECT_SHAPES_MAX, SHAPE_KEY_BYTES_MAX, SHAPE_KEYS_MAX};

/// Where in a document an object stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Site(u32);

/// The root of a document.
pub(super) const ROOT: Site = Site(0);

/// The shapes met lately, by site.
#[derive(Debug)]
pub(crate) struct Shapes {
    /// The shape at each site.
    sites: Vec<Option<Box<Shape>>>,
    hashes: Vec<i32>,
    order: Vec<u32>,
}

impl Default for Shapes {
    fn default() -> Self {
        Self {
            sites: vec![None],
            hashes: Vec::new(),
            order: Vec::new(),
        }
    }
}

#[derive(Debug, Default)]
struct Shape {
    keys: Vec<Key>,
    /// Index of the member that comes out first, second, …; empty when the document's order is Java's.
    order: Vec<u32>,
    /// Sites of the values, given out when a container is met there.
    children: Vec<Option<Site>>,
    /// Objects in a row that were of another shape.
    misses: u32,
}

/// A shape is given up for another one after this many misses: two kinds of records that take turns then cost one
/// learning in eight.
const MISSES_MAX: u32 = 8;

/// A key as it stands in a document without blanks: `"name":`, ready to be compared in one or two words.
#[derive(Debug)]
pub(super) struct Key {
    text: Box<[u8]>,
    head: u64,
    mask: u64,
}

impl Key {
    /// `name` is the raw text between the quotes.
    pub(super) fn new(name: &[u8]) -> Self {
        let text = [b"\"", name, b"\":"].concat();
        let mut head = [0; 8];
        let mut mask = [0; 8];
        for (index, b) in text.iter().take(8).enumerate() {
            head[index] = *b;
            mask[index] = 0xff;
        }
        Self {
            text: text.into_boxed_slice(),
            head: u64::from_le_bytes(head),
            mask: u64::from_le_bytes(mask),
        }
    }

    /// If the document goes on with this key at `at`: where its name lies, and the position behind its colon.
    #[inline]
    pub(super) fn step(&self, document: &[u8], at: usize) -> Option<(Slot, usize)> {
        if self.matches(document.get(at..)?) {
            return Some((self.name_at(at), at + self.text.len()));
        }
        self.step_spaced(document, at)
    }

    /// The name of a key whose quote is at `at`.
    #[inline]
    fn name_at(&self, at: usize) -> Slot {
        Slot::Text {
            at: narrow(at + 1),
            len: narrow(self.text.len() - 3),
        }
    }

    /// Whether the document goes on with this key, without blanks.
    #[inline]
    fn matches(&self, document: &[u8]) -> bool {
        let Some(head) = document.first_chunk::<8>() else {
            return document.starts_with(&self.text);
        };
        if (u64::from_le_bytes(*head) ^ self.head) & self.mask != 0 {
            return false;
        }
        let len = self.text.len();
        if len <= 8 {
            return true;
        }
        if len <= 16 {
            // The last eight bytes overlap the first eight: two loads compare any length between.
            return match (document.get(len - 8..len), self.text.last_chunk::<8>()) {
                (Some(tail), Some(own)) => tail == own,
                _ => false,
            };
        }
        document.starts_with(&self.text)
    }

    /// The same with blanks in front of the key or of the colon.
    #[inline(never)]
    fn step_spaced(&self, document: &[u8], at: usize) -> Option<(Slot, usize)> {
        let quoted = &self.text[..self.text.len() - 1];
        let start = skip_space(document, at);
        if !document.get(start..)?.starts_with(quoted) {
            return None;
        }
        let colon = skip_space(document, start + quoted.len());
        (document.get(colon) == Some(&b':')).then(|| (self.name_at(start), colon + 1))
    }
}

#[inline]
const fn key_bytes(key: Slot) -> usize {
    if let Slot::Text { len, .. } = key {
        len as usize
    } else {
        0
    }
}

pub(super) fn skip_space(document: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = document.get(at) {
        at += 1;
    }
    at
}

impl Shapes {
    /// Forgets everything once the sites are used up, so that the sites of topics that are gone come back.
    pub(super) fn renew(&mut self) {
        if self.sites.len() >= OBJECT_SHAPES_MAX {
            *self = Self::default();
        }
    }
}

impl Reader<'_> {
    /// Reads an object as a map with text keys, in the order of a `HashMap`. `values` is the place of its values in a plan;
    /// without it they are read without a schema.
    pub(super) fn object(
        &mut self,
        site: Option<Site>,
        values: Option<(&DecodePlan, PlaceId)>,
    ) -> Option<Slot> {
        self.open()?;
        if self.closes(b'}') {
            self.depth -= 1;
            return Some(Slot::Map { at: 0, len: 0 });
        }
        // Taken out while the members are read; sites below are others, so nobody looks for it meanwhile.
        let known = site.and_then(|site| self.scratch.shapes.sites[site.0 as usize].take());
        let mut shape = known.unwrap_or_default();
        let slot = self.members(site, &mut shape, values);
        if let Some(site) = site {
            self.scratch.shapes.sites[site.0 as usize] = Some(shape);
        }
        self.depth -= 1;
        slot
    }

    #[inline]
    fn members(
        &mut self,
        site: Option<Site>,
        shape: &mut Shape,
        values: Option<(&DecodePlan, PlaceId)>,
    ) -> Option<Slot> {
        let base = self.scratch.stack.len();
        let document = self.document;
        let mut at = self.at;
        let mut index = 0;
        let mut matching = true;
        loop {
            let predicted = if matching {
                shape.keys.get(index)
            } else {
                None
            };
            if let Some((name, behind)) = predicted.and_then(|key| key.step(document, at)) {
                self.text_used += key_bytes(name);
                self.scratch.stack.push(name);
                at = behind;
            } else {
                matching = false;
                self.at = at;
                let name = self.plain_key()?;
                self.scratch.stack.push(name);
                at = self.at;
            }
            let (first, start) = value_start(document, at)?;
            let end = if let Some((plan, place)) = values {
                self.at = start;
                let slot = self.place(plan, place)?;
                self.scratch.stack.push(slot);
                self.at
            } else if matches!(first, b'{' | b'[') {
                let child = if matching {
                    self.child(shape, index)
                } else {
                    None
                };
                self.at = start;
                let slot = self.untyped(child)?;
                self.scratch.stack.push(slot);
                self.at
            } else {
                self.scalar(first, start, push)?
            };
            index += 1;
            let (last, next) = step_end(document, end, b'}')?;
            at = next;
            if last {
                break;
            }
        }
        self.at = at;
        if matching && index == shape.keys.len() {
            shape.misses = 0;
            return Some(self.settle_ordered(base, Some(&shape.order)));
        }
        self.order_members(base)?;
        let learn = site.is_some() && (shape.keys.is_empty() || shape.misses >= MISSES_MAX);
        shape.misses += 1;
        if learn {
            self.learn(base, shape);
        }
        Some(self.settle_ordered(base, None))
    }

    /// The site of the container that is the value of a member; `None` when there are no more sites.
    fn child(&mut self, shape: &mut Shape, index: usize) -> Option<Site> {
        let child = shape.children.get_mut(index)?;
        let sites = &mut self.scratch.shapes.sites;
        if child.is_none() && sites.len() < OBJECT_SHAPES_MAX {
            *child = Some(Site(narrow(sites.len())));
            sites.push(None);
        }
        *child
    }

    /// Reads a member's name and colon. Names with escapes are for the definition.
    pub(super) fn plain_key(&mut self) -> Option<Slot> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return None;
        }
        self.at += 1;
        let start = self.at;
        let end = super::find_special(self.document, start)?;
        if self.document[end] != b'"' || end - start > NAME_CHARS_MAX {
            return None;
        }
        self.text_used += end - start;
        self.at = end + 1;
        self.skip_space();
        if self.peek() != Some(b':') {
            return None;
        }
        self.at += 1;
        Some(Slot::Text {
            at: narrow(start),
            len: narrow(end - start),
        })
    }

    /// Works out Java's order of the members on the stack; gives up when two names are equal.
    #[cold]
    fn order_members(&mut self, base: usize) -> Option<()> {
        let document = self.document;
        let shapes = &mut self.scratch.shapes;
        shapes.hashes.clear();
        let names = || {
            self.scratch.stack[base..].iter().step_by(2).map(|slot| {
                if let Slot::Text { at, len } = slot {
                    &document[*at as usize..*at as usize + *len as usize]
                } else {
                    &[][..]
                }
            })
        };
        for name in names() {
            shapes
                .hashes
                .push(string_hash(std::str::from_utf8(name).ok()?));
        }
        let hashes = &shapes.hashes;
        let repeated = if hashes.len() <= 16 {
            hashes
                .iter()
                .enumerate()
                .any(|(index, hash)| hashes[..index].contains(hash))
        } else {
            let mut seen = HashSet::with_capacity(hashes.len());
            !names().all(|name| seen.insert(name))
        };
        // Equal hashes of few keys are rare enough to be left to the definition, equal keys or not.
        if repeated {
            return None;
        }
        iteration_order(hashes, &mut shapes.order);
        Some(())
    }

    fn learn(&self, base: usize, shape: &mut Shape) {
        *shape = Shape::default();
        let members = &self.scratch.stack[base..];
        let fits = |slot: &Slot| matches!(slot, Slot::Text { len, .. } if *len as usize <= SHAPE_KEY_BYTES_MAX);
        if members.len() / 2 > SHAPE_KEYS_MAX || !members.iter().step_by(2).all(fits) {
            return;
        }
        for slot in members.iter().step_by(2) {
            if let Slot::Text { at, len } = slot {
                let start = *at as usize;
                shape
                    .keys
                    .push(Key::new(&self.document[start..start + *len as usize]));
            }
        }
        shape.children.resize(shape.keys.len(), None);
        shape.order.clone_from(&self.scratch.shapes.order);
        if shape.order.is_sorted() {
            shape.order.clear();
        }
    }

    /// Moves the members from the stack to the slots, in `order` or in the order just worked out.
    #[inline]
    fn settle_ordered(&mut self, base: usize, order: Option<&[u32]>) -> Slot {
        let at = narrow(self.scratch.slots.len());
        let members = &self.scratch.stack[base..];
        let len = narrow(members.len());
        let order = order.unwrap_or(&self.scratch.shapes.order);
        if order.is_empty() {
            self.scratch.slots.extend_from_slice(members);
        } else {
            self.scratch.slots.reserve(members.len());
            for index in order {
                let at = *index as usize * 2;
                self.scratch.slots.extend_from_slice(&members[at..at + 2]);
            }
        }
        self.scratch.stack.truncate(base);
        Slot::Map { at, len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_matched_at_every_length_and_with_blanks() {
        for length in 0..40 {
            let name: String = ('a'..='z').cycle().take(length).collect();
            let key = Key::new(name.as_bytes());
            let plain = format!("\"{name}\":1");
            let behind = |text: &str| key.step(text.as_bytes(), 0).map(|(_, next)| next);
            assert_eq!(behind(&plain), Some(length + 3));
            let spaced = format!(" \"{name}\" : 1");
            assert_eq!(behind(&spaced), Some(length + 5));
            for other in [
                format!("\"{name}x\":1"),
                format!("\"{name}\"x"),
                format!("\"{name}"),
            ] {
                assert_eq!(behind(&other), None, "{other}");
            }
            for wrong in 0..length {
                let mut text = plain.clone().into_bytes();
                text[wrong + 1] = b'#';
                assert!(key.step(&text, 0).is_none());
            }
        }
    }
}

//! Decoding in one pass, straight into the flat record: the fast reader.
//!
//! It answers or gives up (`None`), and words no error. What it gives up — every invalid document, and valid ones that
//! are rare: duplicate keys, escaped keys, encodings other than UTF-8, numbers of unusual size — goes to the definition
//! (`tree.rs`, `convert.rs`), whose answer counts. So this file is about speed only: what it does answer must be what
//! the definition answers, and tests and a fuzz target hold it to that.
//!
//! The document itself becomes the text heap of the record: one copy, none per string. Only strings with escapes are
//! appended behind it. The bytes are checked to be UTF-8 once, as a whole; since strings begin and end at a quote,
//! every piece is then UTF-8 too.

mod compile;
mod number;
mod shape;
mod typed;

use std::sync::Arc;

use bytes::Bytes;

use crate::json_text::scan::clean_prefix;
pub(crate) use compile::{Dialect, Role};
pub(crate) use shape::Shapes;
pub(crate) use typed::DecodePlan;

use crate::data::record::{Record, Slot};
use crate::data::{Datum, Schema, SchemaAndValue};
use crate::limits::{DOCUMENT_BYTES_MAX, STRING_CHARS_MAX};

/// Buffers that live as long as the converter, so that a record costs no allocation until it is finished.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    slots: Vec<Slot>,
    /// Values of open containers.
    stack: Vec<Slot>,
    /// Text with its escapes resolved.
    unescaped: Vec<u8>,
    bytes: Vec<u8>,
    shapes: Shapes,
}

/// What may follow the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// The value is the document; what follows a container is not looked at.
    Document,
    /// The value is the payload: the end of the envelope must follow.
    Envelope,
}

/// Reads a value without a schema.
pub(crate) fn untyped(
    document: &[u8],
    ending: Ending,
    scratch: &mut Scratch,
) -> Option<SchemaAndValue> {
    let mut reader = Reader::new(document, ending, scratch)?;
    reader.skip_space();
    let root = reader.untyped(Some(shape::ROOT))?;
    reader.finish(None, root, ending)
}

/// Reads a value of the plan's schema.
pub(crate) fn typed(
    document: &[u8],
    ending: Ending,
    plan: &DecodePlan,
    scratch: &mut Scratch,
) -> Option<SchemaAndValue> {
    let mut reader = Reader::new(document, ending, scratch)?;
    reader.skip_space();
    let root = reader.root(plan)?;
    reader.finish(Some(plan.schema()), root, ending)
}

struct Reader<'a> {
    document: &'a [u8],
    at: usize,
    depth: usize,
    /// Bytes of the document that are text of the record.
    text_used: usize,
    scratch: &'a mut Scratch,
}

impl<'a> Reader<'a> {
    fn new(document: &'a [u8], ending: Ending, scratch: &'a mut Scratch) -> Option<Self> {
        if document.len() > DOCUMENT_BYTES_MAX / 2 {
            return None;
        }
        scratch.slots.clear();
        scratch.stack.clear();
        scratch.unescaped.clear();
        scratch.bytes.clear();
        scratch.shapes.renew();
        // The envelope is one level of nesting itself.
        let depth = usize::from(ending == Ending::Envelope);
        Some(Self {
            document,
            at: 0,
            depth,
            text_used: 0,
            scratch,
        })
    }

    fn untyped(&mut self, site: Option<shape::Site>) -> Option<Slot> {
        let (first, at) = value_start(self.document, self.at)?;
        self.at = at;
        match first {
            b'{' => self.object(site, None),
            b'[' => self.array(site),
            _ => {
                self.at = self.scalar(first, at, push)?;
                self.scratch.stack.pop()
            }
        }
    }

    /// Reads a value that is no container and begins with `first` at `at`, and gives it to `put`; gives the position behind it.
    ///
    /// The loops over members and elements keep the position in a register: it goes from step to step as an argument, and
    /// `self.at` is written only where a container is entered or left. For the same reason a slot is put where it
    /// belongs by whoever makes it: returned and then copied, its parts would be read back before they have left the
    /// store buffer, which costs more than reading the value.
    #[inline(always)]
    fn scalar(&mut self, first: u8, at: usize, put: impl Fn(&mut Scratch, Slot)) -> Option<usize> {
        match first {
            b'"' => self.text(at + 1, put),
            b't' => {
                put(self.scratch, Slot::Boolean(true));
                word(self.document, at, b"true")
            }
            b'f' => {
                put(self.scratch, Slot::Boolean(false));
                word(self.document, at, b"false")
            }
            b'n' => {
                put(self.scratch, Slot::Null);
                word(self.document, at, b"null")
            }
            _ => {
                if let Some((value, end)) = number::whole(self.document, at) {
                    put(self.scratch, Slot::Int64(value));
                    return Some(end);
                }
                let (value, end) = self.fraction_at(at)?;
                put(self.scratch, Slot::Float64(value));
                Some(end)
            }
        }
    }

    #[inline(never)]
    fn fraction_at(&self, at: usize) -> Option<(f64, usize)> {
        let fraction = number::fraction(self.document, at)?;
        Some((fraction.to_f64(self.document)?, fraction.end()))
    }

    fn array(&mut self, site: Option<shape::Site>) -> Option<Slot> {
        self.open()?;
        let base = self.scratch.stack.len();
        if !self.closes(b']') {
            let document = self.document;
            let mut at = self.at;
            loop {
                let (first, start) = value_start(document, at)?;
                let end = if matches!(first, b'{' | b'[') {
                    self.at = start;
                    let slot = self.untyped(site)?;
                    self.scratch.stack.push(slot);
                    self.at
                } else {
                    self.scalar(first, start, push)?
                };
                let (last, next) = step_end(document, end, b']')?;
                at = next;
                if last {
                    break;
                }
            }
            self.at = at;
        }
        self.depth -= 1;
        let (at, len) = self.settle(base);
        Some(Slot::Array { at, len })
    }

    /// Moves the values from `base` on from the stack to the slots.
    fn settle(&mut self, base: usize) -> (u32, u32) {
        let at = narrow(self.scratch.slots.len());
        let len = narrow(self.scratch.stack.len() - base);
        self.scratch
            .slots
            .extend_from_slice(&self.scratch.stack[base..]);
        self.scratch.stack.truncate(base);
        (at, len)
    }

    /// Reads a string from behind its opening quote and gives it to `put`; gives the position behind it.
    #[inline(always)]
    fn text(&mut self, start: usize, put: impl Fn(&mut Scratch, Slot)) -> Option<usize> {
        let end = find_special(self.document, start)?;
        if self.document.get(end) != Some(&b'"') || end - start > STRING_CHARS_MAX {
            let slot = self.escaped_string(start, end)?;
            put(self.scratch, slot);
            return Some(self.at);
        }
        self.text_used += end - start;
        put(
            self.scratch,
            Slot::Text {
                at: narrow(start),
                len: narrow(end - start),
            },
        );
        Some(end + 1)
    }

    /// Reads on at `at`, where something stands that is no plain character.
    #[cold]
    fn escaped_string(&mut self, start: usize, mut at: usize) -> Option<Slot> {
        let from = self.scratch.unescaped.len();
        let mut copied = start;
        loop {
            self.scratch
                .unescaped
                .extend_from_slice(&self.document[copied..at]);
            match self.document[at] {
                b'"' => break,
                b'\\' => at = unescape(self.document, at + 1, &mut self.scratch.unescaped)?,
                _ => return None,
            }
            copied = at;
            at = find_special(self.document, at)?;
        }
        self.at = at + 1;
        let len = self.scratch.unescaped.len() - from;
        if len > STRING_CHARS_MAX {
            return None;
        }
        self.text_used += len;
        Some(Slot::Text {
            at: narrow(self.document.len() + from),
            len: narrow(len),
        })
    }

    /// Reads a whole number of 64 bits; stays in place when something else stands there.
    #[inline]
    fn whole(&mut self) -> Option<i64> {
        let (value, end) = number::whole(self.document, self.at)?;
        self.at = end;
        Some(value)
    }

    /// Reads a number with a point or an exponent.
    fn fraction(&mut self) -> Option<number::Fraction> {
        let fraction = number::fraction(self.document, self.at)?;
        self.at = fraction.end();
        Some(fraction)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.document.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Steps over an opening bracket.
    #[inline]
    fn open(&mut self) -> Option<()> {
        self.depth += 1;
        self.at += 1;
        (self.depth <= FAST_DEPTH_MAX).then_some(())
    }

    /// Steps over the closing bracket of an empty container.
    #[inline]
    fn closes(&mut self, bracket: u8) -> bool {
        self.skip_space();
        let closes = self.peek() == Some(bracket);
        self.at += usize::from(closes);
        closes
    }

    fn finish(
        mut self,
        schema: Option<&Schema>,
        root: Slot,
        ending: Ending,
    ) -> Option<SchemaAndValue> {
        // What ends with a bracket; a union is a struct, whatever it was read from.
        let last = self.at.checked_sub(1).and_then(|at| self.document.get(at));
        let container = matches!(last, Some(b'}' | b']'));
        match ending {
            Ending::Document if container => {}
            // Jackson wants white space behind a number; for the other scalars the definition decides.
            Ending::Document => match self.peek() {
                None | Some(b' ' | b'\n' | b'\r' | b'\t') => {}
                Some(_) => return None,
            },
            Ending::Envelope => {
                self.skip_space();
                if self.peek() != Some(b'}') {
                    return None;
                }
            }
        }
        let schema = schema.cloned();
        if root.stands_alone() {
            return Some(SchemaAndValue::from_parts(schema, Datum::Scalar(root)));
        }
        if let Slot::Text { at, len } = root {
            let text = std::str::from_utf8(self.piece(at, len)).ok()?;
            return Some(SchemaAndValue::text(schema, Arc::from(text)));
        }
        let record = self.record()?;
        Some(SchemaAndValue::from_tree(schema, record, root))
    }

    fn record(&mut self) -> Option<Record> {
        let text = self.heap()?;
        let bytes = &self.scratch.bytes;
        Some(Record {
            slots: self.scratch.slots.as_slice().into(),
            text,
            bytes: if bytes.is_empty() {
                Bytes::new()
            } else {
                Bytes::copy_from_slice(bytes)
            },
            schemas: Box::default(),
        })
    }

    /// The text heap: the document and the unescaped texts, or only the pieces in use when that is much less.
    fn heap(&mut self) -> Option<Box<str>> {
        let document = std::str::from_utf8(self.document).ok()?;
        if document.len() > self.text_used * 2 + COMPACT_ABOVE_BYTES {
            return self.compact(document);
        }
        if self.scratch.unescaped.is_empty() {
            return Some(document.into());
        }
        let unescaped = std::str::from_utf8(&self.scratch.unescaped).ok()?;
        let mut text = String::with_capacity(document.len() + unescaped.len());
        text.push_str(document);
        text.push_str(unescaped);
        Some(text.into_boxed_str())
    }

    #[cold]
    fn compact(&mut self, document: &str) -> Option<Box<str>> {
        let unescaped = std::str::from_utf8(&self.scratch.unescaped).ok()?;
        let mut text = String::with_capacity(self.text_used);
        for slot in &mut self.scratch.slots {
            let Slot::Text { at, len } = slot else {
                continue;
            };
            let start = *at as usize;
            let end = start + *len as usize;
            let piece = match start.checked_sub(document.len()) {
                None => document.get(start..end)?,
                Some(start) => unescaped.get(start..start + *len as usize)?,
            };
            *at = narrow(text.len());
            text.push_str(piece);
        }
        Some(text.into_boxed_str())
    }

    /// The bytes of a text slot.
    fn piece(&self, at: u32, len: u32) -> &[u8] {
        let (start, len) = (at as usize, len as usize);
        match start.checked_sub(self.document.len()) {
            None => &self.document[start..start + len],
            Some(start) => &self.scratch.unescaped[start..start + len],
        }
    }
}

/// Levels of nesting that are read fast. Deeper documents are rare, and this reader's frames are large.
const FAST_DEPTH_MAX: usize = 64;

/// A document is kept whole unless it is over twice its text plus this: small documents are not worth a second look.
const COMPACT_ABOVE_BYTES: usize = 256;

/// The first byte of a value at `at` or behind blanks, and where it stands.
#[inline(always)]
fn value_start(document: &[u8], at: usize) -> Option<(u8, usize)> {
    let first = *document.get(at)?;
    if first > b' ' {
        return Some((first, at));
    }
    let at = shape::skip_space(document, at);
    Some((*document.get(at)?, at))
}

/// Steps over a comma (false) or the closing bracket (true).
#[inline(always)]
fn step_end(document: &[u8], at: usize, bracket: u8) -> Option<(bool, usize)> {
    let (next, at) = value_start(document, at)?;
    match next {
        b',' => Some((false, at + 1)),
        _ if next == bracket => Some((true, at + 1)),
        _ => None,
    }
}

/// Steps over a word.
#[inline]
fn word(document: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    document
        .get(at..)?
        .starts_with(word)
        .then_some(at + word.len())
}

/// Puts a slot on the stack of open containers.
#[inline(always)]
fn push(scratch: &mut Scratch, slot: Slot) {
    scratch.stack.push(slot);
}

/// Lengths and offsets inside a document, which is below 2^31 bytes.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "documents are below 2^31 bytes, see `Reader::new`"
)]
const fn narrow(offset: usize) -> u32 {
    offset as u32
}

/// Position of the next quote, backslash or control character.
#[inline(always)]
fn find_special(document: &[u8], start: usize) -> Option<usize> {
    let rest = document.get(start..)?;
    let clean = clean_prefix::<false>(rest);
    (clean < rest.len()).then_some(start + clean)
}

/// Appends what the escape at `at` (behind the backslash) stands for; gives the position behind it.
fn unescape(document: &[u8], at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let plain = match document.get(at)? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        c @ (b'"' | b'\\' | b'/') => *c,
        b'u' => {
            let first = hex(document, at + 1)?;
            let (code, next) = if (0xd800..0xdc00).contains(&first) {
                if document.get(at + 5..at + 7)? != b"\\u" {
                    return None;
                }
                let second = hex(document, at + 7)?;
                if !(0xdc00..0xe000).contains(&second) {
                    return None;
                }
                (
                    0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                    at + 11,
                )
            } else {
                (first, at + 5)
            };
            let mut buffer = [0; 4];
            out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut buffer).as_bytes());
            return Some(next);
        }
        _ => return None,
    };
    out.push(plain);
    Some(at + 1)
}

fn hex(document: &[u8], at: usize) -> Option<u32> {
    document
        .get(at..at + 4)?
        .iter()
        .try_fold(0, |sum, b| Some(sum * 16 + char::from(*b).to_digit(16)?))
}

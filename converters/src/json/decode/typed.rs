//! Reading by plan: the payload of an envelope, whose schema is known.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "whatever a reader does not list, the definition answers"
)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::base64::decode_integer;
use super::shape::Key;
use super::{Reader, Scratch, narrow, number, push, step_end, value_start, word};
use crate::data::record::Slot;
use crate::data::{DecimalRef, Schema, UnscaledRef, logical};
use crate::limits::{DOCUMENT_BYTES_MAX, JSON_VALUES_MAX};
use crate::plan::{Arena, NodeId};

/// A place in a plan.
pub(crate) type PlaceId = NodeId;

/// How values of one schema are read.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    pub(super) schema: Schema,
    pub(super) places: Arena<Place>,
    pub(super) structs: Vec<StructPlan>,
    pub(super) unions: Vec<UnionPlan>,
    /// Defaults that are texts.
    pub(super) texts: Vec<Box<str>>,
    pub(super) root: PlaceId,
}

/// One place of a schema where a value stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) node: Node,
    pub(super) null: Null,
}

/// What a null, or a missing member, stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Null {
    Stays,
    /// A default that is one slot.
    Default(Slot),
    /// A default that is one of the plan's texts.
    Text(usize),
    /// An error, or a default with parts: for the definition.
    Undefined,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Boolean,
    Text,
    Bytes,
    Decimal {
        scale: i32,
    },
    Date,
    Time,
    Timestamp,
    Array(PlaceId),
    Object(PlaceId),
    Struct(usize),
    /// A struct that has one field for each type it may hold.
    Union(usize),
    /// Maps with other keys than text, and schemas that no value satisfies: for the definition.
    Undefined,
}

#[derive(Debug, Default)]
pub(super) struct StructPlan {
    pub(super) fields: Vec<FieldPlan>,
    /// Names with the field's index, in order of names.
    pub(super) by_name: Vec<(Box<[u8]>, usize)>,
    /// Members that the schema does not know are passed over; if not, they are for the definition.
    pub(super) passes_unknown: bool,
}

impl StructPlan {
    /// The field of that name.
    fn index_of(&self, name: &[u8]) -> Option<usize> {
        let found = self
            .by_name
            .binary_search_by(|(known, _)| (**known).cmp(name));
        found.ok().map(|place| self.by_name[place].1)
    }
}

#[derive(Debug)]
pub(super) struct FieldPlan {
    pub(super) key: Key,
    pub(super) place: Place,
    /// What stands for a member that is missing.
    pub(super) missing: Null,
}

/// Which field of a union takes a value, by the kind of token.
#[derive(Debug, Default)]
pub(super) struct UnionPlan {
    pub(super) width: usize,
    pub(super) text: Option<Member>,
    pub(super) whole: Option<Member>,
    pub(super) fraction: Option<Member>,
    pub(super) boolean: Option<Member>,
    pub(super) array: Option<Member>,
    pub(super) object: Option<Member>,
    /// Without `object`: the struct that has most of an object's members takes it.
    pub(super) structs: Vec<(Member, usize)>,
}

/// A field of a union.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) index: usize,
    pub(super) place: Place,
}

/// Structs of one union that are told apart fast.
pub(super) const UNION_STRUCTS_MAX: usize = 16;

/// What a struct's slot holds until its field is met; no reader makes one.
const UNSET: Slot = Slot::Foreign {
    at: u32::MAX,
    schema: u32::MAX,
};

#[inline]
const fn is_unset(slot: Slot) -> bool {
    matches!(slot, Slot::Foreign { .. })
}

impl DecodePlan {
    pub(crate) const fn schema(&self) -> &Schema {
        &self.schema
    }
}

impl Reader<'_> {
    pub(super) fn root(&mut self, plan: &DecodePlan) -> Option<Slot> {
        self.place(plan, plan.root)
    }

    pub(super) fn place(&mut self, plan: &DecodePlan, place: PlaceId) -> Option<Slot> {
        self.value(plan, plan.places.get(place))
    }

    fn value(&mut self, plan: &DecodePlan, place: &Place) -> Option<Slot> {
        self.at = self.value_at(plan, place, self.at, push)?;
        self.scratch.stack.pop()
    }

    /// Reads the value at `at` or behind blanks and gives it to `put`; gives the position behind it. See [`Reader::scalar`].
    #[inline(always)]
    fn value_at(
        &mut self,
        plan: &DecodePlan,
        place: &Place,
        at: usize,
        put: impl Fn(&mut Scratch, Slot),
    ) -> Option<usize> {
        let document = self.document;
        let (first, at) = value_start(document, at)?;
        match place.node {
            Node::Text if first == b'"' => self.text(at + 1, put),
            Node::Int64 if first != b'n' => {
                let (value, end) = number::whole(document, at)?;
                put(self.scratch, Slot::Int64(value));
                Some(end)
            }
            Node::Int32 if first != b'n' => {
                let (value, end) = number::whole(document, at)?;
                put(self.scratch, Slot::Int32(value.try_into().ok()?));
                Some(end)
            }
            Node::Timestamp if first != b'n' => {
                let (value, end) = number::whole(document, at)?;
                put(self.scratch, Slot::Timestamp(value));
                Some(end)
            }
            Node::Boolean if first == b't' => {
                put(self.scratch, Slot::Boolean(true));
                word(document, at, b"true")
            }
            Node::Boolean if first == b'f' => {
                put(self.scratch, Slot::Boolean(false));
                word(document, at, b"false")
            }
            _ => {
                self.at = at;
                let slot = self.less_often(plan, place, first)?;
                put(self.scratch, slot);
                Some(self.at)
            }
        }
    }

    fn less_often(&mut self, plan: &DecodePlan, place: &Place, first: u8) -> Option<Slot> {
        if first == b'n' {
            self.at = word(self.document, self.at, b"null")?;
            return self.absent(plan, place.null);
        }
        match place.node {
            Node::Float64 => match self.whole() {
                #[expect(clippy::cast_precision_loss, reason = "as Java's long to double")]
                Some(v) => Some(Slot::Float64(v as f64)),
                None => self.fraction()?.to_f64(self.document).map(Slot::Float64),
            },
            Node::Array(element) => self.typed_array(plan, element, first),
            Node::Struct(index) if first == b'{' => self.structure(plan, index),
            Node::Decimal { scale } => self.decimal(scale, first),
            Node::Union(index) => self.union(plan, index, first),
            _ => self.other(plan, place.node, first),
        }
    }

    /// What stands for a value that is not there.
    #[inline]
    fn absent(&mut self, plan: &DecodePlan, null: Null) -> Option<Slot> {
        match null {
            Null::Stays => Some(Slot::Null),
            Null::Default(slot) => Some(slot),
            Null::Text(index) => {
                let text = plan.texts.get(index)?.as_bytes();
                let from = self.scratch.unescaped.len();
                if from > DOCUMENT_BYTES_MAX / 4 {
                    return None;
                }
                self.scratch.unescaped.extend_from_slice(text);
                self.text_used += text.len();
                Some(Slot::Text {
                    at: narrow(self.document.len() + from),
                    len: narrow(text.len()),
                })
            }
            Null::Undefined => None,
        }
    }

    fn union(&mut self, plan: &DecodePlan, index: usize, first: u8) -> Option<Slot> {
        let union = &plan.unions[index];
        let member = match first {
            b'"' => union.text,
            b't' | b'f' => union.boolean,
            b'[' => union.array,
            b'{' => match union.object {
                Some(member) => Some(member),
                None => self.best_struct(plan, &union.structs),
            },
            _ if number::whole(self.document, self.at).is_some() => union.whole,
            _ => union.fraction,
        }?;
        let base = self.add_slots(union.width, Slot::Null)?;
        let place = base + member.index;
        self.at = self.value_at(plan, &member.place, self.at, |scratch, slot| {
            scratch.slots[place] = slot;
        })?;
        Some(Slot::Struct { at: narrow(base) })
    }

    /// The struct that has most of the members of the object that begins here.
    fn best_struct(&mut self, plan: &DecodePlan, structs: &[(Member, usize)]) -> Option<Member> {
        let (start, depth, used) = (self.at, self.depth, self.text_used);
        let mut counts = [0_u32; UNION_STRUCTS_MAX];
        let counts = counts.get_mut(..structs.len())?;
        self.open()?;
        if !self.closes(b'}') {
            loop {
                let Slot::Text { at, len } = self.plain_key()? else {
                    return None;
                };
                let name = &self.document[at as usize..at as usize + len as usize];
                for (count, (_, index)) in counts.iter_mut().zip(structs) {
                    *count += u32::from(plan.structs[*index].index_of(name).is_some());
                }
                self.skip_space();
                self.skip_value()?;
                let (last, behind) = step_end(self.document, self.at, b'}')?;
                self.at = behind;
                if last {
                    break;
                }
            }
        }
        (self.at, self.depth, self.text_used) = (start, depth, used);
        let most = counts.iter().copied().max().filter(|most| *most > 0)?;
        let best = counts.iter().position(|count| *count == most)?;
        structs.get(best).map(|(member, _)| *member)
    }

    /// What is met less often.
    fn other(&mut self, plan: &DecodePlan, node: Node, first: u8) -> Option<Slot> {
        match node {
            Node::Int8 => Some(Slot::Int8(self.whole()?.try_into().ok()?)),
            Node::Int16 => Some(Slot::Int16(self.whole()?.try_into().ok()?)),
            Node::Float32 => match self.whole() {
                #[expect(clippy::cast_precision_loss, reason = "as Java's long to float")]
                Some(v) => Some(Slot::Float32(v as f32)),
                None => self.fraction()?.to_f32(self.document).map(Slot::Float32),
            },
            Node::Date => {
                let days = i32::try_from(self.whole()?).ok()?;
                Some(Slot::Date(logical::date_from_days(days)))
            }
            Node::Time => {
                let millis = i32::try_from(self.whole()?).ok()?;
                logical::time_from_millis(millis).ok().map(Slot::Time)
            }
            Node::Bytes => {
                let (at, len) = self.base64(first)?;
                Some(Slot::Bytes { at, len })
            }
            Node::Object(values) => {
                if first != b'{' {
                    return None;
                }
                self.object(None, Some((plan, values)))
            }
            _ => None,
        }
    }

    fn structure(&mut self, plan: &DecodePlan, index: usize) -> Option<Slot> {
        let fields = &plan.structs[index].fields;
        self.open()?;
        let base = self.add_slots(fields.len(), UNSET)?;
        let mut next = 0;
        let mut in_order = true;
        if !self.closes(b'}') {
            let document = self.document;
            let mut at = self.at;
            loop {
                let expected = fields.get(next);
                let stepped =
                    expected.and_then(|field| Some((field, field.key.step(document, at)?.1)));
                if let Some((field, behind)) = stepped {
                    let place = base + next;
                    if !is_unset(self.scratch.slots[place]) {
                        return None;
                    }
                    at = self.value_at(plan, &field.place, behind, |scratch, slot| {
                        scratch.slots[place] = slot;
                    })?;
                    next += 1;
                } else {
                    self.at = at;
                    next = self.member(plan, &plan.structs[index], base, next)?;
                    in_order = false;
                    at = self.at;
                }
                let (last, behind) = step_end(document, at, b'}')?;
                at = behind;
                if last {
                    break;
                }
            }
            self.at = at;
        }
        self.depth -= 1;
        if in_order && next == fields.len() {
            return Some(Slot::Struct { at: narrow(base) });
        }
        for (index, field) in fields.iter().enumerate() {
            if is_unset(self.scratch.slots[base + index]) {
                self.scratch.slots[base + index] = self.absent(plan, field.missing)?;
            }
        }
        Some(Slot::Struct { at: narrow(base) })
    }

    /// Adds places for the values of a struct; gives the first.
    #[inline]
    fn add_slots(&mut self, count: usize, slot: Slot) -> Option<usize> {
        let base = self.scratch.slots.len();
        if base + count > JSON_VALUES_MAX {
            return None;
        }
        self.scratch.slots.resize(base + count, slot);
        Some(base)
    }

    /// A member that is not the one expected: another field, or one that the schema does not know.
    fn member(
        &mut self,
        plan: &DecodePlan,
        structure: &StructPlan,
        base: usize,
        next: usize,
    ) -> Option<usize> {
        let used = self.text_used;
        let Slot::Text { at, len } = self.plain_key()? else {
            return None;
        };
        self.text_used = used;
        let name = &self.document[at as usize..at as usize + len as usize];
        self.skip_space();
        let Some(index) = structure.index_of(name) else {
            if !structure.passes_unknown {
                return None;
            }
            self.skip_value()?;
            return Some(next);
        };
        let slot = self.value(plan, &structure.fields[index].place)?;
        let place = &mut self.scratch.slots[base + index];
        // Met twice: which one counts is for the definition.
        if !is_unset(*place) {
            return None;
        }
        *place = slot;
        Some(index + 1)
    }

    /// Reads a value and forgets it.
    fn skip_value(&mut self) -> Option<()> {
        let used = self.text_used;
        let slots = self.scratch.slots.len();
        let stack = self.scratch.stack.len();
        let unescaped = self.scratch.unescaped.len();
        self.untyped(None)?;
        self.scratch.slots.truncate(slots);
        self.scratch.stack.truncate(stack);
        self.scratch.unescaped.truncate(unescaped);
        self.text_used = used;
        Some(())
    }

    fn typed_array(&mut self, plan: &DecodePlan, element: PlaceId, first: u8) -> Option<Slot> {
        if first != b'[' {
            return None;
        }
        self.open()?;
        let place = plan.places.get(element);
        let base = self.scratch.stack.len();
        if !self.closes(b']') {
            let mut at = self.at;
            loop {
                let end = self.value_at(plan, place, at, push)?;
                let (last, behind) = step_end(self.document, end, b']')?;
                at = behind;
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

    #[inline]
    fn expect(&mut self, first: u8, wanted: u8) -> Option<()> {
        self.at += 1;
        (first == wanted).then_some(())
    }

    fn decimal(&mut self, scale: i32, first: u8) -> Option<Slot> {
        if first == b'"' {
            if let Some((unscaled, end)) = self.short_base64() {
                self.at = end;
                return Some(Slot::Decimal { scale, unscaled });
            }
            let start = self.scratch.bytes.len();
            let (at, len) = self.base64(first)?;
            if len == 0 {
                return None;
            }
            let value = DecimalRef::from_be_bytes(&self.scratch.bytes[start..], scale);
            return Some(match value.unscaled() {
                UnscaledRef::Small(unscaled) => {
                    self.scratch.bytes.truncate(start);
                    Slot::Decimal { scale, unscaled }
                }
                UnscaledRef::Big(_) => Slot::BigDecimal { scale, at, len },
            });
        }
        if let Some(unscaled) = self.whole() {
            return Some(Slot::Decimal { scale: 0, unscaled });
        }
        let fraction = self.fraction()?;
        if let Some((unscaled, scale)) = fraction.to_small_decimal() {
            return Some(Slot::Decimal { scale, unscaled });
        }
        let value = fraction.to_decimal(self.document)?;
        Some(match value.view().unscaled() {
            UnscaledRef::Small(unscaled) => Slot::Decimal {
                scale: value.scale(),
                unscaled,
            },
            UnscaledRef::Big(bytes) => {
                let at = narrow(self.scratch.bytes.len());
                self.scratch.bytes.extend_from_slice(bytes);
                Slot::BigDecimal {
                    scale: value.scale(),
                    at,
                    len: narrow(bytes.len()),
                }
            }
        })
    }

    /// The integer whose base64 stands at the opening quote, if it is short; and the position behind it.
    #[inline]
    fn short_base64(&self) -> Option<(i64, usize)> {
        let start = self.at + 1;
        let end = super::find_special(self.document, start)?;
        if self.document.get(end) != Some(&b'"') {
            return None;
        }
        Some((decode_integer(&self.document[start..end])?, end + 1))
    }

    /// Reads base64 in its canonical form into the bytes heap; other forms are for the definition.
    fn base64(&mut self, first: u8) -> Option<(u32, u32)> {
        self.expect(first, b'"')?;
        let start = self.at;
        let end = super::find_special(self.document, start)?;
        if self.document[end] != b'"' {
            return None;
        }
        self.at = end + 1;
        let bytes = &mut self.scratch.bytes;
        let at = bytes.len();
        bytes.resize(at + (end - start).div_ceil(4) * 3, 0);
        let len = STANDARD
            .decode_slice(&self.document[start..end], &mut bytes[at..])
            .ok()?;
        bytes.truncate(at + len);
        Some((narrow(at), narrow(len)))
    }
}

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
use crate::data::{Datum, DecimalRef, Logical, Schema, Type, UnscaledRef, logical};
use crate::plan::{Arena, NodeId};

/// A place in a plan.
pub(crate) type PlaceId = NodeId;

/// How values of one schema are read.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    schema: Schema,
    places: Arena<Place>,
    structs: Vec<StructPlan>,
    root: PlaceId,
}

/// One place of a schema where a value stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    node: Node,
    null: Null,
}

/// What a null, or a missing member, stands for.
#[derive(Clone, Copy, Debug)]
enum Null {
    Stays,
    /// A default that is one slot.
    Default(Slot),
    /// An error, or a default with parts: for the definition.
    Undefined,
}

#[derive(Clone, Copy, Debug)]
enum Node {
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
    /// Maps with other keys than text, and schemas that no value satisfies: for the definition.
    Undefined,
}

#[derive(Debug)]
struct StructPlan {
    fields: Vec<FieldPlan>,
    /// Names with the field's index, in order of names.
    by_name: Vec<(Box<[u8]>, usize)>,
}

#[derive(Debug)]
struct FieldPlan {
    key: Key,
    place: Place,
}

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
    pub(crate) fn compile(schema: &Schema, null_becomes_default: bool) -> Self {
        let mut plan = Self {
            schema: schema.clone(),
            places: Arena::default(),
            structs: Vec::new(),
            root: PlaceId::default(),
        };
        let root = plan.place(schema, null_becomes_default);
        plan.root = plan.places.add(root);
        plan
    }

    pub(crate) const fn schema(&self) -> &Schema {
        &self.schema
    }

    fn place(&mut self, schema: &Schema, defaults: bool) -> Place {
        let null = match schema.default_datum() {
            Some(Datum::Scalar(slot)) if defaults => Null::Default(*slot),
            Some(_) if defaults => Null::Undefined,
            _ if schema.is_optional() => Null::Stays,
            _ => Null::Undefined,
        };
        let node = match schema.logical() {
            Some(Logical::Decimal) => schema
                .decimal_scale()
                .map_or(Node::Undefined, |scale| Node::Decimal { scale }),
            Some(Logical::Date) => Node::Date,
            Some(Logical::Time) => Node::Time,
            Some(Logical::Timestamp) => Node::Timestamp,
            None => self.node(schema, defaults),
        };
        Place { node, null }
    }

    fn node(&mut self, schema: &Schema, defaults: bool) -> Node {
        match schema.kind() {
            Type::Int8 => Node::Int8,
            Type::Int16 => Node::Int16,
            Type::Int32 => Node::Int32,
            Type::Int64 => Node::Int64,
            Type::Float32 => Node::Float32,
            Type::Float64 => Node::Float64,
            Type::Boolean => Node::Boolean,
            Type::String => Node::Text,
            Type::Bytes => Node::Bytes,
            Type::Array => schema.value_schema().map_or(Node::Undefined, |element| {
                let place = self.place(element, defaults);
                Node::Array(self.places.add(place))
            }),
            Type::Map => match (schema.key_schema(), schema.value_schema()) {
                (Some(key), Some(value)) if key.kind() == Type::String => {
                    let place = self.place(value, defaults);
                    Node::Object(self.places.add(place))
                }
                _ => Node::Undefined,
            },
            Type::Struct => {
                let mut fields = Vec::with_capacity(schema.fields().len());
                for field in schema.fields() {
                    let place = self.place(field.schema(), defaults);
                    fields.push(FieldPlan {
                        key: Key::new(field.name().as_bytes()),
                        place,
                    });
                }
                let names = schema.fields().iter();
                let mut by_name: Vec<_> = names
                    .map(|field| (field.name().as_bytes().into(), field.index()))
                    .collect();
                by_name.sort_unstable();
                self.structs.push(StructPlan { fields, by_name });
                Node::Struct(self.structs.len() - 1)
            }
        }
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
            return place.null.slot();
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
            _ => self.other(plan, place.node, first),
        }
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
        let base = self.scratch.slots.len();
        self.scratch.slots.resize(base + fields.len(), UNSET);
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
        for (slot, field) in self.scratch.slots[base..].iter_mut().zip(fields) {
            if is_unset(*slot) {
                *slot = field.place.null.slot()?;
            }
        }
        Some(Slot::Struct { at: narrow(base) })
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
        let Ok(found) = structure
            .by_name
            .binary_search_by(|(known, _)| (**known).cmp(name))
        else {
            self.skip_value()?;
            return Some(next);
        };
        let index = structure.by_name[found].1;
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

impl Null {
    const fn slot(self) -> Option<Slot> {
        match self {
            Self::Stays => Some(Slot::Null),
            Self::Default(slot) => Some(slot),
            Self::Undefined => None,
        }
    }
}

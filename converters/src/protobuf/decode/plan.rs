//! [`Plan`]: the table of a message, for the fast way.

use std::collections::HashMap;

use super::super::ProtobufDataConfig;
use super::super::from_connect::Scalar;
use super::super::schema::{
    Cardinality, Field, FieldType, Message as Linked, MessageId, ProtobufSchema, Special,
};
use super::super::to_connect::{Place, field_type, places, unwraps};
use super::message::{LENGTH, Raw, VARINT, wire_type};
use super::value::default;
use crate::data::Type;
use crate::data::record::Slot;
use crate::limits::PROTO_PLAN_FIELDS_MAX;

/// Messages by number; a message that contains itself is a number again.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Symbols>,
    pub(super) entries: Vec<Entry>,
    pub(super) root: Root,
}

/// What a record is.
#[derive(Debug)]
pub(super) enum Root {
    /// The first of [`Plan::messages`].
    Struct,
    /// What its only field holds.
    Wrapper(Leaf),
}

#[derive(Debug, Default)]
pub(super) struct Message {
    /// The struct before anything was read.
    pub(super) template: Box<[Slot]>,
    /// By number of the field.
    pub(super) steps: Box<[Step]>,
    /// Bits of the fields that must be there.
    pub(super) required: u64,
    /// Places that hold the first symbol of an enum when nothing was read.
    pub(super) symbols: Box<[(u32, u32)]>,
}

/// What is done at a tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Number and wire type as they are expected.
    pub(super) tag: u32,
    /// The tag of single elements, where `tag` is that of a packed list; else the same.
    pub(super) single: u32,
    pub(super) action: Action,
    /// The place in the struct, or in the struct of the union.
    pub(super) target: u32,
    /// The place of the union and how many members it has; no members where there is no union.
    pub(super) union: (u32, u32),
    /// Its bit in [`Message::required`].
    pub(super) bit: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    Leaf(Leaf),
    Message(u32),
    Leaves(Leaf),
    Messages(u32),
    /// One of [`Plan::entries`].
    Map(u32),
    /// Left to the definition.
    Unusual,
}

/// How the entries of a map are read.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Part,
    pub(super) value: Part,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) tag: u32,
    pub(super) action: Action,
    /// What it is when it is not there; nothing where the definition must say it.
    pub(super) absent: Option<Slot>,
}

/// A value without parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    Int8,
    Int16,
    Int32,
    Uint32,
    Sint32,
    Fixed32,
    Sfixed32,
    Int64,
    Sint64,
    Fixed64,
    Float,
    Double,
    Bool,
    Text,
    Bytes,
    /// One of [`Plan::enums`], by its symbol.
    Symbol(u32),
    /// The same, by its number.
    Number(u32),
    Timestamp,
    Date,
    Time,
    Decimal,
    Wrapper(Wrapped),
}

/// What a wrapper message holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wrapped {
    Int32,
    Uint32,
    Int64,
    Float,
    Double,
    Bool,
    Text,
    Bytes,
}

/// The symbols of an enum by number.
#[derive(Debug)]
pub(super) struct Symbols {
    /// Sorted; the first symbol of each number.
    pub(super) list: Vec<(i32, Box<str>)>,
    /// Symbols have the numbers 0, 1, 2 …
    pub(super) is_dense: bool,
    /// The first symbol of the text: what is not set.
    pub(super) zero: Box<str>,
}

impl Symbols {
    #[inline]
    pub(super) fn find(&self, number: i32) -> Option<&str> {
        let at = match self.is_dense {
            true => usize::try_from(number).ok()?,
            false => self.list.binary_search_by_key(&number, |(n, _)| *n).ok()?,
        };
        self.list.get(at).map(|(_, symbol)| &**symbol)
    }
}

/// The table of a message; nothing when the settings leave everything to the definition.
pub(super) fn compile(
    schema: &ProtobufSchema,
    message: MessageId,
    config: &ProtobufDataConfig,
) -> Option<Plan> {
    if config.struct_for_nulls {
        return None;
    }
    let mut compiler = Compiler {
        schema,
        config,
        plan: Plan {
            messages: Vec::new(),
            enums: Vec::new(),
            entries: Vec::new(),
            root: Root::Struct,
        },
        known: HashMap::new(),
        fields: 0,
    };
    if let Some(Special::Wrapper(scalar)) = schema.get(message).special
        && config.wrapper_for_raw_primitives
    {
        compiler.plan.root = Root::Wrapper(Leaf::Wrapper(wrapped(scalar)));
        return Some(compiler.plan);
    }
    compiler.message(message)?;
    Some(compiler.plan)
}

struct Compiler<'a> {
    schema: &'a ProtobufSchema,
    config: &'a ProtobufDataConfig,
    plan: Plan,
    known: HashMap<MessageId, u32>,
    fields: usize,
}

impl Compiler<'_> {
    fn message(&mut self, id: MessageId) -> Option<u32> {
        if let Some(known) = self.known.get(&id) {
            return Some(*known);
        }
        let schema = self.schema;
        let linked = schema.get(id);
        self.fields += linked.fields.len();
        if self.fields > PROTO_PLAN_FIELDS_MAX || self.known.len() > PROTO_PLAN_FIELDS_MAX {
            return None;
        }
        let index = u32::try_from(self.plan.messages.len()).ok()?;
        self.plan.messages.push(Message::default());
        self.known.insert(id, index);
        let mut message = Message::default();
        let mut steps: Vec<(u32, Step)> = Vec::new();
        let mut template = Vec::new();
        let mut symbols = Vec::new();
        for (target, place) in (0..).zip(places(schema, id, self.config)) {
            match place {
                Place::Field(at) => {
                    let field = &linked.fields[at];
                    template.push(self.template(field, target, &mut symbols)?);
                    let oneof = field.is_member;
                    let mut step = self.step(field, target, (0, 0))?;
                    if oneof {
                        // The other members are cleared, and lie elsewhere.
                        step.action = Action::Unusual;
                    }
                    if field.cardinality == Cardinality::Required {
                        step.bit = 1u64.checked_shl(message.required.count_ones())?;
                        message.required |= step.bit;
                    }
                    steps.push((field.number, step));
                }
                Place::Union(at) => {
                    template.push(Slot::Null);
                    self.union(linked, at, target, &mut steps)?;
                }
            }
        }
        steps.sort_by_key(|(number, _)| *number);
        message.steps = steps.into_iter().map(|(_, step)| step).collect();
        message.template = template.into();
        message.symbols = symbols.into();
        self.plan.messages[index as usize] = message;
        Some(index)
    }

    fn union(
        &mut self,
        linked: &Linked,
        oneof: usize,
        target: u32,
        steps: &mut Vec<(u32, Step)>,
    ) -> Option<()> {
        let members = &linked.oneofs[oneof].members;
        let width = u32::try_from(members.len()).ok()?;
        for (member, at) in (0..).zip(members) {
            let field = &linked.fields[*at];
            steps.push((field.number, self.step(field, member, (target, width))?));
        }
        Some(())
    }

    /// A field before anything was read; nothing when that needs heaps.
    fn template(
        &mut self,
        field: &Field,
        target: u32,
        symbols: &mut Vec<(u32, u32)>,
    ) -> Option<Slot> {
        let defaulted = field.is_proto2 && !self.config.optional_for_proto2;
        let is_message = matches!(field.ty, FieldType::Message(_));
        match field.cardinality {
            Cardinality::Repeated => Some(match self.entry_of(field) {
                true => Slot::Map { at: 0, len: 0 },
                false => Slot::Array { at: 0, len: 0 },
            }),
            Cardinality::Implicit => self.zero(field, target, symbols),
            Cardinality::Optional | Cardinality::Explicit | Cardinality::Required
                if defaulted && !is_message && !field.is_member =>
            {
                self.zero(field, target, symbols)
            }
            Cardinality::Optional | Cardinality::Explicit | Cardinality::Required => {
                Some(Slot::Null)
            }
        }
    }

    fn entry_of(&self, field: &Field) -> bool {
        matches!(field.ty, FieldType::Message(id) if self.schema.get(id).as_entry().is_some())
    }

    fn zero(&mut self, field: &Field, target: u32, symbols: &mut Vec<(u32, u32)>) -> Option<Slot> {
        match field.ty {
            FieldType::Enum(id) if !self.config.int_for_enums => {
                if field.default.is_some() {
                    return None;
                }
                symbols.push((target, self.symbols(id)?));
                Some(Slot::Null)
            }
            FieldType::Enum(_) | FieldType::Scalar(_) | FieldType::Message(_) => self.absent(field),
        }
    }

    /// The default of a field, as far as it needs no heap.
    fn absent(&self, field: &Field) -> Option<Slot> {
        let raw = default(self.schema, field).ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "of the width of its type")]
        Some(match (field.ty, raw) {
            (FieldType::Scalar(scalar), Raw::Number(n)) => match field_type(field, scalar) {
                Type::Int8 => Slot::Int8(i8::try_from(n).ok()?),
                Type::Int16 => Slot::Int16(i16::try_from(n).ok()?),
                Type::Int32 => Slot::Int32(n as i32),
                Type::Int64 => Slot::Int64(n),
                Type::Boolean => Slot::Boolean(n != 0),
                Type::Float32 => Slot::Float32(f32::from_bits((n as i32).cast_unsigned())),
                Type::Float64 => Slot::Float64(f64::from_bits(n.cast_unsigned())),
                Type::String | Type::Bytes | Type::Array | Type::Map | Type::Struct => return None,
            },
            (FieldType::Enum(_), Raw::Number(n)) if self.config.int_for_enums => {
                Slot::Int32(n as i32)
            }
            (_, Raw::Text(text)) if text.is_empty() => Slot::Text { at: 0, len: 0 },
            (_, Raw::Bytes(bytes)) if bytes.is_empty() => Slot::Bytes { at: 0, len: 0 },
            (_, Raw::Number(_) | Raw::Text(_) | Raw::Bytes(_) | Raw::Message(_)) => return None,
        })
    }

    fn step(&mut self, field: &Field, target: u32, union: (u32, u32)) -> Option<Step> {
        let wire = match field.ty {
            FieldType::Scalar(scalar) => wire_type(scalar),
            FieldType::Enum(_) => VARINT,
            FieldType::Message(_) => LENGTH,
        };
        let single = field.number << 3 | wire;
        let repeated = field.cardinality == Cardinality::Repeated;
        let tag = match repeated {
            true => field.number << 3 | LENGTH,
            false => single,
        };
        let action = match (field.ty, repeated) {
            (FieldType::Message(id), true) if self.schema.get(id).as_entry().is_some() => {
                Action::Map(self.entry(id)?)
            }
            (_, repeated) => match (self.value(field)?, repeated) {
                (Action::Leaf(leaf), true) => Action::Leaves(leaf),
                (Action::Message(index), true) => Action::Messages(index),
                (action, _) => action,
            },
        };
        Some(Step {
            tag,
            single,
            action,
            target,
            union,
            bit: 0,
        })
    }

    fn entry(&mut self, id: MessageId) -> Option<u32> {
        let schema = self.schema;
        let [key, value] = schema.get(id).as_entry()?;
        let entry = Entry {
            key: self.part(key)?,
            value: self.part(value)?,
        };
        let index = u32::try_from(self.plan.entries.len()).ok()?;
        self.plan.entries.push(entry);
        self.fields += 1;
        Some(index)
    }

    fn part(&mut self, field: &Field) -> Option<Part> {
        let step = self.step(field, 0, (0, 0))?;
        Some(Part {
            tag: step.tag,
            action: match field.cardinality {
                Cardinality::Required => Action::Unusual,
                Cardinality::Implicit
                | Cardinality::Optional
                | Cardinality::Explicit
                | Cardinality::Repeated => step.action,
            },
            absent: self.absent(field),
        })
    }

    /// How one value of a field is read.
    fn value(&mut self, field: &Field) -> Option<Action> {
        Some(match field.ty {
            FieldType::Scalar(scalar) => Action::Leaf(leaf(scalar, field_type(field, scalar))),
            FieldType::Enum(id) => {
                let symbols = self.symbols(id)?;
                Action::Leaf(match (self.config.int_for_enums, field.is_proto2) {
                    (false, _) => Leaf::Symbol(symbols),
                    (true, true) => Leaf::Number(symbols),
                    (true, false) => Leaf::Int32,
                })
            }
            FieldType::Message(id) => match self.schema.get(id).special {
                Some(Special::Wrapper(scalar)) if unwraps(self.config) => {
                    Action::Leaf(Leaf::Wrapper(wrapped(scalar)))
                }
                Some(Special::Decimal) => Action::Leaf(Leaf::Decimal),
                Some(Special::Date) => Action::Leaf(Leaf::Date),
                Some(Special::Time) => Action::Leaf(Leaf::Time),
                Some(Special::Timestamp) => Action::Leaf(Leaf::Timestamp),
                Some(Special::Wrapper(_) | Special::Variant) | None => {
                    Action::Message(self.message(id)?)
                }
            },
        })
    }

    fn symbols(&mut self, id: super::super::schema::EnumId) -> Option<u32> {
        let found = self.schema.get_enum(id);
        self.fields += found.values.len();
        if self.fields > PROTO_PLAN_FIELDS_MAX {
            return None;
        }
        let values = found.values.iter();
        let mut list: Vec<(i32, Box<str>)> = values.map(|(s, n)| (*n, s.clone())).collect();
        // Stable, so that the first symbol of a number stays in front.
        list.sort_by_key(|(number, _)| *number);
        list.dedup_by_key(|(number, _)| *number);
        let is_dense = (0..).zip(&list).all(|(at, (number, _))| at == *number);
        let index = u32::try_from(self.plan.enums.len()).ok()?;
        let zero = found.symbol(found.zero()).unwrap_or_default().into();
        self.plan.enums.push(Symbols {
            list,
            is_dense,
            zero,
        });
        Some(index)
    }
}

const fn leaf(scalar: Scalar, kind: Type) -> Leaf {
    match scalar {
        Scalar::Double => Leaf::Double,
        Scalar::Float => Leaf::Float,
        Scalar::Int64 | Scalar::Uint64 => Leaf::Int64,
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => match (kind, scalar) {
            (Type::Int8, Scalar::Int32) => Leaf::Int8,
            (Type::Int16, Scalar::Int32) => Leaf::Int16,
            (_, Scalar::Sint32) => Leaf::Sint32,
            (_, Scalar::Sfixed32) => Leaf::Sfixed32,
            (_, _) => Leaf::Int32,
        },
        Scalar::Fixed64 | Scalar::Sfixed64 => Leaf::Fixed64,
        Scalar::Fixed32 => Leaf::Fixed32,
        Scalar::Bool => Leaf::Bool,
        Scalar::String => Leaf::Text,
        Scalar::Bytes => Leaf::Bytes,
        Scalar::Uint32 => Leaf::Uint32,
        Scalar::Sint64 => Leaf::Sint64,
    }
}

const fn wrapped(scalar: Scalar) -> Wrapped {
    match scalar {
        Scalar::Double => Wrapped::Double,
        Scalar::Float => Wrapped::Float,
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => Wrapped::Int32,
        Scalar::Uint32 | Scalar::Fixed32 => Wrapped::Uint32,
        Scalar::Bool => Wrapped::Bool,
        Scalar::String => Wrapped::Text,
        Scalar::Bytes => Wrapped::Bytes,
        Scalar::Int64 | Scalar::Uint64 | Scalar::Fixed64 | Scalar::Sfixed64 | Scalar::Sint64 => {
            Wrapped::Int64
        }
    }
}

//! From a Connect schema and its file to a plan.

use std::collections::HashMap;

use super::small::varint;
use super::{
    EncodePlan, FieldPlace, Key, MemberNode, MessageNode, Node, Null, Root, Step, Symbols,
    UnionNode, registered,
};
use crate::data::{Datum, Logical, Schema, Type};
use crate::error::{Error, protobuf_write::Kind};
use crate::limits::PROTO_DEPTH_MAX;
use crate::plan::{Arena, NodeId};
use crate::protobuf::from_connect::{
    self, Generated, Known, Linked, LinkedField, LinkedType, Scalar, scrub,
};
use crate::protobuf::model::Label;
use crate::protobuf::{ProtoFile, ProtobufDataConfig};

const VARINT: u32 = 0;
const FIXED_64: u32 = 1;
const BYTES: u32 = 2;
const FIXED_32: u32 = 5;

impl EncodePlan {
    /// `registered` is the registry's schema where it is another than the generated one, followed by what it refers to.
    pub(crate) fn compile(
        generated: &Generated,
        registered: Option<&[ProtoFile]>,
        config: &ProtobufDataConfig,
    ) -> Result<Self, Error> {
        let mut indexes = generated.indexes.clone();
        if let Some(registered) = registered {
            match registered::place(generated, registered) {
                Ok(found) => indexes = found,
                Err(reason) => {
                    let reason = reason.into();
                    let root = Root::Nothing(Kind::UnlikeRegistered { reason });
                    return Ok(Self::empty(indexes, root));
                }
            }
        }
        let (linked, schema) = match (&generated.root, &generated.connect) {
            (from_connect::Root::Message(linked), Some(schema)) => (linked, schema),
            (from_connect::Root::Wrapper(scalar), Some(schema)) => {
                let place = wrapped(schema, *scalar, "value");
                return Ok(Self::empty(indexes, Root::Wrapper(place)));
            }
            (from_connect::Root::Nothing(kind), _) => {
                return Ok(Self::empty(indexes, Root::Nothing(kind.clone())));
            }
            (_, None) => return Ok(Self::empty(indexes, Root::Nothing(Kind::Schemaless))),
        };
        let mut compiler = Compiler {
            linked,
            config,
            nodes: Arena::default(),
            known: HashMap::new(),
            defaults: Vec::new(),
            depth: 0,
        };
        let root = compiler.message(schema, 0)?;
        let Compiler {
            nodes, defaults, ..
        } = compiler;
        let mut plan = Self {
            nodes,
            ..Self::empty(indexes, Root::Message(root))
        };
        for (place, default) in defaults {
            let bytes = plan.default_bytes(&place, &default).ok();
            plan.defaults.push(bytes);
        }
        Ok(plan)
    }

    fn empty(indexes: crate::wire::MessageIndexes, root: Root) -> Self {
        Self {
            indexes,
            nodes: Arena::default(),
            root,
            defaults: Vec::new(),
        }
    }
}

/// The field of a wrapper message.
fn wrapped(schema: &Schema, scalar: Scalar, name: &str) -> FieldPlace {
    let (step, wire) = leaf(scalar);
    FieldPlace {
        key: key(1, wire),
        slot: 0,
        step,
        has_presence: false,
        null: Null::Skipped,
        kind: schema.kind(),
        name: name.into(),
    }
}

struct Compiler<'a> {
    linked: &'a Linked,
    config: &'a ProtobufDataConfig,
    nodes: Arena<Node>,
    /// Messages by what they are made of: a schema that contains itself comes back here.
    known: HashMap<(Schema, usize), NodeId>,
    defaults: Vec<(FieldPlace, Datum)>,
    depth: usize,
}

/// A place with the numbers that order it among others.
struct Numbered {
    number: u32,
    place: FieldPlace,
}

impl Compiler<'_> {
    fn message(&mut self, schema: &Schema, id: usize) -> Result<NodeId, Error> {
        let key = (schema.clone(), id);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        self.depth += 1;
        if self.depth > 2 * PROTO_DEPTH_MAX {
            return Err(Kind::SchemaTooDeep.into());
        }
        let node = self.nodes.add(Node::Never(Kind::SchemaTooDeep));
        self.known.insert(key, node);
        let mut fields = Vec::new();
        for field in schema.fields() {
            let slot = u32::try_from(field.index()).unwrap_or(u32::MAX);
            let schema = field.schema();
            if from_connect::is_union(schema) {
                self.union(schema, id, slot, field.name(), &mut fields)?;
            } else {
                fields.push(self.field(schema, id, slot, field.name(), false)?);
            }
        }
        // Unions whose members are in a row are one place among the others.
        fields.sort_by_key(|field| field.number);
        let fields = self.joined(fields);
        self.nodes.set(
            node,
            Node::Message(MessageNode {
                schema: schema.clone(),
                slots: schema.fields().len(),
                fields,
            }),
        );
        self.depth -= 1;
        Ok(node)
    }

    /// One place instead of the members of a union that follow each other.
    fn joined(&self, fields: Vec<Numbered>) -> Vec<FieldPlace> {
        let mut out: Vec<FieldPlace> = Vec::with_capacity(fields.len());
        let mut at = 0;
        while let Some(Numbered { place, .. }) = fields.get(at) {
            let union = self.union_of(place);
            let row = match union {
                None => 1,
                Some(union) => {
                    let rest = fields.get(at..).unwrap_or_default();
                    let same = |field: &&Numbered| self.union_of(&field.place) == Some(union);
                    rest.iter().take_while(same).count()
                }
            };
            let members = union.map_or(0, |union| {
                let Node::Union(node) = self.nodes.get(union) else {
                    return 0;
                };
                node.members.len()
            });
            match union {
                Some(union) if row == members => out.push(FieldPlace {
                    step: Step::Union(union),
                    ..place.clone()
                }),
                Some(_) | None => {
                    let row = fields.get(at..at + row).unwrap_or_default();
                    out.extend(row.iter().map(|field| field.place.clone()));
                }
            }
            at += row;
        }
        out
    }

    fn union_of(&self, place: &FieldPlace) -> Option<NodeId> {
        let Step::Member(id) = place.step else {
            return None;
        };
        let Node::Member(node) = self.nodes.get(id) else {
            return None;
        };
        Some(node.union)
    }

    fn union(
        &mut self,
        schema: &Schema,
        message: usize,
        slot: u32,
        name: &str,
        out: &mut Vec<Numbered>,
    ) -> Result<(), Error> {
        let mut members = Vec::new();
        for member in schema.fields() {
            let slot = u32::try_from(member.index()).unwrap_or(u32::MAX);
            members.push(self.field(member.schema(), message, slot, member.name(), true)?);
        }
        let numbers: Vec<u32> = members.iter().map(|member| member.number).collect();
        let union = self.nodes.add(Node::Union(UnionNode {
            schema: schema.clone(),
            members: members.into_iter().map(|member| member.place).collect(),
        }));
        for (index, number) in numbers.into_iter().enumerate() {
            let member = self.nodes.add(Node::Member(MemberNode { union, index }));
            let mut place = FieldPlace {
                key: Key::NONE,
                slot,
                step: Step::Member(member),
                has_presence: true,
                null: Null::Skipped,
                kind: Type::Struct,
                name: name.into(),
            };
            self.default(&mut place, schema);
            out.push(Numbered { number, place });
        }
        Ok(())
    }

    fn field(
        &mut self,
        schema: &Schema,
        message: usize,
        slot: u32,
        name: &str,
        is_member: bool,
    ) -> Result<Numbered, Error> {
        let mut place = FieldPlace {
            key: Key::NONE,
            slot,
            step: Step::Boolean,
            has_presence: true,
            null: Null::Skipped,
            kind: schema.kind(),
            name: name.into(),
        };
        let linked = self.linked;
        let scrubbed = scrub(name, self.config.scrub_invalid_names);
        let message = linked.messages.get(message);
        let Some(field) = message.and_then(|message| message.field(&scrubbed)) else {
            let field = name.into();
            place.step = self.never(Kind::FieldNotFound { field });
            return Ok(Numbered { number: 0, place });
        };
        let repeated = field.label == Some(Label::Repeated);
        if repeated == matches!(schema.kind(), Type::Array | Type::Map) {
            place = self.place(place, schema, field, is_member)?;
        } else {
            let (kind, found) = (schema.kind(), if repeated { "a list" } else { "no list" });
            place.step = self.never(Kind::OtherType { kind, found });
        }
        self.default(&mut place, schema);
        let number = field.number;
        Ok(Numbered { number, place })
    }

    /// What a null at that place becomes.
    fn default(&mut self, place: &mut FieldPlace, schema: &Schema) {
        let Some(default) = schema.default_datum() else {
            return;
        };
        let is_null = schema
            .default_value()
            .is_none_or(crate::data::Value::is_null);
        if self.config.ignore_default_for_nullables || is_null {
            return;
        }
        let index = u32::try_from(self.defaults.len()).unwrap_or(u32::MAX);
        self.defaults.push((place.clone(), default.clone()));
        place.null = Null::Default(index);
    }

    fn never(&mut self, why: Kind) -> Step {
        Step::Never(self.nodes.add(Node::Never(why)))
    }

    /// The place of a field, without its default.
    fn place(
        &mut self,
        place: FieldPlace,
        schema: &Schema,
        field: &LinkedField,
        is_member: bool,
    ) -> Result<FieldPlace, Error> {
        if schema.kind() == Type::Array {
            return self.list(place, schema, field, is_member);
        }
        if schema.kind() == Type::Map {
            return self.map(place, schema, field);
        }
        let (step, wire) = self.step(schema, field, is_member)?;
        Ok(FieldPlace {
            key: key(field.number, wire),
            step,
            has_presence: field.has_presence(),
            ..place
        })
    }

    /// How one value is written, and its wire type.
    fn step(
        &mut self,
        schema: &Schema,
        field: &LinkedField,
        is_member: bool,
    ) -> Result<(Step, u32), Error> {
        let kind = schema.kind();
        if let Some(logical) = from_connect::logical(schema) {
            let (known, step) = match logical {
                Logical::Decimal => (Known::Decimal, Step::Decimal),
                Logical::Date => (Known::Date, Step::Date),
                Logical::Time => (Known::Time, Step::Time),
                Logical::Timestamp => (Known::Timestamp, Step::Timestamp),
            };
            return Ok(match field.ty == LinkedType::Known(known) {
                true => (step, BYTES),
                false => (self.other_type(kind, field), BYTES),
            });
        }
        if let Some(scalar) = from_connect::wrapper(schema, is_member, self.config) {
            if field.ty != LinkedType::Known(Known::Wrapper(scalar)) {
                return Ok((self.other_type(kind, field), BYTES));
            }
            let inner = wrapped(schema, scalar, "value");
            let node = self.nodes.add(Node::Wrapper(inner));
            return Ok((Step::Wrapper(node), BYTES));
        }
        let parameter = from_connect::enum_parameter(schema, self.config);
        Ok(match (field.ty, parameter) {
            (LinkedType::Enum(id), Some(parameter)) => {
                let symbols = self.symbols(schema, parameter, id);
                (Step::Enum(self.nodes.add(Node::Enum(symbols))), VARINT)
            }
            (LinkedType::Message(id), None) if kind == Type::Struct => {
                (Step::Message(self.message(schema, id)?), BYTES)
            }
            (LinkedType::Scalar(scalar), None) if takes(scalar, kind) => leaf(scalar),
            _ => (self.other_type(kind, field), BYTES),
        })
    }

    fn other_type(&mut self, kind: Type, field: &LinkedField) -> Step {
        let found = match field.ty {
            LinkedType::Scalar(scalar) => scalar.word(),
            LinkedType::Message(_) | LinkedType::Known(_) => "message",
            LinkedType::Enum(_) => "enum",
        };
        self.never(Kind::OtherType { kind, found })
    }

    /// The symbols of the schema that the enum has under the same numbers.
    fn symbols(&self, schema: &Schema, parameter: &str, id: usize) -> Symbols {
        let values = self.linked.enums.get(id).map_or(&[][..], |values| values);
        let all: Box<[i32]> = values.iter().map(|(_, number)| *number).collect();
        let prefix = format!("{parameter}.");
        let parameters = schema.parameters().unwrap_or_default().iter();
        let numbers = parameters.filter_map(|(name, number)| {
            let symbol = name.strip_prefix(&*prefix)?;
            let number = number.parse().ok().filter(|number| all.contains(number))?;
            Some((symbol.into(), number))
        });
        Symbols {
            numbers: numbers.collect(),
            first: all.first().copied().unwrap_or_default(),
            all,
        }
    }

    fn list(
        &mut self,
        place: FieldPlace,
        schema: &Schema,
        field: &LinkedField,
        is_member: bool,
    ) -> Result<FieldPlace, Error> {
        let Some(element) = schema.value_schema() else {
            return Err(Kind::ElementsWithoutSchema.into());
        };
        // Entries of a map would be elements themselves.
        let has_parts = matches!(element.kind(), Type::Array | Type::Map);
        let (step, wire) = match has_parts {
            true => (self.other_type(element.kind(), field), BYTES),
            false => self.step(element, field, is_member)?,
        };
        let is_packed = wire != BYTES;
        let element = FieldPlace {
            key: match is_packed {
                true => Key::NONE,
                false => key(field.number, wire),
            },
            slot: 0,
            step,
            has_presence: true,
            null: Null::Refused,
            kind: element.kind(),
            name: Box::default(),
        };
        let node = self.nodes.add(Node::List(element));
        Ok(FieldPlace {
            key: key(field.number, BYTES),
            step: match is_packed {
                true => Step::Packed(node),
                false => Step::List(node),
            },
            ..place
        })
    }

    fn map(
        &mut self,
        place: FieldPlace,
        schema: &Schema,
        field: &LinkedField,
    ) -> Result<FieldPlace, Error> {
        let (Some(of_key), Some(of_value)) = (schema.key_schema(), schema.value_schema()) else {
            return Err(Kind::ElementsWithoutSchema.into());
        };
        let LinkedType::Message(id) = field.ty else {
            let step = self.other_type(Type::Map, field);
            return Ok(FieldPlace { step, ..place });
        };
        self.depth += 1;
        if self.depth > 2 * PROTO_DEPTH_MAX {
            return Err(Kind::SchemaTooDeep.into());
        }
        // A null in an entry stays away, whatever the defaults say.
        let of_key = self.field(of_key, id, 0, "key", false)?.place;
        let of_value = self.field(of_value, id, 0, "value", false)?.place;
        self.depth -= 1;
        let never_default = |place: FieldPlace| FieldPlace {
            null: Null::Skipped,
            ..place
        };
        let node = Node::Map(never_default(of_key), never_default(of_value));
        Ok(FieldPlace {
            key: key(field.number, BYTES),
            step: Step::Map(self.nodes.add(node)),
            ..place
        })
    }
}

fn key(number: u32, wire: u32) -> Key {
    let (bytes, len) = varint(u64::from(number) << 3 | u64::from(wire));
    Key {
        bytes: u64::try_from(bytes).unwrap_or_default(),
        len: u8::try_from(len).unwrap_or_default(),
    }
}

/// Whether the JVM's object for such values fits a scalar type.
const fn takes(scalar: Scalar, kind: Type) -> bool {
    match scalar {
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => {
            matches!(kind, Type::Int8 | Type::Int16 | Type::Int32)
        }
        // These are read as INT64, and written from either.
        Scalar::Uint32 | Scalar::Fixed32 => matches!(kind, Type::Int32 | Type::Int64),
        Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 | Scalar::Uint64 | Scalar::Fixed64 => {
            matches!(kind, Type::Int64)
        }
        Scalar::Float => matches!(kind, Type::Float32),
        Scalar::Double => matches!(kind, Type::Float64),
        Scalar::Bool => matches!(kind, Type::Boolean),
        Scalar::String => matches!(kind, Type::String),
        Scalar::Bytes => matches!(kind, Type::Bytes),
    }
}

const fn leaf(scalar: Scalar) -> (Step, u32) {
    match scalar {
        Scalar::Double => (Step::Double, FIXED_64),
        Scalar::Float => (Step::Float, FIXED_32),
        Scalar::Int64 | Scalar::Uint64 => (Step::Int64, VARINT),
        Scalar::Int32 => (Step::Int32, VARINT),
        Scalar::Uint32 => (Step::Uint32, VARINT),
        Scalar::Fixed64 | Scalar::Sfixed64 => (Step::Fixed64, FIXED_64),
        Scalar::Fixed32 | Scalar::Sfixed32 => (Step::Fixed32, FIXED_32),
        Scalar::Bool => (Step::Boolean, VARINT),
        Scalar::String => (Step::String, BYTES),
        Scalar::Bytes => (Step::Bytes, BYTES),
        Scalar::Sint32 => (Step::Sint32, VARINT),
        Scalar::Sint64 => (Step::Sint64, VARINT),
    }
}

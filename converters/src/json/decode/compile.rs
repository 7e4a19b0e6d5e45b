//! From a Connect schema to a plan.

use std::collections::HashMap;

use super::shape::Key;
use super::typed::{
    DecodePlan, FieldPlan, Member, Node, Null, Place, PlaceId, StructPlan, UNION_STRUCTS_MAX,
    UnionPlan,
};
use crate::data::{Datum, Logical, Origin, Schema, Type};
use crate::plan::Arena;

/// Whose documents they are: what schemas mean beyond their types.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Dialect {
    /// Those of `JsonConverter`. A null may become the default.
    Json { null_becomes_default: bool },
    /// Those of `JsonSchemaConverter`; the function says what a struct is.
    JsonSchema(fn(&Schema) -> Role),
}

/// What a struct is besides itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Plain,
    /// Its last field keeps the members that the others do not name.
    Open,
    /// It has one field for each type it may hold.
    Union,
    /// Any JSON.
    Variant,
}

/// A default text of more bytes is for the definition.
const DEFAULT_TEXT_BYTES_MAX: usize = 64;

impl DecodePlan {
    /// How `JsonConverter` reads values of a schema.
    pub(crate) fn compile(schema: &Schema, null_becomes_default: bool) -> Self {
        Self::compile_as(
            schema,
            Dialect::Json {
                null_becomes_default,
            },
        )
    }

    /// How a dialect's values of a schema are read.
    pub(crate) fn compile_as(schema: &Schema, dialect: Dialect) -> Self {
        let mut compiler = Compiler {
            plan: Self {
                schema: schema.clone(),
                places: Arena::default(),
                structs: Vec::new(),
                unions: Vec::new(),
                texts: Vec::new(),
                root: PlaceId::default(),
            },
            dialect,
            recursive: HashMap::new(),
        };
        let root = compiler.place(schema, false);
        let mut plan = compiler.plan;
        plan.root = plan.places.add(root);
        plan
    }
}

struct Compiler {
    plan: DecodePlan,
    dialect: Dialect,
    /// Structs that contain themselves, by where they come from and whether they lie in another struct.
    recursive: HashMap<(Origin, bool), Node>,
}

impl Compiler {
    /// `inside`: of another struct.
    fn place(&mut self, schema: &Schema, inside: bool) -> Place {
        let defaults = match self.dialect {
            Dialect::Json {
                null_becomes_default,
            } => null_becomes_default,
            Dialect::JsonSchema(_) => true,
        };
        let null = match schema.default_datum() {
            Some(Datum::Scalar(slot)) if defaults => Null::Default(*slot),
            Some(_) if defaults => self.default_text(schema),
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
            None => self.node(schema, inside),
        };
        Place { node, null }
    }

    fn default_text(&mut self, schema: &Schema) -> Null {
        match schema.default_value().and_then(|value| value.as_str()) {
            Some(text) if text.len() <= DEFAULT_TEXT_BYTES_MAX => {
                self.plan.texts.push(text.into());
                Null::Text(self.plan.texts.len() - 1)
            }
            Some(_) | None => Null::Undefined,
        }
    }

    fn node(&mut self, schema: &Schema, inside: bool) -> Node {
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
                let place = self.place(element, inside);
                Node::Array(self.plan.places.add(place))
            }),
            Type::Map => match (schema.key_schema(), schema.value_schema()) {
                (Some(key), Some(value)) if self.is_object(key) => {
                    let place = self.place(value, inside);
                    Node::Object(self.plan.places.add(place))
                }
                _ => Node::Undefined,
            },
            Type::Struct => self.structure(schema, inside),
        }
    }

    /// Whether maps with such keys are objects.
    fn is_object(&self, key: &Schema) -> bool {
        let optional = match self.dialect {
            Dialect::Json { .. } => false,
            Dialect::JsonSchema(_) => key.is_optional(),
        };
        key.kind() == Type::String && !optional
    }

    fn structure(&mut self, schema: &Schema, inside: bool) -> Node {
        let role = match self.dialect {
            Dialect::Json { .. } => Role::Plain,
            Dialect::JsonSchema(role) => role(schema),
        };
        if role == Role::Variant {
            return Node::Undefined;
        }
        if !schema.is_recursive() {
            return self.parts(schema, role, inside, None);
        }
        let key = (Origin::of(schema), inside);
        if let Some(known) = self.recursive.get(&key) {
            return *known;
        }
        self.parts(schema, role, inside, Some(key))
    }

    fn parts(
        &mut self,
        schema: &Schema,
        role: Role,
        inside: bool,
        key: Option<(Origin, bool)>,
    ) -> Node {
        let is_union = role == Role::Union;
        let (node, index) = if is_union {
            self.plan.unions.push(UnionPlan::default());
            let index = self.plan.unions.len() - 1;
            (Node::Union(index), index)
        } else {
            self.plan.structs.push(StructPlan::default());
            let index = self.plan.structs.len() - 1;
            (Node::Struct(index), index)
        };
        // Before its fields, so that those that contain it find it.
        if let Some(key) = key {
            self.recursive.insert(key, node);
        }
        if is_union {
            self.plan.unions[index] = self.union(schema);
        } else {
            self.plan.structs[index] = self.fields(schema, role, inside);
        }
        node
    }

    fn fields(&mut self, schema: &Schema, role: Role, inside: bool) -> StructPlan {
        let mut fields = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let keeps_others = role == Role::Open && field.index() + 1 == schema.fields().len();
            let place = if keeps_others {
                Place {
                    node: Node::Undefined,
                    null: Null::Undefined,
                }
            } else {
                self.place(field.schema(), true)
            };
            let missing = match (self.dialect, place.null) {
                _ if keeps_others => Null::Stays,
                // Nobody checks the outermost struct.
                (Dialect::JsonSchema(_), Null::Undefined)
                    if !inside && field.schema().default_datum().is_none() =>
                {
                    Null::Stays
                }
                (Dialect::Json { .. } | Dialect::JsonSchema(_), null) => null,
            };
            fields.push(FieldPlan {
                key: Key::new(field.name().as_bytes()),
                place,
                missing,
            });
        }
        let names = schema.fields().iter();
        let mut by_name: Vec<_> = names
            .map(|field| (field.name().as_bytes().into(), field.index()))
            .collect();
        by_name.sort_unstable();
        StructPlan {
            fields,
            by_name,
            passes_unknown: role != Role::Open,
        }
    }

    fn union(&mut self, schema: &Schema) -> UnionPlan {
        let mut union = UnionPlan {
            width: schema.fields().len(),
            ..UnionPlan::default()
        };
        let mut structs = Vec::new();
        for field in schema.fields() {
            let place = self.place(field.schema(), true);
            let member = Member {
                index: field.index(),
                place,
            };
            let first = |choice: &mut Option<Member>| {
                choice.get_or_insert(member);
            };
            match field.schema().kind() {
                Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => first(&mut union.whole),
                Type::Float32 | Type::Float64 => {
                    first(&mut union.whole);
                    first(&mut union.fraction);
                }
                Type::Boolean => first(&mut union.boolean),
                Type::String => first(&mut union.text),
                Type::Array => first(&mut union.array),
                Type::Map => {
                    first(&mut union.array);
                    first(&mut union.object);
                }
                Type::Bytes => {}
                Type::Struct => structs.push(member),
            }
        }
        // Unions and variants inside a union have no names of their own that a document has: they are for the definition.
        let known = structs.iter().map(|member| {
            if let Node::Struct(index) = member.place.node {
                Some((*member, index))
            } else {
                None
            }
        });
        union.structs = known.collect::<Option<_>>().unwrap_or_default();
        if union.structs.len() > UNION_STRUCTS_MAX {
            union.structs.clear();
        }
        union
    }
}

//! From what is known of a Rust type to its Connect schema.

use std::collections::HashMap;

use super::arena::{Arena, Body, Content, DefId, Leaf, Node, NodeId, Variant};
use crate::data::{Knot, KnotId, Schema, SchemaBuilder, logical};
use crate::error::{Error, typed::Kind};
use crate::typed::Symbols;

pub(super) fn schema(arena: &Arena, root: NodeId, symbols: Symbols) -> Result<Schema, Error> {
    let count = arena.definitions.len();
    let mut build = Build {
        arena,
        symbols,
        knot: Knot::new(),
        begun: vec![None; count],
        done: vec![None; count],
        names: HashMap::new(),
    };
    let schema = build.node(root, false)?;
    build.knot.tie(schema)
}

struct Build<'a> {
    arena: &'a Arena,
    symbols: Symbols,
    knot: Knot,
    begun: Vec<Option<KnotId>>,
    /// Required schemas of finished definitions.
    done: Vec<Option<Schema>>,
    names: HashMap<String, DefId>,
}

impl Build<'_> {
    fn node(&mut self, id: NodeId, optional: bool) -> Result<Schema, Error> {
        let builder = match self.arena.node(id) {
            // Rounds end when nothing is unknown.
            Node::Unknown => SchemaBuilder::string(),
            Node::Leaf(leaf) => of_leaf(leaf),
            Node::Option(inner) => return self.node(inner, true),
            Node::Sequence(inner) | Node::Tuple(inner) => {
                if matches!(self.arena.node(inner), Node::Leaf(Leaf::Byte)) {
                    SchemaBuilder::bytes()
                } else {
                    SchemaBuilder::array(self.node(inner, false)?)
                }
            }
            Node::Map(key, value) => {
                let key = self.key(key)?;
                SchemaBuilder::map(key, self.node(value, false)?)
            }
            Node::Named(definition) => return self.definition(definition, optional),
        };
        finish(builder, optional)
    }

    fn key(&mut self, id: NodeId) -> Result<Schema, Error> {
        let schema = self.node(id, false)?;
        if schema.is_optional() || !schema.kind().is_primitive() {
            return Err(Kind::Untraceable {
                what: format!("keys of a map are of the type {}", schema.kind().name()).into(),
                advice: "Use text or numbers as keys, or a sequence of structs",
            }
            .into());
        }
        Ok(schema)
    }

    fn definition(&mut self, id: DefId, optional: bool) -> Result<Schema, Error> {
        if let Some(schema) = self.done[id.0].clone() {
            return self.occurrence(id, schema, optional);
        }
        if let Some(knot) = self.begun[id.0] {
            return Ok(self.knot.reference(knot, optional));
        }
        let definition = &self.arena.definitions[id.0];
        let name = &definition.identity.schema_name();
        if let Body::Enum(variants) = &definition.body
            && variants.iter().all(|v| matches!(v.content, Content::Unit))
        {
            self.claim(name, id)?;
            let schema = self.enumeration(name, variants).build()?;
            self.done[id.0] = Some(schema.clone());
            return self.occurrence(id, schema, optional);
        }
        let knot = self.knot.reserve();
        self.begun[id.0] = Some(knot);
        let builder = match &definition.body {
            Body::Struct(members) => {
                self.claim(name, id)?;
                let mut builder = SchemaBuilder::structure().name(name);
                for member in members {
                    let field = self.node(member.node, false)?;
                    builder = builder.field(member.name, field);
                }
                builder
            }
            Body::Enum(variants) => {
                self.claim(name, id)?;
                self.variants(name, variants)?
            }
        };
        let schema = self.knot.define(knot, builder.build()?);
        self.done[id.0] = Some(schema.clone());
        self.occurrence(id, schema, optional)
    }

    /// An enum whose variants hold nothing: a string, which may tell its symbols.
    fn enumeration(&self, name: &str, variants: &[Variant]) -> SchemaBuilder {
        let Some(parameter) = self.symbols.parameter() else {
            return SchemaBuilder::string();
        };
        let owner = match self.symbols {
            Symbols::Json => "",
            Symbols::Text | Symbols::Avro | Symbols::Protobuf | Symbols::Generalized => name,
        };
        let builder = SchemaBuilder::string()
            .name(name)
            .parameter(parameter, owner);
        (variants.iter().enumerate()).fold(builder, |builder, (place, variant)| {
            let key = format!("{parameter}.{}", variant.name);
            match self.symbols {
                Symbols::Protobuf | Symbols::Generalized => {
                    builder.parameter(&key, &place.to_string())
                }
                Symbols::Text | Symbols::Avro | Symbols::Json => {
                    builder.parameter(&key, variant.name)
                }
            }
        })
    }

    /// An enum whose variants hold something: a struct of which one field is set.
    fn variants(&mut self, name: &str, variants: &[Variant]) -> Result<SchemaBuilder, Error> {
        let mut builder = SchemaBuilder::structure().name(name);
        for variant in variants {
            let field = match variant.content {
                Content::Unknown | Content::Unit => Schema::optional_boolean(),
                Content::Some(node) => self.node(node, true)?,
            };
            builder = builder.field(variant.name, field);
        }
        Ok(builder)
    }

    fn occurrence(&mut self, id: DefId, schema: Schema, optional: bool) -> Result<Schema, Error> {
        match self.begun[id.0] {
            _ if !optional => Ok(schema),
            Some(knot) if schema.recursion().is_some() => Ok(self.knot.reference(knot, true)),
            Some(_) | None => SchemaBuilder::from(schema).optional().build(),
        }
    }

    /// A schema's name means one type.
    fn claim(&mut self, name: &str, id: DefId) -> Result<(), Error> {
        let owner = *self.names.entry(name.to_owned()).or_insert(id);
        if owner == id {
            return Ok(());
        }
        Err(Kind::NameTwice { name: name.into() }.into())
    }
}

fn finish(builder: SchemaBuilder, optional: bool) -> Result<Schema, Error> {
    if optional {
        builder.optional().build()
    } else {
        builder.build()
    }
}

fn of_leaf(leaf: Leaf) -> SchemaBuilder {
    match leaf {
        Leaf::Boolean => SchemaBuilder::boolean(),
        Leaf::Int8 => SchemaBuilder::int8(),
        Leaf::Int16 | Leaf::Byte => SchemaBuilder::int16(),
        Leaf::Int32 => SchemaBuilder::int32(),
        Leaf::Int64 => SchemaBuilder::int64(),
        Leaf::Float32 => SchemaBuilder::float32(),
        Leaf::Float64 => SchemaBuilder::float64(),
        Leaf::String => SchemaBuilder::string(),
        Leaf::Bytes => SchemaBuilder::bytes(),
        Leaf::Date => logical::date(),
        Leaf::Time => logical::time(),
        Leaf::Timestamp => logical::timestamp(),
        Leaf::Decimal(scale) => logical::decimal(scale),
    }
}

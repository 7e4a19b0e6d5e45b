//! From a JSON tree to a Connect value: the obvious way, which defines the meaning of every document.
//!
//! Leaves are read as `JsonConverter` reads them, with its deliberate differences. A property that is missing takes the
//! default; without one it stays null, and if its field is required that is an error only inside another struct: the JVM
//! checks a struct when it is put into a field, and nobody checks the outermost one.

use std::collections::HashMap;

use super::{others, role, variant};
use crate::data::{Builder, Schema, SchemaAndValue, Type, hash_order};
use crate::differs::Differences;
use crate::error::{Error, json, json_schema_read::Kind};
use crate::json::convert::{Entries, Reading};
use crate::json::decode::Role;
use crate::json_schema::JsonSchemaDataConfig;
use crate::json_schema::names;
use crate::json_text::Document;
use crate::json_text::tree::{Number, Text, Tree};
use crate::limits::JSON_VALUES_MAX;

/// The value of a default.
pub(in crate::json_schema) fn default(
    schema: &Schema,
    document: &Document,
    config: &JsonSchemaDataConfig,
) -> Result<(SchemaAndValue, Differences), Error> {
    let mut converting = Converting::new(config.preserve_additional_properties);
    let value = converting.document(schema, Some(&tree(document)))?;
    Ok((value, converting.differences()))
}

/// A document of a schema text as a record's. Levels are those of the text that it was read from.
fn tree(document: &Document) -> Tree {
    let text = |value: &str| Text {
        value: value.to_owned(),
        flaw: None,
    };
    match document {
        Document::Null => Tree::Null,
        Document::Boolean(value) => Tree::Boolean(*value),
        Document::Number {
            text,
            integral: is_whole,
        } => Tree::Number(Number {
            text: text.clone(),
            integral: *is_whole,
        }),
        Document::Text(value) => Tree::Text(text(value)),
        Document::Array(values) => Tree::Array(values.iter().map(tree).collect()),
        Document::Object(members) => {
            let members = members.iter();
            Tree::Object(
                members
                    .map(|(name, value)| (text(name), tree(value)))
                    .collect(),
            )
        }
    }
}

/// Whether a value lies in a field of a struct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// At the root, or in arrays and maps there.
    Outside,
    InStruct,
}

/// Converts one document.
pub(super) struct Converting {
    leaves: Reading,
    keeps_others: bool,
    /// Fields of structs so far.
    values: usize,
}

impl Converting {
    pub(super) fn new(keeps_others: bool) -> Self {
        Self {
            leaves: Reading {
                null_becomes_default: true,
                differences: Differences::default(),
            },
            keeps_others,
            values: 0,
        }
    }

    fn count(&mut self, schema: &Schema) -> Result<(), Error> {
        self.values += schema.fields().len();
        if self.values > JSON_VALUES_MAX {
            return Err(Kind::TooManyValues {
                limit: JSON_VALUES_MAX,
            }
            .into());
        }
        Ok(())
    }

    pub(super) const fn differences(&self) -> Differences {
        self.leaves.differences
    }

    /// Converts a document; `None` is an empty one.
    pub(super) fn document(
        &mut self,
        schema: &Schema,
        tree: Option<&Tree>,
    ) -> Result<SchemaAndValue, Error> {
        let Some(tree) = tree else {
            return Err(json::Kind::TokenUnexpected {
                expected: schema.kind().name(),
                found: "MISSING",
            }
            .into());
        };
        self.datum(schema, tree, Where::Outside)
    }

    fn datum(
        &mut self,
        schema: &Schema,
        tree: &Tree,
        place: Where,
    ) -> Result<SchemaAndValue, Error> {
        let mut out = Builder::new(Some(schema.clone()));
        self.value(schema, tree, place, &mut out)?;
        out.finish()
    }

    fn value(
        &mut self,
        schema: &Schema,
        tree: &Tree,
        place: Where,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let role = role(schema);
        // A variant has a null of its own.
        if tree.is_null() && (role != Role::Variant || schema.is_optional()) {
            return null(schema, out);
        }
        match (schema.kind(), role) {
            (Type::Struct, Role::Union) => self.union(schema, tree, out),
            (Type::Struct, Role::Variant) => variant::put(schema, tree, out),
            (Type::Struct, Role::Plain | Role::Open) => self.structure(schema, tree, place, out),
            (Type::Array, _) => self.array(schema, tree, place, out),
            (Type::Map, _) => self.map(schema, tree, place, out),
            (
                Type::Int8
                | Type::Int16
                | Type::Int32
                | Type::Int64
                | Type::Float32
                | Type::Float64
                | Type::Boolean
                | Type::String
                | Type::Bytes,
                _,
            ) => self.leaves.leaf(schema, tree, out),
        }
    }

    fn array(
        &mut self,
        schema: &Schema,
        tree: &Tree,
        place: Where,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let (Tree::Array(elements), Some(element_schema)) = (tree, schema.value_schema()) else {
            return self.leaves.leaf(schema, tree, out);
        };
        out.begin_array();
        for (index, element) in elements.iter().enumerate() {
            self.value(element_schema, element, place, out)
                .map_err(|e| e.in_element(index))?;
        }
        out.end_array();
        Ok(())
    }

    fn map(
        &mut self,
        schema: &Schema,
        tree: &Tree,
        place: Where,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let (Some(keys), Some(values)) = (schema.key_schema(), schema.value_schema()) else {
            return self.leaves.leaf(schema, tree, out);
        };
        if names::has_text_keys(schema) {
            let Tree::Object(members) = tree else {
                return Err(json::Kind::MapNotObject { found: tree.kind() }.into());
            };
            return self.object_map(members, values, place, out);
        }
        let Tree::Array(entries) = tree else {
            return Err(Kind::MapNotArray { found: tree.kind() }.into());
        };
        let mut list = Entries::default();
        for (index, entry) in entries.iter().enumerate() {
            let (key, value) = members_of_entry(entry).map_err(|e| e.in_element(index))?;
            let key = self.datum(keys, key, place).map_err(|e| e.in_key(index))?;
            let value = self
                .datum(values, value, place)
                .map_err(|e| e.in_map_value(index))?;
            list.put(key, value);
        }
        list.finish(out);
        Ok(())
    }

    /// An object as a map with text keys, in the order of a `HashMap`.
    fn object_map(
        &mut self,
        members: &[(Text, Tree)],
        values: &Schema,
        place: Where,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let mut hashes = Vec::with_capacity(members.len());
        for (name, _) in members {
            hashes.push(hash_order::string_hash(name.get()?));
        }
        let mut order = Vec::new();
        hash_order::iteration_order(&hashes, &mut order);
        out.begin_map();
        for index in order {
            let (name, value) = &members[index as usize];
            out.string(name.get()?);
            self.value(values, value, place, out)
                .map_err(|e| e.in_map_value(index as usize))?;
        }
        out.end_map();
        Ok(())
    }

    fn structure(
        &mut self,
        schema: &Schema,
        tree: &Tree,
        place: Where,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let Tree::Object(members) = tree else {
            return Err(json::Kind::StructNotObject { found: tree.kind() }.into());
        };
        let by_name: HashMap<&str, &Tree> = members
            .iter()
            .filter(|(name, _)| name.flaw.is_none())
            .map(|(name, value)| (name.value.as_str(), value))
            .collect();
        let others = others(schema).filter(|_| self.keeps_others);
        self.count(schema)?;
        out.begin_struct(schema);
        for field in schema.fields() {
            if Some(field.index()) == others {
                put_others(schema, members, out)?;
                continue;
            }
            match by_name.get(field.name()) {
                Some(tree) => self.value(field.schema(), tree, Where::InStruct, out),
                None => missing(field.schema(), place, out),
            }
            .map_err(|e| e.in_field(field.name()))?;
        }
        out.end_struct();
        Ok(())
    }

    fn union(&mut self, schema: &Schema, tree: &Tree, out: &mut Builder) -> Result<(), Error> {
        let index = chosen(schema, tree).ok_or(Kind::NoUnionField)?;
        let Some(field) = schema.fields().get(index) else {
            return Err(Kind::NoUnionField.into());
        };
        self.count(schema)?;
        out.begin_struct(schema);
        out.field(index);
        self.value(field.schema(), tree, Where::InStruct, out)
            .map_err(|e| e.in_field(field.name()))?;
        out.end_struct();
        Ok(())
    }
}

fn null(schema: &Schema, out: &mut Builder) -> Result<(), Error> {
    match schema.default_value() {
        Some(default) => {
            out.copy(default);
        }
        None if schema.is_optional() => {
            out.null();
        }
        None => {
            return Err(json::Kind::NullForRequired {
                kind: schema.kind(),
            }
            .into());
        }
    }
    Ok(())
}

fn missing(schema: &Schema, place: Where, out: &mut Builder) -> Result<(), Error> {
    if place == Where::Outside && schema.default_value().is_none() {
        out.null();
        return Ok(());
    }
    null(schema, out)
}

/// Key and value of a map's entry. What is missing is null.
fn members_of_entry(entry: &Tree) -> Result<(&Tree, &Tree), Error> {
    const NULL: &Tree = &Tree::Null;
    let Tree::Object(members) = entry else {
        return Err(Kind::EntryNotObject {
            found: entry.kind(),
        }
        .into());
    };
    if members.len() != 2 {
        return Err(Kind::EntryLength {
            length: members.len(),
        }
        .into());
    }
    Ok((
        entry.get(names::KEY).unwrap_or(NULL),
        entry.get(names::VALUE).unwrap_or(NULL),
    ))
}

/// The properties that the schema does not declare, as a map of variants; null without any.
fn put_others(schema: &Schema, members: &[(Text, Tree)], out: &mut Builder) -> Result<(), Error> {
    let Some(field) = schema.fields().last() else {
        return Ok(());
    };
    if members.iter().any(|(name, _)| name.value == field.name()) {
        return Err(Kind::ReservedMember.into());
    }
    let declared: HashMap<&str, ()> = schema.fields().iter().map(|f| (f.name(), ())).collect();
    let mut others = members
        .iter()
        .filter(|(name, _)| name.flaw.is_some() || !declared.contains_key(name.value.as_str()))
        .peekable();
    let (Some(variant), true) = (field.schema().value_schema(), others.peek().is_some()) else {
        out.null();
        return Ok(());
    };
    out.begin_map();
    for (name, value) in others {
        out.string(name.get()?);
        variant::put(variant, value, out).map_err(|e| e.in_field(field.name()))?;
    }
    out.end_map();
    Ok(())
}

/// The member of a union that a value is read as: the first whose type its kind fits, or the struct that has most of an
/// object's members.
fn chosen(schema: &Schema, tree: &Tree) -> Option<usize> {
    let simple = schema
        .fields()
        .iter()
        .position(|field| fits(field.schema().kind(), tree));
    if simple.is_some() {
        return simple;
    }
    let Tree::Object(members) = tree else {
        return None;
    };
    let mut best = None;
    let mut most = 0;
    for field in schema.fields() {
        if field.schema().kind() != Type::Struct {
            continue;
        }
        let names = members.iter().map(|(name, _)| name);
        let known = names
            .filter(|name| name.flaw.is_none() && field.schema().field(&name.value).is_some())
            .count();
        if known > most {
            most = known;
            best = Some(field.index());
        }
    }
    best
}

fn fits(kind: Type, tree: &Tree) -> bool {
    match kind {
        Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => {
            matches!(tree, Tree::Number(number) if number.integral)
        }
        Type::Float32 | Type::Float64 => matches!(tree, Tree::Number(_)),
        Type::Boolean => matches!(tree, Tree::Boolean(_)),
        Type::String => matches!(tree, Tree::Text(_)),
        Type::Array => matches!(tree, Tree::Array(_)),
        Type::Map => matches!(tree, Tree::Array(_) | Tree::Object(_)),
        // Text is never taken for bytes.
        Type::Bytes | Type::Struct => false,
    }
}

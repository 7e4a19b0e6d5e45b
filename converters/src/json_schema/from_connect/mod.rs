//! From a Connect schema to a JSON Schema, as the JVM prints it.
//!
//! The order of keys is that of the JVM's printer: `type` first, but last for booleans; then what describes the schema, then the
//! properties of Connect, then what the schema is made of. Members of objects that a Java `HashMap` held are in its order.

mod defaults;
mod object;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use ferroconnect_registry_client::{SchemaText, SchemaType};

use super::JsonSchemaDataConfig;
use super::names::{
    ENUM, GENERAL_ENUM, ID, KEY, NULL_SYMBOL, OWN_PREFIX, VALUE, additional, has_text_keys,
    is_enum, is_union, is_variant,
};
use crate::data::hash_order::{iteration_order, presized_order, string_hash};
use crate::data::{Logical, Recursion, Schema, Type};
use crate::error::{Error, json_schema_write::Kind};
use crate::json::DecimalFormat;
use crate::limits::{JSON_GENERATED_DEPTH_MAX, JSON_GENERATED_SCHEMAS_MAX};
use object::Object;

/// The JSON Schema of a Connect schema.
#[derive(Debug)]
pub(crate) struct Generated {
    /// What it was made from.
    pub(crate) connect: Option<Schema>,
    /// As it is registered.
    pub(crate) text: SchemaText,
    /// `title` of the root.
    pub(crate) title: Option<Box<str>>,
}

/// The JSON Schema of a Connect schema. Without one there is nothing to register: nulls are written, and nothing else is.
pub(crate) fn convert(
    schema: Option<&Schema>,
    config: &JsonSchemaDataConfig,
) -> Result<Generated, Error> {
    let mut printer = Printer {
        config,
        ids: HashMap::new(),
        inside: Vec::new(),
        depth: 0,
        schemas: 0,
    };
    let text = match schema {
        Some(schema) => printer.schema(schema, None, Nulls::AsDeclared)?,
        None => "true".into(),
    };
    let named = schema.filter(|schema| !schema.is_optional() && !is_union(schema));
    Ok(Generated {
        connect: schema.cloned(),
        text: SchemaText::new(SchemaType::Json, Arc::<str>::from(text)),
        title: named.and_then(Schema::name).map(Into::into),
    })
}

/// Whether a schema that is optional says so.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    AsDeclared,
    /// Members of a union are all optional, and the union says whether null is.
    Never,
}

struct Printer<'c> {
    config: &'c JsonSchemaDataConfig,
    /// Ids met so far, and whether what they name takes nulls.
    ids: HashMap<Box<str>, bool>,
    /// Schemas that are being printed and contain themselves.
    inside: Vec<Recursion>,
    depth: usize,
    schemas: usize,
}

impl Printer<'_> {
    /// A schema at its place; `index` is its position among the fields of a struct.
    fn schema(
        &mut self,
        schema: &Schema,
        index: Option<usize>,
        nulls: Nulls,
    ) -> Result<String, Error> {
        self.depth += 1;
        self.schemas += 1;
        if self.depth > JSON_GENERATED_DEPTH_MAX {
            return Err(Kind::SchemaTooDeep.into());
        }
        if self.schemas > JSON_GENERATED_SCHEMAS_MAX {
            return Err(Kind::SchemaTooLarge.into());
        }
        let optional = schema.is_optional() && nulls == Nulls::AsDeclared;
        let text = match schema.parameter(ID) {
            Some(id) => match self.ids.get(id) {
                Some(takes_null) => reference(id, index, optional && !takes_null),
                None => {
                    self.ids.insert(id.into(), optional);
                    self.definition(schema, index, optional)?
                }
            },
            None => self.definition(schema, index, optional)?,
        };
        self.depth -= 1;
        Ok(text)
    }

    /// A schema that is not printed elsewhere.
    fn definition(
        &mut self,
        schema: &Schema,
        index: Option<usize>,
        optional: bool,
    ) -> Result<String, Error> {
        let recursion = schema.recursion();
        if let Some(recursion) = &recursion {
            if self.inside.contains(recursion) {
                return Err(Kind::Recursive.into());
            }
            self.inside.push(recursion.clone());
        }
        let text = if is_union(schema) {
            self.union(schema, index, optional)
        } else if optional {
            let inner = self.bare(schema, None);
            inner.map(|inner| one_of(schema.parameter(ID), index, &[NULL.into(), inner]))
        } else {
            self.bare(schema, index)
        };
        if recursion.is_some() {
            self.inside.pop();
        }
        text
    }

    /// A struct that stands for a union. Its name, doc and version have no place in the text.
    fn union(
        &mut self,
        schema: &Schema,
        index: Option<usize>,
        optional: bool,
    ) -> Result<String, Error> {
        let mut members = Vec::with_capacity(schema.fields().len() + 1);
        if optional {
            members.push(NULL.into());
        }
        for field in schema.fields() {
            let member = self.schema(field.schema(), Some(field.index()), Nulls::Never);
            members.push(member.map_err(|error| error.in_field(field.name()))?);
        }
        Ok(one_of(schema.parameter(ID), index, &members))
    }

    /// A schema that takes no nulls, or whose nulls are spoken of around it.
    fn bare(&mut self, schema: &Schema, index: Option<usize>) -> Result<String, Error> {
        let mut out = Object::new();
        if is_variant(schema) {
            self.describe(&mut out, schema, index, None)?;
            return Ok(out.finish());
        }
        match schema.kind() {
            Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => {
                out.text("type", "integer");
                self.describe(&mut out, schema, index, Some(schema.kind().name()))?;
            }
            Type::Float32 | Type::Float64 => {
                out.text("type", "number");
                self.describe(&mut out, schema, index, Some(schema.kind().name()))?;
            }
            Type::Bytes => {
                let is_number = schema.logical() == Some(Logical::Decimal)
                    && self.config.decimal_format == DecimalFormat::Numeric;
                out.text("type", if is_number { "number" } else { "string" });
                self.describe(&mut out, schema, index, Some("bytes"))?;
            }
            Type::Boolean => {
                self.describe(&mut out, schema, index, None)?;
                out.text("type", "boolean");
            }
            Type::String if is_enum(schema) => {
                out.raw("enum", &self.symbols(schema));
                self.describe(&mut out, schema, index, None)?;
            }
            Type::String => {
                out.text("type", "string");
                self.describe(&mut out, schema, index, None)?;
            }
            Type::Array => {
                out.text("type", "array");
                self.describe(&mut out, schema, index, None)?;
                let items = self.part(schema, schema.value_schema(), None)?;
                out.raw("items", &items);
            }
            Type::Map => self.map(&mut out, schema, index)?,
            Type::Struct => self.structure(&mut out, schema, index)?,
        }
        Ok(out.finish())
    }

    fn map(
        &mut self,
        out: &mut Object,
        schema: &Schema,
        index: Option<usize>,
    ) -> Result<(), Error> {
        if has_text_keys(schema) {
            out.text("type", "object");
            self.describe(out, schema, index, Some("map"))?;
            let values = self.part(schema, schema.value_schema(), None)?;
            out.raw("additionalProperties", &values);
            return Ok(());
        }
        out.text("type", "array");
        self.describe(out, schema, index, Some("map"))?;
        let keys = self.part(schema, schema.key_schema(), Some(0))?;
        let values = self.part(schema, schema.value_schema(), Some(1))?;
        let mut entry = Object::new();
        entry.text("type", "object");
        entry.raw("properties", &properties(&[(KEY, keys), (VALUE, values)]));
        out.raw("items", &entry.finish());
        Ok(())
    }

    /// What an array or a map is made of.
    fn part(
        &mut self,
        whole: &Schema,
        part: Option<&Schema>,
        index: Option<usize>,
    ) -> Result<String, Error> {
        match part {
            Some(part) => self.schema(part, index, Nulls::AsDeclared),
            None => Err(Kind::PartMissing { kind: whole.kind() }.into()),
        }
    }

    fn structure(
        &mut self,
        out: &mut Object,
        schema: &Schema,
        index: Option<usize>,
    ) -> Result<(), Error> {
        out.text("type", "object");
        if !self.config.object_additional_properties {
            out.raw("additionalProperties", "false");
        }
        self.describe(out, schema, index, None)?;
        let left_out = additional(schema).filter(|_| self.config.preserve_additional_properties);
        let mut printed = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            if left_out == Some(field.index()) {
                continue;
            }
            let text = self.schema(field.schema(), Some(field.index()), Nulls::AsDeclared);
            let text = text.map_err(|error| error.in_field(field.name()))?;
            printed.push((field.name(), text));
        }
        if !printed.is_empty() {
            out.raw("properties", &properties(&printed));
        }
        Ok(())
    }

    /// What every kind of schema may say of itself.
    fn describe(
        &self,
        out: &mut Object,
        schema: &Schema,
        index: Option<usize>,
        connect_type: Option<&str>,
    ) -> Result<(), Error> {
        if let Some(name) = schema.name() {
            out.text("title", name);
        }
        if let Some(doc) = schema.doc() {
            out.text("description", doc);
        }
        if let Some(default) = defaults::text(schema, self.config)? {
            out.raw("default", &default);
        }
        if let Some(id) = schema.parameter(ID) {
            out.text("id", id);
        }
        if let Some(index) = index {
            out.raw("connect.index", &index.to_string());
        }
        if let Some(version) = schema.version() {
            out.raw("connect.version", &version.to_string());
        }
        if let Some(connect_type) = connect_type {
            out.text("connect.type", connect_type);
        }
        let kept = schema.parameters().unwrap_or_default().iter();
        let kept: Vec<_> = kept
            .filter(|(name, _)| !name.starts_with(OWN_PREFIX))
            .map(|(name, value)| (&**name, &**value))
            .collect();
        if !kept.is_empty() {
            let mut parameters = Object::new();
            for (name, value) in twice_hashed(kept) {
                parameters.text(name, value);
            }
            out.raw("connect.parameters", &parameters.finish());
        }
        Ok(())
    }

    /// The symbols of an enum. Those of the other family do not count, so that the list may be empty.
    fn symbols(&self, schema: &Schema) -> String {
        let family = if self.config.generalized_sum_types {
            GENERAL_ENUM
        } else {
            ENUM
        };
        let parameters = schema.parameters().unwrap_or_default().iter();
        let symbols: Vec<&str> = parameters
            .filter_map(|(name, _)| name.strip_prefix(family)?.strip_prefix('.'))
            .collect();
        let hash = |symbol: &&str| match *symbol {
            NULL_SYMBOL => 0,
            symbol => string_hash(symbol),
        };
        let hashes: Vec<i32> = symbols.iter().map(hash).collect();
        let mut order = Vec::new();
        iteration_order(&hashes, &mut order);
        let mut out = String::from("[");
        for (place, index) in order.into_iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            match symbols[index as usize] {
                NULL_SYMBOL => out.push_str("null"),
                symbol => crate::json_text::write_text(symbol, &mut out),
            }
        }
        out.push(']');
        out
    }
}

const NULL: &str = r#"{"type":"null"}"#;

/// A place that another schema describes.
fn reference(id: &str, index: Option<usize>, or_null: bool) -> String {
    let mut out = Object::new();
    out.text("$ref", id);
    if or_null {
        return one_of(None, index, &[NULL.into(), out.finish()]);
    }
    if let Some(index) = index {
        out.raw("connect.index", &index.to_string());
    }
    out.finish()
}

fn one_of(id: Option<&str>, index: Option<usize>, members: &[String]) -> String {
    let mut out = Object::new();
    if let Some(id) = id {
        out.text("id", id);
    }
    if let Some(index) = index {
        out.raw("connect.index", &index.to_string());
    }
    out.raw("oneOf", &format!("[{}]", members.join(",")));
    out.finish()
}

/// Properties in the order of a `HashMap`.
fn properties(list: &[(&str, String)]) -> String {
    let hashes: Vec<i32> = list.iter().map(|(name, _)| string_hash(name)).collect();
    let mut order = Vec::new();
    iteration_order(&hashes, &mut order);
    let mut out = Object::new();
    for index in order {
        let (name, text) = &list[index as usize];
        out.raw(name, text);
    }
    out.finish()
}

/// Parameters in the order of a `HashMap` that was filled from another one and made as large as that.
fn twice_hashed<'s>(list: Vec<(&'s str, &'s str)>) -> Vec<(&'s str, &'s str)> {
    let hashes_of = |list: &[(&str, &str)]| -> Vec<i32> {
        list.iter().map(|(name, _)| string_hash(name)).collect()
    };
    let mut order = Vec::new();
    iteration_order(&hashes_of(&list), &mut order);
    let once: Vec<_> = order.iter().map(|index| list[*index as usize]).collect();
    presized_order(&hashes_of(&once), once.len(), &mut order);
    order.iter().map(|index| once[*index as usize]).collect()
}

//! From a JSON Schema to the Connect schema of its documents: `JsonSchemaData.toConnectSchema`.
//!
//! What is referred to is written out at each place that refers to it. From the second such place on it has a parameter
//! with a number, as in the JVM: the number that the last of these places was given, so a schema with such places is
//! converted twice, the second time with the numbers known. What contains itself becomes a [`Knot`].

mod combined;
mod properties;
mod text;
mod words;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::JsonSchemaDataConfig;
use super::decode::convert;
use super::names;
use super::schema::{
    ArrayRules, JsonSchema, Kind as Json, Node, NumberRules, ObjectRules, SchemaId,
};
use crate::data::{Knot, KnotId, Schema, SchemaBuilder, Type, hash_order};
use crate::differs::Differences;
use crate::error::{Error, json_schema_read::Kind};
use crate::json_text::Document;
use crate::limits::{JSON_SCHEMA_DEPTH_MAX, JSON_SCHEMA_PLACES_MAX};

/// The Connect schema of a JSON Schema, and what the JVM would have made otherwise.
///
/// `version` is the registry's: the root's, unless it names its own.
///
/// # Errors
/// Data fault: a schema that Connect has no place for, a keyword of Connect's that holds what it may not, a limit.
pub(super) fn to_connect_schema(
    schema: &JsonSchema,
    config: &JsonSchemaDataConfig,
    version: Option<i32>,
) -> Result<(Schema, Differences), Error> {
    let mut numbers = HashMap::new();
    loop {
        let mut conversion = Conversion {
            schema,
            config,
            knot: Knot::new(),
            targets: HashMap::new(),
            numbers: &numbers,
            repeated: 0,
            unions: 0,
            places: 0,
            depth: 0,
            differences: Differences::default(),
        };
        let place = Place {
            version,
            optional: false,
        };
        let root = conversion.place(schema.root(), place)?;
        if conversion.repeated > 0 && numbers.is_empty() {
            let targets = conversion.targets.iter();
            numbers = targets
                .filter(|(_, target)| target.number > 0)
                .map(|(id, target)| (*id, target.number))
                .collect();
            continue;
        }
        let differences = conversion.differences;
        return Ok((conversion.tied(root)?, differences));
    }
}

struct Conversion<'a> {
    schema: &'a JsonSchema,
    config: &'a JsonSchemaDataConfig,
    knot: Knot,
    /// Structs that a reference led to.
    targets: HashMap<SchemaId, Target>,
    /// The numbers that they come to have.
    numbers: &'a HashMap<SchemaId, u32>,
    /// References to what was referred to before.
    repeated: u32,
    /// `oneOf` and `anyOf` so far; they number the names of `generalized.sum.type.support`.
    unions: usize,
    /// Schemas so far, written out.
    places: usize,
    depth: usize,
    differences: Differences,
}

/// What the place of a schema says about it.
#[derive(Clone, Copy, Default)]
struct Place {
    version: Option<i32>,
    optional: bool,
}

struct Target {
    knot: KnotId,
    /// `None` while it is converted.
    schema: Option<Schema>,
    contains_itself: bool,
    /// Of the last reference but the first.
    number: u32,
    /// Schemas in it, written out.
    places: usize,
}

impl Conversion<'_> {
    fn place(&mut self, id: SchemaId, place: Place) -> Result<Schema, Error> {
        self.count(1)?;
        if self.depth >= JSON_SCHEMA_DEPTH_MAX {
            return Err(Kind::SchemaTooDeep.into());
        }
        self.depth += 1;
        let schema = self.converted(id, place);
        self.depth -= 1;
        schema
    }

    fn count(&mut self, places: usize) -> Result<(), Error> {
        self.places += places;
        if self.places > JSON_SCHEMA_PLACES_MAX {
            return Err(Kind::SchemaTooLarge {
                what: "places, with what it refers to written out",
                limit: JSON_SCHEMA_PLACES_MAX,
            }
            .into());
        }
        Ok(())
    }

    fn converted(&mut self, id: SchemaId, place: Place) -> Result<Schema, Error> {
        let schema = self.schema;
        let node = schema.node(id);
        let builder = match &node.kind {
            Json::Reference { .. } => return self.reference(id, place),
            Json::Combined(combined) => return self.combined(node, combined, place),
            Json::Boolean => SchemaBuilder::boolean(),
            Json::String(_) => match connect_type(node) {
                Some("bytes") => SchemaBuilder::bytes(),
                Some(_) | None => SchemaBuilder::string(),
            },
            Json::Number(rules) => number(node, rules)?,
            Json::Array(rules) => self.array(node, rules)?,
            Json::Object(rules) if connect_type(node) == Some("map") => self.map(rules)?,
            Json::Object(rules) => {
                let fields = self.fields(&properties::of_object(rules))?;
                let keeps_others =
                    self.config.preserve_additional_properties && rules.permits_additional;
                structure(fields, keeps_others)?
            }
            Json::Enum(values) => self.symbols(values),
            Json::Const(value) => self.symbols(std::slice::from_ref(value)),
            Json::Empty | Json::True => {
                let builder = variant_builder();
                return self.finished(builder, node, place, Naming::Named);
            }
            Json::Null => return unsupported("NullSchema"),
            Json::False => return unsupported("FalseSchema"),
            Json::Not(_) => return unsupported("NotSchema"),
            Json::Conditional => return unsupported("ConditionalSchema"),
        };
        self.finished(builder, node, place, Naming::ByTitle)
    }

    fn reference(&mut self, id: SchemaId, place: Place) -> Result<Schema, Error> {
        let target = self.schema.target(id).ok_or(Kind::SchemaTooDeep)?;
        if let Some(known) = self.targets.get_mut(&target) {
            self.repeated += 1;
            known.number = self.repeated;
            known.contains_itself |= known.schema.is_none();
            let (places, schema) = match &known.schema {
                Some(schema) if !known.contains_itself => {
                    let number = self.numbers.get(&target).copied();
                    let number = number.unwrap_or_default();
                    (known.places, numbered(schema, place.optional, number))
                }
                Some(_) | None => (1, self.knot.reference(known.knot, place.optional)),
            };
            self.count(places)?;
            return Ok(schema);
        }
        let begun = Target {
            knot: self.knot.reserve(),
            schema: None,
            contains_itself: false,
            number: 0,
            places: 0,
        };
        self.targets.insert(target, begun);
        let before = self.places;
        let schema = self.place(target, place)?;
        let Some(known) = self.targets.get_mut(&target) else {
            return Ok(schema);
        };
        if schema.kind() != Type::Struct || schema.recursion().is_some() {
            // Only structs are known again, once each. Another type that contains itself, or is nothing but itself, never ends.
            if known.contains_itself {
                return Err(Kind::SchemaTooDeep.into());
            }
            self.targets.remove(&target);
            return Ok(schema);
        }
        known.places = self.places - before;
        known.schema = Some(schema.clone());
        // It has the number of what was referred to inside it, by then.
        let number = known.number;
        Ok(numbered(&schema, place.optional, number))
    }

    /// The finished schema: what contains itself is tied together.
    fn tied(mut self, root: Schema) -> Result<Schema, Error> {
        for target in self.targets.into_values() {
            if let Some(schema) = target.schema
                && target.contains_itself
            {
                let schema = numbered(&schema, schema.is_optional(), target.number);
                self.knot.define(target.knot, schema);
            }
        }
        self.knot.tie(root)
    }

    fn array(&mut self, node: &Node, rules: &ArrayRules) -> Result<SchemaBuilder, Error> {
        let items = rules.all_items.ok_or(Kind::ItemsMissing)?;
        if connect_type(node) == Some("map")
            && let Some(entry) = self.schema.target(items)
            && let Json::Object(entry) = &self.schema.node(entry).kind
        {
            let part = |name| {
                let mut properties = entry.properties.iter();
                let found = properties.find(|(key, _)| &**key == name);
                found.map(|(_, id)| *id).ok_or(Kind::EntryShape)
            };
            let (key, value) = (part(names::KEY)?, part(names::VALUE)?);
            let key = self.place(key, Place::default())?;
            let value = self.place(value, Place::default())?;
            return Ok(SchemaBuilder::map(key, value));
        }
        let items = self.place(items, Place::default())?;
        Ok(SchemaBuilder::array(items))
    }

    fn map(&mut self, rules: &ObjectRules) -> Result<SchemaBuilder, Error> {
        let values = rules.additional_properties.ok_or(Kind::MapValuesMissing)?;
        let values = self.place(values, Place::default())?;
        Ok(SchemaBuilder::map(Schema::string(), values))
    }

    fn symbols(&self, values: &[Document]) -> SchemaBuilder {
        let general = self.config.generalized_sum_types;
        let word = if general {
            names::GENERAL_ENUM
        } else {
            names::ENUM
        };
        let mut entries = vec![(word.to_owned(), String::new())];
        for (index, value) in values.iter().enumerate() {
            let symbol = text::of(value);
            let meaning = if general {
                index.to_string()
            } else {
                symbol.clone()
            };
            entries.push((format!("{word}.{symbol}"), meaning));
        }
        let entries = entries.iter().map(|(name, value)| (&**name, &**value));
        SchemaBuilder::string().parameters(entries)
    }

    /// What all schemas have: name, doc, version, parameters and default.
    fn finished(
        &mut self,
        mut builder: SchemaBuilder,
        node: &Node,
        place: Place,
        naming: Naming,
    ) -> Result<Schema, Error> {
        if place.optional {
            builder = builder.optional();
        }
        if let Some(title) = &node.title
            && naming == Naming::ByTitle
        {
            builder = builder.name(title);
        }
        if let Some(doc) = &node.description {
            builder = builder.doc(doc);
        }
        let version = match node.connect("version") {
            None => place.version,
            Some(found) => Some(whole(found).ok_or(Kind::VersionInvalid)?),
        };
        if let Some(version) = version {
            builder = builder.version(version);
        }
        match node.connect("parameters") {
            None => {}
            Some(Document::Object(members)) => builder = with_parameters(builder, members),
            Some(_) => return Err(Kind::ParametersInvalid.into()),
        }
        let schema = builder.build()?;
        match &node.default {
            None => Ok(schema),
            Some(default) => self.with_default(schema, default),
        }
    }

    fn with_default(&mut self, schema: Schema, default: &Document) -> Result<Schema, Error> {
        if schema.is_recursive() {
            return Err(Kind::DefaultOfRecursive.into());
        }
        let (value, differences) = convert::default(&schema, default, self.config)?;
        differences
            .iter()
            .for_each(|difference| self.differences.insert(difference));
        SchemaBuilder::from(schema).default_value(value).build()
    }
}

/// Whether `title` makes the name of a schema, or it has one of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    ByTitle,
    Named,
}

/// The same schema at another place; with its number, if it has one.
fn numbered(schema: &Schema, optional: bool, number: u32) -> Schema {
    let id = format!("#id{number}");
    schema.occurrence(optional, (number > 0).then_some((names::ID, &id)))
}

fn connect_type(node: &Node) -> Option<&str> {
    match node.connect("type")? {
        Document::Text(name) => Some(name),
        Document::Null
        | Document::Boolean(_)
        | Document::Number { .. }
        | Document::Array(_)
        | Document::Object(_) => None,
    }
}

/// A whole number of 32 bits, as a JSON library of Java's takes one for an `Integer`.
fn whole(document: &Document) -> Option<i32> {
    match document {
        Document::Number {
            text,
            integral: true,
        } => text.parse().ok(),
        Document::Null
        | Document::Boolean(_)
        | Document::Number { .. }
        | Document::Text(_)
        | Document::Array(_)
        | Document::Object(_) => None,
    }
}

fn number(node: &Node, rules: &NumberRules) -> Result<SchemaBuilder, Error> {
    let Some(found) = node.connect("type") else {
        return Ok(if rules.integer {
            SchemaBuilder::int64()
        } else {
            SchemaBuilder::float64()
        });
    };
    let name = text::of(found);
    Ok(SchemaBuilder::of(match &*name {
        "int8" => Type::Int8,
        "int16" => Type::Int16,
        "int32" => Type::Int32,
        "int64" => Type::Int64,
        "float32" => Type::Float32,
        "float64" => Type::Float64,
        "bytes" => Type::Bytes,
        _ => return Err(Kind::ConnectType { name: name.into() }.into()),
    }))
}

/// Parameters behind those that are there: in the order of a `HashMap` that was copied from the one they were read into.
fn with_parameters(builder: SchemaBuilder, members: &[(Box<str>, Document)]) -> SchemaBuilder {
    let hashes = members
        .iter()
        .map(|(name, _)| hash_order::string_hash(name));
    let hashes: Vec<i32> = hashes.collect();
    let (mut read, mut copied) = (Vec::new(), Vec::new());
    hash_order::iteration_order(&hashes, &mut read);
    let hashes: Vec<i32> = read.iter().map(|index| hashes[*index as usize]).collect();
    hash_order::presized_order(&hashes, hashes.len(), &mut copied);
    let entries = copied.into_iter().map(|index| {
        let (name, value) = &members[read[index as usize] as usize];
        (&**name, text::of(value))
    });
    let entries: Vec<(&str, String)> = entries.collect();
    builder.parameters(entries.iter().map(|(name, value)| (*name, &**value)))
}

/// A struct of these fields.
fn structure(
    mut fields: Vec<(Box<str>, Schema)>,
    keeps_others: bool,
) -> Result<SchemaBuilder, Error> {
    if keeps_others {
        if fields.iter().any(|(name, _)| &**name == names::ADDITIONAL) {
            return Err(Kind::ReservedProperty.into());
        }
        let variant = variant_builder().build()?;
        let others = SchemaBuilder::map(Schema::string(), variant).optional();
        fields.push((names::ADDITIONAL.into(), others.build()?));
    }
    Ok(SchemaBuilder::structure().fields(fields))
}

fn variant_builder() -> SchemaBuilder {
    SchemaBuilder::structure()
        .name(names::VARIANT)
        .field("metadata", Schema::bytes())
        .field("value", Schema::bytes())
}

fn unsupported<T>(class: &'static str) -> Result<T, Error> {
    Err(Kind::SchemaUnsupported { class }.into())
}

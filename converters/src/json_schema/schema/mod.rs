//! [`JsonSchema`]: a schema text with everything it refers to, as the converter and the comparison see it.
//!
//! A schema is not taken keyword by keyword but the way the JVM's validator reads it: `type` makes a kind, and its
//! keywords belong to it; `enum`, `const`, `not` and the combinators make kinds of their own; what several of these make
//! side by side is an `allOf` that nobody wrote. Keywords without a `type` make their kind, too. What neither the converter
//! nor the comparison asks for (`format`, `contains`, `propertyNames`, conditions) is read and forgotten.
//!
//! All schemas lie in one arena, each place of a text once: so a reference is the id of its target, and schemas that contain
//! themselves need no care while they are read. Source: everit-json-schema 1.14, drafts 4 to 2020-12.

mod keywords;
mod load;
mod resolve;
#[cfg(test)]
mod tests;
mod uri;

use crate::error::Error;
use crate::json_text::Document;

/// A schema and what it refers to.
#[derive(Debug)]
pub struct JsonSchema {
    nodes: Vec<Node>,
    root: SchemaId,
}

impl JsonSchema {
    /// Reads a text; `references` are other texts by the names that `$ref` uses.
    ///
    /// # Errors
    /// Data fault when the text is no JSON, a keyword holds what it may not, or a reference leads nowhere.
    pub(crate) fn parse(
        text: &str,
        references: &[(&str, &str)],
        ignore_modern_dialects: bool,
    ) -> Result<Self, Error> {
        load::load(text, references, ignore_modern_dialects)
    }

    /// `title` of the root.
    pub(crate) fn title(&self) -> Option<&str> {
        self.node(self.root).title.as_deref()
    }

    /// The schema that the text is.
    pub(crate) const fn root(&self) -> SchemaId {
        self.root
    }

    /// A schema by its id.
    pub(crate) fn node(&self, id: SchemaId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// What a chain of references leads to. `None`: it leads back to itself.
    pub(crate) fn target(&self, id: SchemaId) -> Option<SchemaId> {
        let mut at = id;
        for _ in 0..=self.nodes.len() {
            let Kind::Reference { target } = &self.node(at).kind else {
                return Some(at);
            };
            at = *target;
        }
        None
    }
}

/// A schema in its arena. Two places of a text have two ids, and a reference has its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SchemaId(u32);

impl SchemaId {
    /// Its number, from 0.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One schema.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) title: Option<Box<str>>,
    pub(crate) description: Option<Box<str>>,
    pub(crate) default: Option<Document>,
    /// Keywords whose names begin with `connect.`, in their order.
    pub(crate) connect: Vec<(Box<str>, Document)>,
}

impl Node {
    /// What the keyword `connect.` and `name` holds.
    pub(crate) fn connect(&self, name: &str) -> Option<&Document> {
        let mut properties = self.connect.iter();
        properties
            .find(|(key, _)| key.strip_prefix("connect.") == Some(name))
            .map(|(_, value)| value)
    }
}

/// What a schema is.
#[derive(Debug)]
pub(crate) enum Kind {
    Null,
    Boolean,
    String(Box<StringRules>),
    Number(Box<NumberRules>),
    Array(Box<ArrayRules>),
    Object(Box<ObjectRules>),
    Combined(Combined),
    Enum(Vec<Document>),
    Const(Document),
    /// `{}`, or nothing but words about the schema.
    Empty,
    True,
    False,
    Not(SchemaId),
    /// `if`, `then` and `else`.
    Conditional,
    Reference {
        target: SchemaId,
    },
}

/// `type` string, and its keywords.
#[derive(Debug, Default)]
pub(crate) struct StringRules {
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) pattern: Option<Box<str>>,
}

/// `type` number or integer, and its keywords. Limits are numbers as they were written.
#[derive(Debug, Default)]
pub(crate) struct NumberRules {
    /// `type` integer.
    pub(crate) integer: bool,
    pub(crate) minimum: Option<Box<str>>,
    pub(crate) maximum: Option<Box<str>>,
    /// Draft 4: `exclusiveMinimum` is a word about `minimum`.
    pub(crate) minimum_is_exclusive: bool,
    pub(crate) maximum_is_exclusive: bool,
    /// From draft 6 on.
    pub(crate) exclusive_minimum: Option<Box<str>>,
    pub(crate) exclusive_maximum: Option<Box<str>>,
    pub(crate) multiple_of: Option<Box<str>>,
}

/// `type` array, and its keywords.
#[derive(Debug)]
pub(crate) struct ArrayRules {
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) unique_items: bool,
    /// `items` with one schema for all.
    pub(crate) all_items: Option<SchemaId>,
    /// `items` with one schema for each, or `prefixItems`.
    pub(crate) tuple: Option<Vec<SchemaId>>,
    /// Whether there may be items behind the tuple: not with `"additionalItems": false`.
    pub(crate) permits_additional: bool,
    /// `additionalItems`, or `items` beside `prefixItems`.
    pub(crate) additional_items: Option<SchemaId>,
}

/// `type` object, and its keywords.
#[derive(Debug)]
pub(crate) struct ObjectRules {
    /// `properties` in their order.
    pub(crate) properties: Vec<(Box<str>, SchemaId)>,
    /// `required`.
    pub(crate) required_properties: Vec<Box<str>>,
    /// Whether there may be other properties: not with `"additionalProperties": false`.
    pub(crate) permits_additional: bool,
    /// `additionalProperties` with a schema.
    pub(crate) additional_properties: Option<SchemaId>,
    pub(crate) pattern_properties: Vec<(Box<str>, SchemaId)>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    /// `dependencies` with names, or `dependentRequired`.
    pub(crate) property_dependencies: Vec<(Box<str>, Vec<Box<str>>)>,
    /// `dependencies` with schemas, or `dependentSchemas`.
    pub(crate) schema_dependencies: Vec<(Box<str>, SchemaId)>,
}

/// Several schemas.
#[derive(Debug)]
pub(crate) struct Combined {
    pub(crate) criterion: Criterion,
    /// In their order, but those that are combined themselves first: so the JVM's validator keeps them.
    pub(crate) parts: Vec<SchemaId>,
}

/// How many of the combined schemas must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "the keywords")]
pub(crate) enum Criterion {
    AllOf,
    AnyOf,
    OneOf,
}

impl Criterion {
    /// The keyword.
    pub(crate) const fn keyword(self) -> &'static str {
        match self {
            Self::AllOf => "allOf",
            Self::AnyOf => "anyOf",
            Self::OneOf => "oneOf",
        }
    }
}

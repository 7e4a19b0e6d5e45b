//! [`Schema`]: a cheap shared handle to an immutable Connect schema.

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::datum::Datum;
use super::knot::{Link, Origin, Recursion};
use super::{Logical, Value};
use crate::error::{Error, data::Kind};

/// The twelve types of the Connect data model.
///
/// Closed by the Connect specification (`org.apache.kafka.connect.data.Schema.Type`): match it in full.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// 8-bit signed integer.
    Int8,
    /// 16-bit signed integer.
    Int16,
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
    /// `true` or `false`.
    Boolean,
    /// Unicode text.
    String,
    /// A sequence of bytes.
    Bytes,
    /// An ordered sequence; all elements share one schema.
    Array,
    /// Entries; all keys share one schema, and so do all values.
    Map,
    /// Named fields, each with its own schema.
    Struct,
}

impl Type {
    /// Lower-case name, as `Schema.Type.getName()`: `int8`, `float32`, `struct`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Boolean => "boolean",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Array => "array",
            Self::Map => "map",
            Self::Struct => "struct",
        }
    }

    /// Upper-case name, as Java prints the enum constant: `INT8`.
    #[must_use]
    pub const fn constant(self) -> &'static str {
        match self {
            Self::Int8 => "INT8",
            Self::Int16 => "INT16",
            Self::Int32 => "INT32",
            Self::Int64 => "INT64",
            Self::Float32 => "FLOAT32",
            Self::Float64 => "FLOAT64",
            Self::Boolean => "BOOLEAN",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Array => "ARRAY",
            Self::Map => "MAP",
            Self::Struct => "STRUCT",
        }
    }

    /// Whether values of this type hold no other values.
    #[must_use]
    pub const fn is_primitive(self) -> bool {
        !matches!(self, Self::Array | Self::Map | Self::Struct)
    }
}

/// Prints the Java constant: `INT8`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.constant())
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.constant())
    }
}

/// An immutable schema behind a shared handle: cloning it is one counter, comparing a handle with itself is one pointer.
///
/// Equality is Java's (`ConnectSchema.equals`): type, optional, version, name, doc, default, fields, key, value and
/// parameters. Schemas are made by [`SchemaBuilder`](super::SchemaBuilder) or by the constants below.
///
/// ```
/// use ferroconnect_converters::data::{Schema, SchemaBuilder, Type};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let order = SchemaBuilder::structure().name("Order").field("id", Schema::int64()).build()?;
/// assert_eq!(order.kind(), Type::Struct);
/// assert_eq!(order.field("id").map(|f| f.schema().kind()), Some(Type::Int64));
/// assert_eq!(order.to_string(), "Schema{Order:STRUCT}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Schema(Arc<Node>);

/// What a schema consists of. Only the builder makes one.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) kind: Type,
    pub(crate) optional: bool,
    pub(crate) name: Option<Box<str>>,
    pub(crate) version: Option<i32>,
    pub(crate) doc: Option<Box<str>>,
    pub(crate) parameters: Option<Box<Parameters>>,
    pub(crate) default: Option<Datum>,
    pub(crate) fields: Vec<Field>,
    pub(crate) key: Option<Schema>,
    pub(crate) value: Option<Schema>,
    /// A schema that contains itself is unfolded when somebody looks; see `knot`.
    pub(crate) link: Option<Box<Link>>,
    /// The node of a definition that this one was copied from when a link was unfolded.
    pub(crate) origin: Option<Origin>,
    /// Whether it or anything in it is linked.
    recursive: bool,
    logical: Option<Logical>,
    /// Field indices sorted by name, kept when there are too many to look through one by one.
    by_name: Vec<u32>,
    hash: u64,
}

/// Up to this many fields a linear search by name beats a binary one.
const LINEAR_LOOKUP_FIELDS_MAX: usize = 8;

impl Node {
    pub(crate) const fn new(kind: Type) -> Self {
        Self {
            kind,
            optional: false,
            name: None,
            version: None,
            doc: None,
            parameters: None,
            default: None,
            fields: Vec::new(),
            key: None,
            value: None,
            link: None,
            origin: None,
            recursive: false,
            logical: None,
            by_name: Vec::new(),
            hash: 0,
        }
    }

    /// The schemas it is made of.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Schema> {
        (self.fields.iter().map(Field::schema))
            .chain(&self.key)
            .chain(&self.value)
    }

    /// The same attributes without any part.
    pub(crate) fn header(&self) -> Self {
        Self {
            optional: self.optional,
            name: self.name.clone(),
            version: self.version,
            doc: self.doc.clone(),
            parameters: self.parameters.clone(),
            default: self.default.clone(),
            ..Self::new(self.kind)
        }
    }

    fn content_hash(&self) -> u64 {
        // Parameters are compared as a map, so their order must not matter here; defaults take no part.
        let parameters = self.parameters.as_ref().map(|list| {
            list.iter().fold(0u64, |sum, entry| {
                let mut hasher = DefaultHasher::new();
                entry.hash(&mut hasher);
                sum.wrapping_add(hasher.finish())
            })
        });
        let mut hasher = DefaultHasher::new();
        (
            self.kind,
            self.optional,
            &self.name,
            self.version,
            &self.doc,
            parameters,
        )
            .hash(&mut hasher);
        if self.recursive {
            // One unfolding more or less is no difference, so only what all of them show may count.
            return hasher.finish();
        }
        for field in &self.fields {
            (&field.name, field.schema.0.hash).hash(&mut hasher);
        }
        (
            self.key.as_ref().map(|s| s.0.hash),
            self.value.as_ref().map(|s| s.0.hash),
        )
            .hash(&mut hasher);
        hasher.finish()
    }
}

impl Schema {
    pub(crate) fn from_node(mut node: Node) -> Self {
        node.recursive = node.link.is_some() || node.parts().any(Self::is_recursive);
        node.logical = node.name.as_deref().and_then(Logical::from_name);
        if node.fields.len() > LINEAR_LOOKUP_FIELDS_MAX {
            let mut order: Vec<u32> = node.fields.iter().map(|f| f.index).collect();
            order.sort_unstable_by(|a, b| {
                node.fields[*a as usize]
                    .name
                    .cmp(&node.fields[*b as usize].name)
            });
            node.by_name = order;
        }
        node.hash = node.content_hash();
        Self(Arc::new(node))
    }

    /// The parts of this schema, to build another one from.
    pub(crate) fn into_node(self) -> Node {
        if self.0.link.is_some() {
            let body = self.body();
            let mut node = self.0.header();
            node.fields.clone_from(&body.fields);
            node.key.clone_from(&body.key);
            node.value.clone_from(&body.value);
            return node;
        }
        Arc::try_unwrap(self.0).unwrap_or_else(|shared| (*shared).clone())
    }

    /// The same schema, not optional; everything else stays, the default too.
    pub(crate) fn required(&self) -> Self {
        if !self.is_optional() {
            return self.clone();
        }
        let mut node = self.clone().into_node();
        node.optional = false;
        Self::from_node(node)
    }

    /// The same schema at a place that decides whether it is optional, and may add a parameter; everything else stays.
    pub(crate) fn occurrence(&self, optional: bool, parameter: Option<(&str, &str)>) -> Self {
        if self.is_optional() == optional && parameter.is_none() {
            return self.clone();
        }
        let mut node = self.clone().into_node();
        node.optional = optional;
        if let Some((name, value)) = parameter {
            let mut list = node.parameters.take().unwrap_or_default().into_vec();
            list.retain(|(known, _)| **known != *name);
            list.push((name.into(), value.into()));
            node.parameters = Some(list.into_boxed_slice());
        }
        Self::from_node(node)
    }

    /// The node that holds the parts of this schema: its own, or the unfolded one of a link.
    #[inline]
    fn body(&self) -> &Node {
        match &self.0.link {
            None => &self.0,
            Some(link) => link.body(),
        }
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.0
    }

    pub(crate) const fn from_shared(node: Arc<Node>) -> Self {
        Self(node)
    }

    /// Takes the node out, if nobody else has it.
    pub(crate) fn into_inner(self) -> Option<Node> {
        Arc::into_inner(self.0)
    }

    /// Whether this schema contains itself, or anything that does.
    #[must_use]
    pub fn is_recursive(&self) -> bool {
        self.0.recursive
    }

    /// Which definition this schema is an occurrence of, when it contains itself.
    ///
    /// Whoever walks a schema (to print it, to compile a plan) keeps the identities it is inside of and stops at one
    /// that it has met: fields of a recursive schema never end. Two occurrences of one definition may differ in being
    /// optional, in nothing else.
    #[must_use]
    pub fn recursion(&self) -> Option<Recursion> {
        self.0.link.as_ref().map(|link| link.identity())
    }

    /// The type.
    #[must_use]
    pub fn kind(&self) -> Type {
        self.0.kind
    }

    /// Whether null is a legal value.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.0.optional
    }

    /// The schema's name, if any: the class of a struct, or what marks a logical type.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The version, if any.
    #[must_use]
    pub fn version(&self) -> Option<i32> {
        self.0.version
    }

    /// The documentation text, if any.
    #[must_use]
    pub fn doc(&self) -> Option<&str> {
        self.0.doc.as_deref()
    }

    /// Parameters in insertion order; `None` differs from an empty list, as in Java.
    #[must_use]
    pub fn parameters(&self) -> Option<&[(Box<str>, Box<str>)]> {
        self.0.parameters.as_deref()
    }

    /// One parameter's value.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.0
            .parameters
            .as_ref()?
            .iter()
            .find(|(key, _)| &**key == name)
            .map(|(_, v)| &**v)
    }

    /// The default value, if any.
    #[must_use]
    pub fn default_value(&self) -> Option<Value<'_>> {
        self.0.default.as_ref().map(|datum| datum.view(Some(self)))
    }

    pub(crate) fn default_datum(&self) -> Option<&Datum> {
        self.0.default.as_ref()
    }

    /// The fields of a struct in order; empty for every other type.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.body().fields
    }

    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        let body = self.body();
        let fields = &body.fields;
        if body.by_name.is_empty() {
            return fields.iter().find(|field| &*field.name == name);
        }
        let order = &body.by_name;
        let found = order
            .binary_search_by(|i| (*fields[*i as usize].name).cmp(name))
            .ok()?;
        Some(&fields[order[found] as usize])
    }

    /// Position of the field of that name: look it up once per schema, then use [`Struct::at`](super::Struct::at).
    #[must_use]
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.field(name).map(Field::index)
    }

    /// Schema of the keys of a map.
    #[must_use]
    pub fn key_schema(&self) -> Option<&Self> {
        self.body().key.as_ref()
    }

    /// Schema of the elements of an array or of the values of a map.
    #[must_use]
    pub fn value_schema(&self) -> Option<&Self> {
        self.body().value.as_ref()
    }

    /// Which of the four logical types the name stands for, if any. Only the name counts (Connect data model).
    #[must_use]
    pub fn logical(&self) -> Option<Logical> {
        self.0.logical
    }

    /// Whether both have the same parameters, in any order; none at all differs from an empty list.
    pub(crate) fn same_parameters(&self, other: &Self) -> bool {
        same_parameters(self.parameters(), other.parameters())
    }

    /// The `scale` parameter of a Decimal schema.
    ///
    /// # Errors
    /// Data fault when the parameter is missing or not an integer.
    pub fn decimal_scale(&self) -> Result<i32, Error> {
        let Some(text) = self.parameter(super::logical::SCALE_PARAMETER) else {
            return Err(Kind::DecimalScaleMissing.into());
        };
        // Java's Integer.parseInt takes the same forms: an optional sign and decimal digits.
        text.parse()
            .map_err(|_| Kind::DecimalScaleInvalid { text: text.into() }.into())
    }

    /// Whether both handles are the very same schema object. Equal schemas may be different objects.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether a null can stand in a field of this schema: optional, or with a default.
    #[must_use]
    pub fn accepts_absence(&self) -> bool {
        self.0.optional || self.0.default.is_some()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other, &mut Vec::new())
    }
}

impl Eq for Schema {}

/// Pairs of recursive schemas that are being compared: met again, they are equal as far as anybody can see.
type Assumed = Vec<(Origin, Origin)>;

impl Schema {
    fn equals(&self, other: &Self, assumed: &mut Assumed) -> bool {
        if self.same(other) {
            return true;
        }
        let (a, b) = (&*self.0, &*other.0);
        if a.hash != b.hash || a.recursive != b.recursive || !same_header(a, b) {
            return false;
        }
        if a.recursive {
            let pair = (Origin::of(self), Origin::of(other));
            if pair.0 == pair.1 || assumed.contains(&pair) {
                return true;
            }
            assumed.push(pair);
        }
        let (a, b) = (self.body(), other.body());
        a.fields.len() == b.fields.len()
            && (a.fields.iter().zip(&b.fields))
                .all(|(x, y)| x.name == y.name && x.schema.equals(&y.schema, assumed))
            && same_part(a.key.as_ref(), b.key.as_ref(), assumed)
            && same_part(a.value.as_ref(), b.value.as_ref(), assumed)
            && same_default(self, other)
    }
}

fn same_part(a: Option<&Schema>, b: Option<&Schema>, assumed: &mut Assumed) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.equals(b, assumed),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

impl Hash for Schema {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

/// Prints as Java does: `Schema{NAME:TYPE}`, or `Schema{TYPE}` without a name.
impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "Schema{{{name}:{}}}", self.kind()),
            None => write!(f, "Schema{{{}}}", self.kind()),
        }
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.link.as_ref().is_some_and(|link| link.is_inner()) {
            return write!(f, "recursive {self}");
        }
        let node = &*self.0;
        let body = self.body();
        let mut out = f.debug_struct(node.kind.constant());
        if node.optional {
            out.field("optional", &true);
        }
        if let Some(name) = &node.name {
            out.field("name", name);
        }
        if let Some(version) = node.version {
            out.field("version", &version);
        }
        if let Some(doc) = &node.doc {
            out.field("doc", doc);
        }
        if let Some(parameters) = &node.parameters {
            out.field("parameters", parameters);
        }
        if let Some(default) = self.default_value() {
            out.field("default", &default);
        }
        for field in &body.fields {
            out.field(&field.name, &field.schema);
        }
        if let Some(key) = &body.key {
            out.field("keys", key);
        }
        if let Some(value) = &body.value {
            out.field("values", value);
        }
        out.finish()
    }
}

fn same_header(a: &Node, b: &Node) -> bool {
    a.kind == b.kind
        && a.optional == b.optional
        && a.version == b.version
        && a.name == b.name
        && a.doc == b.doc
        && same_parameters(a.parameters.as_deref(), b.parameters.as_deref())
}

/// Whether two schemas that are equal otherwise have the same default.
fn same_default(a: &Schema, b: &Schema) -> bool {
    match (&a.0.default, &b.0.default) {
        (None, None) => true,
        // Structs are compared field by field: comparing their schemas would come back here.
        (Some(x), Some(y)) if a.kind() == Type::Struct => x
            .fields(a.fields())
            .zip(y.fields(b.fields()))
            .all(|(x, y)| x == y),
        (Some(x), Some(y)) => {
            x.view_in(a.key_schema(), a.value_schema())
                == y.view_in(b.key_schema(), b.value_schema())
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

pub(crate) type Parameters = [(Box<str>, Box<str>)];

fn same_parameters(a: Option<&Parameters>, b: Option<&Parameters>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) if a.len() != b.len() => false,
        (Some(a), Some(b)) => {
            a == b || {
                let known: HashSet<&(Box<str>, Box<str>)> = b.iter().collect();
                a.iter().all(|entry| known.contains(entry))
            }
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// A named member of a struct schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub(crate) name: Box<str>,
    pub(crate) index: u32,
    pub(crate) schema: Schema,
}

impl Field {
    /// The field's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Position in its struct, from 0.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index as usize
    }

    /// The field's schema.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }
}

//! An Avro schema in memory: types in one vector, addressed by [`TypeId`], so that recursion is an index.
//!
//! Attribute order, properties and aliases are kept: the text a schema is registered as is part of its identity.
//! Source: Avro 1.12 specification, "Schema Declaration"; what is kept and printed follows Avro's Java library.

use std::fmt;

use crate::json_text::Json;

/// Where a type lies in its [`AvroSchema`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(u32);

/// A whole schema: a type and everything it names.
#[derive(Clone, Debug)]
pub struct AvroSchema {
    types: Vec<AvroType>,
    root: TypeId,
}

/// One type with its own properties.
#[derive(Clone, Debug, PartialEq)]
pub struct AvroType {
    /// What it is.
    pub kind: Kind,
    /// Attributes that Avro does not define, in order; `logicalType` and its attributes are among them.
    pub props: Props,
}

/// The fourteen kinds of Avro types.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// No value.
    Null,
    /// A byte, 0 or 1.
    Boolean,
    /// 32-bit signed, zig-zag varint.
    Int,
    /// 64-bit signed, zig-zag varint.
    Long,
    /// IEEE 754 single, little endian.
    Float,
    /// IEEE 754 double, little endian.
    Double,
    /// Length and bytes.
    Bytes,
    /// Length and UTF-8.
    String,
    /// Fields in order.
    Record(Record),
    /// One of a list of symbols.
    Enum(Enum),
    /// So many bytes.
    Fixed(Fixed),
    /// Blocks of items.
    Array(TypeId),
    /// Blocks of entries with text keys.
    Map(TypeId),
    /// One of several types, by index.
    Union(Vec<TypeId>),
}

/// The name of a record, enum or fixed.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name {
    /// `com.acme`, if there is one.
    pub namespace: Option<Box<str>>,
    /// The part behind the last dot.
    pub name: Box<str>,
}

/// A record (or, for protocols, an error).
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its name.
    pub name: Name,
    /// Other names it had.
    pub aliases: Vec<Name>,
    /// For people.
    pub doc: Option<Box<str>>,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// Declared as `error`.
    pub is_error: bool,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Box<str>,
    /// Its type.
    pub schema: TypeId,
    /// For people.
    pub doc: Option<Box<str>>,
    /// The default as written in the schema; `Some(Json::Null)` is the default null.
    pub default: Option<Json>,
    /// Sort order.
    pub order: Order,
    /// Other names it had.
    pub aliases: Vec<Box<str>>,
    /// Attributes that Avro does not define, in order.
    pub props: Props,
}

/// How a field takes part in sorting. Kept, never used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Smallest first; not printed.
    #[default]
    Ascending,
    /// Largest first.
    Descending,
    /// Not at all.
    Ignore,
}

/// An enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// Other names it had.
    pub aliases: Vec<Name>,
    /// For people.
    pub doc: Option<Box<str>>,
    /// Symbols in order.
    pub symbols: Vec<Box<str>>,
    /// What a reader takes a symbol for that it does not know.
    pub default: Option<Box<str>>,
}

/// A fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// Its name.
    pub name: Name,
    /// Other names it had.
    pub aliases: Vec<Name>,
    /// For people.
    pub doc: Option<Box<str>>,
    /// Size in bytes.
    pub size: usize,
}

/// Attributes in order of insertion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Props(Vec<(Box<str>, Json)>);

impl Props {
    /// The value of an attribute.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0
            .iter()
            .find(|(key, _)| &**key == name)
            .map(|(_, value)| value)
    }

    /// Adds an attribute at the end. An attribute that is there keeps its first value, as Java refuses to change one.
    pub fn add(&mut self, name: &str, value: Json) {
        if self.get(name).is_none() {
            self.0.push((name.into(), value));
        }
    }

    /// Adds an attribute whose name is not there.
    pub(super) fn push(&mut self, name: &str, value: Json) {
        self.0.push((name.into(), value));
    }

    /// Whether both hold the same attributes, in whatever order.
    pub(super) fn equal(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self
                .iter()
                .all(|(name, value)| other.get(name) == Some(value))
    }

    /// All attributes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Name {
    /// A name out of a full name: what stands before the last dot is the namespace.
    #[must_use]
    pub fn from_full(full: &str) -> Self {
        match full.rsplit_once('.') {
            Some((namespace, name)) => Self {
                namespace: (!namespace.is_empty()).then(|| namespace.into()),
                name: name.into(),
            },
            None => Self {
                namespace: None,
                name: full.into(),
            },
        }
    }
}

/// The full name: `com.acme.Order`.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}.{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl AvroType {
    /// A type without properties.
    #[must_use]
    pub fn plain(kind: Kind) -> Self {
        Self {
            kind,
            props: Props::default(),
        }
    }
}

impl Kind {
    /// The name of a named type.
    #[must_use]
    pub const fn name(&self) -> Option<&Name> {
        match self {
            Self::Record(Record { name, .. })
            | Self::Enum(Enum { name, .. })
            | Self::Fixed(Fixed { name, .. }) => Some(name),
            Self::Null
            | Self::Boolean
            | Self::Int
            | Self::Long
            | Self::Float
            | Self::Double
            | Self::Bytes
            | Self::String
            | Self::Array(_)
            | Self::Map(_)
            | Self::Union(_) => None,
        }
    }

    /// The types it is made of, in order.
    pub fn children(&self) -> impl Iterator<Item = TypeId> {
        let (fields, others) = match self {
            Self::Record(record) => (record.fields.as_slice(), [].as_slice()),
            Self::Array(child) | Self::Map(child) => ([].as_slice(), std::slice::from_ref(child)),
            Self::Union(branches) => ([].as_slice(), branches.as_slice()),
            Self::Null
            | Self::Boolean
            | Self::Int
            | Self::Long
            | Self::Float
            | Self::Double
            | Self::Bytes
            | Self::String
            | Self::Enum(_)
            | Self::Fixed(_) => ([].as_slice(), [].as_slice()),
        };
        let fields = fields.iter().map(|field| field.schema);
        fields.chain(others.iter().copied())
    }

    /// The same, to put others in their places.
    pub(super) fn children_mut(&mut self) -> impl Iterator<Item = &mut TypeId> {
        let (fields, others) = match self {
            Self::Record(record) => (record.fields.as_mut_slice(), [].as_mut_slice()),
            Self::Array(child) | Self::Map(child) => {
                ([].as_mut_slice(), std::slice::from_mut(child))
            }
            Self::Union(branches) => ([].as_mut_slice(), branches.as_mut_slice()),
            Self::Null
            | Self::Boolean
            | Self::Int
            | Self::Long
            | Self::Float
            | Self::Double
            | Self::Bytes
            | Self::String
            | Self::Enum(_)
            | Self::Fixed(_) => ([].as_mut_slice(), [].as_mut_slice()),
        };
        let fields = fields.iter_mut().map(|field| &mut field.schema);
        fields.chain(others)
    }

    /// Avro's word for it: `int`, `record`, `union`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Bytes => "bytes",
            Self::String => "string",
            Self::Record(_) => "record",
            Self::Enum(_) => "enum",
            Self::Fixed(_) => "fixed",
            Self::Array(_) => "array",
            Self::Map(_) => "map",
            Self::Union(_) => "union",
        }
    }
}

impl TypeId {
    /// The place in the arena.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl AvroSchema {
    pub(super) fn types(&self) -> &[AvroType] {
        &self.types
    }

    /// All types.
    pub(super) fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        // One id was made for each of them.
        (0..u32::try_from(self.types.len()).unwrap_or(u32::MAX)).map(TypeId)
    }

    /// The type that values of this schema have.
    #[must_use]
    pub const fn root(&self) -> TypeId {
        self.root
    }

    /// A type of this schema.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &AvroType {
        &self.types[id.0 as usize]
    }

    /// Number of types.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there is no type; never the case.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
}

/// Types on their way to a schema.
#[derive(Debug, Default)]
pub struct AvroSchemaBuilder(Vec<AvroType>);

impl AvroSchemaBuilder {
    /// Adds a type.
    pub fn add(&mut self, new: AvroType) -> TypeId {
        // As many types as the schema has parts, which lie in memory: far below 2^32.
        let id = TypeId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(new);
        id
    }

    /// A place for a type that is not finished: what it consists of may name it already.
    pub fn reserve(&mut self) -> TypeId {
        self.add(AvroType::plain(Kind::Null))
    }

    /// Puts a type at a reserved place.
    pub fn set(&mut self, id: TypeId, new: AvroType) {
        self.0[id.0 as usize] = new;
    }

    /// A type that was added.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &AvroType {
        &self.0[id.0 as usize]
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, id: TypeId) -> &mut AvroType {
        &mut self.0[id.0 as usize]
    }

    pub(super) fn types(&self) -> &[AvroType] {
        &self.0
    }

    /// Number of types.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no type yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The types from the `start`-th on.
    pub(super) fn ids_from(&self, start: usize) -> impl Iterator<Item = TypeId> + use<> {
        let bound = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        (bound(start)..bound(self.0.len())).map(TypeId)
    }

    /// The finished schema; names and defaults are not checked here.
    #[must_use]
    pub fn build(self, root: TypeId) -> AvroSchema {
        AvroSchema {
            types: self.0,
            root,
        }
    }
}

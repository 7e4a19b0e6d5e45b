//! [`SchemaBuilder`]: the only way to a [`Schema`]; and the predefined schemas.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::schema::{Field, Node};
use super::{Builder, Schema, SchemaAndValue, Type};
use crate::error::{Error, data::Kind};

/// Builds a [`Schema`]. Each attribute may be set once, as in Java; the first problem is reported by [`build`](Self::build).
///
/// ```
/// use ferroconnect_converters::data::{Schema, SchemaBuilder};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let schema = SchemaBuilder::structure()
///     .name("com.example.Order")
///     .field("id", Schema::int64())
///     .field("note", Schema::optional_string())
///     .build()?;
/// assert_eq!(schema.fields().len(), 2);
///
/// let twice = SchemaBuilder::structure().field("a", Schema::int8()).field("a", Schema::int8()).build();
/// assert!(twice.unwrap_err().to_string().contains("field name duplication a"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SchemaBuilder {
    node: Node,
    optional_set: bool,
    /// Kept apart: the default is checked against everything else, so it is taken last.
    default: Option<SchemaAndValue>,
    fault: Option<Error>,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl SchemaBuilder {
    /// A builder of a primitive type, or of a struct without fields. Arrays and maps have their own constructors.
    #[must_use]
    pub const fn of(kind: Type) -> Self {
        Self {
            node: Node::new(kind),
            optional_set: false,
            default: None,
            fault: None,
        }
    }

    /// An 8-bit integer.
    #[must_use]
    pub const fn int8() -> Self {
        Self::of(Type::Int8)
    }

    /// A 16-bit integer.
    #[must_use]
    pub const fn int16() -> Self {
        Self::of(Type::Int16)
    }

    /// A 32-bit integer.
    #[must_use]
    pub const fn int32() -> Self {
        Self::of(Type::Int32)
    }

    /// A 64-bit integer.
    #[must_use]
    pub const fn int64() -> Self {
        Self::of(Type::Int64)
    }

    /// A single precision number.
    #[must_use]
    pub const fn float32() -> Self {
        Self::of(Type::Float32)
    }

    /// A double precision number.
    #[must_use]
    pub const fn float64() -> Self {
        Self::of(Type::Float64)
    }

    /// A boolean.
    #[must_use]
    pub const fn boolean() -> Self {
        Self::of(Type::Boolean)
    }

    /// Text.
    #[must_use]
    pub const fn string() -> Self {
        Self::of(Type::String)
    }

    /// Bytes.
    #[must_use]
    pub const fn bytes() -> Self {
        Self::of(Type::Bytes)
    }

    /// A struct; add fields with [`field`](Self::field).
    #[must_use]
    pub const fn structure() -> Self {
        Self::of(Type::Struct)
    }

    /// An array of values of one schema.
    #[must_use]
    pub fn array(value: Schema) -> Self {
        let mut builder = Self::of(Type::Array);
        builder.node.value = Some(value);
        builder
    }

    /// A map of keys and values of one schema each.
    #[must_use]
    pub fn map(key: Schema, value: Schema) -> Self {
        let mut builder = Self::of(Type::Map);
        builder.node.key = Some(key);
        builder.node.value = Some(value);
        builder
    }

    /// An array whose elements may have no common schema: what [`text::parse`](super::text::parse) guesses. No value but an empty
    /// array passes [`check`](super::check::check) under it.
    #[must_use]
    pub fn open_array(value: Option<Schema>) -> Self {
        let mut builder = Self::of(Type::Array);
        builder.node.value = value;
        builder
    }

    /// A map whose keys or values may have no common schema, as [`open_array`](Self::open_array).
    #[must_use]
    pub fn open_map(key: Option<Schema>, value: Option<Schema>) -> Self {
        let mut builder = Self::of(Type::Map);
        builder.node.key = key;
        builder.node.value = value;
        builder
    }

    /// Null becomes a legal value.
    #[must_use]
    pub fn optional(mut self) -> Self {
        if self.optional_set && !self.node.optional {
            self.already_set("optional");
        }
        self.optional_set = true;
        self.node.optional = true;
        self
    }

    /// Null stays illegal; the initial state.
    #[must_use]
    pub fn required(mut self) -> Self {
        if self.optional_set && self.node.optional {
            self.already_set("optional");
        }
        self.optional_set = true;
        self
    }

    /// Sets the name.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        if self.node.name.as_deref().is_some_and(|old| old != name) {
            self.already_set("name");
        }
        self.node.name = Some(name.into());
        self
    }

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: i32) -> Self {
        if self.node.version.is_some_and(|old| old != version) {
            self.already_set("version");
        }
        self.node.version = Some(version);
        self
    }

    /// Sets the documentation.
    #[must_use]
    pub fn doc(mut self, doc: &str) -> Self {
        if self.node.doc.as_deref().is_some_and(|old| old != doc) {
            self.already_set("doc");
        }
        self.node.doc = Some(doc.into());
        self
    }

    /// Adds or replaces one parameter; order is kept.
    #[must_use]
    pub fn parameter(self, name: &str, value: &str) -> Self {
        self.parameters([(name, value)])
    }

    /// Adds parameters. Even an empty list makes the schema have parameters, as in Java.
    #[must_use]
    pub fn parameters<'p>(mut self, entries: impl IntoIterator<Item = (&'p str, &'p str)>) -> Self {
        let mut list = self.node.parameters.take().unwrap_or_default().into_vec();
        // By hash: a record may bring a schema with very many parameters.
        let mut places: HashMap<Box<str>, usize> = list
            .iter()
            .enumerate()
            .map(|(place, (name, _))| (name.clone(), place))
            .collect();
        for (name, value) in entries {
            match places.get(name) {
                Some(place) => list[*place].1 = value.into(),
                None => {
                    places.insert(name.into(), list.len());
                    list.push((name.into(), value.into()));
                }
            }
        }
        self.node.parameters = Some(list.into_boxed_slice());
        self
    }

    /// Sets the default value. Null means none.
    #[must_use]
    pub fn default_value(mut self, value: impl Into<SchemaAndValue>) -> Self {
        let value = value.into();
        if self
            .default
            .as_ref()
            .is_some_and(|old| old.value() != value.value())
        {
            self.already_set("default");
        }
        self.default = if value.is_null() { None } else { Some(value) };
        self
    }

    /// Adds a field to a struct.
    #[must_use]
    pub fn field(mut self, name: &str, schema: Schema) -> Self {
        if self.node.kind != Type::Struct {
            self.fail(Kind::FieldsOnNonStruct {
                kind: self.node.kind,
            });
            return self;
        }
        if name.is_empty() {
            self.fail(Kind::FieldNameMissing);
        }
        match u32::try_from(self.node.fields.len()) {
            Ok(index) => self.node.fields.push(Field {
                name: name.into(),
                index,
                schema,
            }),
            Err(_) => self.fail(Kind::RecordTooLarge),
        }
        self
    }

    /// Adds many fields at once; what decoders of schemas use.
    #[must_use]
    pub(crate) fn fields(mut self, list: Vec<(Box<str>, Schema)>) -> Self {
        let fields = list.into_iter().zip(0u32..);
        self.node.fields = fields
            .map(|((name, schema), index)| Field {
                name,
                index,
                schema,
            })
            .collect();
        self
    }

    /// Ends the schema.
    ///
    /// # Errors
    /// Data fault: an attribute set twice, a duplicate or empty field name, a default that does not fit, an array or
    /// map without its element schemas.
    pub fn build(mut self) -> Result<Schema, Error> {
        self.check_fields();
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let Some(default) = self.default.take() else {
            return Ok(Schema::from_node(self.node));
        };
        let bare = Schema::from_node(self.node);
        let datum = Builder::rebuilt(default.value(), Some(&bare));
        if let Err(cause) = super::check::check(&bare, datum.view(Some(&bare))) {
            return Err(cause.causing(Kind::DefaultInvalid));
        }
        let mut node = bare.into_node();
        node.default = Some(datum);
        Ok(Schema::from_node(node))
    }

    fn check_fields(&mut self) {
        let mut names: Vec<&str> = self.node.fields.iter().map(Field::name).collect();
        if names.iter().any(|name| name.is_empty()) {
            self.fail(Kind::FieldNameMissing);
            return;
        }
        names.sort_unstable();
        let twice = names
            .windows(2)
            .find(|pair| pair[0] == pair[1])
            .map(|pair| pair[0].into());
        if let Some(name) = twice {
            self.fail(Kind::FieldTwice { name });
        }
    }

    fn already_set(&mut self, attribute: &'static str) {
        self.fail(Kind::AttributeTwice { attribute });
    }

    fn fail(&mut self, kind: Kind) {
        self.fault.get_or_insert_with(|| kind.into());
    }
}

macro_rules! predefined {
    ($($name:ident $optional:ident $type:ident $words:literal),+ $(,)?) => {
        impl Schema {$(
            #[doc = concat!("The predefined required schema of ", $words, "; one shared object.")]
            #[must_use]
            pub fn $name() -> Self {
                static SCHEMA: LazyLock<Schema> =
                    LazyLock::new(|| Schema::from_node(Node::new(Type::$type)));
                SCHEMA.clone()
            }

            #[doc = concat!("The predefined optional schema of ", $words, "; one shared object.")]
            #[must_use]
            pub fn $optional() -> Self {
                static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
                    let mut node = Node::new(Type::$type);
                    node.optional = true;
                    Schema::from_node(node)
                });
                SCHEMA.clone()
            }
        )+}
    };
}

predefined!(
    int8 optional_int8 Int8 "8-bit integers",
    int16 optional_int16 Int16 "16-bit integers",
    int32 optional_int32 Int32 "32-bit integers",
    int64 optional_int64 Int64 "64-bit integers",
    float32 optional_float32 Float32 "single precision numbers",
    float64 optional_float64 Float64 "double precision numbers",
    boolean optional_boolean Boolean "booleans",
    string optional_string String "text",
    bytes optional_bytes Bytes "bytes",
);

impl From<Schema> for SchemaBuilder {
    /// A builder that starts from a schema's attributes, without its default.
    fn from(schema: Schema) -> Self {
        let mut node = schema.into_node();
        node.default = None;
        Self {
            node,
            optional_set: false,
            default: None,
            fault: None,
        }
    }
}

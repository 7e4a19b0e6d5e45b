//! From a Connect schema to the Avro schema that is registered for it: `AvroData.fromConnectSchema`.
//!
//! Two kinds of memory decide when a type is written once and named afterwards, and both are observable in the text:
//! required schemas are remembered by Connect equality, and structs are remembered by name for elements, map values,
//! union members and optional structs. The second is also what ends a schema that contains itself.

mod defaults;
mod names;
mod props;
mod shape;

use std::collections::{HashMap, HashSet};

use super::{
    AvroDataConfig, AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind as Avro,
    Name, Order, Props, Record, TypeId,
};
use crate::data::{Schema, Type};
use crate::error::{Error, avro_schema, avro_write::Kind};
use crate::json_text::Json;
use crate::limits::AVRO_SCHEMA_DEPTH_MAX;

pub(super) use names::{full_name, scrub, split_full};

/// The Avro schema of a Connect schema; without one, the record that holds anything.
///
/// ```
/// use ferroconnect_converters::avro::{AvroDataConfig, from_connect_schema};
/// use ferroconnect_converters::data::{Schema, SchemaBuilder};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let order = SchemaBuilder::structure()
///     .name("com.acme.Order")
///     .field("id", Schema::int64())
///     .field("note", Schema::optional_string())
///     .build()?;
/// let avro = from_connect_schema(Some(&order), &AvroDataConfig::default())?;
/// assert_eq!(
///     avro.to_text()?,
///     concat!(
///         r#"{"type":"record","name":"Order","namespace":"com.acme","fields":[{"name":"id","type":"long"},"#,
///         r#"{"name":"note","type":["null","string"],"default":null}],"connect.name":"com.acme.Order"}"#,
///     ),
/// );
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Data fault: names that Avro does not allow, parameters that are no numbers, one name for two types.
pub fn from_connect_schema(
    schema: Option<&Schema>,
    config: &AvroDataConfig,
) -> Result<AvroSchema, Error> {
    let schema = convert(schema, config)?;
    match redefined(&schema) {
        Some(refused) => Err(refused.into()),
        None => Ok(schema),
    }
}

/// As [`from_connect_schema`], with [`redefined`] still to be asked.
pub(super) fn convert(
    schema: Option<&Schema>,
    config: &AvroDataConfig,
) -> Result<AvroSchema, Error> {
    let mut conversion = Conversion {
        types: AvroSchemaBuilder::default(),
        config,
        known: HashMap::new(),
        by_name: HashMap::new(),
        defined: HashMap::new(),
        unnamed: 0,
        depth: 0,
        anything: None,
    };
    let root = conversion.schema(schema, Optional::Union)?;
    Ok(conversion.types.build(root))
}

/// Why data must not be written with a schema: one name of it means two types. Nulls may all the same.
pub(super) fn redefined(schema: &AvroSchema) -> Option<Kind> {
    shape::redefined(schema).map(|name| Kind::Redefined {
        name: name.to_string().into(),
    })
}

struct Conversion<'c> {
    types: AvroSchemaBuilder,
    config: &'c AvroDataConfig,
    /// Required schemas by equality.
    known: HashMap<Schema, TypeId>,
    /// Structs by their Connect name.
    by_name: HashMap<Box<str>, TypeId>,
    /// Full names of the named types that are finished, each with how many were before it.
    defined: HashMap<String, usize>,
    /// How many structs without a name there were.
    unnamed: u32,
    depth: usize,
    anything: Option<TypeId>,
}

/// What becomes of an optional schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Optional {
    /// A union with null.
    Union,
    /// Nothing: the union around it has the null.
    Ignored,
}

impl Conversion<'_> {
    fn schema(&mut self, schema: Option<&Schema>, optional: Optional) -> Result<TypeId, Error> {
        let Some(schema) = schema else {
            return Ok(self.anything());
        };
        if !is_union(schema)
            && !schema.is_optional()
            && let Some(known) = self.known.get(schema)
        {
            return Ok(*known);
        }
        if self.depth >= AVRO_SCHEMA_DEPTH_MAX {
            return Err(Kind::SchemaTooDeep.into());
        }
        self.depth += 1;
        let converted = self.convert(schema, optional);
        self.depth -= 1;
        let converted = converted?;
        if !schema.is_optional() {
            self.known.insert(schema.clone(), converted);
        }
        Ok(converted)
    }

    /// As [`Conversion::schema`], but a struct of a known name is that struct.
    fn named(&mut self, schema: Option<&Schema>, optional: Optional) -> Result<TypeId, Error> {
        let known = schema
            .and_then(Schema::name)
            .and_then(|name| self.by_name.get(name));
        match (schema, known) {
            (Some(schema), Some(known)) => Ok(self.optional(schema, *known, optional)),
            (schema, _) => self.schema(schema, optional),
        }
    }

    fn convert(&mut self, schema: &Schema, optional: Optional) -> Result<TypeId, Error> {
        let converted = match schema.kind() {
            Type::Int8 | Type::Int16 | Type::Int32 => self.types.add(AvroType::plain(Avro::Int)),
            Type::Int64 => self.types.add(AvroType::plain(Avro::Long)),
            Type::Float32 => self.types.add(AvroType::plain(Avro::Float)),
            Type::Float64 => self.types.add(AvroType::plain(Avro::Double)),
            Type::Boolean => self.types.add(AvroType::plain(Avro::Boolean)),
            Type::String => self.string(schema)?,
            Type::Bytes => self.bytes(schema)?,
            Type::Array => {
                let items = self.named(schema.value_schema(), Optional::Union)?;
                self.types.add(AvroType::plain(Avro::Array(items)))
            }
            Type::Map => self.map(schema)?,
            Type::Struct if is_union(schema) => return self.union(schema),
            Type::Struct if schema.is_optional() => {
                let null = self.types.add(AvroType::plain(Avro::Null));
                let required = schema.required();
                let record = self.named(Some(&required), Optional::Union)?;
                return Ok(self
                    .types
                    .add(AvroType::plain(Avro::Union(vec![null, record]))));
            }
            Type::Struct => self.record(schema)?,
        };
        let mut props = std::mem::take(&mut self.types.get_mut(converted).props);
        let kind = &self.types.get(converted).kind;
        props::of_schema(schema, kind, self.config, &mut props)?;
        self.types.get_mut(converted).props = props;
        if let Some(name) = self.types.get(converted).kind.name() {
            let before = self.defined.len();
            self.defined.entry(name.to_string()).or_insert(before);
        }
        Ok(self.optional(schema, converted, optional))
    }

    /// A union with null, of an optional schema: the branch that the default has comes first.
    fn optional(&mut self, schema: &Schema, inner: TypeId, optional: Optional) -> TypeId {
        if !schema.is_optional() || optional == Optional::Ignored {
            return inner;
        }
        let null = self.types.add(AvroType::plain(Avro::Null));
        let branches = match schema.default_value() {
            Some(default) if !default.is_null() => vec![inner, null],
            Some(_) | None => vec![null, inner],
        };
        self.types.add(AvroType::plain(Avro::Union(branches)))
    }

    /// The name of a type: split at the last dot, or made up.
    fn name(&mut self, name: Option<&str>) -> Name {
        match name {
            Some(name) => names::split(name, self.config.scrub_invalid_names),
            None => {
                self.unnamed += 1;
                let number = match self.unnamed {
                    1 => String::new(),
                    more => more.to_string(),
                };
                own_name(&format!("{UNNAMED}{number}"))
            }
        }
    }

    fn string(&mut self, schema: &Schema) -> Result<TypeId, Error> {
        let has = |name| schema.parameter(name).is_some();
        let wanted = self.config.generalized_sum_types || self.config.enhanced_schemas;
        if !wanted || !(has(ENUM) || has(GENERALIZED_ENUM)) {
            return Ok(self.types.add(AvroType::plain(Avro::String)));
        }
        let family = enum_parameter(self.config);
        let own = self.name(schema.name());
        let full = schema
            .parameter(family)
            .ok_or(Kind::ParameterMissing { name: family })?;
        let prefix = format!("{family}.");
        let parameters = schema.parameters().unwrap_or_default();
        let symbols: Vec<Box<str>> = parameters
            .iter()
            .filter_map(|(key, _)| Some(key.strip_prefix(&*prefix)?.into()))
            .collect();
        let of = |prefix: &str| {
            schema
                .parameter(&format!("{prefix}{}", own.name))
                .map(Box::from)
        };
        let (doc, default) = match self.config.discard_type_doc_default {
            true => (schema.parameter(CONNECT_ENUM_DOC).map(Box::from), None),
            false => (of(ENUM_DOC), of(ENUM_DEFAULT)),
        };
        check_symbols(&symbols, default.as_deref())?;
        let name = Name::from_full(full);
        names::check_type(&name)?;
        Ok(self.types.add(AvroType::plain(Avro::Enum(Enum {
            name,
            aliases: Vec::new(),
            doc,
            symbols,
            default,
        }))))
    }

    fn bytes(&mut self, schema: &Schema) -> Result<TypeId, Error> {
        let kind = match fixed_size(schema)? {
            None => Avro::Bytes,
            Some(size) => {
                let name = self.name(schema.name());
                names::check_type(&name)?;
                Avro::Fixed(Fixed {
                    name,
                    aliases: Vec::new(),
                    doc: None,
                    size,
                })
            }
        };
        let mut converted = AvroType::plain(kind);
        if props::is_logical(schema, crate::data::logical::DECIMAL_NAME) {
            let scale =
                props::number(schema, SCALE)?.ok_or(Kind::ParameterMissing { name: SCALE })?;
            let precision = props::number(schema, PRECISION)?.unwrap_or(PRECISION_DEFAULT);
            converted.props.add("scale", Json::Integer(scale.into()));
            converted
                .props
                .add("precision", Json::Integer(precision.into()));
        }
        Ok(self.types.add(converted))
    }

    fn map(&mut self, schema: &Schema) -> Result<TypeId, Error> {
        if is_text_map(schema, self.config) {
            let values = self.named(schema.value_schema(), Optional::Union)?;
            return Ok(self.types.add(AvroType::plain(Avro::Map(values))));
        }
        let mut props = Props::default();
        let name = match schema.name() {
            None => own_name(MAP_ENTRY),
            Some(name) => {
                props.add("connect.internal.type", Json::Text(MAP_ENTRY.into()));
                self.name(Some(name))
            }
        };
        names::check_type(&name)?;
        let key = self.field("key", schema.key_schema(), None)?;
        let value = self.field("value", schema.value_schema(), None)?;
        let entry = self.types.add(AvroType {
            kind: Avro::Record(Record {
                name,
                aliases: Vec::new(),
                doc: None,
                fields: vec![key, value],
                is_error: false,
            }),
            props,
        });
        Ok(self.types.add(AvroType::plain(Avro::Array(entry))))
    }

    /// A struct that stands for a union: each field is a branch.
    fn union(&mut self, schema: &Schema) -> Result<TypeId, Error> {
        let mut branches = Vec::new();
        if schema.is_optional() {
            branches.push(self.types.add(AvroType::plain(Avro::Null)));
        }
        for field in schema.fields() {
            let required = field.schema().required();
            let branch = self
                .named(Some(&required), Optional::Ignored)
                .map_err(|error| error.in_field(field.name()))?;
            branches.push(branch);
        }
        let mut words = HashSet::new();
        for branch in &branches {
            let kind = &self.types.get(*branch).kind;
            if matches!(kind, Avro::Union(_)) {
                return Err(avro_schema::Kind::NestedUnion.into());
            }
            let word = kind
                .name()
                .map_or_else(|| kind.word().to_owned(), ToString::to_string);
            if words.contains(&word) {
                return Err(avro_schema::Kind::UnionTwice { name: word.into() }.into());
            }
            words.insert(word);
        }
        Ok(self.types.add(AvroType::plain(Avro::Union(branches))))
    }

    fn record(&mut self, schema: &Schema) -> Result<TypeId, Error> {
        let variant = schema.name() == Some(VARIANT);
        let name = match variant {
            true => Name::from_full(AVRO_VARIANT),
            false => self.name(schema.name()),
        };
        names::check_type(&name)?;
        let doc = match self.config.discard_type_doc_default {
            true => CONNECT_RECORD_DOC,
            false => RECORD_DOC,
        };
        let doc = schema.parameter(doc).map(Box::from);
        // What the record contains may name it already.
        let id = self.types.reserve();
        let mut record = Record {
            name,
            aliases: Vec::new(),
            doc,
            fields: Vec::new(),
            is_error: false,
        };
        self.types
            .set(id, AvroType::plain(Avro::Record(record.clone())));
        if let Some(name) = schema.name() {
            self.by_name.insert(name.into(), id);
        }
        for field in schema.fields() {
            let name = scrub(field.name(), self.config.scrub_invalid_names);
            let doc = schema
                .parameter(&format!("{FIELD_DOC}{}", field.name()))
                .filter(|_| !self.config.discard_type_doc_default);
            let converted = self
                .field(&name, Some(field.schema()), doc)
                .map_err(|error| error.in_field(field.name()))?;
            if record
                .fields
                .iter()
                .any(|known| known.name == converted.name)
            {
                return Err(avro_schema::Kind::FieldTwice {
                    field: converted.name,
                    record: record.name.to_string().into(),
                }
                .into());
            }
            record.fields.push(converted);
        }
        let mut converted = AvroType::plain(Avro::Record(record));
        if variant {
            converted
                .props
                .add("logicalType", Json::Text("variant".into()));
        }
        self.types.set(id, converted);
        Ok(id)
    }

    fn field(
        &mut self,
        name: &str,
        schema: Option<&Schema>,
        doc: Option<&str>,
    ) -> Result<Field, Error> {
        let default = match schema {
            Some(schema) => match schema.default_value() {
                Some(value) if !value.is_null() => {
                    Some(defaults::to_json(schema, value, self.config)?)
                }
                Some(_) | None => schema.is_optional().then_some(Json::Null),
            },
            None => None,
        };
        let before = self.defined.len();
        let converted = self.schema(schema, Optional::Union)?;
        names::check_part(name)?;
        let doc = match self.config.discard_type_doc_default {
            true => schema.and_then(Schema::doc),
            false => doc,
        };
        let default = default.filter(|value| defaults::fits_field(&self.types, converted, value));
        Ok(Field {
            name: name.into(),
            schema: converted,
            doc: doc.map(Into::into),
            default,
            order: Order::Ascending,
            aliases: Vec::new(),
            props: self.field_props(schema, converted, before),
        })
    }

    /// Parameters of a field whose type was defined before: the definition has those of the first use only.
    fn field_props(&self, schema: Option<&Schema>, converted: TypeId, before: usize) -> Props {
        let mut props = Props::default();
        let name = self.named_type(converted).map(ToString::to_string);
        if self.config.connect_meta_data
            && let Some(schema) = schema
            && name.is_some_and(|name| self.defined.get(&name).is_some_and(|at| *at < before))
            && let Some(parameters) = props::parameters(schema, self.config)
        {
            props.add("connect.parameters", parameters);
        }
        props
    }

    /// The name of a type, or of the type beside null in a union of two.
    fn named_type(&self, id: TypeId) -> Option<&Name> {
        let kind = &self.types.get(id).kind;
        let Avro::Union(branches) = kind else {
            return kind.name();
        };
        let is_null = |id: &TypeId| matches!(self.types.get(*id).kind, Avro::Null);
        match &branches[..] {
            [a, b] if is_null(a) => self.types.get(*b).kind.name(),
            [a, b] if is_null(b) => self.types.get(*a).kind.name(),
            _ => None,
        }
    }

    /// The record of data without a schema: a field for each kind of value, of which one is set.
    fn anything(&mut self) -> TypeId {
        if let Some(known) = self.anything {
            return known;
        }
        let id = self.types.reserve();
        self.anything = Some(id);
        let plain = |kind| AvroType::plain(kind);
        let leaves = [
            ("boolean", Avro::Boolean),
            ("bytes", Avro::Bytes),
            ("double", Avro::Double),
            ("float", Avro::Float),
            ("int", Avro::Int),
            ("long", Avro::Long),
            ("string", Avro::String),
        ];
        let mut fields: Vec<Field> = leaves
            .into_iter()
            .map(|(name, kind)| {
                let leaf = self.types.add(plain(kind));
                self.optional_field(name, leaf)
            })
            .collect();
        let items = self.types.add(plain(Avro::Array(id)));
        fields.push(self.optional_field("array", items));
        let entry = self.types.add(plain(Avro::Record(Record {
            name: own_name(MAP_ENTRY),
            aliases: Vec::new(),
            doc: None,
            fields: vec![plain_field("key", id, None), plain_field("value", id, None)],
            is_error: false,
        })));
        let entries = self.types.add(plain(Avro::Array(entry)));
        fields.push(self.optional_field("map", entries));
        self.types.set(
            id,
            plain(Avro::Record(Record {
                name: own_name("Anything"),
                aliases: Vec::new(),
                doc: None,
                fields,
                is_error: false,
            })),
        );
        id
    }

    fn optional_field(&mut self, name: &str, inner: TypeId) -> Field {
        let null = self.types.add(AvroType::plain(Avro::Null));
        let union = self
            .types
            .add(AvroType::plain(Avro::Union(vec![null, inner])));
        plain_field(name, union, Some(Json::Null))
    }
}

fn plain_field(name: &str, schema: TypeId, default: Option<Json>) -> Field {
    Field {
        name: name.into(),
        schema,
        doc: None,
        default,
        order: Order::Ascending,
        aliases: Vec::new(),
        props: Props::default(),
    }
}

fn own_name(name: &str) -> Name {
    Name {
        namespace: Some(NAMESPACE.into()),
        name: name.into(),
    }
}

/// Whether a struct stands for a union.
pub(super) fn is_union(schema: &Schema) -> bool {
    schema.name() == Some(UNION)
        || (schema.kind() == Type::Struct && schema.parameter(GENERALIZED_UNION).is_some())
}

/// Whether a string is an enum, with these settings.
pub(super) fn is_enum(schema: &Schema, config: &AvroDataConfig) -> bool {
    (config.generalized_sum_types && schema.parameter(GENERALIZED_ENUM).is_some())
        || (config.enhanced_schemas && schema.parameter(ENUM).is_some())
}

/// The full name of the enum that a string is.
pub(super) fn enum_name<'s>(schema: &'s Schema, config: &AvroDataConfig) -> Option<&'s str> {
    schema.parameter(enum_parameter(config))
}

/// Whether a struct of that name is Avro's record of that name: the one name that is not carried over.
pub(super) fn is_variant(connect: &str, avro: &str) -> bool {
    connect == VARIANT && avro == AVRO_VARIANT
}

/// Whether a map is an Avro map; otherwise it is an array of entries.
pub(super) fn is_text_map(schema: &Schema, config: &AvroDataConfig) -> bool {
    schema.key_schema().is_some_and(|key| {
        key.kind() == Type::String && (!key.is_optional() || config.allow_optional_map_keys)
    })
}

/// The size of a fixed; `None` for bytes of any number. Without a name there is no fixed.
pub(super) fn fixed_size(schema: &Schema) -> Result<Option<usize>, Error> {
    if schema.name().is_none() {
        return Ok(None);
    }
    let Some(size) = props::number(schema, FIXED_SIZE)? else {
        return Ok(None);
    };
    let text = || size.to_string().into();
    let bad = |_| Kind::ParameterNotANumber {
        name: FIXED_SIZE,
        text: text(),
    };
    usize::try_from(size)
        .map(Some)
        .map_err(|error| bad(error).into())
}

fn check_symbols(symbols: &[Box<str>], default: Option<&str>) -> Result<(), Error> {
    for (index, symbol) in symbols.iter().enumerate() {
        names::check_part(symbol)?;
        if symbols[..index].contains(symbol) {
            return Err(avro_schema::Kind::SymbolTwice {
                symbol: symbol.clone(),
            }
            .into());
        }
    }
    match default {
        Some(default) if symbols.iter().all(|symbol| **symbol != *default) => {
            Err(avro_schema::Kind::EnumDefault {
                symbol: default.into(),
            }
            .into())
        }
        Some(_) | None => Ok(()),
    }
}

/// Which family of parameters makes a string an enum.
const fn enum_parameter(config: &AvroDataConfig) -> &'static str {
    if config.generalized_sum_types {
        GENERALIZED_ENUM
    } else {
        ENUM
    }
}

const NAMESPACE: &str = "io.confluent.connect.avro";
const UNNAMED: &str = "ConnectDefault";
const MAP_ENTRY: &str = "MapEntry";
const UNION: &str = "io.confluent.connect.avro.Union";
const ENUM: &str = "io.confluent.connect.avro.Enum";
const ENUM_DOC: &str = "io.confluent.connect.avro.enum.doc.";
const ENUM_DEFAULT: &str = "io.confluent.connect.avro.enum.default.";
const RECORD_DOC: &str = "io.confluent.connect.avro.record.doc";
const FIELD_DOC: &str = "io.confluent.connect.avro.field.doc.";
const CONNECT_RECORD_DOC: &str = "connect.record.doc";
const CONNECT_ENUM_DOC: &str = "connect.enum.doc";
const GENERALIZED_ENUM: &str = "org.apache.kafka.connect.data.Enum";
const GENERALIZED_UNION: &str = "org.apache.kafka.connect.data.Union";
const VARIANT: &str = "org.apache.kafka.connect.data.Variant";
const AVRO_VARIANT: &str = "confluent.type.Variant";
const FIELD_DEFAULT: &str = "io.confluent.connect.avro.field.default";
const FIXED_SIZE: &str = "connect.fixed.size";
const SCALE: &str = "scale";
const PRECISION: &str = "connect.decimal.precision";
const PRECISION_DEFAULT: i32 = 64;

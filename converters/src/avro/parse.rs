//! Schema texts (`.avsc`) to [`AvroSchema`]: what Avro's Java library accepts, and nothing else.
//!
//! A name may be used in front of its definition; it is looked up when the text has been read. A second definition of a
//! name is accepted when it equals the first one; docs and aliases do not count. Texts that are referred to are read
//! first, in their order, into the same table of names.
//!
//! Source: Avro 1.12 specification, "Schema Declaration"; `Schema.Parser` and `ParseContext` of Avro 1.12.1, observed.

mod attributes;
mod defaults;
mod settle;

use std::collections::HashMap;

use super::model::{
    AvroSchema, AvroSchemaBuilder, AvroType, Enum, Field, Fixed, Kind as Type, Name, Props, Record,
    TypeId,
};
use super::names::{Letters, check_part, primitive};
use crate::error::{Error, avro_schema::Kind};
use crate::json_text::{Comments, Json, read};
use crate::limits::{AVRO_SCHEMA_BYTES_MAX, AVRO_SCHEMA_DEPTH_MAX};

/// How much of what makes no sense is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strictness {
    /// What a registry does with a new text: names are of ASCII letters, and a default fits a type it could have.
    New,
    /// What Avro's Java library does by itself: as [`New`](Self::New), but names may have the letters and digits of all
    /// scripts.
    Library,
    /// What registries and clients do with what is registered: as [`Library`](Self::Library), but defaults need not fit.
    Registered,
}

impl AvroSchema {
    /// Reads a schema text that refers to no other.
    ///
    /// ```
    /// use ferroconnect_converters::avro::AvroSchema;
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let schema = AvroSchema::parse(r#"{"name": "n.R", "type": "record", "fields": []}"#)?;
    /// assert_eq!(schema.to_text()?, r#"{"type":"record","name":"R","namespace":"n","fields":[]}"#);
    /// assert!(AvroSchema::parse(r#"{"type": "record", "name": "R"}"#).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Data fault: the text is no schema that Avro's Java library accepts. The error says where and why.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_with(text, &[], Strictness::Library)
    }

    /// Reads a schema text; the types it names may be defined in `references`, each of which comes after what it needs
    /// itself.
    ///
    /// # Errors
    /// Data fault: one of the texts is no schema, or a name is defined nowhere.
    pub fn parse_with(
        text: &str,
        references: &[&str],
        strictness: Strictness,
    ) -> Result<Self, Error> {
        parse(text, references, strictness).map(|parsed| parsed.schema)
    }
}

/// A schema, and the names it need not define when it is printed.
pub(super) struct Parsed {
    pub(super) schema: AvroSchema,
    /// The names of the types that the references define at their roots.
    pub(super) referenced: Vec<Box<str>>,
}

pub(super) fn parse(
    text: &str,
    references: &[&str],
    strictness: Strictness,
) -> Result<Parsed, Error> {
    let mut parser = Parser {
        types: AvroSchemaBuilder::default(),
        names: HashMap::new(),
        finished: Vec::new(),
        open: HashMap::new(),
        depth: 0,
        strictness,
        default_steps: 0,
    };
    let mut referenced = Vec::new();
    for (index, reference) in references.iter().enumerate() {
        let root = parser
            .text(reference)
            .map_err(|error| error.in_element(index).in_field("references"))?;
        let name = parser.types.get(root).kind.name();
        referenced.extend(name.map(|name| name.to_string().into_boxed_str()));
    }
    let root = parser.text(text)?;
    Ok(Parsed {
        schema: settle::compact(&parser.types, root)?,
        referenced,
    })
}

struct Parser {
    types: AvroSchemaBuilder,
    /// Named types by their full names.
    names: HashMap<Box<str>, TypeId>,
    /// Named types in the order in which their definitions end.
    finished: Vec<TypeId>,
    /// Places that stand for types whose names were not defined yet, with those names.
    open: HashMap<TypeId, Box<str>>,
    depth: usize,
    strictness: Strictness,
    /// Steps that checks of defaults have taken.
    default_steps: usize,
}

impl Parser {
    const fn letters(&self) -> Letters {
        match self.strictness {
            Strictness::New => Letters::Ascii,
            Strictness::Library | Strictness::Registered => Letters::AllScripts,
        }
    }

    /// Reads one text to its end: no name stays open.
    fn text(&mut self, text: &str) -> Result<TypeId, Error> {
        if text.len() > AVRO_SCHEMA_BYTES_MAX {
            let what = "the text is longer than 20,000,000 bytes";
            return Err(Kind::TooMuch { what }.into());
        }
        let json = read(text, Comments::Accepted)
            .map_err(|flaw| Error::from(Kind::Syntax { what: flaw.what }).at(flaw.at))?;
        let start = self.types.len();
        let root = self.schema(&json, None)?;
        self.settle(start, root)
    }

    /// Reads a type where `namespace` applies.
    fn schema(&mut self, json: &Json, namespace: Option<&str>) -> Result<TypeId, Error> {
        if self.depth >= AVRO_SCHEMA_DEPTH_MAX {
            let what = "types nest deeper than 200 levels";
            return Err(Kind::TooMuch { what }.into());
        }
        self.depth += 1;
        let id = match json {
            Json::Text(name) => Ok(self.find(name, namespace)),
            Json::Object(_) => self.object(json, namespace),
            Json::Array(branches) => self.union(branches, namespace),
            Json::Null => unsupported("null"),
            Json::Boolean(_) => unsupported("a boolean"),
            Json::Integer(_) | Json::BigInteger(_) | Json::Double(_) | Json::Float(_) => {
                unsupported("a number")
            }
        };
        self.depth -= 1;
        id
    }

    /// The type of a name: in the namespace, else without one, else left open under its full name.
    fn find(&mut self, name: &str, namespace: Option<&str>) -> TypeId {
        if let Some(kind) = primitive(name) {
            return self.types.add(AvroType::plain(kind));
        }
        let full = match namespace {
            Some(namespace) if !name.contains('.') => format!("{namespace}.{name}"),
            _ => name.to_owned(),
        };
        let known = self
            .names
            .get(full.as_str())
            .or_else(|| self.names.get(name));
        if let Some(id) = known {
            return *id;
        }
        let id = self.types.reserve();
        self.open.insert(id, full.into());
        id
    }

    fn union(&mut self, branches: &[Json], namespace: Option<&str>) -> Result<TypeId, Error> {
        let mut ids = Vec::with_capacity(branches.len());
        for (index, branch) in branches.iter().enumerate() {
            let id = self
                .schema(branch, namespace)
                .map_err(|error| error.in_element(index))?;
            if matches!(self.types.get(id).kind, Type::Union(_)) {
                return Err(Error::from(Kind::NestedUnion).in_element(index));
            }
            ids.push(id);
        }
        Ok(self.types.add(AvroType::plain(Type::Union(ids))))
    }

    fn object(&mut self, json: &Json, namespace: Option<&str>) -> Result<TypeId, Error> {
        let Some(word) = json.get("type").and_then(Json::as_text) else {
            return Err(Kind::NoType.into());
        };
        match word {
            "record" | "error" => self.record(json, namespace, word == "error"),
            "enum" => self.enumeration(json, namespace),
            "fixed" => self.fixed(json, namespace),
            "array" => {
                let items = json.get("items").ok_or(Kind::NoItems)?;
                let items = self
                    .schema(items, namespace)
                    .map_err(|e| e.in_field("items"))?;
                self.unnamed(json, Type::Array(items))
            }
            "map" => {
                let values = json.get("values").ok_or(Kind::NoValues)?;
                let values = self
                    .schema(values, namespace)
                    .map_err(|e| e.in_field("values"))?;
                self.unnamed(json, Type::Map(values))
            }
            _ => match primitive(word) {
                Some(kind) => self.unnamed(json, kind),
                None => Ok(self.find(word, namespace)),
            },
        }
    }

    fn unnamed(&mut self, json: &Json, kind: Type) -> Result<TypeId, Error> {
        let props = attributes::props(json, attributes::SCHEMA)?;
        Ok(self.types.add(AvroType { kind, props }))
    }

    fn record(
        &mut self,
        json: &Json,
        namespace: Option<&str>,
        is_error: bool,
    ) -> Result<TypeId, Error> {
        let name = attributes::name(json, namespace, self.letters())?;
        let Some(Json::Array(list)) = json.get("fields") else {
            return Err(Kind::NoFields.into());
        };
        let mut fields: Vec<Field> = Vec::with_capacity(list.len());
        let mut places = HashMap::with_capacity(list.len());
        for (index, json) in list.iter().enumerate() {
            let field = self
                .field(json, name.namespace.as_deref())
                .map_err(|error| error.in_element(index).in_field("fields"))?;
            if places.insert(field.name.clone(), index).is_some() {
                let record = name.to_string().into();
                let field = field.name;
                return Err(Kind::FieldTwice { field, record }.into());
            }
            fields.push(field);
        }
        let props = attributes::props(json, attributes::SCHEMA)?;
        let aliases = attributes::type_aliases(json, &name, self.letters())?;
        let kind = Type::Record(Record {
            name,
            aliases,
            doc: attributes::doc(json),
            fields,
            is_error,
        });
        self.define(AvroType { kind, props })
    }

    fn field(&mut self, json: &Json, namespace: Option<&str>) -> Result<Field, Error> {
        let name = json.get("name").and_then(Json::as_text);
        let name = name.ok_or(Kind::NoFieldName)?;
        let schema = json.get("type").ok_or(Kind::NoFieldType)?;
        let schema = self
            .schema(schema, namespace)
            .map_err(|error| error.in_field("type"))?;
        let order = attributes::order(json)?;
        let default = attributes::default(json, &self.types.get(schema).kind)?;
        check_part(name, self.letters())?;
        let field = Field {
            name: name.into(),
            schema,
            doc: attributes::doc(json),
            default,
            order,
            aliases: attributes::aliases(json)?,
            props: attributes::props(json, attributes::FIELD)?,
        };
        self.check_open_default(&field)?;
        Ok(field)
    }

    fn enumeration(&mut self, json: &Json, namespace: Option<&str>) -> Result<TypeId, Error> {
        let name = attributes::name(json, namespace, self.letters())?;
        let Some(Json::Array(list)) = json.get("symbols") else {
            return Err(Kind::NoSymbols.into());
        };
        let mut symbols: Vec<Box<str>> = Vec::with_capacity(list.len());
        let mut known = std::collections::HashSet::with_capacity(list.len());
        for symbol in list {
            let symbol = symbol.as_text().ok_or(Kind::NameMissing)?;
            check_part(symbol, self.letters())?;
            if !known.insert(symbol) {
                let symbol = symbol.into();
                return Err(Kind::SymbolTwice { symbol }.into());
            }
            symbols.push(symbol.into());
        }
        let default = json.get("default").and_then(Json::as_text);
        if let Some(symbol) = default.filter(|symbol| !known.contains(symbol)) {
            let symbol = symbol.into();
            return Err(Kind::EnumDefault { symbol }.into());
        }
        let props = attributes::props(json, attributes::ENUM)?;
        let aliases = attributes::type_aliases(json, &name, self.letters())?;
        let kind = Type::Enum(Enum {
            name,
            aliases,
            doc: attributes::doc(json),
            symbols,
            default: default.map(Into::into),
        });
        self.define(AvroType { kind, props })
    }

    fn fixed(&mut self, json: &Json, namespace: Option<&str>) -> Result<TypeId, Error> {
        let name = attributes::name(json, namespace, self.letters())?;
        let size = json.get("size").and_then(Json::as_i32);
        let size = size.ok_or(Kind::NoSize)?;
        let Some(bytes) = usize::try_from(size)
            .ok()
            .filter(|_| size <= FIXED_BYTES_MAX)
        else {
            return Err(Kind::SizeOutOfRange { size }.into());
        };
        let props = attributes::props(json, attributes::SCHEMA)?;
        let aliases = attributes::type_aliases(json, &name, self.letters())?;
        let kind = Type::Fixed(Fixed {
            name,
            aliases,
            doc: attributes::doc(json),
            size: bytes,
        });
        self.define(AvroType { kind, props })
    }

    /// Adds a named type. One that is known under its name must be equal; the name goes on to mean that one, and of the two
    /// the one that is used first stays in the schema.
    fn define(&mut self, new: AvroType) -> Result<TypeId, Error> {
        let Some(name) = new.kind.name() else {
            return Ok(self.types.add(new));
        };
        name.check_type(self.letters())?;
        let full = name.to_string().into_boxed_str();
        let id = self.types.add(new);
        if let Some(known) = self.names.get(&full) {
            if !self.equal(*known, id) {
                return Err(Kind::Redefined { name: full }.into());
            }
            return Ok(id);
        }
        self.names.insert(full, id);
        self.finished.push(id);
        Ok(id)
    }
}

fn unsupported(found: &str) -> Result<TypeId, Error> {
    Err(Kind::NotASchema {
        found: found.into(),
    }
    .into())
}

/// Bytes of a fixed: the longest array of a JVM.
const FIXED_BYTES_MAX: i32 = i32::MAX - 8;

#[cfg(test)]
mod tests;

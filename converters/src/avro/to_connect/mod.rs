//! From an Avro schema to the Connect schema of its values: `AvroData.toConnectSchema`.
//!
//! Named types are written out at each place that names them, as in Java; here the places share one schema where they
//! mean the same. A record that contains itself becomes a [`Knot`].

mod default;
mod fits;
pub(super) mod parts;
pub(super) mod words;

use std::cell::Cell;
use std::collections::HashMap;

use super::{AvroDataConfig, AvroSchema, Kind as Avro, TypeId};
use crate::data::{Knot, KnotId, Schema};
use crate::error::{Error, avro_read::Kind};
use crate::json_text::Json;
use crate::limits::{AVRO_SCHEMA_DEPTH_MAX, AVRO_SCHEMA_TYPES_MAX};
use parts::Place;

/// The Connect schema of an Avro schema; `None` for the record that schemaless data are written as.
///
/// `version` is the version the registry gave: the root's, unless it names its own or is an optional type.
///
/// ```
/// use ferroconnect_converters::avro::{
///     AvroDataConfig, AvroSchemaBuilder, AvroType, Kind, to_connect_schema,
/// };
/// use ferroconnect_converters::data::Type;
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut avro = AvroSchemaBuilder::default();
/// let null = avro.add(AvroType::plain(Kind::Null));
/// let text = avro.add(AvroType::plain(Kind::String));
/// let optional = avro.add(AvroType::plain(Kind::Union(vec![null, text])));
/// let avro = avro.build(optional);
///
/// let schema = to_connect_schema(&avro, &AvroDataConfig::default(), Some(3))?;
/// assert!(schema.is_some_and(|s| s.kind() == Type::String && s.is_optional() && s.version().is_none()));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Data fault: a type that Connect has no place for, an attribute that contradicts the type, a limit.
pub fn to_connect_schema(
    avro: &AvroSchema,
    config: &AvroDataConfig,
    version: Option<i32>,
) -> Result<Option<Schema>, Error> {
    if is_anything(avro) {
        return Ok(None);
    }
    let mut conversion = Conversion {
        avro,
        config,
        knot: Knot::new(),
        records: HashMap::new(),
        known: HashMap::new(),
        unions: 0,
        steps: Cell::new(0),
        types: 0,
        depth: 0,
    };
    let place = Place {
        version,
        ..Place::default()
    };
    let schema = conversion.schema(avro.root(), place)?;
    conversion.knot.tie(schema).map(Some)
}

struct Conversion<'a> {
    avro: &'a AvroSchema,
    config: &'a AvroDataConfig,
    knot: Knot,
    /// Records that were begun, the last time they were.
    records: HashMap<TypeId, Begun>,
    /// Types that were converted for a place that adds nothing, by whether it is optional.
    known: HashMap<(TypeId, bool), Schema>,
    /// Unions so far; they number the names of `generalized.sum.type.support`.
    unions: usize,
    /// Steps that its defaults took.
    steps: Cell<usize>,
    types: usize,
    depth: usize,
}

#[derive(Clone, Copy)]
struct Begun {
    knot: KnotId,
    open: bool,
    /// Whether it contains itself.
    recursive: bool,
}

impl<'a> Conversion<'a> {
    fn schema(&mut self, id: TypeId, place: Place<'a>) -> Result<Schema, Error> {
        if let Some((member, optional)) = self.member(id) {
            // What the field says stays behind with the union, but for its doc.
            let place = Place {
                optional,
                doc: place.doc,
                parameters: place.parameters,
                ..Place::default()
            };
            return self.schema(member, place);
        }
        if let Some(begun) = self.records.get_mut(&id)
            && (begun.open || begun.recursive)
        {
            begun.recursive = true;
            return Ok(self.knot.reference(begun.knot, place.optional));
        }
        let plain = place.is_plain() && !self.config.generalized_sum_types;
        let key = (id, place.optional);
        if let Some(known) = self.known.get(&key).filter(|_| plain) {
            return Ok(known.clone());
        }
        self.count()?;
        self.depth += 1;
        let schema = self.converted(id, &place)?;
        self.depth -= 1;
        if plain && !schema.is_recursive() {
            self.known.insert(key, schema.clone());
        }
        Ok(schema)
    }

    fn count(&mut self) -> Result<(), Error> {
        self.types += 1;
        if self.types > AVRO_SCHEMA_TYPES_MAX {
            let limit = AVRO_SCHEMA_TYPES_MAX;
            return Err(Kind::SchemaTooLarge { limit }.into());
        }
        if self.depth >= AVRO_SCHEMA_DEPTH_MAX {
            let limit = AVRO_SCHEMA_DEPTH_MAX;
            return Err(Kind::SchemaTooDeep { limit }.into());
        }
        Ok(())
    }

    /// The type that a union stands for, and whether it may be null, when the union is not a struct.
    fn member(&self, id: TypeId) -> Option<(TypeId, bool)> {
        let Avro::Union(branches) = &self.avro.get(id).kind else {
            return None;
        };
        stands_for(self.avro, branches, self.config)
    }
}

/// The type that a union of these branches stands for, and whether it may be null; `None` when the union is a struct.
pub(super) fn stands_for(
    avro: &AvroSchema,
    branches: &[TypeId],
    config: &AvroDataConfig,
) -> Option<(TypeId, bool)> {
    match branches {
        [first, second] if is_null(avro, *first) => Some((*second, true)),
        [first, second] if is_null(avro, *second) => Some((*first, true)),
        [only] if config.flatten_singleton_unions => Some((*only, false)),
        _ => None,
    }
}

pub(super) fn is_null(avro: &AvroSchema, id: TypeId) -> bool {
    matches!(avro.get(id).kind, Avro::Null)
}

/// Whether arrays of this type are maps.
pub(super) fn is_map_entry(avro: &AvroSchema, id: TypeId) -> bool {
    let entry = avro.get(id);
    let Avro::Record(record) = &entry.kind else {
        return false;
    };
    let by_name = &*record.name.name == words::MAP_ENTRY
        && record.name.namespace.as_deref() == Some(words::NAMESPACE);
    by_name || text(entry.props.get(words::CONNECT_INTERNAL_TYPE)) == Some(words::MAP_ENTRY)
}

/// Whether schemaless data are written as this.
pub(super) fn is_anything(avro: &AvroSchema) -> bool {
    let root = avro.get(avro.root());
    let Avro::Record(record) = &root.kind else {
        return false;
    };
    record.name.to_string() == words::ANYTHING
        && root.props.is_empty()
        && record.fields.len() == ANYTHING_FIELDS.len()
        && (record.fields.iter().zip(ANYTHING_FIELDS)).all(|(field, (name, word))| {
            let Avro::Union(branches) = &avro.get(field.schema).kind else {
                return false;
            };
            let [null, inner] = branches[..] else {
                return false;
            };
            let held = &avro.get(inner).kind;
            let elements = if let Avro::Array(item) = held {
                match word {
                    "array" => *item == avro.root(),
                    _ => is_entry_of_anything(avro, *item),
                }
            } else {
                held.word() == word
            };
            let elements = elements && is_null(avro, null);
            &*field.name == name && elements && field.default == Some(Json::Null)
        })
}

fn is_entry_of_anything(avro: &AvroSchema, id: TypeId) -> bool {
    let Avro::Record(entry) = &avro.get(id).kind else {
        return false;
    };
    is_map_entry(avro, id)
        && matches!(&*entry.fields, [key, value]
            if &*key.name == words::KEY_FIELD && &*value.name == words::VALUE_FIELD
                && key.schema == avro.root() && value.schema == avro.root())
}

/// The fields of the record for schemaless data, and Avro's words for what they may hold.
const ANYTHING_FIELDS: [(&str, &str); 9] = [
    ("boolean", "boolean"),
    ("bytes", "bytes"),
    ("double", "double"),
    ("float", "float"),
    ("int", "int"),
    ("long", "long"),
    ("string", "string"),
    ("array", "array"),
    // A list of entries.
    ("map", "map"),
];

fn text(json: Option<&Json>) -> Option<&str> {
    match json? {
        Json::Text(text) => Some(text),
        Json::Null
        | Json::Boolean(_)
        | Json::Integer(_)
        | Json::BigInteger(_)
        | Json::Double(_)
        | Json::Float(_)
        | Json::Array(_)
        | Json::Object(_) => None,
    }
}

#[cfg(test)]
mod tests;

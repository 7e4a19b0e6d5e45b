//! From a message to a Connect schema.
//!
//! What the JVM does with a message that is met again is kept: its schema is one object that all places share. The first field
//! of that type leaves its number on it, elements of arrays are it, and other fields wrap it with numbers of their own. A message
//! that contains itself becomes optional by that, wherever it stands.

mod names;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::ProtobufDataConfig;
use super::from_connect::{Scalar, words};
use super::schema::{Cardinality, EnumId, Field, FieldType, MessageId, ProtobufSchema, Special};
use crate::data::logical::{date, decimal, time, timestamp};
use crate::data::{Knot, KnotId, Schema, SchemaBuilder, Type};
use crate::error::{Error, protobuf_read::Kind};
use crate::limits::{PROTO_CONNECT_DEPTH_MAX, PROTO_CONNECT_FIELDS_MAX};

/// Where the values of a struct come from, in the order of its fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// A oneof, as a struct of its members.
    Union(usize),
    /// A field.
    Field(usize),
}

/// The fields of the struct that a message becomes: what its oneofs become, then the fields outside of them.
pub(super) fn places(
    schema: &ProtobufSchema,
    message: MessageId,
    config: &ProtobufDataConfig,
) -> Vec<Place> {
    let message = schema.get(message);
    let plain = (0..message.fields.len()).filter(|at| !message.fields[*at].is_member);
    let oneofs = message.oneofs.iter().enumerate();
    let oneofs = oneofs.filter(|(_, oneof)| !oneof.members.is_empty());
    let unions: Vec<Place> = match config.flatten_unions {
        true => oneofs
            .flat_map(|(_, oneof)| oneof.members.iter().map(|at| Place::Field(*at)))
            .collect(),
        false => oneofs.map(|(at, _)| Place::Union(at)).collect(),
    };
    unions.into_iter().chain(plain.map(Place::Field)).collect()
}

/// Whether a wrapper message inside of another is read as what it wraps.
pub(super) const fn unwraps(config: &ProtobufDataConfig) -> bool {
    config.wrapper_for_raw_primitives || config.wrapper_for_nullables
}

/// The Connect schema of a message; `version` is the registry's.
///
/// # Errors
/// Data fault: the message has no Connect schema.
pub(super) fn to_connect_schema(
    schema: &ProtobufSchema,
    message: MessageId,
    config: &ProtobufDataConfig,
    version: Option<i32>,
) -> Result<Schema, Error> {
    let mut conversion = Conversion {
        schema,
        config,
        knot: Knot::new(),
        met: HashMap::new(),
        fields: 0,
        depth: 0,
    };
    let versioned = |builder: SchemaBuilder| match version {
        Some(version) => builder.version(version),
        None => builder,
    };
    if let Some(Special::Wrapper(scalar)) = schema.get(message).special
        && config.wrapper_for_raw_primitives
    {
        return versioned(SchemaBuilder::of(scalar_type(scalar))).build();
    }
    let schema = conversion.message(message, Use::Root(version))?;
    conversion.knot.tie(schema)
}

/// The Connect type of a scalar.
pub(super) const fn scalar_type(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => Type::Int32,
        Scalar::Uint32
        | Scalar::Fixed32
        | Scalar::Int64
        | Scalar::Uint64
        | Scalar::Sint64
        | Scalar::Fixed64
        | Scalar::Sfixed64 => Type::Int64,
        Scalar::Float => Type::Float32,
        Scalar::Double => Type::Float64,
        Scalar::Bool => Type::Boolean,
        Scalar::String => Type::String,
        Scalar::Bytes => Type::Bytes,
    }
}

/// The Connect type of a scalar field: `connect.type` may narrow an `int32`.
pub(super) fn field_type(field: &Field, scalar: Scalar) -> Type {
    match (scalar_type(scalar), field.meta.connect_type.as_deref()) {
        (Type::Int32, Some("int8")) => Type::Int8,
        (Type::Int32, Some("int16")) => Type::Int16,
        (other, _) => other,
    }
}

/// Where a message is met.
#[derive(Clone, Copy)]
enum Use {
    Root(Option<i32>),
    /// A field of that number.
    Field(u32),
    Element,
}

struct Met {
    knot: KnotId,
    /// It was met again inside of itself.
    again: bool,
    finished: Option<Schema>,
}

struct Conversion<'a> {
    schema: &'a ProtobufSchema,
    config: &'a ProtobufDataConfig,
    knot: Knot,
    met: HashMap<MessageId, Met>,
    fields: usize,
    depth: usize,
}

impl Conversion<'_> {
    fn message(&mut self, id: MessageId, place: Use) -> Result<Schema, Error> {
        if let Some(met) = self.met.get_mut(&id) {
            return Ok(known(&mut self.knot, met, place));
        }
        self.depth += 1;
        if self.depth > PROTO_CONNECT_DEPTH_MAX {
            let limit = PROTO_CONNECT_DEPTH_MAX;
            return Err(Kind::SchemaTooDeep { limit }.into());
        }
        let knot = self.knot.reserve();
        let met = Met {
            knot,
            again: false,
            finished: None,
        };
        self.met.insert(id, met);
        let schema = self.schema;
        let message = schema.get(id);
        let mut fields = Vec::new();
        for place in places(schema, id, self.config) {
            fields.push(match place {
                Place::Field(at) => {
                    let field = &message.fields[at];
                    (field.name.clone(), self.field(field)?)
                }
                Place::Union(at) => (self.union_name(id, at), self.union(id, at)?),
            });
        }
        self.depth -= 1;
        let name = names::of(&message.name, &message.full_name, self.config);
        let mut builder = SchemaBuilder::structure().fields(fields).name(name);
        let again = self.met.get(&id).is_some_and(|met| met.again);
        builder = match place {
            Use::Root(version) => match version {
                Some(version) => builder.version(version),
                None => builder,
            },
            Use::Field(number) => builder
                .optional()
                .parameter(words::TAG, &number.to_string()),
            Use::Element => builder.optional(),
        };
        if again && matches!(place, Use::Root(_)) {
            builder = builder.optional();
        }
        let defined = self.knot.define(knot, builder.build()?);
        if let Some(met) = self.met.get_mut(&id) {
            met.finished = Some(defined.clone());
        }
        Ok(defined)
    }

    fn count(&mut self) -> Result<(), Error> {
        self.fields += 1;
        match self.fields > PROTO_CONNECT_FIELDS_MAX {
            true => Err(Kind::SchemaTooLarge {
                limit: PROTO_CONNECT_FIELDS_MAX,
            }
            .into()),
            false => Ok(()),
        }
    }

    fn union_name(&self, id: MessageId, at: usize) -> Box<str> {
        let oneof = &self.schema.get(id).oneofs[at];
        match self.config.index_for_unions {
            true => format!("{}_{at}", oneof.name).into(),
            false => oneof.name.clone(),
        }
    }

    fn union(&mut self, id: MessageId, at: usize) -> Result<Schema, Error> {
        let schema = self.schema;
        let message = schema.get(id);
        let oneof = &message.oneofs[at];
        let mut fields = Vec::new();
        for member in &oneof.members {
            let field = &message.fields[*member];
            fields.push((field.name.clone(), self.field(field)?));
        }
        let builder = SchemaBuilder::structure().fields(fields).optional();
        let builder = match self.config.generalized_sum_types {
            true => builder
                .name(&oneof.name)
                .parameter(words::GENERALIZED_UNION, &oneof.name),
            false => {
                let name = names::of(&oneof.name, &oneof.full_name, self.config);
                builder.name(&format!("{}{name}", words::UNION_PREFIX))
            }
        };
        builder.build()
    }

    fn field(&mut self, field: &Field) -> Result<Schema, Error> {
        self.count()?;
        if field.cardinality != Cardinality::Repeated {
            return self.single(field, Some(field.number));
        }
        let number = field.number.to_string();
        let repeated = match field.ty {
            FieldType::Message(id) if self.schema.get(id).as_entry().is_some() => self.map(id)?,
            FieldType::Scalar(_) | FieldType::Message(_) | FieldType::Enum(_) => {
                SchemaBuilder::array(self.single(field, None)?)
            }
        };
        repeated.optional().parameter(words::TAG, &number).build()
    }

    fn map(&mut self, entry: MessageId) -> Result<SchemaBuilder, Error> {
        let schema = self.schema;
        let message = schema.get(entry);
        let Some([key, value]) = message.as_entry() else {
            return Ok(SchemaBuilder::structure());
        };
        self.depth += 1;
        if self.depth > PROTO_CONNECT_DEPTH_MAX {
            let limit = PROTO_CONNECT_DEPTH_MAX;
            return Err(Kind::SchemaTooDeep { limit }.into());
        }
        let parts = [self.field(key)?, self.field(value)?];
        self.depth -= 1;
        let [key, value] = parts;
        let name = names::of_map(&message.name, &message.full_name, self.config);
        Ok(SchemaBuilder::map(key, value).name(&name))
    }

    /// The schema of one value of a field; `number` when it is no element.
    fn single(&mut self, field: &Field, number: Option<u32>) -> Result<Schema, Error> {
        let is_optional = match (field.ty, number) {
            (FieldType::Scalar(_), Some(_)) => self.is_optional(field),
            _ => true,
        };
        let builder = match field.ty {
            FieldType::Scalar(scalar) => {
                let builder = SchemaBuilder::of(field_type(field, scalar));
                match scalar {
                    Scalar::Int32
                    | Scalar::Int64
                    | Scalar::Float
                    | Scalar::Double
                    | Scalar::Bool
                    | Scalar::String
                    | Scalar::Bytes => builder,
                    Scalar::Sint32
                    | Scalar::Sfixed32
                    | Scalar::Uint32
                    | Scalar::Fixed32
                    | Scalar::Uint64
                    | Scalar::Sint64
                    | Scalar::Fixed64
                    | Scalar::Sfixed64 => builder.parameter(words::TYPE, scalar.word()),
                }
            }
            FieldType::Enum(id) => self.enumeration(id),
            FieldType::Message(id) => match self.schema.get(id).special {
                Some(Special::Wrapper(scalar)) if unwraps(self.config) => {
                    let builder = SchemaBuilder::of(scalar_type(scalar));
                    match self.config.wrapper_for_nullables && field.is_member {
                        true => builder.parameter(words::WRAPPER, "true"),
                        false => builder,
                    }
                }
                Some(Special::Wrapper(_)) | None => {
                    let place = number.map_or(Use::Element, Use::Field);
                    return self.message(id, place);
                }
                Some(special) => logical(special, field)?,
            },
        };
        let builder = match is_optional {
            true => builder.optional(),
            false => builder,
        };
        match number {
            Some(number) => builder.parameter(words::TAG, &number.to_string()),
            None => builder,
        }
        .build()
    }

    fn is_optional(&self, field: &Field) -> bool {
        if field.is_member {
            return true;
        }
        if self.config.optional_for_nullables {
            return field.cardinality == Cardinality::Optional;
        }
        !self.config.wrapper_for_nullables
    }

    fn enumeration(&self, id: EnumId) -> SchemaBuilder {
        let found = self.schema.get_enum(id);
        let kind = match self.config.int_for_enums {
            true => Type::Int32,
            false => Type::String,
        };
        let word = match self.config.generalized_sum_types {
            true => words::GENERALIZED_ENUM,
            false => words::ENUM,
        };
        let values = found.values.iter();
        let values: Vec<(String, String)> = values
            .map(|(symbol, number)| (format!("{word}.{symbol}"), number.to_string()))
            .collect();
        let values = values.iter().map(|(name, number)| (&**name, &**number));
        SchemaBuilder::of(kind)
            .name(names::of(&found.name, &found.full_name, self.config))
            .parameters(std::iter::once((word, &*found.name)).chain(values))
    }
}

/// The schema of a message that was met before.
fn known(knot: &mut Knot, met: &mut Met, place: Use) -> Schema {
    let finished = met.finished.as_ref();
    met.again |= finished.is_none();
    match (place, finished) {
        (Use::Field(number), Some(schema)) if !met.again => {
            let builder = SchemaBuilder::from(schema.clone());
            let rebuilt = builder.parameter(words::TAG, &number.to_string()).build();
            rebuilt.unwrap_or_else(|_| schema.clone())
        }
        (Use::Field(number), _) => {
            let number = number.to_string();
            knot.reference_with(met.knot, true, [(words::TAG, &*number)])
        }
        (Use::Element | Use::Root(_), Some(schema)) => schema.clone(),
        (Use::Element | Use::Root(_), None) => knot.reference(met.knot, true),
    }
}

fn logical(special: Special, field: &Field) -> Result<SchemaBuilder, Error> {
    let number = |text: &Option<Box<str>>| {
        let text = text.as_deref().unwrap_or("0");
        let parsed: Result<i32, _> = text.parse();
        let field = field.name.clone();
        parsed.map_err(|_| Error::from(Kind::ScaleNotANumber { field }))
    };
    Ok(match special {
        Special::Decimal => {
            let builder = decimal(number(&field.meta.scale)?);
            match &field.meta.precision {
                Some(precision) => builder.parameter(words::PRECISION, precision),
                None => builder,
            }
        }
        Special::Date => date(),
        Special::Time => time(),
        Special::Timestamp => timestamp(),
        Special::Variant | Special::Wrapper(_) => SchemaBuilder::structure()
            .name(words::VARIANT)
            .field("metadata", Schema::bytes())
            .field("value", Schema::bytes()),
    })
}

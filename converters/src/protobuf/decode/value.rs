//! From a message as a tree to Connect data: the definition of what is read.

use std::collections::BTreeMap;

use super::super::ProtobufDataConfig;
use super::super::from_connect::Scalar;
use super::super::schema::{Cardinality, Field, FieldType, MessageId, ProtobufSchema, Special};
use super::super::to_connect::{Place, field_type, places, unwraps};
use super::logical;
use super::message::{Raw, Tree};
use crate::data::hash_order::{iteration_order, value_hash};
use crate::data::{Builder, Schema, SchemaAndValue, Type};
use crate::error::{Error, data, protobuf_read::Kind};
use crate::limits::{PROTO_VALUE_DEPTH_MAX, PROTO_VALUES_MAX};

/// The datum that a message stands for.
///
/// # Errors
/// Data fault with the field's path.
pub(super) fn value(
    schema: &ProtobufSchema,
    config: &ProtobufDataConfig,
    (id, tree): (MessageId, &Tree),
    connect: &Schema,
) -> Result<SchemaAndValue, Error> {
    let mut values = Values {
        schema,
        config,
        builder: Builder::new(Some(connect.clone())),
        depth: 0,
        values: 0,
    };
    match schema.get(id).special {
        Some(Special::Wrapper(_)) if config.wrapper_for_raw_primitives => {
            values.wrapped(id, tree)?;
        }
        Some(_) | None => values.structure(id, tree, connect)?,
    }
    values.builder.finish()
}

/// The values of a field, if it has any.
type Held<'a> = Option<&'a Vec<Raw>>;

struct Values<'a> {
    schema: &'a ProtobufSchema,
    config: &'a ProtobufDataConfig,
    builder: Builder,
    depth: usize,
    /// Places of the structs so far.
    values: usize,
}

impl Values<'_> {
    fn structure(&mut self, id: MessageId, tree: &Tree, connect: &Schema) -> Result<(), Error> {
        if self.depth > PROTO_VALUE_DEPTH_MAX {
            let limit = PROTO_VALUE_DEPTH_MAX;
            return Err(Kind::TooDeep { limit }.into());
        }
        self.depth += 1;
        self.values += connect.fields().len();
        if self.values > PROTO_VALUES_MAX {
            return Err(data::Kind::RecordTooLarge.into());
        }
        let schema = self.schema;
        let message = schema.get(id);
        self.builder.begin_struct(connect);
        for (at, place) in places(schema, id, self.config).into_iter().enumerate() {
            let part = connect.fields()[at].schema();
            self.builder.field(at);
            match place {
                Place::Field(at) => self.field(&message.fields[at], tree.0.get(&at), part)?,
                Place::Union(oneof) => {
                    let members = &message.oneofs[oneof].members;
                    let set = members.iter().enumerate();
                    let mut set = set.filter_map(|(n, at)| Some((n, at, tree.0.get(at)?)));
                    let Some((n, at, values)) = set.next_back() else {
                        self.builder.null();
                        continue;
                    };
                    self.builder.begin_struct(part);
                    self.builder.field(n);
                    let field = &message.fields[*at];
                    self.field(field, Some(values), part.fields()[n].schema())?;
                    self.builder.end_struct();
                }
            }
        }
        self.builder.end_struct();
        self.depth -= 1;
        Ok(())
    }

    fn field(
        &mut self,
        field: &Field,
        values: Option<&Vec<Raw>>,
        connect: &Schema,
    ) -> Result<(), Error> {
        let result = match (field.cardinality, values.and_then(|values| values.last())) {
            (Cardinality::Repeated, _) => {
                let values = values.map(Vec::as_slice).unwrap_or_default();
                return self.repeated(field, values, connect);
            }
            (_, Some(raw)) => self.single(field, raw, connect),
            (Cardinality::Implicit, None) => self.zero(field, connect),
            (_, None) => self.absent(field, connect),
        };
        result.map_err(|error| error.in_field(&field.name))
    }

    fn repeated(&mut self, field: &Field, values: &[Raw], connect: &Schema) -> Result<(), Error> {
        if let FieldType::Message(id) = field.ty
            && self.schema.get(id).as_entry().is_some()
        {
            let map = self.map(id, values, connect);
            return map.map_err(|error| error.in_field(&field.name));
        }
        let unknown = Schema::optional_string();
        let element = connect.value_schema().unwrap_or(&unknown);
        self.builder.begin_array();
        for (at, raw) in values.iter().enumerate() {
            self.single(field, raw, element)
                .map_err(|error| error.in_element(at).in_field(&field.name))?;
        }
        self.builder.end_array();
        Ok(())
    }

    /// The entries of a `HashMap` in its order: of two with one key the later counts, in the place of the first.
    fn map(&mut self, id: MessageId, values: &[Raw], connect: &Schema) -> Result<(), Error> {
        let schema = self.schema;
        let empty = Tree::default();
        let message = schema.get(id);
        let place = |name: &str| message.fields.iter().position(|f| &*f.name == name);
        let (Some(key_at), Some(value_at)) = (place("key"), place("value")) else {
            return Ok(());
        };
        let [key_field, value_field] = [&message.fields[key_at], &message.fields[value_at]];
        let unknown = Schema::optional_string();
        let key_schema = connect.key_schema().unwrap_or(&unknown);
        let value_schema = connect.value_schema().unwrap_or(&unknown);
        let mut known: BTreeMap<Held<'_>, usize> = BTreeMap::new();
        let mut entries: Vec<[Held<'_>; 2]> = Vec::new();
        let zero = vec![Raw::Number(0)];
        let blank = vec![Raw::Text(String::new())];
        for raw in values {
            let tree = if let Raw::Message(tree) = raw {
                tree
            } else {
                &empty
            };
            let key = tree.0.get(&key_at);
            // A key that is not there is the same as zero.
            let same = key.filter(|key| **key != zero && **key != blank);
            let at = *known.entry(same).or_insert(entries.len());
            let entry = [key, tree.0.get(&value_at)];
            match entries.get_mut(at) {
                Some(place) => *place = entry,
                None => entries.push(entry),
            }
        }
        let mut hashes = Vec::with_capacity(entries.len());
        for [key, _] in &entries {
            let mut keys = Values {
                schema,
                config: self.config,
                builder: Builder::new(Some(key_schema.clone())),
                depth: self.depth,
                values: self.values,
            };
            keys.part(key_field, *key, key_schema)?;
            let key = keys.builder.finish()?;
            hashes.push(value_hash(key.value()).unwrap_or_default());
        }
        let mut order = Vec::new();
        iteration_order(&hashes, &mut order);
        self.builder.begin_map();
        for at in order {
            let [key, value] = entries[at as usize];
            self.part(key_field, key, key_schema)
                .map_err(|error| error.in_key(at as usize))?;
            self.part(value_field, value, value_schema)
                .map_err(|error| error.in_map_value(at as usize))?;
        }
        self.builder.end_map();
        Ok(())
    }

    /// The key or the value of an entry: one that is not there is the default of its type, whatever it is.
    fn part(
        &mut self,
        field: &Field,
        values: Option<&Vec<Raw>>,
        connect: &Schema,
    ) -> Result<(), Error> {
        match values.and_then(|values| values.last()) {
            Some(raw) => self.single(field, raw, connect),
            None => self.zero(field, connect),
        }
    }

    fn single(&mut self, field: &Field, raw: &Raw, connect: &Schema) -> Result<(), Error> {
        match (field.ty, raw) {
            (FieldType::Scalar(scalar), raw) => {
                self.scalar(scalar, field_type(field, scalar), raw)?;
            }
            (FieldType::Enum(_), Raw::Number(number)) => self.symbol(field, *number),
            (FieldType::Message(id), Raw::Message(tree)) => {
                return match self.schema.get(id).special {
                    Some(Special::Wrapper(_)) if unwraps(self.config) => self.wrapped(id, tree),
                    Some(Special::Wrapper(_) | Special::Variant) | None => {
                        self.structure(id, tree, connect)
                    }
                    Some(special) => self.logical(special, tree),
                };
            }
            (FieldType::Enum(_) | FieldType::Message(_), _) => {
                self.builder.null();
            }
        }
        Ok(())
    }

    fn scalar(&mut self, scalar: Scalar, kind: Type, raw: &Raw) -> Result<(), Error> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "cut to its width when it was read"
        )]
        match raw {
            Raw::Number(number) => match kind {
                Type::Int8 => {
                    let to = "int8";
                    let narrow = i8::try_from(*number).map_err(|_| Kind::Narrowed { to })?;
                    self.builder.int8(narrow);
                }
                Type::Int16 => {
                    let to = "int16";
                    let narrow = i16::try_from(*number).map_err(|_| Kind::Narrowed { to })?;
                    self.builder.int16(narrow);
                }
                Type::Int32 => {
                    self.builder.int32(*number as i32);
                }
                Type::Boolean => {
                    self.builder.boolean(*number != 0);
                }
                Type::Float32 => {
                    let bits = (*number as i32).cast_unsigned();
                    self.builder.float32(f32::from_bits(bits));
                }
                Type::Float64 => {
                    self.builder.float64(f64::from_bits(number.cast_unsigned()));
                }
                Type::Int64
                | Type::String
                | Type::Bytes
                | Type::Array
                | Type::Map
                | Type::Struct => {
                    self.builder.int64(*number);
                }
            },
            Raw::Text(text) => {
                self.builder.string(text);
            }
            Raw::Bytes(bytes) => {
                self.builder.bytes(bytes);
            }
            Raw::Message(_) => {
                debug_assert!(false, "{scalar:?} is no message");
                self.builder.null();
            }
        }
        Ok(())
    }

    fn symbol(&mut self, field: &Field, number: i64) {
        let FieldType::Enum(id) = field.ty else {
            return;
        };
        let number = i32::try_from(number).unwrap_or_default();
        if self.config.int_for_enums {
            self.builder.int32(number);
            return;
        }
        let found = self.schema.get_enum(id);
        match found.symbol(number) {
            Some(symbol) => self.builder.string(symbol),
            None => {
                let name = format!("UNKNOWN_ENUM_VALUE_{}_{number}", found.name);
                self.builder.string(&name)
            }
        };
    }

    /// What a wrapper message holds.
    fn wrapped(&mut self, id: MessageId, tree: &Tree) -> Result<(), Error> {
        let schema = self.schema;
        let Some(field) = schema.get(id).fields.first() else {
            return Ok(());
        };
        let plain = Schema::optional_string();
        self.field(field, tree.0.get(&0), &plain)
    }

    fn logical(&mut self, special: Special, tree: &Tree) -> Result<(), Error> {
        let number = |place: usize| match tree.0.get(&place).and_then(|values| values.last()) {
            Some(Raw::Number(number)) => *number,
            Some(_) | None => 0,
        };
        match special {
            Special::Timestamp => {
                let millis = logical::timestamp(number(0), number(1))?;
                self.builder.timestamp(millis);
            }
            Special::Date => {
                let millis = logical::date(number(0), number(1), number(2))?;
                self.builder.date(millis);
            }
            Special::Time => {
                let parts = [number(0), number(1), number(2), number(3)];
                self.builder.time(logical::time(parts)?);
            }
            Special::Decimal | Special::Variant | Special::Wrapper(_) => {
                let value = match tree.0.get(&0).and_then(|values| values.last()) {
                    Some(Raw::Bytes(bytes)) => &**bytes,
                    Some(_) | None => &[],
                };
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "cut to its width when it was read; Java has no unsigned numbers"
                )]
                let [precision, scale] = [number(1) as i32, number(2) as i32];
                let decimal = logical::decimal(value, precision, scale)?;
                self.builder.decimal(decimal.view());
            }
        }
        Ok(())
    }

    /// A field that a reader can tell to be absent.
    fn absent(&mut self, field: &Field, connect: &Schema) -> Result<(), Error> {
        let is_message = matches!(field.ty, FieldType::Message(_));
        let proto2 = field.is_proto2 && !self.config.optional_for_proto2 && !is_message;
        match self.config.struct_for_nulls || proto2 {
            true => self.zero(field, connect),
            false => {
                self.builder.null();
                Ok(())
            }
        }
    }

    /// The default of a field.
    fn zero(&mut self, field: &Field, connect: &Schema) -> Result<(), Error> {
        let raw = default(self.schema, field)?;
        self.single(field, &raw, connect)
    }
}

/// The value of a field that is not set.
///
/// # Errors
/// Data fault: the text declares a default that the type does not take.
pub(super) fn default(schema: &ProtobufSchema, field: &Field) -> Result<Raw, Error> {
    let declared = field.default.as_deref();
    let invalid = || {
        let field = field.name.clone();
        Error::from(Kind::InvalidDefault { field })
    };
    Ok(match field.ty {
        FieldType::Message(_) => Raw::Message(Tree::default()),
        FieldType::Enum(id) => {
            let found = schema.get_enum(id);
            let number = match declared {
                None => found.zero(),
                Some(symbol) => {
                    let mut values = found.values.iter();
                    let known = values.find(|(name, _)| &**name == symbol);
                    known.ok_or_else(invalid)?.1
                }
            };
            Raw::Number(number.into())
        }
        FieldType::Scalar(Scalar::String) => Raw::Text(declared.unwrap_or_default().into()),
        FieldType::Scalar(Scalar::Bytes) => {
            Raw::Bytes(declared.unwrap_or_default().as_bytes().to_vec())
        }
        FieldType::Scalar(scalar) => match declared {
            None => Raw::Number(0),
            Some(text) => Raw::Number(number(scalar, text).ok_or_else(invalid)?),
        },
    })
}

/// A number of a `.proto` text as it lies on the wire.
fn number(scalar: Scalar, text: &str) -> Option<i64> {
    let integer = || {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let parsed = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(hex) => i128::from_str_radix(hex, 16),
            None if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8),
            None => digits.parse::<i128>(),
        };
        parsed.ok().map(|value| sign * value)
    };
    match scalar {
        Scalar::Bool => match text {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        },
        Scalar::Float => Some(text.parse::<f32>().ok()?.to_bits().into()),
        Scalar::Double => Some(text.parse::<f64>().ok()?.to_bits().cast_signed()),
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => {
            Some(i32::try_from(integer()?).ok()?.into())
        }
        Scalar::Uint32 | Scalar::Fixed32 => Some(u32::try_from(integer()?).ok()?.into()),
        Scalar::Uint64 | Scalar::Fixed64 => Some(u64::try_from(integer()?).ok()?.cast_signed()),
        Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 | Scalar::String | Scalar::Bytes => {
            i64::try_from(integer()?).ok()
        }
    }
}

//! From schemas to a plan: the Avro schema says how bytes are read, the Connect schema beside it what becomes of them.

use std::collections::HashMap;

use super::plan::{
    Branch, Entry, EnumPlan, Items, Node, Null, Parts, Place, Quick, Refusal, Step, StructPlan,
    UnionPlan,
};
use super::read::narrow;
use super::{Body, DecodeOptions, DecodePlan};
use crate::avro::to_connect::parts::{entry, logical_type};
use crate::avro::to_connect::{is_map_entry, is_null, stands_for, words};
use crate::avro::{AvroDataConfig, AvroSchema, Enum, Kind as Avro, Record, TypeId};
use crate::data::{Logical, Schema, Type};
use crate::error::Error;
use crate::plan::NodeId;

pub(super) fn plan(
    avro: &AvroSchema,
    config: &AvroDataConfig,
    options: DecodeOptions,
    schema: Schema,
) -> DecodePlan {
    let mut compiler = Compiler::new(avro, config, options);
    let raw = matches!(avro.get(avro.root()).kind, Avro::Bytes);
    // What comes raw does not pass the reader that would make objects of logical types.
    compiler.options.reserve_logical_types &= !raw;
    let place = compiler.place(avro.root(), &schema);
    let body = if raw {
        Body::Raw(place.node)
    } else {
        Body::Place(place)
    };
    DecodePlan {
        schema: Some(schema),
        body,
        parts: compiler.parts,
    }
}

pub(super) struct Compiler<'a> {
    pub(super) avro: &'a AvroSchema,
    pub(super) config: &'a AvroDataConfig,
    pub(super) options: DecodeOptions,
    pub(super) parts: Parts,
    /// Records by their type, so that one that contains itself ends.
    records: HashMap<TypeId, u32>,
    enums: HashMap<TypeId, u32>,
    /// Records that are passed over.
    pub(super) passed: HashMap<TypeId, u32>,
    /// Least sizes of types, in bytes.
    sizes: HashMap<TypeId, usize>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        avro: &'a AvroSchema,
        config: &'a AvroDataConfig,
        options: DecodeOptions,
    ) -> Self {
        Self {
            avro,
            config,
            options,
            parts: Parts::default(),
            records: HashMap::new(),
            enums: HashMap::new(),
            passed: HashMap::new(),
            sizes: HashMap::new(),
        }
    }

    pub(super) fn place(&mut self, id: TypeId, schema: &Schema) -> Place {
        let Avro::Union(branches) = &self.avro.get(id).kind else {
            return Place::of(self.node(id, schema));
        };
        match (stands_for(self.avro, branches, self.config), &**branches) {
            (Some((member, true)), [first, _]) => {
                let null = if *first == member {
                    Null::Second
                } else {
                    Null::First
                };
                let node = self.node(member, schema);
                Place { null, node }
            }
            (Some((member, _)), _) => {
                let place = self.place(member, schema);
                let branches = [Branch::Plain(place)].into();
                Place::of(self.add_union(UnionPlan { branches, width: 0 }))
            }
            (None, _) => Place::of(self.union(branches, schema)),
        }
    }

    fn node(&mut self, id: TypeId, schema: &Schema) -> Node {
        let avro = self.avro.get(id);
        if let Some(name) = self.reserved(id) {
            return Node::Refused(Refusal::ReservedLogicalType(name));
        }
        if let Some(logical) = schema.logical() {
            return logical_node(logical, &avro.kind, schema);
        }
        match &avro.kind {
            Avro::Null => Node::Nothing,
            Avro::Boolean => Node::Boolean,
            Avro::Int => int_node(schema.kind()),
            Avro::Long => Node::Int64,
            Avro::Float => Node::Float32,
            Avro::Double => Node::Float64,
            Avro::Bytes => Node::Bytes,
            Avro::String => Node::Text,
            Avro::Fixed(fixed) => Node::Fixed {
                size: size_32(fixed.size),
            },
            Avro::Enum(named) => self.enumeration(id, named),
            Avro::Record(record) => self.record(id, record, schema),
            Avro::Map(values) => {
                let values = *values;
                let place = schema
                    .value_schema()
                    .map_or(Place::of(Node::Nothing), |s| self.place(values, s));
                // The key takes a byte for its length.
                let bytes_min = self.bytes_min(values).saturating_add(1);
                Node::Map(self.add_items(Items {
                    place,
                    bytes_min,
                    entry: None,
                }))
            }
            Avro::Array(item) if is_map_entry(self.avro, *item) => self.entries(*item, schema),
            Avro::Array(item) => {
                let item = *item;
                let place = schema
                    .value_schema()
                    .map_or(Place::of(Node::Nothing), |s| self.place(item, s));
                let bytes_min = self.bytes_min(item);
                Node::Array(self.add_items(Items {
                    place,
                    bytes_min,
                    entry: None,
                }))
            }
            // A union has no union among its branches.
            Avro::Union(branches) => self.union(branches, schema),
        }
    }

    /// The logical type of which Avro's own reader would make an object.
    fn reserved(&self, id: TypeId) -> Option<&'static str> {
        if !self.options.reserve_logical_types {
            return None;
        }
        let avro = self.avro.get(id);
        let logical = logical_type(avro)?;
        let known = match &avro.kind {
            Avro::Int => &["date", "time-millis"][..],
            Avro::Long => &[
                "time-micros",
                "timestamp-millis",
                "timestamp-micros",
                "timestamp-nanos",
                "local-timestamp-millis",
                "local-timestamp-micros",
                "local-timestamp-nanos",
            ],
            Avro::Bytes | Avro::Fixed(_) => &["decimal"],
            Avro::String => &["uuid"],
            Avro::Null
            | Avro::Boolean
            | Avro::Float
            | Avro::Double
            | Avro::Record(_)
            | Avro::Enum(_)
            | Avro::Array(_)
            | Avro::Map(_)
            | Avro::Union(_) => &[],
        };
        known.iter().find(|name| **name == logical).copied()
    }

    fn record(&mut self, id: TypeId, record: &Record, schema: &Schema) -> Node {
        if let Some(index) = self.records.get(&id) {
            return Node::Struct(*index);
        }
        let index = narrow(self.parts.structs.len());
        self.parts.structs.push(StructPlan::default());
        self.records.insert(id, index);
        let steps: Box<[Step]> = (record.fields.iter().zip(schema.fields()))
            .map(|(field, connect)| Step {
                place: self.place(field.schema, connect.schema()),
                target: narrow(connect.index()),
            })
            .collect();
        self.parts.structs[index as usize] = StructPlan {
            quick: Quick::all(&steps),
            steps,
            names: record
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
            width: schema.fields().len(),
            defaults: Box::default(),
        };
        Node::Struct(index)
    }

    fn union(&mut self, branches: &[TypeId], schema: &Schema) -> Node {
        let mut fields = schema.fields().iter();
        let mut nulls_before = false;
        let branches = branches
            .iter()
            .map(|branch| {
                if is_null(self.avro, *branch) {
                    nulls_before = true;
                    return Branch::Null;
                }
                let Some(field) = fields.next() else {
                    return Branch::Null;
                };
                let place = if self.has_a_field(*branch, field.schema(), nulls_before) {
                    self.place(*branch, field.schema())
                } else {
                    Place::of(Node::Refused(Refusal::NoUnionField))
                };
                Branch::Field(narrow(field.index()), place)
            })
            .collect();
        let width = schema.fields().len();
        self.add_union(UnionPlan { branches, width })
    }

    /// Whether Java finds the field of a branch by its value.
    ///
    /// It does not for `int8` and `int16`, whose values are plain ints to it, nor for enums that are text in the schema. With
    /// `generalized.sum.type.support` it numbers fields without the null branch when it looks for one, so that it
    /// finds none behind a null.
    pub(super) fn has_a_field(&self, branch: TypeId, schema: &Schema, null_before: bool) -> bool {
        if self.config.generalized_sum_types && null_before {
            return false;
        }
        let parameter = if self.config.generalized_sum_types {
            words::GENERALIZED_ENUM
        } else {
            words::ENUM
        };
        match (&self.avro.get(branch).kind, schema.kind()) {
            (Avro::Int, Type::Int8 | Type::Int16) => false,
            (Avro::String, Type::String) => schema.parameter(parameter).is_none(),
            (Avro::Array(item), _) => !is_map_entry(self.avro, *item),
            (_, _) => true,
        }
    }

    fn entries(&mut self, item: TypeId, schema: &Schema) -> Node {
        let avro = self.avro;
        let (Some((key, value)), Some(keys), Some(values)) = (
            entry(&avro.get(item).kind),
            schema.key_schema(),
            schema.value_schema(),
        ) else {
            return Node::Refused(Refusal::EntriesUnderTextKeys);
        };
        if keys.kind() == Type::String && !keys.is_optional() {
            return Node::Refused(Refusal::EntriesUnderTextKeys);
        }
        let Avro::Record(record) = &avro.get(item).kind else {
            return Node::Refused(Refusal::EntriesUnderTextKeys);
        };
        let entry = Entry {
            key: self.place(key, keys),
            value: self.place(value, values),
            key_first: &*record.fields[0].name == words::KEY_FIELD,
        };
        let bytes_min = self.bytes_min(item);
        Node::Entries(self.add_items(Items {
            place: entry.value,
            bytes_min,
            entry: Some(entry),
        }))
    }

    fn enumeration(&mut self, id: TypeId, named: &Enum) -> Node {
        if let Some(index) = self.enums.get(&id) {
            return Node::Enum(*index);
        }
        let first = narrow(self.parts.symbols.len());
        let texts = (first..).zip(&named.symbols);
        let texts = texts.map(|(number, _)| Some(number)).collect();
        let symbols = named.symbols.iter().map(|symbol| symbol.as_bytes().into());
        self.parts.symbols.extend(symbols);
        let index = narrow(self.parts.enums.len());
        self.parts.enums.push(EnumPlan { texts });
        self.enums.insert(id, index);
        Node::Enum(index)
    }

    pub(super) fn add_items(&mut self, items: Items) -> NodeId {
        self.parts.items.add(items)
    }

    pub(super) fn add_union(&mut self, plan: UnionPlan) -> Node {
        self.parts.unions.push(plan);
        Node::Union(narrow(self.parts.unions.len() - 1))
    }

    /// The bytes that a value of a type takes at least. A record that contains itself counts nothing for itself: some
    /// union or array in between has been counted.
    pub(super) fn bytes_min(&mut self, id: TypeId) -> usize {
        if let Some(known) = self.sizes.get(&id) {
            return *known;
        }
        self.sizes.insert(id, 0);
        let avro = self.avro;
        let size = match &avro.get(id).kind {
            Avro::Null => 0,
            Avro::Boolean
            | Avro::Int
            | Avro::Long
            | Avro::Bytes
            | Avro::String
            | Avro::Enum(_)
            | Avro::Array(_)
            | Avro::Map(_) => 1,
            Avro::Float => 4,
            Avro::Double => 8,
            Avro::Fixed(fixed) => fixed.size,
            Avro::Union(branches) => {
                let least = branches.iter().map(|branch| self.bytes_min(*branch)).min();
                least.unwrap_or_default().saturating_add(1)
            }
            Avro::Record(record) => (record.fields.iter()).fold(0, |sum: usize, field| {
                sum.saturating_add(self.bytes_min(field.schema))
            }),
        };
        self.sizes.insert(id, size);
        size
    }
}

pub(super) fn size_32(size: usize) -> u32 {
    // More than any body has, so that it never fits.
    u32::try_from(size).unwrap_or(u32::MAX)
}

const fn int_node(kind: Type) -> Node {
    match kind {
        Type::Int8 => Node::Int8,
        Type::Int16 => Node::Int16,
        Type::Int32
        | Type::Int64
        | Type::Float32
        | Type::Float64
        | Type::Boolean
        | Type::String
        | Type::Bytes
        | Type::Array
        | Type::Map
        | Type::Struct => Node::Int32,
    }
}

/// A logical type counts by the name of the schema, which may not go with the Avro type.
fn logical_node(logical: Logical, avro: &Avro, schema: &Schema) -> Node {
    let base = match logical {
        Logical::Decimal => "bytes",
        Logical::Date | Logical::Time => "int32",
        Logical::Timestamp => "int64",
    };
    match (logical, avro, schema.kind()) {
        (Logical::Decimal, Avro::Bytes, _) => match scale(schema) {
            Ok(scale) => Node::Decimal { scale },
            Err(refusal) => Node::Refused(refusal),
        },
        (Logical::Decimal, Avro::Fixed(fixed), _) => match scale(schema) {
            Ok(scale) => Node::FixedDecimal {
                scale,
                size: size_32(fixed.size),
            },
            Err(refusal) => Node::Refused(refusal),
        },
        (Logical::Date, Avro::Int, Type::Int32) => Node::Date,
        (Logical::Time, Avro::Int, Type::Int32) => Node::Time,
        (Logical::Timestamp, Avro::Long, _) => Node::Timestamp,
        (_, _, kind) => Node::Refused(Refusal::WrongBase {
            logical: logical.name(),
            base,
            found: kind.name(),
        }),
    }
}

fn scale(schema: &Schema) -> Result<i32, Refusal> {
    schema.decimal_scale().map_err(|error: Error| {
        drop(error);
        match schema.parameter(crate::data::logical::SCALE_PARAMETER) {
            None => Refusal::ScaleMissing,
            Some(_) => Refusal::ScaleInvalid,
        }
    })
}

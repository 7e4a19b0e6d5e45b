//! From three schemas to a plan.

use std::collections::HashMap;

use super::{EncodePlan, FieldPlace, Node, Null, Number, Place, RecordNode, Step, Symbols};
use crate::avro::from_connect::{
    self, fixed_size, full_name, is_enum, is_text_map, is_union, scrub,
};
use crate::avro::{AvroDataConfig, AvroSchema, Kind as Avro, Record, TypeId};
use crate::data::{Logical, Schema, Type};
use crate::error::{Error, avro_write::Kind};
use crate::plan::{Arena, NodeId};

impl EncodePlan {
    /// Compiles a plan; `registered` is the schema that is written with, where it is not the generated one.
    pub(crate) fn compile(
        schema: Option<&Schema>,
        generated: &AvroSchema,
        registered: Option<&AvroSchema>,
        config: &AvroDataConfig,
    ) -> Result<Self, Error> {
        let target = registered.unwrap_or(generated);
        let mut compiler = Compiler {
            generated,
            target,
            config,
            nodes: Arena::default(),
            records: HashMap::new(),
            writes: true,
            defaults: Vec::new(),
        };
        let at = At {
            generated: generated.root(),
            target: target.root(),
        };
        let root = compiler.place(schema, at)?;
        let Compiler {
            nodes, defaults, ..
        } = compiler;
        let mut plan = Self {
            nodes,
            root,
            raw: matches!(target.get(target.root()).kind, Avro::Bytes),
            defaults: Vec::new(),
        };
        for (place, schema) in defaults {
            let value = schema.default_value();
            let bytes = value.and_then(|value| plan.default_bytes(&place, value, &schema).ok());
            plan.defaults.push(bytes);
        }
        Ok(plan)
    }

    /// A plan that refuses all values but nulls.
    pub(crate) fn refusing(why: Kind) -> Self {
        let mut nodes = Arena::default();
        let step = Step::Never(nodes.add(Node::Never(why)));
        let root = Place {
            step,
            branch: -1,
            null: Null::Refused,
        };
        Self {
            nodes,
            root,
            raw: false,
            defaults: Vec::new(),
        }
    }
}

struct Compiler<'a> {
    generated: &'a AvroSchema,
    target: &'a AvroSchema,
    config: &'a AvroDataConfig,
    nodes: Arena<Node>,
    /// Records by what they are made of: a schema that contains itself comes back here.
    records: HashMap<(Schema, At, bool), NodeId>,
    /// Off while fields are compiled that are not written: their target is the generated schema.
    writes: bool,
    defaults: Vec<(Place, Schema)>,
}

/// One place in both Avro schemas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct At {
    generated: TypeId,
    target: TypeId,
}

/// What Avro's library takes a value for, when it looks for a branch of a union: the word for its type, or its full name.
enum Class {
    Word(&'static str),
    Named(String),
}

impl Class {
    fn is(&self, kind: &Avro) -> bool {
        match (self, kind.name()) {
            (Self::Named(name), Some(found)) => *name == found.to_string(),
            (Self::Word(word), None) => *word == kind.word(),
            (Self::Named(_), None) | (Self::Word(_), Some(_)) => false,
        }
    }

    fn text(&self) -> Box<str> {
        match self {
            Self::Word(word) => (*word).into(),
            Self::Named(name) => name.as_str().into(),
        }
    }
}

impl Compiler<'_> {
    /// How values of a schema are written at a place.
    fn place(&mut self, schema: Option<&Schema>, at: At) -> Result<Place, Error> {
        let Some(schema) = schema else {
            return Ok(self.anything(at));
        };
        let null = match schema.is_optional() {
            true => self.null(at.target),
            false => Null::Refused,
        };
        if is_union(schema) {
            let step = self.union(schema, at, null)?;
            return Ok(Place {
                step,
                branch: -1,
                null,
            });
        }
        let generated = match self.inner(schema, at.generated)? {
            Ok(generated) => generated,
            Err(why) => return Ok(self.never(why, null)),
        };
        let class = self.class(schema, generated)?;
        let (branch, target) = match self.branch(&class, at.target) {
            Ok(found) => found,
            Err(why) => return Ok(self.never(why, null)),
        };
        let Some(step) = self.step(schema, At { generated, target })? else {
            let found = self.target.get(target).kind.word();
            let class = class.text();
            return Ok(self.never(Kind::OtherType { class, found }, null));
        };
        Ok(Place { step, branch, null })
    }

    fn never(&mut self, why: Kind, null: Null) -> Place {
        let id = self.nodes.add(Node::Never(why));
        Place {
            step: Step::Never(id),
            branch: -1,
            null,
        }
    }

    /// A null at a place of the schema that is written with.
    fn null(&self, target: TypeId) -> Null {
        match &self.target.get(target).kind {
            Avro::Null => Null::Nothing,
            Avro::Union(branches) => {
                let is_null = |id: &TypeId| matches!(self.target.get(*id).kind, Avro::Null);
                branches
                    .iter()
                    .position(is_null)
                    .map_or(Null::NoBranch, |at| Null::Branch(number(at)))
            }
            Avro::Boolean
            | Avro::Int
            | Avro::Long
            | Avro::Float
            | Avro::Double
            | Avro::Bytes
            | Avro::String
            | Avro::Record(_)
            | Avro::Enum(_)
            | Avro::Fixed(_)
            | Avro::Array(_)
            | Avro::Map(_) => Null::NoBranch,
        }
    }

    /// Data without a schema: only the record that was made for them takes them.
    fn anything(&mut self, at: At) -> Place {
        let fields = |schema: &AvroSchema, id: TypeId| {
            let Avro::Record(record) = &schema.get(id).kind else {
                return None;
            };
            let names = record.fields.iter().map(|field| field.name.clone());
            Some(names.collect::<Vec<_>>())
        };
        if fields(self.generated, at.generated) == fields(self.target, at.target) {
            return Place {
                step: Step::Anything,
                branch: -1,
                null: Null::Anything,
            };
        }
        let found = self.target.get(at.target).kind.word();
        let why = Kind::OtherType {
            class: "data without a schema".into(),
            found,
        };
        self.never(why, Null::Anything)
    }

    /// The generated type of the values: out of a union, the one that `AvroData` finds there.
    fn inner(&self, schema: &Schema, id: TypeId) -> Result<Result<TypeId, Kind>, Error> {
        let Avro::Union(branches) = &self.generated.get(id).kind else {
            return Ok(Ok(id));
        };
        let find = |is: &dyn Fn(&Avro) -> bool| {
            branches
                .iter()
                .copied()
                .rev()
                .find(|id| is(&self.generated.get(*id).kind))
        };
        let first = |is: &dyn Fn(&Avro) -> bool| {
            branches
                .iter()
                .copied()
                .find(|id| is(&self.generated.get(*id).kind))
        };
        let kind = schema.kind();
        let needs_optional = matches!(kind, Type::Array | Type::Map | Type::Struct);
        if needs_optional && !schema.is_optional() {
            return Ok(Err(Kind::RequiredInUnion { kind }));
        }
        let found = match kind {
            Type::Array => first(&|kind| matches!(kind, Avro::Array(_))),
            Type::Map if is_text_map(schema, self.config) => {
                first(&|kind| matches!(kind, Avro::Map(_)))
            }
            Type::Map => first(&|kind| matches!(kind, Avro::Array(_))),
            Type::Struct => first(&|kind| self.is_record_of(schema, kind)),
            Type::String if is_enum(schema, self.config) => {
                let full = from_connect::enum_name(schema, self.config);
                first(
                    &|kind| matches!(kind, Avro::Enum(found) if full == Some(&*found.name.to_string())),
                )
            }
            Type::Bytes => match fixed_size(schema)? {
                None => return Ok(Ok(id)),
                Some(size) => {
                    let name = from_connect::split_full(
                        schema.name().unwrap_or_default(),
                        self.config.scrub_invalid_names,
                    )
                    .1;
                    find(
                        &|kind| matches!(kind, Avro::Fixed(found) if found.size == size && *found.name.name == *name),
                    )
                }
            },
            Type::Int8
            | Type::Int16
            | Type::Int32
            | Type::Int64
            | Type::Float32
            | Type::Float64
            | Type::Boolean
            | Type::String => return Ok(Ok(id)),
        };
        let name = schema.name().unwrap_or(kind.name()).into();
        Ok(found.ok_or(Kind::NoUnionMember { name }))
    }

    /// Whether a branch is the record of a struct: by its full name, or as one of those without a name.
    fn is_record_of(&self, schema: &Schema, kind: &Avro) -> bool {
        let Avro::Record(Record { name, .. }) = kind else {
            return false;
        };
        let found = name.to_string();
        match schema.name() {
            Some(own) => {
                found == full_name(own, self.config.scrub_invalid_names)
                    || from_connect::is_variant(own, &found)
            }
            None => found.starts_with("io.confluent.connect.avro.ConnectDefault"),
        }
    }

    fn class(&self, schema: &Schema, generated: TypeId) -> Result<Class, Error> {
        let named = || {
            let name = self.generated.get(generated).kind.name();
            Class::Named(name.map(ToString::to_string).unwrap_or_default())
        };
        Ok(match schema.kind() {
            Type::Int8 | Type::Int16 | Type::Int32 => Class::Word("int"),
            Type::Int64 => Class::Word("long"),
            Type::Float32 => Class::Word("float"),
            Type::Float64 => Class::Word("double"),
            Type::Boolean => Class::Word("boolean"),
            Type::String if is_enum(schema, self.config) => named(),
            Type::String => Class::Word("string"),
            Type::Bytes if fixed_size(schema)?.is_some() => named(),
            Type::Bytes => Class::Word("bytes"),
            Type::Map if is_text_map(schema, self.config) => Class::Word("map"),
            Type::Array | Type::Map => Class::Word("array"),
            Type::Struct => named(),
        })
    }

    /// The branch for values of a class, or the type itself where there is no union.
    fn branch(&self, class: &Class, target: TypeId) -> Result<(i32, TypeId), Kind> {
        let Avro::Union(branches) = &self.target.get(target).kind else {
            return Ok((-1, target));
        };
        let found = branches
            .iter()
            .position(|id| class.is(&self.target.get(*id).kind));
        match found {
            Some(at) => Ok((number(at), branches[at])),
            None => {
                let words: Vec<&str> = branches
                    .iter()
                    .map(|id| self.target.get(*id).kind.word())
                    .collect();
                Err(Kind::NoBranch {
                    class: class.text(),
                    union: words.join(", ").into(),
                })
            }
        }
    }

    /// How a value that is not null is written as a type that is no union; `None` where that type takes no such values.
    fn step(&mut self, schema: &Schema, at: At) -> Result<Option<Step>, Error> {
        let target = self.target;
        let kind = &target.get(at.target).kind;
        Ok(match (schema.kind(), kind) {
            (Type::Boolean, Avro::Boolean) => Some(Step::Boolean),
            (
                Type::Int8
                | Type::Int16
                | Type::Int32
                | Type::Int64
                | Type::Float32
                | Type::Float64,
                _,
            ) => number_step(schema, kind),
            (Type::String, kind) => self.text(schema, kind),
            (Type::Bytes, kind) => bytes_step(schema, kind)?,
            (Type::Array, Avro::Array(items)) => {
                let Avro::Array(own) = self.generated.get(at.generated).kind else {
                    return Ok(None);
                };
                let at = At {
                    generated: own,
                    target: *items,
                };
                let place = self.place(schema.value_schema(), at)?;
                Some(Step::Array(self.nodes.add(Node::Items(place))))
            }
            (Type::Map, Avro::Map(values)) => {
                let Avro::Map(own) = self.generated.get(at.generated).kind else {
                    return Ok(None);
                };
                let at = At {
                    generated: own,
                    target: *values,
                };
                let place = self.place(schema.value_schema(), at)?;
                Some(Step::Map(self.nodes.add(Node::Items(place))))
            }
            (Type::Map, Avro::Array(entry)) => self.entries(schema, at.generated, *entry)?,
            (Type::Struct, Avro::Record(_)) => Some(Step::Record(self.record(schema, at)?)),
            (Type::Boolean | Type::Array | Type::Map | Type::Struct, _) => None,
        })
    }

    fn text(&mut self, schema: &Schema, kind: &Avro) -> Option<Step> {
        match (is_enum(schema, self.config), kind) {
            (false, Avro::String) => Some(Step::String),
            (true, Avro::Enum(found)) => {
                let numbered = found.symbols.iter().enumerate();
                let symbols = Symbols {
                    name: found.name.to_string().into(),
                    numbers: numbered
                        .map(|(at, symbol)| (symbol.clone(), number(at)))
                        .collect(),
                    list: found.symbols.join(", ").into(),
                };
                Some(Step::Enum(self.nodes.add(Node::Enum(symbols))))
            }
            (true | false, _) => None,
        }
    }

    /// A map without text keys: an array of records with a key and a value.
    fn entries(
        &mut self,
        schema: &Schema,
        generated: TypeId,
        entry: TypeId,
    ) -> Result<Option<Step>, Error> {
        let Avro::Array(own) = self.generated.get(generated).kind else {
            return Ok(None);
        };
        let own = key_and_value(&self.generated.get(own).kind);
        let found = key_and_value(&self.target.get(entry).kind);
        let (Some(own), Some(found)) = (own, found) else {
            return Ok(None);
        };
        let key = At {
            generated: own.0,
            target: found.0,
        };
        let value = At {
            generated: own.1,
            target: found.1,
        };
        let key = self.place(schema.key_schema(), key)?;
        let value = self.place(schema.value_schema(), value)?;
        Ok(Some(Step::Entries(
            self.nodes.add(Node::Entries(key, value)),
        )))
    }

    /// A struct that stands for a union: every member finds its branch in the union as a whole.
    fn union(&mut self, schema: &Schema, at: At, null: Null) -> Result<Step, Error> {
        let mut members = Vec::new();
        for (slot, field) in schema.fields().iter().enumerate() {
            let place = self.place(Some(field.schema()), at)?;
            members.push(FieldPlace {
                slot: Some(slot),
                place: self.with_default(place, field.schema()),
                name: field.name().into(),
            });
        }
        Ok(Step::Union(self.nodes.add(Node::Union(members, null))))
    }

    /// A null in a field takes the default, unless the settings say otherwise.
    fn with_default(&mut self, place: Place, schema: &Schema) -> Place {
        let default = schema.default_value().filter(|default| !default.is_null());
        if default.is_none() || self.config.ignore_default_for_nullables {
            return place;
        }
        // As many defaults as the schema has fields, which lies in memory: far below 2^32.
        let index = u32::try_from(self.defaults.len()).unwrap_or(u32::MAX);
        self.defaults.push((place, schema.clone()));
        Place {
            null: Null::Default(index),
            ..place
        }
    }

    fn record(&mut self, schema: &Schema, at: At) -> Result<NodeId, Error> {
        let key = (schema.clone(), at, self.writes);
        if let Some(known) = self.records.get(&key) {
            return Ok(*known);
        }
        let id = self.nodes.add(Node::Never(Kind::SchemaTooDeep));
        self.records.insert(key, id);
        let (generated, target) = (self.generated, self.target);
        let (Avro::Record(own), Avro::Record(wanted)) = (
            &generated.get(at.generated).kind,
            &target.get(at.target).kind,
        ) else {
            return Ok(id);
        };
        let mut node = RecordNode {
            fields: Vec::new(),
            unwritten: Vec::new(),
        };
        let scrubbed: Vec<String> = schema
            .fields()
            .iter()
            .map(|field| scrub(field.name(), self.config.scrub_invalid_names))
            .collect();
        // A field that the record of this name lacks comes first: the JVM fails there, too.
        for (field, name) in schema.fields().iter().zip(&scrubbed) {
            if own.fields.iter().all(|known| *known.name != **name) {
                let field: Box<str> = field.name().into();
                let place = self.never(
                    Kind::FieldNotInRecord {
                        field: field.clone(),
                    },
                    Null::Refused,
                );
                node.fields.push(FieldPlace {
                    slot: None,
                    place,
                    name: field,
                });
            }
        }
        for field in &wanted.fields {
            let of_own = own.fields.iter().find(|known| known.name == field.name);
            let slot = scrubbed.iter().position(|name| **name == *field.name);
            let place = match (of_own, slot) {
                (Some(of_own), Some(slot)) => {
                    let schema = schema.fields()[slot].schema();
                    let at = At {
                        generated: of_own.schema,
                        target: field.schema,
                    };
                    let place = self.place(Some(schema), at)?;
                    self.with_default(place, schema)
                }
                (Some(_), None) => self.unset(field),
                (None, _) => {
                    let field = field.name.clone();
                    self.never(Kind::FieldOnlyInRegistry { field }, Null::Refused)
                }
            };
            let slot = slot.filter(|_| of_own.is_some());
            node.fields.push(FieldPlace {
                slot,
                place,
                name: field.name.clone(),
            });
        }
        node.unwritten = self.unwritten(schema, &scrubbed, own, wanted)?;
        self.nodes.set(id, Node::Record(node));
        Ok(id)
    }

    /// A field that another struct of this name has: it takes its default, where that is null.
    fn unset(&mut self, field: &crate::avro::Field) -> Place {
        let null = self.null(field.schema);
        match (&field.default, null) {
            (Some(crate::json_text::Json::Null), Null::Branch(_) | Null::Nothing) => Place {
                step: Step::Anything,
                branch: -1,
                null,
            },
            (Some(_) | None, _) => {
                let why = Kind::FieldNotInRecord {
                    field: field.name.clone(),
                };
                self.never(why, Null::Refused)
            }
        }
    }

    /// Fields that the schema lacks which is written with: they are converted all the same.
    fn unwritten(
        &mut self,
        schema: &Schema,
        scrubbed: &[String],
        own: &Record,
        wanted: &Record,
    ) -> Result<Vec<FieldPlace>, Error> {
        let mut unwritten = Vec::new();
        for field in &own.fields {
            let written = wanted.fields.iter().any(|known| known.name == field.name);
            let slot = scrubbed.iter().position(|name| **name == *field.name);
            let (false, Some(slot)) = (written, slot) else {
                continue;
            };
            let schema = schema.fields()[slot].schema();
            let at = At {
                generated: field.schema,
                target: field.schema,
            };
            let target = std::mem::replace(&mut self.target, self.generated);
            let was = std::mem::replace(&mut self.writes, false);
            let place = self.place(Some(schema), at);
            (self.target, self.writes) = (target, was);
            let place = self.with_default(place?, schema);
            unwritten.push(FieldPlace {
                slot: Some(slot),
                place,
                name: field.name.clone(),
            });
        }
        Ok(unwritten)
    }
}

/// The types of `key` and `value`, of a record that has just these.
fn key_and_value(kind: &Avro) -> Option<(TypeId, TypeId)> {
    let Avro::Record(record) = kind else {
        return None;
    };
    match &record.fields[..] {
        [key, value] if &*key.name == "key" && &*value.name == "value" => {
            Some((key.schema, value.schema))
        }
        _ => None,
    }
}

/// Numbers, dates and times. A whole number has the same bytes as an int and as a long.
fn number_step(schema: &Schema, kind: &Avro) -> Option<Step> {
    let to = match kind {
        Avro::Int => Number::Int,
        Avro::Long => Number::Long,
        Avro::Float => Number::Float,
        Avro::Double => Number::Double,
        Avro::Null
        | Avro::Boolean
        | Avro::Bytes
        | Avro::String
        | Avro::Record(_)
        | Avro::Enum(_)
        | Avro::Fixed(_)
        | Avro::Array(_)
        | Avro::Map(_)
        | Avro::Union(_) => return None,
    };
    let whole = matches!(to, Number::Int | Number::Long);
    match (schema.logical(), schema.kind(), to) {
        (Some(Logical::Date), Type::Int32, _) => whole.then_some(Step::Date),
        (Some(Logical::Time), Type::Int32, _) => whole.then_some(Step::Time),
        (Some(Logical::Timestamp), Type::Int64, Number::Long) => Some(Step::Timestamp),
        (Some(_), _, _) => None,
        (None, Type::Int8, Number::Int | Number::Long) => Some(Step::Int8),
        (None, Type::Int16, Number::Int | Number::Long) => Some(Step::Int16),
        (None, Type::Int32, Number::Int | Number::Long) => Some(Step::Int32),
        (None, Type::Int64, Number::Long) => Some(Step::Int64),
        (None, Type::Float32, Number::Float) => Some(Step::Float32),
        (None, Type::Float64, Number::Double) => Some(Step::Float64),
        (None, from, to) => Some(Step::Number { from, to }),
    }
}

fn bytes_step(schema: &Schema, kind: &Avro) -> Result<Option<Step>, Error> {
    let scale = match schema.logical() {
        Some(Logical::Decimal) => Some(schema.decimal_scale()?),
        Some(Logical::Date | Logical::Time | Logical::Timestamp) | None => None,
    };
    let narrow = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    Ok(match (scale, fixed_size(schema)?, kind) {
        (None, None, Avro::Bytes) => Some(Step::Bytes),
        (Some(scale), None, Avro::Bytes) => Some(Step::Decimal(scale)),
        (None, Some(_), Avro::Fixed(found)) => Some(Step::Fixed {
            size: narrow(found.size),
        }),
        (Some(scale), Some(size), Avro::Fixed(found)) if found.size == size => {
            Some(Step::DecimalFixed {
                scale,
                size: narrow(size),
            })
        }
        (Some(_) | None, Some(_) | None, _) => None,
    })
}

/// A position as it is written.
fn number(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}

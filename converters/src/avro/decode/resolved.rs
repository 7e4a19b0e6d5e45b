//! Plans for a reader's schema other than the writer's: bytes of the one become values of the other.
//!
//! What becomes of what says [`Resolution`]; here it becomes places. The Connect schema is the reader's.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a place that is no null is any other"
)]

use std::collections::HashMap;

use bytes::Bytes;

use super::compile::{Compiler, size_32};
use super::plan::{
    Branch, Entry, EnumPlan, Items, NOWHERE, Node, Null, Place, Promotion, Quick, Refusal, Step,
    StructPlan, UnionPlan,
};
use super::read::narrow;
use super::{Body, DecodeOptions, DecodePlan, Scratch};
use crate::avro::resolve::{self, FieldStep, NodeId, RecordNode, Resolution};
use crate::avro::to_connect::{is_map_entry, is_null, stands_for, words};
use crate::avro::{AvroDataConfig, AvroSchema, Kind as Avro, TypeId};
use crate::data::{Schema, SchemaAndValue, Type};
use crate::error::Error;

/// The plan for values that were written with `writer` and are read with `reader`, whose Connect schema is `schema`.
pub(super) fn plan(
    writer: &AvroSchema,
    reader: &AvroSchema,
    config: &AvroDataConfig,
    schema: Schema,
) -> Result<DecodePlan, Error> {
    let resolution = Resolution::new(writer, reader)?;
    let mut resolver = Resolver {
        resolution: &resolution,
        writer,
        reader,
        config,
        written: Compiler::new(writer, config, DecodeOptions::default()),
        records: HashMap::new(),
    };
    let place = resolver.place(resolution.root(), writer.root(), reader.root(), &schema)?;
    Ok(DecodePlan {
        schema: Some(schema),
        body: Body::Place(place),
        parts: resolver.written.parts,
    })
}

struct Resolver<'a> {
    resolution: &'a Resolution,
    writer: &'a AvroSchema,
    reader: &'a AvroSchema,
    config: &'a AvroDataConfig,
    /// The parts, and what is skipped.
    written: Compiler<'a>,
    records: HashMap<NodeId, u32>,
}

impl Resolver<'_> {
    /// The place of a writer's type whose values become those of a reader's type.
    fn place(
        &mut self,
        id: NodeId,
        writer: TypeId,
        reader: TypeId,
        schema: &Schema,
    ) -> Result<Place, Error> {
        let resolution = self.resolution;
        let node = match resolution.get(id) {
            resolve::Node::WriterUnion(nodes) => {
                return self.writer_union(nodes, writer, reader, schema);
            }
            resolve::Node::ReaderUnion { branch, node } => {
                return self.reader_union((*branch, *node), writer, reader, schema);
            }
            resolve::Node::Error(_) => Node::Refused(self.unresolvable(writer, reader)),
            resolve::Node::Same | resolve::Node::Fixed(_) => {
                // Both sides are the same but for their attributes; the reader's count.
                return Ok(self.leaf(reader, schema));
            }
            resolve::Node::Promote(promotion) => self.promoted(*promotion, reader, schema),
            // Both are a length and bytes.
            resolve::Node::BytesAsString | resolve::Node::StringAsBytes => {
                return Ok(self.leaf(reader, schema));
            }
            resolve::Node::Enum(symbols) => self.symbols(symbols, reader),
            resolve::Node::Array(item) => return self.array(*item, writer, reader, schema),
            resolve::Node::Map(values) => {
                let (Avro::Map(from), Avro::Map(to), Some(of)) = (
                    &self.writer.get(writer).kind,
                    &self.reader.get(reader).kind,
                    schema.value_schema(),
                ) else {
                    return Ok(Place::of(Node::Refused(self.unresolvable(writer, reader))));
                };
                let place = self.place(*values, *from, *to, of)?;
                let bytes_min = self.written.bytes_min(*from).saturating_add(1);
                Node::Map(self.written.add_items(Items {
                    place,
                    bytes_min,
                    entry: None,
                }))
            }
            resolve::Node::Record(record) => self.record(id, record, (writer, reader), schema)?,
        };
        Ok(Place::of(node))
    }

    /// A type without parts, with the reader's attributes.
    fn leaf(&self, reader: TypeId, schema: &Schema) -> Place {
        let mut compiler = Compiler::new(self.reader, self.config, DecodeOptions::default());
        compiler.place(reader, schema)
    }

    fn unresolvable(&self, writer: TypeId, reader: TypeId) -> Refusal {
        Refusal::Unresolvable {
            writer: self.writer.get(writer).kind.word(),
            reader: self.reader.get(reader).kind.word(),
        }
    }

    fn promoted(&self, promotion: resolve::Promotion, reader: TypeId, schema: &Schema) -> Node {
        let wide = self.leaf(reader, schema).node;
        match (promotion, wide) {
            (resolve::Promotion::IntToLong, Node::Int64) => Node::Promoted(Promotion::Int64OfInt),
            (resolve::Promotion::IntToLong, Node::Timestamp) => {
                Node::Promoted(Promotion::TimestampOfInt)
            }
            (resolve::Promotion::IntToFloat, Node::Float32) => {
                Node::Promoted(Promotion::Float32OfInt)
            }
            (resolve::Promotion::IntToDouble, Node::Float64) => {
                Node::Promoted(Promotion::Float64OfInt)
            }
            (resolve::Promotion::LongToFloat, Node::Float32) => {
                Node::Promoted(Promotion::Float32OfLong)
            }
            (resolve::Promotion::LongToDouble, Node::Float64) => {
                Node::Promoted(Promotion::Float64OfLong)
            }
            (resolve::Promotion::FloatToDouble, Node::Float64) => {
                Node::Promoted(Promotion::Float64OfFloat)
            }
            // A name of a logical type that does not go with the number.
            (_, other) => other,
        }
    }

    fn symbols(&mut self, symbols: &[Option<usize>], reader: TypeId) -> Node {
        let Avro::Enum(wanted) = &self.reader.get(reader).kind else {
            return Node::Nothing;
        };
        let parts = &mut self.written.parts;
        let first = parts.symbols.len();
        let texts = (symbols.iter())
            .map(|symbol| symbol.map(|symbol| narrow(first + symbol)))
            .collect();
        let named = wanted.symbols.iter().map(|symbol| symbol.as_bytes().into());
        parts.symbols.extend(named);
        parts.enums.push(EnumPlan { texts });
        Node::Enum(narrow(parts.enums.len() - 1))
    }

    fn array(
        &mut self,
        item: NodeId,
        writer: TypeId,
        reader: TypeId,
        schema: &Schema,
    ) -> Result<Place, Error> {
        let (Avro::Array(from), Avro::Array(to)) =
            (&self.writer.get(writer).kind, &self.reader.get(reader).kind)
        else {
            return Ok(Place::of(Node::Refused(self.unresolvable(writer, reader))));
        };
        if is_map_entry(self.reader, *to) {
            return self.entries(item, (*from, *to), schema);
        }
        let Some(of) = schema.value_schema() else {
            return Ok(Place::of(Node::Refused(self.unresolvable(writer, reader))));
        };
        let place = self.place(item, *from, *to, of)?;
        let bytes_min = self.written.bytes_min(*from);
        Ok(Place::of(Node::Array(self.written.add_items(Items {
            place,
            bytes_min,
            entry: None,
        }))))
    }

    /// A map that is a list of entries. Both sides must have keys and values and nothing else.
    fn entries(
        &mut self,
        item: NodeId,
        (from, to): (TypeId, TypeId),
        schema: &Schema,
    ) -> Result<Place, Error> {
        let refused = Place::of(Node::Refused(self.unresolvable(from, to)));
        let (Some(keys), Some(values)) = (schema.key_schema(), schema.value_schema()) else {
            return Ok(refused);
        };
        if keys.kind() == Type::String && !keys.is_optional() {
            return Ok(Place::of(Node::Refused(Refusal::EntriesUnderTextKeys)));
        }
        let resolution = self.resolution;
        let resolve::Node::Record(record) = resolution.get(item) else {
            return Ok(refused);
        };
        let (Avro::Record(written), Avro::Record(wanted)) =
            (&self.writer.get(from).kind, &self.reader.get(to).kind)
        else {
            return Ok(refused);
        };
        let mut places = Vec::new();
        for (step, field) in record.written.iter().zip(&written.fields) {
            let FieldStep::Read {
                field: target,
                node,
            } = step
            else {
                return Ok(refused);
            };
            let target = &wanted.fields[*target];
            let is_key = &*target.name == words::KEY_FIELD;
            let of = if is_key { keys } else { values };
            places.push((is_key, self.place(*node, field.schema, target.schema, of)?));
        }
        let &[(key_first, first), (false | true, second)] = &*places else {
            return Ok(refused);
        };
        let (key, value) = if key_first {
            (first, second)
        } else {
            (second, first)
        };
        let bytes_min = self.written.bytes_min(from);
        Ok(Place::of(Node::Entries(self.written.add_items(Items {
            place: value,
            bytes_min,
            entry: Some(Entry {
                key,
                value,
                key_first,
            }),
        }))))
    }

    fn record(
        &mut self,
        id: NodeId,
        record: &RecordNode,
        (writer, reader): (TypeId, TypeId),
        schema: &Schema,
    ) -> Result<Node, Error> {
        if let Some(index) = self.records.get(&id) {
            return Ok(Node::Struct(*index));
        }
        let (Avro::Record(written), Avro::Record(wanted)) =
            (&self.writer.get(writer).kind, &self.reader.get(reader).kind)
        else {
            return Ok(Node::Refused(self.unresolvable(writer, reader)));
        };
        let index = narrow(self.written.parts.structs.len());
        self.written.parts.structs.push(StructPlan::default());
        self.records.insert(id, index);
        let fields = schema.fields();
        let mut steps = Vec::with_capacity(written.fields.len());
        for (step, field) in record.written.iter().zip(&written.fields) {
            steps.push(match step {
                FieldStep::Read {
                    field: target,
                    node,
                } => Step {
                    place: self.place(
                        *node,
                        field.schema,
                        wanted.fields[*target].schema,
                        fields[*target].schema(),
                    )?,
                    target: narrow(*target),
                },
                FieldStep::Skip(what) => Step {
                    place: self.written.skipped(*what),
                    target: NOWHERE,
                },
            });
        }
        let mut defaults = Vec::with_capacity(record.defaults.len());
        for (target, bytes) in &record.defaults {
            let field = &wanted.fields[*target];
            let default = self
                .default(field.schema, fields[*target].schema(), bytes)
                .map_err(|error| error.in_field(&field.name))?;
            defaults.push((*target, self.written.parts.defaults.len()));
            self.written.parts.defaults.push(default);
        }
        self.written.parts.structs[index as usize] = StructPlan {
            quick: Quick::all(&steps),
            steps: steps.into(),
            names: written
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
            width: fields.len(),
            defaults: defaults.into(),
        };
        Ok(Node::Struct(index))
    }

    /// The value of a default, which comes in binary.
    fn default(&self, id: TypeId, schema: &Schema, bytes: &[u8]) -> Result<SchemaAndValue, Error> {
        let options = DecodeOptions::default();
        let mut compiler = Compiler::new(self.reader, self.config, options);
        let place = compiler.place(id, schema);
        let plan = DecodePlan {
            schema: Some(schema.clone()),
            body: Body::Place(place),
            parts: compiler.parts,
        };
        let bytes = Bytes::copy_from_slice(bytes);
        plan.run(&bytes, 0, options, &mut Scratch::default())
    }

    /// The writer wrote a union: each of its branches becomes a value of the reader's type.
    fn writer_union(
        &mut self,
        nodes: &[NodeId],
        writer: TypeId,
        reader: TypeId,
        schema: &Schema,
    ) -> Result<Place, Error> {
        let Avro::Union(from) = &self.writer.get(writer).kind else {
            return Ok(Place::of(Node::Refused(self.unresolvable(writer, reader))));
        };
        let mut branches = Vec::with_capacity(nodes.len());
        for (node, branch) in nodes.iter().zip(from) {
            let place = self.place(*node, *branch, reader, schema)?;
            branches.push(match place.node {
                Node::Nothing => Branch::Null,
                _ => Branch::Plain(place),
            });
        }
        Ok(match *branches {
            [Branch::Null, Branch::Plain(place)] if place.null == Null::Never => Place {
                null: Null::First,
                ..place
            },
            [Branch::Plain(place), Branch::Null] if place.null == Null::Never => Place {
                null: Null::Second,
                ..place
            },
            _ => Place::of(self.written.add_union(UnionPlan {
                branches: branches.into(),
                width: 0,
            })),
        })
    }

    /// The reader wants a union and the writer wrote none.
    fn reader_union(
        &mut self,
        (branch, node): (usize, NodeId),
        writer: TypeId,
        reader: TypeId,
        schema: &Schema,
    ) -> Result<Place, Error> {
        let Avro::Union(to) = &self.reader.get(reader).kind else {
            return Ok(Place::of(Node::Refused(self.unresolvable(writer, reader))));
        };
        if is_null(self.reader, to[branch]) {
            return Ok(Place::of(Node::Nothing));
        }
        if stands_for(self.reader, to, self.config).is_some() {
            return self.place(node, writer, to[branch], schema);
        }
        let before = &to[..branch];
        let nulls = before.iter().filter(|b| is_null(self.reader, **b)).count();
        let field = branch - nulls;
        let connect = &schema.fields()[field];
        let compiler = Compiler::new(self.reader, self.config, DecodeOptions::default());
        let place = match compiler.has_a_field(to[branch], connect.schema(), nulls > 0) {
            true => self.place(node, writer, to[branch], connect.schema())?,
            false => Place::of(Node::Refused(Refusal::NoUnionField)),
        };
        let width = schema.fields().len();
        let tagged = &mut self.written.parts.tagged;
        tagged.push((width, field, place));
        Ok(Place::of(Node::Tagged(narrow(tagged.len() - 1))))
    }
}

impl Compiler<'_> {
    /// How values of a type are passed over.
    fn skipped(&mut self, id: TypeId) -> Place {
        let place = self.passed(id);
        Place::of(Node::Skipped(self.add_items(Items {
            place,
            bytes_min: 0,
            entry: None,
        })))
    }

    fn passed(&mut self, id: TypeId) -> Place {
        let avro = self.avro;
        Place::of(match &avro.get(id).kind {
            Avro::Null => Node::Nothing,
            Avro::Boolean => Node::Boolean,
            // A symbol that is passed over may be any.
            Avro::Int | Avro::Enum(_) => Node::Int32,
            Avro::Long => Node::Int64,
            Avro::Float => Node::Float32,
            Avro::Double => Node::Float64,
            Avro::Bytes => Node::Bytes,
            Avro::String => Node::Text,
            Avro::Fixed(fixed) => Node::Fixed {
                size: size_32(fixed.size),
            },
            Avro::Array(item) | Avro::Map(item) => {
                let place = self.passed(*item);
                let is_map = matches!(avro.get(id).kind, Avro::Map(_));
                let bytes_min = self.bytes_min(*item).saturating_add(usize::from(is_map));
                let items = self.add_items(Items {
                    place,
                    bytes_min,
                    entry: None,
                });
                if is_map {
                    Node::Map(items)
                } else {
                    Node::Array(items)
                }
            }
            Avro::Union(branches) => {
                let branches = branches.iter().map(|branch| match self.passed(*branch) {
                    Place {
                        node: Node::Nothing,
                        ..
                    } => Branch::Null,
                    place => Branch::Plain(place),
                });
                let branches = branches.collect();
                self.add_union(UnionPlan { branches, width: 0 })
            }
            Avro::Record(record) => {
                if let Some(index) = self.passed.get(&id) {
                    return Place::of(Node::Struct(*index));
                }
                let index = narrow(self.parts.structs.len());
                self.parts.structs.push(StructPlan::default());
                self.passed.insert(id, index);
                let steps: Box<[Step]> = (record.fields.iter())
                    .map(|field| Step {
                        place: self.passed(field.schema),
                        target: NOWHERE,
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
                    width: 0,
                    defaults: Box::default(),
                };
                Node::Struct(index)
            }
        })
    }
}

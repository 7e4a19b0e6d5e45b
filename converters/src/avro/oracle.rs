//! Reading Avro slowly and obviously: the referee for the fast way. For tests.
//!
//! Bytes become a [`Tree`] by the schema alone, byte by byte; the tree becomes Connect data by walking Avro schema and
//! Connect schema side by side. There is no plan, and nothing is shared with the fast way but the Connect schema.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "pairs of a value and a type: what is not listed does not go together"
)]

use std::borrow::Cow;

use crate::data::{Builder, DecimalRef, Logical, Schema, SchemaAndValue, Type, logical};
use crate::limits::AVRO_EMPTY_ITEMS_MAX;
use crate::wire::{Reader, write_i32, write_i64};

use super::{AvroDataConfig, AvroSchema, Kind, TypeId, to_connect_schema};

mod java_map;

/// An Avro value.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    /// `null`
    Null,
    /// `boolean`
    Boolean(bool),
    /// `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
    /// `bytes`
    Bytes(Vec<u8>),
    /// `string`, as it lies there: it may be no UTF-8.
    String(Vec<u8>),
    /// Fields in order.
    Record(Vec<Self>),
    /// The symbol's number.
    Enum(usize),
    /// `fixed`
    Fixed(Vec<u8>),
    /// Items.
    Array(Vec<Self>),
    /// Entries as they lie there, with the number of those in the first block.
    Map(Vec<(Vec<u8>, Self)>, usize),
    /// The branch and its value.
    Union(usize, Box<Self>),
}

/// A failure, in words.
pub type Failure = String;

/// Levels that the oracle follows; it has no mercy on the stack.
pub const DEPTH_MAX: usize = 200;

/// The failure beyond them, which says nothing about the value.
pub const TOO_DEEP: &str = "deeper than the oracle goes";

/// Connect data of a value's bytes; what [`AvroDecoder`](super::AvroDecoder) gives.
///
/// # Errors
/// The bytes are no value of the schema, or Connect has no place for it.
pub fn decode(
    schema: &AvroSchema,
    config: &AvroDataConfig,
    version: Option<i32>,
    bytes: &[u8],
) -> Result<SchemaAndValue, Failure> {
    let tree = match schema.get(schema.root()).kind {
        Kind::Bytes => Tree::Bytes(bytes.to_vec()),
        _ => read(schema, bytes)?.0,
    };
    to_connect(schema, config, version, &tree)
}

/// Reads a value; gives how many bytes it took.
///
/// # Errors
/// The bytes are no value of the schema.
pub fn read(schema: &AvroSchema, bytes: &[u8]) -> Result<(Tree, usize), Failure> {
    let mut from = Interpreter {
        schema,
        reader: Reader::new(bytes),
        empty_items: 0,
    };
    let tree = from.value(schema.root(), 0)?;
    Ok((tree, from.reader.at()))
}

struct Interpreter<'a> {
    schema: &'a AvroSchema,
    reader: Reader<'a>,
    empty_items: usize,
}

impl Interpreter<'_> {
    fn value(&mut self, id: TypeId, depth: usize) -> Result<Tree, Failure> {
        if depth > DEPTH_MAX {
            return Err(TOO_DEEP.into());
        }
        let schema = self.schema;
        Ok(match &schema.get(id).kind {
            Kind::Null => Tree::Null,
            Kind::Boolean => Tree::Boolean(self.reader.byte().map_err(text)? == 1),
            Kind::Int => Tree::Int(self.reader.varint_i32().map_err(text)?),
            Kind::Long => Tree::Long(self.long()?),
            Kind::Float => Tree::Float(f32::from_le_bytes(self.reader.array().map_err(text)?)),
            Kind::Double => Tree::Double(f64::from_le_bytes(self.reader.array().map_err(text)?)),
            Kind::Bytes => Tree::Bytes(self.bytes()?),
            Kind::String => Tree::String(self.bytes()?),
            Kind::Fixed(fixed) => Tree::Fixed(self.reader.take(fixed.size).map_err(text)?.to_vec()),
            Kind::Enum(named) => Tree::Enum(self.index(named.symbols.len())?),
            Kind::Union(branches) => {
                let branch = self.index(branches.len())?;
                Tree::Union(branch, Box::new(self.value(branches[branch], depth)?))
            }
            Kind::Record(record) => {
                let fields = record.fields.iter();
                Tree::Record(
                    fields
                        .map(|f| self.value(f.schema, depth + 1))
                        .collect::<Result<_, _>>()?,
                )
            }
            Kind::Array(item) => {
                let mut items = Vec::new();
                while let Some(count) = self.block()? {
                    for _ in 0..count {
                        let before = self.reader.at();
                        items.push(self.value(*item, depth + 1)?);
                        self.empty_items += usize::from(self.reader.at() == before);
                        if self.empty_items > AVRO_EMPTY_ITEMS_MAX {
                            return Err("too many empty items".into());
                        }
                    }
                }
                Tree::Array(items)
            }
            Kind::Map(values) => {
                let mut entries = Vec::new();
                let mut first = None;
                while let Some(count) = self.block()? {
                    first.get_or_insert(usize::try_from(count).map_err(text)?);
                    for _ in 0..count {
                        let key = self.bytes()?;
                        entries.push((key, self.value(*values, depth + 1)?));
                    }
                }
                Tree::Map(entries, first.unwrap_or_default())
            }
        })
    }

    fn long(&mut self) -> Result<i64, Failure> {
        self.reader.varint_i64().map_err(text)
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Failure> {
        let length = usize::try_from(self.long()?).map_err(text)?;
        Ok(self.reader.take(length).map_err(text)?.to_vec())
    }

    fn index(&mut self, count: usize) -> Result<usize, Failure> {
        let index = usize::try_from(self.reader.varint_i32().map_err(text)?).map_err(text)?;
        (index < count)
            .then_some(index)
            .ok_or_else(|| format!("index {index} of {count}"))
    }

    fn block(&mut self) -> Result<Option<u64>, Failure> {
        let count = self.long()?;
        if count < 0 {
            self.long()?;
        }
        Ok((count != 0).then_some(count.unsigned_abs()))
    }
}

fn text(error: impl std::fmt::Display) -> Failure {
    error.to_string()
}

/// Appends a value in Avro's binary encoding; arrays and maps are one block.
pub fn write(schema: &AvroSchema, id: TypeId, tree: &Tree, out: &mut Vec<u8>) {
    let length = |length: usize, out: &mut Vec<u8>| {
        write_i64(out, i64::try_from(length).unwrap_or(i64::MAX));
    };
    match (tree, &schema.get(id).kind) {
        (Tree::Null, _) => {}
        (Tree::Boolean(value), _) => out.push((*value).into()),
        (Tree::Int(value), _) => write_i32(out, *value),
        (Tree::Long(value), _) => write_i64(out, *value),
        (Tree::Float(value), _) => out.extend(value.to_le_bytes()),
        (Tree::Double(value), _) => out.extend(value.to_le_bytes()),
        (Tree::Bytes(bytes) | Tree::String(bytes), _) => {
            length(bytes.len(), out);
            out.extend(bytes);
        }
        (Tree::Fixed(bytes), _) => out.extend(bytes),
        (Tree::Enum(symbol), _) => length(*symbol, out),
        (Tree::Union(branch, inner), Kind::Union(branches)) => {
            length(*branch, out);
            write(schema, branches[*branch], inner, out);
        }
        (Tree::Record(values), Kind::Record(record)) => {
            for (value, field) in values.iter().zip(&record.fields) {
                write(schema, field.schema, value, out);
            }
        }
        (Tree::Array(items), Kind::Array(item)) => {
            if !items.is_empty() {
                length(items.len(), out);
            }
            for value in items {
                write(schema, *item, value, out);
            }
            out.push(0);
        }
        (Tree::Map(entries, _), Kind::Map(values)) => {
            if !entries.is_empty() {
                length(entries.len(), out);
            }
            for (key, value) in entries {
                length(key.len(), out);
                out.extend(key);
                write(schema, *values, value, out);
            }
            out.push(0);
        }
        (Tree::Union(..) | Tree::Record(_) | Tree::Array(_) | Tree::Map(..), _) => {}
    }
}

/// Connect data of an Avro value.
///
/// # Errors
/// Connect has no place for it.
pub fn to_connect(
    schema: &AvroSchema,
    config: &AvroDataConfig,
    version: Option<i32>,
    tree: &Tree,
) -> Result<SchemaAndValue, Failure> {
    if is_null(tree) {
        return Ok(SchemaAndValue::NULL);
    }
    let connect = to_connect_schema(schema, config, version).map_err(text)?;
    let mut out = Builder::new(connect.clone());
    let mut walk = Walk {
        schema,
        config,
        out: &mut out,
    };
    match &connect {
        Some(connect) => walk.value(schema.root(), connect, tree)?,
        None => walk.anything(tree)?,
    }
    let data = out.finish().map_err(text)?;
    Ok(if data.is_null() {
        SchemaAndValue::NULL
    } else {
        data
    })
}

fn is_null(tree: &Tree) -> bool {
    match tree {
        Tree::Null => true,
        Tree::Union(_, inner) => is_null(inner),
        _ => false,
    }
}

struct Walk<'a, 'b> {
    schema: &'a AvroSchema,
    config: &'a AvroDataConfig,
    out: &'b mut Builder,
}

impl Walk<'_, '_> {
    fn value(&mut self, id: TypeId, connect: &Schema, tree: &Tree) -> Result<(), Failure> {
        let schema = self.schema;
        let kind = &schema.get(id).kind;
        if let (Tree::Union(branch, inner), Kind::Union(branches)) = (tree, kind) {
            if is_null(inner) {
                self.out.null();
                return Ok(());
            }
            return match self.is_struct(branches) {
                true => self.union(branches, *branch, connect, inner),
                false => self.value(branches[*branch], connect, inner),
            };
        }
        if connect.logical().is_some() {
            return self.logical(connect, tree);
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "Java narrows to the low bits"
        )]
        match (tree, kind, connect.kind()) {
            (Tree::Boolean(v), ..) => self.out.boolean(*v),
            (Tree::Int(v), _, Type::Int8) => self.out.int8(*v as i8),
            (Tree::Int(v), _, Type::Int16) => self.out.int16(*v as i16),
            (Tree::Int(v), ..) => self.out.int32(*v),
            (Tree::Long(v), ..) => self.out.int64(*v),
            (Tree::Float(v), ..) => self.out.float32(*v),
            (Tree::Double(v), ..) => self.out.float64(*v),
            (Tree::Bytes(v) | Tree::Fixed(v), ..) => self.out.bytes(v),
            (Tree::String(v), ..) => self.out.string(&crate::data::utf8::decode(v)),
            (Tree::Enum(number), Kind::Enum(named), _) => self.out.string(&named.symbols[*number]),
            (Tree::Record(values), Kind::Record(record), _) => {
                self.out.begin_struct(connect);
                for ((value, field), of) in values.iter().zip(&record.fields).zip(connect.fields())
                {
                    self.value(field.schema, of.schema(), value)?;
                }
                self.out.end_struct()
            }
            (Tree::Array(items), Kind::Array(item), Type::Array) => {
                let of = connect.value_schema().ok_or("no element schema")?;
                self.out.begin_array();
                for value in items {
                    self.value(*item, of, value)?;
                }
                self.out.end_array()
            }
            (Tree::Array(items), Kind::Array(item), Type::Map) => {
                return self.entries(*item, connect, items);
            }
            (Tree::Map(entries, first), Kind::Map(values), _) => {
                let of = connect.value_schema().ok_or("no value schema")?;
                let kept = java_map::text_map(entries, *first);
                self.replaced(*values, of, entries, &kept)?;
                self.out.begin_map();
                for (key, value) in kept {
                    self.out.string(&key);
                    self.value(*values, of, value)?;
                }
                self.out.end_map()
            }
            _ => return Err(format!("{tree:?} under {connect:?}")),
        };
        Ok(())
    }

    /// Values that a later one with the same key replaces must be good all the same: a record is good or bad as a whole.
    fn replaced(
        &self,
        values: TypeId,
        of: &Schema,
        entries: &[(Vec<u8>, Tree)],
        kept: &[(Cow<'_, str>, &Tree)],
    ) -> Result<(), Failure> {
        for (_, value) in entries {
            if kept.iter().all(|(_, tree)| !std::ptr::eq(*tree, value)) {
                let mut unwanted = Builder::new(None);
                let mut walk = Walk {
                    out: &mut unwanted,
                    ..*self
                };
                walk.value(values, of, value)?;
            }
        }
        Ok(())
    }

    /// Whether a union is a struct: not when it is one type, optional or not.
    fn is_struct(&self, branches: &[TypeId]) -> bool {
        let nulls = branches.iter().filter(|b| self.is(**b, "null")).count();
        match branches.len() {
            1 => !self.config.flatten_singleton_unions,
            2 => nulls == 0,
            _ => true,
        }
    }

    fn is(&self, id: TypeId, word: &str) -> bool {
        self.schema.get(id).kind.word() == word
    }

    /// As Java finds the field of a union's value: the first one that takes its class.
    fn union(
        &mut self,
        branches: &[TypeId],
        branch: usize,
        connect: &Schema,
        tree: &Tree,
    ) -> Result<(), Failure> {
        let others: Vec<TypeId> = (branches.iter().copied())
            .filter(|b| !self.is(*b, "null"))
            .collect();
        let mine = |place: usize| others[place] == branches[branch];
        let place = (connect.fields().iter().enumerate())
            .position(|(place, field)| mine(place) && self.takes(field.schema(), tree))
            .ok_or("no field takes it")?;
        // With generalized names Java counts fields without the null and names them with it.
        let target = match self.config.generalized_sum_types {
            true => connect
                .index_of(&format!("connect_union_field_{place}"))
                .filter(|found| *found == place)
                .ok_or("no field of that name")?,
            false => place,
        };
        self.out.begin_struct(connect).field(target);
        let field = &connect.fields()[target];
        self.value(branches[branch], field.schema(), tree)?;
        self.out.end_struct();
        Ok(())
    }

    fn takes(&self, field: &Schema, tree: &Tree) -> bool {
        let parameter = match self.config.generalized_sum_types {
            true => "org.apache.kafka.connect.data.Enum",
            false => "io.confluent.connect.avro.Enum",
        };
        if field.parameter(parameter).is_some() {
            return matches!(tree, Tree::Enum(_));
        }
        match field.kind() {
            Type::Int32 => matches!(tree, Tree::Int(_)),
            Type::Int64 => matches!(tree, Tree::Long(_)),
            Type::Float32 => matches!(tree, Tree::Float(_)),
            Type::Float64 => matches!(tree, Tree::Double(_)),
            Type::Boolean => matches!(tree, Tree::Boolean(_)),
            Type::String => matches!(tree, Tree::String(_)),
            Type::Bytes => matches!(tree, Tree::Bytes(_) | Tree::Fixed(_)),
            Type::Array => matches!(tree, Tree::Array(_)),
            Type::Map => matches!(tree, Tree::Map(..)),
            Type::Struct => matches!(tree, Tree::Record(_)),
            Type::Int8 | Type::Int16 => false,
        }
    }

    /// A map that is a list of entries.
    fn entries(&mut self, item: TypeId, connect: &Schema, items: &[Tree]) -> Result<(), Failure> {
        let (Some(keys), Some(values)) = (connect.key_schema(), connect.value_schema()) else {
            return Err("no element schemas".into());
        };
        if keys.kind() == Type::String && !keys.is_optional() {
            return Err("Java takes it for a map".into());
        }
        let Kind::Record(record) = &self.schema.get(item).kind else {
            return Err("no entries".into());
        };
        let at = |name: &str| record.fields.iter().position(|f| &*f.name == name);
        let (Some(k), Some(v)) = (at("key"), at("value")) else {
            return Err("no key or value".into());
        };
        let mut list = Vec::new();
        for entry in items {
            let Tree::Record(fields) = entry else {
                return Err("no entry".into());
            };
            let key = self.alone(record.fields[k].schema, keys, &fields[k])?;
            let value = self.alone(record.fields[v].schema, values, &fields[v])?;
            list.push((key, value));
        }
        self.out.begin_map();
        for (key, value) in java_map::any_map(list) {
            self.out.copy(key.value()).copy(value.value());
        }
        self.out.end_map();
        Ok(())
    }

    fn alone(&self, id: TypeId, connect: &Schema, tree: &Tree) -> Result<SchemaAndValue, Failure> {
        let mut out = Builder::new(Some(connect.clone()));
        let mut walk = Walk {
            out: &mut out,
            ..*self
        };
        walk.value(id, connect, tree)?;
        out.finish().map_err(text)
    }

    fn logical(&mut self, connect: &Schema, tree: &Tree) -> Result<(), Failure> {
        match (connect.logical(), tree, connect.kind()) {
            (Some(Logical::Decimal), Tree::Bytes(bytes) | Tree::Fixed(bytes), _) => {
                if bytes.is_empty() {
                    return Err("no digits".into());
                }
                let scale = connect.decimal_scale().map_err(text)?;
                self.out.decimal(DecimalRef::from_be_bytes(bytes, scale));
            }
            (Some(Logical::Date), Tree::Int(days), Type::Int32) => {
                self.out.date(logical::date_from_days(*days));
            }
            (Some(Logical::Time), Tree::Int(millis), Type::Int32) => {
                self.out
                    .time(logical::time_from_millis(*millis).map_err(text)?);
            }
            (Some(Logical::Timestamp), Tree::Long(millis), _) => {
                self.out.timestamp(*millis);
            }
            _ => return Err(format!("{tree:?} under {connect:?}")),
        }
        Ok(())
    }

    /// Schemaless data: the first field that is set.
    fn anything(&mut self, tree: &Tree) -> Result<(), Failure> {
        let Tree::Record(fields) = tree else {
            return Err("no record".into());
        };
        let set = fields.iter().position(|field| !is_null(field));
        let Some((number, Tree::Union(_, set))) = set.map(|number| (number, &fields[number]))
        else {
            self.out.null();
            return Ok(());
        };
        let is_map = number == 8;
        match &**set {
            Tree::Boolean(v) => self.out.boolean(*v),
            Tree::Bytes(v) => self.out.bytes(v),
            Tree::Double(v) => self.out.float64(*v),
            Tree::Float(v) => self.out.float32(*v),
            Tree::Int(v) => self.out.int32(*v),
            Tree::Long(v) => self.out.int64(*v),
            Tree::String(v) => self.out.string(&crate::data::utf8::decode(v)),
            Tree::Array(items) if !is_map => {
                self.out.begin_array();
                for item in items {
                    self.anything(item)?;
                }
                self.out.end_array()
            }
            Tree::Array(items) => {
                let mut list = Vec::new();
                for entry in items {
                    let Tree::Record(pair) = entry else {
                        return Err("no entry".into());
                    };
                    let alone = |tree: &Tree| -> Result<SchemaAndValue, Failure> {
                        let mut out = Builder::new(None);
                        let mut walk = Walk {
                            out: &mut out,
                            ..*self
                        };
                        walk.anything(tree)?;
                        out.finish().map_err(text)
                    };
                    list.push((alone(&pair[0])?, alone(&pair[1])?));
                }
                self.out.begin_map();
                for (key, value) in java_map::any_map(list) {
                    self.out.copy(key.value()).copy(value.value());
                }
                self.out.end_map()
            }
            other => return Err(format!("{other:?}")),
        };
        Ok(())
    }
}

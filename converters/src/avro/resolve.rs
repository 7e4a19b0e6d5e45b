//! How values of a writer's schema become values of a reader's schema.
//!
//! The result says what to do and leaves to others how: a decoder, a re-encoder and a test oracle can follow it. What
//! cannot be read is an [error node](Node::Error), since it matters only when such a value comes: a union may hold a
//! branch that the reader does not know, as long as nobody writes it.
//!
//! Source: Avro 1.12 specification, "Schema Resolution". As in Avro's Java library, records outside unions match whatever
//! their names are.

mod default;

use std::collections::HashMap;

use super::model::{AvroSchema, Enum, Field, Kind as Type, Name, Record, TypeId};
use super::print::too_deep;
use crate::error::{Error, avro_schema::Kind};
use crate::limits::{AVRO_PAIR_DEPTH_MAX, AVRO_PAIRS_MAX};

/// Where a node lies in its [`Resolution`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

/// What to do with the values of one schema to get values of another one.
#[derive(Clone, Debug)]
pub struct Resolution {
    nodes: Vec<Node>,
    root: NodeId,
}

/// What to do with a value of one type of the writer's.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// Both sides have the same type of these: null, boolean, int, long, float, double, bytes, string.
    Same,
    /// A number becomes a wider one.
    Promote(Promotion),
    /// Bytes are taken for UTF-8.
    BytesAsString,
    /// A text is taken as its UTF-8.
    StringAsBytes,
    /// So many bytes on both sides.
    Fixed(usize),
    /// For each symbol of the writer's, by index, the index of the reader's; `None` is an error when it comes.
    Enum(Box<[Option<usize>]>),
    /// Items of an array.
    Array(NodeId),
    /// Values of a map.
    Map(NodeId),
    /// Fields of a record.
    Record(RecordNode),
    /// The writer wrote a union: what to do with each of its branches, by index.
    WriterUnion(Box<[NodeId]>),
    /// The reader wants a union, and the writer wrote none: which branch a value goes to.
    ReaderUnion {
        /// The index of the reader's branch.
        branch: usize,
        /// How the value becomes one of that branch.
        node: NodeId,
    },
    /// A value of this type cannot be read; why.
    Error(Box<str>),
}

/// The widenings of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Promotion {
    /// `int` to `long`.
    IntToLong,
    /// `int` to `float`; large ones lose digits.
    IntToFloat,
    /// `int` to `double`.
    IntToDouble,
    /// `long` to `float`; large ones lose digits.
    LongToFloat,
    /// `long` to `double`; large ones lose digits.
    LongToDouble,
    /// `float` to `double`.
    FloatToDouble,
}

/// What becomes of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordNode {
    /// For each field of the writer's, in order.
    pub written: Box<[FieldStep]>,
    /// For each field of the reader's that the writer does not write: its index, and its default in binary encoding.
    pub defaults: Box<[(usize, Box<[u8]>)]>,
}

/// What becomes of a field of the writer's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldStep {
    /// It is the reader's field with that index.
    Read {
        /// The index of the reader's field.
        field: usize,
        /// How the value becomes the reader's.
        node: NodeId,
    },
    /// The reader does not want it: a value of that type of the writer's is passed over.
    Skip(TypeId),
}

impl Resolution {
    /// Works out how values that were written with `writer` are read with `reader`.
    ///
    /// ```
    /// use ferroconnect_converters::avro::{AvroSchema, Node, Promotion, Resolution};
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let (int, long) = (AvroSchema::parse("\"int\"")?, AvroSchema::parse("\"long\"")?);
    /// let resolution = Resolution::new(&int, &long)?;
    /// assert_eq!(resolution.get(resolution.root()), &Node::Promote(Promotion::IntToLong));
    /// assert!(matches!(Resolution::new(&long, &int)?.error(), Some(reason) if reason.contains("long")));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Data fault: the two schemas have more pairs of types, or deeper ones, than the limits allow.
    pub fn new(writer: &AvroSchema, reader: &AvroSchema) -> Result<Self, Error> {
        let mut resolver = Resolver {
            writer,
            reader,
            nodes: Vec::new(),
            known: HashMap::new(),
            depth: 0,
            default_steps: 0,
        };
        let root = resolver.pair(writer.root(), reader.root())?;
        Ok(Self {
            nodes: resolver.nodes,
            root,
        })
    }

    /// What to do with a whole value.
    #[must_use]
    pub const fn root(&self) -> NodeId {
        self.root
    }

    /// A node of this resolution.
    #[must_use]
    pub fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Why no value at all can be read; `None` if some can.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self.get(self.root) {
            Node::Error(reason) => Some(reason),
            Node::Same
            | Node::Promote(_)
            | Node::BytesAsString
            | Node::StringAsBytes
            | Node::Fixed(_)
            | Node::Enum(_)
            | Node::Array(_)
            | Node::Map(_)
            | Node::Record(_)
            | Node::WriterUnion(_)
            | Node::ReaderUnion { .. } => None,
        }
    }
}

struct Resolver<'a> {
    writer: &'a AvroSchema,
    reader: &'a AvroSchema,
    nodes: Vec<Node>,
    /// The node of a pair; while it is being worked out, its place.
    known: HashMap<(TypeId, TypeId), NodeId>,
    depth: usize,
    /// Steps that encoding defaults has taken.
    default_steps: usize,
}

impl Resolver<'_> {
    fn pair(&mut self, writer: TypeId, reader: TypeId) -> Result<NodeId, Error> {
        if let Some(known) = self.known.get(&(writer, reader)) {
            return Ok(*known);
        }
        if self.known.len() >= AVRO_PAIRS_MAX {
            let what = "it has more than 1,000,000 pairs of types to resolve";
            return Err(Kind::TooMuch { what }.into());
        }
        if self.depth >= AVRO_PAIR_DEPTH_MAX {
            return Err(too_deep());
        }
        // Below the limit on pairs.
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node::Same);
        self.known.insert((writer, reader), id);
        self.depth += 1;
        let node = self.node(writer, reader)?;
        self.depth -= 1;
        self.nodes[id.0 as usize] = node;
        Ok(id)
    }

    fn node(&mut self, writer: TypeId, reader: TypeId) -> Result<Node, Error> {
        let (from, to) = (&self.writer.get(writer).kind, &self.reader.get(reader).kind);
        Ok(match (from, to) {
            (Type::Union(branches), _) => {
                let nodes = branches.iter().map(|branch| self.pair(*branch, reader));
                Node::WriterUnion(nodes.collect::<Result<_, _>>()?)
            }
            (_, Type::Union(branches)) => match self.branch(writer, branches)? {
                Some((branch, node)) => Node::ReaderUnion { branch, node },
                None => Node::Error(
                    format!(
                        "The reader's union has no branch for the writer's {}",
                        called(from)
                    )
                    .into(),
                ),
            },
            (Type::Array(from), Type::Array(to)) => Node::Array(self.pair(*from, *to)?),
            (Type::Map(from), Type::Map(to)) => Node::Map(self.pair(*from, *to)?),
            (Type::Fixed(written), Type::Fixed(wanted)) => {
                if !is_named(&wanted.name, &wanted.aliases, &written.name) {
                    mismatch(from, to)
                } else if written.size == wanted.size {
                    Node::Fixed(written.size)
                } else {
                    let (from, to) = (written.size, wanted.size);
                    let reason = format!(
                        "{} has {from} bytes in the writer's schema and {to} in the reader's",
                        wanted.name
                    );
                    Node::Error(reason.into())
                }
            }
            (Type::Enum(written), Type::Enum(wanted)) => {
                if is_named(&wanted.name, &wanted.aliases, &written.name) {
                    Node::Enum(symbols(written, wanted))
                } else {
                    mismatch(from, to)
                }
            }
            (Type::Record(from), Type::Record(to)) => self.record(from, to)?,
            (from, to) => simple(from, to).unwrap_or_else(|| mismatch(from, to)),
        })
    }

    fn record(&mut self, from: &Record, to: &Record) -> Result<Node, Error> {
        let written: HashMap<&str, usize> = from
            .fields
            .iter()
            .enumerate()
            .map(|(index, field)| (&*field.name, index))
            .collect();
        let mut steps: Vec<FieldStep> = from
            .fields
            .iter()
            .map(|field| FieldStep::Skip(field.schema))
            .collect();
        let mut defaults = Vec::new();
        for (index, field) in to.fields.iter().enumerate() {
            let mut names = std::iter::once(&field.name).chain(&field.aliases);
            let place = names.find_map(|name| written.get(&**name).copied());
            // A field of the writer's goes to one field of the reader's only.
            let place = place.filter(|place| matches!(steps[*place], FieldStep::Skip(_)));
            if let Some(place) = place {
                let node = self.pair(from.fields[place].schema, field.schema)?;
                steps[place] = FieldStep::Read { field: index, node };
                continue;
            }
            match self.default(field, to) {
                Ok(bytes) => defaults.push((index, bytes)),
                Err(reason) => return Ok(Node::Error(reason)),
            }
        }
        Ok(Node::Record(RecordNode {
            written: steps.into(),
            defaults: defaults.into(),
        }))
    }

    fn default(&mut self, field: &Field, record: &Record) -> Result<Box<[u8]>, Box<str>> {
        let Some(value) = &field.default else {
            return Err(format!(
                "The writer does not write the field {} of {}, and it has no default",
                field.name, record.name
            )
            .into());
        };
        let steps = &mut self.default_steps;
        default::encode(self.reader, field.schema, value, steps).ok_or_else(|| {
            format!(
                "The default of the field {} of {} does not fit its type",
                field.name, record.name
            )
            .into()
        })
    }

    /// The branch of a reader's union that a type of the writer's goes to: one of the same kind and name, then a record of
    /// the same short name, then a record that all fields fit, then the first one that it may become.
    fn branch(
        &mut self,
        writer: TypeId,
        branches: &[TypeId],
    ) -> Result<Option<(usize, NodeId)>, Error> {
        let from = &self.writer.get(writer).kind;
        for closeness in [Closeness::Full, Closeness::Short, Closeness::Any] {
            for (index, branch) in branches.iter().enumerate() {
                let to = &self.reader.get(*branch).kind;
                if !is_close(from, to, closeness) {
                    continue;
                }
                let node = self.pair(writer, *branch)?;
                let fits = match closeness {
                    Closeness::Full | Closeness::Short => true,
                    Closeness::Any => !self.fails(node),
                };
                if fits {
                    return Ok(Some((index, node)));
                }
            }
        }
        Ok(None)
    }

    /// Whether a value cannot be read as a whole, or one of its fields cannot.
    fn fails(&self, id: NodeId) -> bool {
        let is_error = |id: NodeId| matches!(self.nodes[id.0 as usize], Node::Error(_));
        let Node::Record(record) = &self.nodes[id.0 as usize] else {
            return is_error(id);
        };
        record.written.iter().any(|step| match step {
            FieldStep::Read { node, .. } => is_error(*node),
            FieldStep::Skip(_) => false,
        })
    }
}

/// How close a branch of a union must be.
#[derive(Clone, Copy)]
enum Closeness {
    /// The same kind and, for named types, the same full name or an alias.
    Full,
    /// Named types of the same short name.
    Short,
    /// Whatever resolves.
    Any,
}

fn is_close(from: &Type, to: &Type, closeness: Closeness) -> bool {
    match closeness {
        Closeness::Any => true,
        Closeness::Full => {
            from.word() == to.word()
                && match (from.name(), to.name()) {
                    (Some(written), Some(wanted)) => {
                        written == wanted || aliases(to).contains(written)
                    }
                    (_, _) => true,
                }
        }
        Closeness::Short => {
            from.word() == to.word()
                && match (from.name(), to.name()) {
                    (Some(written), Some(wanted)) => written.name == wanted.name,
                    (_, _) => false,
                }
        }
    }
}

fn aliases(kind: &Type) -> &[Name] {
    match kind {
        Type::Record(record) => &record.aliases,
        Type::Enum(enumeration) => &enumeration.aliases,
        Type::Fixed(fixed) => &fixed.aliases,
        Type::Null
        | Type::Boolean
        | Type::Int
        | Type::Long
        | Type::Float
        | Type::Double
        | Type::Bytes
        | Type::String
        | Type::Array(_)
        | Type::Map(_)
        | Type::Union(_) => &[],
    }
}

/// Whether a writer's name means a reader's type.
fn is_named(wanted: &Name, aliases: &[Name], written: &Name) -> bool {
    wanted.name == written.name || aliases.contains(written)
}

fn symbols(written: &Enum, wanted: &Enum) -> Box<[Option<usize>]> {
    let places: HashMap<&str, usize> = wanted
        .symbols
        .iter()
        .enumerate()
        .map(|(index, symbol)| (&**symbol, index))
        .collect();
    let default = wanted.default.as_deref();
    let default = default.and_then(|symbol| places.get(symbol).copied());
    let symbols = written.symbols.iter();
    symbols
        .map(|symbol| places.get(&**symbol).copied().or(default))
        .collect()
}

/// Types without parts.
fn simple(from: &Type, to: &Type) -> Option<Node> {
    Some(match (from, to) {
        (Type::Null, Type::Null)
        | (Type::Boolean, Type::Boolean)
        | (Type::Int, Type::Int)
        | (Type::Long, Type::Long)
        | (Type::Float, Type::Float)
        | (Type::Double, Type::Double)
        | (Type::Bytes, Type::Bytes)
        | (Type::String, Type::String) => Node::Same,
        (Type::Int, Type::Long) => Node::Promote(Promotion::IntToLong),
        (Type::Int, Type::Float) => Node::Promote(Promotion::IntToFloat),
        (Type::Int, Type::Double) => Node::Promote(Promotion::IntToDouble),
        (Type::Long, Type::Float) => Node::Promote(Promotion::LongToFloat),
        (Type::Long, Type::Double) => Node::Promote(Promotion::LongToDouble),
        (Type::Float, Type::Double) => Node::Promote(Promotion::FloatToDouble),
        (Type::Bytes, Type::String) => Node::BytesAsString,
        (Type::String, Type::Bytes) => Node::StringAsBytes,
        (_, _) => return None,
    })
}

fn mismatch(from: &Type, to: &Type) -> Node {
    let (from, to) = (called(from), called(to));
    Node::Error(format!("The writer's {from} cannot be read as the reader's {to}").into())
}

/// `record n.R`, or just `int`.
fn called(kind: &Type) -> String {
    match kind.name() {
        Some(name) => format!("{} {name}", kind.word()),
        None => kind.word().to_owned(),
    }
}

#[cfg(test)]
mod tests;

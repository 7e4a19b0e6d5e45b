//! Writing data as Protobuf, by a plan that is worked out once per schema.
//!
//! A plan is compiled from a Connect schema and the file generated for it. While a record is written, nothing is looked up by name:
//! keys of fields, positions in structs, numbers of symbols and the bytes of defaults are in the plan.

mod compile;
mod fast;
mod numbers;
mod registered;
mod run;
mod small;
#[cfg(test)]
mod tests;
mod widen;

use std::collections::HashMap;

use crate::data::{Schema, Type};
use crate::error::protobuf_write;
use crate::plan::{Arena, NodeId};
use crate::wire::MessageIndexes;
use widen::Widening;

/// How data of one Connect schema are written.
#[derive(Debug)]
pub(crate) struct EncodePlan {
    indexes: MessageIndexes,
    nodes: Arena<Node>,
    root: Root,
    /// Defaults of fields as they are written; `None` for one that its own schema does not take.
    defaults: Vec<Option<Box<[u8]>>>,
}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    widening: Widening,
    /// As long as the longest record so far, and a bit more.
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Root {
    /// A message node.
    Message(NodeId),
    /// The field of a wrapper message.
    Wrapper(FieldPlace),
    /// Nothing but nulls.
    Nothing(protobuf_write::Kind),
}

/// The bytes in front of a value: number and wire type of its field.
#[derive(Clone, Copy, Debug)]
struct Key {
    /// The lowest byte comes first.
    bytes: u64,
    len: u8,
}

impl Key {
    /// Nothing: elements of packed lists have no key.
    const NONE: Self = Self { bytes: 0, len: 0 };

    /// A key of one byte.
    const fn byte(byte: u8) -> Self {
        Self {
            bytes: byte as u64,
            len: 1,
        }
    }
}

/// How a value is written that stands at one place.
#[derive(Clone, Debug)]
struct FieldPlace {
    key: Key,
    /// Position in the struct, or of the struct of a union.
    slot: u32,
    step: Step,
    /// Whether the default of its type is written too.
    has_presence: bool,
    null: Null,
    /// For errors.
    kind: Type,
    name: Box<str>,
}

/// What a null is written as.
#[derive(Clone, Copy, Debug)]
enum Null {
    /// Nothing.
    Skipped,
    Refused,
    /// The bytes of a default.
    Default(u32),
}

/// How one value is written. Leaves are here, so that the loop over the fields of a message decides once per field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Boolean,
    Int32,
    Uint32,
    Sint32,
    /// Four bytes.
    Fixed32,
    /// Any 64 bits as a varint.
    Int64,
    Sint64,
    /// Eight bytes.
    Fixed64,
    Float,
    Double,
    String,
    Bytes,
    Decimal,
    Date,
    Time,
    Timestamp,
    /// A node, by its kind.
    Enum(NodeId),
    Wrapper(NodeId),
    Message(NodeId),
    List(NodeId),
    Packed(NodeId),
    Map(NodeId),
    Union(NodeId),
    Member(NodeId),
    Never(NodeId),
}

#[derive(Debug)]
enum Node {
    Enum(Symbols),
    /// The field of a wrapper message.
    Wrapper(FieldPlace),
    Message(MessageNode),
    /// The elements of a list, each with its key unless they are packed.
    List(FieldPlace),
    /// Keys and values of a map.
    Map(FieldPlace, FieldPlace),
    Union(UnionNode),
    /// One member of a union whose numbers are not in a row.
    Member(MemberNode),
    /// Values at this place cannot be written.
    Never(protobuf_write::Kind),
}

#[derive(Debug)]
struct MessageNode {
    schema: Schema,
    /// How many fields the struct has.
    slots: usize,
    /// By number.
    fields: Vec<FieldPlace>,
}

#[derive(Debug)]
struct UnionNode {
    schema: Schema,
    /// In the order of the struct.
    members: Vec<FieldPlace>,
}

#[derive(Debug)]
struct MemberNode {
    union: NodeId,
    index: usize,
}

/// Symbols of an enum and their numbers.
#[derive(Debug)]
struct Symbols {
    numbers: HashMap<Box<str>, i32>,
    all: Box<[i32]>,
    /// What a field that is not there is read as.
    first: i32,
}

//! Writing data as Avro, by a plan that is worked out once per schema.
//!
//! A plan is compiled from three schemas: Connect's, the one generated for it, and the one that is written with, which
//! is the generated one unless the settings choose another from the registry. Nothing is looked up by name while a record is
//! written: branches of unions, positions of fields and the bytes of defaults are in the plan.

mod compile;
mod fast;
mod run;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::data::Type;
use crate::error::avro_write;
use crate::plan::{Arena, NodeId};
use crate::registered::Written;

/// How data of one Connect schema are written.
#[derive(Debug)]
pub(crate) struct EncodePlan {
    nodes: Arena<Node>,
    root: Place,
    /// A root of bare bytes is written without its length.
    raw: bool,
    /// Defaults of fields as they are written; `None` for one that its own schema does not take.
    defaults: Vec<Option<Box<[u8]>>>,
}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    hashes: Vec<i32>,
    order: Vec<u32>,
}

/// How a value is written that stands at one place.
#[derive(Clone, Copy, Debug)]
struct Place {
    step: Step,
    /// The branch of the union at this place, for values; -1 where there is no union.
    branch: i32,
    null: Null,
}

/// What a null is written as.
#[derive(Clone, Copy, Debug)]
enum Null {
    Refused,
    /// A branch of the union.
    Branch(i32),
    /// A type that takes no bytes.
    Nothing,
    /// A record of anything in which nothing is set.
    Anything,
    /// The bytes of a default.
    Default(u32),
    /// The writer meets a null where its schema has none.
    NoBranch,
}

/// How one value is written. Leaves are here, so that the loop over the fields of a record decides once per field.
#[derive(Clone, Copy, Debug)]
enum Step {
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    String,
    Bytes,
    Date,
    Time,
    Timestamp,
    /// Scale.
    Decimal(i32),
    /// Scale and size.
    DecimalFixed {
        scale: i32,
        size: u32,
    },
    Fixed {
        size: u32,
    },
    /// A number of another type than the schema's own.
    Number {
        from: Type,
        to: Number,
    },
    Anything,
    /// A node, by its kind.
    Enum(NodeId),
    Array(NodeId),
    Map(NodeId),
    Entries(NodeId),
    Record(NodeId),
    Union(NodeId),
    Never(NodeId),
}

/// Avro's four kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Int,
    Long,
    Float,
    Double,
}

#[derive(Debug)]
enum Node {
    Enum(Symbols),
    /// Elements of an array, values of a map.
    Items(Place),
    /// Keys and values of a map without text keys.
    Entries(Place, Place),
    Record(RecordNode),
    /// Members of a struct that stands for a union, in order; what is written when none is set.
    Union(Vec<FieldPlace>, Null),
    /// Values at this place cannot be written.
    Never(avro_write::Kind),
}

#[derive(Debug)]
struct RecordNode {
    /// In the order of the schema that is written with.
    fields: Vec<FieldPlace>,
    /// Fields that are not written, but must hold what their schemas say.
    unwritten: Vec<FieldPlace>,
}

#[derive(Debug)]
struct FieldPlace {
    /// Position in the struct; `None` when the data have no such field.
    slot: Option<usize>,
    place: Place,
    name: Box<str>,
}

/// Symbols of an enum and their numbers.
#[derive(Debug)]
struct Symbols {
    name: Box<str>,
    numbers: HashMap<Box<str>, i32>,
    /// For the error.
    list: Box<str>,
}

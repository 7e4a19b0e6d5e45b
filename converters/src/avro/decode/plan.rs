//! What a schema means for the bytes: places, worked out once.

use crate::plan::{Arena, NodeId};

/// A place where a value stands: whether it may be null, and how it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) null: Null,
    pub(super) node: Node,
}

/// Which branch of a union of two is null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Null {
    /// No union: the value stands there as it is.
    Never,
    First,
    Second,
}

/// How a value is read. Leaves come first: they say everything themselves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Date,
    Time,
    Timestamp,
    Text,
    Bytes,
    Decimal {
        scale: i32,
    },
    Fixed {
        size: u32,
    },
    FixedDecimal {
        scale: i32,
        size: u32,
    },
    /// Symbols from this index on.
    Enum(u32),
    /// A number of the writer's that the reader wants wider, or text for bytes and the other way round.
    Promoted(Promotion),
    Array(NodeId),
    Map(NodeId),
    /// A list of entries.
    Entries(NodeId),
    Struct(u32),
    Union(u32),
    /// A field of a struct for a union that only the reader has.
    Tagged(u32),
    /// Bytes that the reader has no place for.
    Skipped(NodeId),
    /// Nothing is there, and null is meant.
    Nothing,
    Refused(Refusal),
}

/// The reader's type, then the writer's (Avro 1.12 specification, "Schema Resolution").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Promotion {
    Int64OfInt,
    TimestampOfInt,
    Float32OfInt,
    Float32OfLong,
    Float64OfInt,
    Float64OfLong,
    Float64OfFloat,
}

/// Why no value of a place can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// The struct for the union has no field for the branch.
    NoUnionField,
    /// A list of entries whose keys are text, which Java takes for a map.
    EntriesUnderTextKeys,
    /// `avro.use.logical.type.converters`.
    ReservedLogicalType(&'static str),
    /// A Connect name that does not go with the Avro type.
    WrongBase {
        logical: &'static str,
        base: &'static str,
        found: &'static str,
    },
    ScaleMissing,
    ScaleInvalid,
    /// The branch of the writer's union has no counterpart with the reader.
    Unresolvable {
        writer: &'static str,
        reader: &'static str,
    },
}

impl Node {
    /// Whether a value takes one slot and nothing below it.
    pub(super) const fn is_leaf(self) -> bool {
        !matches!(
            self,
            Self::Array(_)
                | Self::Map(_)
                | Self::Entries(_)
                | Self::Struct(_)
                | Self::Union(_)
                | Self::Tagged(_)
                | Self::Skipped(_)
        )
    }
}

impl Place {
    pub(super) const fn of(node: Node) -> Self {
        Self {
            null: Null::Never,
            node,
        }
    }
}

/// Items of an array, values of a map, or what is skipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items {
    pub(super) place: Place,
    /// Bytes that an item takes at least; of an entry with its key.
    pub(super) bytes_min: usize,
    /// For lists of entries: the places of key and value, and whether the key comes first.
    pub(super) entry: Option<Entry>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) key: Place,
    pub(super) value: Place,
    pub(super) key_first: bool,
}

/// How a record is read.
#[derive(Debug, Default)]
pub(super) struct StructPlan {
    pub(super) steps: Box<[Step]>,
    /// The steps once more, as the loop over a record wants them.
    pub(super) quick: Box<[Quick]>,
    /// Names of the writer's fields, for errors.
    pub(super) names: Box<[Box<str>]>,
    /// Slots of the struct.
    pub(super) width: usize,
    /// Fields that the writer does not have: which, and an index into the defaults.
    pub(super) defaults: Box<[(usize, usize)]>,
}

/// One field of the writer's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) place: Place,
    /// The field it goes to; [`NOWHERE`] for what is skipped.
    pub(super) target: u32,
}

/// A [`Step`] in a quarter of its size: what most fields are is said in place, all else stands in the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    pub(super) null: Null,
    pub(super) leaf: Leaf,
    pub(super) target: u32,
}

/// The leaves that are met most often.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf {
    Text,
    Int64,
    Int32,
    Timestamp,
    Float64,
    Float32,
    Boolean,
    Date,
    Decimal {
        scale: i32,
    },
    /// Something else, see the [`Node`].
    Other,
}

impl Quick {
    pub(super) fn all(steps: &[Step]) -> Box<[Self]> {
        let quick = steps.iter().map(|step| Self {
            target: step.target,
            ..Self::of(step.place)
        });
        quick.collect()
    }

    /// A place that is no field.
    pub(super) const fn of(place: Place) -> Self {
        Self {
            null: place.null,
            leaf: Leaf::of(place.node),
            target: NOWHERE,
        }
    }
}

impl Leaf {
    pub(super) const fn of(node: Node) -> Self {
        match node {
            Node::Text => Self::Text,
            Node::Int64 => Self::Int64,
            Node::Int32 => Self::Int32,
            Node::Timestamp => Self::Timestamp,
            Node::Float64 => Self::Float64,
            Node::Float32 => Self::Float32,
            Node::Boolean => Self::Boolean,
            Node::Date => Self::Date,
            Node::Decimal { scale } => Self::Decimal { scale },
            Node::Int8
            | Node::Int16
            | Node::Time
            | Node::Bytes
            | Node::Fixed { .. }
            | Node::FixedDecimal { .. }
            | Node::Enum(_)
            | Node::Promoted(_)
            | Node::Nothing
            | Node::Refused(_)
            | Node::Array(_)
            | Node::Map(_)
            | Node::Entries(_)
            | Node::Struct(_)
            | Node::Union(_)
            | Node::Tagged(_)
            | Node::Skipped(_) => Self::Other,
        }
    }
}

/// No field: an index that no struct has.
pub(super) const NOWHERE: u32 = u32::MAX;

/// How a union is read that is not simply an optional value.
#[derive(Debug, Default)]
pub(super) struct UnionPlan {
    pub(super) branches: Box<[Branch]>,
    /// Slots of the struct that stands for the union.
    pub(super) width: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Branch {
    Null,
    /// The value itself.
    Plain(Place),
    /// The value in a field of the struct.
    Field(u32, Place),
}

/// The parts of a plan that places point to.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) items: Arena<Items>,
    pub(super) structs: Vec<StructPlan>,
    pub(super) unions: Vec<UnionPlan>,
    /// Width of the struct, field, and how its value is read.
    pub(super) tagged: Vec<(usize, usize, Place)>,
    pub(super) symbols: Vec<Box<[u8]>>,
    pub(super) enums: Vec<EnumPlan>,
    pub(super) defaults: Vec<crate::data::SchemaAndValue>,
}

/// The symbols of a writer's enum.
#[derive(Debug)]
pub(super) struct EnumPlan {
    /// For each symbol of the writer's, which text it reads as; `None` when the reader knows none.
    pub(super) texts: Box<[Option<u32>]>,
}

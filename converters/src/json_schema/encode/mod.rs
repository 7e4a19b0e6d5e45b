//! Writing documents, by a plan that is worked out once per schema.
//!
//! A plan follows the Connect schema alone: what the registry has changes no byte. Names are in it as they are written, with their
//! quotes and escapes; so are defaults. Leaves are written as [`JsonConverter`](crate::json::JsonConverter) writes them.

mod compile;
mod indent;
mod run;
#[cfg(test)]
mod tests;
mod variant;

use super::JsonSchemaDataConfig;
use super::from_connect::Generated;
use crate::data::{Schema, SchemaAndValue, Type};
use crate::error::{Error, json_schema_write::Kind};
use crate::plan::{Arena, NodeId};
use crate::registered::Written;
use compile::Compiler;

/// How data of one Connect schema are written.
#[derive(Debug)]
pub(crate) struct EncodePlan {
    sites: Arena<Site>,
    fields: Vec<FieldSite>,
    /// Names of the fields, for errors.
    names: Vec<Box<str>>,
    /// Prepared text: keys of struct fields, defaults.
    text: Vec<u8>,
    /// `None`: data without a schema.
    root: Option<NodeId>,
    /// With line breaks.
    indented: bool,
}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// A document before it is indented.
    compact: Vec<u8>,
    /// Brackets that are open while it is indented.
    open: Vec<u8>,
}

/// One place of a schema where a value stands.
#[derive(Debug)]
struct Site {
    node: Node,
    null: Null,
}

/// Part of `EncodePlan::text`.
#[derive(Clone, Copy, Debug)]
struct Piece {
    at: u32,
    len: u32,
}

/// What becomes of a null.
#[derive(Clone, Copy, Debug)]
enum Null {
    /// Nothing is there: a field is left out, a record is null, an element is null all the same.
    Nothing,
    Written,
    Default(Piece),
}

#[derive(Debug)]
enum Node {
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Boolean,
    Text,
    Bytes,
    DecimalBase64 {
        scale: i32,
    },
    DecimalNumeric,
    /// The schema does not say its scale.
    DecimalUnclear(Schema),
    Date,
    Time,
    Timestamp,
    Array(NodeId),
    Object(NodeId),
    /// Entries as objects: keys, values.
    Entries(NodeId, NodeId),
    Struct(Fields),
    /// The first field that is set.
    Union(Fields),
    /// Any JSON value, in a struct of so many fields.
    Variant {
        metadata: usize,
        value: usize,
        fields: usize,
    },
    /// Entries that become members of the object around them, which has these fields; how their values are written.
    Additional(Fields, NodeId),
    /// As at another place.
    Same(NodeId),
    /// No value can stand here.
    Nowhere(Type),
}

/// `len` entries of `EncodePlan::fields` from `first`.
#[derive(Clone, Copy, Debug)]
struct Fields {
    first: u32,
    len: u32,
}

#[derive(Debug)]
struct FieldSite {
    /// `,"name":`; empty for additional properties.
    key: Piece,
    site: NodeId,
}

impl EncodePlan {
    /// Compiles a plan.
    pub(crate) fn compile(
        generated: &Generated,
        config: &JsonSchemaDataConfig,
        indented: bool,
    ) -> Result<Self, Error> {
        let mut compiler = Compiler::new(config);
        let root = match &generated.connect {
            Some(schema) => Some(compiler.site(schema)?),
            None => None,
        };
        let mut plan = compiler.finish();
        plan.root = root;
        plan.indented = indented;
        Ok(plan)
    }

    /// Appends a document.
    #[inline]
    pub(crate) fn run(
        &self,
        data: &SchemaAndValue,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Written, Error> {
        let Some(root) = self.root else {
            return schemaless(data);
        };
        let site = self.sites.get(root);
        let written = if self.indented {
            scratch.compact.clear();
            let written = self.datum(site, data.datum(), &mut scratch.compact)?;
            indent::indent(&scratch.compact, &mut scratch.open, out);
            written
        } else {
            self.datum(site, data.datum(), out)?
        };
        Ok(match written {
            true => Written::Bytes,
            false => Written::Null,
        })
    }

    /// Whether the root is an integer of 8 or 16 bits, which Java's validator takes for no integer.
    pub(crate) fn root_is_short(&self) -> bool {
        let root = self.root.map(|root| &self.sites.get(root).node);
        matches!(root, Some(Node::Int8 | Node::Int16))
    }
}

/// Only a null goes without a schema.
#[cold]
fn schemaless(data: &SchemaAndValue) -> Result<Written, Error> {
    match data.is_null() {
        true => Ok(Written::Null),
        false => Err(Kind::Schemaless {
            class: data.value().java_class(),
        }
        .into()),
    }
}

/// The default of a schema as it is written; nothing when it has none.
pub(super) fn default_text(
    schema: &Schema,
    config: &JsonSchemaDataConfig,
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut compiler = Compiler::new(config);
    compiler.write_default(schema, &mut out)?;
    Ok(out)
}

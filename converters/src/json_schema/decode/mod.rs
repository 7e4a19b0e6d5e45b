//! Decoding documents: a plan made from the schema, and a reader that follows it from the text into a record.
//!
//! The Connect schema says it all, so reading is that of [`JsonConverter`](crate::json::JsonConverter) with rules of its
//! own: [`convert`] defines them, and the fast reader of `json` follows a plan that knows them, or gives up to the definition.

pub(super) mod convert;
#[cfg(any(test, feature = "testing"))]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod variant;

use bytes::Bytes;

use super::JsonSchemaDataConfig;
use super::names;
use super::schema::JsonSchema;
use super::to_connect::to_connect_schema;
use crate::converter::RecordContext;
use crate::data::{Schema, SchemaAndValue, Type};
use crate::differs::Differences;
use crate::error::Error;
use crate::json::decode::{self, Dialect, Ending, Role};
use crate::json_text::tree;

/// How records of one schema are read.
#[derive(Debug)]
pub(crate) struct DecodePlan {
    fast: decode::DecodePlan,
    keeps_others: bool,
    /// What the schema has become unlike the JVM's.
    differences: Differences,
}

/// Memory that is used again by every record.
#[derive(Debug, Default)]
pub(crate) struct Scratch(decode::Scratch);

impl DecodePlan {
    /// `version` is the registry's, for a schema that has none of its own.
    pub(crate) fn compile(
        schema: &JsonSchema,
        config: &JsonSchemaDataConfig,
        version: Option<i32>,
    ) -> Result<Self, Error> {
        let (schema, differences) = to_connect_schema(schema, config, version)?;
        let keeps_others = config.preserve_additional_properties;
        Ok(Self {
            fast: decode::DecodePlan::compile_as(&schema, Dialect::JsonSchema(role)),
            keeps_others,
            differences,
        })
    }

    /// Reads the document that begins at `body_at` and ends with the record.
    #[inline]
    pub(crate) fn run(
        &self,
        record: &Bytes,
        body_at: usize,
        scratch: &mut Scratch,
        ctx: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error> {
        let document = record.get(body_at..).unwrap_or_default();
        if let Some(data) = self.run_fast(document, scratch) {
            if !self.differences.is_empty() {
                self.differences.iter().for_each(|d| ctx.note(d));
            }
            return Ok(data);
        }
        self.define(document, ctx)
    }

    fn run_fast(&self, document: &[u8], scratch: &mut Scratch) -> Option<SchemaAndValue> {
        decode::typed(document, Ending::Document, &self.fast, &mut scratch.0)
    }

    /// The obvious way, which defines the meaning of every document.
    #[cold]
    fn define(
        &self,
        document: &[u8],
        ctx: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error> {
        let tree = tree::parse_number_words(document)?;
        let mut converting = convert::Converting::new(self.keeps_others);
        let result = converting.document(self.fast.schema(), tree.as_ref());
        let differences = converting.differences().iter();
        differences
            .chain(self.differences.iter())
            .for_each(|difference| ctx.note(difference));
        result
    }
}

/// What a struct is besides itself. The JVM knows unions and variants by name, too.
fn role(schema: &Schema) -> Role {
    if names::is_union(schema) {
        Role::Union
    } else if names::is_variant(schema) {
        Role::Variant
    } else if others(schema).is_some() {
        Role::Open
    } else {
        Role::Plain
    }
}

/// The field that keeps properties which the schema does not declare: the last, where reading a schema has put it.
fn others(schema: &Schema) -> Option<usize> {
    if schema.kind() != Type::Struct {
        return None;
    }
    let field = names::additional(schema)?;
    let is_last = field + 1 == schema.fields().len();
    (is_last && schema.fields()[field].schema().is_optional()).then_some(field)
}

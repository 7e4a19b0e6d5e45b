//! Both readers of documents, apart: for tests that hold one to the other.

use bytes::Bytes;

use super::{DecodePlan, Scratch};
use crate::converter::{RecordContext, Role};
use crate::data::{Schema, SchemaAndValue};
use crate::differs::Differences;
use crate::error::Error;
use crate::json_schema::{JsonSchema, JsonSchemaDataConfig};

/// Reads documents of one schema, by plan or by definition.
#[derive(Debug)]
pub struct JsonSchemaDecoder {
    plan: DecodePlan,
    scratch: Scratch,
}

impl JsonSchemaDecoder {
    /// A decoder of a schema text; `references` are other texts by the names that `$ref` uses, `version` is the registry's.
    ///
    /// # Errors
    /// Data fault when the text is no schema, or one that Connect has no place for.
    pub fn new(
        text: &str,
        references: &[(&str, &str)],
        config: &JsonSchemaDataConfig,
        version: Option<i32>,
    ) -> Result<Self, Error> {
        let schema = JsonSchema::parse(text, references, config.ignore_modern_dialects)?;
        Ok(Self {
            plan: DecodePlan::compile(&schema, config, version)?,
            scratch: Scratch::default(),
        })
    }

    /// The Connect schema of the documents.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        self.plan.fast.schema()
    }

    /// By plan: `None` when the definition has to answer.
    pub fn by_plan(&mut self, document: &[u8]) -> Option<SchemaAndValue> {
        self.plan.run_fast(document, &mut self.scratch)
    }

    /// By definition, with the deliberate differences from the JVM that were met.
    ///
    /// # Errors
    /// Data fault when the document is not of the schema.
    pub fn by_definition(&self, document: &[u8]) -> (Result<SchemaAndValue, Error>, Differences) {
        let mut ctx = RecordContext::new("tests", Role::Value);
        let result = self.plan.define(document, &mut ctx);
        (result, ctx.differences())
    }

    /// As the converter reads it.
    ///
    /// # Errors
    /// As [`by_definition`](Self::by_definition).
    pub fn decode(&mut self, document: &Bytes) -> Result<SchemaAndValue, Error> {
        let mut ctx = RecordContext::new("tests", Role::Value);
        self.plan.run(document, 0, &mut self.scratch, &mut ctx)
    }
}

//! The two ways of reading Protobuf, each by itself and without a registry. For tests that hold them against each other.

use bytes::Bytes;

use super::decode::{DecodePlan, Scratch};
use super::{ProtobufDataConfig, ProtobufSchema};
use crate::data::SchemaAndValue;
use crate::error::Error;

/// Reads the first message of a schema.
#[derive(Debug)]
pub struct Reading {
    plan: DecodePlan,
    scratch: Scratch,
}

impl Reading {
    /// `version` is the Connect schema's.
    ///
    /// # Errors
    /// Data fault: the schema has no message, or Connect has no place for it.
    pub fn new(
        schema: &ProtobufSchema,
        config: &ProtobufDataConfig,
        version: Option<i32>,
    ) -> Result<Self, Error> {
        let message = schema.message(None)?;
        Ok(Self {
            plan: DecodePlan::compile(schema, message, config, version)?,
            scratch: Scratch::default(),
        })
    }

    /// Reads as a converter does: the fast way, or by the definition where that gives up.
    ///
    /// # Errors
    /// Data fault with the field's path and the offset in the body.
    pub fn decode(&mut self, body: &Bytes) -> Result<SchemaAndValue, Error> {
        self.plan.run(body, 0, &mut self.scratch)
    }

    /// Reads by the definition.
    ///
    /// # Errors
    /// Data fault with the field's path and the offset in the body.
    pub fn define(&self, body: &[u8]) -> Result<SchemaAndValue, Error> {
        self.plan.define(body, 0)
    }

    /// Reads the fast way; nothing where that gives up.
    pub fn fast(&mut self, body: &[u8]) -> Option<SchemaAndValue> {
        self.plan.fast(body, &mut self.scratch)
    }
}

//! [`JsonConverter`]: JSON with or without the envelope that carries the schema.
//!
//! ```
//! use bytes::Bytes;
//! use ferroconnect_converters::data::{Schema, SchemaBuilder, StructBuilder};
//! use ferroconnect_converters::json::{JsonConverter, JsonConverterConfig};
//! use ferroconnect_converters::{Converter, RecordContext, Role};
//!
//! # fn main() -> Result<(), ferroconnect_converters::Error> {
//! let mut converter = JsonConverter::new(JsonConverterConfig::default())?;
//! let schema = SchemaBuilder::structure().field("id", Schema::int32()).build()?;
//! let order = StructBuilder::new(&schema)?.set("id", 7)?.finish()?;
//!
//! let mut out = Vec::new();
//! let mut ctx = RecordContext::new("orders", Role::Value);
//! converter.from_connect(&mut ctx, &order, &mut out).into_result()?;
//! assert_eq!(
//!     std::str::from_utf8(&out).unwrap_or_default(),
//!     r#"{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false},"payload":{"id":7}}"#,
//! );
//! let back = converter.to_connect(&mut ctx, Some(&Bytes::from(out))).into_result()?;
//! assert_eq!(back, order);
//! # Ok(())
//! # }
//! ```
//!
//! # How it is made
//!
//! Each direction exists twice: an obvious one (`tree`, `convert`, `write`) that defines the meaning, and a fast one
//! (`decode`, `encode`) that runs compiled plans. The fast one answers or gives up; what it gives up, the obvious one
//! answers. So all errors are worded in one place, and speed cannot change a result.
//!
//! # Differences from the JVM
//!
//! Each is named in [`Difference`](crate::differs::Difference): integers out of range, tokens of the wrong kind,
//! half surrogate pairs and bytes beyond Unicode are refused where the JVM corrupts them silently; `NaN`, `Infinity` and
//! the sign of `-0.0` survive reading.

mod base64;
mod config;
pub(crate) mod convert;
pub(crate) mod decode;
mod encode;
mod envelope;
mod schema;
pub(crate) mod write;

use std::ops::Range;

use bytes::Bytes;

pub use config::{DecimalFormat, JsonConverterConfig};

use crate::config::RawConfig;
use crate::converter::{Converter, Outcome, RecordContext, Role, SelfContained};
use crate::data::{Schema, SchemaAndValue};
use crate::error::{Error, json::Kind};
use crate::json_text::tree::{self, Tree};
use crate::plan::SchemaCache;
use crate::wire::recognise;
use convert::Reading;
use decode::{DecodePlan, Ending, Scratch};
use encode::EncodePlan;
use envelope::Envelopes;
use write::Writing;

/// `org.apache.kafka.connect.json.JsonConverter`. See the [module](self).
#[derive(Debug)]
pub struct JsonConverter {
    config: JsonConverterConfig,
    writing: Writing,
    /// The schema of `schema.content`, compiled.
    content: Option<DecodePlan>,
    /// `None`: the definition refuses whatever carries that schema.
    encode_plans: SchemaCache<Option<EncodePlan>>,
    envelopes: Envelopes,
    scratch: Scratch,
    /// Off: only the definition is used. For tests that compare both.
    fast: bool,
}

impl JsonConverter {
    /// A converter of these settings.
    ///
    /// # Errors
    /// Config fault when `schema_content` is not a schema.
    pub fn new(config: JsonConverterConfig) -> Result<Self, Error> {
        let content = match &config.schema_content {
            Some(text) if config.schemas_enable => Some(content_plan(text, &config)?),
            Some(_) | None => None,
        };
        Ok(Self {
            writing: Writing {
                numeric_decimals: config.decimal_format == DecimalFormat::Numeric,
                null_becomes_default: config.replace_null_with_default,
            },
            content,
            encode_plans: SchemaCache::new(config.schemas_cache_size),
            envelopes: Envelopes::new(config.schemas_cache_size),
            scratch: Scratch::default(),
            config,
            fast: true,
        })
    }

    /// A converter of raw settings, as `configure(map, isKey)`.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        Self::new(JsonConverterConfig::parse(raw, role.name())?)
    }

    /// A converter of raw settings for headers, as `configure(map)` with `converter.type=header`.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn configure_for_headers(raw: &RawConfig) -> Result<Self, Error> {
        Self::new(JsonConverterConfig::parse(raw, "header")?)
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &JsonConverterConfig {
        &self.config
    }

    /// The same converter without plans and memory: every record goes the obvious way. Results are the same; tests hold
    /// the fast way to it.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn without_memory(mut self) -> Self {
        self.fast = false;
        self
    }

    fn write(&mut self, data: &SchemaAndValue, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        if self.fast && self.write_fast(data, out).is_ok() {
            return Ok(());
        }
        out.truncate(start);
        if self.config.schemas_enable {
            write_prefix(data.schema(), self.writing, out)?;
            self.writing.value(data.schema(), data.value(), out)?;
            out.push(b'}');
            return Ok(());
        }
        self.writing.value(data.schema(), data.value(), out)
    }

    fn write_fast(
        &mut self,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Result<(), encode::GaveUp> {
        let enveloped = self.config.schemas_enable;
        let Some(schema) = data.schema() else {
            if enveloped {
                out.extend_from_slice(b"{\"schema\":null,\"payload\":");
            }
            encode::untyped(data, out)?;
            if enveloped {
                out.push(b'}');
            }
            return Ok(());
        };
        let writing = self.writing;
        let plan = self.encode_plans.get_or_compile(schema, |schema| {
            let mut prefix = Vec::new();
            // A schema whose defaults cannot be written is refused by the definition, record by record.
            let usable = !enveloped || write_prefix(Some(schema), writing, &mut prefix).is_ok();
            let usable = usable && !schema.is_recursive();
            usable.then(|| EncodePlan::compile(schema, writing, prefix))
        });
        let Some(plan) = &**plan else {
            return Err(encode::GaveUp);
        };
        out.extend_from_slice(&plan.prefix);
        plan.run(data, out)?;
        if enveloped {
            out.push(b'}');
        }
        Ok(())
    }

    fn read(
        &mut self,
        ctx: &mut RecordContext<'_>,
        document: &[u8],
    ) -> Result<SchemaAndValue, Error> {
        if self.fast
            && let Some(data) = self.read_fast(document)
        {
            return Ok(data);
        }
        let mut reading = Reading {
            null_becomes_default: self.config.replace_null_with_default,
            ..Reading::default()
        };
        let result = self.read_tree(document, &mut reading);
        reading
            .differences
            .iter()
            .for_each(|difference| ctx.note(difference));
        result
    }

    fn read_fast(&mut self, document: &[u8]) -> Option<SchemaAndValue> {
        if !self.config.schemas_enable {
            return decode::untyped(document, Ending::Document, &mut self.scratch);
        }
        if let Some(plan) = &self.content {
            return decode::typed(document, Ending::Document, plan, &mut self.scratch);
        }
        let envelope = self.envelopes.recall(document)?;
        let payload = &document[envelope.prefix_len()..];
        match envelope.plan() {
            Some(plan) => decode::typed(payload, Ending::Envelope, plan, &mut self.scratch),
            None => decode::untyped(payload, Ending::Envelope, &mut self.scratch),
        }
    }

    /// The obvious way.
    fn read_tree(
        &mut self,
        document: &[u8],
        reading: &mut Reading,
    ) -> Result<SchemaAndValue, Error> {
        let tree = tree::parse(document)?;
        if !self.config.schemas_enable {
            return match tree {
                Some(tree) => reading.datum(None, &tree),
                None => Ok(SchemaAndValue::NULL),
            };
        }
        if let Some(plan) = &self.content {
            return reading.document(plan.schema(), tree.as_ref());
        }
        let not_an_envelope = || {
            Error::from(Kind::Envelope {
                looks: recognise(document),
            })
        };
        let Some(tree @ Tree::Object(members)) = &tree else {
            return Err(not_an_envelope());
        };
        let (Some(schema), Some(payload), 2) =
            (tree.get("schema"), tree.get("payload"), members.len())
        else {
            return Err(not_an_envelope());
        };
        let mut of_schema = Reading {
            null_becomes_default: reading.null_becomes_default,
            ..Reading::default()
        };
        let schema = schema::from_tree(schema, &mut of_schema).map_err(|e| e.in_field("schema"))?;
        // What was met in the schema is met by every record that carries it, and must not be forgotten with it.
        let plain = of_schema.differences.is_empty();
        of_schema
            .differences
            .iter()
            .for_each(|d| reading.differences.insert(d));
        let plan = schema.map(|schema| {
            self.envelopes
                .plan(&schema, self.config.replace_null_with_default)
        });
        if self.fast && plain {
            self.envelopes.learn(document, plan.as_ref());
        }
        let schema = plan.as_ref().map(|plan| plan.schema());
        reading
            .datum(schema, payload)
            .map_err(|e| e.in_field("payload"))
    }
}

/// `{"schema":…,"payload":`
fn write_prefix(schema: Option<&Schema>, writing: Writing, out: &mut Vec<u8>) -> Result<(), Error> {
    out.extend_from_slice(b"{\"schema\":");
    schema::write(schema, None, writing, out)?;
    out.extend_from_slice(b",\"payload\":");
    Ok(())
}

fn content_plan(text: &str, config: &JsonConverterConfig) -> Result<DecodePlan, Error> {
    let of_config = |error: Error| error.causing(Kind::SchemaContent);
    let tree = tree::parse(text.as_bytes()).map_err(of_config)?;
    let mut reading = Reading {
        null_becomes_default: config.replace_null_with_default,
        ..Reading::default()
    };
    let schema = match &tree {
        Some(tree) => schema::from_tree(tree, &mut reading).map_err(of_config)?,
        None => None,
    };
    let schema = schema
        .ok_or(Kind::TypeMissing)
        .map_err(|kind| of_config(kind.into()))?;
    Ok(DecodePlan::compile(
        &schema,
        config.replace_null_with_default,
    ))
}

impl Converter for JsonConverter {
    fn from_connect(
        &mut self,
        _ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        if data.schema().is_none() && data.is_null() {
            return Outcome::Ready(None);
        }
        let start = out.len();
        match self.write(data, out) {
            Ok(()) => Outcome::Ready(Some(start..out.len())),
            Err(error) => {
                out.truncate(start);
                Outcome::Failed(error)
            }
        }
    }

    fn to_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        match bytes {
            Some(bytes) => self.read(ctx, bytes).into(),
            None => Outcome::Ready(SchemaAndValue::NULL),
        }
    }
}

impl SelfContained for JsonConverter {}

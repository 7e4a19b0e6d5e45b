//! [`AvroConverter`]: the converter itself, between plans and the registry.

use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use ferroconnect_registry_client::{Lookup, Resolved};

use super::AvroConverterConfig;
use super::decode::{self, DecodeOptions};
use super::encode::{self, EncodePlan, Written};
use super::language::AvroLanguage;
use crate::config::RawConfig;
use crate::converter::{Converter, Outcome, RecordContext, Role};
use crate::data::SchemaAndValue;
use crate::error::{Error, avro_write};
use crate::registered::{Frames, Schemas, Target};
use crate::wire::Layout;

/// `io.confluent.connect.avro.AvroConverter`. See the [module](super).
#[derive(Debug)]
pub struct AvroConverter {
    schemas: Schemas<AvroLanguage>,
    frames: Frames,
    options: DecodeOptions,
    writing: encode::Scratch,
    reading: decode::Scratch,
}

impl AvroConverter {
    /// A converter of these settings, for keys or for values.
    #[must_use]
    pub fn new(config: AvroConverterConfig, role: Role) -> Self {
        let AvroConverterConfig {
            registered,
            data,
            fail_on_trailing,
            use_logical_type_converters,
        } = config;
        let options = DecodeOptions {
            fail_on_trailing,
            reserve_logical_types: use_logical_type_converters,
        };
        let frames = Frames::new(
            role,
            registered.id_reader.clone(),
            registered.id_writer,
            Layout::Plain,
        );
        let language = AvroLanguage {
            config: data,
            options,
        };
        Self {
            schemas: Schemas::new(language, role, registered, data.schemas_cache_size),
            frames,
            options,
            writing: encode::Scratch::default(),
            reading: decode::Scratch::default(),
        }
    }

    /// A converter of raw settings, as `configure(map, isKey)`.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn configure(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        Ok(Self::new(AvroConverterConfig::parse(raw, role)?, role))
    }

    /// The first record of its schema and topic, at least since another one; or one that does not name its schema in front.
    fn read_first(&mut self, ctx: &RecordContext<'_>, bytes: &Bytes) -> Outcome<SchemaAndValue> {
        let frame = match self.frames.read(ctx.headers.as_deref(), bytes) {
            Ok(frame) => frame,
            Err(error) => return Outcome::Failed(read_failure(ctx, error)),
        };
        match self.schemas.by_identity(ctx.topic, &frame, bytes) {
            Outcome::Ready(plan) => plan
                .run(bytes, frame.body_at, self.options, &mut self.reading)
                .map_err(|error| read_failure(ctx, error))
                .into(),
            Outcome::Missing(id) => Outcome::Missing(id),
            Outcome::Failed(error) => Outcome::Failed(error),
        }
    }

    /// The first record of its schema and topic, at least since another one. What the data's own schema forbids is said before the registry
    /// is asked, so that nothing is registered for them.
    #[cold]
    fn write_first(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        if let Some(target) = self.schemas.recall(ctx.topic, data.schema()) {
            return write(&target, &self.frames, &mut self.writing, ctx, data, out).into();
        }
        let prepared = match self.schemas.prepared(data.schema()) {
            Ok(prepared) => prepared,
            Err(error) => return Outcome::Failed(error),
        };
        let start = out.len();
        let tried = prepared.own.run(data, &mut self.writing, out);
        out.truncate(start);
        match tried {
            Ok(Written::Null) => return Outcome::Ready(None),
            Err(error) if error.avro_write().is_none_or(avro_write::Kind::comes_first) => {
                return Outcome::Failed(error);
            }
            Ok(Written::Bytes) | Err(_) => {}
        }
        match self
            .schemas
            .target(ctx.topic, data.schema(), &prepared, &self.frames)
        {
            Outcome::Ready(target) => {
                write(&target, &self.frames, &mut self.writing, ctx, data, out).into()
            }
            Outcome::Missing(id) => Outcome::Missing(id),
            Outcome::Failed(error) => Outcome::Failed(error),
        }
    }
}

#[cold]
fn read_failure(ctx: &RecordContext<'_>, error: Error) -> Error {
    Schemas::<AvroLanguage>::read_failure(ctx.topic, error)
}

/// Writes a record whose target is known; on failure `out` is as it was.
#[inline]
fn write(
    target: &Target<AvroLanguage>,
    frames: &Frames,
    scratch: &mut encode::Scratch,
    ctx: &mut RecordContext<'_>,
    data: &SchemaAndValue,
    out: &mut Vec<u8>,
) -> Result<Option<Range<usize>>, Error> {
    let start = out.len();
    let plan: &EncodePlan = target.writer();
    out.extend_from_slice(target.placed().prefix());
    let failed = match plan.run(data, scratch, out) {
        Ok(Written::Bytes) => match frames.add_header(target.placed(), ctx) {
            Ok(()) => return Ok(Some(start..out.len())),
            Err(error) => Schemas::<AvroLanguage>::write_failure(ctx.topic, error),
        },
        Ok(Written::Null) => {
            out.truncate(start);
            return Ok(None);
        }
        Err(error) if error.avro_write().is_some_and(|kind| !kind.comes_first()) => {
            Schemas::<AvroLanguage>::write_failure(ctx.topic, error)
        }
        Err(error) => error,
    };
    out.truncate(start);
    Err(failed)
}

impl Converter for AvroConverter {
    fn from_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        if let Some(target) = self.schemas.repeated(ctx.topic, data.schema()) {
            return write(target, &self.frames, &mut self.writing, ctx, data, out).into();
        }
        self.write_first(ctx, data, out)
    }

    fn to_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        let Some(bytes) = bytes else {
            return Outcome::Ready(SchemaAndValue::NULL);
        };
        if self.frames.are_in_front(ctx.headers.as_deref())
            && let Some((plan, body_at)) = self.schemas.repeated_reader(ctx.topic, bytes)
        {
            let read = plan.run(bytes, body_at, self.options, &mut self.reading);
            return read.map_err(|error| read_failure(ctx, error)).into();
        }
        self.read_first(ctx, bytes)
    }

    fn unresolved(&mut self) -> Vec<Lookup> {
        self.schemas.unresolved()
    }

    fn install(&mut self, answer: Resolved) {
        self.schemas.install(answer);
    }

    fn tick(&mut self, now: Duration) {
        self.schemas.tick(now);
    }
}

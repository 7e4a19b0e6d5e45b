//! [`RegisteredConverter`]: what all converters with a registry do with a record, between plans and questions.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use ferroconnect_registry_client::{Lookup, Resolved};

use super::{Format, Frames, RegisteredConfig, Schemas, Target};
use crate::converter::{Converter, Outcome, RecordContext, Role};
use crate::data::SchemaAndValue;
use crate::error::Error;
use crate::wire::Layout;

/// A schema language with its way to read and to write the bodies of records. These run per record.
pub(crate) trait Codec: Format {
    /// Memory that reading uses again.
    type Reading: Default + fmt::Debug + Send;
    /// Memory that writing uses again.
    type Writing: Default + fmt::Debug + Send;

    /// Whether message indexes follow the identity of a schema.
    const LAYOUT: Layout;

    /// Reads the body that begins at `body_at`.
    fn read(
        &self,
        plan: &Self::Reader,
        record: &Bytes,
        body_at: usize,
        scratch: &mut Self::Reading,
        ctx: &mut RecordContext<'_>,
    ) -> Result<SchemaAndValue, Error>;

    /// Appends a body to `out`. On failure and for a null, what was appended is dropped by the caller.
    fn write(
        &self,
        plan: &Self::Writer,
        data: &SchemaAndValue,
        scratch: &mut Self::Writing,
        out: &mut Vec<u8>,
        ctx: &mut RecordContext<'_>,
    ) -> Result<Written, Error>;

    /// Whether the JVM meets this failure of [`Codec::write`] while it converts: before it asks the registry, and without the
    /// serializer's words around it.
    fn comes_first(error: &Error) -> bool;
}

/// What came of a datum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    /// Its bytes.
    Bytes,
    /// A null record value.
    Null,
}

/// A converter of one schema language.
#[derive(Debug)]
pub(crate) struct RegisteredConverter<F: Codec> {
    schemas: Schemas<F>,
    frames: Frames,
    writing: F::Writing,
    reading: F::Reading,
}

impl<F: Codec> RegisteredConverter<F> {
    /// `plans` is how many plans are remembered in each direction.
    pub(crate) fn new(format: F, role: Role, config: RegisteredConfig, plans: usize) -> Self {
        let frames = Frames::new(role, config.id_reader.clone(), config.id_writer, F::LAYOUT);
        Self {
            schemas: Schemas::new(format, role, config, plans),
            frames,
            writing: F::Writing::default(),
            reading: F::Reading::default(),
        }
    }

    /// The first record of its schema and topic, at least since another one; or one that does not name its schema in front.
    fn read_first(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: &Bytes,
    ) -> Outcome<SchemaAndValue> {
        let frame = match self.frames.read(ctx.headers.as_deref(), bytes) {
            Ok(frame) => frame,
            Err(error) => return Outcome::Failed(Schemas::<F>::read_failure(ctx.topic, error)),
        };
        let body_at = frame.body_at;
        match self.schemas.by_identity(ctx.topic, &frame, bytes) {
            Outcome::Ready(()) => {}
            Outcome::Missing(id) => return Outcome::Missing(id),
            Outcome::Failed(error) => return Outcome::Failed(error),
        }
        let (format, plan) = self.schemas.last_reader();
        format
            .read(plan, bytes, body_at, &mut self.reading, ctx)
            .map_err(|error| Schemas::<F>::read_failure(ctx.topic, error))
            .into()
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
            let way = (self.schemas.format(), &*target, &self.frames);
            return write(way, &mut self.writing, ctx, data, out).into();
        }
        let prepared = match self.schemas.prepared(data.schema()) {
            Ok(prepared) => prepared,
            Err(error) => return Outcome::Failed(error),
        };
        let start = out.len();
        let format = self.schemas.format();
        let tried = format.write(&prepared.own, data, &mut self.writing, out, ctx);
        out.truncate(start);
        match tried {
            Ok(Written::Null) => return Outcome::Ready(None),
            Err(error) if F::comes_first(&error) => return Outcome::Failed(error),
            Ok(Written::Bytes) | Err(_) => {}
        }
        match self
            .schemas
            .target(ctx.topic, data.schema(), &prepared, &self.frames)
        {
            Outcome::Ready(target) => {
                let way = (self.schemas.format(), &*target, &self.frames);
                write(way, &mut self.writing, ctx, data, out).into()
            }
            Outcome::Missing(id) => Outcome::Missing(id),
            Outcome::Failed(error) => Outcome::Failed(error),
        }
    }
}

/// Writes a record whose target is known; on failure `out` is as it was.
#[inline]
fn write<F: Codec>(
    (format, target, frames): (&F, &Target<F>, &Frames),
    scratch: &mut F::Writing,
    ctx: &mut RecordContext<'_>,
    data: &SchemaAndValue,
    out: &mut Vec<u8>,
) -> Result<Option<Range<usize>>, Error> {
    let start = out.len();
    out.extend_from_slice(target.placed().prefix());
    let failed = match format.write(target.writer(), data, scratch, out, ctx) {
        Ok(Written::Bytes) => match frames.add_header(target.placed(), ctx) {
            Ok(()) => return Ok(Some(start..out.len())),
            Err(error) => Schemas::<F>::write_failure(ctx.topic, error),
        },
        Ok(Written::Null) => {
            out.truncate(start);
            return Ok(None);
        }
        Err(error) if F::comes_first(&error) => error,
        Err(error) => Schemas::<F>::write_failure(ctx.topic, error),
    };
    out.truncate(start);
    Err(failed)
}

impl<F> Converter for RegisteredConverter<F>
where
    F: Codec + Send,
    F::Reader: Send + Sync,
    F::Writer: Send + Sync,
    F::Generated: Send + Sync,
{
    #[inline]
    fn from_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        if let Some(target) = self.schemas.repeated(ctx.topic, data.schema()) {
            let way = (self.schemas.format(), target, &self.frames);
            return write(way, &mut self.writing, ctx, data, out).into();
        }
        self.write_first(ctx, data, out)
    }

    #[inline]
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
            let format = self.schemas.format();
            let read = format.read(plan, bytes, body_at, &mut self.reading, ctx);
            return read
                .map_err(|error| Schemas::<F>::read_failure(ctx.topic, error))
                .into();
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

/// The public face of a converter: a type of its own around [`RegisteredConverter`].
macro_rules! converter {
    ($name:ident) => {
        impl $crate::converter::Converter for $name {
            fn from_connect(
                &mut self,
                ctx: &mut $crate::converter::RecordContext<'_>,
                data: &$crate::data::SchemaAndValue,
                out: &mut Vec<u8>,
            ) -> $crate::converter::Outcome<Option<std::ops::Range<usize>>> {
                self.0.from_connect(ctx, data, out)
            }

            fn to_connect(
                &mut self,
                ctx: &mut $crate::converter::RecordContext<'_>,
                bytes: Option<&bytes::Bytes>,
            ) -> $crate::converter::Outcome<$crate::data::SchemaAndValue> {
                self.0.to_connect(ctx, bytes)
            }

            fn unresolved(&mut self) -> Vec<ferroconnect_registry_client::Lookup> {
                self.0.unresolved()
            }

            fn install(&mut self, answer: ferroconnect_registry_client::Resolved) {
                self.0.install(answer);
            }

            fn tick(&mut self, now: std::time::Duration) {
                self.0.tick(now);
            }
        }
    };
}
pub(crate) use converter;

//! Where the identity of a schema stands in a record: in front, in a header, or in the configuration.

use crate::converter::{RawHeaders, RecordContext, Role};
use crate::error::Error;
use crate::error::registered::Kind;
use crate::wire::{
    Frame, FrameFault, IdReader, IdWriter, Identity, KEY_HEADER, Layout, MessageIndexes,
    VALUE_HEADER, last_header, needs_header, recognise, write_header, write_prefix,
};
use bytes::Bytes;
use ferroconnect_registry_client::{SchemaGuid, SchemaId};

/// Reads frames and makes them, as the settings say.
#[derive(Debug)]
pub(crate) struct Frames {
    header: &'static str,
    reader: Option<IdReader>,
    writer: IdWriter,
    layout: Layout,
}

/// The bytes that name one schema: in front of every body, or in a header of every record.
#[derive(Debug)]
pub(crate) struct Placed {
    prefix: Box<[u8]>,
    header: Option<Bytes>,
}

impl Frames {
    /// `reader` is `None` when the configuration was to name the schema and names none.
    pub(crate) const fn new(
        role: Role,
        reader: Option<IdReader>,
        writer: IdWriter,
        layout: Layout,
    ) -> Self {
        let header = match role {
            Role::Key => KEY_HEADER,
            Role::Value => VALUE_HEADER,
        };
        Self {
            header,
            reader,
            writer,
            layout,
        }
    }

    /// Whether a record with these headers names its schema in front of its body.
    #[inline]
    pub(crate) fn are_in_front(&self, headers: Option<&RawHeaders>) -> bool {
        match &self.reader {
            Some(IdReader::Prefix) => true,
            Some(IdReader::Dual) => headers.is_none_or(|headers| self.newest(headers).is_none()),
            Some(IdReader::Config { .. }) | None => false,
        }
    }

    /// Takes a record apart.
    ///
    /// # Errors
    /// Data fault: no frame. Config fault: the configuration names no schema.
    #[inline]
    pub(crate) fn read<'a>(
        &'a self,
        headers: Option<&'a RawHeaders>,
        record: &'a [u8],
    ) -> Result<Frame<'a>, Error> {
        let Some(reader) = &self.reader else {
            return Err(Kind::NoConfiguredId.into());
        };
        let header = headers.and_then(|headers| self.newest(headers));
        reader.read(header, record, self.layout).map_err(|error| {
            let looks = match error.fault {
                FrameFault::UnknownMagic { .. } | FrameFault::Short { .. } => {
                    Some(recognise(record))
                }
                FrameFault::NegativeId { .. }
                | FrameFault::IndexTooLong
                | FrameFault::NegativeIndexCount { .. }
                | FrameFault::TooManyIndexes { .. }
                | FrameFault::NegativeIndex { .. }
                | FrameFault::NoSuchMessage { .. } => None,
            };
            Kind::NotFramed { error, looks }.into()
        })
    }

    /// The bytes that name a schema; worked out once per schema.
    ///
    /// # Errors
    /// Data fault: the form needs a number or a GUID, and the registry gave none.
    pub(super) fn place(
        &self,
        id: Option<SchemaId>,
        guid: Option<SchemaGuid>,
        indexes: Option<&MessageIndexes>,
    ) -> Result<Placed, Error> {
        match self.writer {
            IdWriter::Prefix => {
                let id = id.ok_or(Kind::NoId { what: "ID" })?;
                let mut prefix = Vec::new();
                write_prefix(&mut prefix, Identity::Id(id), indexes);
                Ok(Placed {
                    prefix: prefix.into(),
                    header: None,
                })
            }
            IdWriter::Header => {
                let guid = guid.ok_or(Kind::NoId { what: "GUID" })?;
                let header = Some(write_header(guid, indexes).into());
                Ok(Placed {
                    prefix: Box::default(),
                    header,
                })
            }
        }
    }

    /// Adds the header of a record that was written, where there is one to add.
    ///
    /// # Errors
    /// Data fault: there must be one, and the caller has no headers.
    #[inline]
    pub(crate) fn add_header(
        &self,
        placed: &Placed,
        ctx: &mut RecordContext<'_>,
    ) -> Result<(), Error> {
        let Some(value) = &placed.header else {
            return Ok(());
        };
        let Some(headers) = ctx.headers.as_deref_mut() else {
            return Err(Kind::NoHeaders.into());
        };
        if needs_header(self.newest(headers), value) {
            headers.push(self.header, Some(value.clone()));
        }
        Ok(())
    }

    fn newest<'h>(&self, headers: &'h RawHeaders) -> Option<&'h [u8]> {
        let headers = headers
            .iter()
            .map(|(name, value)| (name, value.map(|v| &v[..])));
        last_header(headers, self.header)
    }
}

impl Placed {
    /// What stands in front of every body.
    #[inline]
    pub(crate) const fn prefix(&self) -> &[u8] {
        &self.prefix
    }
}

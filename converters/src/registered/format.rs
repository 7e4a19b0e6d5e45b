use std::fmt;

use ferroconnect_registry_client::format::SchemaSource;
use ferroconnect_registry_client::{SchemaText, SchemaType, Subject};

use crate::data::Schema;
use crate::error::Error;
use crate::error::registered::Words;
use crate::wire::{Indexes, MessageIndexes};

/// A schema language as the machinery needs it: parsing, and compiling plans. All of it is pure, and none of it runs per
/// record.
pub(crate) trait Format: fmt::Debug {
    /// A schema text that was read, with everything it refers to.
    type Parsed: fmt::Debug;
    /// How records written with a schema are read.
    type Reader: fmt::Debug;
    /// What a Connect schema becomes, before a registry has seen it.
    type Generated: fmt::Debug;
    /// How data of a Connect schema are written.
    type Writer: fmt::Debug;

    /// Which language this is.
    const KIND: SchemaType;
    /// Its words in error texts.
    const WORDS: &'static Words;

    /// Reads a schema text.
    fn parse(&self, source: &SchemaSource<'_>) -> Result<Self::Parsed, Error>;

    /// The full name that the record name strategies take; `None` when the schema is no record.
    fn record_name(&self, parsed: &Self::Parsed, indexes: Option<Indexes<'_>>) -> Option<String>;

    /// Compiles the way from bytes. `version` is the registry's, for a Connect schema that has none of its own.
    fn reader(
        &self,
        parsed: &Self::Parsed,
        indexes: Option<Indexes<'_>>,
        version: Option<i32>,
    ) -> Result<Self::Reader, Error>;

    /// Turns a Connect schema into one of the language.
    fn generate(&self, schema: Option<&Schema>) -> Result<Self::Generated, Error>;

    /// A generated schema as it is posted.
    fn text<'g>(&self, generated: &'g Self::Generated) -> &'g SchemaText;

    /// The schemas that a generated one refers to, and that are to be there before it.
    fn imported<'g>(&self, _: &'g Self::Generated) -> &'g [Imported] {
        &[]
    }

    /// As [`Format::record_name`], of a generated schema.
    fn generated_name(&self, generated: &Self::Generated) -> Option<String>;

    /// Why data of the generated schema cannot be read with the registry's; the first reason.
    fn incompatibility(
        &self,
        registered: &SchemaSource<'_>,
        generated: &Self::Generated,
    ) -> Result<Option<String>, Error>;

    /// Compiles the way to bytes: with the registry's schema where it differs from the generated one.
    fn writer(
        &self,
        generated: &Self::Generated,
        registered: Option<&Self::Parsed>,
    ) -> Result<Self::Writer, Error>;

    /// Which message of the file is written; `None` where frames have no indexes.
    fn indexes<'w>(&self, writer: &'w Self::Writer) -> Option<&'w MessageIndexes>;
}

/// A schema that a generated one refers to.
#[derive(Clone, Debug)]
pub(crate) struct Imported {
    /// Its name in the text that refers to it.
    pub(crate) name: Box<str>,
    /// Where it is registered.
    pub(crate) subject: Subject,
    /// As it is posted.
    pub(crate) schema: SchemaText,
    /// Whether it must be there, and is not registered.
    pub(crate) lookup_only: bool,
}

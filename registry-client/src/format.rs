//! [`SchemaFormat`]: what a registry must know of a schema language.
//!
//! The registry itself knows no schema language. `ferroconnect-converters` brings one of these per format.

use std::fmt;

use crate::{Reference, SchemaType};

/// One schema language, as a registry needs it. All of it is pure.
pub trait SchemaFormat: Send + Sync + fmt::Debug {
    /// Which language this is.
    fn kind(&self) -> SchemaType;

    /// The text as the registry keeps it: parsed and printed, and with `normalize` in normal form. Some rules hold for
    /// [new](SchemaSource::is_new) texts only.
    ///
    /// # Errors
    /// The text is no schema.
    fn canonical(
        &self,
        source: &SchemaSource<'_>,
        normalize: bool,
    ) -> Result<String, InvalidSchema>;

    /// Why data written with `writer` cannot be read with `reader`; nothing if it can. The messages call the
    /// [new](SchemaSource::is_new) one of the two the new schema, and the other one the old schema.
    ///
    /// # Errors
    /// One of the texts is no schema.
    fn incompatibilities(
        &self,
        reader: &SchemaSource<'_>,
        writer: &SchemaSource<'_>,
        policy: CompatibilityPolicy,
    ) -> Result<Vec<Incompatibility>, InvalidSchema>;

    /// The schema in the language's binary form, which a registry answers in base64 for `format=serialized`; nothing if the
    /// language has none, and then the text is answered.
    ///
    /// # Errors
    /// The text is no schema.
    fn serialized(&self, source: &SchemaSource<'_>) -> Result<Option<Vec<u8>>, InvalidSchema> {
        let _ = source;
        Ok(None)
    }
}

/// A schema text with everything it refers to.
#[derive(Clone, Copy, Debug)]
pub struct SchemaSource<'a> {
    /// The text.
    pub text: &'a str,
    /// What it imports, directly or not, in an order in which each comes after what it needs itself.
    pub references: &'a [ReferencedSchema],
    /// Whether it is about to be registered, rather than registered or looked up.
    pub is_new: bool,
}

/// A reference and the text behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferencedSchema {
    /// How it is named, and where it lies.
    pub reference: Reference,
    /// Its text, as the registry keeps it.
    pub text: String,
}

/// How strictly JSON Schemas are compared (`compatibilityPolicy`); without meaning for the other languages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CompatibilityPolicy {
    /// As the specification has it.
    #[default]
    Strict,
    /// Some additions to open content models are let through.
    Lenient,
}

/// A text that is no schema, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSchema {
    /// What is wrong, for people.
    pub reason: String,
}

/// One difference that makes two schemas incompatible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incompatibility {
    /// The registry's word for it: `READER_FIELD_MISSING_DEFAULT_VALUE`.
    pub kind: &'static str,
    /// The object-like text that a verbose compatibility check answers:
    /// `{errorType:'…', description:'…', additionalInfo:'…'}`.
    pub message: String,
}

impl fmt::Display for InvalidSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl std::error::Error for InvalidSchema {}

//! Which schema languages a registry understands.

use std::cell::Cell;
use std::sync::Arc;

use super::Difference;
use crate::SchemaType;
use crate::format::SchemaFormat;

/// What a registry does with the texts of one language.
#[derive(Clone, Debug, Default)]
pub enum Language {
    /// Parses, prints and compares them.
    Built(Arc<dyn SchemaFormat>),
    /// Parses and prints them, and takes any two for compatible: for tests of a language whose comparison is not built.
    Uncompared(Arc<dyn SchemaFormat>),
    /// Keeps them as they are, and takes any two for compatible: for tests.
    Verbatim,
    /// Refuses them (42201).
    #[default]
    Absent,
}

/// The languages of a registry.
///
/// ```
/// use ferroconnect_registry_client::server::{Language, Languages};
/// use ferroconnect_registry_client::SchemaType;
/// let languages = Languages::default().with(SchemaType::Avro, Language::Verbatim);
/// assert!(matches!(languages.of(SchemaType::Avro), Language::Verbatim));
/// assert!(matches!(languages.of(SchemaType::Json), Language::Absent));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Languages {
    avro: Language,
    json: Language,
    protobuf: Language,
}

impl Languages {
    /// Those of the formats; the others are refused.
    pub fn built(formats: &[Arc<dyn SchemaFormat>]) -> Self {
        formats.iter().fold(Self::default(), |languages, format| {
            languages.with(format.kind(), Language::Built(Arc::clone(format)))
        })
    }

    /// Every text of every language, kept as it is.
    pub fn verbatim() -> Self {
        Self {
            avro: Language::Verbatim,
            json: Language::Verbatim,
            protobuf: Language::Verbatim,
        }
    }

    /// The same, but for one language.
    #[must_use]
    pub fn with(mut self, kind: SchemaType, language: Language) -> Self {
        *match kind {
            SchemaType::Avro => &mut self.avro,
            SchemaType::Json => &mut self.json,
            SchemaType::Protobuf => &mut self.protobuf,
        } = language;
        self
    }

    /// What is done with a language.
    pub const fn of(&self, kind: SchemaType) -> &Language {
        match kind {
            SchemaType::Avro => &self.avro,
            SchemaType::Json => &self.json,
            SchemaType::Protobuf => &self.protobuf,
        }
    }
}

impl Language {
    /// Who reads and prints the texts, if anybody does.
    pub(crate) fn format(&self) -> Option<&dyn SchemaFormat> {
        match self {
            Self::Built(format) | Self::Uncompared(format) => Some(&**format),
            Self::Verbatim | Self::Absent => None,
        }
    }
}

/// The deliberate difference that an answer may show, noted while it is made. The last one counts.
#[derive(Debug, Default)]
pub(crate) struct Notes(Cell<Option<Difference>>);

impl Notes {
    pub(crate) fn note(&self, difference: Difference) {
        self.0.set(Some(difference));
    }

    /// A text of a language that nobody parsed stands in the answer.
    pub(crate) fn text(&self, kind: SchemaType, languages: &Languages) {
        match (kind, languages.of(kind)) {
            (_, Language::Built(_) | Language::Uncompared(_)) | (SchemaType::Avro, _) => {}
            (SchemaType::Json, _) => self.note(Difference::NotBuiltJson),
            (SchemaType::Protobuf, _) => self.note(Difference::NotBuiltProtobuf),
        }
    }

    /// A new text was let in as far as its language is built.
    pub(crate) fn new_text(&self, kind: SchemaType) {
        match kind {
            SchemaType::Avro | SchemaType::Protobuf => {}
            SchemaType::Json => self.note(Difference::NotBuiltJson),
        }
    }

    /// Two texts were not compared.
    pub(crate) fn comparison(&self, kind: SchemaType) {
        match kind {
            SchemaType::Avro => {}
            SchemaType::Json => self.note(Difference::NotBuiltJsonCompatibility),
            SchemaType::Protobuf => self.note(Difference::NotBuiltProtobufCompatibility),
        }
    }

    pub(crate) fn get(&self) -> Option<Difference> {
        self.0.get()
    }
}

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
            Self::Built(format) => Some(&**format),
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

    pub(crate) fn get(&self) -> Option<Difference> {
        self.0.get()
    }
}

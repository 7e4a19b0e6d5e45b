use super::{RawConfig, Setting, Validator};

/// One entry of a [`ConfigDef`](super::ConfigDef): what a key is called, what it may hold and what happens when it is missing.
#[derive(Clone, Debug)]
pub struct Key {
    pub(super) name: Box<str>,
    pub(super) kind: Kind,
    pub(super) presence: Presence,
    pub(super) importance: Importance,
    pub(super) doc: Box<str>,
    pub(super) validators: Vec<Validator>,
    pub(super) group: Option<Box<str>>,
    pub(super) order: i32,
    pub(super) width: Width,
    pub(super) display_name: Option<Box<str>>,
    pub(super) recommender: Option<Recommender>,
    pub(super) recommender_class: Option<Box<str>>,
    pub(super) dependents: Vec<Box<str>>,
    pub(super) internal: bool,
}

impl Key {
    /// A required key. Add [`default`](Self::default) or [`optional`](Self::optional) to make it optional.
    pub fn new(name: &str, kind: Kind, importance: Importance, doc: &str) -> Self {
        Self {
            name: name.into(),
            kind,
            presence: Presence::Required,
            importance,
            doc: doc.into(),
            validators: Vec::new(),
            group: None,
            order: -1,
            width: Width::None,
            display_name: None,
            recommender: None,
            recommender_class: None,
            dependents: Vec::new(),
            internal: false,
        }
    }

    /// The text that stands in when the key is not set; it is parsed like a value from a file.
    #[must_use]
    pub fn default(mut self, text: &str) -> Self {
        self.presence = Presence::Default(text.into());
        self
    }

    /// Makes the key null when it is not set.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.presence = Presence::Null;
        self
    }

    /// Adds a check of the parsed value; all checks of a key run until the first one fails.
    #[must_use]
    pub fn check(mut self, validator: Validator) -> Self {
        self.validators.push(validator);
        self
    }

    /// Places the key in a group of the documentation and of the REST answer.
    #[must_use]
    pub fn group(mut self, group: &str, order: i32, width: Width) -> Self {
        self.group = Some(group.into());
        self.order = order;
        self.width = width;
        self
    }

    /// Width of the input field of a key that is in no group.
    #[must_use]
    pub fn width_of_field(mut self, width: Width) -> Self {
        self.width = width;
        self
    }

    /// The name a user interface shows; the key's own name when not given.
    #[must_use]
    pub fn shown_as(mut self, display_name: &str) -> Self {
        self.display_name = Some(display_name.into());
        self
    }

    /// Values a user interface may offer for this key.
    #[must_use]
    pub fn recommend(mut self, recommender: Recommender) -> Self {
        self.recommender = Some(recommender);
        self
    }

    /// Names the Java class that recommends values for this key, as Kafka's documentation of a key does.
    #[must_use]
    pub fn recommender_class(mut self, class: &str) -> Self {
        self.recommender_class = Some(class.into());
        self
    }

    /// Adds a key whose meaning depends on this one.
    #[must_use]
    pub fn dependent(mut self, key: &str) -> Self {
        self.dependents.push(key.into());
        self
    }

    /// Leaves the key out of the documentation: it is for the framework's own use.
    #[must_use]
    pub fn internal(mut self) -> Self {
        self.internal = true;
        self
    }

    /// The key's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of value it holds.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether a configuration without this key is wrong.
    pub fn is_required(&self) -> bool {
        matches!(self.presence, Presence::Required)
    }

    /// The default as text, when there is one that is not null.
    pub fn default_text(&self) -> Option<&str> {
        match &self.presence {
            Presence::Default(text) => Some(text),
            Presence::Required | Presence::Null => None,
        }
    }

    /// How much a reader should care.
    pub fn importance(&self) -> Importance {
        self.importance
    }

    /// The default as a value; null when there is none. A default that does not fit its own kind reads as null too.
    pub fn default_value(&self) -> Setting {
        self.default_text()
            .and_then(|text| Setting::parse(self.kind, text).ok())
            .unwrap_or(Setting::Null)
    }

    /// The Java class that recommends values, if any.
    pub fn recommended_by(&self) -> Option<&str> {
        self.recommender_class.as_deref()
    }

    /// The keys whose meaning depends on this one.
    pub fn dependents(&self) -> impl Iterator<Item = &str> {
        self.dependents.iter().map(|key| &**key)
    }

    /// Whether the key is left out of the documentation.
    pub fn is_internal(&self) -> bool {
        self.internal
    }

    /// What the key does.
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// The documentation group, if any.
    pub fn group_name(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// Position inside the group; -1 when the key has none.
    pub fn order(&self) -> i32 {
        self.order
    }

    /// Width of the input field in a user interface.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The name shown to people.
    pub fn display_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.name)
    }

    /// The checks, as Kafka prints them, joined by commas; `None` without checks.
    pub fn validator_text(&self) -> Option<String> {
        if self.validators.is_empty() {
            return None;
        }
        Some(
            self.validators
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(","),
        )
    }

    /// Values to offer for this key in the light of `raw`; empty when nothing is recommended.
    pub fn recommended(&self, raw: &RawConfig) -> Vec<String> {
        self.recommender
            .map_or_else(Vec::new, |recommender| recommender(raw))
    }
}

/// Gives the values a user interface may offer, in the light of the other keys.
pub type Recommender = fn(&RawConfig) -> Vec<String>;

/// What happens when a key is not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Null,
    Default(Box<str>),
}

/// The kinds of values, closed by Kafka's `ConfigDef.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Kafka's own")]
pub enum Kind {
    Boolean,
    String,
    Short,
    Int,
    Long,
    Double,
    List,
    Class,
    Password,
}

impl Kind {
    /// Kafka's name of the kind, as in documentation and REST answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::String => "STRING",
            Self::Short => "SHORT",
            Self::Int => "INT",
            Self::Long => "LONG",
            Self::Double => "DOUBLE",
            Self::List => "LIST",
            Self::Class => "CLASS",
            Self::Password => "PASSWORD",
        }
    }
}

/// How much a reader of the documentation should care about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are Kafka's own")]
pub enum Importance {
    High,
    Medium,
    Low,
}

impl Importance {
    /// Kafka's name of the importance.
    pub fn name(self) -> &'static str {
        match self {
            Self::High => "HIGH",
            Self::Medium => "MEDIUM",
            Self::Low => "LOW",
        }
    }
}

/// Width of the input field in a user interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Kafka's own")]
pub enum Width {
    None,
    Short,
    Medium,
    Long,
}

impl Width {
    /// Kafka's name of the width.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Short => "SHORT",
            Self::Medium => "MEDIUM",
            Self::Long => "LONG",
        }
    }
}

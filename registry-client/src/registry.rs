//! The port: what converters need from a registry, as verbs and as data.

use std::fmt;

use crate::{Error, RegisteredSchema, SchemaGuid, SchemaId, SchemaText, Subject, Version};

/// A schema registry, as whoever converts records sees it.
///
/// The verbs block until there is an answer. Whoever must not block (a task on an asynchronous
/// runtime) does not use this trait: it takes the same questions as [`Lookup`] values and answers them
/// its own way. Every verb is one of the [`Question`]s, and [`Registry::answer`] is the bridge.
pub trait Registry {
    /// The schema with this id. The subject picks the context in which the id counts.
    ///
    /// # Errors
    /// [`RegistryCode::SCHEMA_NOT_FOUND`](crate::RegistryCode::SCHEMA_NOT_FOUND), or no answer.
    fn by_id(&mut self, id: SchemaId, subject: Option<&Subject>)
    -> Result<RegisteredSchema, Error>;

    /// The schema with this content name.
    ///
    /// # Errors
    /// As [`Registry::by_id`].
    fn by_guid(&mut self, guid: SchemaGuid) -> Result<RegisteredSchema, Error>;

    /// Registers a schema under a subject, or finds it there; `normalize` asks the registry to bring it
    /// into normal form first.
    ///
    /// # Errors
    /// Invalid or incompatible schema, or no answer.
    fn register(
        &mut self,
        subject: &Subject,
        schema: &SchemaText,
        normalize: bool,
    ) -> Result<RegisteredSchema, Error>;

    /// Finds a schema under a subject by its text; `deleted` also finds softly deleted versions.
    ///
    /// # Errors
    /// [`RegistryCode::SUBJECT_NOT_FOUND`](crate::RegistryCode::SUBJECT_NOT_FOUND) or
    /// [`RegistryCode::SCHEMA_NOT_FOUND`](crate::RegistryCode::SCHEMA_NOT_FOUND), or no answer.
    fn lookup(
        &mut self,
        subject: &Subject,
        schema: &SchemaText,
        flags: LookupFlags,
    ) -> Result<RegisteredSchema, Error>;

    /// The newest version under a subject.
    ///
    /// # Errors
    /// [`RegistryCode::SUBJECT_NOT_FOUND`](crate::RegistryCode::SUBJECT_NOT_FOUND), or no answer.
    fn latest(&mut self, subject: &Subject) -> Result<RegisteredSchema, Error>;

    /// One version under a subject; references may name softly deleted ones.
    ///
    /// # Errors
    /// Subject or version not found, or no answer.
    fn version(
        &mut self,
        subject: &Subject,
        version: Version,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error>;

    /// The newest version under a subject whose metadata has all these properties.
    ///
    /// # Errors
    /// Subject or schema not found, or no answer.
    fn latest_with_metadata(
        &mut self,
        subject: &Subject,
        properties: &[(Box<str>, Box<str>)],
    ) -> Result<RegisteredSchema, Error>;

    /// The subjects that a topic is associated with; a registry that knows no associations has none.
    ///
    /// # Errors
    /// No answer.
    fn associated(&mut self, topic: &TopicPart) -> Result<Vec<Subject>, Error>;

    /// Answers a question by calling its verb.
    ///
    /// # Errors
    /// Those of the verb.
    fn ask(&mut self, question: &Question) -> Result<Answer, Error> {
        match question {
            Question::ById { id, subject } => self.by_id(*id, subject.as_ref()),
            Question::ByGuid { guid } => self.by_guid(*guid),
            Question::Register {
                subject,
                schema,
                normalize,
                propagate_schema_tags: _,
            } => self.register(subject, schema, *normalize),
            Question::Find {
                subject,
                schema,
                flags,
            } => self.lookup(subject, schema, *flags),
            Question::Latest { subject } => self.latest(subject),
            Question::LatestWithMetadata {
                subject,
                properties,
            } => self.latest_with_metadata(subject, properties),
            Question::Version {
                subject,
                version,
                deleted,
            } => self.version(subject, *version, *deleted),
            Question::Associated(topic) => return self.associated(topic).map(Answer::Subjects),
        }
        .map(Answer::Schema)
    }

    /// Answers a lookup: the result carries the lookup's id.
    fn answer(&mut self, lookup: &Lookup) -> Resolved {
        Resolved {
            id: lookup.id,
            answer: self.ask(&lookup.question),
        }
    }
}

/// A schema registry for whoever may wait: the same questions, answered later. A client, a cache in front of one, or a
/// registry in the process implement it.
#[async_trait::async_trait]
pub trait AsyncRegistry: Send + Sync + fmt::Debug {
    /// Answers a question.
    ///
    /// Dropping the future is allowed at any time and takes nothing back: a registration may have happened.
    ///
    /// # Errors
    /// What the registry refused, or [`Fault::Transient`](crate::Fault::Transient) when it gave no answer in time.
    async fn ask(&self, question: &Question) -> Result<Answer, Error>;

    /// Answers a lookup: the result carries the lookup's id.
    async fn answer(&self, lookup: &Lookup) -> Resolved {
        Resolved {
            id: lookup.id,
            answer: self.ask(&lookup.question).await,
        }
    }
}

/// One side of a topic's records, as associations name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopicPart {
    /// The topic.
    pub topic: Box<str>,
    /// The Kafka cluster, which is the resource's namespace; `None` is `-`.
    pub cluster: Option<Box<str>>,
    /// The keys; otherwise the values.
    pub is_key: bool,
}

/// What a question is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To every question but one.
    Schema(RegisteredSchema),
    /// To [`Question::Associated`].
    Subjects(Vec<Subject>),
}

impl Answer {
    /// The schema, where the question was for one.
    #[must_use]
    pub fn into_schema(self) -> Option<RegisteredSchema> {
        match self {
            Self::Schema(schema) => Some(schema),
            Self::Subjects(_) => None,
        }
    }
}

/// How to look a text up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LookupFlags {
    /// Bring the text into normal form first.
    pub normalize: bool,
    /// Also find softly deleted versions.
    pub deleted: bool,
}

/// The name of a [`Lookup`] within the converter that made it. Never reused by that converter.
///
/// ```
/// use ferroconnect_registry_client::LookupId;
/// let first = LookupId::FIRST;
/// assert_ne!(first, first.next());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LookupId(u64);

impl LookupId {
    /// The first id of every converter.
    pub const FIRST: Self = Self(0);

    /// The id after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for LookupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lookup {}", self.0)
    }
}

/// A question that a converter could not answer from what it knows: plain data, so that it can be
/// gathered per batch, sent over a channel, and asked by somebody who may wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Its name; the answer carries it back.
    pub id: LookupId,
    /// What is asked.
    pub question: Question,
}

/// What can be asked of a registry.
///
/// Not `non_exhaustive` on purpose: a new question must not compile until every adapter answers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// [`Registry::by_id`].
    ById {
        /// The id.
        id: SchemaId,
        /// The subject whose context counts.
        subject: Option<Subject>,
    },
    /// [`Registry::by_guid`].
    ByGuid {
        /// The content name.
        guid: SchemaGuid,
    },
    /// [`Registry::register`].
    Register {
        /// Where.
        subject: Subject,
        /// What.
        schema: SchemaText,
        /// Whether to bring it into normal form.
        normalize: bool,
        /// Whether tags of the subject's last version are kept (`propagateSchemaTags`); registries without tags ignore it.
        propagate_schema_tags: bool,
    },
    /// [`Registry::lookup`].
    Find {
        /// Where.
        subject: Subject,
        /// What.
        schema: SchemaText,
        /// How.
        flags: LookupFlags,
    },
    /// [`Registry::latest`].
    Latest {
        /// Of which subject.
        subject: Subject,
    },
    /// [`Registry::latest_with_metadata`].
    LatestWithMetadata {
        /// Of which subject.
        subject: Subject,
        /// Properties its metadata must have, name and value.
        properties: Vec<(Box<str>, Box<str>)>,
    },
    /// [`Registry::associated`].
    Associated(TopicPart),
    /// [`Registry::version`].
    Version {
        /// Of which subject.
        subject: Subject,
        /// Which one.
        version: Version,
        /// Whether a softly deleted one will do.
        deleted: bool,
    },
}

/// The answer to a [`Lookup`], for the converter that asked. A failure is an answer too: its fault
/// says whether the converter's records are bad or the registry is away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The lookup's name.
    pub id: LookupId,
    /// What the registry said.
    pub answer: Result<Answer, Error>,
}

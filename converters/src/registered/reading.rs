//! From the identity in a record to the plan that reads it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ferroconnect_registry_client::format::{ReferencedSchema, SchemaSource};
use ferroconnect_registry_client::{
    LookupFlags, LookupId, Question, Reference, RegisteredSchema, RegistryCode, Subject,
};

use super::questions::Asked;
use super::{Format, Schemas};
use crate::converter::{Outcome, Role};
use crate::error::Error;
use crate::error::registered::Kind;
use crate::json_text::tree::{self, Tree};
use crate::limits::{REFERENCE_DEPTH_MAX, SCHEMA_REFERENCES_MAX};
use crate::wire::{Carrier, Frame, Identity, Indexes};

/// Plans by what records name. The one used last is compared first, which is all that happens per record while it stays the same.
#[derive(Debug)]
pub(super) struct Readers<F: Format> {
    last: Option<Last<F>>,
    /// By topic first: through the version, the subject of its topic decides, too.
    known: HashMap<Arc<str>, HashMap<Named, Arc<F::Reader>>>,
    ages: VecDeque<(Arc<str>, Named)>,
    capacity: usize,
}

/// The plan used last, and what it was used for.
#[derive(Debug)]
struct Last<F: Format> {
    topic: Arc<str>,
    named: Named,
    /// The bytes in front of the body; none where the schema is not named there.
    front: Box<[u8]>,
    reader: Arc<F::Reader>,
}

/// What a record names: its schema, and its message where frames have indexes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Named {
    identity: Identity,
    indexes: Vec<u32>,
}

/// Why there is no result yet.
#[derive(Debug)]
pub(super) enum Stop {
    Missing(LookupId),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Kind> for Stop {
    fn from(kind: Kind) -> Self {
        Self::Failed(kind.into())
    }
}

impl Stop {
    /// The outcome of a call that stopped; `wrap` puts the converter's own words around a failure.
    pub(super) fn outcome<T>(self, wrap: impl FnOnce(Error) -> Error) -> Outcome<T> {
        match self {
            Self::Missing(id) => Outcome::Missing(id),
            Self::Failed(error) => Outcome::Failed(wrap(error)),
        }
    }
}

impl<F: Format> Readers<F> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            last: None,
            known: HashMap::new(),
            ages: VecDeque::new(),
            capacity: capacity.max(1),
        }
    }

    fn insert(&mut self, topic: &Arc<str>, named: Named, reader: Arc<F::Reader>) {
        if self.ages.len() >= self.capacity
            && let Some((topic, oldest)) = self.ages.pop_front()
            && let Some(of_topic) = self.known.get_mut(&topic)
        {
            of_topic.remove(&oldest);
            if of_topic.is_empty() {
                self.known.remove(&topic);
            }
        }
        self.ages.push_back((Arc::clone(topic), named.clone()));
        self.known
            .entry(Arc::clone(topic))
            .or_default()
            .insert(named, reader);
    }
}

impl Named {
    fn is(&self, frame: &Frame<'_>) -> bool {
        self.identity == frame.identity
            && frame.indexes.map_or(self.indexes.is_empty(), |path| {
                path.iter().eq(self.indexes.iter().copied())
            })
    }
}

impl<F: Format> Schemas<F> {
    /// The plan that read the record before, when this one begins with the same bytes; and where the body begins. For records
    /// that name their schema in front.
    #[inline]
    pub(crate) fn repeated_reader(
        &self,
        topic: &str,
        record: &[u8],
    ) -> Option<(&F::Reader, usize)> {
        let last = self.readers.last.as_ref()?;
        let front = &*last.front;
        let repeated = !front.is_empty() && record.starts_with(front) && *last.topic == *topic;
        repeated.then_some((&*last.reader, front.len()))
    }

    /// Finds the plan that reads a record of this topic, which was taken apart as `frame`: [`Schemas::last_reader`] has it then.
    pub(crate) fn by_identity(
        &mut self,
        topic: &str,
        frame: &Frame<'_>,
        record: &[u8],
    ) -> Outcome<()> {
        let hit = self
            .readers
            .last
            .as_ref()
            .is_some_and(|last| last.named.is(frame) && *last.topic == *topic);
        if !hit && let Err(stop) = self.find_reader(topic, frame, record) {
            return stop.outcome(|error| Self::read_failure(topic, error));
        }
        Outcome::Ready(())
    }

    /// The language, and the plan that [`Schemas::by_identity`] found.
    pub(crate) fn last_reader(&self) -> (&F, &F::Reader) {
        let last = self.readers.last.as_ref();
        (&self.format, &last.expect("found by `by_identity`").reader)
    }

    /// The converter's last words about a record that cannot be read: what `AvroConverter` and its like say around a
    /// serialization exception.
    #[cold]
    pub(crate) fn read_failure(topic: &str, error: Error) -> Error {
        let fault = error.fault();
        error.causing(Kind::Read {
            format: F::WORDS,
            topic: topic.into(),
            fault,
        })
    }

    #[cold]
    fn find_reader(&mut self, topic: &str, frame: &Frame<'_>, record: &[u8]) -> Result<(), Stop> {
        let named = Named {
            identity: frame.identity,
            indexes: frame.indexes.map(|path| path.to_vec()).unwrap_or_default(),
        };
        let known = self.readers.known.get_key_value(topic);
        let known = known.and_then(|(topic, of_topic)| Some((topic, of_topic.get(&named)?)));
        let (topic, reader) = match known {
            Some((topic, reader)) => (Arc::clone(topic), Arc::clone(reader)),
            None => {
                let reader = Arc::new(self.make_reader(topic, frame)?);
                let topic: Arc<str> = topic.into();
                let readers = &mut self.readers;
                readers.insert(&topic, named.clone(), Arc::clone(&reader));
                (topic, reader)
            }
        };
        let front = match frame.carrier {
            Carrier::Prefix => record.get(..frame.body_at).unwrap_or_default(),
            Carrier::Header | Carrier::Config => &[],
        };
        self.readers.last = Some(Last {
            topic,
            named,
            front: front.into(),
            reader,
        });
        Ok(())
    }

    fn make_reader(&mut self, topic: &str, frame: &Frame<'_>) -> Result<F::Reader, Stop> {
        let early = match self.config.subjects.needs_record_name() {
            true => None,
            false => Some(self.subject(topic, || None)?),
        };
        let registered = self.identified(frame.identity, early.as_ref())?;
        let named = name_of(frame.identity);
        let parsed = self.parsed(&registered, &named)?;
        let version = self.version_of(&registered, &parsed, (topic, frame.indexes), early)?;
        Ok(self.format.reader(&parsed, frame.indexes, version)?)
    }

    /// The schema with this id or GUID.
    pub(super) fn identified(
        &mut self,
        identity: Identity,
        subject: Option<&Subject>,
    ) -> Result<RegisteredSchema, Stop> {
        let question = match identity {
            Identity::Id(id) => Question::ById {
                id,
                subject: subject.cloned(),
            },
            Identity::Guid(guid) => Question::ByGuid { guid },
        };
        let role = self.role;
        match self.questions.schema(&question) {
            Asked::Known(schema) => Ok(schema.clone()),
            Asked::Missing(id) => Err(Stop::Missing(id)),
            Asked::Wrong => Err(Kind::WrongAnswer.into()),
            Asked::Failed(error) => {
                let named = name_of(identity).into();
                let what = format!(
                    "Error retrieving {} {} schema for {named}",
                    F::WORDS.language,
                    role.name()
                )
                .into();
                Err(match error.code() {
                    Some(RegistryCode::SCHEMA_NOT_FOUND) => {
                        Kind::UnknownSchema { what, named, error }
                    }
                    Some(_) | None => Kind::Refused { what, error },
                }
                .into())
            }
        }
    }

    /// The registry's schema with everything it refers to, read.
    pub(super) fn parsed(
        &mut self,
        registered: &RegisteredSchema,
        named: &str,
    ) -> Result<F::Parsed, Stop> {
        let found = registered.schema.kind();
        if found != F::KIND {
            return Err(Kind::OtherLanguage {
                named: named.into(),
                found,
                wanted: F::KIND,
            }
            .into());
        }
        let references = self.references(registered, named)?;
        let source = SchemaSource {
            text: registered.schema.text(),
            references: &references,
            is_new: false,
        };
        let bad = |error: Error| {
            let reason = error.to_string().into();
            Stop::from(Kind::BadSchema {
                named: named.into(),
                reason,
            })
        };
        self.format.parse(&source).map_err(bad)
    }

    /// Everything that a schema refers to, each behind what it needs itself.
    pub(super) fn references(
        &mut self,
        registered: &RegisteredSchema,
        named: &str,
    ) -> Result<Vec<ReferencedSchema>, Stop> {
        let mut found = Vec::new();
        let references = registered.schema.references();
        let mut path = Vec::new();
        self.collect(references, named, &mut path, &mut found)?;
        Ok(found)
    }

    /// Asks for all references of a level before it stops at a missing one, so that a level costs one round.
    fn collect(
        &mut self,
        references: &[Reference],
        named: &str,
        path: &mut Vec<Reference>,
        found: &mut Vec<ReferencedSchema>,
    ) -> Result<(), Stop> {
        let too_many = || {
            Stop::from(Kind::References {
                named: named.into(),
                limit: SCHEMA_REFERENCES_MAX,
            })
        };
        let mut missing = None;
        for reference in references {
            let place = |known: &Reference| {
                known.subject == reference.subject && known.version == reference.version
            };
            if path.len() >= REFERENCE_DEPTH_MAX || path.iter().any(place) {
                return Err(too_many());
            }
            if found.iter().any(|known| known.reference == *reference) {
                continue;
            }
            let inner = match self.referenced(reference) {
                Ok(inner) => inner,
                Err(Stop::Missing(id)) => {
                    missing.get_or_insert(id);
                    continue;
                }
                Err(failed) => return Err(failed),
            };
            path.push(reference.clone());
            let below = self.collect(inner.schema.references(), named, path, found);
            path.pop();
            match below {
                Ok(()) => {}
                Err(Stop::Missing(id)) => {
                    missing.get_or_insert(id);
                }
                Err(failed) => return Err(failed),
            }
            if found.len() >= SCHEMA_REFERENCES_MAX {
                return Err(too_many());
            }
            found.push(ReferencedSchema {
                reference: reference.clone(),
                text: inner.schema.text().into(),
            });
        }
        missing.map_or(Ok(()), |id| Err(Stop::Missing(id)))
    }

    fn referenced(&mut self, reference: &Reference) -> Result<RegisteredSchema, Stop> {
        let question = Question::Version {
            subject: reference.subject.clone(),
            version: reference.version,
            deleted: true,
        };
        self.schema_answer(&question, || {
            format!(
                "Error retrieving the schema that is referred to as '{}' (subject '{}', version {})",
                reference.name, reference.subject, reference.version
            )
        })
    }

    /// The answer to a question; `what` words the failure.
    pub(super) fn schema_answer(
        &mut self,
        question: &Question,
        what: impl FnOnce() -> String,
    ) -> Result<RegisteredSchema, Stop> {
        match self.questions.schema(question) {
            Asked::Known(schema) => Ok(schema.clone()),
            Asked::Missing(id) => Err(Stop::Missing(id)),
            Asked::Wrong => Err(Kind::WrongAnswer.into()),
            Asked::Failed(error) => Err(Kind::Refused {
                what: what().into(),
                error,
            }
            .into()),
        }
    }

    /// The subject of a topic's records; `record` gives the full name of the record's schema.
    pub(super) fn subject(
        &mut self,
        topic: &str,
        record: impl FnOnce() -> Option<String>,
    ) -> Result<Subject, Stop> {
        let role: Role = self.role;
        let strategy = &self.config.subjects;
        let associated: &[Subject] = match strategy.question(topic, role) {
            None => &[],
            Some(part) => match self.questions.subjects(&Question::Associated(part)) {
                Asked::Known(subjects) => subjects,
                Asked::Missing(id) => return Err(Stop::Missing(id)),
                Asked::Wrong => return Err(Kind::WrongAnswer.into()),
                Asked::Failed(error) => {
                    let what =
                        format!("Error retrieving the subject associated with topic '{topic}'")
                            .into();
                    return Err(Kind::Refused { what, error }.into());
                }
            },
        };
        let record = match strategy.needs_record_name() && associated.is_empty() {
            true => record(),
            false => None,
        };
        Ok(strategy.subject(topic, role, record.as_deref(), associated)?)
    }

    /// The version of a schema under the subject of its topic: from its metadata, or by asking for the text.
    fn version_of(
        &mut self,
        registered: &RegisteredSchema,
        parsed: &F::Parsed,
        (topic, indexes): (&str, Option<Indexes<'_>>),
        early: Option<Subject>,
    ) -> Result<Option<i32>, Stop> {
        if let Some(version) = metadata_version(registered) {
            return Ok(Some(version));
        }
        let subject = match early {
            Some(subject) => subject,
            None => {
                let record = self.format.record_name(parsed, indexes);
                self.subject(topic, || record)?
            }
        };
        let question = Question::Find {
            subject: subject.clone(),
            schema: registered.schema.clone(),
            flags: LookupFlags {
                normalize: false,
                deleted: true,
            },
        };
        let role = self.role;
        let found = self.schema_answer(&question, || {
            format!(
                "Error retrieving {} {} schema version for id {}: is it registered under subject '{subject}'?",
                F::WORDS.language,
                role.name(),
                registered.id
            )
        })?;
        Ok(found
            .version
            .map(ferroconnect_registry_client::Version::get))
    }
}

/// `confluent:version` of a schema's metadata.
fn metadata_version(registered: &RegisteredSchema) -> Option<i32> {
    let metadata = registered.schema.metadata()?;
    let tree = tree::parse(metadata.0.as_bytes()).ok()??;
    let Tree::Text(version) = tree.get("properties")?.get("confluent:version")? else {
        return None;
    };
    version.get().ok()?.parse().ok()
}

fn name_of(identity: Identity) -> String {
    match identity {
        Identity::Id(id) => format!("schema id {id}"),
        Identity::Guid(guid) => format!("schema GUID {guid}"),
    }
}

//! From a Connect schema to the plan that writes it, and to the id that names it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ferroconnect_registry_client::format::SchemaSource;
use ferroconnect_registry_client::{
    LookupFlags, Question, Reference, RegisteredSchema, SchemaGuid, SchemaId, SchemaText,
    SchemaType, Subject, Version,
};

use super::reading::Stop;
use super::{Format, Frames, Imported, Placed, Schemas, WhichSchema};
use crate::converter::Outcome;
use crate::data::Schema;
use crate::error::Error;
use crate::error::registered::Kind;
use crate::limits::TOPICS_MAX;
use crate::wire::Identity;

/// What a Connect schema becomes, whatever the topic: the generated schema and the plan that writes it.
#[derive(Debug)]
pub(crate) struct Prepared<F: Format> {
    pub(crate) generated: F::Generated,
    /// Writes with the generated schema.
    pub(crate) own: F::Writer,
}

/// How data of a Connect schema go to a topic: with which plan, under which id.
#[derive(Debug)]
pub(crate) struct Target<F: Format> {
    topic: Arc<str>,
    prepared: Arc<Prepared<F>>,
    /// Writes with the registry's schema where that is another.
    other: Option<F::Writer>,
    placed: Placed,
}

impl<F: Format> Target<F> {
    /// The plan.
    #[inline]
    pub(crate) fn writer(&self) -> &F::Writer {
        self.other.as_ref().unwrap_or(&self.prepared.own)
    }

    /// The bytes that name the schema.
    #[inline]
    pub(crate) const fn placed(&self) -> &Placed {
        &self.placed
    }
}

/// What was worked out. The schema and topic used last are compared first, which is all that happens per record while they stay the
/// same.
#[derive(Debug)]
pub(super) struct Writers<F: Format> {
    last: Option<(Option<Schema>, Arc<Target<F>>)>,
    known: HashMap<Option<Schema>, Known<F>>,
    /// The schemas, oldest first.
    ages: VecDeque<Option<Schema>>,
    capacity: usize,
}

#[derive(Debug)]
struct Known<F: Format> {
    prepared: Arc<Prepared<F>>,
    targets: HashMap<Arc<str>, Arc<Target<F>>>,
}

impl<F: Format> Writers<F> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            last: None,
            known: HashMap::new(),
            ages: VecDeque::new(),
            capacity: capacity.max(1),
        }
    }

    /// Forgets which schemas of the registry are written with; what was compiled for generated ones stays.
    pub(super) fn forget_targets(&mut self) {
        self.last = None;
        self.known
            .values_mut()
            .for_each(|known| known.targets.clear());
    }

    fn insert(&mut self, schema: Option<Schema>, prepared: Arc<Prepared<F>>) {
        if self.ages.len() >= self.capacity
            && let Some(oldest) = self.ages.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.ages.push_back(schema.clone());
        let targets = HashMap::new();
        self.known.insert(schema, Known { prepared, targets });
    }
}

impl<F: Format> Schemas<F> {
    /// The target of the record before, when this one has the same schema and topic.
    #[inline]
    pub(crate) fn repeated(&self, topic: &str, schema: Option<&Schema>) -> Option<&Target<F>> {
        let (last, target) = self.writers.last.as_ref()?;
        let same = match (last, schema) {
            (Some(last), Some(schema)) => last.same(schema),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        (same && *target.topic == *topic).then_some(&**target)
    }

    /// The target of an earlier record with this schema and topic. From here on [`Schemas::repeated`] has it.
    pub(crate) fn recall(
        &mut self,
        topic: &str,
        schema: Option<&Schema>,
    ) -> Option<Arc<Target<F>>> {
        let key = schema.cloned();
        let target = Arc::clone(self.writers.known.get(&key)?.targets.get(topic)?);
        self.writers.last = Some((key, Arc::clone(&target)));
        Some(target)
    }

    /// What a Connect schema becomes, before the registry is asked.
    ///
    /// # Errors
    /// Data fault: the language cannot say it.
    pub(crate) fn prepared(&mut self, schema: Option<&Schema>) -> Result<Arc<Prepared<F>>, Error> {
        let key = schema.cloned();
        if let Some(known) = self.writers.known.get(&key) {
            return Ok(Arc::clone(&known.prepared));
        }
        let generated = self.format.generate(schema)?;
        let own = self.format.writer(&generated, None)?;
        let prepared = Arc::new(Prepared { generated, own });
        self.writers.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }

    /// How data of this schema go to this topic. From here on [`Schemas::recall`] has it.
    pub(crate) fn target(
        &mut self,
        topic: &str,
        schema: Option<&Schema>,
        prepared: &Arc<Prepared<F>>,
        frames: &Frames,
    ) -> Outcome<Arc<Target<F>>> {
        let target = match self.make_target(topic, prepared, frames) {
            Ok(target) => Arc::new(target),
            Err(stop) => return stop.outcome(|error| Self::write_failure(topic, error)),
        };
        let key = schema.cloned();
        if let Some(known) = self.writers.known.get_mut(&key) {
            if known.targets.len() >= TOPICS_MAX {
                known.targets.clear();
            }
            known
                .targets
                .insert(Arc::clone(&target.topic), Arc::clone(&target));
        }
        self.writers.last = Some((key, Arc::clone(&target)));
        Outcome::Ready(target)
    }

    /// The converter's last words about data that cannot be written.
    #[cold]
    pub(crate) fn write_failure(topic: &str, error: Error) -> Error {
        let fault = error.fault();
        error.causing(Kind::Write {
            format: F::WORDS,
            topic: topic.into(),
            fault,
        })
    }

    fn make_target(
        &mut self,
        topic: &str,
        prepared: &Arc<Prepared<F>>,
        frames: &Frames,
    ) -> Result<Target<F>, Stop> {
        let name = self.format.generated_name(&prepared.generated);
        let subject = self.subject(topic, || name)?;
        let (registered, id, guid) = self.chosen(&subject, prepared)?;
        let other = self.other_writer(&registered, prepared, &subject)?;
        let writer = other.as_ref().unwrap_or(&prepared.own);
        let placed = frames.place(id, guid, self.format.indexes(writer))?;
        Ok(Target {
            topic: topic.into(),
            prepared: Arc::clone(prepared),
            other,
            placed,
        })
    }

    /// The plan for the registry's schema, unless that is the generated one.
    fn other_writer(
        &mut self,
        registered: &RegisteredSchema,
        prepared: &Prepared<F>,
        subject: &Subject,
    ) -> Result<Option<F::Writer>, Stop> {
        let own = self.format.text(&prepared.generated);
        // A look-up by text answers the registry's print of the same schema.
        let same_text = registered.schema.text() == own.text();
        if same_text || matches!(self.config.which, WhichSchema::Generated) {
            return Ok(None);
        }
        let named = format!("the schema that subject '{subject}' has");
        let parsed = self.parsed(registered, &named)?;
        Ok(Some(
            self.format.writer(&prepared.generated, Some(&parsed))?,
        ))
    }

    /// The registry's schema that the settings choose, and its names as far as they may be written.
    fn chosen(
        &mut self,
        subject: &Subject,
        prepared: &Prepared<F>,
    ) -> Result<(RegisteredSchema, Option<SchemaId>, Option<SchemaGuid>), Stop> {
        let registered = match self.config.which.clone() {
            WhichSchema::Registered => self.register(subject, prepared)?,
            WhichSchema::Generated => self.look_up(subject, prepared)?,
            WhichSchema::Id(id) => {
                let found = self.identified(Identity::Id(id), Some(subject))?;
                self.check(&found, prepared, ID_STRICT, self.config.id_strict)?;
                found
            }
            WhichSchema::Guid(guid) => {
                let found = self.identified(Identity::Guid(guid), Some(subject))?;
                self.check(&found, prepared, ID_STRICT, self.config.id_strict)?;
                // The answer to a GUID carries no number that counts in the subject's context.
                return Ok((found, None, Some(guid)));
            }
            WhichSchema::LatestWith(properties) => {
                let question = Question::LatestWithMetadata {
                    subject: subject.clone(),
                    properties: properties.to_vec(),
                };
                self.schema_answer(&question, || {
                    format!("Error retrieving latest with metadata of subject '{subject}'")
                })?
            }
            WhichSchema::Latest => {
                let question = Question::Latest {
                    subject: subject.clone(),
                };
                let found = self.schema_answer(&question, || {
                    format!(
                        "Error retrieving latest version of {} schema of subject '{subject}'",
                        F::WORDS.language
                    )
                })?;
                self.check(&found, prepared, LATEST_STRICT, self.config.latest_strict)?;
                found
            }
        };
        let (id, guid) = (registered.id, registered.guid);
        Ok((registered, Some(id), guid))
    }

    fn register(
        &mut self,
        subject: &Subject,
        prepared: &Prepared<F>,
    ) -> Result<RegisteredSchema, Stop> {
        let question = Question::Register {
            subject: subject.clone(),
            schema: self.posted(prepared, true)?,
            normalize: self.config.normalize,
            propagate_schema_tags: self.config.propagate_schema_tags,
        };
        self.schema_answer(&question, || {
            format!(
                "Error registering {} schema under subject '{subject}'",
                F::WORDS.language
            )
        })
    }

    /// The generated schema as it is posted: with its references, once they are there.
    fn posted(&mut self, prepared: &Prepared<F>, may_register: bool) -> Result<SchemaText, Stop> {
        let own = self.format.text(&prepared.generated).clone();
        let mut references = Vec::new();
        for import in self.format.imported(&prepared.generated).to_vec() {
            let version = self.import(&import, may_register)?;
            let Imported { name, subject, .. } = import;
            references.push(Reference {
                name,
                subject,
                version,
            });
        }
        if references.is_empty() {
            return Ok(own);
        }
        Ok(own.with_references(references))
    }

    /// The version of a schema that the generated one refers to.
    fn import(&mut self, import: &Imported, may_register: bool) -> Result<Version, Stop> {
        let Imported {
            subject, schema, ..
        } = import;
        let what = || {
            format!(
                "Error registering or retrieving reference '{}'",
                import.name
            )
        };
        if may_register && !import.lookup_only {
            let question = Question::Register {
                subject: subject.clone(),
                schema: schema.clone(),
                normalize: self.config.normalize,
                propagate_schema_tags: self.config.propagate_schema_tags,
            };
            if let Some(version) = self.schema_answer(&question, what)?.version {
                return Ok(version);
            }
        }
        let question = Question::Find {
            subject: subject.clone(),
            schema: schema.clone(),
            flags: LookupFlags {
                normalize: self.config.normalize,
                deleted: false,
            },
        };
        let found = self.schema_answer(&question, what)?;
        found.version.ok_or_else(|| Kind::WrongAnswer.into())
    }

    fn look_up(
        &mut self,
        subject: &Subject,
        prepared: &Prepared<F>,
    ) -> Result<RegisteredSchema, Stop> {
        let question = Question::Find {
            subject: subject.clone(),
            schema: self.posted(prepared, false)?,
            flags: LookupFlags {
                normalize: self.config.normalize,
                deleted: false,
            },
        };
        self.schema_answer(&question, || {
            format!(
                "Error retrieving {} schema under subject '{subject}'",
                F::WORDS.language
            )
        })
    }

    /// The registry's schema must read what the generated one writes.
    fn check(
        &mut self,
        registered: &RegisteredSchema,
        prepared: &Prepared<F>,
        key: &'static str,
        strict: bool,
    ) -> Result<(), Stop> {
        let format: SchemaType = F::KIND;
        if !strict || registered.schema.kind() != format {
            return Ok(());
        }
        let references = self.references(registered, "the registry's schema")?;
        let source = SchemaSource {
            text: registered.schema.text(),
            references: &references,
            is_new: false,
        };
        match self.format.incompatibility(&source, &prepared.generated)? {
            None => Ok(()),
            Some(first) => Err(Kind::Incompatible {
                key,
                format,
                first: first.into(),
            }
            .into()),
        }
    }
}

const ID_STRICT: &str = "id.compatibility.strict";
const LATEST_STRICT: &str = "latest.compatibility.strict";

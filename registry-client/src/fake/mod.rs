//! An in-memory registry that behaves like a real one as far as converters can see.
//!
//! Ids count 1, 2, … per context, versions 1, 2, … per subject, the same text keeps its id, GUIDs are
//! the real digests, deletion is soft first. Not here: canonical text and compatibility checks (texts are
//! kept as posted and always accepted), and what the server does besides: metadata are not taken over from the version
//! before, rule sets are kept. These are the rules of Java's mock client, with which converters were recorded.
//! [`HttpRegistry`] has the server's: the whole REST interface on a port, with scripted faults.
//!
//! ```
//! use ferroconnect_registry_client::fake::FakeRegistry;
//! use ferroconnect_registry_client::{Registry, SchemaText, SchemaType, Subject};
//!
//! let mut registry = FakeRegistry::default();
//! let subject = Subject::new("orders-value").ok_or("not a subject")?;
//! let schema = SchemaText::new(SchemaType::Avro, r#""string""#);
//! let first = registry.register(&subject, &schema, false)?;
//! assert_eq!(first.id.get(), 1);
//! assert_eq!(registry.register(&subject, &schema, false)?, first); // found, not registered again
//! assert_eq!(registry.by_id(first.id, None)?.schema, schema);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod http;
#[cfg(test)]
mod http_tests;
mod state;
#[cfg(test)]
mod tests;

pub use http::{Fault, HttpRegistry};

use std::sync::{Mutex, PoisonError};

use crate::registry::LookupFlags;
use crate::{
    Answer, AsyncRegistry, Error, Question, RegisteredSchema, Registry, SchemaGuid, SchemaId,
    SchemaText, Subject, TopicPart, Version,
};
use state::State;

/// The in-memory registry. Own one per test; it is a plain value.
#[derive(Debug, Default)]
pub struct FakeRegistry {
    state: State,
    scripted: Option<(u32, Error)>,
    asked: u64,
}

impl FakeRegistry {
    /// The next `times` calls fail with `error`; later ones are answered again.
    pub fn fail_next(&mut self, times: u32, error: Error) {
        self.scripted = (times > 0).then_some((times, error));
    }

    /// How many calls were made, failed ones included.
    pub const fn asked(&self) -> u64 {
        self.asked
    }

    /// Softly deletes one version: it keeps its id, and is found only by id, GUID or on request.
    ///
    /// # Errors
    /// Subject or version not found.
    pub fn delete_version(&mut self, subject: &Subject, version: Version) -> Result<(), Error> {
        self.state.delete(subject, version)
    }

    /// Everything that was registered, softly deleted versions included, in order of registration.
    pub fn registered(&self) -> impl Iterator<Item = RegisteredSchema> {
        self.state.all()
    }

    fn count(&mut self) -> Result<(), Error> {
        self.asked += 1;
        let Some((times, error)) = &mut self.scripted else {
            return Ok(());
        };
        let error = error.clone();
        *times -= 1;
        if *times == 0 {
            self.scripted = None;
        }
        Err(error)
    }
}

impl Registry for FakeRegistry {
    fn by_id(
        &mut self,
        id: SchemaId,
        subject: Option<&Subject>,
    ) -> Result<RegisteredSchema, Error> {
        self.count()?;
        self.state.by_id(id, subject)
    }

    fn by_guid(&mut self, guid: SchemaGuid) -> Result<RegisteredSchema, Error> {
        self.count()?;
        self.state.by_guid(guid)
    }

    fn register(
        &mut self,
        subject: &Subject,
        schema: &SchemaText,
        _normalize: bool,
    ) -> Result<RegisteredSchema, Error> {
        self.count()?;
        self.state.register(subject, schema)
    }

    fn lookup(
        &mut self,
        subject: &Subject,
        schema: &SchemaText,
        flags: LookupFlags,
    ) -> Result<RegisteredSchema, Error> {
        self.count()?;
        self.state.find(subject, schema, flags.deleted)
    }

    fn latest(&mut self, subject: &Subject) -> Result<RegisteredSchema, Error> {
        self.count()?;
        self.state.latest(subject)
    }

    fn version(
        &mut self,
        subject: &Subject,
        version: Version,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        self.count()?;
        self.state.version(subject, version, deleted)
    }

    fn latest_with_metadata(
        &mut self,
        subject: &Subject,
        properties: &[(Box<str>, Box<str>)],
    ) -> Result<RegisteredSchema, Error> {
        self.count()?;
        self.state.latest_with_metadata(subject, properties)
    }

    fn associated(&mut self, _topic: &TopicPart) -> Result<Vec<Subject>, Error> {
        self.count()?;
        Ok(Vec::new())
    }
}

/// The fake for whoever may not block. It answers at once, so holding the lock is no waiting.
#[async_trait::async_trait]
impl AsyncRegistry for Mutex<FakeRegistry> {
    async fn ask(&self, question: &Question) -> Result<Answer, Error> {
        let mut registry = self.lock().unwrap_or_else(PoisonError::into_inner);
        registry.ask(question)
    }
}

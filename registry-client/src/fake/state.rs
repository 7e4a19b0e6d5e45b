//! What the fake remembers. Lists in order of registration: tests are small, and order is what they show.

use std::fmt::Display;

use crate::{
    Error, RegisteredSchema, RegistryCode, SchemaGuid, SchemaId, SchemaText, Subject, Version,
};

#[derive(Debug, Default)]
pub(super) struct State {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    subject: Subject,
    version: Version,
    id: SchemaId,
    schema: SchemaText,
    deleted: bool,
}

impl State {
    pub(super) fn register(
        &mut self,
        subject: &Subject,
        schema: &SchemaText,
    ) -> Result<RegisteredSchema, Error> {
        if schema.text().is_empty() {
            return Err(Error::refused(
                422,
                RegistryCode::INVALID_SCHEMA,
                "Empty schema",
            ));
        }
        let live = |row: &&Row| row.subject == *subject && row.schema == *schema && !row.deleted;
        if let Some(row) = self.rows.iter().find(live) {
            return Ok(row.answer());
        }
        let row = Row {
            subject: subject.clone(),
            version: self.next_version(subject)?,
            id: self.id_for(subject, schema)?,
            schema: schema.clone(),
            deleted: false,
        };
        // A softly deleted text that comes back gets a new version; its old record vanishes.
        self.rows
            .retain(|old| old.subject != row.subject || old.schema != row.schema);
        let answer = row.answer();
        self.rows.push(row);
        Ok(answer)
    }

    pub(super) fn find(
        &self,
        subject: &Subject,
        schema: &SchemaText,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        self.expect_subject(subject, deleted)?;
        self.visible(subject, deleted)
            .find(|row| row.schema == *schema)
            .map(Row::answer)
            .ok_or_else(|| Error::refused(404, RegistryCode::SCHEMA_NOT_FOUND, "Schema not found"))
    }

    pub(super) fn by_id(
        &self,
        id: SchemaId,
        subject: Option<&Subject>,
    ) -> Result<RegisteredSchema, Error> {
        let context = subject.and_then(Subject::context);
        self.rows
            .iter()
            .find(|row| row.id == id && row.subject.context() == context)
            .map(Row::answer)
            .ok_or_else(|| no_schema(id))
    }

    pub(super) fn by_guid(&self, guid: SchemaGuid) -> Result<RegisteredSchema, Error> {
        self.rows
            .iter()
            .find(|row| row.schema.guid() == guid)
            .map(|row| RegisteredSchema {
                subject: None,
                version: None,
                ..row.answer()
            })
            .ok_or_else(|| no_schema(guid))
    }

    pub(super) fn latest(&self, subject: &Subject) -> Result<RegisteredSchema, Error> {
        self.visible(subject, false)
            .max_by_key(|row| row.version)
            .map(Row::answer)
            .ok_or_else(|| no_subject(subject))
    }

    pub(super) fn latest_with_metadata(
        &self,
        subject: &Subject,
        properties: &[(Box<str>, Box<str>)],
    ) -> Result<RegisteredSchema, Error> {
        self.expect_subject(subject, false)?;
        self.visible(subject, false)
            .filter(|row| row.has_properties(properties))
            .max_by_key(|row| row.version)
            .map(Row::answer)
            .ok_or_else(|| Error::refused(404, RegistryCode::SCHEMA_NOT_FOUND, "Schema not found"))
    }

    pub(super) fn version(
        &self,
        subject: &Subject,
        version: Version,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        self.expect_subject(subject, deleted)?;
        self.visible(subject, deleted)
            .find(|row| row.version == version)
            .map(Row::answer)
            .ok_or_else(|| no_version(version))
    }

    pub(super) fn delete(&mut self, subject: &Subject, version: Version) -> Result<(), Error> {
        self.version(subject, version, false)?;
        for row in &mut self.rows {
            row.deleted |= row.subject == *subject && row.version == version;
        }
        Ok(())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = RegisteredSchema> {
        self.rows.iter().map(Row::answer)
    }

    fn visible(&self, subject: &Subject, deleted: bool) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(move |row| row.subject == *subject && (deleted || !row.deleted))
    }

    fn expect_subject(&self, subject: &Subject, deleted: bool) -> Result<(), Error> {
        match self.visible(subject, deleted).next() {
            Some(_) => Ok(()),
            None => Err(no_subject(subject)),
        }
    }

    fn next_version(&self, subject: &Subject) -> Result<Version, Error> {
        let last = self
            .visible(subject, true)
            .map(|row| row.version.get())
            .max()
            .unwrap_or(0);
        last.checked_add(1).and_then(Version::new).ok_or_else(full)
    }

    /// The same text has the same id throughout a context.
    fn id_for(&self, subject: &Subject, schema: &SchemaText) -> Result<SchemaId, Error> {
        let here = || {
            self.rows
                .iter()
                .filter(|row| row.subject.context() == subject.context())
        };
        if let Some(known) = here().find(|row| row.schema == *schema) {
            return Ok(known.id);
        }
        let last = here().map(|row| row.id.get()).max().unwrap_or(0);
        last.checked_add(1).and_then(SchemaId::new).ok_or_else(full)
    }
}

impl Row {
    fn has_properties(&self, wanted: &[(Box<str>, Box<str>)]) -> bool {
        let metadata = self
            .schema
            .metadata()
            .and_then(|metadata| serde_json::from_str::<serde_json::Value>(&metadata.0).ok());
        wanted.iter().all(|(name, value)| {
            let found = metadata
                .as_ref()
                .and_then(|m| m.get("properties")?.get(&**name));
            found.and_then(serde_json::Value::as_str) == Some(&**value)
        })
    }

    fn answer(&self) -> RegisteredSchema {
        RegisteredSchema {
            id: self.id,
            guid: Some(self.schema.guid()),
            subject: Some(self.subject.clone()),
            version: Some(self.version),
            schema: self.schema.clone(),
        }
    }
}

fn no_subject(subject: &Subject) -> Error {
    let message = format!("Subject '{subject}' not found.");
    Error::refused(404, RegistryCode::SUBJECT_NOT_FOUND, message)
}

fn no_version(version: Version) -> Error {
    let message = format!("Version {version} not found.");
    Error::refused(404, RegistryCode::VERSION_NOT_FOUND, message)
}

fn no_schema(name: impl Display) -> Error {
    let message = format!("Schema {name} not found");
    Error::refused(404, RegistryCode::SCHEMA_NOT_FOUND, message)
}

/// All 2^31 numbers are used up.
fn full() -> Error {
    Error::refused(500, RegistryCode::new(50001), "the registry is full")
}

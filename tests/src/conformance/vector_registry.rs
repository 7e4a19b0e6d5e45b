//! The registry of one vector: what is registered before the call, and what after it.
//!
//! It stands for the in-memory client that the JVM converters ran against: ids count 1, 2, …, nothing is checked, and a schema is
//! brought into normal form when that is asked for.

use std::collections::BTreeSet;

use ferroconnect_converters::avro::AvroFormat;
use ferroconnect_converters::json_schema::{JsonSchemaForm, canonical_text};
use ferroconnect_converters::protobuf::ProtobufFormat;
use ferroconnect_registry_client::fake::FakeRegistry;
use ferroconnect_registry_client::format::{ReferencedSchema, SchemaFormat, SchemaSource};
use ferroconnect_registry_client::{
    Error, LookupFlags, Metadata, Reference, RegisteredSchema, Registry, SchemaGuid, SchemaId,
    SchemaText, SchemaType, Subject, TopicPart, Version,
};
use serde_json::{Value as Json, json};

/// A registry of its own for each converter of a vector.
#[derive(Debug, Default)]
pub(super) struct VectorRegistry {
    fake: FakeRegistry,
    before: usize,
}

impl VectorRegistry {
    /// A registry with these entries, registered in the order of their ids.
    pub(super) fn filled(entries: &[Json]) -> Result<Self, String> {
        let mut registry = Self::default();
        let mut entries: Vec<&Json> = entries.iter().collect();
        entries.sort_by_key(|entry| (entry["id"].as_i64(), entry["version"].as_i64()));
        for entry in entries {
            let subject = subject(&entry["subject"])?;
            let schema = schema(entry)?;
            let known = registry.fake.register(&subject, &schema, false);
            let known = known.map_err(|error| format!("cannot register {entry}: {error}"))?;
            if Some(i64::from(known.id.get())) != entry["id"].as_i64() {
                return Err(format!("registered under id {}, not as {entry}", known.id));
            }
        }
        registry.before = registry.fake.registered().count();
        Ok(registry)
    }

    /// Everything that is registered, in the form of vectors.
    pub(super) fn entries(&self) -> Vec<Json> {
        self.fake.registered().map(|found| entry(&found)).collect()
    }

    /// Compares what was registered since with the member `registered` of an expectation, if there is one.
    pub(super) fn same_registered(&self, want: &Json) -> Result<(), String> {
        let Some(want) = want.get("registered").and_then(Json::as_array) else {
            return Ok(());
        };
        let text = |entry: &Json| entry.to_string();
        let got: BTreeSet<String> = self
            .fake
            .registered()
            .skip(self.before)
            .map(|found| text(&entry(&found)))
            .collect();
        let want: BTreeSet<String> = want.iter().map(|entry| text(&canonical(entry))).collect();
        match got == want {
            true => Ok(()),
            false => Err(format!("registered {got:?}, not {want:?}")),
        }
    }

    /// Counts what is registered now as having been there before.
    pub(super) fn mark(&mut self) {
        self.before = self.fake.registered().count();
    }

    /// The text as the registry keeps it: in normal form if that is asked for, and as it is known already under the subject,
    /// where two texts differ in nothing that counts.
    ///
    /// Texts of JSON Schema are compared as they are: what is asked for in normal form is found in no other.
    fn kept(&mut self, subject: &Subject, schema: &SchemaText, normalize: bool) -> SchemaText {
        if schema.kind() == SchemaType::Json {
            let normal = canonical_text(schema.text(), JsonSchemaForm::Normal);
            return match normal {
                Ok((normal, _)) if normalize => of_text(schema, normal),
                Ok(_) | Err(_) => schema.clone(),
            };
        }
        let Some(normal) = self.normal(schema) else {
            return schema.clone();
        };
        let known: Vec<SchemaText> = self
            .fake
            .registered()
            .filter(|known| known.subject.as_ref() == Some(subject))
            .map(|known| known.schema)
            .collect();
        for known in known {
            if known.metadata() == schema.metadata()
                && self.normal(&known).as_ref() == Some(&normal)
            {
                return known;
            }
        }
        if !normalize {
            return schema.clone();
        }
        of_text(schema, normal)
    }

    /// The normal form of a text; `None` when it has none, or its language is not here yet.
    fn normal(&mut self, schema: &SchemaText) -> Option<String> {
        let format: &dyn SchemaFormat = match schema.kind() {
            SchemaType::Avro => &AvroFormat,
            SchemaType::Protobuf => &ProtobufFormat,
            SchemaType::Json => return None,
        };
        let references = self.references(schema.references());
        let source = SchemaSource {
            text: schema.text(),
            references: &references,
            is_new: false,
        };
        format.canonical(&source, true).ok()
    }

    fn references(&mut self, references: &[Reference]) -> Vec<ReferencedSchema> {
        let mut found = Vec::new();
        for reference in references {
            let known = self
                .fake
                .version(&reference.subject, reference.version, true);
            let Ok(known) = known else { continue };
            found.extend(self.references(known.schema.references()));
            found.push(ReferencedSchema {
                reference: reference.clone(),
                text: known.schema.text().into(),
            });
        }
        found
    }
}

/// The same schema in another text.
fn of_text(schema: &SchemaText, text: String) -> SchemaText {
    let kept = SchemaText::new(schema.kind(), text).with_references(schema.references());
    match schema.metadata() {
        Some(metadata) => kept.with_metadata(metadata.clone()),
        None => kept,
    }
}

impl Registry for VectorRegistry {
    fn by_id(
        &mut self,
        id: SchemaId,
        subject: Option<&Subject>,
    ) -> Result<RegisteredSchema, Error> {
        self.fake.by_id(id, subject)
    }

    fn by_guid(&mut self, guid: SchemaGuid) -> Result<RegisteredSchema, Error> {
        self.fake.by_guid(guid)
    }

    fn register(
        &mut self,
        subject: &Subject,
        schema: &SchemaText,
        normalize: bool,
    ) -> Result<RegisteredSchema, Error> {
        let schema = self.kept(subject, schema, normalize);
        self.fake.register(subject, &schema, normalize)
    }

    fn lookup(
        &mut self,
        subject: &Subject,
        schema: &SchemaText,
        flags: LookupFlags,
    ) -> Result<RegisteredSchema, Error> {
        let schema = self.kept(subject, schema, flags.normalize);
        self.fake.lookup(subject, &schema, flags)
    }

    fn latest(&mut self, subject: &Subject) -> Result<RegisteredSchema, Error> {
        self.fake.latest(subject)
    }

    fn version(
        &mut self,
        subject: &Subject,
        version: Version,
        deleted: bool,
    ) -> Result<RegisteredSchema, Error> {
        self.fake.version(subject, version, deleted)
    }

    fn latest_with_metadata(
        &mut self,
        subject: &Subject,
        properties: &[(Box<str>, Box<str>)],
    ) -> Result<RegisteredSchema, Error> {
        self.fake.latest_with_metadata(subject, properties)
    }

    fn associated(&mut self, topic: &TopicPart) -> Result<Vec<Subject>, Error> {
        self.fake.associated(topic)
    }
}

fn subject(form: &Json) -> Result<Subject, String> {
    form.as_str()
        .and_then(Subject::new)
        .ok_or_else(|| format!("no subject: {form}"))
}

fn version(form: &Json) -> Result<Version, String> {
    let number = form.as_i64().and_then(|number| i32::try_from(number).ok());
    number
        .and_then(Version::new)
        .ok_or_else(|| format!("no version: {form}"))
}

fn schema(entry: &Json) -> Result<SchemaText, String> {
    let kind = entry["schema_type"]
        .as_str()
        .and_then(SchemaType::from_wire_name);
    let (Some(kind), Some(text)) = (kind, entry["schema"].as_str()) else {
        return Err(format!("no schema: {entry}"));
    };
    let mut references = Vec::new();
    for form in entry["references"].as_array().into_iter().flatten() {
        references.push(Reference {
            name: form["name"].as_str().unwrap_or_default().into(),
            subject: subject(&form["subject"])?,
            version: version(&form["version"])?,
        });
    }
    let schema = SchemaText::new(kind, text).with_references(references);
    Ok(
        match entry
            .get("metadata")
            .filter(|properties| !properties.is_null())
        {
            Some(properties) => schema.with_metadata(Metadata(
                json!({"properties": properties}).to_string().into(),
            )),
            None => schema,
        },
    )
}

/// An entry as vectors have it; `metadata` are its properties.
fn entry(found: &RegisteredSchema) -> Json {
    let references: Vec<Json> = found
        .schema
        .references()
        .iter()
        .map(|r| json!({"name": &*r.name, "subject": r.subject.as_str(), "version": r.version.get()}))
        .collect();
    let metadata = found.schema.metadata();
    let metadata = metadata.and_then(|metadata| serde_json::from_str::<Json>(&metadata.0).ok());
    canonical(&json!({
        "subject": found.subject.as_ref().map(Subject::as_str),
        "id": found.id.get(),
        "version": found.version.map(Version::get),
        "guid": found.guid.map(|guid| guid.to_string()),
        "schema_type": found.schema.kind().wire_name(),
        "schema": found.schema.text(),
        "references": references,
        "metadata": metadata.map(|metadata| metadata["properties"].clone()),
    }))
}

/// The members that are compared, in one order.
fn canonical(entry: &Json) -> Json {
    let members = [
        "subject",
        "id",
        "version",
        "guid",
        "schema_type",
        "schema",
        "references",
        "metadata",
    ];
    let members = members
        .iter()
        .map(|name| ((*name).to_owned(), entry[*name].clone()));
    Json::Object(members.collect())
}

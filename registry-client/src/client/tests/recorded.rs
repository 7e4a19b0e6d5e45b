//! Recorded requests: each is read, and put to the method that it belongs to.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::super::*;
use crate::body::{AssociationBatch, ConfigBody, ModeBody, ResourceAssociations, SchemaRequest};
use crate::{
    Error, Metadata, Reference, SchemaGuid, SchemaId, SchemaText, SchemaType, Subject, TopicPart,
    Version,
};

/// A request in parts.
pub(super) struct Recorded {
    pub(super) method: String,
    segments: Vec<String>,
    query: Vec<(String, String)>,
    pub(super) body: Value,
}

/// What the method said; nothing when no method sends such a request.
pub(super) type Sent = Option<Result<(), Error>>;

fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some(text.into_owned())
}

impl Recorded {
    pub(super) fn new(method: &str, target: &str, body: Value) -> Option<Self> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=')?;
            Some((decoded(name)?, decoded(value)?))
        };
        Some(Self {
            method: method.to_owned(),
            segments: path
                .split('/')
                .skip(1)
                .map(decoded)
                .collect::<Option<_>>()?,
            query: pairs.map(pair).collect::<Option<_>>()?,
            body,
        })
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let pairs = self.query.iter();
        pairs
            .filter(move |(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    fn one(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.iter();
        let (_, value) = pairs.find(|(given, _)| given == name)?;
        Some(value)
    }

    fn is(&self, name: &str) -> bool {
        self.one(name) == Some("true")
    }

    fn page(&self) -> Page {
        let number = |name| self.one(name).and_then(|text| text.parse().ok());
        Page {
            offset: number("offset"),
            limit: number("limit"),
        }
    }

    fn deleted(&self) -> Deleted {
        match (self.is("deleted"), self.is("deletedOnly")) {
            (true, _) => Deleted::With,
            (false, true) => Deleted::Only,
            (false, false) => Deleted::Without,
        }
    }

    fn schema(&self) -> Option<SchemaText> {
        let body: SchemaRequest = serde_json::from_value(self.body.clone()).ok()?;
        let kind = body.schema_type.as_deref().unwrap_or("AVRO");
        let mut schema = SchemaText::new(SchemaType::from_wire_name(kind)?, body.schema?);
        if let Some(references) = body.references {
            let references = references.iter().map(crate::body::ReferenceBody::reference);
            schema = schema.with_references(references.collect::<Option<Vec<Reference>>>()?);
        }
        if let Some(metadata) = body.metadata {
            schema = schema.with_metadata(Metadata(metadata.to_string().into()));
        }
        Some(schema)
    }

    fn body<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.body.clone()).ok()
    }

    fn filter(&self) -> AssociationFilter {
        AssociationFilter {
            resource_type: self.one("resourceType").map(str::to_owned),
            association_types: self.all("associationType").map(str::to_owned).collect(),
            lifecycle: self.one("lifecycle").map(str::to_owned),
            page: self.page(),
        }
    }
}

fn version(segment: &str) -> Option<VersionName> {
    match segment {
        "latest" => Some(VersionName::Latest),
        number => Version::new(number.parse().ok()?).map(VersionName::Number),
    }
}

fn id(segment: &str) -> Option<SchemaId> {
    SchemaId::new(segment.parse().ok()?)
}

/// The result without what was answered.
fn done<T>(result: Result<T, Error>) -> Sent {
    Some(result.map(|_| ()))
}

/// Puts a recorded request to the method that it belongs to.
pub(super) async fn send(client: &RegistryClient, recorded: &Recorded) -> Sent {
    let segments: Vec<&str> = recorded.segments.iter().map(String::as_str).collect();
    match (recorded.method.as_str(), segments.as_slice()) {
        ("GET", ["schemas", rest @ ..]) => send_schemas(client, recorded, rest).await,
        ("GET", ["subjects", rest @ ..]) => send_subject_reads(client, recorded, rest).await,
        (_, ["subjects", rest @ ..]) => send_subjects(client, recorded, rest).await,
        (_, ["associations", rest @ ..]) => send_associations(client, recorded, rest).await,
        ("POST", [batch]) => send_batch(client, recorded, batch).await,
        (method, [kind @ ("config" | "mode"), rest @ ..]) => {
            let subject = match rest {
                [] => None,
                [name] => Some(Subject::new(name)?),
                _ => return None,
            };
            send_settings(client, recorded, (method, kind), subject.as_ref()).await
        }
        ("POST", ["compatibility", "subjects", name, "versions", number @ ..]) => {
            let number = match number {
                [] => None,
                [number] => Some(version(number)?),
                _ => return None,
            };
            let (normalize, verbose) = (recorded.is("normalize"), recorded.is("verbose"));
            let (subject, schema) = (Subject::new(name)?, recorded.schema()?);
            let sent = client.test_compatibility(&subject, number, &schema, normalize, verbose);
            done(sent.await)
        }
        ("GET", ["contexts"]) => done(client.contexts(recorded.page()).await),
        ("DELETE", ["contexts", name]) => done(client.delete_context(name).await),
        ("GET", ["v1", "metadata", "version"]) => done(client.server_version().await),
        ("GET", ["v1", "metadata", "id"]) => done(client.cluster_id().await),
        _ => None,
    }
}

async fn send_schemas(client: &RegistryClient, recorded: &Recorded, rest: &[&str]) -> Sent {
    let deleted = recorded.is("deleted");
    let format = recorded.one("format");
    let subject = recorded.one("subject").and_then(Subject::new);
    let subject = subject.as_ref();
    match rest {
        [] => {
            let filter = SchemaFilter {
                subject_prefix: recorded.one("subjectPrefix").map(str::to_owned),
                deleted,
                latest_only: recorded.is("latestOnly"),
                page: recorded.page(),
            };
            done(client.schemas(&filter).await)
        }
        ["types"] => done(client.schema_types().await),
        ["ids", number] if format.is_some() || recorded.is("fetchMaxId") => {
            let sent = client.schema_answer_by_id(id(number)?, subject, format);
            done(sent.await)
        }
        ["ids", number] => done(client.schema_by_id(id(number)?, subject).await),
        ["ids", number, "schema"] => {
            let sent = client.schema_text_by_id(id(number)?, subject, format);
            done(sent.await)
        }
        ["ids", number, "subjects"] => {
            done(client.subjects_of_id(id(number)?, subject, deleted).await)
        }
        ["ids", number, "versions"] => {
            done(client.versions_of_id(id(number)?, subject, deleted).await)
        }
        ["guids", guid] => done(client.schema_by_guid(SchemaGuid::parse(guid)?).await),
        ["guids", guid, "ids"] => done(client.ids_of_guid(SchemaGuid::parse(guid)?).await),
        _ => None,
    }
}

async fn send_subject_reads(client: &RegistryClient, recorded: &Recorded, rest: &[&str]) -> Sent {
    let deleted = recorded.is("deleted");
    let format = recorded.one("format");
    let [name, rest @ ..] = rest else {
        let prefix = recorded.one("subjectPrefix");
        let sent = client.subjects(prefix, recorded.deleted(), recorded.page());
        return done(sent.await);
    };
    let subject = Subject::new(name)?;
    match rest {
        ["versions"] => {
            let sent = client.versions(&subject, recorded.deleted(), recorded.page());
            done(sent.await)
        }
        ["versions", "latest"] if !deleted => done(client.latest(&subject).await),
        ["versions", number] => {
            let named = version(number)?;
            if let (VersionName::Number(number), None) = (named, format) {
                return done(client.version(&subject, number, deleted).await);
            }
            let sent = client.version_answer(&subject, named, deleted, format);
            done(sent.await)
        }
        ["versions", number, "schema"] => {
            let sent = client.version_text(&subject, version(number)?, deleted, format);
            done(sent.await)
        }
        ["versions", number, "referencedby"] => {
            let sent = client.referenced_by(&subject, version(number)?, deleted);
            done(sent.await)
        }
        ["metadata"] => {
            let keys = recorded.all("key").map(Into::into);
            let properties: Vec<(Box<str>, Box<str>)> =
                keys.zip(recorded.all("value").map(Into::into)).collect();
            let sent = client.latest_with_metadata(&subject, &properties, deleted);
            done(sent.await)
        }
        _ => None,
    }
}

async fn send_subjects(client: &RegistryClient, recorded: &Recorded, rest: &[&str]) -> Sent {
    let (deleted, permanent) = (recorded.is("deleted"), recorded.is("permanent"));
    let normalize = recorded.is("normalize");
    let [name, rest @ ..] = rest else { return None };
    let subject = Subject::new(name)?;
    match (recorded.method.as_str(), rest) {
        ("POST", ["versions"]) if recorded.body.get("id").is_some() => {
            let body: SchemaRequest = recorded.body()?;
            let sent = client.register_as(&subject, &body, normalize);
            done(sent.await)
        }
        ("POST", ["versions"]) => {
            let schema = recorded.schema()?;
            done(client.register(&subject, &schema, normalize).await)
        }
        ("POST", []) => {
            let schema = recorded.schema()?;
            done(client.find(&subject, &schema, normalize, deleted).await)
        }
        ("DELETE", []) => done(client.delete_subject(&subject, permanent).await),
        ("DELETE", ["versions", number]) => {
            let sent = client.delete_version(&subject, version(number)?, permanent);
            done(sent.await)
        }
        _ => None,
    }
}

async fn send_settings(
    client: &RegistryClient,
    recorded: &Recorded,
    what: (&str, &str),
    subject: Option<&Subject>,
) -> Sent {
    let global = recorded.is("defaultToGlobal");
    match what {
        ("GET", "config") => done(client.config_of(subject, global).await),
        ("DELETE", "config") => done(client.delete_config(subject).await),
        ("PUT", "config") => {
            let members = recorded.body.as_object()?;
            match recorded.body::<ConfigBody>() {
                Some(body) if !members.values().any(Value::is_null) => {
                    done(client.put_config(subject, &body).await)
                }
                Some(_) | None => done(client.put_config_members(subject, members).await),
            }
        }
        ("GET", "mode") => done(client.mode_of(subject, global).await),
        ("DELETE", "mode") => done(client.delete_mode(subject).await),
        ("PUT", "mode") => {
            let (body, force): (ModeBody, _) = (recorded.body()?, recorded.is("force"));
            done(client.put_mode(subject, &body, force).await)
        }
        _ => None,
    }
}

async fn send_associations(client: &RegistryClient, recorded: &Recorded, rest: &[&str]) -> Sent {
    let filter = recorded.filter();
    let dry_run = recorded.is("dryRun");
    match (recorded.method.as_str(), rest) {
        ("GET", ["resources", namespace, topic]) if filter.association_types.len() == 1 => {
            let topic = TopicPart {
                topic: (*topic).into(),
                cluster: (*namespace != "-").then(|| (*namespace).into()),
                is_key: filter.association_types[0] == "key",
            };
            done(client.associated(&topic).await)
        }
        ("GET", ["resources", namespace, name]) => {
            done(client.associations_by_name(namespace, name, &filter).await)
        }
        ("GET", ["resources", id]) => done(client.associations_by_id(id, &filter).await),
        ("GET", ["subjects", name]) => {
            let sent = client
                .associations_by_subject(&Subject::new(name)?, &filter)
                .await;
            done(sent)
        }
        ("POST", []) => {
            let body: ResourceAssociations = recorded.body()?;
            done(client.create_associations(&body, dry_run).await)
        }
        ("PUT", ["resources", id]) => {
            let body: ResourceAssociations = recorded.body()?;
            done(client.put_associations(id, &body, dry_run).await)
        }
        ("DELETE", ["resources", id]) => {
            let cascade = recorded.is("cascadeLifecycle");
            let sent = client.delete_associations(id, &filter, cascade, dry_run);
            done(sent.await)
        }
        _ => None,
    }
}

async fn send_batch(client: &RegistryClient, recorded: &Recorded, batch: &str) -> Sent {
    let body: AssociationBatch = recorded.body()?;
    match batch {
        "associations:batchGet" => {
            let include = recorded.is("includeSchemas");
            done(client.get_associations(&body, include).await)
        }
        "associations:batchMutate" => done(client.change_associations(&body).await),
        _ => None,
    }
}

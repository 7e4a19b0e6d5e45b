//! Every path of the registry's REST interface, with its query: the one place where they are spelled and percent-encoded.

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::transport::Method;
use crate::{SchemaGuid, SchemaId, Subject, TopicPart, Version};

/// A request without what every request has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) target: String,
    pub(super) body: Bytes,
}

/// In a path everything stays that has no meaning there (RFC 3986, section 3.3), but for `;`, which servers in Java take for the begin
/// of parameters.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// In a query only what is never encoded stays.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl Call {
    fn new(method: Method, path: &[&str]) -> Self {
        let mut target = String::new();
        for segment in path {
            target.push('/');
            target.extend(utf8_percent_encode(segment, SEGMENT));
        }
        Self {
            method,
            target,
            body: Bytes::new(),
        }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.target
            .push(if self.target.contains('?') { '&' } else { '?' });
        self.target.push_str(name);
        self.target.push('=');
        self.target.extend(utf8_percent_encode(value, QUERY));
        self
    }

    fn flag(self, name: &str, value: bool) -> Self {
        self.with(name, if value { "true" } else { "false" })
    }

    fn maybe(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    fn body(mut self, body: &impl Serialize) -> Self {
        let bytes = serde_json::to_vec(body).expect(
            "the bodies have string keys and no maps of other kinds, so JSON can hold them",
        );
        self.body = bytes.into();
        self
    }

    fn page(self, page: Page) -> Self {
        let text = |number: Option<u32>| number.map(|number| number.to_string());
        self.maybe("offset", text(page.offset).as_deref())
            .maybe("limit", text(page.limit).as_deref())
    }
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the two parameters of the interface"
)]
pub struct Page {
    /// How many entries to leave out.
    pub offset: Option<u32>,
    /// How many entries at most.
    pub limit: Option<u32>,
}

/// Which version of a subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "the two ways of the interface")]
pub enum VersionName {
    /// The newest that is not deleted.
    Latest,
    /// This one.
    Number(Version),
}

impl VersionName {
    fn segment(self) -> String {
        match self {
            Self::Latest => "latest".to_owned(),
            Self::Number(version) => version.to_string(),
        }
    }
}

/// Which of the deleted ones to list too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the two parameters of the interface"
)]
pub enum Deleted {
    /// None.
    #[default]
    Without,
    /// The softly deleted ones too.
    With,
    /// Only the softly deleted ones.
    Only,
}

impl Deleted {
    fn put(self, call: Call) -> Call {
        call.flag("deleted", self == Self::With)
            .flag("deletedOnly", self == Self::Only)
    }
}

/// Which schemas to list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "the parameters of the interface")]
pub struct SchemaFilter {
    /// Only subjects that begin so.
    pub subject_prefix: Option<String>,
    /// Softly deleted ones too.
    pub deleted: bool,
    /// Only the newest version of each subject.
    pub latest_only: bool,
    /// Which part of the list.
    pub page: Page,
}

/// `GET /schemas`
pub(super) fn schemas(filter: &SchemaFilter) -> Call {
    Call::new(Method::Get, &["schemas"])
        .maybe("subjectPrefix", filter.subject_prefix.as_deref())
        .flag("deleted", filter.deleted)
        .flag("latestOnly", filter.latest_only)
        .page(filter.page)
}

/// `GET /schemas/types`
pub(super) fn schema_types() -> Call {
    Call::new(Method::Get, &["schemas", "types"])
}

/// `GET /schemas/ids/{id}`. Without a subject the parameter is sent empty, as the Java client does.
pub(super) fn by_id(
    id: SchemaId,
    subject: Option<&Subject>,
    format: Option<&str>,
    max: bool,
) -> Call {
    Call::new(Method::Get, &["schemas", "ids", &id.to_string()])
        .flag("fetchMaxId", max)
        .with("subject", subject.map_or("", Subject::as_str))
        .maybe("format", format)
}

/// `GET /schemas/ids/{id}/schema`
pub(super) fn text_by_id(id: SchemaId, subject: Option<&Subject>, format: Option<&str>) -> Call {
    Call::new(Method::Get, &["schemas", "ids", &id.to_string(), "schema"])
        .maybe("subject", subject.map(Subject::as_str))
        .maybe("format", format)
}

/// `GET /schemas/ids/{id}/subjects`
pub(super) fn subjects_of_id(id: SchemaId, subject: Option<&Subject>, deleted: bool) -> Call {
    Call::new(
        Method::Get,
        &["schemas", "ids", &id.to_string(), "subjects"],
    )
    .maybe("subject", subject.map(Subject::as_str))
    .flag("deleted", deleted)
}

/// `GET /schemas/ids/{id}/versions`
pub(super) fn versions_of_id(id: SchemaId, subject: Option<&Subject>, deleted: bool) -> Call {
    Call::new(
        Method::Get,
        &["schemas", "ids", &id.to_string(), "versions"],
    )
    .maybe("subject", subject.map(Subject::as_str))
    .flag("deleted", deleted)
}

/// `GET /schemas/guids/{guid}`
pub(super) fn by_guid(guid: SchemaGuid, format: Option<&str>) -> Call {
    Call::new(Method::Get, &["schemas", "guids", &guid.to_string()]).maybe("format", format)
}

/// `GET /schemas/guids/{guid}/ids`
pub(super) fn ids_of_guid(guid: SchemaGuid) -> Call {
    Call::new(Method::Get, &["schemas", "guids", &guid.to_string(), "ids"])
}

/// `GET /subjects`; the plain question has no query, as the Java client's.
pub(super) fn subjects(prefix: Option<&str>, deleted: Deleted, page: Page) -> Call {
    let call = Call::new(Method::Get, &["subjects"]);
    if prefix.is_none() && deleted == Deleted::Without && page == Page::default() {
        return call;
    }
    deleted.put(call).maybe("subjectPrefix", prefix).page(page)
}

/// `GET /subjects/{subject}/versions`
pub(super) fn versions(subject: &Subject, deleted: Deleted, page: Page) -> Call {
    let call = Call::new(Method::Get, &["subjects", subject.as_str(), "versions"]);
    deleted.put(call).page(page)
}

/// `GET /subjects/{subject}/versions/{version}`
pub(super) fn version(
    subject: &Subject,
    version: VersionName,
    deleted: bool,
    format: Option<&str>,
) -> Call {
    let path = ["subjects", subject.as_str(), "versions", &version.segment()];
    let call = Call::new(Method::Get, &path);
    let call = match version {
        VersionName::Latest if !deleted => call,
        VersionName::Latest | VersionName::Number(_) => call.flag("deleted", deleted),
    };
    call.maybe("format", format)
}

/// `GET /subjects/{subject}/versions/{version}/schema`
pub(super) fn text_of_version(
    subject: &Subject,
    version: VersionName,
    deleted: bool,
    format: Option<&str>,
) -> Call {
    let version = version.segment();
    let path = ["subjects", subject.as_str(), "versions", &version, "schema"];
    Call::new(Method::Get, &path)
        .flag("deleted", deleted)
        .maybe("format", format)
}

/// `GET /subjects/{subject}/versions/{version}/referencedby`
pub(super) fn referenced_by(subject: &Subject, version: VersionName, deleted: bool) -> Call {
    let version = version.segment();
    let path = [
        "subjects",
        subject.as_str(),
        "versions",
        &version,
        "referencedby",
    ];
    Call::new(Method::Get, &path).flag("deleted", deleted)
}

/// `GET /subjects/{subject}/metadata`
pub(super) fn latest_with_metadata(
    subject: &Subject,
    properties: &[(Box<str>, Box<str>)],
    deleted: bool,
) -> Call {
    let call = Call::new(Method::Get, &["subjects", subject.as_str(), "metadata"]);
    let pair =
        |call: Call, pair: &(Box<str>, Box<str>)| call.with("key", &pair.0).with("value", &pair.1);
    properties.iter().fold(call, pair).flag("deleted", deleted)
}

/// `POST /subjects/{subject}/versions`
pub(super) fn register(subject: &Subject, body: &impl Serialize, normalize: bool) -> Call {
    Call::new(Method::Post, &["subjects", subject.as_str(), "versions"])
        .flag("normalize", normalize)
        .body(body)
}

/// `POST /subjects/{subject}`
pub(super) fn find(
    subject: &Subject,
    body: &impl Serialize,
    normalize: bool,
    deleted: bool,
) -> Call {
    Call::new(Method::Post, &["subjects", subject.as_str()])
        .flag("normalize", normalize)
        .flag("deleted", deleted)
        .body(body)
}

/// `DELETE /subjects/{subject}`
pub(super) fn delete_subject(subject: &Subject, permanent: bool) -> Call {
    Call::new(Method::Delete, &["subjects", subject.as_str()]).flag("permanent", permanent)
}

/// `DELETE /subjects/{subject}/versions/{version}`
pub(super) fn delete_version(subject: &Subject, version: VersionName, permanent: bool) -> Call {
    let path = ["subjects", subject.as_str(), "versions", &version.segment()];
    Call::new(Method::Delete, &path).flag("permanent", permanent)
}

/// `POST /compatibility/subjects/{subject}/versions[/{version}]`; without a version the subject's level says with which ones.
pub(super) fn compatibility(
    subject: &Subject,
    version: Option<VersionName>,
    body: &impl Serialize,
    normalize: bool,
    verbose: bool,
) -> Call {
    let number = version.map(VersionName::segment);
    let mut path = vec!["compatibility", "subjects", subject.as_str(), "versions"];
    path.extend(number.as_deref());
    Call::new(Method::Post, &path)
        .flag("normalize", normalize)
        .flag("verbose", verbose)
        .body(body)
}

fn setting(method: Method, kind: &str, subject: Option<&Subject>) -> Call {
    match subject {
        Some(subject) => Call::new(method, &[kind, subject.as_str()]),
        None => Call::new(method, &[kind]),
    }
}

/// `GET /config[/{subject}]`
pub(super) fn config(subject: Option<&Subject>, default_to_global: bool) -> Call {
    setting(Method::Get, "config", subject).flag("defaultToGlobal", default_to_global)
}

/// `PUT /config[/{subject}]`
pub(super) fn put_config(subject: Option<&Subject>, body: &impl Serialize) -> Call {
    setting(Method::Put, "config", subject).body(body)
}

/// `DELETE /config[/{subject}]`
pub(super) fn delete_config(subject: Option<&Subject>) -> Call {
    setting(Method::Delete, "config", subject)
}

/// `GET /mode[/{subject}]`
pub(super) fn mode(subject: Option<&Subject>, default_to_global: bool) -> Call {
    setting(Method::Get, "mode", subject).flag("defaultToGlobal", default_to_global)
}

/// `PUT /mode[/{subject}]`
pub(super) fn put_mode(subject: Option<&Subject>, body: &impl Serialize, force: bool) -> Call {
    setting(Method::Put, "mode", subject)
        .flag("force", force)
        .body(body)
}

/// `DELETE /mode[/{subject}]`
pub(super) fn delete_mode(subject: Option<&Subject>) -> Call {
    setting(Method::Delete, "mode", subject)
}

/// `GET /contexts`
pub(super) fn contexts(page: Page) -> Call {
    Call::new(Method::Get, &["contexts"]).page(page)
}

/// `DELETE /contexts/{context}`
pub(super) fn delete_context(context: &str) -> Call {
    Call::new(Method::Delete, &["contexts", context])
}

/// `GET /v1/metadata/id`
pub(super) fn cluster_id() -> Call {
    Call::new(Method::Get, &["v1", "metadata", "id"])
}

/// `GET /v1/metadata/version`
pub(super) fn server_version() -> Call {
    Call::new(Method::Get, &["v1", "metadata", "version"])
}

/// Which associations of a resource or subject.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "the parameters of the interface")]
pub struct AssociationFilter {
    /// `topic`.
    pub resource_type: Option<String>,
    /// `key`, `value`; all when empty.
    pub association_types: Vec<String>,
    /// `WEAK` or `STRONG`.
    pub lifecycle: Option<String>,
    /// Which part of the list.
    pub page: Page,
}

impl AssociationFilter {
    fn put(&self, call: Call) -> Call {
        let call = call.maybe("resourceType", self.resource_type.as_deref());
        self.association_types
            .iter()
            .fold(call, |call, kind| call.with("associationType", kind))
            .maybe("lifecycle", self.lifecycle.as_deref())
            .page(self.page)
    }
}

/// `GET /associations/resources/{namespace}/{topic}` for one side of a topic.
pub(super) fn associations_of_topic(topic: &TopicPart) -> Call {
    let namespace = topic.cluster.as_deref().unwrap_or("-");
    let filter = AssociationFilter {
        resource_type: Some("topic".to_owned()),
        association_types: vec![if topic.is_key { "key" } else { "value" }.to_owned()],
        ..AssociationFilter::default()
    };
    associations_by_name(namespace, &topic.topic, &filter)
}

/// `GET /associations/resources/{namespace}/{name}`
pub(super) fn associations_by_name(
    namespace: &str,
    name: &str,
    filter: &AssociationFilter,
) -> Call {
    let path = ["associations", "resources", namespace, name];
    filter.put(Call::new(Method::Get, &path))
}

/// `GET /associations/resources/{id}`
pub(super) fn associations_by_id(id: &str, filter: &AssociationFilter) -> Call {
    filter.put(Call::new(Method::Get, &["associations", "resources", id]))
}

/// `GET /associations/subjects/{subject}`
pub(super) fn associations_by_subject(subject: &Subject, filter: &AssociationFilter) -> Call {
    let path = ["associations", "subjects", subject.as_str()];
    filter.put(Call::new(Method::Get, &path))
}

/// `POST /associations`
pub(super) fn create_associations(body: &impl Serialize, dry_run: bool) -> Call {
    Call::new(Method::Post, &["associations"])
        .flag("dryRun", dry_run)
        .body(body)
}

/// `PUT /associations/resources/{id}`
pub(super) fn put_associations(id: &str, body: &impl Serialize, dry_run: bool) -> Call {
    Call::new(Method::Put, &["associations", "resources", id])
        .flag("dryRun", dry_run)
        .body(body)
}

/// `DELETE /associations/resources/{id}`
pub(super) fn delete_associations(
    id: &str,
    filter: &AssociationFilter,
    cascade: bool,
    dry_run: bool,
) -> Call {
    let call = Call::new(Method::Delete, &["associations", "resources", id]);
    filter
        .put(call)
        .flag("cascadeLifecycle", cascade)
        .flag("dryRun", dry_run)
}

/// `POST /associations:batchGet`
pub(super) fn get_associations(body: &impl Serialize, include_schemas: bool) -> Call {
    Call::new(Method::Post, &["associations:batchGet"])
        .flag("includeSchemas", include_schemas)
        .body(body)
}

/// `POST /associations:batchMutate`
pub(super) fn change_associations(body: &impl Serialize) -> Call {
    Call::new(Method::Post, &["associations:batchMutate"]).body(body)
}

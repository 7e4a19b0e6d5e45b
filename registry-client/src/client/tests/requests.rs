//! The requests are those that the Java client was recorded to send: each recorded one is read, put to the method that it belongs to,
//! and compared with what that method sends.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::super::*;
use super::script::{Script, client_of, reply};
use crate::body::{ConfigBody, ModeBody, ResourceAssociations, SchemaRequest};
use crate::{
    Metadata, Reference, SchemaGuid, SchemaId, SchemaText, SchemaType, Subject, TopicPart, Version,
};

const RECORDED: &str = include_str!("../../../testdata/client_requests.jsonl");

struct Recorded {
    method: String,
    segments: Vec<String>,
    query: Vec<(String, String)>,
    body: Value,
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

impl Recorded {
    fn new(request: &Value) -> Self {
        let target = request["path"].as_str().unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Self {
            method: request["method"].as_str().unwrap().to_owned(),
            segments: path.split('/').skip(1).map(decoded).collect(),
            query: pairs
                .map(|pair| pair.split_once('=').unwrap())
                .map(|(name, value)| (decoded(name), decoded(value)))
                .collect(),
            body: request["body"]
                .as_str()
                .map_or(Value::Null, |text| serde_json::from_str(text).unwrap()),
        }
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

    fn deleted(&self) -> Deleted {
        match (self.is("deleted"), self.is("deletedOnly")) {
            (true, _) => Deleted::With,
            (false, true) => Deleted::Only,
            (false, false) => Deleted::Without,
        }
    }

    fn schema(&self) -> SchemaText {
        let body: SchemaRequest = serde_json::from_value(self.body.clone()).unwrap();
        let kind = SchemaType::from_wire_name(&body.schema_type.unwrap()).unwrap();
        let mut schema = SchemaText::new(kind, body.schema.unwrap());
        if let Some(references) = body.references {
            let references: Vec<Reference> =
                references.iter().map(|r| r.reference().unwrap()).collect();
            schema = schema.with_references(references);
        }
        if let Some(metadata) = body.metadata {
            schema = schema.with_metadata(Metadata(metadata.to_string().into()));
        }
        schema
    }

    fn filter(&self) -> AssociationFilter {
        AssociationFilter {
            resource_type: self.one("resourceType").map(str::to_owned),
            association_types: self.all("associationType").map(str::to_owned).collect(),
            lifecycle: self.one("lifecycle").map(str::to_owned),
            page: Page::default(),
        }
    }
}

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
}

fn version(segment: &str) -> VersionName {
    match segment {
        "latest" => VersionName::Latest,
        number => VersionName::Number(Version::new(number.parse().unwrap()).unwrap()),
    }
}

/// Puts a recorded request to the method that it belongs to. What comes back does not matter here.
async fn send(client: &RegistryClient, recorded: &Recorded) -> bool {
    let segments: Vec<&str> = recorded.segments.iter().map(String::as_str).collect();
    match (recorded.method.as_str(), segments.as_slice()) {
        ("GET", ["schemas", rest @ ..]) => send_schemas(client, recorded, rest).await,
        (_, ["subjects", rest @ ..]) => send_subjects(client, recorded, rest).await,
        (_, ["associations", rest @ ..]) => send_associations(client, recorded, rest).await,
        (method, [kind @ ("config" | "mode"), rest @ ..]) => {
            let subject = rest.first().map(|name| subject(name));
            send_settings(client, recorded, (method, kind), subject.as_ref()).await
        }
        ("POST", ["compatibility", "subjects", name, "versions", number @ ..]) => {
            let number = number.first().map(|number| version(number));
            let (normalize, verbose) = (recorded.is("normalize"), recorded.is("verbose"));
            let schema = recorded.schema();
            let _sent = client
                .test_compatibility(&subject(name), number, &schema, normalize, verbose)
                .await;
            true
        }
        ("GET", ["contexts"]) => client.contexts(Page::default()).await.is_err(),
        ("GET", ["v1", "metadata", "version"]) => client.server_version().await.is_err(),
        _ => false,
    }
}

async fn send_schemas(client: &RegistryClient, recorded: &Recorded, rest: &[&str]) -> bool {
    let id = |text: &str| SchemaId::new(text.parse().unwrap()).unwrap();
    let deleted = recorded.is("deleted");
    match rest {
        [] => {
            let filter = SchemaFilter {
                subject_prefix: recorded.one("subjectPrefix").map(str::to_owned),
                deleted,
                latest_only: recorded.is("latestOnly"),
                page: Page::default(),
            };
            client.schemas(&filter).await.is_err()
        }
        ["ids", number] => {
            let of = recorded.one("subject").and_then(Subject::new);
            client.schema_by_id(id(number), of.as_ref()).await.is_err()
        }
        ["ids", number, "subjects"] => client
            .subjects_of_id(id(number), None, deleted)
            .await
            .is_err(),
        ["ids", number, "versions"] => client
            .versions_of_id(id(number), None, deleted)
            .await
            .is_err(),
        ["guids", guid] => {
            let guid = SchemaGuid::parse(guid).unwrap();
            client.schema_by_guid(guid).await.is_err()
        }
        _ => false,
    }
}

async fn send_subjects(client: &RegistryClient, recorded: &Recorded, rest: &[&str]) -> bool {
    let (deleted, permanent) = (recorded.is("deleted"), recorded.is("permanent"));
    match (recorded.method.as_str(), rest) {
        ("GET", []) => {
            let prefix = recorded.one("subjectPrefix");
            let sent = client
                .subjects(prefix, recorded.deleted(), Page::default())
                .await;
            sent.is_err()
        }
        ("GET", [name, "versions"]) => {
            let sent = client
                .versions(&subject(name), recorded.deleted(), Page::default())
                .await;
            sent.is_err()
        }
        ("GET", [name, "versions", "latest"]) => client.latest(&subject(name)).await.is_err(),
        ("GET", [name, "versions", number]) => {
            let number = Version::new(number.parse().unwrap()).unwrap();
            client
                .version(&subject(name), number, deleted)
                .await
                .is_err()
        }
        ("GET", [name, "metadata"]) => {
            let keys = recorded.all("key").map(Into::into);
            let properties: Vec<(Box<str>, Box<str>)> =
                keys.zip(recorded.all("value").map(Into::into)).collect();
            let sent = client
                .latest_with_metadata(&subject(name), &properties, deleted)
                .await;
            sent.is_err()
        }
        ("POST", [name, "versions"]) => {
            let (schema, normalize) = (recorded.schema(), recorded.is("normalize"));
            let _sent = client.register(&subject(name), &schema, normalize).await;
            true
        }
        ("POST", [name]) => {
            let (schema, normalize) = (recorded.schema(), recorded.is("normalize"));
            let _sent = client
                .find(&subject(name), &schema, normalize, deleted)
                .await;
            true
        }
        ("DELETE", [name]) => client
            .delete_subject(&subject(name), permanent)
            .await
            .is_err(),
        ("DELETE", [name, "versions", number]) => {
            let sent = client
                .delete_version(&subject(name), version(number), permanent)
                .await;
            sent.is_err()
        }
        _ => false,
    }
}

async fn send_settings(
    client: &RegistryClient,
    recorded: &Recorded,
    what: (&str, &str),
    subject: Option<&Subject>,
) -> bool {
    let global = recorded.is("defaultToGlobal");
    match what {
        ("GET", "config") => client.config_of(subject, global).await.is_err(),
        ("DELETE", "config") => client.delete_config(subject).await.is_err(),
        ("PUT", "config") => {
            let body: ConfigBody = serde_json::from_value(recorded.body.clone()).unwrap();
            client.put_config(subject, &body).await.is_err()
        }
        ("GET", "mode") => client.mode_of(subject, global).await.is_err(),
        ("DELETE", "mode") => client.delete_mode(subject).await.is_err(),
        ("PUT", "mode") => {
            let body: ModeBody = serde_json::from_value(recorded.body.clone()).unwrap();
            let force = recorded.is("force");
            client.put_mode(subject, &body, force).await.is_err()
        }
        _ => false,
    }
}

async fn send_associations(client: &RegistryClient, recorded: &Recorded, rest: &[&str]) -> bool {
    let filter = recorded.filter();
    match (recorded.method.as_str(), rest) {
        ("GET", ["resources", namespace, topic]) if filter.association_types.len() == 1 => {
            let topic = TopicPart {
                topic: (*topic).into(),
                cluster: (*namespace != "-").then(|| (*namespace).into()),
                is_key: filter.association_types[0] == "key",
            };
            client.associated(&topic).await.is_err()
        }
        ("GET", ["resources", namespace, name]) => {
            let sent = client.associations_by_name(namespace, name, &filter).await;
            sent.is_err()
        }
        ("GET", ["subjects", name]) => {
            let sent = client
                .associations_by_subject(&subject(name), &filter)
                .await;
            sent.is_err()
        }
        ("POST", []) => {
            let body: ResourceAssociations = serde_json::from_value(recorded.body.clone()).unwrap();
            let dry_run = recorded.is("dryRun");
            let _sent = client.create_associations(&body, dry_run).await;
            true
        }
        ("DELETE", ["resources", id]) => {
            let (cascade, dry_run) = (recorded.is("cascadeLifecycle"), recorded.is("dryRun"));
            let sent = client
                .delete_associations(id, &filter, cascade, dry_run)
                .await;
            sent.is_ok()
        }
        _ => false,
    }
}

/// The configuration under which the recorded request had its headers.
fn keys(headers: &serde_json::Map<String, Value>) -> Vec<(String, String)> {
    let mut keys = Vec::new();
    let mut key = |name: &str, value: &str| keys.push((name.to_owned(), value.to_owned()));
    for (name, value) in headers {
        let value = value.as_str().unwrap();
        match (name.as_str(), value.split_once(' ')) {
            ("Authorization", Some(("Basic", pair))) => {
                let pair = String::from_utf8(STANDARD.decode(pair).unwrap()).unwrap();
                key("basic.auth.credentials.source", "USER_INFO");
                key("basic.auth.user.info", &pair);
            }
            ("Authorization", Some(("Bearer", token))) => {
                key("bearer.auth.credentials.source", "STATIC_TOKEN");
                key("bearer.auth.token", token);
            }
            ("target-sr-cluster", _) => key("bearer.auth.logical.cluster", value),
            ("Confluent-Identity-Pool-Id", _) => key("bearer.auth.identity.pool.id", value),
            (own, _) if own.starts_with("x-") => key(&format!("request.header.{own}"), value),
            _ => {}
        }
    }
    keys
}

/// Members that are compared; those of the JDK's HTTP client and the client's version are not.
const HEADERS: [&str; 5] = [
    "Content-Type",
    "Confluent-Accept-Unknown-Properties",
    "Authorization",
    "target-sr-cluster",
    "Confluent-Identity-Pool-Id",
];

#[tokio::test]
async fn requests_are_those_of_the_java_client() {
    let mut sent = 0;
    for line in RECORDED.lines() {
        let call: Value = serde_json::from_str(line).unwrap();
        let name = call["call"].as_str().unwrap();
        for request in call["requests"].as_array().unwrap() {
            let recorded = Recorded::new(request);
            let headers = request["headers"].as_object().unwrap();
            let keys = keys(headers);
            let keys: Vec<_> = keys.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
            let node = Script::new("node", [reply(200, "\"none\"")]);
            let client = client_of(&keys, &[&node]).unwrap();
            assert!(
                send(&client, &recorded).await,
                "{name}: {}",
                request["path"]
            );

            let asked = node.asked();
            assert_eq!(asked.len(), 1, "{name}");
            let asked = &asked[0];
            assert_eq!(asked.method.name(), recorded.method, "{name}");
            assert_eq!(asked.target, request["path"].as_str().unwrap(), "{name}");
            for header in HEADERS {
                let expected = headers.get(header).and_then(Value::as_str);
                assert_eq!(asked.header(header), expected, "{name}: {header}");
            }
            for (header, value) in headers.iter().filter(|(name, _)| name.starts_with("x-")) {
                assert_eq!(asked.header(header), value.as_str(), "{name}");
            }
            let body = serde_json::from_slice(&asked.body).unwrap_or(Value::Null);
            assert_eq!(body, recorded.body, "{name}");
            sent += 1;
        }
    }
    assert!(sent >= 60, "{sent} requests were compared");
}

#[test]
fn members_of_a_body_stand_in_javas_order() {
    let reference = Reference {
        name: "N".into(),
        subject: subject("n"),
        version: Version::FIRST,
    };
    let schema = SchemaText::new(SchemaType::Avro, "\"int\"")
        .with_references([reference])
        .with_metadata(Metadata(r#"{"properties":{"b":"1","a":"2"}}"#.into()));
    let body = serde_json::to_string(&SchemaRequest::of(&schema)).unwrap();
    assert_eq!(
        body,
        r#"{"schemaType":"AVRO","references":[{"name":"N","subject":"n","version":1}],"metadata":{"properties":{"b":"1","a":"2"}},"schema":"\"int\""}"#
    );
}

#[tokio::test]
async fn each_node_gets_the_user_of_its_url() {
    let (one, two) = (
        Script::new("one", [super::script::broken()]),
        Script::new("two", [reply(200, "[]")]),
    );
    let config =
        ClientConfig::parse([("schema.registry.url", "http://a:1@one,http://b%3Ac:2@two")])
            .unwrap();
    let config::Address::Http(urls) = &config.address else {
        panic!("two nodes");
    };
    let nodes = [&one, &two]
        .into_iter()
        .zip(urls)
        .map(|(script, url)| Node {
            transport: std::sync::Arc::clone(script) as _,
            user: url.user.clone(),
        });
    let nodes = nodes.collect();
    let client = RegistryClient::with(config, nodes, None).unwrap();
    assert!(client.schema_types().await.unwrap().is_empty());
    assert_eq!(one.asked()[0].header("Authorization"), Some("Basic YTox"));
    assert_eq!(
        two.asked()[0].header("Authorization"),
        Some("Basic YjpjOjI=")
    );
}

#[tokio::test]
async fn odd_names_stay_within_their_segment() {
    let node = Script::new("node", [reply(200, "[]")]);
    let client = client_of(&[], &[&node]).unwrap();
    for (name, segment) in [
        ("a/b?c#d", "a%2Fb%3Fc%23d"),
        ("100% \\ \"x\" <y>", "100%25%20%5C%20%22x%22%20%3Cy%3E"),
        (":.ctx:é;v=1", ":.ctx:%C3%A9%3Bv=1"),
        ("...", "..."),
        ("日本", "%E6%97%A5%E6%9C%AC"),
    ] {
        let _sent = client
            .versions(
                &subject(name),
                Deleted::Only,
                Page {
                    offset: Some(2),
                    limit: Some(3),
                },
            )
            .await;
        let target = node.asked().pop().unwrap().target;
        assert_eq!(
            target,
            format!("/subjects/{segment}/versions?deleted=false&deletedOnly=true&offset=2&limit=3")
        );
    }
}

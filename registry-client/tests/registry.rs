//! The client and its caches before a registry of this crate, in the process and over HTTP.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ferroconnect_registry_client::body::{
    Association, AssociationBatch, AssociationChange, ConfigBody, ModeBody, ResourceAssociations,
    SchemaRequest,
};
use ferroconnect_registry_client::cache::CachingRegistry;
use ferroconnect_registry_client::client::{
    AssociationFilter, ClientConfig, Deleted, Node, Page, RegistryClient, SchemaFilter, VersionName,
};
use ferroconnect_registry_client::server::http::{Limits, Listener};
use ferroconnect_registry_client::server::{
    Delivery, Host, InProcess, Languages, Moment, Options, OwnedRequest, Server,
};
use ferroconnect_registry_client::{
    Answer, AsyncRegistry as _, Fault, Metadata, Question, Reference, RegistryCode, SchemaId,
    SchemaText, SchemaType, Subject, TopicPart, Version, references,
};

/// A registry that keeps nothing.
#[derive(Debug)]
struct Memory(Mutex<(Server, u128)>);

#[async_trait::async_trait]
impl Host for Memory {
    async fn answer(&self, request: OwnedRequest) -> Delivery {
        let mut memory = self.0.lock().unwrap();
        let (server, seed) = &mut *memory;
        *seed += 1;
        let moment = Moment {
            now: 1,
            seed: *seed,
        };
        Delivery::Answer(request.with(|request| server.handle(request, moment)).0)
    }
}

fn memory() -> Arc<Memory> {
    let server = Server::new(Options::default(), Languages::verbatim());
    Arc::new(Memory(Mutex::new((server, 0))))
}

fn in_process() -> RegistryClient {
    let config = ClientConfig::parse([("schema.registry.url", "embedded:")]).unwrap();
    let node = Node {
        transport: Arc::new(InProcess::new(memory(), "here")),
        user: None,
    };
    RegistryClient::with(config, vec![node], None).unwrap()
}

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
}

fn text(text: &str) -> SchemaText {
    SchemaText::new(SchemaType::Avro, text)
}

fn version(number: i32) -> Version {
    Version::new(number).unwrap()
}

#[tokio::test]
async fn schemas_are_registered_and_found_every_way() {
    let client = in_process();
    let odd = subject("a/b c+ü%;?#");
    let first = client
        .register(&odd, &text("\"int\""), false)
        .await
        .unwrap();
    assert_eq!((first.id.get(), first.version), (1, Some(Version::FIRST)));
    assert_eq!(
        client
            .find(&odd, &text("\"int\""), false, false)
            .await
            .unwrap(),
        first
    );
    assert_eq!(client.latest(&odd).await.unwrap(), first);
    assert_eq!(
        client.version(&odd, Version::FIRST, false).await.unwrap(),
        first
    );
    assert_eq!(
        client.schema_by_id(first.id, Some(&odd)).await.unwrap(),
        first
    );
    let by_guid = client.schema_by_guid(first.guid.unwrap()).await.unwrap();
    assert_eq!(
        (by_guid.schema, by_guid.id.get()),
        (first.schema.clone(), 0)
    );
    let ids = client.ids_of_guid(first.guid.unwrap()).await.unwrap();
    assert_eq!((ids[0].context.as_str(), ids[0].id), (".", 1));
    assert_eq!(
        client
            .schema_text_by_id(first.id, None, None)
            .await
            .unwrap(),
        "\"int\""
    );
    let latest = VersionName::Latest;
    assert_eq!(
        client
            .version_text(&odd, latest, false, None)
            .await
            .unwrap(),
        "\"int\""
    );
    assert_eq!(
        client.subjects_of_id(first.id, None, false).await.unwrap(),
        [odd.as_str()]
    );
    assert_eq!(
        client.versions_of_id(first.id, None, false).await.unwrap()[0].version,
        1
    );
    let whole = client
        .schema_answer_by_id(first.id, None, None)
        .await
        .unwrap();
    assert_eq!((whole.max_id, whole.deleted), (Some(1), Some(false)));
}

#[tokio::test]
async fn a_registry_tells_about_itself_and_what_it_does_not_know() {
    let client = in_process();
    assert!(
        client
            .schema_types()
            .await
            .unwrap()
            .contains(&"AVRO".to_owned())
    );
    assert!(client.cluster_id().await.unwrap()["scope"].is_object());
    assert!(!client.server_version().await.unwrap().version.is_empty());

    let unknown = client
        .schema_by_id(SchemaId::new(99).unwrap(), None)
        .await
        .unwrap_err();
    assert_eq!(unknown.code(), Some(RegistryCode::SCHEMA_NOT_FOUND));
    assert_eq!(unknown.fault(), Fault::Data);
}

#[tokio::test]
async fn metadata_contexts_and_lists() {
    let client = in_process();
    let (plain, there) = (subject("s"), subject(":.lab:s"));
    for owner in ["x", "y"] {
        let metadata = Metadata(format!(r#"{{"properties":{{"owner":"{owner}"}}}}"#).into());
        let schema = text("\"int\"").with_metadata(metadata);
        client.register(&plain, &schema, false).await.unwrap();
    }
    let wanted = [("owner".into(), "x".into())];
    let found = client
        .latest_with_metadata(&plain, &wanted, false)
        .await
        .unwrap();
    assert_eq!(found.version, Some(Version::FIRST));
    client
        .register(&there, &text("\"long\""), false)
        .await
        .unwrap();
    let id = SchemaId::new(1).unwrap();
    let elsewhere = client.schema_by_id(id, Some(&there)).await.unwrap();
    assert_eq!(elsewhere.schema.text(), "\"long\"");
    assert_eq!(
        client.contexts(Page::default()).await.unwrap(),
        [".", ".lab"]
    );
    let all = client
        .subjects(None, Deleted::Without, Page::default())
        .await
        .unwrap();
    assert_eq!(all, [":.lab:s", "s"]);
    let page = Page {
        offset: Some(1),
        limit: Some(5),
    };
    assert_eq!(
        client.subjects(None, Deleted::With, page).await.unwrap(),
        ["s"]
    );
    assert_eq!(
        client
            .versions(&plain, Deleted::Without, Page::default())
            .await
            .unwrap(),
        [1, 2]
    );
    let filter = SchemaFilter {
        latest_only: true,
        ..SchemaFilter::default()
    };
    let newest = client.schemas(&filter).await.unwrap();
    assert_eq!(
        (newest.len(), newest[0].version),
        (1, Some(2)),
        "of the default context"
    );

    let kept = client.delete_context(".lab").await.unwrap_err();
    assert_eq!(kept.code(), Some(RegistryCode::CONTEXT_NOT_EMPTY));
    for permanent in [false, true] {
        assert_eq!(client.delete_subject(&there, permanent).await.unwrap(), [1]);
    }
    client.delete_context(".lab").await.unwrap();
}

#[tokio::test]
async fn references_are_gathered() {
    let client = in_process();
    let import = |name: &str| Reference {
        name: name.into(),
        subject: subject(name),
        version: Version::FIRST,
    };
    for (name, imports) in [
        ("c", vec![]),
        ("b", vec![import("c")]),
        ("a", vec![import("b")]),
    ] {
        let schema = text(&format!("\"{name}\"")).with_references(imports);
        client
            .register(&subject(name), &schema, false)
            .await
            .unwrap();
    }
    let root = client.latest(&subject("a")).await.unwrap();
    let found = references::resolve(&client, &root.schema).await.unwrap();
    let texts: Vec<_> = found.iter().map(|found| found.text.as_str()).collect();
    assert_eq!(texts, ["\"c\"", "\"b\""]);
    let users = client
        .referenced_by(&subject("c"), VersionName::Latest, false)
        .await
        .unwrap();
    assert_eq!(users, [SchemaId::new(2).unwrap()]);
    let used = client
        .delete_version(&subject("c"), VersionName::Latest, false)
        .await
        .unwrap_err();
    assert_eq!(used.code(), Some(RegistryCode::REFERENCE_EXISTS));
}

#[tokio::test]
async fn settings_modes_and_compatibility() {
    let client = in_process();
    let name = subject("s");
    let none = client.config_of(Some(&name), false).await.unwrap_err();
    assert_eq!(none.code(), Some(RegistryCode::NO_SUBJECT_CONFIG));
    let global = client.config_of(None, false).await.unwrap();
    assert_eq!(global.level(), Some("BACKWARD"));
    let full = ConfigBody {
        compatibility: Some("FULL".into()),
        ..ConfigBody::default()
    };
    client.put_config(Some(&name), &full).await.unwrap();
    let set = client.config_of(Some(&name), false).await.unwrap();
    assert_eq!(set.level(), Some("FULL"));
    let cleared = serde_json::Map::from_iter([("compatibility".into(), serde_json::Value::Null)]);
    assert_eq!(
        client
            .put_config_members(Some(&name), &cleared)
            .await
            .unwrap()
            .level(),
        None
    );
    client.delete_config(Some(&name)).await.unwrap();

    let schema = text("\"int\"");
    let verdict = client.test_compatibility(&name, None, &schema, false, true);
    assert!(verdict.await.unwrap().is_compatible);

    let read_only = ModeBody {
        mode: Some("READONLY".into()),
    };
    client
        .put_mode(Some(&name), &read_only, false)
        .await
        .unwrap();
    assert_eq!(client.mode_of(Some(&name), false).await.unwrap(), read_only);
    let refused = client
        .register(&name, &text("\"int\""), false)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Some(RegistryCode::OPERATION_NOT_PERMITTED));
    client.delete_mode(Some(&name)).await.unwrap();

    let import = ModeBody {
        mode: Some("IMPORT".into()),
    };
    client.put_mode(Some(&name), &import, true).await.unwrap();
    let body = SchemaRequest {
        id: Some(40),
        version: Some(7),
        ..SchemaRequest::of(&text("\"int\""))
    };
    assert_eq!(
        client.register_as(&name, &body, false).await.unwrap().id,
        Some(40)
    );
    let whole = client
        .version_answer(&name, VersionName::Latest, false, None)
        .await
        .unwrap();
    assert_eq!(whole.version, Some(7));
    for permanent in [false, true] {
        let number = VersionName::Number(version(7));
        assert_eq!(
            client
                .delete_version(&name, number, permanent)
                .await
                .unwrap(),
            7
        );
    }
}

fn change(op: Option<&str>, kind: &str) -> AssociationChange {
    AssociationChange {
        op_type: op.map(str::to_owned),
        subject: Some("s".into()),
        association_type: Some(kind.into()),
        lifecycle: Some("WEAK".into()),
        ..AssociationChange::default()
    }
}

fn resource(name: &str, associations: Option<Vec<AssociationChange>>) -> ResourceAssociations {
    ResourceAssociations {
        resource_name: Some(name.into()),
        resource_namespace: Some("lkc".into()),
        resource_id: Some(format!("id-{name}")),
        resource_type: Some("topic".into()),
        associations,
    }
}

#[tokio::test]
async fn associations_are_made_listed_and_deleted() {
    let client = in_process();
    client
        .register(&subject("s"), &text("\"int\""), false)
        .await
        .unwrap();
    let made = resource("t", Some(vec![change(None, "value")]));
    client.create_associations(&made, true).await.unwrap();
    let topic = TopicPart {
        topic: "t".into(),
        cluster: None,
        is_key: false,
    };
    assert!(
        client.associated(&topic).await.unwrap().is_empty(),
        "it was only a trial"
    );
    client.create_associations(&made, false).await.unwrap();
    assert_eq!(client.associated(&topic).await.unwrap(), [subject("s")]);
    let more = resource("u", Some(vec![change(None, "key")]));
    client.put_associations("id-u", &more, false).await.unwrap();

    let all = AssociationFilter::default();
    let names = |found: Vec<Association>| -> BTreeSet<String> {
        found
            .into_iter()
            .filter_map(|found| found.resource_name)
            .collect()
    };
    let by_subject = client
        .associations_by_subject(&subject("s"), &all)
        .await
        .unwrap();
    assert_eq!(names(by_subject), BTreeSet::from(["t".into(), "u".into()]));
    let by_name = client.associations_by_name("lkc", "t", &all).await.unwrap();
    let by_id = client.associations_by_id("id-t", &all).await.unwrap();
    assert_eq!((by_name.len(), &by_name), (1, &by_id));

    let batch = AssociationBatch {
        requests: vec![resource("v", Some(vec![change(Some("CREATE"), "value")]))],
    };
    let changed = client.change_associations(&batch).await.unwrap();
    assert!(changed.results[0].error.is_none(), "{changed:?}");
    let asked = AssociationBatch {
        requests: vec![resource("v", None)],
    };
    let found = client.get_associations(&asked, false).await.unwrap();
    let found = found.results[0].result.as_ref().unwrap();
    assert_eq!(found.associations.as_ref().unwrap().len(), 1);

    let kept = client
        .delete_subject(&subject("s"), false)
        .await
        .unwrap_err();
    assert!(kept.code().unwrap().is_association_conflict());
    for id in ["id-t", "id-u", "id-v"] {
        client
            .delete_associations(id, &all, false, false)
            .await
            .unwrap();
    }
    client.delete_subject(&subject("s"), false).await.unwrap();
}

/// A worker's registry at this address, with a folder.
fn worker(address: &str, folder: &Path) -> CachingRegistry<RegistryClient> {
    let url = format!("http://{address}");
    let config = ClientConfig::parse([
        ("schema.registry.url", url.as_str()),
        ("schema.registry.cache.dir", folder.to_str().unwrap()),
        ("latest.cache.ttl.sec", "0"),
        ("max.retries", "1"),
        ("retries.wait.ms", "1"),
    ]);
    CachingRegistry::connect(config.unwrap()).unwrap()
}

async fn id_of(registry: &CachingRegistry<RegistryClient>, question: &Question) -> Option<i32> {
    match registry.ask(question).await {
        Ok(Answer::Schema(schema)) => Some(schema.id.get()),
        Ok(Answer::Subjects(_)) => None,
        Err(error) => {
            assert_eq!(error.fault(), Fault::Transient, "{error}");
            None
        }
    }
}

#[tokio::test]
async fn an_outage_is_survived_and_so_is_a_restart_within_it() {
    let folder = tempfile::tempdir().unwrap();
    let host = memory();
    let listener = Listener::bind("127.0.0.1:0", host.clone(), Limits::default())
        .await
        .unwrap();
    let address = listener.address().to_string();
    let register = |name: &str| Question::Register {
        subject: subject(name),
        schema: text("\"int\""),
        normalize: false,
        propagate_schema_tags: false,
    };
    let latest = Question::Latest {
        subject: subject("s"),
    };
    let topic = Question::Associated(TopicPart {
        topic: "t".into(),
        cluster: None,
        is_key: false,
    });

    let before = worker(&address, folder.path());
    assert_eq!(id_of(&before, &register("s")).await, Some(1));
    assert_eq!(id_of(&before, &latest).await, Some(1));
    assert!(before.ask(&topic).await.is_ok());
    listener.kill().await;
    assert_eq!(
        id_of(&before, &latest).await,
        Some(1),
        "the last answer serves on"
    );
    assert_eq!(id_of(&before, &register("new")).await, None);

    let after = worker(&address, folder.path());
    assert_eq!(id_of(&after, &register("s")).await, Some(1));
    assert_eq!(id_of(&after, &latest).await, Some(1));
    assert_eq!(after.ask(&topic).await, Ok(Answer::Subjects(Vec::new())));
    assert_eq!(id_of(&after, &register("new")).await, None);
    assert_eq!(after.counts().stale, 3);

    let listener = Listener::bind(&address, host, Limits::default())
        .await
        .unwrap();
    assert_eq!(
        id_of(&after, &register("new")).await,
        Some(1),
        "the same text has its id"
    );
    listener.stop().await;
}

use std::sync::Arc;

use ferroconnect_converters::avro::AvroFormat;
use ferroconnect_registry_client::server::{
    Delivery, Host as _, Languages, OwnedRequest, Response,
};

use super::EmbeddedRegistry;

fn languages() -> Languages {
    Languages::built(&[Arc::new(AvroFormat)])
}

async fn ask(registry: &EmbeddedRegistry, method: &str, target: &str, body: &str) -> Response {
    let request = OwnedRequest {
        method: method.into(),
        target: target.into(),
        headers: Vec::new(),
        body: body.to_owned().into(),
    };
    match registry.answer(request).await {
        Delivery::Answer(response) => response,
        Delivery::Cut => panic!("the registry is gone"),
    }
}

fn text(response: &Response) -> &str {
    std::str::from_utf8(&response.body).unwrap()
}

#[tokio::test]
async fn what_was_answered_is_there_after_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let registry = EmbeddedRegistry::open(folder.path(), languages()).unwrap();
    let body = r#"{"schema":"{\"type\": \"int\"}"}"#;
    let first = ask(&registry, "POST", "/subjects/a/versions", body).await;
    assert_eq!(first.status, 200, "{}", text(&first));
    let level = r#"{"compatibility":"FULL"}"#;
    assert_eq!(ask(&registry, "PUT", "/config/a", level).await.status, 200);
    let before = ask(&registry, "GET", "/subjects/a/versions/1", "").await;
    drop(registry);

    let registry = EmbeddedRegistry::open(folder.path(), languages()).unwrap();
    let after = ask(&registry, "GET", "/subjects/a/versions/1", "").await;
    assert_eq!(after, before);
    let config = ask(&registry, "GET", "/config/a", "").await;
    assert_eq!(text(&config), r#"{"compatibilityLevel":"FULL"}"#);
}

#[tokio::test]
async fn a_folder_has_one_owner() {
    let folder = tempfile::tempdir().unwrap();
    let registry = EmbeddedRegistry::open(folder.path(), languages()).unwrap();
    let same = registry.clone();
    let error = EmbeddedRegistry::open(folder.path(), languages()).unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
    drop(registry);
    assert_eq!(
        ask(&same, "GET", "/subjects", "").await.status,
        200,
        "clones are one registry"
    );
    drop(same);
    EmbeddedRegistry::open(folder.path(), languages()).unwrap();
}

#[tokio::test]
async fn many_writers_get_ids_of_their_own() {
    let registry = EmbeddedRegistry::in_memory(languages()).unwrap();
    let register = |n: usize| {
        let registry = registry.clone();
        tokio::spawn(async move {
            let schema = format!(r#"{{\"type\":\"fixed\",\"size\":4,\"name\":\"F{n}\"}}"#);
            let body = format!(r#"{{"schema":"{schema}"}}"#);
            let made = ask(
                &registry,
                "POST",
                &format!("/subjects/s{n}/versions"),
                &body,
            )
            .await;
            let made: serde_json::Value = serde_json::from_slice(&made.body).unwrap();
            made["id"].as_i64().unwrap()
        })
    };
    let mut ids = Vec::new();
    for made in (0..100).map(register).collect::<Vec<_>>() {
        ids.push(made.await.unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=100).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_language_that_is_not_read_is_refused_and_said() {
    let registry = EmbeddedRegistry::in_memory(languages()).unwrap();
    let body = r#"{"schemaType":"PROTOBUF","schema":"message M {}"}"#;
    let refused = ask(&registry, "POST", "/subjects/a/versions", body).await;
    assert_eq!(refused.status, 422);
    assert!(
        text(&refused).contains("does not read PROTOBUF"),
        "{}",
        text(&refused)
    );
}

#[tokio::test]
async fn damage_is_an_error_that_names_the_folder_and_the_record() {
    let folder = tempfile::tempdir().unwrap();
    drop(EmbeddedRegistry::open(folder.path(), languages()).unwrap());
    let connection = rusqlite::Connection::open(folder.path().join("registry.db")).unwrap();
    let damage = "INSERT INTO records (text) VALUES ('{\"registered\":1}')";
    connection.execute(damage, []).unwrap();
    drop(connection);
    let error = EmbeddedRegistry::open(folder.path(), languages())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("record 1") && error.contains("restore the folder"),
        "{error}"
    );
}

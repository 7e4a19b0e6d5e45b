//! What answers mean, those of other registries among them.

use super::script::{Script, client, client_of, reply};
use crate::body::Known;
use crate::client::{Response, TransportError, answer};
use crate::{
    Answer, AsyncRegistry, Error, Fault, Question, RegistryCode, SchemaGuid, SchemaId, SchemaText,
    SchemaType, Subject, TopicPart, Version,
};

fn subject() -> Subject {
    Subject::new("orders-value").unwrap()
}

fn text() -> SchemaText {
    SchemaText::new(SchemaType::Avro, r#""int""#)
}

async fn refused(status: u16, body: &str) -> Error {
    let node = Script::new("node", [reply(status, body)]);
    client(&[&node]).latest(&subject()).await.unwrap_err()
}

#[tokio::test]
async fn a_registration_is_answered_whole() {
    let body = r#"{"id":7,"version":2,"guid":"ef524ea1-b91e-7317-3d93-8ade36c1db32","schemaType":"AVRO",
        "metadata":{"properties":{"owner":"x"}},"schema":"\"int\""}"#;
    let node = Script::new("node", [reply(200, body)]);
    let answer = client(&[&node])
        .register(&subject(), &text(), false)
        .await
        .unwrap();
    assert_eq!(answer.id.get(), 7);
    assert_eq!(answer.version, Version::new(2));
    assert_eq!(answer.guid, Some(text().guid()));
    assert_eq!(answer.subject, Some(subject()));
    assert_eq!(
        &*answer.schema.metadata().unwrap().0,
        r#"{"properties":{"owner":"x"}}"#
    );
}

#[tokio::test]
async fn older_registries_answer_a_registration_with_the_id_alone() {
    let node = Script::new("node", [reply(200, r#"{"id":7}"#)]);
    let answer = client(&[&node])
        .register(&subject(), &text(), false)
        .await
        .unwrap();
    assert_eq!(
        (answer.id.get(), answer.version, answer.guid),
        (7, None, None)
    );
    assert_eq!(answer.schema, text());
}

#[tokio::test]
async fn without_a_schema_type_it_is_avro() {
    let node = Script::new("node", [reply(200, r#"{"schema":"\"int\""}"#)]);
    let id = SchemaId::new(3).unwrap();
    let answer = client(&[&node]).schema_by_id(id, None).await.unwrap();
    assert_eq!((answer.id, answer.schema), (id, text()));
}

#[tokio::test]
async fn an_answer_by_guid_has_no_id() {
    let node = Script::new(
        "node",
        [reply(200, r#"{"schema":"\"int\"","schemaType":"AVRO"}"#)],
    );
    let guid = SchemaGuid::from_bytes([7; 16]);
    let answer = client(&[&node]).schema_by_guid(guid).await.unwrap();
    assert_eq!((answer.id.get(), answer.guid), (0, Some(guid)));
}

#[tokio::test]
async fn references_come_along() {
    let body = r#"{"id":5,"schema":"x","schemaType":"PROTOBUF","references":[{"name":"a.proto","subject":"a","version":2}]}"#;
    let node = Script::new("node", [reply(200, body)]);
    let answer = client(&[&node]).latest(&subject()).await.unwrap();
    assert_eq!(answer.schema.kind(), SchemaType::Protobuf);
    assert_eq!(answer.schema.references()[0].version.get(), 2);
}

#[tokio::test]
async fn the_registrys_code_and_words_are_kept() {
    let error = refused(
        404,
        r#"{"error_code":40401,"message":"Subject 'x' not found."}"#,
    )
    .await;
    assert_eq!(error.code(), Some(RegistryCode::SUBJECT_NOT_FOUND));
    assert_eq!(error.status(), Some(404));
    assert_eq!(error.fault(), Fault::Data);
    assert_eq!(
        error.to_string(),
        "Subject 'x' not found.; error code: 40401"
    );
}

#[tokio::test]
async fn bodies_of_others_are_understood() {
    let karapace = refused(409, r#"{"error_code":409,"message":"Incompatible schema"}"#).await;
    assert!(karapace.code().unwrap().is_incompatible());

    let bare = refused(405, r#""Method Not Allowed""#).await;
    assert_eq!(bare.to_string(), "Method Not Allowed; error code: 405");
    assert_eq!(bare.fault(), Fault::Config);

    let list = refused(422, r#"{"error_code":422,"message":[{"loc":["query"]}]}"#).await;
    assert_eq!(list.code(), Some(RegistryCode::new(422)));

    let codeless = refused(403, r#"{"message":"forbidden"}"#).await;
    assert_eq!(codeless.to_string(), "forbidden; error code: 403");
    assert_eq!(codeless.fault(), Fault::Config);
}

#[tokio::test]
async fn a_page_is_no_answer() {
    let error = refused(403, "<html>no</html>").await;
    assert_eq!(error.code(), Some(RegistryCode::UNREADABLE_ANSWER));
    assert!(
        error
            .to_string()
            .starts_with("Unable to parse error message from schema registry: '(<html>no</html>)'")
    );
    // A page instead of a schema is no fault of a record.
    let welcome = refused(200, "<html>welcome</html>").await;
    assert_eq!(welcome.code(), Some(RegistryCode::UNREADABLE_ANSWER));
    assert_eq!(welcome.fault(), Fault::Transient);
    assert!(welcome.to_string().contains("check schema.registry.url"));
    assert_eq!(
        refused(404, "<html>nginx</html>").await.fault(),
        Fault::Config
    );
    assert_eq!(refused(301, "").await.fault(), Fault::Config);
}

#[tokio::test]
async fn long_pages_are_cut() {
    let error = refused(400, &"é".repeat(10_000)).await;
    assert!(error.to_string().chars().count() < 500);
}

#[tokio::test]
async fn answers_that_make_no_sense_are_errors() {
    for body in [
        "{}",
        r#"{"id":1}"#,
        r#"{"id":-1,"schema":"\"int\""}"#,
        r#"{"id":1,"schema":"x","schemaType":"XML"}"#,
        r#"{"id":1,"schema":"x","version":0}"#,
        r#"{"id":1,"schema":"x","guid":"zz"}"#,
        r#"{"id":1,"schema":"x","subject":""}"#,
        r#"{"id":1,"schema":"x","references":[{"name":"a","subject":"","version":1}]}"#,
        r#"{"id":99999999999,"schema":"x"}"#,
        "[]",
        "null",
        "",
    ] {
        let error = refused(200, body).await;
        assert_eq!(
            error.code(),
            Some(RegistryCode::UNREADABLE_ANSWER),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_registry_without_associations_has_none() {
    let topic = TopicPart {
        topic: "orders".into(),
        cluster: None,
        is_key: true,
    };
    let question = Question::Associated(topic);
    for (status, body) in [
        (200, "[]"),
        (404, r#""Not Found""#),
        (404, r#"{"error_code":404,"message":"HTTP 404 Not Found"}"#),
        (405, r#""Method Not Allowed""#),
    ] {
        let node = Script::new("node", [reply(status, body)]);
        let answer = client(&[&node]).ask(&question).await.unwrap();
        assert_eq!(answer, Answer::Subjects(Vec::new()));
        let target = "/associations/resources/-/orders?resourceType=topic&associationType=key";
        assert_eq!(node.asked()[0].target, target);
    }
    let node = Script::new(
        "node",
        [reply(200, r#"[{"subject":"a"},{"subject":":.c:b"}]"#)],
    );
    let Answer::Subjects(found) = client(&[&node]).ask(&question).await.unwrap() else {
        panic!("subjects");
    };
    assert_eq!(found[1].as_str(), ":.c:b");
    let forbidden = Script::new("node", [reply(403, "{}")]);
    assert_eq!(
        client(&[&forbidden])
            .ask(&question)
            .await
            .unwrap_err()
            .fault(),
        Fault::Config
    );
}

#[tokio::test]
async fn a_subject_of_dots_is_not_asked_for() {
    let node = Script::new("node", [reply(200, "{}")]);
    for name in [".", ".."] {
        let error = client(&[&node])
            .latest(&Subject::new(name).unwrap())
            .await
            .unwrap_err();
        assert_eq!(error.code(), Some(RegistryCode::INVALID_SUBJECT));
    }
    assert_eq!(node.count(), 0);
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_not_asked_for_again() {
    let node = Script::new("node", [Err(TransportError::TooLarge(10))]);
    let error = client_of(&[], &[&node])
        .unwrap()
        .latest(&subject())
        .await
        .unwrap_err();
    assert_eq!(error.fault(), Fault::Config);
    assert_eq!(node.count(), 1);
}

proptest::proptest! {
    #[test]
    fn any_body_has_a_meaning(status in 100_u16..600, body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        let response = Response {
            status,
            headers: Vec::new(),
            body: body.into(),
        };
        let error = answer::error_of(&response);
        assert_eq!(error.status(), Some(status));
        let _answer = answer::schema(&response, &Known::default());
    }
}

//! The requests are those that the Java client was recorded to send: each recorded one is read, put to the method that it belongs to,
//! and compared with what that method sends.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::super::*;
use super::recorded::{Recorded, send};
use super::script::{Script, client_of, reply};
use crate::body::SchemaRequest;
use crate::{Metadata, Reference, SchemaText, SchemaType, Subject, Version};

const RECORDED: &str = include_str!("../../../testdata/client_requests.jsonl");

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
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
            let body = request["body"].as_str();
            let recorded = Recorded::new(
                request["method"].as_str().unwrap(),
                request["path"].as_str().unwrap(),
                body.map_or(Value::Null, |text| serde_json::from_str(text).unwrap()),
            )
            .unwrap();
            let headers = request["headers"].as_object().unwrap();
            let keys = keys(headers);
            let keys: Vec<_> = keys.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
            let node = Script::new("node", [reply(200, "\"none\"")]);
            let client = client_of(&keys, &[&node]).unwrap();
            assert!(
                send(&client, &recorded).await.is_some(),
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
    let config = ClientConfig::parse([
        ("schema.registry.url", "http://a:1@one,http://b%3Ac:2@two"),
        ("basic.auth.credentials.source", "URL"),
    ])
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

const TRANSCRIPTS: &str = include_str!("../../../testdata/transcripts.jsonl");

/// Every recorded answer of the real registry: the good ones are read, the others become errors with its code.
#[tokio::test]
async fn answers_of_a_real_registry_are_understood() {
    let (mut good, mut bad) = (0, 0);
    for line in TRANSCRIPTS.lines() {
        // Times were replaced by a word when the answers were recorded.
        let step: Value = serde_json::from_str(&line.replace("\"<ts>\"", "1")).unwrap();
        let (method, target) = (
            step["method"].as_str().unwrap(),
            step["path"].as_str().unwrap(),
        );
        let Some(recorded) = Recorded::new(method, target, step["request"].clone()) else {
            continue;
        };
        let status = u16::try_from(step["status"].as_u64().unwrap()).unwrap();
        let text = step["response"].as_str();
        let text = text.filter(|text| is_text(target, text));
        let body = text.map_or_else(|| step["response"].to_string(), str::to_owned);
        let node = Script::new("node", [reply(status, &body)]);
        let client = client_of(&[("max.retries", "0")], &[&node]).unwrap();
        let Some(sent) = send(&client, &recorded).await else {
            continue;
        };
        if node.count() == 0 {
            // A name that cannot be asked for.
            assert!(sent.is_err(), "{line}");
            continue;
        }
        match sent {
            Ok(()) if status < 300 => good += 1,
            Ok(()) => assert!(target.starts_with("/associations/resources/"), "{line}"),
            Err(error) => {
                assert!(status >= 300, "{error}: {line}");
                assert_eq!(error.status(), Some(status), "{line}");
                let code = step["response"].get("error_code").and_then(Value::as_u64);
                let expected = code.map_or(50_005, |code| u32::try_from(code).unwrap());
                assert_eq!(error.code().unwrap().get(), expected, "{line}");
                bad += 1;
            }
        }
    }
    assert!(good > 900 && bad > 300, "{good} good answers, {bad} others");
}

/// Whether an answer is text and not a JSON string: schemas on their own, empty bodies, pages.
fn is_text(target: &str, text: &str) -> bool {
    let path = target.split('?').next().unwrap();
    text.is_empty() || text.starts_with('<') || path.ends_with("/schema")
}

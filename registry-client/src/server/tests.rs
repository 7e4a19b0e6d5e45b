use proptest::prelude::*;
use serde_json::Value;

use super::{Languages, Moment, Options, Record, Request, Response, Server};

fn server() -> Server {
    Server::new(Options::default(), Languages::verbatim())
}

fn ask(server: &mut Server, method: &str, target: &str, body: &str) -> Response {
    kept(server, method, target, body, &mut Vec::new())
}

fn kept(
    server: &mut Server,
    method: &str,
    target: &str,
    body: &str,
    journal: &mut Vec<Record>,
) -> Response {
    let request = Request::new(method, target).with_body(body.as_bytes());
    let moment = Moment {
        now: 5,
        seed: journal.len() as u128,
    };
    let (response, records) = server.handle(&request, moment);
    journal.extend(records);
    response
}

fn json(response: &Response) -> Value {
    serde_json::from_slice(&response.body).unwrap()
}

fn schema(text: &str) -> String {
    serde_json::json!({ "schema": text }).to_string()
}

/// Requests over few names, so that they meet.
fn any_request() -> impl Strategy<Value = (&'static str, String, String)> {
    let subject = prop::sample::select(vec!["a", "b", ":.lab:a", "nick", ":.lab:"]);
    let version = prop::sample::select(vec!["1", "2", "3", "latest"]);
    let flags = prop::sample::select(vec![
        "",
        "?permanent=true",
        "?force=true",
        "?normalize=true",
    ]);
    let body = prop::sample::select(vec![
        schema("\"int\""),
        schema("\"long\""),
        r#"{"schema":"\"int\"","metadata":{"properties":{"owner":"x"}}}"#.into(),
        r#"{"schema":"\"r\"","references":[{"name":"n","subject":"a","version":1}]}"#.into(),
        r#"{"schema":"\"i\"","id":7,"version":3}"#.into(),
        r#"{"schema":"\"j\"","id":8}"#.into(),
        r#"{"mode":"IMPORT"}"#.into(),
        r#"{"mode":"READWRITE"}"#.into(),
        r#"{"mode":null}"#.into(),
        r#"{"compatibility":"FULL","alias":"a"}"#.into(),
        r#"{"normalize":true,"defaultMetadata":{"properties":{"d":"1"}}}"#.into(),
        r#"{"resourceName":"t","resourceNamespace":"n","resourceId":"r","associations":[{"subject":"a"}]}"#.into(),
    ]);
    let shape = 0..9usize;
    (shape, subject, version, flags, body).prop_map(|(shape, subject, version, flags, body)| {
        let (method, target) = match shape {
            0..=2 => ("POST", format!("/subjects/{subject}/versions{flags}")),
            3 => ("DELETE", format!("/subjects/{subject}{flags}")),
            4 => (
                "DELETE",
                format!("/subjects/{subject}/versions/{version}{flags}"),
            ),
            5 => ("PUT", format!("/config/{subject}")),
            6 => ("PUT", format!("/mode/{subject}{flags}")),
            7 => ("POST", "/associations".to_owned()),
            _ => ("DELETE", "/contexts/lab".to_owned()),
        };
        (method, target, body)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever happened, the journal tells all of it, and what was refused left nothing behind.
    #[test]
    fn records_rebuild_the_registry(requests in prop::collection::vec(any_request(), 1..60)) {
        let mut server = server();
        let mut journal = Vec::new();
        for (method, target, body) in requests {
            let (before, length) = (server.clone(), journal.len());
            let response = kept(&mut server, method, &target, &body, &mut journal);
            if response.status >= 400 {
                prop_assert!(server == before, "{method} {target} {body} was refused and changed something");
                prop_assert_eq!(journal.len(), length);
            }
        }
        let texts: Vec<String> = journal.iter().map(Record::to_text).collect();
        let journal: Vec<Record> = texts.iter().map(|text| Record::from_text(text).unwrap()).collect();
        let again = Server::replay(Options::default(), Languages::verbatim(), &journal);
        prop_assert!(again == server);
    }

    /// No request makes it panic.
    #[test]
    fn any_bytes_are_answered(method in "GET|POST|PUT|DELETE|HEAD|X", target in "/[ -~]{0,40}", body in ".{0,60}") {
        let mut server = server();
        let response = ask(&mut server, &method, &target, &body);
        prop_assert!((200..600).contains(&response.status));
    }
}

#[test]
fn what_reads_needs_no_right_to_write() {
    let mut server = server();
    ask(
        &mut server,
        "POST",
        "/subjects/a/versions",
        &schema("\"int\""),
    );
    let body = schema("\"int\"");
    let look_up = Request::new("POST", "/subjects/a").with_body(body.as_bytes());
    assert_eq!(server.read(&look_up).unwrap().status, 200);
    let again = Request::new("POST", "/subjects/a/versions").with_body(body.as_bytes());
    assert_eq!(server.read(&again).unwrap().status, 200, "it is known");
    let register = Request::new("POST", "/subjects/b/versions").with_body(body.as_bytes());
    assert_eq!(server.read(&register), None);
}

#[test]
fn a_schema_without_a_text_is_the_one_before_with_other_metadata() {
    let mut server = server();
    ask(
        &mut server,
        "POST",
        "/subjects/a/versions",
        &schema("\"int\""),
    );
    let body = r#"{"metadata":{"properties":{"owner":"x"}}}"#;
    let made = json(&ask(&mut server, "POST", "/subjects/a/versions", body));
    assert_eq!(
        (&made["version"], &made["schema"]),
        (&2.into(), &"\"int\"".into())
    );
}

#[test]
fn an_import_clears_what_was_softly_deleted() {
    let mut server = server();
    ask(
        &mut server,
        "POST",
        "/subjects/a/versions",
        &schema("\"int\""),
    );
    ask(&mut server, "DELETE", "/subjects/a", "");
    assert_eq!(
        ask(&mut server, "PUT", "/mode/a", r#"{"mode":"IMPORT"}"#).status,
        200
    );
    assert_eq!(
        ask(&mut server, "GET", "/subjects?deleted=true", "").body,
        "[]"
    );
}

#[test]
fn deep_references_are_followed_and_too_many_refused() {
    let mut server = server();
    ask(
        &mut server,
        "POST",
        "/subjects/s0/versions",
        &schema("\"t0\""),
    );
    let mut refused = None;
    for n in 1..1100 {
        let body = serde_json::json!({
            "schema": format!("\"t{n}\""),
            "references": [{"name": format!("n{n}"), "subject": format!("s{}", n - 1), "version": 1}],
        });
        let target = format!("/subjects/s{n}/versions");
        let answer = ask(&mut server, "POST", &target, &body.to_string());
        if answer.status != 200 {
            refused = Some((n, json(&answer)["error_code"].clone()));
            break;
        }
    }
    assert_eq!(refused, Some((1001, 42201.into())));
}

#[test]
fn many_versions_of_one_subject_are_found_by_their_text() {
    let options = Options {
        default_level: crate::CompatibilityLevel::None,
        ..Options::default()
    };
    let mut server = Server::new(options, Languages::verbatim());
    for n in 1..=3000 {
        let made = ask(
            &mut server,
            "POST",
            "/subjects/a/versions",
            &schema(&format!("\"t{n}\"")),
        );
        assert_eq!(json(&made)["id"], n);
    }
    let found = ask(&mut server, "POST", "/subjects/a", &schema("\"t1234\""));
    assert_eq!(json(&found)["version"], 1234);
}

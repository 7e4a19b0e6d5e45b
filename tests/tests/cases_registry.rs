//! Public cases of other people's trouble with registries behind HTTP, by id. Inputs are ours.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "in a test, a panic with its place is the report"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use ferroconnect_converters::avro::{AvroConverter, AvroFormat};
use ferroconnect_converters::client::AsyncConverter;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{Schema, SchemaAndValue, Type, Value};
use ferroconnect_converters::{Error, Role};
use ferroconnect_registry_client::cache::CachingRegistry;
use ferroconnect_registry_client::client::{ClientConfig, RegistryClient};
use ferroconnect_registry_client::fake::HttpRegistry;
use ferroconnect_registry_client::server::Languages;
use ferroconnect_registry_client::{
    AsyncRegistry, Question, RegistryCode, SchemaId, SchemaText, SchemaType, Subject, Version,
};

/// A request as it came over the wire.
#[derive(Clone, Debug)]
struct Asked {
    /// Method and target.
    line: String,
    authorization: Option<String>,
    /// Request line and headers.
    head: String,
    body: String,
}

impl Asked {
    fn is(&self, line: &str) -> bool {
        self.line == line
    }
}

/// Status and body of an answer, and whether it goes out at all.
type Play = dyn Fn(&Asked, usize) -> (u16, String) + Send + Sync;

/// A server that plays a registry: it is told how often it was asked the same before.
struct Scripted {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    fn start(play: impl Fn(&Asked, usize) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (play, all): (Arc<Play>, _) = (Arc::new(play), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (play, all) = (Arc::clone(&play), Arc::clone(&all));
                // Whoever goes away in between asked for nothing.
                std::thread::spawn(move || serve(&stream, &*play, &all).ok());
            }
        });
        Self { address, asked }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    fn lines(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.line).collect()
    }

    /// How often this was asked.
    fn count(&self, line: &str) -> usize {
        self.asked().iter().filter(|asked| asked.is(line)).count()
    }

    fn last(&self) -> Asked {
        self.asked().pop().unwrap()
    }
}

fn serve(stream: &TcpStream, play: &Play, all: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = request(&mut reader)? {
        let before = {
            let mut all = all.lock().unwrap();
            let before = all.iter().filter(|known| known.is(&asked.line)).count();
            all.push(asked.clone());
            before
        };
        let (status, body) = play(&asked, before);
        let length = body.len();
        write!(
            &mut (&*stream),
            "HTTP/1.1 {status} X\r\nContent-Type: application/vnd.schemaregistry.v1+json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
    }
    Ok(())
}

fn request(reader: &mut BufReader<&TcpStream>) -> std::io::Result<Option<Asked>> {
    let (mut head, mut length) = (String::new(), 0);
    let mut authorization = None;
    loop {
        let start = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
        let line = head[start..].trim_end();
        let Some((name, value)) = line.split_once(": ") else {
            if line.is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let line = head.lines().next().unwrap_or_default();
    Ok(Some(Asked {
        line: line.trim_end_matches(" HTTP/1.1").to_owned(),
        authorization,
        body: String::from_utf8(body).unwrap(),
        head,
    }))
}

fn parsed(url: &str, keys: &[(&str, &str)]) -> ClientConfig {
    let url = [("schema.registry.url", url), ("retries.wait.ms", "1")];
    ClientConfig::parse(url.into_iter().chain(keys.iter().copied())).unwrap()
}

fn client(url: &str, keys: &[(&str, &str)]) -> RegistryClient {
    RegistryClient::connect(parsed(url, keys)).unwrap()
}

fn cached(server: &Scripted, keys: &[(&str, &str)]) -> CachingRegistry<RegistryClient> {
    CachingRegistry::connect(parsed(&server.url(), keys)).unwrap()
}

fn converter(registry: Arc<dyn AsyncRegistry>, role: Role) -> AsyncConverter<AvroConverter> {
    let url = ("schema.registry.url".to_owned(), "http://r".to_owned());
    let converter = AvroConverter::configure(&RawConfig::from([url]), role).unwrap();
    AsyncConverter::new(role, converter, registry)
}

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
}

fn error(code: u32, message: &str) -> String {
    format!(r#"{{"error_code":{code},"message":"{message}"}}"#)
}

/// The answer to everything but the schema itself: no associations, and the version of a text.
fn beside(asked: &Asked) -> (u16, String) {
    if asked.line.starts_with("POST /subjects/") {
        let body = r#"{"subject":"s","version":1,"id":7,"schema":"\"string\""}"#;
        return (200, body.to_owned());
    }
    (404, error(404, "HTTP 404 Not Found"))
}

/// C055: a subject is one segment of a path, whatever it is made of.
#[tokio::test]
async fn c055_subjects_are_escaped_once() {
    let server = Scripted::start(|_, _| (404, error(40401, "Subject not found.")));
    for (base, prefix) in [("", ""), ("/", ""), ("/api/", "/api"), ("/api", "/api")] {
        let client = client(&format!("{}{base}", server.url()), &[]);
        for (name, segment) in [
            (
                "proto/common/envelope.proto",
                "proto%2Fcommon%2Fenvelope.proto",
            ),
            ("a b?c#d%e+é-value", "a%20b%3Fc%23d%25e+%C3%A9-value"),
        ] {
            client.latest(&subject(name)).await.unwrap_err();
            assert_eq!(
                server.last().line,
                format!("GET {prefix}/subjects/{segment}/versions/latest")
            );
        }
        let text = SchemaText::new(SchemaType::Avro, r#""string""#);
        let context = subject(":.ctx:t-value");
        client
            .find(&context, &text, false, false)
            .await
            .unwrap_err();
        assert_eq!(
            server.last().line,
            format!("POST {prefix}/subjects/:.ctx:t-value?normalize=false&deleted=false")
        );
    }
}

/// A record of the schema `"string"` under id `id`.
fn record(id: u8) -> Bytes {
    Bytes::copy_from_slice(&[0, 0, 0, 0, id, 6, b'a', b'b', b'c'])
}

const STRING: &str = r#"{"schema":"\"string\""}"#;

/// Answers look-ups of the id: first so, from then on with the schema.
fn first_so(id: u8, status: u16, body: String) -> Scripted {
    let by_id = format!("GET /schemas/ids/{id}?");
    Scripted::start(
        move |asked, before| match (asked.line.starts_with(&by_id), before) {
            (true, 0) => (status, body.clone()),
            (true, _) => (200, STRING.to_owned()),
            (false, _) => beside(asked),
        },
    )
}

fn asked_by_id(server: &Scripted) -> usize {
    let lines = server.lines();
    lines
        .iter()
        .filter(|line| line.starts_with("GET /schemas/ids/"))
        .count()
}

async fn decode_twice(server: &Scripted, id: u8, keys: &[(&str, &str)]) -> [Result<(), Error>; 2] {
    let mut converter = converter(Arc::new(cached(server, keys)), Role::Value);
    let record = record(id);
    let mut decode = async || {
        let data = converter.decode("orders", Some(&record)).await?;
        assert_eq!(data.value(), Value::String("abc"));
        Ok(())
    };
    [decode().await, decode().await]
}

/// C057: an error that may pass is not remembered.
#[tokio::test]
async fn c057_an_outage_poisons_no_schema() {
    let away = || first_so(7, 503, error(503, "away"));
    let server = away();
    let [first, second] = decode_twice(&server, 7, &[("max.retries", "0")]).await;
    let first = first.unwrap_err();
    assert!(first.is_retriable());
    assert_eq!(
        first.java_class(),
        "org.apache.kafka.connect.errors.RetriableException"
    );
    second.unwrap();
    assert_eq!(asked_by_id(&server), 2);

    // With the default number of retries nobody notices.
    let server = away();
    let [first, second] = decode_twice(&server, 7, &[]).await;
    first.unwrap();
    second.unwrap();
    assert_eq!(asked_by_id(&server), 2);
}

/// C057: nor is a schema that is not there yet.
#[tokio::test]
async fn c057_what_is_not_found_is_asked_for_again() {
    let server = first_so(8, 404, error(40403, "Schema 8 not found"));
    let [first, second] = decode_twice(&server, 8, &[("max.retries", "0")]).await;
    let first = first.unwrap_err();
    assert!(
        first.is_unknown_schema() && !first.is_retriable(),
        "{first}"
    );
    second.unwrap();
    assert_eq!(asked_by_id(&server), 2);

    // Unless it shall be believed for a while: a day is longer than any test.
    let server = first_so(8, 404, error(40403, "Schema 8 not found"));
    let keys = [("missing.id.cache.ttl.sec", "86400")];
    let [first, second] = decode_twice(&server, 8, &keys).await;
    assert!(first.unwrap_err().is_unknown_schema());
    assert!(second.unwrap_err().is_unknown_schema());
    assert_eq!(asked_by_id(&server), 1);
}

/// C057: who asks for the same at once shares one request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c057_a_hundred_first_look_ups_are_one_request() {
    let server = first_so(7, 200, STRING.to_owned());
    let registry: Arc<dyn AsyncRegistry> = Arc::new(cached(&server, &[]));
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let mut converter = converter(Arc::clone(&registry), Role::Value);
            tokio::spawn(async move { converter.decode("orders", Some(&record(7))).await })
        })
        .collect();
    for task in tasks {
        let data = task.await.unwrap().unwrap();
        assert_eq!(data.value(), Value::String("abc"));
    }
    assert_eq!(asked_by_id(&server), 1);

    // The same for bare look-ups.
    let server = first_so(7, 200, STRING.to_owned());
    let registry = cached(&server, &[]);
    let by_id = Question::ById {
        id: SchemaId::new(7).unwrap(),
        subject: None,
    };
    let answers = registry.prefetch(std::iter::repeat_n(by_id, 100)).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(server.asked().len(), 1);
}

const LOGIN: &str = "Basic c3ZjQHRlYW06cDphL3NzQDE=";
const USER_INFO: &str = "svc%40team:p%3Aa%2Fss%401@";

/// C058: a password may have a colon, and in a URL its escapes are taken out. Java sends them as they are.
#[tokio::test]
async fn c058_credentials_are_sent_as_they_are_meant() {
    let server = Scripted::start(|_, _| (200, "[]".to_owned()));
    let plain = server.url();
    let with_user = plain.replace("http://", &format!("http://{USER_INFO}"));
    let by_info: &[_] = &[
        ("basic.auth.credentials.source", "USER_INFO"),
        ("basic.auth.user.info", "svc@team:p:a/ss@1"),
    ];
    let by_url: &[_] = &[("basic.auth.credentials.source", "URL")];
    for (url, keys, expected) in [
        (&plain, by_info, Some(LOGIN)),
        (&with_user, by_info, Some(LOGIN)),
        (&with_user, by_url, Some(LOGIN)),
        (&plain, by_url, None),
        // Nobody said that they shall be used.
        (&with_user, &[], None),
    ] {
        client(url, keys).schema_types().await.unwrap();
        let asked = server.last();
        assert_eq!(asked.authorization.as_deref(), expected, "{keys:?}");
        assert_eq!(asked.line, "GET /schemas/types");
        assert!(!asked.head.contains("svc"), "{}", asked.head);
    }
}

/// C058: and they are never shown.
#[tokio::test]
async fn c058_credentials_are_never_shown() {
    let server = Scripted::start(|_, _| (401, error(401, "Unauthorized")));
    let refused = server.url();
    // Nobody listens at port 1.
    for url in [&*refused, "http://127.0.0.1:1"] {
        let url = url.replace("http://", &format!("http://{USER_INFO}"));
        let keys = [
            ("basic.auth.credentials.source", "URL"),
            ("max.retries", "0"),
        ];
        let client = client(&url, &keys);
        let error = client.schema_types().await.unwrap_err();
        for shown in [
            error.to_string(),
            format!("{error:?}"),
            format!("{client:?}"),
            format!("{:?}", client.config()),
        ] {
            for secret in ["ss@1", "ss%401", "p%3Aa", "p:a/", LOGIN] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
    }
}

/// C060: members that are not known yet are none of our business.
#[tokio::test]
async fn c060_answers_may_have_more_members() {
    const ANSWER: &str = r#"{"compatibility":"BACKWARD","id":44,"schema":"{\"type\":\"record\",\"name\":\"K\",\"fields\":[]}","subject":"k-key","version":1,"guid":"0e5b3f6a-0000-0000-0000-000000000001","ts":1,"deleted":false}"#;
    let server = Scripted::start(|_, _| (200, ANSWER.to_owned()));
    let client = client(&server.url(), &[]);
    let text = SchemaText::new(
        SchemaType::Avro,
        r#"{"type":"record","name":"K","fields":[]}"#,
    );
    let key = subject("k-key");
    let id = SchemaId::new(44).unwrap();
    for answer in [
        client.latest(&key).await.unwrap(),
        client.version(&key, Version::FIRST, false).await.unwrap(),
        client.find(&key, &text, false, false).await.unwrap(),
        client.register(&key, &text, false).await.unwrap(),
        client.schema_by_id(id, Some(&key)).await.unwrap(),
    ] {
        assert_eq!((answer.id, answer.version), (id, Some(Version::FIRST)));
        assert_eq!(answer.subject.as_ref(), Some(&key));
        assert_eq!(answer.schema.kind(), SchemaType::Avro);
        assert_eq!(answer.schema, text, "and it refers to nothing");
        let guid = answer.guid.unwrap().to_string();
        assert_eq!(guid, "0e5b3f6a-0000-0000-0000-000000000001");
    }
}

/// C061: registries that know no schema types take Avro without one.
#[tokio::test]
async fn c061_a_registry_without_schema_types() {
    let server = Scripted::start(|asked, _| {
        if asked.body.contains(r#""schemaType":"AVRO""#) {
            return (422, error(422, "Unrecognized field: schemaType"));
        }
        if asked.line.starts_with("POST /compatibility/") {
            return (200, r#"{"is_compatible":true}"#.to_owned());
        }
        (200, r#"{"id":5,"subject":"s","version":1}"#.to_owned())
    });
    let client = client(&server.url(), &[]);
    let bolts = subject("bolts-value");
    let text = |kind, text: &str| SchemaText::new(kind, text);
    let avro = text(SchemaType::Avro, r#""string""#);
    let answer = client.register(&bolts, &avro, false).await.unwrap();
    assert_eq!((answer.id.get(), &answer.schema), (5, &avro));
    let bodies: Vec<String> = server.asked().into_iter().map(|asked| asked.body).collect();
    assert_eq!(
        bodies,
        [
            r#"{"schemaType":"AVRO","schema":"\"string\""}"#,
            r#"{"schema":"\"string\""}"#
        ]
    );

    // From then on at once, wherever a schema is posted.
    client.register(&bolts, &avro, false).await.unwrap();
    client.find(&bolts, &avro, false, false).await.unwrap();
    let check = client.test_compatibility(&bolts, None, &avro, false, false);
    check.await.unwrap();
    let asked = server.asked();
    assert_eq!(asked.len(), 5);
    assert!(
        asked[2..]
            .iter()
            .all(|asked| !asked.body.contains("schemaType"))
    );

    for (kind, word) in [
        (SchemaType::Json, "JSON"),
        (SchemaType::Protobuf, "PROTOBUF"),
    ] {
        client
            .register(&bolts, &text(kind, "x"), false)
            .await
            .unwrap();
        let body = server.last().body;
        assert_eq!(body, format!(r#"{{"schemaType":"{word}","schema":"x"}}"#));
    }
}

/// C061: every other refusal is one.
#[tokio::test]
async fn c061_an_invalid_schema_is_posted_once() {
    for message in [
        "Invalid schema {schemaType=AVRO, ...}",
        "Unrecognized field: metadata",
    ] {
        let server = Scripted::start(move |_, _| (422, error(42201, message)));
        let client = client(&server.url(), &[]);
        let text = SchemaText::new(SchemaType::Avro, "x");
        let refused = client.register(&subject("s"), &text, false).await;
        assert_eq!(refused.unwrap_err().status(), Some(422));
        assert_eq!(server.asked().len(), 1, "{message}");
    }
}

/// C032: registries spell a primitive schema in two ways; it is posted in the short one.
#[tokio::test]
async fn c032_both_spellings_of_a_primitive_schema_over_http() {
    for answer in [STRING, r#"{"schema":"{\"type\": \"string\"}"}"#] {
        let server = first_so(7, 200, answer.to_owned());
        let mut converter = converter(Arc::new(cached(&server, &[])), Role::Key);
        let data = converter.decode("t", Some(&record(7))).await.unwrap();
        assert_eq!(data.value(), Value::String("abc"));
        assert_eq!(data.schema().map(Schema::kind), Some(Type::String));
    }
    let server = Scripted::start(|asked, _| beside(asked));
    let mut converter = converter(Arc::new(cached(&server, &[])), Role::Key);
    let data = SchemaAndValue::from("abc").with_schema(Some(Schema::string()));
    let written = converter.encode("t", &data).await.unwrap();
    assert_eq!(written, Some(record(7)));
    let line = "POST /subjects/t-key/versions?normalize=false";
    assert_eq!(server.count(line), 1);
    assert_eq!(
        server.last().body,
        r#"{"schemaType":"AVRO","schema":"\"string\""}"#
    );
}

/// C020: a new schema whose defaults do not fit is refused; one that is registered is read.
#[tokio::test]
async fn c020_defaults_that_do_not_fit_are_refused_when_they_are_new() {
    const UNFIT: &str = r#"{"type":"record","name":"r","fields":[{"name":"freq","type":"string","default":null},{"name":"n","type":"int","default":"x"}]}"#;
    let (value, text) = (
        subject("orders-value"),
        SchemaText::new(SchemaType::Avro, UNFIT),
    );
    let languages = Languages::built(&[Arc::new(AvroFormat)]);
    let today = HttpRegistry::start(languages).await.unwrap();
    let registry = client(&today.url(), &[]);
    let refused = registry.register(&value, &text, false).await.unwrap_err();
    assert_eq!(refused.code(), Some(RegistryCode::INVALID_SCHEMA));

    // A registry that took it when nobody checked.
    let old = HttpRegistry::start(Languages::verbatim()).await.unwrap();
    let registry = client(&old.url(), &[]);
    let id = registry.register(&value, &text, false).await.unwrap().id;
    assert_eq!(id.get(), 1);
    let mut converter = converter(Arc::new(registry), Role::Value);
    let record = Bytes::from_static(&[0, 0, 0, 0, 1, 4, b'5', b'm', 18]);
    let data = converter.decode("orders", Some(&record)).await.unwrap();
    let fields = data.value().as_struct().unwrap();
    assert_eq!(fields.get("freq"), Some(Value::String("5m")));
    assert_eq!(fields.get("n"), Some(Value::Int32(9)));
}

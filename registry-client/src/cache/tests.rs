use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;
use crate::{
    LookupFlags, RegisteredSchema, RegistryCode, SchemaGuid, SchemaId, SchemaType, Subject,
    TopicPart, Version,
};

/// A registry that a test can take away, hold up, and count the questions of.
#[derive(Debug)]
struct Desk {
    /// What is known; everything else is not found.
    known: Mutex<HashMap<Question, Answer>>,
    is_away: AtomicBool,
    /// One permit per answer that may leave.
    gate: Semaphore,
    asked: Mutex<Vec<Question>>,
}

impl Desk {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            known: Mutex::default(),
            is_away: AtomicBool::new(false),
            gate: Semaphore::new(1_000_000),
            asked: Mutex::default(),
        })
    }

    fn knows(&self, question: &Question, answer: Answer) {
        self.known.lock().unwrap().insert(question.clone(), answer);
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn go(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }
}

#[async_trait::async_trait]
impl AsyncRegistry for Arc<Desk> {
    async fn ask(&self, question: &Question) -> Result<Answer, Error> {
        self.asked.lock().unwrap().push(question.clone());
        self.gate.acquire().await.unwrap().forget();
        if self.is_away.load(Ordering::SeqCst) {
            return Err(Error::unreachable("desk: refused"));
        }
        let found = self.known.lock().unwrap().get(question).cloned();
        found.ok_or_else(|| Error::refused(404, RegistryCode::SCHEMA_NOT_FOUND, "Schema not found"))
    }
}

/// A clock that a test sets.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn clock(&self) -> Clock {
        let hand = Arc::clone(&self.0);
        Box::new(move || Duration::from_secs(hand.load(Ordering::SeqCst)))
    }

    fn wait(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

type Cached = CachingRegistry<Arc<Desk>>;

fn caching(config: &CacheConfig) -> (Arc<Desk>, Cached, Hand) {
    let (desk, hand) = (Desk::new(), Hand::default());
    let cached = patient(&desk, config, &hand, Duration::from_secs(3_600));
    (desk, cached, hand)
}

fn patient(desk: &Arc<Desk>, config: &CacheConfig, hand: &Hand, patience: Duration) -> Cached {
    CachingRegistry::timed(Arc::clone(desk), config, "desk", (hand.clock(), patience))
}

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
}

fn text(n: i32) -> SchemaText {
    SchemaText::new(SchemaType::Avro, format!("text {n}"))
}

fn registered(n: i32) -> Answer {
    Answer::Schema(RegisteredSchema {
        id: SchemaId::new(n).unwrap(),
        guid: Some(text(n).guid()),
        subject: Some(subject("s")),
        version: Version::new(n),
        schema: text(n),
    })
}

fn by_id(n: i32) -> Question {
    Question::ById {
        id: SchemaId::new(n).unwrap(),
        subject: None,
    }
}

fn latest(name: &str) -> Question {
    Question::Latest {
        subject: subject(name),
    }
}

fn register(name: &str, n: i32) -> Question {
    Question::Register {
        subject: subject(name),
        schema: text(n),
        normalize: false,
        propagate_schema_tags: false,
    }
}

fn topic(name: &str) -> Question {
    Question::Associated(TopicPart {
        topic: name.into(),
        cluster: None,
        is_key: false,
    })
}

/// One question of each kind, with an answer.
fn every_kind() -> Vec<(Question, Answer)> {
    let find = Question::Find {
        subject: subject("s"),
        schema: text(1),
        flags: LookupFlags {
            normalize: true,
            deleted: true,
        },
    };
    let metadata = Question::LatestWithMetadata {
        subject: subject("s"),
        properties: vec![("owner".into(), "x".into())],
    };
    let version = Question::Version {
        subject: subject("s"),
        version: Version::FIRST,
        deleted: true,
    };
    let guid = Question::ByGuid {
        guid: SchemaGuid::from_bytes([9; 16]),
    };
    let mut all: Vec<_> = [
        by_id(1),
        guid,
        register("s", 1),
        find,
        version,
        latest("t"),
        metadata,
    ]
    .into_iter()
    .map(|question| (question, registered(1)))
    .collect();
    all.push((
        topic("orders"),
        Answer::Subjects(vec![subject("a"), subject("b")]),
    ));
    all
}

#[tokio::test]
async fn nothing_is_asked_twice() {
    let (desk, cached, hand) = caching(&CacheConfig {
        latest_ttl: None,
        ..CacheConfig::default()
    });
    let all = every_kind();
    for (question, answer) in &all {
        desk.knows(question, answer.clone());
        assert_eq!(cached.ask(question).await.as_ref(), Ok(answer));
    }
    hand.wait(1_000_000);
    for (question, answer) in &all {
        assert_eq!(cached.ask(question).await.as_ref(), Ok(answer));
        assert_eq!(cached.peek(question).unwrap().as_ref(), Ok(answer));
    }
    assert_eq!(desk.asked(), all.len());
    let expected = CacheCounts {
        hits: 8,
        misses: 8,
        requests: 8,
        stale: 0,
    };
    assert_eq!(cached.counts(), expected);
}

#[tokio::test]
async fn questions_that_differ_in_anything_are_different() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    let other = Question::ById {
        id: SchemaId::new(1).unwrap(),
        subject: Some(subject(":.ctx:s")),
    };
    desk.knows(&by_id(1), registered(1));
    desk.knows(&other, registered(2));
    assert_eq!(cached.ask(&by_id(1)).await, Ok(registered(1)));
    assert_eq!(cached.ask(&other).await, Ok(registered(2)));
}

#[tokio::test]
async fn the_newest_version_is_believed_for_a_while() {
    let (desk, cached, hand) = caching(&CacheConfig::default());
    desk.knows(&latest("s"), registered(1));
    desk.knows(&by_id(1), registered(1));
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(1)));
    cached.ask(&by_id(1)).await.unwrap();
    desk.knows(&latest("s"), registered(2));
    hand.wait(59);
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(1)));
    hand.wait(1);
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(2)));
    cached.ask(&by_id(1)).await.unwrap();
    assert_eq!(desk.asked(), 3);
}

#[tokio::test]
async fn a_registration_makes_the_newest_version_doubtful() {
    let (desk, cached, _) = caching(&CacheConfig {
        latest_ttl: None,
        ..CacheConfig::default()
    });
    for name in ["s", "t"] {
        desk.knows(&latest(name), registered(1));
        cached.ask(&latest(name)).await.unwrap();
    }
    desk.knows(&register("s", 2), registered(2));
    cached.ask(&register("s", 2)).await.unwrap();
    desk.knows(&latest("s"), registered(2));
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(2)));
    // The other subject is not asked for again, and neither is the registration.
    cached.ask(&latest("t")).await.unwrap();
    cached.ask(&register("s", 2)).await.unwrap();
    assert_eq!(desk.asked(), 4);
    // What is known to be wrong does not serve during an outage either.
    desk.knows(&register("t", 3), registered(3));
    cached.ask(&register("t", 3)).await.unwrap();
    desk.go(true);
    assert!(cached.ask(&latest("t")).await.is_err());
}

#[tokio::test]
async fn an_answer_from_before_a_registration_is_not_one_from_after_it() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    desk.knows(&latest("s"), registered(1));
    desk.knows(&register("s", 2), registered(2));
    desk.gate.forget_permits(1_000_000);
    let early = cached.board(latest("s"));
    tokio::task::yield_now().await;
    let registering = cached.board(register("s", 2));
    tokio::task::yield_now().await;
    // The registration lands; the older question is still under way.
    cached.core.epochs.advance(&subject("s"));
    let late = cached.board(latest("s"));
    tokio::task::yield_now().await;
    assert_eq!(cached.core.flights.len(), 3);
    desk.gate.add_permits(3);
    for seat in [early, registering, late] {
        landed(seat).await.unwrap();
    }
    assert_eq!(cached.core.flights.len(), 0);
}

#[tokio::test]
async fn what_is_missing_is_asked_every_time_unless_told_otherwise() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    for _ in 0..3 {
        let error = cached.ask(&by_id(7)).await.unwrap_err();
        assert_eq!(error.code(), Some(RegistryCode::SCHEMA_NOT_FOUND));
    }
    assert_eq!(desk.asked(), 3);

    let (desk, cached, hand) = caching(&CacheConfig {
        missing_id_ttl: Duration::from_secs(10),
        missing_schema_ttl: Duration::from_secs(10),
        ..CacheConfig::default()
    });
    for _ in 0..3 {
        assert!(cached.ask(&by_id(7)).await.is_err());
        assert!(cached.ask(&latest("s")).await.is_err());
    }
    assert_eq!(desk.asked(), 2);
    desk.knows(&by_id(7), registered(7));
    hand.wait(10);
    assert!(cached.ask(&by_id(7)).await.is_ok());
    assert!(cached.ask(&latest("s")).await.is_err());
    // A registration may bring what was missing.
    desk.knows(&register("s", 1), registered(1));
    cached.ask(&register("s", 1)).await.unwrap();
    desk.knows(&latest("s"), registered(1));
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(1)));
}

/// C057: what is missing may be believed to be, here for one second.
#[tokio::test]
async fn c057_a_missing_id_is_remembered_for_its_second() {
    let keys = [
        ("schema.registry.url", "http://desk"),
        ("missing.id.cache.ttl.sec", "1"),
    ];
    let (desk, cached, hand) = caching(&ClientConfig::parse(keys).unwrap().cache);
    for _ in 0..2 {
        let error = cached.ask(&by_id(8)).await.unwrap_err();
        assert_eq!(error.code(), Some(RegistryCode::SCHEMA_NOT_FOUND));
        desk.knows(&by_id(8), registered(8));
    }
    assert_eq!(desk.asked(), 1);
    hand.wait(1);
    assert_eq!(cached.ask(&by_id(8)).await, Ok(registered(8)));
    assert_eq!(desk.asked(), 2);
}

#[tokio::test]
async fn trouble_is_never_remembered() {
    let (desk, cached, _) = caching(&CacheConfig {
        missing_id_ttl: Duration::from_secs(10),
        ..CacheConfig::default()
    });
    desk.go(true);
    desk.knows(&by_id(1), registered(1));
    assert!(cached.ask(&by_id(1)).await.unwrap_err().is_retriable());
    desk.go(false);
    assert_eq!(cached.ask(&by_id(1)).await, Ok(registered(1)));
}

#[tokio::test]
async fn many_who_ask_the_same_share_one_request() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    desk.knows(&by_id(1), registered(1));
    desk.gate.forget_permits(1_000_000);
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let cached = cached.clone();
            tokio::spawn(async move { cached.ask(&by_id(1)).await })
        })
        .collect();
    while cached.counts().misses < 100 {
        tokio::task::yield_now().await;
    }
    desk.gate.add_permits(1);
    for task in tasks {
        assert_eq!(task.await.unwrap(), Ok(registered(1)));
    }
    assert_eq!((desk.asked(), cached.counts().requests), (1, 1));
}

#[tokio::test]
async fn who_goes_away_takes_nothing_from_the_others() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    desk.knows(&by_id(1), registered(1));
    desk.gate.forget_permits(1_000_000);
    let ask = |cached: Cached| tokio::spawn(async move { cached.ask(&by_id(1)).await });
    let first = ask(cached.clone());
    while desk.asked() == 0 {
        tokio::task::yield_now().await;
    }
    let second = ask(cached.clone());
    while cached.counts().misses < 2 {
        tokio::task::yield_now().await;
    }
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    desk.gate.add_permits(1);
    assert_eq!(second.await.unwrap(), Ok(registered(1)));
    assert_eq!(desk.asked(), 1);
}

#[tokio::test]
async fn requests_under_way_are_bounded() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    desk.gate.forget_permits(1_000_000);
    let many = i32::try_from(3 * REQUESTS_IN_FLIGHT_MAX).unwrap();
    let seats: Vec<_> = (0..many).map(|n| cached.board(by_id(n))).collect();
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    assert_eq!(desk.asked(), REQUESTS_IN_FLIGHT_MAX);
    desk.gate.add_permits(1_000);
    for seat in seats {
        assert!(landed(seat).await.is_err());
    }
    assert_eq!(desk.asked(), 3 * REQUESTS_IN_FLIGHT_MAX);
}

#[tokio::test]
async fn requests_end_with_the_last_who_may_ask() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    desk.gate.forget_permits(1_000_000);
    let seat = cached.board(by_id(1));
    while desk.asked() == 0 {
        tokio::task::yield_now().await;
    }
    drop(cached);
    let error = landed(seat).await.unwrap_err();
    assert!(error.is_retriable(), "{error}");
    assert_eq!(Arc::strong_count(&desk), 1, "nothing is left behind");
}

#[tokio::test]
async fn everything_can_be_asked_beforehand() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    for n in [1, 2, 3] {
        desk.knows(&by_id(n), registered(n));
    }
    cached.ask(&by_id(2)).await.unwrap();
    let answers = cached.prefetch([1, 2, 9, 3, 1].map(by_id)).await;
    let found: Vec<_> = answers.iter().map(|answer| answer.clone().ok()).collect();
    let expected = [
        Some(registered(1)),
        Some(registered(2)),
        None,
        Some(registered(3)),
        Some(registered(1)),
    ];
    assert_eq!(found, expected);
    assert_eq!(desk.asked(), 4);
}

#[tokio::test]
async fn during_an_outage_old_answers_serve_on() {
    let (desk, cached, hand) = caching(&CacheConfig::default());
    desk.knows(&latest("s"), registered(1));
    cached.ask(&latest("s")).await.unwrap();
    hand.wait(3_600);
    desk.go(true);
    // The first one finds out, those after it do not ask.
    for _ in 0..5 {
        assert_eq!(cached.ask(&latest("s")).await, Ok(registered(1)));
    }
    assert_eq!((desk.asked(), cached.counts().stale), (2, 5));
    // What was never known is asked for, and not made up.
    assert!(cached.ask(&latest("t")).await.unwrap_err().is_retriable());
    assert_eq!(desk.asked(), 3);
    // Now and then somebody looks whether it is back.
    hand.wait(5);
    desk.go(false);
    desk.knows(&latest("s"), registered(2));
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(2)));
    assert_eq!(cached.counts().stale, 5);
}

#[tokio::test]
async fn who_has_an_old_answer_does_not_wait_long_for_a_new_one() {
    let (desk, hand) = (Desk::new(), Hand::default());
    let config = CacheConfig::default();
    let cached = patient(&desk, &config, &hand, Duration::from_millis(1));
    desk.knows(&latest("s"), registered(1));
    while cached.peek(&latest("s")).is_none() {
        cached.ask(&latest("s")).await.unwrap();
    }
    hand.wait(3_600);
    desk.gate.forget_permits(1_000_000);
    desk.knows(&latest("s"), registered(2));
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(1)));
    // That is an outage, so nobody else waits at all; the request goes on, and its answer counts when it comes.
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(1)));
    assert_eq!((desk.asked(), cached.counts().stale), (2, 2));
    desk.gate.add_permits(1);
    while cached.peek(&latest("s")).is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(cached.ask(&latest("s")).await, Ok(registered(2)));
}

#[tokio::test]
async fn a_registry_that_refuses_is_not_away() {
    let (desk, cached, hand) = caching(&CacheConfig::default());
    desk.knows(&latest("s"), registered(1));
    cached.ask(&latest("s")).await.unwrap();
    hand.wait(3_600);
    desk.known.lock().unwrap().clear();
    assert!(cached.ask(&latest("s")).await.is_err());
    assert_eq!(cached.counts().stale, 0);
}

#[tokio::test]
async fn memory_is_bounded_by_bytes_and_by_number() {
    let (desk, cached, _) = caching(&CacheConfig::default());
    let big: Arc<str> = "x".repeat(1 << 20).into();
    for n in 0..300 {
        let Answer::Schema(mut answer) = registered(n + 1) else {
            panic!("a schema");
        };
        answer.schema = SchemaText::new(SchemaType::Json, Arc::clone(&big));
        desk.knows(&by_id(n), Answer::Schema(answer));
        cached.ask(&by_id(n)).await.unwrap();
    }
    assert!(cached.core.shelves.bytes() <= shelf::CACHE_BYTES_MAX);

    let (desk, cached, _) = caching(&CacheConfig {
        associations_max: 10,
        ..CacheConfig::default()
    });
    for n in 0..1_000 {
        let question = topic(&n.to_string());
        desk.knows(&question, Answer::Subjects(Vec::new()));
        cached.ask(&question).await.unwrap();
    }
    assert!(cached.core.shelves.associations() <= 10);
}

/// A worker with a folder, another one after it.
fn with_folder(folder: &Path, scope: &str) -> (Arc<Desk>, Cached) {
    let desk = Desk::new();
    let config = CacheConfig {
        folder: Some(folder.to_owned()),
        ..CacheConfig::default()
    };
    let cached = CachingRegistry::new(Arc::clone(&desk), &config, scope);
    (desk, cached)
}

#[tokio::test]
async fn a_restart_during_an_outage_goes_on_with_every_schema_seen() {
    let folder = tempfile::tempdir().unwrap();
    let (desk, cached) = with_folder(folder.path(), "one");
    for (question, answer) in every_kind() {
        desk.knows(&question, answer.clone());
        cached.ask(&question).await.unwrap();
    }
    drop(cached);

    let (desk, cached) = with_folder(folder.path(), "one");
    desk.go(true);
    for (question, answer) in every_kind() {
        assert_eq!(cached.ask(&question).await, Ok(answer), "{question:?}");
    }
    assert!(cached.ask(&by_id(99)).await.is_err());
    assert_eq!(cached.counts().stale, 8);

    // Another registry has its own ids.
    let (desk, cached) = with_folder(folder.path(), "two");
    desk.go(true);
    assert!(cached.ask(&by_id(1)).await.is_err());
}

#[tokio::test]
async fn a_folder_is_not_believed_while_the_registry_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (desk, cached) = with_folder(folder.path(), "one");
    desk.knows(&by_id(1), registered(1));
    cached.ask(&by_id(1)).await.unwrap();

    // The registry was set up anew, and gives its ids to others.
    let (desk, cached) = with_folder(folder.path(), "one");
    desk.knows(&by_id(1), registered(2));
    assert_eq!(cached.ask(&by_id(1)).await, Ok(registered(2)));
    let (desk, cached) = with_folder(folder.path(), "one");
    desk.go(true);
    assert_eq!(cached.ask(&by_id(1)).await, Ok(registered(2)));
    desk.go(false);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_stops_nobody() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (desk, cached) = with_folder(&file.path().join("below"), "one");
    desk.knows(&by_id(1), registered(1));
    assert_eq!(cached.ask(&by_id(1)).await, Ok(registered(1)));
}

#[test]
fn two_registries_have_two_scopes() {
    let scope = |url: &str, extra: &[(&str, &str)]| {
        let keys = [("schema.registry.url", url)];
        scope_of(&ClientConfig::parse(keys.into_iter().chain(extra.iter().copied())).unwrap())
    };
    let both = scope("http://b,http://u:p@a/", &[]);
    assert_eq!(both, "http://a,http://b");
    assert_eq!(both, scope("http://a,http://b", &[]));
    assert_ne!(both, scope("http://a", &[]));
    assert_ne!(scope("embedded:", &[]), scope("embedded:x", &[]));
    let token = [
        ("bearer.auth.credentials.source", "STATIC_TOKEN"),
        ("bearer.auth.token", "t"),
        ("bearer.auth.logical.cluster", "lsrc-1"),
    ];
    assert_eq!(scope("http://a", &token), "http://a,cluster=lsrc-1");
}

use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use bytes::Bytes;
use ferroconnect_registry_client as registry;
use ferroconnect_registry_client::fake::FakeRegistry;
use ferroconnect_registry_client::{
    Answer, AsyncRegistry, Lookup, LookupId, Question, Reference, Registry, Resolved, SchemaText,
    SchemaType, Subject,
};

use super::*;
use crate::avro::{AvroConverter, AvroConverterConfig};
use crate::data::{Schema, SchemaBuilder, StructBuilder, Value};
use crate::limits::{LOOKUP_ROUNDS_MAX, LOOKUPS_IN_FLIGHT_MAX};
use crate::simple::StringConverter;
use crate::{Fault, RawHeaders};

type Shared = Arc<Mutex<FakeRegistry>>;

fn avro(registry: Arc<dyn AsyncRegistry>) -> AsyncConverter<AvroConverter> {
    let converter = AvroConverter::new(AvroConverterConfig::default(), Role::Value);
    AsyncConverter::new(Role::Value, converter, registry)
}

fn with<T>(registry: &Shared, act: impl FnOnce(&mut FakeRegistry) -> T) -> T {
    act(&mut registry.lock().unwrap())
}

/// A struct of a schema with that name.
fn named(name: &str, id: i64) -> SchemaAndValue {
    let schema = SchemaBuilder::structure()
        .name(name)
        .field("id", Schema::int64())
        .build()
        .unwrap();
    StructBuilder::new(&schema)
        .unwrap()
        .set("id", id)
        .unwrap()
        .finish()
        .unwrap()
}

fn id_of(data: &SchemaAndValue) -> Option<i64> {
    data.value().as_struct()?.get("id")?.as_i64()
}

fn framed(schema: i32, body: &[u8]) -> Bytes {
    let mut bytes = vec![0];
    bytes.extend(schema.to_be_bytes());
    bytes.extend(body);
    bytes.into()
}

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
}

/// Registers that many schemas of one long field each for the values of a topic.
fn register(registry: &Shared, topic: &str, count: i32) {
    let subject = subject(&format!("{topic}-value"));
    for number in 0..count {
        let text = format!(
            r#"{{"type":"record","name":"R{number}","fields":[{{"name":"id","type":"long"}}]}}"#
        );
        let text = SchemaText::new(SchemaType::Avro, text);
        with(registry, |r| r.register(&subject, &text, false)).unwrap();
    }
}

#[tokio::test]
async fn a_record_makes_the_round_trip_and_asks_once() {
    let registry = Shared::default();
    let mut converter = avro(registry.clone());
    let order = named("Order", 7);
    let bytes = converter.encode("orders", &order).await.unwrap().unwrap();
    assert_eq!(bytes, framed(1, &[14]));
    let back = converter.decode("orders", Some(&bytes)).await.unwrap();
    assert_eq!(id_of(&back), Some(7));

    let asked = with(&registry, |r| r.asked());
    for _ in 0..10 {
        converter.encode("orders", &order).await.unwrap();
        converter.decode("orders", Some(&bytes)).await.unwrap();
    }
    assert_eq!(with(&registry, |r| r.asked()), asked);
}

#[tokio::test]
async fn converters_without_a_registry_never_ask() {
    let registry = Shared::default();
    let converter: Box<dyn Converter> =
        Box::new(StringConverter::configure(&Default::default(), Role::Key).unwrap());
    let mut converter = AsyncConverter::new(Role::Key, converter, registry.clone());
    let bytes = converter
        .encode("t", &SchemaAndValue::from("a"))
        .await
        .unwrap();
    assert_eq!(
        converter.decode("t", bytes.as_ref()).await.unwrap().value(),
        Value::String("a")
    );
    assert!(converter.decode("t", None).await.unwrap().is_null());
    assert_eq!(
        converter.encode("t", &SchemaAndValue::NULL).await.unwrap(),
        None
    );
    assert_eq!(with(&registry, |r| r.asked()), 0);
}

#[tokio::test]
async fn references_take_as_many_rounds_as_they_are_deep() {
    const DEPTH: usize = 20;
    let registry = Shared::default();
    let mut last = None;
    for depth in 0..DEPTH {
        let inner = last
            .as_ref()
            .map_or(r#""long""#.to_owned(), |_| format!(r#""R{}""#, depth - 1));
        let text = format!(
            r#"{{"type":"record","name":"R{depth}","fields":[{{"name":"f","type":{inner}}}]}}"#
        );
        let references: Vec<Reference> = last.into_iter().collect();
        let text = SchemaText::new(SchemaType::Avro, text).with_references(references);
        let last_one = depth + 1 == DEPTH;
        let subject = subject(&if last_one {
            "t-value".into()
        } else {
            format!("r{depth}")
        });
        let registered = with(&registry, |r| r.register(&subject, &text, false)).unwrap();
        last = Some(Reference {
            name: format!("R{depth}").into(),
            subject,
            version: registered.version.unwrap(),
        });
    }
    let bytes = framed(i32::try_from(DEPTH).unwrap(), &[2]);
    let back = avro(registry).decode("t", Some(&bytes)).await.unwrap();
    let mut value = back.value();
    while let Value::Struct(structure) = value {
        value = structure.at(0);
    }
    assert_eq!(value, Value::Int64(1));
}

#[tokio::test]
async fn a_schema_id_may_travel_in_a_header() {
    let raw = [
        ("schema.registry.url", "embedded:"),
        (
            "value.schema.id.serializer",
            "io.confluent.kafka.serializers.schema.id.HeaderSchemaIdSerializer",
        ),
    ];
    let raw = raw.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let raw = crate::config::RawConfig::from(raw);
    let converter = AvroConverter::configure(&raw, Role::Value).unwrap();
    let mut converter = AsyncConverter::new(Role::Value, converter, Shared::default());
    let (mut headers, mut out) = (RawHeaders::new(), b"before".to_vec());
    let mut ctx = RecordContext::new("orders", Role::Value).with_headers(&mut headers);
    let range = converter
        .encode_in(&mut ctx, &named("Order", 7), &mut out)
        .await
        .unwrap();
    assert_eq!(out[range.unwrap()], [14]);
    assert_eq!(headers.len(), 1);
}

#[tokio::test]
async fn silence_is_transient_and_the_next_call_asks_again() {
    let registry = Shared::default();
    register(&registry, "t", 1);
    let mut converter = avro(registry.clone());
    let bytes = framed(1, &[14]);
    with(&registry, |r| {
        r.fail_next(1, registry::Error::unreachable("refused"))
    });
    let error = converter.decode("t", Some(&bytes)).await.unwrap_err();
    assert_eq!(error.fault(), Fault::Transient, "{error}");
    let back = converter.decode("t", Some(&bytes)).await.unwrap();
    assert_eq!(id_of(&back), Some(7));
}

#[tokio::test]
async fn an_unknown_schema_is_a_data_fault() {
    let registry = Shared::default();
    let error = avro(registry)
        .decode("t", Some(&framed(9, &[14])))
        .await
        .unwrap_err();
    assert_eq!(error.fault(), Fault::Data);
    assert!(error.is_unknown_schema(), "{error}");
}

#[tokio::test]
async fn a_batch_asks_every_question_once_and_keeps_its_order() {
    let registry = Shared::default();
    register(&registry, "t", 3);
    let mut converter = avro(registry.clone());
    let records: Vec<Option<Bytes>> = (0..30u8)
        .map(|n| (n % 10 != 9).then(|| framed(i32::from(n % 3) + 1, &[n * 2])))
        .collect();
    let before = with(&registry, |r| r.asked());
    let results = converter.decode_batch("t", &records).await;
    for (n, result) in (0..).zip(&results) {
        let data = result.as_ref().unwrap();
        assert_eq!(id_of(data), (n % 10 != 9).then_some(n));
    }
    // The subject of the topic, each schema, and each schema's version.
    assert_eq!(with(&registry, |r| r.asked()) - before, 1 + 3 + 3);
}

#[tokio::test]
async fn a_bad_record_of_a_batch_takes_no_other_with_it() {
    let registry = Shared::default();
    register(&registry, "t", 1);
    let mut converter = avro(registry.clone());
    let unknown = || Some(framed(99, &[2]));
    let mut records = vec![
        Some(framed(1, &[2])),
        Some(Bytes::from_static(b"{}")),
        unknown(),
    ];
    records.extend((0..200).map(|_| unknown()));
    records.push(Some(framed(1, &[4])));
    let before = with(&registry, |r| r.asked());
    let results = converter.decode_batch("t", &records).await;
    assert!(results[1].is_err());
    for result in &results[2..203] {
        assert!(result.as_ref().unwrap_err().is_unknown_schema());
    }
    assert_eq!(results[0].as_ref().ok().and_then(id_of), Some(1));
    assert_eq!(results[203].as_ref().ok().and_then(id_of), Some(2));
    // The subject of the topic, both ids, and the version of the one that exists: a refusal is asked for once.
    assert_eq!(with(&registry, |r| r.asked()) - before, 1 + 2 + 1);
}

#[tokio::test]
async fn an_outage_fails_the_whole_batch_with_one_try() {
    let registry = Shared::default();
    register(&registry, "t", 1);
    let mut converter = avro(registry.clone());
    let records = vec![Some(framed(1, &[14])); 100];
    let before = with(&registry, |r| r.asked());
    with(&registry, |r| {
        r.fail_next(1_000, registry::Error::unreachable("refused"))
    });
    for result in converter.decode_batch("t", &records).await {
        assert_eq!(result.unwrap_err().fault(), Fault::Transient);
    }
    assert_eq!(with(&registry, |r| r.asked()) - before, 1);
    with(&registry, |r| {
        r.fail_next(0, registry::Error::unreachable(""))
    });
    for result in converter.decode_batch("t", &records).await {
        assert_eq!(id_of(&result.unwrap()), Some(7));
    }
}

#[tokio::test]
async fn a_batch_is_encoded_into_one_block() {
    let registry = Shared::default();
    let mut converter = avro(registry.clone());
    let mut records: Vec<SchemaAndValue> = (0..5).map(|n| named("Order", n)).collect();
    records.insert(2, SchemaAndValue::NULL);
    let results = converter.encode_batch("orders", &records).await;
    let bytes: Vec<Option<Bytes>> = results.into_iter().map(Result::unwrap).collect();
    assert_eq!(bytes[2], None);
    assert_eq!(bytes[3], Some(framed(1, &[4])));
    for (data, back) in records
        .iter()
        .zip(converter.decode_batch("orders", &bytes).await)
    {
        assert_eq!(id_of(data), id_of(&back.unwrap()));
    }
}

#[tokio::test]
async fn records_of_a_batch_may_have_contexts_of_their_own() {
    let registry = Shared::default();
    register(&registry, "a", 2);
    register(&registry, "b", 2);
    let mut headers = [RawHeaders::new(), RawHeaders::new()];
    let mut topics = headers.iter_mut().zip(["a", "b"]).zip(1..);
    let mut records: Vec<_> = topics
        .by_ref()
        .map(|((headers, topic), id)| {
            let ctx = RecordContext::new(topic, Role::Value).with_headers(headers);
            (ctx, Some(framed(id, &[2])))
        })
        .collect();
    let results = avro(registry).decode_batch_in(&mut records).await;
    let names: Vec<_> = results
        .iter()
        .map(|r| r.as_ref().unwrap().schema().unwrap().name())
        .collect();
    assert_eq!(names, [Some("R0"), Some("R1")]);
}

/// A registry that answers only after it was polled again, and counts how many wait at once.
#[derive(Debug, Default)]
struct Slow {
    inner: Shared,
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait::async_trait]
impl AsyncRegistry for Slow {
    async fn ask(&self, question: &Question) -> Result<Answer, registry::Error> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        self.inner.ask(question).await
    }
}

#[tokio::test]
async fn questions_are_asked_together_but_not_all_of_them() {
    let count = i32::try_from(LOOKUPS_IN_FLIGHT_MAX * 3).unwrap();
    let slow = Arc::new(Slow::default());
    register(&slow.inner, "t", count);
    let records: Vec<_> = (1..=count).map(|id| Some(framed(id, &[2]))).collect();
    let results = avro(slow.clone()).decode_batch("t", &records).await;
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(slow.most.load(Ordering::SeqCst), LOOKUPS_IN_FLIGHT_MAX);
}

/// Polls a future once, and drops it.
async fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

#[tokio::test]
async fn a_dropped_future_loses_nothing() {
    let slow = Arc::new(Slow::default());
    register(&slow.inner, "t", 2);
    let mut converter = avro(slow.clone());
    let bytes = framed(1, &[14]);
    for _ in 0..5 {
        assert!(
            poll_once(converter.decode("t", Some(&bytes)))
                .await
                .is_none()
        );
    }
    assert_eq!(
        id_of(&converter.decode("t", Some(&bytes)).await.unwrap()),
        Some(7)
    );

    let mut out = b"before".to_vec();
    let order = named("Order", 7);
    let mut ctx = RecordContext::new("t", Role::Value);
    assert!(
        poll_once(converter.encode_in(&mut ctx, &order, &mut out))
            .await
            .is_none()
    );
    assert_eq!(out, b"before");
    assert!(
        converter
            .encode_in(&mut ctx, &order, &mut out)
            .await
            .is_ok()
    );
}

#[test]
fn futures_may_move_between_threads() {
    fn sendable<T: Send>(_: &T) {}
    let mut converter = avro(Shared::default());
    sendable(&converter.decode("t", None));
    sendable(&converter.decode_batch("t", &[]));
}

/// Misses one thing after the other.
#[derive(Debug)]
struct Insatiable {
    next: LookupId,
    lists: bool,
}

impl Converter for Insatiable {
    fn from_connect(
        &mut self,
        _: &mut RecordContext<'_>,
        _: &SchemaAndValue,
        _: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        self.next = self.next.next();
        Outcome::Missing(self.next)
    }

    fn to_connect(
        &mut self,
        _: &mut RecordContext<'_>,
        _: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        self.next = self.next.next();
        Outcome::Missing(self.next)
    }

    fn unresolved(&mut self) -> Vec<Lookup> {
        let question = Question::Latest {
            subject: subject("s"),
        };
        let lookup = Lookup {
            id: self.next,
            question,
        };
        self.lists.then_some(lookup).into_iter().collect()
    }
}

fn insatiable(lists: bool, registry: &Shared) -> AsyncConverter<Insatiable> {
    let next = LookupId::FIRST;
    AsyncConverter::new(Role::Value, Insatiable { next, lists }, registry.clone())
}

#[tokio::test]
async fn a_converter_that_always_wants_more_is_stopped() {
    let registry = Shared::default();
    let mut converter = insatiable(true, &registry);
    let error = converter.decode("t", None).await.unwrap_err();
    assert_eq!(error.fault(), Fault::Plugin);
    assert!(
        error
            .to_string()
            .contains(&format!("after {LOOKUP_ROUNDS_MAX} rounds")),
        "{error}"
    );
    // The registry refuses: it is not asked the same again and again.
    assert_eq!(with(&registry, |r| r.asked()), 1);

    let text = SchemaText::new(SchemaType::Avro, r#""long""#);
    with(&registry, |r| r.register(&subject("s"), &text, false)).unwrap();
    let results = converter.decode_batch("t", &[None, None]).await;
    assert!(
        results
            .iter()
            .all(|r| r.as_ref().unwrap_err().fault() == Fault::Plugin)
    );
    assert!(with(&registry, |r| r.asked()) < 300);
}

#[tokio::test]
async fn a_converter_that_does_not_say_what_it_misses_is_stopped() {
    let registry = Shared::default();
    let mut converter = insatiable(false, &registry);
    let error = converter
        .encode("t", &SchemaAndValue::NULL)
        .await
        .unwrap_err();
    assert_eq!(error.fault(), Fault::Plugin);
    assert!(error.to_string().contains("does not list"), "{error}");
}

#[test]
fn without_a_runtime_it_is_the_same() {
    let converter = AvroConverter::new(AvroConverterConfig::default(), Role::Value);
    let mut converter = BlockingConverter::new(Role::Value, converter, FakeRegistry::default());
    let order = named("Order", 7);
    let bytes = converter.encode("orders", &order).unwrap();
    assert_eq!(
        id_of(&converter.decode("orders", bytes.as_ref()).unwrap()),
        Some(7)
    );
    assert!(
        converter
            .decode("orders", Some(&framed(9, &[])))
            .unwrap_err()
            .is_unknown_schema()
    );

    converter
        .registry()
        .fail_next(1, registry::Error::unreachable("refused"));
    let error = converter
        .decode("orders", Some(&framed(9, &[])))
        .unwrap_err();
    assert_eq!(error.fault(), Fault::Transient);

    let next = LookupId::FIRST;
    let greedy = Insatiable { next, lists: true };
    let mut greedy = BlockingConverter::new(Role::Value, greedy, FakeRegistry::default());
    assert_eq!(greedy.decode("t", None).unwrap_err().fault(), Fault::Plugin);
}

/// Answers are taken even when the questions were put by somebody else before.
#[test]
fn what_was_listed_before_is_listed_again() {
    let mut converter = AvroConverter::new(AvroConverterConfig::default(), Role::Value);
    let bytes = framed(1, &[14]);
    let mut ctx = RecordContext::new("t", Role::Value);
    assert!(matches!(
        converter.to_connect(&mut ctx, Some(&bytes)),
        Outcome::Missing(_)
    ));
    let lost = converter.unresolved();
    assert!(matches!(
        converter.to_connect(&mut ctx, Some(&bytes)),
        Outcome::Missing(_)
    ));
    assert_eq!(converter.unresolved(), lost);
    let nobody = Resolved {
        id: lost[0].id.next(),
        answer: Err(registry::Error::unreachable("")),
    };
    converter.install(nobody); // dropped
    assert!(matches!(
        converter.to_connect(&mut ctx, Some(&bytes)),
        Outcome::Missing(_)
    ));
}

//! AvroConverter against a registry in memory: what it asks, when, and what it says when there is no good answer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, a panic with its place is the report"
)]

use std::time::Duration;

use bytes::Bytes;
use ferroconnect_converters::avro::{AvroConverter, AvroConverterConfig};
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{Schema, SchemaAndValue, SchemaBuilder, StructBuilder, Value};
use ferroconnect_converters::registered::{RegisteredConfig, WhichSchema};
use ferroconnect_converters::subject::{Associated, Fallback, SubjectStrategy};
use ferroconnect_converters::wire::IdWriter;
use ferroconnect_converters::{Converter, Error, Fault, Outcome, RawHeaders, RecordContext, Role};
use ferroconnect_registry_client::fake::FakeRegistry;
use ferroconnect_registry_client::{
    Answer, Error as Refusal, Question, Reference, Registry, RegistryCode, Resolved, SchemaText,
    SchemaType, Subject, Version,
};

/// A converter with its registry, and every question it asked.
struct Stage {
    converter: AvroConverter,
    registry: FakeRegistry,
    associated: Vec<Subject>,
    asked: Vec<Question>,
}

impl Stage {
    fn new(registered: RegisteredConfig) -> Self {
        let config = AvroConverterConfig {
            registered,
            ..AvroConverterConfig::default()
        };
        Self {
            converter: AvroConverter::new(config, Role::Value),
            registry: FakeRegistry::default(),
            associated: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn by_topic() -> Self {
        Self::new(RegisteredConfig {
            subjects: SubjectStrategy::TopicName,
            ..RegisteredConfig::default()
        })
    }

    fn answer(&mut self) {
        for lookup in self.converter.unresolved() {
            self.asked.push(lookup.question.clone());
            let resolved = if let Question::Associated(_) = lookup.question {
                Resolved {
                    id: lookup.id,
                    answer: Ok(Answer::Subjects(self.associated.clone())),
                }
            } else {
                self.registry.answer(&lookup)
            };
            self.converter.install(resolved);
        }
    }

    fn write_to(&mut self, topic: &str, data: &SchemaAndValue) -> Result<Option<Vec<u8>>, Error> {
        let mut out = b"kept".to_vec();
        loop {
            let mut ctx = RecordContext::new(topic, Role::Value);
            match self.converter.from_connect(&mut ctx, data, &mut out) {
                Outcome::Ready(range) => return Ok(range.map(|range| out[range].to_vec())),
                Outcome::Failed(error) => {
                    assert_eq!(out, b"kept", "a failure leaves nothing behind");
                    return Err(error);
                }
                Outcome::Missing(_) => {
                    assert_eq!(out, b"kept", "what is missing leaves nothing behind");
                    self.answer();
                }
            }
        }
    }

    fn write(&mut self, data: &SchemaAndValue) -> Result<Option<Vec<u8>>, Error> {
        self.write_to("orders", data)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<SchemaAndValue, Error> {
        let bytes = Bytes::copy_from_slice(bytes);
        loop {
            let mut ctx = RecordContext::new("orders", Role::Value);
            match self.converter.to_connect(&mut ctx, Some(&bytes)) {
                Outcome::Ready(data) => return Ok(data),
                Outcome::Failed(error) => return Err(error),
                Outcome::Missing(_) => self.answer(),
            }
        }
    }
}

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
}

fn avro(text: &str) -> SchemaText {
    SchemaText::new(SchemaType::Avro, text)
}

fn order_schema(field: &str) -> Schema {
    SchemaBuilder::structure()
        .name("com.acme.Order")
        .field(field, Schema::int64())
        .build()
        .unwrap()
}

fn order(field: &str) -> SchemaAndValue {
    StructBuilder::new(&order_schema(field))
        .unwrap()
        .set(field, 7i64)
        .unwrap()
        .finish()
        .unwrap()
}

#[test]
fn a_schema_is_asked_for_once_per_topic() {
    let mut stage = Stage::new(RegisteredConfig::default());
    assert_eq!(
        stage.write(&order("id")).unwrap().unwrap(),
        [0, 0, 0, 0, 1, 14]
    );
    // The default strategy first asks for associations.
    assert!(matches!(
        stage.asked[..],
        [Question::Associated(_), Question::Register { .. }]
    ));

    // An equal schema behind another handle needs no question, a schema that was written before neither.
    stage.write(&order("id")).unwrap();
    stage.write(&order("no")).unwrap();
    stage.write(&order("id")).unwrap();
    assert_eq!(stage.asked.len(), 3);

    stage.write_to("returns", &order("id")).unwrap();
    assert_eq!(stage.asked.len(), 5, "another topic is another subject");
}

#[test]
fn an_association_names_the_subject() {
    let mut stage = Stage::new(RegisteredConfig::default());
    stage.associated.push(subject("the-orders"));
    stage.write(&order("id")).unwrap();
    assert!(
        matches!(&stage.asked[1], Question::Register { subject, .. } if subject.as_str() == "the-orders")
    );

    let none = SubjectStrategy::Associated(Associated {
        fallback: Fallback::None,
        ..Associated::default()
    });
    let mut stage = Stage::new(RegisteredConfig {
        subjects: none,
        ..RegisteredConfig::default()
    });
    let error = stage.write(&order("id")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("No associated subject found for topic orders"),
        "{error}"
    );
    assert!(error.is_data());
}

#[test]
fn an_older_registry_knows_no_associations() {
    let mut stage = Stage::new(RegisteredConfig::default());
    let mut ctx = RecordContext::new("orders", Role::Value);
    let mut out = Vec::new();
    assert!(matches!(
        stage
            .converter
            .from_connect(&mut ctx, &order("id"), &mut out),
        Outcome::Missing(_)
    ));
    let lookups = stage.converter.unresolved();
    let not_found = Refusal::refused(404, RegistryCode::new(404), "HTTP 404 Not Found");
    stage.converter.install(Resolved {
        id: lookups[0].id,
        answer: Err(not_found),
    });
    assert_eq!(
        stage.write(&order("id")).unwrap().unwrap(),
        [0, 0, 0, 0, 1, 14]
    );
    assert!(
        matches!(&stage.asked[..], [Question::Register { subject, .. }] if subject.as_str() == "orders-value")
    );
}

#[test]
fn an_outage_is_told_once_and_is_never_the_records_fault() {
    let mut stage = Stage::by_topic();
    stage
        .registry
        .fail_next(1, Refusal::unreachable("registry:8081: connection refused"));
    let error = stage.write(&order("id")).unwrap_err();
    assert_eq!(error.fault(), Fault::Transient);
    assert!(error.is_retriable());
    assert_eq!(
        error.java_class(),
        "org.apache.kafka.connect.errors.RetriableException"
    );
    let text = error.to_string();
    assert!(
        text.starts_with("Failed to serialize Avro data from topic orders"),
        "{text}"
    );
    assert!(
        text.contains("orders-value") && text.contains("connection refused"),
        "{text}"
    );

    assert!(
        stage.write(&order("id")).is_ok(),
        "the next record asks again"
    );
    assert_eq!(stage.asked.len(), 2);
}

#[test]
fn a_refusal_says_subject_code_and_what_to_do() {
    let mut stage = Stage::by_topic();
    let refused = Refusal::refused(
        409,
        RegistryCode::INCOMPATIBLE_SCHEMA,
        "Schema being registered is incompatible",
    );
    stage.registry.fail_next(1, refused);
    let error = stage.write(&order("id")).unwrap_err();
    assert_eq!(error.fault(), Fault::Data);
    let text = error.to_string();
    for part in ["orders-value", "40901", "compatibility level"] {
        assert!(text.contains(part), "{part}: {text}");
    }

    let forbidden = Refusal::refused(403, RegistryCode::new(403), "Forbidden");
    stage.registry.fail_next(1, forbidden);
    assert_eq!(
        stage.write(&order("id")).unwrap_err().fault(),
        Fault::Config
    );
}

#[test]
fn a_schema_that_nobody_knows_yet_is_recognisable_and_asked_for_again() {
    let mut stage = Stage::by_topic();
    let record = [0, 0, 0, 0, 1, 14];
    for _ in 0..2 {
        let error = stage.read(&record).unwrap_err();
        assert!(error.is_unknown_schema());
        assert!(
            error
                .to_string()
                .contains("schema id 1 is not known to the registry"),
            "{error}"
        );
    }
    let text = r#"{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}"#;
    stage
        .registry
        .register(&subject("orders-value"), &avro(text), false)
        .unwrap();
    assert!(stage.read(&record).is_ok());

    let asked = stage.asked.len();
    stage.read(&record).unwrap();
    assert_eq!(stage.asked.len(), asked, "what is known is not asked for");
}

#[test]
fn what_the_data_forbid_is_said_before_anything_is_registered() {
    let mut stage = Stage::by_topic();
    let wrong = SchemaAndValue::from(7i64).with_schema(Some(Schema::int32()));
    let error = stage.write(&wrong).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("Invalid type for INT32: class java.lang.Long"),
        "{error}"
    );
    assert!(stage.asked.is_empty());
}

#[test]
fn nulls_ask_nothing() {
    let mut stage = Stage::by_topic();
    assert_eq!(stage.write(&SchemaAndValue::NULL).unwrap(), None);
    let optional = SchemaAndValue::null_of(Some(Schema::optional_string()));
    assert_eq!(stage.write(&optional).unwrap(), None);
    assert!(
        stage
            .write(&SchemaAndValue::null_of(Some(Schema::string())))
            .is_err()
    );
    assert!(stage.asked.is_empty());
}

#[test]
fn references_are_followed_to_their_end() {
    let mut stage = Stage::by_topic();
    let reference = |name: &str, subject: Subject| Reference {
        name: name.into(),
        subject,
        version: Version::FIRST,
    };
    let (inner, outer) = (subject("inner"), subject("outer"));
    let text = r#"{"type":"record","name":"In","fields":[{"name":"x","type":"int"}]}"#;
    stage.registry.register(&inner, &avro(text), false).unwrap();
    let text = r#"{"type":"record","name":"Out","fields":[{"name":"i","type":"In"}]}"#;
    let schema = avro(text).with_references([reference("In", inner)]);
    stage.registry.register(&outer, &schema, false).unwrap();
    let text = r#"{"type":"record","name":"Top","fields":[{"name":"o","type":"Out"}]}"#;
    let schema = avro(text).with_references([reference("Out", outer)]);
    let id = stage
        .registry
        .register(&subject("orders-value"), &schema, false)
        .unwrap()
        .id;

    let read = stage
        .read(&[0, 0, 0, 0, u8::try_from(id.get()).unwrap(), 10])
        .unwrap();
    let out = read
        .field("o")
        .unwrap()
        .field("i")
        .unwrap()
        .field("x")
        .unwrap();
    assert_eq!(out.value(), Value::Int32(5));
}

#[test]
fn references_in_a_circle_end_with_an_error() {
    let mut stage = Stage::by_topic();
    let circle = subject("orders-value");
    let text = r#"{"type":"record","name":"R","fields":[{"name":"o","type":"S"}]}"#;
    let schema = avro(text).with_references([Reference {
        name: "S".into(),
        subject: circle.clone(),
        version: Version::FIRST,
    }]);
    stage.registry.register(&circle, &schema, false).unwrap();
    let error = stage.read(&[0, 0, 0, 0, 1, 0]).unwrap_err();
    assert!(
        error.is_data() && error.to_string().contains("in a circle"),
        "{error}"
    );
}

#[test]
fn a_schema_of_another_language_names_both() {
    let mut stage = Stage::by_topic();
    let schema = SchemaText::new(SchemaType::Json, r#"{"type":"object"}"#);
    stage
        .registry
        .register(&subject("orders-value"), &schema, false)
        .unwrap();
    let error = stage.read(&[0, 0, 0, 0, 1, 0]).unwrap_err();
    assert!(
        error.is_data() && error.to_string().contains("is of type JSON, not AVRO"),
        "{error}"
    );
}

#[test]
fn bytes_of_another_converter_are_recognised() {
    let mut stage = Stage::by_topic();
    let error = stage.read(br#"{"schema":null,"payload":1}"#).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("Failed to deserialize data for topic orders to Avro"),
        "{text}"
    );
    assert!(
        text.contains("unknown magic byte") && text.contains("JsonConverter"),
        "{text}"
    );
    assert!(stage.asked.is_empty());
}

#[test]
fn the_newest_schema_lives_as_long_as_the_settings_say() {
    let second = Duration::from_secs(1);
    let mut stage = Stage::new(RegisteredConfig {
        subjects: SubjectStrategy::TopicName,
        which: WhichSchema::Latest,
        latest_life: Some(second * 60),
        ..RegisteredConfig::default()
    });
    let text = r#"{"type":"record","name":"Order","namespace":"com.acme","fields":[{"name":"id","type":"long"}]}"#;
    stage
        .registry
        .register(&subject("orders-value"), &avro(text), false)
        .unwrap();
    stage.converter.tick(second);
    assert_eq!(
        stage.write(&order("id")).unwrap().unwrap(),
        [0, 0, 0, 0, 1, 14]
    );
    stage.converter.tick(second * 60);
    stage.write(&order("id")).unwrap();
    assert_eq!(stage.asked.len(), 1);

    let newer = text.replace("]}", r#"],"connect.doc":"newer"}"#);
    stage
        .registry
        .register(&subject("orders-value"), &avro(&newer), false)
        .unwrap();
    stage.converter.tick(second * 61);
    assert_eq!(
        stage.write(&order("id")).unwrap().unwrap(),
        [0, 0, 0, 0, 2, 14]
    );
    assert_eq!(stage.asked.len(), 2);
}

#[test]
fn a_strict_check_compares_with_the_registrys_schema() {
    let text = r#"{"type":"record","name":"Order","namespace":"com.acme","fields":[{"name":"id","type":"string"}]}"#;
    let config = |latest_strict| RegisteredConfig {
        subjects: SubjectStrategy::TopicName,
        which: WhichSchema::Latest,
        latest_strict,
        ..RegisteredConfig::default()
    };
    for strict in [true, false] {
        let mut stage = Stage::new(config(strict));
        stage
            .registry
            .register(&subject("orders-value"), &avro(text), false)
            .unwrap();
        let error = stage.write(&order("id")).unwrap_err();
        let said = error
            .to_string()
            .contains("latest.compatibility.strict=false");
        assert_eq!(said, strict, "{error}");
        assert!(error.is_data());
    }
}

#[test]
fn a_number_that_the_registrys_type_cannot_hold_is_refused() {
    let text = r#"{"type":"record","name":"Order","namespace":"com.acme","fields":[{"name":"id","type":"int"}]}"#;
    let mut stage = Stage::new(RegisteredConfig {
        subjects: SubjectStrategy::TopicName,
        which: WhichSchema::Latest,
        latest_strict: false,
        ..RegisteredConfig::default()
    });
    stage
        .registry
        .register(&subject("orders-value"), &avro(text), false)
        .unwrap();
    assert_eq!(
        stage.write(&order("id")).unwrap().unwrap(),
        [0, 0, 0, 0, 1, 14]
    );
    let large = StructBuilder::new(&order_schema("id"))
        .unwrap()
        .set("id", 1i64 << 40)
        .unwrap();
    let error = stage.write(&large.finish().unwrap()).unwrap_err();
    assert_eq!(
        error.difference().map(|d| d.name()),
        Some("number-narrowed")
    );
}

#[test]
fn the_identity_may_travel_in_a_header() {
    let mut stage = Stage::new(RegisteredConfig {
        subjects: SubjectStrategy::TopicName,
        id_writer: IdWriter::Header,
        ..RegisteredConfig::default()
    });
    let error = stage.write(&order("id")).unwrap_err();
    assert!(error.to_string().contains("Missing headers"), "{error}");

    let mut headers = RawHeaders::new();
    for _ in 0..2 {
        let mut ctx = RecordContext::new("orders", Role::Value).with_headers(&mut headers);
        let mut out = Vec::new();
        let written = stage
            .converter
            .from_connect(&mut ctx, &order("id"), &mut out);
        assert!(matches!(written, Outcome::Ready(Some(range)) if range == (0..1)));
        assert_eq!(out, [14], "the record is the body alone");
    }
    assert_eq!(headers.len(), 1, "the same header is not added twice");
}

#[test]
fn every_wrong_setting_is_named_at_once() {
    let raw = RawConfig::from(
        [
            ("schema.registry.url", "http://registry:8081"),
            ("use.schema.id", "x"),
            ("connect.meta.data", "maybe"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned())),
    );
    let text = AvroConverter::configure(&raw, Role::Value)
        .unwrap_err()
        .to_string();
    for key in ["use.schema.id", "connect.meta.data"] {
        assert!(text.contains(key), "{text}");
    }
    let error = AvroConverter::configure(&RawConfig::new(), Role::Value).unwrap_err();
    assert!(error.to_string().contains("schema.registry.url"), "{error}");
}

#[test]
fn a_setting_that_needs_java_classes_is_refused_with_the_reason() {
    for (key, value) in [
        ("specific.avro.reader", "true"),
        ("rule.executors", "encrypt"),
        ("context.name.strategy", "com.acme.MyContexts"),
        ("schema.backup.enabled", "true"),
    ] {
        let raw = RawConfig::from(
            [("schema.registry.url", "http://r"), (key, value)]
                .map(|(key, value)| (key.to_owned(), value.to_owned())),
        );
        let error = AvroConverter::configure(&raw, Role::Value).unwrap_err();
        assert_eq!(error.fault(), Fault::Config);
        assert!(
            error
                .to_string()
                .contains(&format!("{key} is not supported")),
            "{error}"
        );
    }
}

//! Public cases in which something must be logged, by id.
//!
//! One test, in a process of its own: whether a place of the log is listened to is remembered for the whole process, and tests beside this
//! one, which listen to nothing, would race for it.

#![allow(
    clippy::unwrap_used,
    reason = "in a test, a panic with its place is the report"
)]

use std::io::{Result, Write};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use ferroconnect_converters::Role;
use ferroconnect_converters::avro::AvroConverter;
use ferroconnect_converters::client::BlockingConverter;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_registry_client::fake::FakeRegistry;
use ferroconnect_registry_client::{Registry as _, SchemaText, SchemaType, Subject};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, text: &[u8]) -> Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What is logged while something runs.
fn logged(run: impl FnOnce()) -> String {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
    tracing::subscriber::with_default(subscriber.finish(), run);
    let text = lines.0.lock().unwrap().clone();
    String::from_utf8(text).unwrap()
}

/// Reads a record three times.
fn read(schema: &str, body: &[u8]) {
    let url = ("schema.registry.url".to_owned(), "http://r".to_owned());
    let converter = AvroConverter::configure(&RawConfig::from([url]), Role::Value).unwrap();
    let mut pair = BlockingConverter::new(Role::Value, converter, FakeRegistry::default());
    let subject = Subject::new("orders-value").unwrap();
    let schema = SchemaText::new(SchemaType::Avro, schema);
    pair.registry().register(&subject, &schema, false).unwrap();
    let record = Bytes::from([&[0, 0, 0, 0, 1], body].concat());
    for _ in 0..3 {
        pair.decode("orders", Some(&record)).unwrap();
    }
}

/// C020: a default that is left out is said, once per schema and not per record.
#[test]
fn c020_defaults_that_do_not_fit_are_logged_once() {
    let unfit = r#"{"type":"record","name":"r","fields":[{"name":"freq","type":"string","default":null},{"name":"n","type":"int","default":"x"}]}"#;
    let text = logged(|| read(unfit, &[4, b'5', b'm', 18]));
    for field in ["freq", "n"] {
        let said = format!("the default of the field {field} in the Avro record r is left out");
        assert_eq!(text.matches(&said).count(), 1, "{text}");
    }
    let fits = r#"{"type":"record","name":"r","fields":[{"name":"n","type":["null","int"],"default":null}]}"#;
    assert_eq!(logged(|| read(fits, &[0])), "");
}

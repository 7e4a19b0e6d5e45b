//! Runs one vector against a converter.

use std::collections::BTreeSet;

use bytes::Bytes;
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::differs::{Difference, Differences};
use ferroconnect_converters::{
    Converter, Error, HeaderContext, HeaderConverter, Outcome, RawHeaders, RecordContext, Role,
};
use ferroconnect_registry_client::Registry;
use serde_json::Value as Json;

use super::kit::{Factory, Kit};
use super::vector::{self, Op, Vector};
use super::vector_registry::VectorRegistry;
use super::{InputDifference, Verdict, compare};
use crate::tagged::{self, Reject};

/// Name of the header in every header vector.
const HEADER_NAME: &str = "h1";

/// How often a converter may have questions before a call is answered: a schema with references asks a few times.
const ROUNDS_MAX: usize = 100;

/// A converter made for one vector: of the record, or of its headers.
enum Subject {
    Record(Box<Stage>),
    Header(Box<dyn HeaderConverter>),
}

/// A converter of records with its registry and the headers of its record.
struct Stage {
    converter: Box<dyn Converter>,
    role: Role,
    registry: Option<VectorRegistry>,
    headers: Option<RawHeaders>,
}

/// What one call gave, with the deliberate differences that the call itself named.
struct Answer<T> {
    result: Result<T, Error>,
    named: BTreeSet<&'static str>,
}

impl<T> Answer<T> {
    fn new(result: Result<T, Error>, noted: Differences) -> Self {
        let of_error = result.as_ref().err().and_then(Error::difference);
        let named = noted.iter().chain(of_error).map(Difference::name).collect();
        Self { result, named }
    }

    /// A mismatch is deliberate when the call said so.
    fn verdict(&self, matched: Result<(), String>, want: &Json) -> Verdict {
        match matched {
            Ok(()) => Verdict::Passed,
            Err(got) if self.named.is_empty() => Verdict::Failed {
                want: want.to_string(),
                got,
            },
            Err(_) => Verdict::Differs(self.named.clone()),
        }
    }
}

impl Stage {
    /// Makes a call until it needs nothing more from the registry.
    fn settle<T>(
        &mut self,
        topic: &str,
        mut call: impl FnMut(&mut dyn Converter, &mut RecordContext<'_>) -> Outcome<T>,
    ) -> Answer<T> {
        for _ in 0..ROUNDS_MAX {
            let mut ctx = RecordContext::new(topic, self.role);
            if let Some(headers) = &mut self.headers {
                ctx = ctx.with_headers(headers);
            }
            let outcome = call(&mut *self.converter, &mut ctx);
            let noted = ctx.differences();
            let Some(registry) = &mut self.registry else {
                return Answer::new(outcome.into_result(), noted);
            };
            match outcome {
                Outcome::Missing(id) => {
                    let lookups = self.converter.unresolved();
                    assert!(
                        lookups.iter().any(|lookup| lookup.id == id),
                        "what is missing must be listed"
                    );
                    for lookup in lookups {
                        self.converter.install(registry.answer(&lookup));
                    }
                }
                done @ (Outcome::Ready(_) | Outcome::Failed(_)) => {
                    return Answer::new(done.into_result(), noted);
                }
            }
        }
        unreachable!("a converter that asks more than {ROUNDS_MAX} times asks for ever")
    }

    /// A stage with a new converter and a new registry that holds the same texts: nothing else survives.
    fn anew(&self, factory: Factory, vector: &Vector) -> Result<Option<Self>, String> {
        let Some(make) = factory.record else {
            return Ok(None);
        };
        let Ok(converter) = make(&vector.config, self.role) else {
            return Ok(None);
        };
        let registry = self.registry.as_ref().map(|registry| registry.entries());
        Ok(Some(Self {
            converter,
            role: self.role,
            registry: registry
                .map(|entries| VectorRegistry::filled(&entries))
                .transpose()?,
            headers: self.headers.clone(),
        }))
    }
}

impl Subject {
    /// `None` when the kit has no such converter.
    fn new(factory: Factory, vector: &Vector) -> Result<Option<Result<Self, Error>>, String> {
        if vector.is_header() {
            return Ok(factory
                .header
                .map(|make| make(&vector.config).map(Self::Header)));
        }
        let Some(make) = factory.record else {
            return Ok(None);
        };
        let registry = vector
            .registry
            .as_deref()
            .map(VectorRegistry::filled)
            .transpose()?;
        let stage = make(&vector.config, vector.role).map(|converter| {
            Self::Record(Box::new(Stage {
                converter,
                role: vector.role,
                registry,
                headers: vector.headers.clone(),
            }))
        });
        Ok(Some(stage))
    }

    fn registry(&mut self) -> Option<&mut VectorRegistry> {
        match self {
            Self::Record(stage) => stage.registry.as_mut(),
            Self::Header(_) => None,
        }
    }

    /// A write after a read: what is registered counts as having been there, and the record is a new one.
    fn prepare_write_back(&mut self) {
        if let Self::Record(stage) = self {
            if let Some(registry) = &mut stage.registry {
                registry.mark();
            }
            stage.headers = stage.headers.as_ref().map(|_| RawHeaders::new());
        }
    }

    fn headers(&self) -> Option<&RawHeaders> {
        match self {
            Self::Record(stage) => stage.headers.as_ref(),
            Self::Header(_) => None,
        }
    }

    fn anew(&self, factory: Factory, vector: &Vector) -> Result<Option<Self>, String> {
        match self {
            Self::Record(stage) => Ok(stage
                .anew(factory, vector)?
                .map(|stage| Self::Record(Box::new(stage)))),
            Self::Header(_) => Ok(Self::new(factory, vector)?.and_then(Result::ok)),
        }
    }

    fn write(&mut self, topic: &str, data: &SchemaAndValue) -> Answer<Option<Vec<u8>>> {
        // A prefix that must survive shows whether the converter appends.
        let mut out = b"before".to_vec();
        let (result, named) = match self {
            Self::Record(stage) => {
                let answer = stage.settle(topic, |converter, ctx| {
                    let outcome = converter.from_connect(ctx, data, &mut out);
                    let nothing_added = out.len() == b"before".len();
                    assert!(
                        matches!(outcome, Outcome::Ready(_)) || nothing_added,
                        "what is not written must leave nothing behind"
                    );
                    outcome
                });
                (answer.result, answer.named)
            }
            Self::Header(converter) => {
                let mut ctx = HeaderContext::new(topic, HEADER_NAME);
                let result = converter.from_connect_header(&mut ctx, data, &mut out);
                let answer = Answer::new(result, ctx.differences());
                (answer.result, answer.named)
            }
        };
        assert!(out.starts_with(b"before"), "a converter must append");
        let nothing_added = out.len() == b"before".len();
        assert!(
            result.is_ok() || nothing_added,
            "a failing write must leave nothing behind"
        );
        let result = result.map(|range| range.map(|range| out[range].to_vec()));
        Answer { result, named }
    }

    fn read(&mut self, topic: &str, bytes: Option<&Bytes>) -> Answer<SchemaAndValue> {
        match self {
            Self::Record(stage) => {
                stage.settle(topic, |converter, ctx| converter.to_connect(ctx, bytes))
            }
            Self::Header(converter) => {
                let mut ctx = HeaderContext::new(topic, HEADER_NAME);
                let result = converter.to_connect_header(&mut ctx, bytes);
                Answer::new(result, ctx.differences())
            }
        }
    }

    /// What a write left behind: what it registered, and the record's headers.
    fn same_traces(&mut self, want: &Json) -> Result<(), String> {
        if let Some(registry) = self.registry() {
            registry.same_registered(want)?;
        }
        let (Some(got), Some(want)) = (self.headers(), want.get("headers")) else {
            return Ok(());
        };
        match *got == vector::headers(want)? {
            true => Ok(()),
            false => Err(format!("headers {got:?}, not {want}")),
        }
    }
}

/// Runs a vector; notes that do not decide (another exception class) go to `notes`.
pub(super) fn run(kit: &Kit, vector: &Vector, notes: &mut Vec<String>) -> Verdict {
    let Some(factory) = kit.find(&vector.converter) else {
        return Verdict::NotSupported;
    };
    let subject = match Subject::new(factory, vector) {
        Ok(Some(subject)) => subject,
        Ok(None) => return Verdict::NotSupported,
        Err(problem) => return unusable(problem),
    };
    let mut subject = match configured(subject, vector, notes) {
        Ok(subject) => subject,
        Err(verdict) => return verdict,
    };
    let verdict = match vector.op {
        Op::FromConnect | Op::HeaderFromConnect => write(&mut subject, factory, vector, notes),
        Op::ToConnect | Op::HeaderToConnect => read(&mut subject, vector, notes),
    };
    match verdict {
        Ok(verdict) => verdict,
        Err(Reject::LoneSurrogate) => InputDifference::LoneSurrogate.verdict(),
        Err(Reject::BufferWindow) => InputDifference::BufferWindow.verdict(),
        Err(other @ (Reject::Malformed(_) | Reject::Refused(_))) => unusable(format!("{other:?}")),
    }
}

fn unusable(problem: String) -> Verdict {
    Verdict::Failed {
        want: "an input that the data model and the registry hold".into(),
        got: problem,
    }
}

/// The converter, unless its configuration decides the vector.
fn configured(
    subject: Result<Subject, Error>,
    vector: &Vector,
    notes: &mut Vec<String>,
) -> Result<Subject, Verdict> {
    let error_wanted = vector.want.get("error").is_some();
    match (subject, vector.want["at"] == "configure") {
        (Ok(subject), false) => Ok(subject),
        (Ok(_), true) => Err(Verdict::Failed {
            want: vector.want.to_string(),
            got: "configured without an error".into(),
        }),
        // Where the JVM fails later, for every record, it may also be said at once.
        (Err(error), at_configure) if at_configure || error_wanted => {
            note_class(vector, &error, notes);
            Err(Verdict::Passed)
        }
        (Err(error), _) => {
            let got = format!("configure failed: {error}");
            let answer = Answer::<()>::new(Err(error), Differences::none());
            Err(answer.verdict(Err(got), &vector.want))
        }
    }
}

fn write(
    subject: &mut Subject,
    factory: Factory,
    vector: &Vector,
    notes: &mut Vec<String>,
) -> Result<Verdict, Reject> {
    let data = vector.datum()?;
    let answer = subject.write(&vector.topic, &data);
    if vector.want.get("error").is_some() {
        let verdict = expect_error(&answer, vector, notes);
        if verdict == Verdict::Passed {
            return Ok(answer.verdict(subject.same_traces(&vector.want), &vector.want));
        }
        return Ok(verdict);
    }
    let written = answer.result.as_ref().map(Option::as_deref);
    let matched =
        same_bytes(written, &vector.want).and_then(|()| subject.same_traces(&vector.want));
    let verdict = answer.verdict(matched, &vector.want);
    let (Verdict::Passed, Some(want)) = (&verdict, vector.want.get("read_back")) else {
        return Ok(verdict);
    };
    let bytes = answer.result.ok().flatten().map(Bytes::from);
    // A new converter: nothing survives but what was written.
    let mut reader = match subject.anew(factory, vector) {
        Ok(Some(reader)) => reader,
        Ok(None) => return Ok(Verdict::NotSupported),
        Err(problem) => return Ok(unusable(problem)),
    };
    let answer = reader.read(&vector.topic, bytes.as_ref());
    Ok(answer.verdict(same_datum(&answer.result, want), want))
}

fn read(
    subject: &mut Subject,
    vector: &Vector,
    notes: &mut Vec<String>,
) -> Result<Verdict, Reject> {
    let bytes = vector.bytes()?;
    let answer = subject.read(&vector.topic, bytes.as_ref());
    if vector.want.get("error").is_some() {
        return Ok(expect_error(&answer, vector, notes));
    }
    let verdict = answer.verdict(same_datum(&answer.result, &vector.want), &vector.want);
    let (Verdict::Passed, Ok(datum), Some(want)) =
        (&verdict, &answer.result, vector.want.get("write_back"))
    else {
        return Ok(verdict);
    };
    subject.prepare_write_back();
    let answer = subject.write(&vector.topic, datum);
    let matched = match (&answer.result, want.get("error")) {
        (Err(_), Some(_)) => Ok(()),
        (Ok(_), Some(_)) => Err("no error".into()),
        (result, None) => same_bytes(result.as_ref().map(Option::as_deref), want),
    };
    let matched = matched.and_then(|()| subject.same_traces(want));
    let matched = matched.map_err(|got| format!("write back: {got}"));
    Ok(answer.verdict(matched, want))
}
fn expect_error<T: std::fmt::Debug>(
    answer: &Answer<T>,
    vector: &Vector,
    notes: &mut Vec<String>,
) -> Verdict {
    match &answer.result {
        Err(error) => {
            note_class(vector, error, notes);
            Verdict::Passed
        }
        Ok(value) => answer.verdict(Err(format!("no error, but {value:?}")), &vector.want),
    }
}

fn same_bytes(got: Result<Option<&[u8]>, &Error>, want: &Json) -> Result<(), String> {
    let got = got.map_err(|error| format!("error: {error}"))?;
    let same = match (got, want["bytes"].as_str()) {
        (None, None) => want["bytes"].is_null(),
        (Some(got), Some(want)) => tagged::to_hex(got) == want,
        (Some(_), None) | (None, Some(_)) => false,
    };
    match got {
        _ if same => Ok(()),
        None => Err("null".into()),
        Some(got) => Err(format!(
            "{} ({:?})",
            tagged::to_hex(got),
            String::from_utf8_lossy(got)
        )),
    }
}

fn same_datum(got: &Result<SchemaAndValue, Error>, want: &Json) -> Result<(), String> {
    match (got, want.get("error")) {
        (Err(_), Some(_)) => Ok(()),
        (Err(error), None) => Err(format!("error: {error}")),
        (Ok(got), Some(_)) => Err(format!("no error, but {got:?}")),
        (Ok(got), None) => compare::datum(got, want),
    }
}

/// The exception classes that a port need not tell apart: escaped bugs and details of the JVM become data errors.
fn note_class(vector: &Vector, error: &Error, notes: &mut Vec<String>) {
    let want = vector.want["error"].as_str().unwrap_or_default();
    if want != error.java_class() {
        notes.push(format!(
            "{}: Java throws {want}, this {}: {error}",
            vector.id,
            error.java_class()
        ));
    }
}

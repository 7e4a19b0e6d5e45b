//! Runs one vector against a converter.

use std::collections::BTreeSet;

use bytes::Bytes;
use ferroconnect_converters::data::SchemaAndValue;
use ferroconnect_converters::differs::{Difference, Differences};
use ferroconnect_converters::{
    Converter, Error, HeaderContext, HeaderConverter, RecordContext, Role,
};
use serde_json::Value as Json;

use super::kit::{Factory, Kit};
use super::vector::{Op, Vector};
use super::{InputDifference, Verdict, compare};
use crate::tagged::{self, Reject};

/// Name of the header in every header vector.
const HEADER_NAME: &str = "h1";

/// A converter made for one vector: of the record, or of its headers.
enum Subject {
    Record(Box<dyn Converter>, Role),
    Header(Box<dyn HeaderConverter>),
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

impl Subject {
    fn new(factory: Factory, vector: &Vector) -> Option<Result<Self, Error>> {
        if vector.is_header() {
            return Some((factory.header?)(&vector.config).map(Self::Header));
        }
        Some((factory.record?)(&vector.config, vector.role).map(|c| Self::Record(c, vector.role)))
    }

    fn write(&mut self, topic: &str, data: &SchemaAndValue) -> Answer<Option<Vec<u8>>> {
        // A prefix that must survive shows whether the converter appends.
        let mut out = b"before".to_vec();
        let (result, noted) = match self {
            Self::Record(converter, role) => {
                let mut ctx = RecordContext::new(topic, *role);
                let result = converter
                    .from_connect(&mut ctx, data, &mut out)
                    .into_result();
                (result, ctx.differences())
            }
            Self::Header(converter) => {
                let mut ctx = HeaderContext::new(topic, HEADER_NAME);
                let result = converter.from_connect_header(&mut ctx, data, &mut out);
                (result, ctx.differences())
            }
        };
        assert!(out.starts_with(b"before"), "a converter must append");
        let nothing_added = out.len() == b"before".len();
        assert!(
            result.is_ok() || nothing_added,
            "a failing write must leave nothing behind"
        );
        let bytes = result.map(|range| range.map(|range| out[range].to_vec()));
        Answer::new(bytes, noted)
    }

    fn read(&mut self, topic: &str, bytes: Option<&Bytes>) -> Answer<SchemaAndValue> {
        let (result, noted) = match self {
            Self::Record(converter, role) => {
                let mut ctx = RecordContext::new(topic, *role);
                let result = converter.to_connect(&mut ctx, bytes).into_result();
                (result, ctx.differences())
            }
            Self::Header(converter) => {
                let mut ctx = HeaderContext::new(topic, HEADER_NAME);
                let result = converter.to_connect_header(&mut ctx, bytes);
                (result, ctx.differences())
            }
        };
        Answer::new(result, noted)
    }
}

/// Runs a vector; notes that do not decide (another exception class) go to `notes`.
pub(super) fn run(kit: &Kit, vector: &Vector, notes: &mut Vec<String>) -> Verdict {
    let Some(factory) = kit.find(&vector.converter) else {
        return Verdict::NotSupported;
    };
    let Some(subject) = Subject::new(factory, vector) else {
        return Verdict::NotSupported;
    };
    let at_configure = vector.want["at"] == "configure";
    let mut subject = match (subject, at_configure) {
        (Ok(subject), false) => subject,
        (Ok(_), true) => {
            return Verdict::Failed {
                want: vector.want.to_string(),
                got: "configured without an error".into(),
            };
        }
        (Err(error), true) => {
            note_class(vector, &error, notes);
            return Verdict::Passed;
        }
        (Err(error), false) => {
            let got = format!("configure failed: {error}");
            return Answer::<()>::new(Err(error), Differences::none())
                .verdict(Err(got), &vector.want);
        }
    };
    let verdict = match vector.op {
        Op::FromConnect | Op::HeaderFromConnect => write(&mut subject, factory, vector, notes),
        Op::ToConnect | Op::HeaderToConnect => read(&mut subject, vector, notes),
    };
    match verdict {
        Ok(verdict) => verdict,
        Err(Reject::LoneSurrogate) => InputDifference::LoneSurrogate.verdict(),
        Err(Reject::BufferWindow) => InputDifference::BufferWindow.verdict(),
        Err(other @ (Reject::Malformed(_) | Reject::Refused(_))) => Verdict::Failed {
            want: "an input that the data model holds".into(),
            got: format!("{other:?}"),
        },
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
        return Ok(expect_error(&answer, vector, notes));
    }
    let written = answer.result.as_ref().map(Option::as_deref);
    let verdict = answer.verdict(same_bytes(written, &vector.want), &vector.want);
    let (Verdict::Passed, Some(want)) = (&verdict, vector.want.get("read_back")) else {
        return Ok(verdict);
    };
    let bytes = answer.result.ok().flatten().map(Bytes::from);
    // A new converter: nothing survives but what was written.
    let reader = Subject::new(factory, vector).and_then(Result::ok);
    let Some(mut reader) = reader else {
        return Ok(Verdict::NotSupported);
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
    let answer = subject.write(&vector.topic, datum);
    let matched = match (&answer.result, want.get("error")) {
        (Err(_), Some(_)) => Ok(()),
        (Ok(_), Some(_)) => Err("write back: no error".into()),
        (result, None) => same_bytes(result.as_ref().map(Option::as_deref), want)
            .map_err(|got| format!("write back: {got}")),
    };
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

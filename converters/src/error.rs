//! [`Error`]: one word wide, sorted by fault, with the path of the value and the offset in its bytes.

use std::fmt;

pub(crate) mod avro_read;
pub(crate) mod avro_schema;
pub(crate) mod avro_write;
pub(crate) mod client;
pub(crate) mod config;
pub(crate) mod data;
pub(crate) mod json;
pub(crate) mod json_schema_read;
pub(crate) mod json_schema_write;
pub(crate) mod protobuf_read;
pub(crate) mod protobuf_schema;
pub(crate) mod protobuf_write;
pub(crate) mod registered;
pub(crate) mod simple;
#[cfg(feature = "serde")]
pub(crate) mod typed;

use crate::differs::Difference;
use crate::wire::FrameError;

/// Who can mend it. One function of the runtime turns a fault into a decision; nothing else does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// A setting is wrong: the user changes the config.
    Config,
    /// A record is wrong: it can be skipped or sent to a dead letter queue.
    Data,
    /// A remote service failed: the same call may succeed later.
    Transient,
    /// Another owner took over: stop.
    Fenced,
    /// A connector or a caller broke its contract.
    Plugin,
    /// We broke ours.
    Bug,
}

/// What went wrong in a converter or in the data model.
///
/// The text begins with the JVM's words where it has some, then says where (field path, byte offset) and what to do next.
/// It holds names and types, never values of a record.
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    /// Innermost step first: steps are added while the error travels outwards.
    path: Vec<Step>,
    offset: Option<usize>,
    cause: Option<Error>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    AvroRead(avro_read::Kind),
    AvroSchema(avro_schema::Kind),
    ProtobufSchema(protobuf_schema::Kind),
    AvroWrite(avro_write::Kind),
    JsonSchemaRead(json_schema_read::Kind),
    JsonSchemaWrite(json_schema_write::Kind),
    ProtobufRead(protobuf_read::Kind),
    ProtobufWrite(protobuf_write::Kind),
    Data(data::Kind),
    Json(json::Kind),
    Simple(simple::Kind),
    Registered(registered::Kind),
    Frame(FrameError),
    Config(config::Kind),
    Client(client::Kind),
    #[cfg(feature = "serde")]
    Typed(typed::Kind),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Field(Box<str>),
    Element(usize),
    Key(usize),
    MapValue(usize),
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Self(Box::new(Inner {
            kind,
            path: Vec::new(),
            offset: None,
            cause: None,
        }))
    }

    /// Who can mend it.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match &self.0.kind {
            Kind::AvroRead(kind) => kind.fault(),
            Kind::AvroSchema(kind) => kind.fault(),
            Kind::ProtobufSchema(kind) => kind.fault(),
            Kind::Data(kind) => kind.fault(),
            Kind::JsonSchemaRead(kind) => kind.fault(),
            Kind::JsonSchemaWrite(kind) => kind.fault(),
            Kind::ProtobufRead(kind) => kind.fault(),
            Kind::ProtobufWrite(kind) => kind.fault(),
            Kind::Json(kind) => kind.fault(),
            Kind::Registered(kind) => kind.fault(),
            Kind::AvroWrite(_) | Kind::Simple(_) | Kind::Frame(_) => Fault::Data,
            Kind::Config(_) => Fault::Config,
            Kind::Client(kind) => kind.fault(),
            #[cfg(feature = "serde")]
            Kind::Typed(kind) => kind.fault(),
        }
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retriable(&self) -> bool {
        self.fault() == Fault::Transient
    }

    /// Whether the record is to blame.
    #[must_use]
    pub fn is_data(&self) -> bool {
        self.fault() == Fault::Data
    }

    /// The path of the offending value, outermost field first: `address.lines[2]`. Empty for the root.
    #[must_use]
    pub fn field_path(&self) -> String {
        let mut out = String::new();
        for step in self.0.path.iter().rev() {
            match step {
                Step::Field(name) if out.is_empty() => out.push_str(name),
                Step::Field(name) => out.extend([".", name]),
                Step::Element(index) => out.push_str(&format!("[{index}]")),
                Step::Key(index) => out.push_str(&format!("{{key {index}}}")),
                Step::MapValue(index) => out.push_str(&format!("{{value {index}}}")),
            }
        }
        out
    }

    /// Offset of the first offending byte in the record's key or value.
    #[must_use]
    pub fn byte_offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// The deliberate difference from the JVM that this error is, if it is one.
    #[must_use]
    pub fn difference(&self) -> Option<Difference> {
        match &self.0.kind {
            Kind::Json(kind) => kind.difference(),
            Kind::Data(kind) => kind.difference(),
            Kind::JsonSchemaRead(kind) => kind.difference(),
            Kind::JsonSchemaWrite(kind) => kind.difference(),
            Kind::ProtobufRead(kind) => kind.difference(),
            Kind::ProtobufWrite(kind) => kind.difference(),
            Kind::Registered(kind) => kind.difference(),
            Kind::AvroWrite(kind) => kind.difference(),
            Kind::AvroRead(_)
            | Kind::AvroSchema(_)
            | Kind::ProtobufSchema(_)
            | Kind::Simple(_)
            | Kind::Frame(_)
            | Kind::Client(_) => None,
            Kind::Config(kind) => kind.difference(),
            #[cfg(feature = "serde")]
            Kind::Typed(_) => None,
        }
        .or_else(|| self.0.cause.as_ref().and_then(Self::difference))
    }

    /// What brought this error about.
    #[must_use]
    pub fn cause(&self) -> Option<&Self> {
        self.0.cause.as_ref()
    }

    /// The class that the JVM would throw: for headers of dead letters, and for people who know it.
    #[must_use]
    pub fn java_class(&self) -> &'static str {
        match &self.0.kind {
            Kind::AvroSchema(kind) => kind.java_class(),
            Kind::ProtobufSchema(kind) => kind.java_class(),
            Kind::Data(kind) => kind.java_class(),
            Kind::JsonSchemaRead(kind) => kind.java_class(),
            Kind::JsonSchemaWrite(kind) => kind.java_class(),
            Kind::ProtobufRead(kind) => kind.java_class(),
            Kind::ProtobufWrite(kind) => kind.java_class(),
            Kind::Registered(kind) => kind.java_class(),
            Kind::Config(_) => "org.apache.kafka.common.config.ConfigException",
            Kind::AvroRead(_)
            | Kind::AvroWrite(_)
            | Kind::Client(_)
            | Kind::Json(_)
            | Kind::Simple(_)
            | Kind::Frame(_) => "org.apache.kafka.connect.errors.DataException",
            #[cfg(feature = "serde")]
            Kind::Typed(_) => "org.apache.kafka.connect.errors.DataException",
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "one kind is asked for")]
    pub(crate) fn avro_write(&self) -> Option<&avro_write::Kind> {
        match &self.0.kind {
            Kind::AvroWrite(kind) => Some(kind),
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "one kind is asked for")]
    pub(crate) fn protobuf_write(&self) -> Option<&protobuf_write::Kind> {
        match &self.0.kind {
            Kind::ProtobufWrite(kind) => Some(kind),
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "one kind is asked for")]
    pub(crate) fn json_schema_write(&self) -> Option<&json_schema_write::Kind> {
        match &self.0.kind {
            Kind::JsonSchemaWrite(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether a record names a schema that the registry does not know: it may not know it *yet*, so a caller with time
    /// tries again before it gives the record up.
    #[must_use]
    pub fn is_unknown_schema(&self) -> bool {
        matches!(
            &self.0.kind,
            Kind::Registered(registered::Kind::UnknownSchema { .. })
        ) || self.0.cause.as_ref().is_some_and(Self::is_unknown_schema)
    }

    /// What to do about it, if there is something to say.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        match &self.0.kind {
            Kind::AvroRead(kind) => kind.advice(),
            Kind::AvroSchema(kind) => kind.advice(),
            Kind::ProtobufSchema(kind) => kind.advice(),
            Kind::Json(kind) => kind.advice(),
            Kind::Simple(kind) => kind.advice(),
            Kind::Data(kind) => kind.advice(),
            Kind::JsonSchemaRead(kind) => kind.advice(),
            Kind::JsonSchemaWrite(kind) => kind.advice(),
            Kind::ProtobufRead(kind) => kind.advice(),
            Kind::ProtobufWrite(kind) => kind.advice(),
            Kind::Registered(kind) => kind.advice(),
            Kind::AvroWrite(kind) => kind.advice(),
            Kind::Frame(_) | Kind::Config(_) | Kind::Client(_) => None,
            #[cfg(feature = "serde")]
            Kind::Typed(kind) => kind.advice(),
        }
    }

    pub(crate) fn at(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    pub(crate) fn in_field(self, name: &str) -> Self {
        self.step(Step::Field(name.into()))
    }

    pub(crate) fn in_element(self, index: usize) -> Self {
        self.step(Step::Element(index))
    }

    pub(crate) fn in_key(self, index: usize) -> Self {
        self.step(Step::Key(index))
    }

    pub(crate) fn in_map_value(self, index: usize) -> Self {
        self.step(Step::MapValue(index))
    }

    /// A new error with this one as its cause; it keeps the place.
    pub(crate) fn causing(self, kind: impl Into<Self>) -> Self {
        let mut outer = kind.into();
        outer.0.path.clone_from(&self.0.path);
        outer.0.offset = self.0.offset;
        outer.0.cause = Some(self);
        outer
    }

    fn step(mut self, step: Step) -> Self {
        self.0.path.push(step);
        self
    }
}

impl From<crate::config::Problems> for Error {
    fn from(problems: crate::config::Problems) -> Self {
        Self::new(Kind::Config(config::Kind::Problems(problems)))
    }
}

impl From<FrameError> for Error {
    fn from(error: FrameError) -> Self {
        Self::new(Kind::Frame(error))
    }
}

macro_rules! from_kind {
    ($($module:ident $variant:ident),+) => {$(
        impl From<$module::Kind> for Error {
            fn from(kind: $module::Kind) -> Self {
                Self::new(Kind::$variant(kind))
            }
        }
    )+};
}

from_kind!(
    json_schema_read JsonSchemaRead, json_schema_write JsonSchemaWrite, protobuf_read ProtobufRead,
    protobuf_write ProtobufWrite, avro_read AvroRead, avro_schema AvroSchema, avro_write AvroWrite, client Client, data Data, json Json,
    protobuf_schema ProtobufSchema, registered Registered, simple Simple, config Config
);
#[cfg(feature = "serde")]
from_kind!(typed Typed);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::AvroRead(kind) => kind.fmt(f)?,
            Kind::AvroSchema(kind) => kind.fmt(f)?,
            Kind::ProtobufSchema(kind) => kind.fmt(f)?,
            Kind::Data(kind) => kind.fmt(f)?,
            Kind::JsonSchemaRead(kind) => kind.fmt(f)?,
            Kind::JsonSchemaWrite(kind) => kind.fmt(f)?,
            Kind::ProtobufRead(kind) => kind.fmt(f)?,
            Kind::ProtobufWrite(kind) => kind.fmt(f)?,
            Kind::Json(kind) => kind.fmt(f)?,
            Kind::Simple(kind) => kind.fmt(f)?,
            Kind::Registered(kind) => kind.fmt(f)?,
            Kind::AvroWrite(kind) => kind.fmt(f)?,
            Kind::Frame(error) => error.fmt(f)?,
            Kind::Config(kind) => kind.fmt(f)?,
            Kind::Client(kind) => kind.fmt(f)?,
            #[cfg(feature = "serde")]
            Kind::Typed(kind) => kind.fmt(f)?,
        }
        if let Some(cause) = &self.0.cause {
            write!(f, ": {cause}")?;
        } else {
            if !self.0.path.is_empty() {
                write!(f, " (at {})", self.field_path())?;
            }
            if let Some(offset) = self.0.offset {
                write!(f, " (byte {offset})")?;
            }
        }
        match self.advice() {
            Some(advice) => write!(f, ". {advice}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}: {self})", self.fault())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_ref().map(|cause| cause as _)
    }
}

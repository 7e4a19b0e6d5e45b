//! [`ProtobufFormat`]: Protobuf as a registry knows it.

use ferroconnect_registry_client::SchemaType;
use ferroconnect_registry_client::format::{
    CompatibilityPolicy, Incompatibility, InvalidSchema, SchemaFormat, SchemaSource,
};

use super::compat::{self, ProtoDifference};
use super::descriptor;
use super::model::ProtoFile;
use super::names::Names;
use super::normal::normal;
use crate::error::{Error, protobuf_schema::Kind};

/// The schema language Protobuf, for a registry. Texts are parsed, printed, brought into normal form and compared.
///
/// ```
/// use ferroconnect_converters::protobuf::ProtobufFormat;
/// use ferroconnect_registry_client::format::{SchemaFormat, SchemaSource};
///
/// let text = "syntax='proto3'; message M { M next=1; }";
/// let source = SchemaSource { text, references: &[], is_new: true };
/// let stored = "syntax = \"proto3\";\n\nmessage M {\n  M next = 1;\n}\n";
/// assert_eq!(ProtobufFormat.canonical(&source, false).as_deref(), Ok(stored));
/// let normal = "syntax = \"proto3\";\n\nmessage M {\n  .M next = 1;\n}\n";
/// assert_eq!(ProtobufFormat.canonical(&source, true).as_deref(), Ok(normal));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ProtobufFormat;

impl SchemaFormat for ProtobufFormat {
    fn kind(&self) -> SchemaType {
        SchemaType::Protobuf
    }

    /// A new text must have a normal form that can be read again, whichever form is asked for.
    fn canonical(
        &self,
        source: &SchemaSource<'_>,
        normalize: bool,
    ) -> Result<String, InvalidSchema> {
        canonical(source, normalize).map_err(invalid)
    }

    fn incompatibilities(
        &self,
        reader: &SchemaSource<'_>,
        writer: &SchemaSource<'_>,
        _policy: CompatibilityPolicy,
    ) -> Result<Vec<Incompatibility>, InvalidSchema> {
        let found = compared(reader, writer).map_err(invalid)?;
        let (reader, writer) = if writer.is_new {
            ("old", "new")
        } else {
            ("new", "old")
        };
        let worded = |difference: ProtoDifference| difference.worded(reader, writer);
        Ok(found.into_iter().map(worded).collect())
    }

    fn serialized(&self, source: &SchemaSource<'_>) -> Result<Option<Vec<u8>>, InvalidSchema> {
        let serialize = || {
            let file = posted(source.text)?;
            descriptor::write(&file, &names(&file, source)?)
        };
        serialize().map(Some).map_err(invalid)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn invalid(error: Error) -> InvalidSchema {
    InvalidSchema {
        reason: error.to_string(),
    }
}

fn canonical(source: &SchemaSource<'_>, normalize: bool) -> Result<String, Error> {
    let file = posted(source.text)?;
    if !source.is_new && !normalize {
        return file.to_text();
    }
    let normal = normal(&file, &names(&file, source)?)?.to_text()?;
    if source.is_new {
        readable(&normal)?;
    }
    if normalize {
        return Ok(normal);
    }
    let stored = file.to_text()?;
    readable(&stored)?;
    Ok(stored)
}

/// A text, or a descriptor in base64, which clients may post instead.
fn posted(text: &str) -> Result<ProtoFile, Error> {
    ProtoFile::parse(text).or_else(|refused| descriptor::read_base64(text).map_err(|_| refused))
}

/// That a printed text says again what was printed: quoted texts become bare words in the defaults of fields that hold no text, and
/// nothing is escaped in the paths of imports.
fn readable(text: &str) -> Result<(), Error> {
    let reason = match ProtoFile::parse(text).and_then(|file| file.to_text()) {
        Ok(again) if again == text => return Ok(()),
        Ok(_) => "it reads as another schema".into(),
        Err(error) => error.to_string().into(),
    };
    Err(Kind::Unreadable { reason }.into())
}

fn names(file: &ProtoFile, source: &SchemaSource<'_>) -> Result<Names, Error> {
    Names::new(std::iter::once(file).chain(&references(source)?))
}

fn references(source: &SchemaSource<'_>) -> Result<Vec<ProtoFile>, Error> {
    let references = source.references.iter();
    let references = references.map(|reference| ProtoFile::parse(&reference.text));
    references.collect()
}

/// Why data that was written with one schema cannot be read with another one.
pub(super) fn compared(
    reader: &SchemaSource<'_>,
    writer: &SchemaSource<'_>,
) -> Result<Vec<ProtoDifference>, Error> {
    let (to, from) = (posted(reader.text)?, posted(writer.text)?);
    let (to_references, from_references) = (references(reader)?, references(writer)?);
    let reader = compat::Side::new(&to, &to_references)?;
    let writer = compat::Side::new(&from, &from_references)?;
    Ok(compat::differences(&reader, &writer))
}

//! From a Connect schema to a `.proto` file.
//!
//! The file is the tree of [`ProtoFile`], printed as a registry stores it, and the same linked: names looked up as protobuf-java looks
//! them up when it builds a descriptor. What it refuses is refused here, before a registry is asked.

mod defaults;
mod linked;
mod message;
mod names;
#[cfg(test)]
mod tests;
pub(in crate::protobuf) mod words;
mod wrappers;

use ferroconnect_registry_client::{SchemaText, SchemaType};

use super::ProtobufDataConfig;
use super::imports::ImportRule;
use super::model::{ProtoFile, Syntax};
use crate::data::{Logical, Schema, Type};
use crate::error::{Error, protobuf_write::Kind};
use crate::registered::Imported;
use crate::wire::MessageIndexes;

pub(in crate::protobuf) use linked::{Known, Linked, LinkedField, Scalar, Type as LinkedType};
use message::Conversion;
pub(in crate::protobuf) use message::{enum_parameter, is_union, logical, wrapper};
pub(in crate::protobuf) use names::{entry, scrub};
pub(in crate::protobuf) use wrappers::file as wrappers_file;

/// The file of a Connect schema.
#[derive(Debug)]
pub(crate) struct Generated {
    /// What it was made from.
    pub(crate) connect: Option<Schema>,
    /// As it is registered.
    pub(crate) text: SchemaText,
    /// The full name of the root message.
    pub(crate) name: Box<str>,
    /// Where the root message stands in the file.
    pub(crate) indexes: MessageIndexes,
    /// What it refers to.
    pub(super) imported: Box<[Imported]>,
    /// What the messages of the file are made of.
    pub(super) root: Root,
}

/// What is written.
#[derive(Debug)]
pub(in crate::protobuf) enum Root {
    /// The first message of a file.
    Message(Linked),
    /// A wrapper around a scalar.
    Wrapper(Scalar),
    /// Nothing but nulls.
    Nothing(Kind),
}

/// The file of a Connect schema that refers to nothing.
#[cfg(test)]
pub(crate) fn convert(
    schema: Option<&Schema>,
    config: &ProtobufDataConfig,
) -> Result<Generated, Error> {
    convert_with(schema, config, ImportRule::Skipped)
}

/// The file of a Connect schema.
pub(in crate::protobuf) fn convert_with(
    schema: Option<&Schema>,
    config: &ProtobufDataConfig,
    rule: ImportRule,
) -> Result<Generated, Error> {
    let Some(connect) = schema else {
        return generated(
            None,
            &ProtoFile::default(),
            "",
            &[0],
            Root::Nothing(Kind::Schemaless),
        );
    };
    match root_scalar(connect)? {
        Some(scalar) => {
            let name = wrappers::full_name(scalar).unwrap_or_default();
            let root = match refused(connect, config) {
                Some(kind) => Root::Nothing(kind),
                None => Root::Wrapper(scalar),
            };
            let path = [wrappers::index(scalar)];
            generated(schema, &wrappers::file(), name, &path, root)
        }
        None => {
            let file = Conversion::new(config).file(connect)?;
            let linked = linked::link(&file)?;
            let root = linked.messages.first();
            let name = root.map(|root| root.full_name.clone()).unwrap_or_default();
            let root = match is_union(connect) {
                true => Root::Nothing(Kind::UnionOutsideOfStruct),
                false => Root::Message(linked),
            };
            Ok(Generated {
                imported: rule.imported(&file)?,
                ..generated(schema, &file, &name, &[0], root)?
            })
        }
    }
}

fn generated(
    schema: Option<&Schema>,
    file: &ProtoFile,
    name: &str,
    path: &[i32],
    root: Root,
) -> Result<Generated, Error> {
    debug_assert!(schema.is_none() || file.syntax == Some(Syntax::Proto3));
    Ok(Generated {
        connect: schema.cloned(),
        text: SchemaText::new(SchemaType::Protobuf, file.to_text()?),
        name: name.into(),
        indexes: MessageIndexes::new(path)?,
        imported: Box::default(),
        root,
    })
}

/// The scalar that a root is wrapped as; `None` for a struct, which is a message itself.
fn root_scalar(schema: &Schema) -> Result<Option<Scalar>, Error> {
    Ok(Some(match schema.kind() {
        Type::Struct => return Ok(None),
        Type::Int8 | Type::Int16 | Type::Int32 => Scalar::Int32,
        Type::Int64 => Scalar::Int64,
        Type::Float32 => Scalar::Float,
        Type::Float64 => Scalar::Double,
        Type::Boolean => Scalar::Bool,
        Type::String => Scalar::String,
        Type::Bytes => Scalar::Bytes,
        kind @ (Type::Array | Type::Map) => return Err(Kind::UnsupportedRoot { kind }.into()),
    }))
}

/// Roots that the JVM writes as something that is not the value.
fn refused(schema: &Schema, config: &ProtobufDataConfig) -> Option<Kind> {
    if let Some(logical) = logical(schema) {
        let logical = match logical {
            Logical::Decimal => "Decimal",
            Logical::Date => "Date",
            Logical::Time => "Time",
            Logical::Timestamp => "Timestamp",
        };
        return Some(Kind::LogicalRoot { logical });
    }
    enum_parameter(schema, config).map(|_| Kind::EnumRoot)
}

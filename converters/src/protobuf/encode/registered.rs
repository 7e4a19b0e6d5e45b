//! A registry's schema that data are written under: it must mean by the numbers what the data's own schema means.
//!
//! The JVM takes the place of the message from the registry's schema and writes the numbers of its own. Where both schemas have a
//! field by another name or type under one number, readers would get something else than what was written.

use std::collections::{HashMap, HashSet};

use crate::protobuf::from_connect::{Generated, Linked, LinkedField, LinkedType, Root, Scalar};
use crate::protobuf::model::{Field, FieldType, Label, Message, ProtoFile};
use crate::protobuf::names::{Names, TypeKind};
use crate::wire::MessageIndexes;

/// Where the message of the data stands in the registry's schema, which is the first of `files`, followed by what it refers to; or
/// why its readers would take the data for something else.
pub(super) fn place(generated: &Generated, files: &[ProtoFile]) -> Result<MessageIndexes, String> {
    let name = &generated.name;
    let path = files.first().and_then(|file| path(file, name));
    let path = path.ok_or_else(|| format!("it has no message {name}"))?;
    let wrapper;
    let linked = match &generated.root {
        Root::Message(linked) => linked,
        Root::Wrapper(scalar) => {
            wrapper = Linked::wrapper(name, *scalar);
            &wrapper
        }
        Root::Nothing(_) => return Ok(generated.indexes.clone()),
    };
    let mut comparison = Comparison {
        linked,
        names: Names::new(files).map_err(|error| error.to_string())?,
        messages: HashMap::new(),
        seen: HashSet::new(),
    };
    for file in files {
        let package = file.package.as_deref().unwrap_or_default();
        comparison.enter(package, &file.messages);
    }
    comparison.message(0, name)?;
    MessageIndexes::new(path).map_err(|error| error.to_string())
}

/// The path to a message of a file.
fn path(file: &ProtoFile, full_name: &str) -> Option<Vec<i32>> {
    let rest = match file.package.as_deref().unwrap_or_default() {
        "" => full_name,
        package => full_name.strip_prefix(package)?.strip_prefix('.')?,
    };
    let mut messages = &file.messages;
    let mut path = Vec::new();
    for part in rest.split('.') {
        let at = messages.iter().position(|message| *message.name == *part)?;
        path.push(i32::try_from(at).ok()?);
        messages = &messages.get(at)?.messages;
    }
    Some(path)
}

struct Comparison<'a> {
    linked: &'a Linked,
    names: Names,
    /// Messages of the registry's schema by their full names.
    messages: HashMap<String, &'a Message>,
    /// Pairs that were compared.
    seen: HashSet<(usize, String)>,
}

impl<'a> Comparison<'a> {
    fn enter(&mut self, scope: &str, messages: &'a [Message]) {
        for message in messages {
            let full = match scope {
                "" => message.name.to_string(),
                scope => format!("{scope}.{}", message.name),
            };
            self.enter(&full, &message.messages);
            self.messages.insert(full, message);
        }
    }

    /// Compares a message of ours with one of theirs.
    fn message(&mut self, ours: usize, theirs: &str) -> Result<(), String> {
        if !self.seen.insert((ours, theirs.to_owned())) {
            return Ok(());
        }
        let linked = self.linked;
        let (Some(ours), Some(message)) = (linked.messages.get(ours), self.messages.get(theirs))
        else {
            return Err(format!("{theirs} is another type"));
        };
        let message = *message;
        for field in &ours.fields {
            self.field(field, message, theirs)?;
        }
        Ok(())
    }

    fn field(&mut self, ours: &LinkedField, message: &Message, scope: &str) -> Result<(), String> {
        let name = &ours.name;
        let members = message.oneofs.iter().flat_map(|oneof| &oneof.fields);
        let fields = || message.fields.iter().chain(members.clone());
        let groups = message.groups.iter();
        let groups = groups.chain(message.oneofs.iter().flat_map(|oneof| &oneof.groups));
        let number = i64::from(ours.number);
        if let Some(group) = groups
            .clone()
            .find(|group| i64::from(group.number) == number)
        {
            return Err(format!(
                "{scope} has the group {} where {name} is written",
                group.name
            ));
        }
        if let Some(theirs) = fields().find(|field| i64::from(field.number) == number) {
            if theirs.name != *name {
                let found = &theirs.name;
                return Err(format!("number {number} of {scope} is {found}, not {name}"));
            }
            return self.types(ours, theirs, scope);
        }
        match fields().find(|field| field.name == *name) {
            Some(theirs) => {
                let found = theirs.number;
                Err(format!(
                    "{scope}.{name} has the number {found}, not {number}"
                ))
            }
            // Readers take it for a field that was added later.
            None => Ok(()),
        }
    }

    fn types(&mut self, ours: &LinkedField, theirs: &Field, scope: &str) -> Result<(), String> {
        let name = &theirs.name;
        let other = || format!("{scope}.{name} has another type");
        let is_list =
            theirs.label == Some(Label::Repeated) || matches!(theirs.ty, FieldType::Map { .. });
        if is_list != (ours.label == Some(Label::Repeated)) {
            return Err(other());
        }
        let ty = match &theirs.ty {
            FieldType::Name(ty) => ty,
            FieldType::Map { key, value } => {
                let LinkedType::Message(entry) = ours.ty else {
                    return Err(other());
                };
                let linked = self.linked;
                let entry = linked.messages.get(entry).ok_or_else(other)?;
                for (name, number, ty) in [("key", 1, key), ("value", 2, value)] {
                    let theirs = Field::new(FieldType::Name(ty.clone()), name, number);
                    let ours = entry.field(name).ok_or_else(other)?;
                    self.types(ours, &theirs, scope)?;
                }
                return Ok(());
            }
        };
        let is_same = match (ours.ty, Scalar::of(ty)) {
            (LinkedType::Scalar(ours), Some(theirs)) => wire(ours) == wire(theirs),
            (LinkedType::Enum(_), Some(theirs)) => wire(theirs) == Wire::Varint,
            (LinkedType::Message(_) | LinkedType::Known(_), Some(_)) => false,
            (ours, None) => {
                let at = self.names.inside(Names::ROOT, scope);
                let (found, kind) = self.names.find(at, ty).map_err(|error| error.to_string())?;
                let full = self.names.full_name(found);
                let full = full.trim_start_matches('.');
                match (ours, kind) {
                    (LinkedType::Message(id), TypeKind::Message) => {
                        return self.message(id, full);
                    }
                    (LinkedType::Known(known), TypeKind::Message) => known.full_name() == full,
                    (LinkedType::Scalar(ours), TypeKind::Enum) => wire(ours) == Wire::Varint,
                    (LinkedType::Enum(_), TypeKind::Enum) => true,
                    (LinkedType::Scalar(_) | LinkedType::Enum(_), TypeKind::Message)
                    | (LinkedType::Message(_) | LinkedType::Known(_), TypeKind::Enum) => false,
                }
            }
        };
        match is_same {
            true => Ok(()),
            false => Err(other()),
        }
    }
}

/// Scalars that one reads as the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wire {
    Varint,
    ZigZag,
    Fixed32,
    Fixed64,
    Float,
    Double,
    Bytes,
}

const fn wire(scalar: Scalar) -> Wire {
    match scalar {
        Scalar::Int32 | Scalar::Int64 | Scalar::Uint32 | Scalar::Uint64 | Scalar::Bool => {
            Wire::Varint
        }
        Scalar::Sint32 | Scalar::Sint64 => Wire::ZigZag,
        Scalar::Fixed32 | Scalar::Sfixed32 => Wire::Fixed32,
        Scalar::Fixed64 | Scalar::Sfixed64 => Wire::Fixed64,
        Scalar::Float => Wire::Float,
        Scalar::Double => Wire::Double,
        Scalar::String | Scalar::Bytes => Wire::Bytes,
    }
}

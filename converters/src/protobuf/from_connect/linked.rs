//! A generated file as protobuf-java builds a descriptor from it: names checked and looked up, numbers checked.

use std::collections::{HashMap, HashSet};

use super::super::model::{Enum, Field, FieldType, Label, Message, ProtoFile};
use super::{names, words, wrappers};
use crate::error::{Error, protobuf_write::Kind};
use crate::limits::PROTO_NUMBER_MAX;

/// The scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::protobuf) enum Scalar {
    Double,
    Float,
    Int64,
    Uint64,
    Int32,
    Fixed64,
    Fixed32,
    Bool,
    String,
    Bytes,
    Uint32,
    Sfixed32,
    Sfixed64,
    Sint32,
    Sint64,
}

impl Scalar {
    const ALL: [Self; 15] = [
        Self::Double,
        Self::Float,
        Self::Int64,
        Self::Uint64,
        Self::Int32,
        Self::Fixed64,
        Self::Fixed32,
        Self::Bool,
        Self::String,
        Self::Bytes,
        Self::Uint32,
        Self::Sfixed32,
        Self::Sfixed64,
        Self::Sint32,
        Self::Sint64,
    ];

    pub(in crate::protobuf) const fn word(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Float => "float",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
            Self::Int32 => "int32",
            Self::Fixed64 => "fixed64",
            Self::Fixed32 => "fixed32",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Uint32 => "uint32",
            Self::Sfixed32 => "sfixed32",
            Self::Sfixed64 => "sfixed64",
            Self::Sint32 => "sint32",
            Self::Sint64 => "sint64",
        }
    }

    pub(in crate::protobuf) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.word() == word)
    }
}

/// A message that a registry knows without being told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::protobuf) enum Known {
    Decimal,
    Date,
    Time,
    Timestamp,
    Wrapper(Scalar),
}

impl Known {
    /// The full name of the message.
    pub(in crate::protobuf) fn full_name(self) -> &'static str {
        match self {
            Self::Decimal => words::DECIMAL.0,
            Self::Date => words::DATE.0,
            Self::Time => words::TIME.0,
            Self::Timestamp => words::TIMESTAMP.0,
            Self::Wrapper(scalar) => wrappers::full_name(scalar).unwrap_or_default(),
        }
    }

    pub(in crate::protobuf) fn of(full_name: &str) -> Option<Self> {
        let known = [
            (words::DECIMAL.0, Self::Decimal),
            (words::DATE.0, Self::Date),
            (words::TIME.0, Self::Time),
            (words::TIMESTAMP.0, Self::Timestamp),
        ];
        let found = known.into_iter().find(|(name, _)| *name == full_name);
        found
            .map(|(_, known)| known)
            .or_else(|| wrappers::scalar(full_name).map(Self::Wrapper))
    }
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::protobuf) enum Type {
    Scalar(Scalar),
    /// A message of the file.
    Message(usize),
    /// An enum of the file.
    Enum(usize),
    Known(Known),
}

/// A field whose type was looked up.
#[derive(Debug)]
pub(in crate::protobuf) struct LinkedField {
    pub(in crate::protobuf) name: Box<str>,
    /// Positive, and at most [`PROTO_NUMBER_MAX`].
    pub(in crate::protobuf) number: u32,
    pub(in crate::protobuf) label: Option<Label>,
    pub(in crate::protobuf) is_member: bool,
    pub(in crate::protobuf) ty: Type,
}

impl LinkedField {
    /// Whether a default is written, so that a reader can tell it from nothing.
    pub(in crate::protobuf) const fn has_presence(&self) -> bool {
        self.is_member
            || matches!(self.label, Some(Label::Optional))
            || matches!(self.ty, Type::Message(_) | Type::Known(_))
    }
}

#[derive(Debug, Default)]
pub(in crate::protobuf) struct LinkedMessage {
    pub(in crate::protobuf) full_name: Box<str>,
    pub(in crate::protobuf) fields: Vec<LinkedField>,
}

impl LinkedMessage {
    pub(in crate::protobuf) fn field(&self, name: &str) -> Option<&LinkedField> {
        self.fields.iter().find(|field| &*field.name == name)
    }
}

/// Symbols of an enum and their numbers, in order.
type Symbols = Box<[(Box<str>, i32)]>;

/// The messages and enums of a file; the first message is the root.
#[derive(Debug, Default)]
pub(in crate::protobuf) struct Linked {
    pub(in crate::protobuf) messages: Vec<LinkedMessage>,
    pub(in crate::protobuf) enums: Vec<Symbols>,
}

impl Linked {
    /// The wrapper message around a scalar.
    pub(in crate::protobuf) fn wrapper(full_name: &str, scalar: Scalar) -> Self {
        let field = LinkedField {
            name: "value".into(),
            number: 1,
            label: None,
            is_member: false,
            ty: Type::Scalar(scalar),
        };
        let message = LinkedMessage {
            full_name: full_name.into(),
            fields: vec![field],
        };
        Self {
            messages: vec![message],
            enums: Vec::new(),
        }
    }
}

#[derive(Clone, Copy)]
enum Symbol {
    Package,
    Message(usize),
    Enum(usize),
    Known(Known),
    /// What no type is looked for in.
    Other,
}

/// Links a file.
///
/// # Errors
/// Data fault: no descriptor can be built.
pub(super) fn link(file: &ProtoFile) -> Result<Linked, Error> {
    let mut linker = Linker::default();
    linker.packages(file);
    let package = file.package.as_deref().unwrap_or_default();
    for message in &file.messages {
        linker.define(package, message)?;
    }
    let Linker {
        symbols,
        linked,
        definitions,
    } = linker;
    let mut linked = linked;
    for (at, message) in definitions.into_iter().enumerate() {
        let scope = linked.messages[at].full_name.clone();
        let fields = message.fields.iter().map(|field| (field, false));
        let members = message.oneofs.iter().flat_map(|oneof| &oneof.fields);
        let fields = fields.chain(members.map(|field| (field, true)));
        linked.messages[at].fields = fields
            .map(|(field, is_member)| resolve(&symbols, &scope, field, is_member))
            .collect::<Result<_, Error>>()?;
        check_numbers(&linked.messages[at])?;
    }
    Ok(linked)
}

#[derive(Default)]
struct Linker<'f> {
    symbols: HashMap<String, Symbol>,
    linked: Linked,
    /// The message that each of the linked ones comes from.
    definitions: Vec<&'f Message>,
}

impl<'f> Linker<'f> {
    fn packages(&mut self, file: &ProtoFile) {
        self.package(file.package.as_deref().unwrap_or_default());
        for import in &file.imports {
            let known: &[&str] = match &*import.path {
                path if path == words::DECIMAL.1 => &[words::DECIMAL.0],
                path if path == words::DATE.1 => &[words::DATE.0],
                path if path == words::TIME.1 => &[words::TIME.0],
                path if path == words::TIMESTAMP.1 => &[words::TIMESTAMP.0],
                _ => &wrappers::FULL_NAMES,
            };
            for name in known {
                self.package(name.rsplit_once('.').map_or("", |(package, _)| package));
                if let Some(known) = Known::of(name) {
                    self.symbols
                        .insert((*name).to_owned(), Symbol::Known(known));
                }
            }
        }
    }

    fn package(&mut self, name: &str) {
        let ends = name.match_indices('.').map(|(at, _)| at);
        for end in ends.chain([name.len()]).filter(|end| *end > 0) {
            self.symbols.insert(name[..end].to_owned(), Symbol::Package);
        }
    }

    fn add(&mut self, scope: &str, name: &str, symbol: Symbol) -> Result<String, Error> {
        if !names::is_valid(name) {
            return Err(invalid(format!("\"{name}\" is not a valid identifier.")));
        }
        let full = full(scope, name);
        if self.symbols.insert(full.clone(), symbol).is_some() {
            return Err(invalid(format!("\"{full}\" is already defined.")));
        }
        Ok(full)
    }

    fn define(&mut self, scope: &str, message: &'f Message) -> Result<(), Error> {
        let id = self.linked.messages.len();
        let full = self.add(scope, &message.name, Symbol::Message(id))?;
        self.linked.messages.push(LinkedMessage {
            full_name: full.as_str().into(),
            fields: Vec::new(),
        });
        self.definitions.push(message);
        for inner in &message.messages {
            self.define(&full, inner)?;
        }
        for inner in &message.enums {
            self.define_enum(&full, inner)?;
        }
        let members = message.oneofs.iter().flat_map(|oneof| &oneof.fields);
        for field in message.fields.iter().chain(members) {
            self.add(&full, &field.name, Symbol::Other)?;
        }
        let mut oneofs = HashSet::new();
        for oneof in &message.oneofs {
            if !names::is_valid(&oneof.name) {
                let name = &oneof.name;
                return Err(invalid(format!("\"{name}\" is not a valid identifier.")));
            }
            if oneof.fields.is_empty() {
                return Err(invalid("Oneof must have at least one field.".into()));
            }
            if !oneofs.insert(&oneof.name) {
                let name = &oneof.name;
                return Err(invalid(format!("\"{full}.{name}\" is already defined.")));
            }
        }
        Ok(())
    }

    fn define_enum(&mut self, scope: &str, ty: &Enum) -> Result<(), Error> {
        let full = self.add(scope, &ty.name, Symbol::Enum(self.linked.enums.len()))?;
        if ty.values.is_empty() {
            let reason = "Enums must contain at least one value.";
            return Err(invalid(format!("{full}: {reason}")));
        }
        for value in &ty.values {
            self.add(&full, &value.name, Symbol::Other)?;
        }
        let values = ty.values.iter();
        let values = values.map(|value| (value.name.clone(), value.number));
        self.linked.enums.push(values.collect());
        Ok(())
    }
}

fn resolve(
    symbols: &HashMap<String, Symbol>,
    scope: &str,
    field: &Field,
    is_member: bool,
) -> Result<LinkedField, Error> {
    let undefined = |name: &str| {
        let field = &field.name;
        invalid(format!("{scope}.{field}: \"{name}\" is not defined."))
    };
    let ty = match &field.ty {
        FieldType::Name(name) => match Scalar::of(name) {
            Some(scalar) => Type::Scalar(scalar),
            None => look_up(symbols, scope, name).ok_or_else(|| undefined(name))?,
        },
        FieldType::Map { value, .. } => return Err(undefined(value)),
    };
    let number = u32::try_from(field.number)
        .ok()
        .filter(|number| *number > 0);
    let Some(number) = number else {
        let field = &field.name;
        let reason = "Field numbers must be positive integers.";
        return Err(invalid(format!("{scope}.{field}: {reason}")));
    };
    if field.number > PROTO_NUMBER_MAX {
        return Err(Kind::NumberTooLarge { number }.into());
    }
    Ok(LinkedField {
        name: field.name.clone(),
        number,
        label: field.label,
        is_member,
        ty,
    })
}

/// What a name means inside of a message: the first part of it is looked for from the inside outwards, the rest in there.
fn look_up(symbols: &HashMap<String, Symbol>, scope: &str, name: &str) -> Option<Type> {
    let first = name.split('.').next().unwrap_or(name);
    let mut scope = scope;
    loop {
        match symbols.get(&full(scope, first)) {
            Some(Symbol::Package | Symbol::Message(_) | Symbol::Enum(_) | Symbol::Known(_)) => {
                return match symbols.get(&full(scope, name))? {
                    Symbol::Message(id) => Some(Type::Message(*id)),
                    Symbol::Enum(id) => Some(Type::Enum(*id)),
                    Symbol::Known(known) => Some(Type::Known(*known)),
                    Symbol::Package | Symbol::Other => None,
                };
            }
            Some(Symbol::Other) | None if scope.is_empty() => return None,
            Some(Symbol::Other) | None => {
                scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
            }
        }
    }
}

fn check_numbers(message: &LinkedMessage) -> Result<(), Error> {
    let mut used = HashMap::new();
    for field in &message.fields {
        if let Some(other) = used.insert(field.number, &field.name) {
            let (number, full, name) = (field.number, &message.full_name, &field.name);
            return Err(invalid(format!(
                "Field number {number} has already been used in \"{full}\" by field \"{other}\": \"{name}\" needs another."
            )));
        }
    }
    Ok(())
}

fn full(scope: &str, name: &str) -> String {
    match scope {
        "" => name.to_owned(),
        scope => format!("{scope}.{name}"),
    }
}

pub(super) fn invalid(reason: String) -> Error {
    let reason = reason.into();
    Kind::InvalidDefinition { reason }.into()
}

//! A `.proto` file in memory, as it was written: names, numbers and options are not looked up.
//!
//! Messages, enums, fields and oneofs are kept apart, since the stored text prints each kind by itself; within a kind the order is
//! that of the text. What the printer can write and the parser can read are the same: whoever makes a schema builds this tree and
//! prints it.
//!
//! Source: Protocol Buffers language specification, proto2 and proto3.

use crate::error::{Error, protobuf_schema::Kind};
use crate::limits::{PROTO_NUMBER_MAX, PROTO_OPTION_MEMBERS_MAX};

/// A whole file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProtoFile {
    /// The edition it names; a file that names none is proto2.
    pub syntax: Option<Syntax>,
    /// `com.acme`, if there is one.
    pub package: Option<Box<str>>,
    /// Other files: the plain ones, the public ones, the weak ones, as they are printed.
    pub imports: Vec<Import>,
    /// Options of the file.
    pub options: Vec<ProtoOption>,
    /// Messages at the top level: their order gives the indexes of the wire format.
    pub messages: Vec<Message>,
    /// Enums at the top level.
    pub enums: Vec<Enum>,
    /// Extensions of other messages.
    pub extends: Vec<Extend>,
    /// Services.
    pub services: Vec<Service>,
}

/// The two versions of the language that registries read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Syntax {
    /// `syntax = "proto2";`
    Proto2,
    /// `syntax = "proto3";`
    Proto3,
}

/// Another file that this one names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// Who sees it.
    pub kind: ImportKind,
    /// `google/protobuf/any.proto`.
    pub path: Box<str>,
}

/// Who sees what a file imports. The order is that of the printed text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ImportKind {
    /// This file.
    Plain,
    /// This file, and the files that import it.
    Public,
    /// This file, which gets along without it.
    Weak,
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Message {
    /// Its short name.
    pub name: Box<str>,
    /// Numbers and names that nothing may use again, a statement each.
    pub reserved: Vec<Vec<Reserved>>,
    /// Its options.
    pub options: Vec<ProtoOption>,
    /// Fields outside of oneofs.
    pub fields: Vec<Field>,
    /// Oneofs with their fields.
    pub oneofs: Vec<Oneof>,
    /// Groups outside of oneofs.
    pub groups: Vec<Group>,
    /// Numbers left to extensions, a statement each.
    pub extensions: Vec<Extensions>,
    /// Extensions of other messages, declared in here.
    pub extends: Vec<Extend>,
    /// Messages inside of this one.
    pub messages: Vec<Self>,
    /// Enums inside of this one.
    pub enums: Vec<Enum>,
}

/// A field of a message, a oneof, a group or an extension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The word in front of its type, if there is one.
    pub label: Option<Label>,
    /// What it holds.
    pub ty: FieldType,
    /// Its name.
    pub name: Box<str>,
    /// Its number, not checked.
    pub number: i32,
    /// `[default = …]`, without quotes or escapes.
    pub default: Option<Box<str>>,
    /// `[json_name = …]`, without quotes or escapes.
    pub json_name: Option<Box<str>>,
    /// Its other options.
    pub options: Vec<ProtoOption>,
}

/// How many values a field has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// One or none, and a reader knows which.
    Optional,
    /// One (proto2).
    Required,
    /// Any number.
    Repeated,
}

/// The type of a field as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldType {
    /// A scalar (`int32`) or the name of a message or enum: `N`, `b.N`, `.a.b.N`.
    Name(Box<str>),
    /// `map<key, value>`.
    Map {
        /// The name of a scalar.
        key: Box<str>,
        /// A scalar or the name of a message or enum.
        value: Box<str>,
    },
}

/// Fields of which at most one has a value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Oneof {
    /// Its name.
    pub name: Box<str>,
    /// Its options.
    pub options: Vec<ProtoOption>,
    /// Its fields; they have no label.
    pub fields: Vec<Field>,
    /// Its groups.
    pub groups: Vec<Group>,
}

/// A field and its message in one (proto2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The word in front, if there is one.
    pub label: Option<Label>,
    /// The name of the message.
    pub name: Box<str>,
    /// The number of the field, not checked.
    pub number: i32,
    /// The fields of the message.
    pub fields: Vec<Field>,
}

/// An enum.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enum {
    /// Its short name.
    pub name: Box<str>,
    /// Numbers and names that nothing may use again, a statement each.
    pub reserved: Vec<Vec<Reserved>>,
    /// Its options.
    pub options: Vec<ProtoOption>,
    /// Its values.
    pub values: Vec<EnumValue>,
}

/// A value of an enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumValue {
    /// Its name.
    pub name: Box<str>,
    /// Its number.
    pub number: i32,
    /// Its options.
    pub options: Vec<ProtoOption>,
}

/// Numbers of fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Numbers {
    /// The first one.
    pub first: i32,
    /// The last one, where the text names a range.
    pub last: Option<i32>,
}

/// What nothing may use again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reserved {
    /// Numbers.
    Numbers(Numbers),
    /// A name.
    Name(Box<str>),
}

/// Numbers left to extensions: `extensions 100 to max;`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extensions {
    /// Which ones.
    pub numbers: Vec<Numbers>,
    /// Options of all of them.
    pub options: Vec<ProtoOption>,
}

/// Fields that are added to a message elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extend {
    /// The message, as it is written.
    pub extendee: Box<str>,
    /// The fields.
    pub fields: Vec<Field>,
}

/// A service.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Service {
    /// Its short name.
    pub name: Box<str>,
    /// Its options.
    pub options: Vec<ProtoOption>,
    /// Its methods.
    pub methods: Vec<Method>,
}

/// A method of a service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Method {
    /// Its name.
    pub name: Box<str>,
    /// What it takes.
    pub input: MethodType,
    /// What it gives.
    pub output: MethodType,
    /// Its options.
    pub options: Vec<ProtoOption>,
}

/// What a method takes or gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MethodType {
    /// Whether there are many.
    pub stream: bool,
    /// The message, as it is written.
    pub name: Box<str>,
}

/// An option and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProtoOption {
    /// Its name, without parentheses.
    pub name: Box<str>,
    /// Whether it is a custom option: `(name)`.
    pub is_custom: bool,
    /// What is set inside of it: `part` in `(name).part = 1`.
    pub part: Option<Box<str>>,
    /// What it is set to.
    pub value: OptionValue,
}

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// A quoted text, without its escapes.
    Text(Box<str>),
    /// A number, a name or `true`: a word as it is written.
    Word(Box<str>),
    /// `[…]`.
    List(Vec<Self>),
    /// `{…}`: members in order, each name once.
    Message(Vec<(Box<str>, Self)>),
}

impl Syntax {
    /// `proto3`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proto2 => "proto2",
            Self::Proto3 => "proto3",
        }
    }

    /// The syntax of that name.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "proto2" => Some(Self::Proto2),
            "proto3" => Some(Self::Proto3),
            _ => None,
        }
    }
}

impl Label {
    /// `optional`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Required => "required",
            Self::Repeated => "repeated",
        }
    }

    /// The label of that name.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "optional" => Some(Self::Optional),
            "required" => Some(Self::Required),
            "repeated" => Some(Self::Repeated),
            _ => None,
        }
    }
}

impl Numbers {
    /// Whether they go on to the highest number there is: `to max`.
    #[must_use]
    pub fn is_open(self) -> bool {
        self.last.is_some_and(|last| last >= PROTO_NUMBER_MAX)
    }
}

impl OptionValue {
    /// Adds a member to those of a message. A name that is there already gets a list of values.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn add_member(
        members: &mut Vec<(Box<str>, Self)>,
        name: Box<str>,
        value: Self,
    ) -> Result<(), Error> {
        let Some((_, known)) = members.iter_mut().find(|(known, _)| *known == name) else {
            if members.len() >= PROTO_OPTION_MEMBERS_MAX {
                let what = "an option has more than PROTO_OPTION_MEMBERS_MAX members";
                return Err(Kind::TooMuch { what }.into());
            }
            members.push((name, value));
            return Ok(());
        };
        let mut all = std::mem::replace(known, Self::List(Vec::new())).into_elements();
        all.extend(value.into_elements());
        *known = Self::List(all);
        Ok(())
    }

    fn into_elements(self) -> Vec<Self> {
        match self {
            Self::List(elements) => elements,
            one @ (Self::Text(_) | Self::Word(_) | Self::Message(_)) => vec![one],
        }
    }
}

impl Field {
    /// A field with a name, a number, a type and nothing else.
    #[must_use]
    pub fn new(ty: FieldType, name: &str, number: i32) -> Self {
        Self {
            label: None,
            ty,
            name: name.into(),
            number,
            default: None,
            json_name: None,
            options: Vec::new(),
        }
    }

    /// All options as they are printed: `default` and `json_name`, which are none of their own, come last.
    pub(super) fn all_options(&self) -> Vec<ProtoOption> {
        let special = |name: &str, value| ProtoOption {
            name: name.into(),
            is_custom: false,
            part: None,
            value,
        };
        let mut all = self.options.clone();
        if let Some(default) = &self.default {
            let is_text = matches!(&self.ty, FieldType::Name(name) if &**name == "string");
            let value = if is_text {
                OptionValue::Text(default.clone())
            } else {
                OptionValue::Word(default.clone())
            };
            all.push(special("default", value));
        }
        if let Some(name) = &self.json_name {
            all.push(special("json_name", OptionValue::Text(name.clone())));
        }
        all
    }
}

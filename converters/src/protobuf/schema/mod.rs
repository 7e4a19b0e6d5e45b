//! [`ProtobufSchema`]: a file with everything it refers to, names looked up, as protobuf-java builds a descriptor of it.

mod known;
mod link;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::ProtoFile;
use super::from_connect::Scalar;
use crate::error::Error;
use crate::error::registered;
use crate::wire::Indexes;

/// A message of a [`ProtobufSchema`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct MessageId(u32);

/// An enum of a [`ProtobufSchema`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct EnumId(u32);

/// A file and what it refers to, linked. A clone is one counter.
#[derive(Clone, Debug)]
pub struct ProtobufSchema(Arc<Linked>);

#[derive(Debug, Default)]
struct Linked {
    messages: Vec<Message>,
    enums: Vec<EnumType>,
    /// Messages at the top level of the file itself: the first index of a path.
    roots: Vec<MessageId>,
}

/// A message, its fields in the order of the text: those outside of oneofs, then those inside.
#[derive(Debug, Default)]
pub(crate) struct Message {
    /// `Inner`.
    pub(crate) name: Box<str>,
    /// `com.acme.Outer.Inner`.
    pub(crate) full_name: Box<str>,
    pub(crate) fields: Vec<Field>,
    pub(crate) oneofs: Vec<Oneof>,
    /// Whether it is one that stands for something else.
    pub(in crate::protobuf) special: Option<Special>,
    /// Messages inside of it, as indexes count them.
    inner: Vec<MessageId>,
    /// Numbers of fields in ascending order, and where the fields are.
    numbers: Vec<(u32, u32)>,
}

/// Fields of which at most one has a value.
#[derive(Debug)]
pub(crate) struct Oneof {
    pub(crate) name: Box<str>,
    pub(crate) full_name: Box<str>,
    /// Its members in [`Message::fields`].
    pub(crate) members: Vec<usize>,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: Box<str>,
    /// Positive.
    pub(crate) number: u32,
    pub(in crate::protobuf) ty: FieldType,
    pub(crate) cardinality: Cardinality,
    /// It is in a oneof.
    pub(crate) is_member: bool,
    /// `[default = …]` of proto2.
    pub(crate) default: Option<Box<str>>,
    /// The file is proto2: text may be malformed, enums are closed.
    pub(crate) is_proto2: bool,
    /// `params` of `(confluent.field_meta)` that a converter heeds.
    pub(crate) meta: Meta,
}

/// What the option `(confluent.field_meta)` says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meta {
    /// `connect.type`.
    pub(crate) connect_type: Option<Box<str>>,
    /// `scale` of a Decimal.
    pub(crate) scale: Option<Box<str>>,
    /// `precision` of a Decimal.
    pub(crate) precision: Option<Box<str>>,
}

/// How many values a field has, and whether a reader can tell none from a zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cardinality {
    /// proto3 without a word: zero when it is not there.
    Implicit,
    /// With the word `optional`.
    Optional,
    /// A message or a member of a oneof without a word.
    Explicit,
    Required,
    Repeated,
}

/// The type of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::protobuf) enum FieldType {
    Scalar(Scalar),
    Message(MessageId),
    Enum(EnumId),
}

/// Messages that stand for Connect's own types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::protobuf) enum Special {
    Decimal,
    Date,
    Time,
    Timestamp,
    Variant,
    Wrapper(Scalar),
}

/// An enum.
#[derive(Debug)]
pub(crate) struct EnumType {
    pub(crate) name: Box<str>,
    pub(crate) full_name: Box<str>,
    /// Never empty.
    pub(crate) values: Vec<(Box<str>, i32)>,
}

impl ProtobufSchema {
    /// Links a file with the files that its references name.
    ///
    /// # Errors
    /// Data fault: no descriptor can be built of them.
    pub(crate) fn link(file: &ProtoFile, references: &[&ProtoFile]) -> Result<Self, Error> {
        link::link(file, references).map(|linked| Self(Arc::new(linked)))
    }

    /// Reads and links a text with the texts it refers to.
    ///
    /// # Errors
    /// Data fault: a text is no `.proto` file, or no descriptor can be built of them.
    ///
    /// ```
    /// use ferroconnect_converters::protobuf::ProtobufSchema;
    ///
    /// let text = "syntax = \"proto3\"; message M { N n = 1; message N { int32 i = 1; } }";
    /// let schema = ProtobufSchema::parse(text, &[])?;
    /// assert_eq!(schema.message_names().collect::<Vec<_>>(), ["M"]);
    /// # Ok::<(), ferroconnect_converters::Error>(())
    /// ```
    pub fn parse(text: &str, references: &[&str]) -> Result<Self, Error> {
        let references = references.iter().map(|text| ProtoFile::parse(text));
        let references = references.collect::<Result<Vec<_>, _>>()?;
        Self::link(
            &ProtoFile::parse(text)?,
            &references.iter().collect::<Vec<_>>(),
        )
    }

    /// Full names of the messages at the top level of the file, in order.
    pub fn message_names(&self) -> impl Iterator<Item = &str> {
        self.0.roots.iter().map(|id| &*self.get(*id).full_name)
    }

    /// The message that the indexes of a frame name; the first one where there are none.
    ///
    /// # Errors
    /// Data fault: an index leads nowhere.
    pub(crate) fn message(&self, indexes: Option<Indexes<'_>>) -> Result<MessageId, Error> {
        let Some(indexes) = indexes else {
            let first = self.0.roots.first().copied();
            return first.ok_or_else(|| no_message().into());
        };
        let inside = |path: &[u32]| self.inside(path).map_or(0, <[MessageId]>::len);
        indexes.check(inside)?;
        let path = indexes.to_vec();
        let (last, outer) = path.split_last().ok_or_else(no_message)?;
        let found = self
            .inside(outer)
            .and_then(|inner| inner.get(*last as usize));
        found.copied().ok_or_else(|| no_message().into())
    }

    fn inside(&self, path: &[u32]) -> Option<&[MessageId]> {
        path.iter().try_fold(&*self.0.roots, |inner, index| {
            let id = inner.get(*index as usize)?;
            Some(&*self.get(*id).inner)
        })
    }

    /// The full name of a message, without a dot in front.
    pub(crate) fn full_name(&self, message: MessageId) -> &str {
        &self.get(message).full_name
    }

    pub(crate) fn get(&self, id: MessageId) -> &Message {
        &self.0.messages[id.0 as usize]
    }

    pub(crate) fn get_enum(&self, id: EnumId) -> &EnumType {
        &self.0.enums[id.0 as usize]
    }
}

fn no_message() -> registered::Kind {
    let reason = "the file defines no message".into();
    let named = "the schema".into();
    registered::Kind::BadSchema { named, reason }
}

impl Message {
    /// The field of that number.
    pub(crate) fn numbered(&self, number: u32) -> Option<usize> {
        let at = self.numbers.binary_search_by_key(&number, |(n, _)| *n);
        Some(self.numbers[at.ok()?].1 as usize)
    }

    /// Its key and its value, when a repeated field of such messages is a map: `…Entry` with the fields `key` and `value`.
    pub(crate) fn as_entry(&self) -> Option<[&Field; 2]> {
        let [a, b] = &self.fields[..] else {
            return None;
        };
        let (key, value) = match (&*a.name, &*b.name) {
            ("key", "value") => (a, b),
            ("value", "key") => (b, a),
            _ => return None,
        };
        let single = |field: &Field| field.cardinality != Cardinality::Repeated;
        let is_entry = self.name.ends_with("Entry") && single(key) && single(value);
        is_entry.then_some([key, value])
    }
}

impl EnumType {
    /// The first symbol of a number.
    pub(crate) fn symbol(&self, number: i32) -> Option<&str> {
        let mut values = self.values.iter();
        values
            .find(|(_, n)| *n == number)
            .map(|(symbol, _)| &**symbol)
    }

    /// The number of a field that is not set.
    pub(crate) fn zero(&self) -> i32 {
        self.values.first().map_or(0, |(_, number)| *number)
    }
}

//! A descriptor to a file.
//!
//! Clients may post one in base64 instead of a text. Names stay as they are, which from protoc means from the root on.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::numbers::{self, enumeration, field, file, message, method};
use super::options::{self, Place};
use crate::error::{Error, protobuf_schema::Kind};
use crate::limits::{PROTO_DEPTH_MAX, PROTO_NUMBER_MAX, PROTO_TEXT_BYTES_MAX};
use crate::protobuf::known::scalar_name;
use crate::protobuf::model::{
    Enum, EnumValue, Extend, Extensions, Field, FieldType, Import, ImportKind, Label, Message,
    Method, MethodType, Numbers, Oneof, ProtoFile, ProtoOption, Reserved, Service, Syntax,
};
use crate::wire::Reader;

/// A field of a message as it stands in the bytes.
#[derive(Clone, Copy)]
pub(super) struct Raw<'a> {
    pub(super) number: u32,
    value: RawValue<'a>,
}

#[derive(Clone, Copy)]
enum RawValue<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
    /// 32 or 64 bits, which no descriptor uses.
    Fixed,
}

impl<'a> Raw<'a> {
    pub(super) const fn varint(&self) -> Option<u64> {
        match self.value {
            RawValue::Varint(value) => Some(value),
            RawValue::Bytes(_) | RawValue::Fixed => None,
        }
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        match self.value {
            RawValue::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            RawValue::Varint(_) | RawValue::Fixed => None,
        }
    }

    pub(super) fn fields(&self) -> Result<Vec<Self>, Error> {
        match self.value {
            RawValue::Bytes(bytes) => fields(bytes),
            RawValue::Varint(_) | RawValue::Fixed => Err(wrong("a message is no message")),
        }
    }
}

fn wrong(what: &'static str) -> Error {
    Kind::Descriptor { what }.into()
}

fn fields(bytes: &[u8]) -> Result<Vec<Raw<'_>>, Error> {
    let mut reader = Reader::new(bytes);
    let mut all = Vec::new();
    let short = |_| wrong("it ends inside of a field");
    while !reader.is_empty() {
        let tag = reader.varint_u32().map_err(Kind::from)?;
        let value = match tag & 7 {
            0 => RawValue::Varint(reader.varint_u64().map_err(Kind::from)?),
            1 => reader.take(8).map(|_| RawValue::Fixed).map_err(short)?,
            2 => {
                let length = reader.varint_u32().map_err(Kind::from)?;
                RawValue::Bytes(reader.take(length as usize).map_err(short)?)
            }
            5 => reader.take(4).map(|_| RawValue::Fixed).map_err(short)?,
            _ => return Err(wrong("a field has an unknown wire type")),
        };
        let number = tag >> 3;
        if number == 0 {
            return Err(wrong("a field has the number 0"));
        }
        all.push(Raw { number, value });
    }
    Ok(all)
}

/// The fields of one message by number.
struct Fields<'a>(Vec<Raw<'a>>);

impl<'a> Fields<'a> {
    fn of(raw: &Raw<'a>) -> Result<Self, Error> {
        raw.fields().map(Self)
    }

    fn all(&self, number: u32) -> impl Iterator<Item = &Raw<'a>> {
        self.0.iter().filter(move |field| field.number == number)
    }

    fn text(&self, number: u32) -> Result<Option<&'a str>, Error> {
        match self.all(number).last() {
            None => Ok(None),
            Some(field) => match field.text() {
                Some(text) => Ok(Some(text)),
                None => Err(wrong("a text is no text")),
            },
        }
    }

    fn name(&self) -> Result<Box<str>, Error> {
        let name = self.text(numbers::NAME)?.filter(|name| !name.is_empty());
        name.map(Into::into)
            .ok_or_else(|| wrong("a name is missing"))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "int32 fields: bits beyond the width are dropped, as Protobuf says"
    )]
    fn int(&self, number: u32) -> Option<i32> {
        let value = self.all(number).last()?.varint()?;
        Some((value as u32).cast_signed())
    }

    fn options(&self, number: u32, place: Place) -> Result<Vec<ProtoOption>, Error> {
        match self.all(number).last() {
            Some(raw) => Ok(options::read(place, &raw.fields()?)),
            None => Ok(Vec::new()),
        }
    }
}

/// A file from the base64 of its descriptor.
///
/// # Errors
/// It is none.
pub(in crate::protobuf) fn read_base64(text: &str) -> Result<ProtoFile, Error> {
    if text.len() > PROTO_TEXT_BYTES_MAX {
        return Err(wrong("a text has at most PROTO_TEXT_BYTES_MAX bytes"));
    }
    let bytes = STANDARD.decode(text.trim());
    let bytes = bytes.map_err(|_| wrong("it is no base64"))?;
    read(&bytes)
}

fn read(bytes: &[u8]) -> Result<ProtoFile, Error> {
    let fields = Fields(fields(bytes)?);
    if fields.0.is_empty() {
        return Err(wrong("it is empty"));
    }
    let syntax = match fields.text(file::SYNTAX)? {
        None => None,
        Some(word) => Some(Syntax::of(word).ok_or_else(|| wrong("its syntax is unknown"))?),
    };
    let is_proto3 = syntax == Some(Syntax::Proto3);
    let mut proto = ProtoFile {
        syntax,
        package: fields.text(file::PACKAGE)?.map(Into::into),
        options: fields.options(file::OPTIONS, Place::File)?,
        ..ProtoFile::default()
    };
    imports(&fields, &mut proto)?;
    for raw in fields.all(file::MESSAGE) {
        proto.messages.push(read_message(raw, is_proto3, 0)?);
    }
    for raw in fields.all(file::ENUM) {
        proto.enums.push(read_enum(raw)?);
    }
    for raw in fields.all(file::SERVICE) {
        proto.services.push(read_service(raw)?);
    }
    proto.extends = extends(fields.all(file::EXTENSION), is_proto3)?;
    Ok(proto)
}

fn imports(fields: &Fields<'_>, proto: &mut ProtoFile) -> Result<(), Error> {
    for raw in fields.all(file::DEPENDENCY) {
        let path = raw.text().ok_or_else(|| wrong("a text is no text"))?.into();
        let kind = ImportKind::Plain;
        proto.imports.push(Import { kind, path });
    }
    let kinds = [
        (file::PUBLIC_DEPENDENCY, ImportKind::Public),
        (file::WEAK_DEPENDENCY, ImportKind::Weak),
    ];
    for (number, kind) in kinds {
        for raw in fields.all(number) {
            let index = raw.varint().and_then(|index| usize::try_from(index).ok());
            let import = index.and_then(|index| proto.imports.get_mut(index));
            let import = import.ok_or_else(|| wrong("an import that is not there is public"))?;
            import.kind = kind;
        }
    }
    Ok(())
}

fn read_message(raw: &Raw<'_>, is_proto3: bool, depth: usize) -> Result<Message, Error> {
    if depth >= PROTO_DEPTH_MAX {
        return Err(wrong("it is nested deeper than PROTO_DEPTH_MAX"));
    }
    let fields = Fields::of(raw)?;
    let mut read = Message {
        name: fields.name()?,
        reserved: reserved(
            &fields,
            (message::RESERVED_RANGE, message::RESERVED_NAME),
            1,
        )?,
        options: fields.options(message::OPTIONS, Place::Message)?,
        extends: extends(fields.all(message::EXTENSION), is_proto3)?,
        ..Message::default()
    };
    for raw in fields.all(message::ONEOF) {
        let name = Fields::of(raw)?.name()?;
        read.oneofs.push(Oneof {
            name,
            ..Oneof::default()
        });
    }
    for raw in fields.all(message::FIELD) {
        let inner = Fields::of(raw)?;
        let mut field = read_field(&inner, is_proto3)?;
        match inner.int(field::ONEOF_INDEX) {
            Some(index) if inner.int(field::PROTO3_OPTIONAL) != Some(1) => {
                let index = usize::try_from(index).ok();
                let oneof = index.and_then(|index| read.oneofs.get_mut(index));
                let oneof = oneof.ok_or_else(|| wrong("a oneof is not there"))?;
                field.label = None;
                oneof.fields.push(field);
            }
            Some(_) | None => read.fields.push(field),
        }
    }
    // Those that are left empty belong to single optional fields, which say so by their label.
    read.oneofs.retain(|oneof| !oneof.fields.is_empty());
    for raw in fields.all(message::NESTED) {
        read.messages.push(read_message(raw, is_proto3, depth + 1)?);
    }
    for raw in fields.all(message::ENUM) {
        read.enums.push(read_enum(raw)?);
    }
    for raw in fields.all(message::EXTENSION_RANGE) {
        read.extensions.push(Extensions {
            numbers: vec![range(&Fields::of(raw)?, 1)?],
            options: Vec::new(),
        });
    }
    Ok(read)
}

fn read_field(fields: &Fields<'_>, is_proto3: bool) -> Result<Field, Error> {
    let name = fields.name()?;
    let number = fields.int(field::NUMBER);
    let number = number.ok_or_else(|| wrong("a field has no number"))?;
    let is_marked = fields.int(field::PROTO3_OPTIONAL) == Some(1);
    let label = match fields.int(field::LABEL) {
        Some(3) => Some(Label::Repeated),
        Some(2) if !is_proto3 => Some(Label::Required),
        Some(1) | None if !is_proto3 || is_marked => Some(Label::Optional),
        Some(_) | None => None,
    };
    let scalar = fields
        .int(field::TYPE)
        .and_then(|ty| scalar_name(ty.cast_unsigned()));
    let ty = match (scalar, fields.text(field::TYPE_NAME)?) {
        (Some(scalar), _) => scalar,
        (None, Some(name)) => name,
        (None, None) => return Err(wrong("a field has no type")),
    };
    let mut read = Field::new(FieldType::Name(ty.into()), &name, number);
    read.label = label;
    read.default = fields.text(field::DEFAULT)?.map(Into::into);
    read.json_name = fields.text(field::JSON_NAME)?.map(Into::into);
    read.options = fields.options(field::OPTIONS, Place::Field)?;
    Ok(read)
}

fn extends<'a, 'b: 'a>(
    raws: impl Iterator<Item = &'a Raw<'b>>,
    is_proto3: bool,
) -> Result<Vec<Extend>, Error> {
    let mut all: Vec<Extend> = Vec::new();
    for raw in raws {
        let fields = Fields::of(raw)?;
        let extendee = fields.text(field::EXTENDEE)?;
        let extendee = extendee.ok_or_else(|| wrong("an extension extends nothing"))?;
        let field = read_field(&fields, is_proto3)?;
        match all.last_mut().filter(|last| &*last.extendee == extendee) {
            Some(last) => last.fields.push(field),
            None => all.push(Extend {
                extendee: extendee.into(),
                fields: vec![field],
            }),
        }
    }
    Ok(all)
}

fn read_enum(raw: &Raw<'_>) -> Result<Enum, Error> {
    let fields = Fields::of(raw)?;
    let places = (enumeration::RESERVED_RANGE, enumeration::RESERVED_NAME);
    let mut read = Enum {
        name: fields.name()?,
        reserved: reserved(&fields, places, 0)?,
        options: fields.options(enumeration::OPTIONS, Place::Enum)?,
        values: Vec::new(),
    };
    for raw in fields.all(enumeration::VALUE) {
        let value = Fields::of(raw)?;
        read.values.push(EnumValue {
            name: value.name()?,
            number: value.int(numbers::VALUE_NUMBER).unwrap_or(0),
            options: value.options(numbers::VALUE_OPTIONS, Place::EnumValue)?,
        });
    }
    Ok(read)
}

fn read_service(raw: &Raw<'_>) -> Result<Service, Error> {
    let fields = Fields::of(raw)?;
    let mut read = Service {
        name: fields.name()?,
        options: fields.options(numbers::SERVICE_OPTIONS, Place::Service)?,
        methods: Vec::new(),
    };
    for raw in fields.all(numbers::SERVICE_METHOD) {
        let inner = Fields::of(raw)?;
        let ty = |name, streams| -> Result<MethodType, Error> {
            let text: Option<&str> = inner.text(name)?;
            Ok(MethodType {
                stream: inner.int(streams) == Some(1),
                name: text.ok_or_else(|| wrong("a method has no type"))?.into(),
            })
        };
        read.methods.push(Method {
            name: inner.name()?,
            input: ty(method::INPUT, method::CLIENT_STREAMING)?,
            output: ty(method::OUTPUT, method::SERVER_STREAMING)?,
            options: inner.options(method::OPTIONS, Place::Method)?,
        });
    }
    Ok(read)
}

/// Numbers in one statement, names in another; a range ends `beyond` behind its last number.
fn reserved(
    fields: &Fields<'_>,
    places: (u32, u32),
    beyond: i32,
) -> Result<Vec<Vec<Reserved>>, Error> {
    let mut numbers = Vec::new();
    for raw in fields.all(places.0) {
        numbers.push(Reserved::Numbers(range(&Fields::of(raw)?, beyond)?));
    }
    let mut names = Vec::new();
    for raw in fields.all(places.1) {
        let name = raw.text().ok_or_else(|| wrong("a text is no text"))?;
        names.push(Reserved::Name(name.into()));
    }
    let statements = [numbers, names].into_iter();
    Ok(statements.filter(|all| !all.is_empty()).collect())
}

fn range(fields: &Fields<'_>, beyond: i32) -> Result<Numbers, Error> {
    let missing = || wrong("a range has no end");
    let first = fields.int(numbers::RANGE_START).ok_or_else(missing)?;
    let end = fields.int(numbers::RANGE_END).ok_or_else(missing)?;
    let last = end.saturating_sub(beyond).min(PROTO_NUMBER_MAX);
    let last = (last != first).then_some(last);
    Ok(Numbers { first, last })
}

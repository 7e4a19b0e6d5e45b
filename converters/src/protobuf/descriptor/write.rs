//! A file to a descriptor.

use super::numbers::{self, enumeration, field, file, message, method};
use super::options::Place;
use crate::error::{Error, protobuf_schema::Kind};
use crate::limits::PROTO_NUMBER_MAX;
use crate::protobuf::known::scalar;
use crate::protobuf::model::{
    Enum, Extend, Field, FieldType, ImportKind, Label, Message, Method, Numbers, ProtoFile,
    Reserved, Service, Syntax,
};
use crate::protobuf::names::{Names, Scope, TypeKind};
use crate::wire::write_u64;

/// The name that a registry gives every file.
const FILE_NAME: &str = "default";

const WIRE_VARINT: u32 = 0;
const WIRE_BYTES: u32 = 2;

/// Fields of a message in the wire format.
#[derive(Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    fn tag(&mut self, number: u32, wire: u32) {
        write_u64(&mut self.0, u64::from(number << 3 | wire));
    }

    pub(super) fn varint(&mut self, number: u32, value: u64) {
        self.tag(number, WIRE_VARINT);
        write_u64(&mut self.0, value);
    }

    fn int(&mut self, number: u32, value: i32) {
        self.varint(number, i64::from(value).cast_unsigned());
    }

    pub(super) fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.tag(number, WIRE_BYTES);
        write_u64(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn text(&mut self, number: u32, text: &str) {
        self.bytes(number, text.as_bytes());
    }

    pub(super) fn message(&mut self, number: u32, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(number, &inner.0);
    }

    /// Options, if there are any.
    fn options(&mut self, number: u32, options: &[u8]) {
        if !options.is_empty() {
            self.bytes(number, options);
        }
    }
}

/// The descriptor of a file.
///
/// # Errors
/// A field has a type that is defined nowhere.
pub(in crate::protobuf) fn write(proto: &ProtoFile, names: &Names) -> Result<Vec<u8>, Error> {
    let writer = Writer {
        names,
        is_proto3: proto.syntax == Some(Syntax::Proto3),
    };
    let package = proto.package.as_deref().unwrap_or("");
    let scope = names.inside(Names::ROOT, package);
    let mut out = Out::default();
    out.text(file::NAME, FILE_NAME);
    if !package.is_empty() {
        out.text(file::PACKAGE, package);
    }
    let kinds = [ImportKind::Plain, ImportKind::Public, ImportKind::Weak];
    let of_kind = |kind| {
        proto
            .imports
            .iter()
            .filter(move |import| import.kind == kind)
    };
    let imports = || kinds.into_iter().flat_map(of_kind);
    for import in imports() {
        out.text(file::DEPENDENCY, &import.path);
    }
    for message in &proto.messages {
        let inner = writer.message(scope, message)?;
        out.bytes(file::MESSAGE, &inner.0);
    }
    for ty in &proto.enums {
        out.message(file::ENUM, |out| write_enum(out, ty));
    }
    for service in &proto.services {
        out.message(file::SERVICE, |out| write_service(out, service));
    }
    writer.extends(&mut out, file::EXTENSION, scope, &proto.extends)?;
    out.options(file::OPTIONS, &Place::File.write(&proto.options));
    let dependencies = [
        (file::PUBLIC_DEPENDENCY, ImportKind::Public),
        (file::WEAK_DEPENDENCY, ImportKind::Weak),
    ];
    for (number, kind) in dependencies {
        for (index, _) in imports()
            .enumerate()
            .filter(|(_, import)| import.kind == kind)
        {
            out.varint(number, index as u64);
        }
    }
    if let Some(syntax) = proto.syntax {
        out.text(file::SYNTAX, syntax.word());
    }
    Ok(out.0)
}

struct Writer<'a> {
    names: &'a Names,
    is_proto3: bool,
}

/// Where a field stands.
#[derive(Clone, Copy)]
enum Home<'a> {
    Message,
    Oneof(usize),
    /// A field that has a oneof of its own, so that readers see whether it is there.
    Alone(usize),
    Extension(&'a str),
}

impl Writer<'_> {
    fn message(&self, outer: Scope, source: &Message) -> Result<Out, Error> {
        let scope = self.names.inside(outer, &source.name);
        let mut out = Out::default();
        out.text(message::NAME, &source.name);
        for (index, oneof) in source.oneofs.iter().enumerate() {
            for field in &oneof.fields {
                let field = self.field(scope, Home::Oneof(index), field)?;
                out.bytes(message::FIELD, &field.0);
            }
        }
        let mut alone = Vec::new();
        for field in &source.fields {
            let mut home = Home::Message;
            if self.is_proto3 && field.label == Some(Label::Optional) {
                home = Home::Alone(source.oneofs.len() + alone.len());
                alone.push(format!("_{}", field.name));
            }
            let field = self.field(scope, home, field)?;
            out.bytes(message::FIELD, &field.0);
        }
        for inner in &source.messages {
            let inner = self.message(scope, inner)?;
            out.bytes(message::NESTED, &inner.0);
        }
        self.map_entries(&mut out, scope, source)?;
        for ty in &source.enums {
            out.message(message::ENUM, |out| write_enum(out, ty));
        }
        for numbers in source.extensions.iter().flat_map(|all| &all.numbers) {
            out.message(message::EXTENSION_RANGE, |out| {
                range(out, *numbers, true);
                out.bytes(numbers::RANGE_OPTIONS, &[]);
            });
        }
        self.extends(&mut out, message::EXTENSION, scope, &source.extends)?;
        out.options(message::OPTIONS, &Place::Message.write(&source.options));
        let oneofs = source.oneofs.iter().map(|oneof| &*oneof.name);
        for name in oneofs.chain(alone.iter().map(String::as_str)) {
            out.message(message::ONEOF, |out| {
                out.text(numbers::NAME, name);
                out.bytes(numbers::ONEOF_OPTIONS, &[]);
            });
        }
        let places = (message::RESERVED_RANGE, message::RESERVED_NAME);
        reserved(&mut out, places, &source.reserved, true);
        Ok(out)
    }

    fn map_entries(&self, out: &mut Out, scope: Scope, source: &Message) -> Result<(), Error> {
        let in_oneofs = source.oneofs.iter().flat_map(|oneof| &oneof.fields);
        for map in in_oneofs.chain(&source.fields) {
            let FieldType::Map { key, value } = &map.ty else {
                continue;
            };
            let member = |name, number, ty: &str| {
                self.field(
                    scope,
                    Home::Message,
                    &Field::new(FieldType::Name(ty.into()), name, number),
                )
            };
            let (key, value) = (member("key", 1, key)?, member("value", 2, value)?);
            out.message(message::NESTED, |out| {
                out.text(message::NAME, &entry_name(&map.name));
                out.bytes(message::FIELD, &key.0);
                out.bytes(message::FIELD, &value.0);
                out.message(message::OPTIONS, |out| out.varint(numbers::MAP_ENTRY, 1));
            });
        }
        Ok(())
    }

    fn extends(
        &self,
        out: &mut Out,
        number: u32,
        scope: Scope,
        extends: &[Extend],
    ) -> Result<(), Error> {
        for extend in extends {
            for field in &extend.fields {
                let field = self.field(scope, Home::Extension(&extend.extendee), field)?;
                out.bytes(number, &field.0);
            }
        }
        Ok(())
    }

    fn field(&self, scope: Scope, home: Home<'_>, source: &Field) -> Result<Out, Error> {
        let mut out = Out::default();
        out.text(field::NAME, &source.name);
        if let Home::Extension(extendee) = home {
            out.text(field::EXTENDEE, extendee);
        }
        out.int(field::NUMBER, source.number);
        let label = match (&source.ty, home) {
            (FieldType::Map { .. }, _) => Some(Label::Repeated),
            (FieldType::Name(_), Home::Oneof(_)) => Some(Label::Optional),
            (FieldType::Name(_), _) => source.label,
        };
        if let Some(label) = label {
            let number = match label {
                Label::Optional => 1,
                Label::Required => 2,
                Label::Repeated => 3,
            };
            out.varint(field::LABEL, number);
        }
        self.field_type(&mut out, scope, source)?;
        if let Some(default) = &source.default {
            out.text(field::DEFAULT, default);
        }
        out.options(field::OPTIONS, &Place::Field.write(&source.options));
        if let Home::Oneof(index) | Home::Alone(index) = home {
            out.varint(field::ONEOF_INDEX, index as u64);
        }
        if let Some(name) = &source.json_name {
            out.text(field::JSON_NAME, name);
        }
        if matches!(home, Home::Alone(_)) {
            out.varint(field::PROTO3_OPTIONAL, 1);
        }
        Ok(out)
    }

    fn field_type(&self, out: &mut Out, scope: Scope, source: &Field) -> Result<(), Error> {
        match &source.ty {
            FieldType::Map { .. } => out.text(field::TYPE_NAME, &entry_name(&source.name)),
            FieldType::Name(name) => {
                if let Some(number) = scalar(name) {
                    out.varint(field::TYPE, number.into());
                    return Ok(());
                }
                let (_, kind) = self.names.find(scope, name)?;
                let number = match kind {
                    TypeKind::Message => numbers::TYPE_MESSAGE,
                    TypeKind::Enum => numbers::TYPE_ENUM,
                };
                out.varint(field::TYPE, number.into());
                out.text(field::TYPE_NAME, name);
            }
        }
        Ok(())
    }
}

/// The name of the message that holds an entry of a map: `tagsEntry`, and `MyTagsEntry` for `my_tags`.
fn entry_name(field: &str) -> String {
    let mut name = String::new();
    if field.contains('_') {
        for word in field.split('_') {
            let mut letters = word.chars();
            name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            name.extend(letters.map(|letter| letter.to_ascii_lowercase()));
        }
    } else {
        name.push_str(field);
    }
    name + "Entry"
}

fn write_enum(out: &mut Out, ty: &Enum) {
    out.text(enumeration::NAME, &ty.name);
    for value in &ty.values {
        out.message(enumeration::VALUE, |out| {
            out.text(numbers::NAME, &value.name);
            out.int(numbers::VALUE_NUMBER, value.number);
            let options = Place::EnumValue.write(&value.options);
            out.options(numbers::VALUE_OPTIONS, &options);
        });
    }
    out.options(enumeration::OPTIONS, &Place::Enum.write(&ty.options));
    let places = (enumeration::RESERVED_RANGE, enumeration::RESERVED_NAME);
    reserved(out, places, &ty.reserved, false);
}

fn write_service(out: &mut Out, service: &Service) {
    out.text(numbers::NAME, &service.name);
    for source in &service.methods {
        let Method {
            name,
            input,
            output,
            options,
        } = source;
        out.message(numbers::SERVICE_METHOD, |out| {
            out.text(method::NAME, name);
            out.text(method::INPUT, &input.name);
            out.text(method::OUTPUT, &output.name);
            out.options(method::OPTIONS, &Place::Method.write(options));
            out.varint(method::CLIENT_STREAMING, input.stream.into());
            out.varint(method::SERVER_STREAMING, output.stream.into());
        });
    }
    let options = Place::Service.write(&service.options);
    out.options(numbers::SERVICE_OPTIONS, &options);
}

/// Ranges first, then names. The ranges of messages end before their end, those of enums with it.
fn reserved(out: &mut Out, places: (u32, u32), statements: &[Vec<Reserved>], is_message: bool) {
    let all = || statements.iter().flatten();
    for one in all() {
        if let Reserved::Numbers(numbers) = one {
            out.message(places.0, |out| range(out, *numbers, is_message));
        }
    }
    for one in all() {
        if let Reserved::Name(name) = one {
            out.text(places.1, name);
        }
    }
}

fn range(out: &mut Out, numbers: Numbers, is_message: bool) {
    out.int(numbers::RANGE_START, numbers.first);
    let last = numbers.last.unwrap_or(numbers.first);
    let end = match (is_message, numbers.is_open()) {
        (true, _) => last.min(PROTO_NUMBER_MAX) + 1,
        (false, true) => i32::MAX,
        (false, false) => last,
    };
    out.int(numbers::RANGE_END, end);
}

impl From<crate::wire::VarintError> for Kind {
    fn from(_: crate::wire::VarintError) -> Self {
        let what = "it ends inside of a number";
        Self::Descriptor { what }
    }
}

//! Linking: from the trees of files to one arena.

use std::collections::{HashMap, HashSet};

use super::super::from_connect::{Known, Scalar, entry};
use super::super::model::{self, FieldType as Written, Label, OptionValue, ProtoFile, Syntax};
use super::super::names::{Names, Scope};
use super::{
    Cardinality, EnumId, EnumType, Field, FieldType, Linked, Message, MessageId, Meta, Oneof,
    Special, known,
};
use crate::error::{Error, protobuf_read::Kind};

#[derive(Clone, Copy)]
enum Defined {
    Message(MessageId),
    Enum(EnumId),
}

struct Linker<'f> {
    names: Names,
    linked: Linked,
    /// By full name with a dot in front; the first definition counts.
    defined: HashMap<Box<str>, Defined>,
    /// The message that each of the linked ones comes from, its scope, and whether its file is proto2. Nothing for entries of maps.
    sources: Vec<Option<(&'f model::Message, Scope, bool)>>,
}

pub(super) fn link<'f>(file: &'f ProtoFile, references: &[&'f ProtoFile]) -> Result<Linked, Error> {
    let files = || -> Vec<&'f ProtoFile> {
        let references = references.iter().copied();
        std::iter::once(file).chain(references).collect()
    };
    let mut linker = Linker {
        names: Names::new(files())?,
        linked: Linked::default(),
        defined: HashMap::new(),
        sources: Vec::new(),
    };
    let mut all = files();
    for file in known::files() {
        all.push(file);
    }
    for (at, file) in all.into_iter().enumerate() {
        let package = file.package.as_deref().unwrap_or_default();
        let scope = linker.names.inside(Names::ROOT, package);
        let is_proto2 = file.syntax != Some(Syntax::Proto3);
        let roots = linker.messages(scope, &file.messages, is_proto2)?;
        linker.enums(scope, &file.enums)?;
        if at == 0 {
            linker.linked.roots = roots;
        }
    }
    for at in 0..linker.sources.len() {
        if let Some((message, scope, is_proto2)) = linker.sources[at] {
            linker.fields(at, message, scope, is_proto2)?;
        }
    }
    linker
        .linked
        .messages
        .iter_mut()
        .try_for_each(settle_numbers)?;
    Ok(linker.linked)
}

impl<'f> Linker<'f> {
    fn add(&mut self, name: &str, full_name: &str) -> MessageId {
        let id = MessageId(u32::try_from(self.linked.messages.len()).unwrap_or(u32::MAX));
        self.linked.messages.push(Message {
            name: name.into(),
            full_name: full_name.trim_start_matches('.').into(),
            special: special(full_name.trim_start_matches('.')),
            ..Message::default()
        });
        id
    }

    fn messages(
        &mut self,
        outer: Scope,
        messages: &'f [model::Message],
        is_proto2: bool,
    ) -> Result<Vec<MessageId>, Error> {
        let mut ids = Vec::with_capacity(messages.len());
        for message in messages {
            let scope = self.names.inside(outer, &message.name);
            let full = self.names.full_name(scope);
            let id = self.add(&message.name, &full);
            self.sources.push(Some((message, scope, is_proto2)));
            self.defined.entry(full).or_insert(Defined::Message(id));
            let inner = self.messages(scope, &message.messages, is_proto2)?;
            self.enums(scope, &message.enums)?;
            self.linked.messages[id.0 as usize].inner = inner;
            ids.push(id);
        }
        Ok(ids)
    }

    fn enums(&mut self, outer: Scope, enums: &[model::Enum]) -> Result<(), Error> {
        for ty in enums {
            let full = self.names.full_name(self.names.inside(outer, &ty.name));
            if ty.values.is_empty() {
                return Err(invalid(format!("enum {full} has no values")));
            }
            let id = EnumId(u32::try_from(self.linked.enums.len()).unwrap_or(u32::MAX));
            let values = ty.values.iter();
            self.linked.enums.push(EnumType {
                name: ty.name.clone(),
                full_name: full.trim_start_matches('.').into(),
                values: values
                    .map(|value| (value.name.clone(), value.number))
                    .collect(),
            });
            self.defined.entry(full).or_insert(Defined::Enum(id));
        }
        Ok(())
    }

    fn fields(
        &mut self,
        at: usize,
        message: &'f model::Message,
        scope: Scope,
        is_proto2: bool,
    ) -> Result<(), Error> {
        let mut fields = Vec::new();
        for field in &message.fields {
            fields.push(self.field(scope, field, false, is_proto2)?);
        }
        let full = self.linked.messages[at].full_name.clone();
        let mut oneofs = Vec::new();
        for oneof in &message.oneofs {
            let first = fields.len();
            for field in &oneof.fields {
                fields.push(self.field(scope, field, true, is_proto2)?);
            }
            oneofs.push(Oneof {
                name: oneof.name.clone(),
                full_name: format!("{full}.{}", oneof.name).into(),
                members: (first..fields.len()).collect(),
            });
        }
        let mut names = HashSet::new();
        if let Some(twice) = fields.iter().find(|field| !names.insert(&field.name)) {
            return Err(invalid(format!(
                "\"{full}.{}\" is already defined.",
                twice.name
            )));
        }
        let linked = &mut self.linked.messages[at];
        linked.fields = fields;
        linked.oneofs = oneofs;
        Ok(())
    }

    fn field(
        &mut self,
        scope: Scope,
        field: &model::Field,
        is_member: bool,
        is_proto2: bool,
    ) -> Result<Field, Error> {
        let number = u32::try_from(field.number).unwrap_or(0);
        if number == 0 {
            let name = &field.name;
            return Err(invalid(format!(
                "{name}: Field numbers must be positive integers."
            )));
        }
        let is_map = matches!(field.ty, Written::Map { .. });
        let ty = match &field.ty {
            Written::Name(name) => self.type_of(scope, name)?,
            Written::Map { key, value } => {
                FieldType::Message(self.entry(scope, &field.name, [key, value], is_proto2)?)
            }
        };
        let cardinality = match field.label {
            Some(Label::Repeated) => Cardinality::Repeated,
            _ if is_map => Cardinality::Repeated,
            Some(Label::Required) => Cardinality::Required,
            Some(Label::Optional) => Cardinality::Optional,
            None if is_member || is_proto2 || matches!(ty, FieldType::Message(_)) => {
                Cardinality::Explicit
            }
            None => Cardinality::Implicit,
        };
        Ok(Field {
            name: field.name.clone(),
            number,
            ty,
            cardinality,
            is_member,
            default: field.default.clone(),
            is_proto2,
            meta: meta(field),
        })
    }

    fn type_of(&self, scope: Scope, name: &str) -> Result<FieldType, Error> {
        if let Some(scalar) = Scalar::of(name) {
            return Ok(FieldType::Scalar(scalar));
        }
        let full = self.names.full_name(self.names.find(scope, name)?.0);
        match self.defined.get(&full) {
            Some(Defined::Message(id)) => Ok(FieldType::Message(*id)),
            Some(Defined::Enum(id)) => Ok(FieldType::Enum(*id)),
            None => Err(invalid(format!("\"{name}\" is not defined."))),
        }
    }

    /// The message that stands for the entries of a `map<…>`.
    fn entry(
        &mut self,
        scope: Scope,
        field: &str,
        [key, value]: [&str; 2],
        is_proto2: bool,
    ) -> Result<MessageId, Error> {
        let name = entry(field);
        let part = |name: &str, number, ty| Field {
            name: name.into(),
            number,
            ty,
            cardinality: match (ty, is_proto2) {
                (FieldType::Message(_), _) | (_, true) => Cardinality::Explicit,
                _ => Cardinality::Implicit,
            },
            is_member: false,
            default: None,
            is_proto2,
            meta: Meta::default(),
        };
        let fields = vec![
            part("key", 1, self.type_of(scope, key)?),
            part("value", 2, self.type_of(scope, value)?),
        ];
        let full = format!("{}.{name}", self.names.full_name(scope));
        let id = self.add(&name, &full);
        self.linked.messages[id.0 as usize].fields = fields;
        Ok(id)
    }
}

fn settle_numbers(message: &mut Message) -> Result<(), Error> {
    let numbered = message.fields.iter().zip(0..);
    let mut numbers: Vec<(u32, u32)> = numbered.map(|(field, at)| (field.number, at)).collect();
    numbers.sort_unstable();
    if let Some(twice) = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (number, full) = (twice[0].0, &message.full_name);
        return Err(invalid(format!(
            "Field number {number} has already been used in \"{full}\"."
        )));
    }
    message.numbers = numbers;
    Ok(())
}

fn special(full_name: &str) -> Option<Special> {
    Some(match Known::of(full_name) {
        Some(Known::Decimal) => Special::Decimal,
        Some(Known::Date) => Special::Date,
        Some(Known::Time) => Special::Time,
        Some(Known::Timestamp) => Special::Timestamp,
        Some(Known::Wrapper(scalar)) => Special::Wrapper(scalar),
        None if full_name == "confluent.type.Variant" => Special::Variant,
        None => return None,
    })
}

fn meta(field: &model::Field) -> Meta {
    let mut meta = Meta::default();
    let options = field.options.iter();
    for option in options.filter(|option| &*option.name == "confluent.field_meta") {
        let OptionValue::Message(members) = &option.value else {
            continue;
        };
        for (_, params) in members.iter().filter(|(name, _)| &**name == "params") {
            match params {
                OptionValue::List(entries) => entries.iter().for_each(|e| param(e, &mut meta)),
                OptionValue::Message(_) => param(params, &mut meta),
                OptionValue::Text(_) | OptionValue::Word(_) => {}
            }
        }
    }
    meta
}

fn param(entry: &OptionValue, meta: &mut Meta) {
    let OptionValue::Message(members) = entry else {
        return;
    };
    let text = |wanted: &str| {
        members
            .iter()
            .find_map(|(name, value)| match (name, value) {
                (name, OptionValue::Text(text)) if &**name == wanted => Some(text.clone()),
                _ => None,
            })
    };
    let Some(key) = text("key") else {
        return;
    };
    let place = match &*key {
        "connect.type" => &mut meta.connect_type,
        "scale" => &mut meta.scale,
        "precision" => &mut meta.precision,
        _ => return,
    };
    *place = text("value");
}

fn invalid(reason: String) -> Error {
    let reason = reason.into();
    Kind::InvalidDefinition { reason }.into()
}

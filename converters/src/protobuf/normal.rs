//! The normal form: texts that say the same in another order, or with shorter names, become one.
//!
//! As a registry has it with `normalize=true`: fields and values of enums by number, options, imports, oneofs, methods, services
//! and extensions by name, one `reserved` per number, range or name, type names from the root on; `syntax = "proto2"` goes, since
//! that is what no syntax means. Messages and enums keep their order: that of messages is part of the wire format.

use std::collections::BTreeMap;

use super::known::{is_map_key, scalar};
use super::model::{
    Enum, Extend, Extensions, Field, FieldType, Group, Message, Oneof, OptionValue, ProtoFile,
    ProtoOption, Reserved, Service, Syntax,
};
use super::names::{Names, Scope};
use crate::error::{Error, protobuf_schema::Kind};
use crate::limits::PROTO_TEXT_BYTES_MAX;

/// The normal form of a file.
///
/// # Errors
/// A type is defined nowhere, a map has keys that it cannot have, or the names are too long when written out.
pub(super) fn normal(file: &ProtoFile, names: &Names) -> Result<ProtoFile, Error> {
    let mut file = file.clone();
    if file.syntax == Some(Syntax::Proto2) {
        file.syntax = None;
    }
    file.imports
        .sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    options(&mut file.options)?;
    let mut form = Form {
        names,
        name_bytes: 0,
    };
    let package = names.inside(Names::ROOT, file.package.as_deref().unwrap_or(""));
    for message in &mut file.messages {
        form.message(package, message)?;
    }
    file.enums.iter_mut().try_for_each(enumeration)?;
    form.extends(package, &mut file.extends)?;
    for service in &mut file.services {
        form.service(package, service)?;
    }
    file.services.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(file)
}

struct Form<'a> {
    names: &'a Names,
    /// Bytes of the names that were written out so far.
    name_bytes: usize,
}

impl Form<'_> {
    fn message(&mut self, outer: Scope, message: &mut Message) -> Result<(), Error> {
        let scope = self.names.inside(outer, &message.name);
        reserved(&mut message.reserved);
        options(&mut message.options)?;
        self.fields(scope, &mut message.fields)?;
        for oneof in &mut message.oneofs {
            self.oneof(scope, oneof)?;
        }
        message.oneofs.sort_by(|a, b| a.name.cmp(&b.name));
        self.groups(scope, &mut message.groups)?;
        extensions(&mut message.extensions)?;
        self.extends(scope, &mut message.extends)?;
        for inner in &mut message.messages {
            self.message(scope, inner)?;
        }
        message.enums.iter_mut().try_for_each(enumeration)?;
        Ok(())
    }

    fn fields(&mut self, scope: Scope, fields: &mut [Field]) -> Result<(), Error> {
        for field in fields.iter_mut() {
            match &mut field.ty {
                FieldType::Name(name) => self.type_name(scope, name)?,
                FieldType::Map { key, value } => {
                    if !is_map_key(key) {
                        let found = key.clone();
                        return Err(Kind::MapKey { found }.into());
                    }
                    self.type_name(scope, value)?;
                }
            }
            let mut all = field.all_options();
            options(&mut all)?;
            // They are options like the others when they are sorted.
            (field.default, field.json_name) = (None, None);
            field.options = all;
        }
        fields.sort_by_key(|field| field.number);
        Ok(())
    }

    fn type_name(&mut self, scope: Scope, name: &mut Box<str>) -> Result<(), Error> {
        if scalar(name).is_none() {
            let (found, _) = self.names.find(scope, name)?;
            *name = self.names.full_name(found);
            self.name_bytes += name.len();
        }
        if self.name_bytes > PROTO_TEXT_BYTES_MAX {
            let what = "its full names have more than PROTO_TEXT_BYTES_MAX bytes";
            return Err(Kind::TooMuch { what }.into());
        }
        Ok(())
    }

    fn oneof(&mut self, scope: Scope, oneof: &mut Oneof) -> Result<(), Error> {
        options(&mut oneof.options)?;
        self.fields(scope, &mut oneof.fields)?;
        self.groups(scope, &mut oneof.groups)
    }

    fn groups(&mut self, scope: Scope, groups: &mut [Group]) -> Result<(), Error> {
        for group in groups.iter_mut() {
            self.fields(scope, &mut group.fields)?;
        }
        groups.sort_by_key(|group| group.number);
        Ok(())
    }

    fn extends(&mut self, scope: Scope, extends: &mut [Extend]) -> Result<(), Error> {
        for extend in extends.iter_mut() {
            self.type_name(scope, &mut extend.extendee)?;
            self.fields(scope, &mut extend.fields)?;
        }
        extends.sort_by(|a, b| a.extendee.cmp(&b.extendee));
        Ok(())
    }

    fn service(&mut self, scope: Scope, service: &mut Service) -> Result<(), Error> {
        options(&mut service.options)?;
        for method in &mut service.methods {
            self.type_name(scope, &mut method.input.name)?;
            self.type_name(scope, &mut method.output.name)?;
            options(&mut method.options)?;
        }
        service.methods.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }
}

fn enumeration(ty: &mut Enum) -> Result<(), Error> {
    reserved(&mut ty.reserved);
    options(&mut ty.options)?;
    for value in &mut ty.values {
        options(&mut value.options)?;
    }
    ty.values.sort_by_key(|value| value.number);
    Ok(())
}

/// One statement each: numbers first, then names.
fn reserved(statements: &mut Vec<Vec<Reserved>>) {
    let mut all: Vec<Reserved> = statements.drain(..).flatten().collect();
    all.sort();
    statements.extend(all.into_iter().map(|one| vec![one]));
}

fn extensions(statements: &mut Vec<Extensions>) -> Result<(), Error> {
    let mut all = Vec::new();
    for statement in statements.drain(..) {
        let mut common = statement.options;
        options(&mut common)?;
        // Options are for all numbers of a statement, so it stays whole.
        if common.is_empty() {
            let one = |number| (vec![number], Vec::new());
            all.extend(statement.numbers.into_iter().map(one));
        } else {
            all.push((statement.numbers, common));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let statement = |(numbers, options)| Extensions { numbers, options };
    statements.extend(all.into_iter().map(statement));
    Ok(())
}

/// By name; what is set part by part becomes one value.
fn options(all: &mut Vec<ProtoOption>) -> Result<(), Error> {
    let mut plain: Vec<ProtoOption> = Vec::new();
    let mut parts: BTreeMap<(bool, Box<str>), usize> = BTreeMap::new();
    for mut option in all.drain(..) {
        let Some(part) = option.part.take() else {
            plain.push(option);
            continue;
        };
        let place = (option.is_custom, option.name.clone());
        match parts.get(&place).map(|&at| &mut plain[at].value) {
            Some(OptionValue::Message(members)) => {
                OptionValue::add_member(members, part, option.value)?;
            }
            Some(OptionValue::Text(_) | OptionValue::Word(_) | OptionValue::List(_)) | None => {
                parts.insert(place, plain.len());
                option.value = OptionValue::Message(vec![(part, option.value)]);
                plain.push(option);
            }
        }
    }
    for option in &mut plain {
        let whole = std::mem::replace(&mut option.value, OptionValue::List(Vec::new()));
        option.value = value(whole);
    }
    plain.sort_by(|a, b| a.name.cmp(&b.name));
    *all = plain;
    Ok(())
}

/// Members by name; a list of one element is that element, as Protobuf's text form has it.
fn value(one: OptionValue) -> OptionValue {
    match one {
        OptionValue::List(mut elements) if elements.len() == 1 => value(elements.swap_remove(0)),
        OptionValue::List(elements) => OptionValue::List(elements.into_iter().map(value).collect()),
        OptionValue::Message(members) => {
            let member = |(name, inner)| (name, value(inner));
            let mut members: Vec<_> = members.into_iter().map(member).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            OptionValue::Message(members)
        }
        OptionValue::Text(_) | OptionValue::Word(_) => one,
    }
}

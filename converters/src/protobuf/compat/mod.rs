//! Whether a reader's file understands what a writer's file wrote, and if not, why.
//!
//! Fields are known by their numbers, messages and oneofs by their names. What changes nothing on the wire is no difference: names
//! of fields and enums, labels, options, services, and scalars of one group ([`Scalar`]). A message must stay under its name, used
//! or not. The rules, their order and the places they name are those of a Confluent registry, as far as it was recorded; where it
//! was not, what loses data is a difference:
//!
//! - a field that moves between a oneof and its message keeps its type;
//! - fields of several oneofs do not come together in a new one;
//! - types of references are compared where a field holds them; a registry was never seen to;
//! - a name of the file's own package is compared without it, since the package is compared by itself.
//!
//! Source: recorded answers of a registry; Protocol Buffers language guide, "Updating a message type".

mod difference;
mod field;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::model::{Group, Message, ProtoFile};
use super::names::{Names, Scope};
use crate::error::Error;
use crate::limits::PROTO_DIFFERENCES_MAX;
pub(super) use difference::{DifferenceKind, ProtoDifference};
use field::{FieldKind, Member};

/// A file with what it refers to, as one side of a comparison.
pub(super) struct Side<'a> {
    file: &'a ProtoFile,
    names: Names,
    /// The full name of its package: `.a.b`, or nothing.
    package: Box<str>,
    /// The messages of the references by full name.
    referenced: HashMap<Box<str>, &'a Message>,
}

impl<'a> Side<'a> {
    /// # Errors
    /// A full name is too long.
    pub(super) fn new(file: &'a ProtoFile, references: &'a [ProtoFile]) -> Result<Self, Error> {
        let names = Names::new(std::iter::once(file).chain(references))?;
        let package = file.package.as_deref().unwrap_or_default();
        let package = names.full_name(names.inside(Names::ROOT, package));
        let mut referenced = HashMap::new();
        for reference in references {
            let package = reference.package.as_deref().unwrap_or_default();
            let scope = names.inside(Names::ROOT, package);
            note_messages(&names, scope, &reference.messages, &mut referenced);
        }
        Ok(Self {
            file,
            names,
            package,
            referenced,
        })
    }

    /// The scope of the file itself.
    fn scope(&self) -> Scope {
        self.names.inside(Names::ROOT, &self.package)
    }

    /// The name under which a type is compared: without the package, if that is the file's own, otherwise with a dot in front.
    fn name_of(&self, scope: Scope) -> Box<str> {
        let full = self.names.full_name(scope);
        let local = full.strip_prefix(&*self.package);
        match local.and_then(|local| local.strip_prefix('.')) {
            Some(local) => local.into(),
            None => full,
        }
    }
}

fn note_messages<'a>(
    names: &Names,
    outer: Scope,
    messages: &'a [Message],
    noted: &mut HashMap<Box<str>, &'a Message>,
) {
    for message in messages {
        let scope = names.inside(outer, &message.name);
        noted.entry(names.full_name(scope)).or_insert(message);
        note_messages(names, scope, &message.messages, noted);
    }
}

/// Why data that `writer` wrote cannot be read with `reader`; nothing if it can. At most [`PROTO_DIFFERENCES_MAX`] reasons are given.
pub(super) fn differences(reader: &Side<'_>, writer: &Side<'_>) -> Vec<ProtoDifference> {
    let mut comparison = Comparison {
        reader,
        writer,
        found: Vec::new(),
        place: Vec::new(),
        seen: HashSet::new(),
        open: Vec::new(),
    };
    comparison.files();
    comparison.found
}

struct Comparison<'a> {
    reader: &'a Side<'a>,
    writer: &'a Side<'a>,
    found: Vec<ProtoDifference>,
    /// The steps behind `#/`.
    place: Vec<Box<str>>,
    /// Messages of references that were met, by the names under which they are compared.
    seen: HashSet<Box<str>>,
    /// Those of them that are still to be compared.
    open: Vec<Pair<'a>>,
}

/// Messages of references under one name.
struct Pair<'a> {
    name: Box<str>,
    reader: (&'a Message, Scope),
    writer: (&'a Message, Scope),
}

/// The messages next to each other in a file or message, with the scope around them.
#[derive(Clone, Copy)]
struct Siblings<'a> {
    messages: &'a [Message],
    scope: Scope,
}

impl<'a> Comparison<'a> {
    fn files(&mut self) {
        let (reader, writer) = (self.reader, self.writer);
        if reader.file.package.as_deref().unwrap_or_default()
            != writer.file.package.as_deref().unwrap_or_default()
        {
            self.add(DifferenceKind::PackageChanged);
        }
        let siblings = |side: &'a Side<'a>| Siblings {
            messages: &side.file.messages,
            scope: side.scope(),
        };
        self.messages(siblings(reader), siblings(writer));
        while let Some(pair) = self.open.pop() {
            let steps = pair.name.trim_start_matches('.').split('.');
            self.place = steps.map(Into::into).collect();
            self.members(pair.reader, pair.writer);
            self.place.clear();
        }
    }

    /// Messages in the order of the writer. The reader may have more.
    fn messages(&mut self, reader: Siblings<'a>, writer: Siblings<'a>) {
        let mut known: HashMap<&str, &Message> = HashMap::new();
        for message in reader.messages {
            known.entry(&message.name).or_insert(message);
        }
        let mut done = HashSet::new();
        for from in writer.messages {
            if !done.insert(&*from.name) {
                continue;
            }
            self.place.push(from.name.clone());
            match known.get(&*from.name) {
                None => self.add(DifferenceKind::MessageRemoved),
                Some(to) => {
                    let reader = self.reader.names.inside(reader.scope, &to.name);
                    let writer = self.writer.names.inside(writer.scope, &from.name);
                    self.members((to, reader), (from, writer));
                    let inside = |messages, scope| Siblings { messages, scope };
                    self.messages(inside(&to.messages, reader), inside(&from.messages, writer));
                }
            }
            self.place.pop();
        }
    }

    /// Everything in two messages but the messages inside of them.
    fn members(&mut self, reader: (&'a Message, Scope), writer: (&'a Message, Scope)) {
        let to = Members::of(self.reader, reader.0, reader.1);
        let from = Members::of(self.writer, writer.0, writer.1);
        self.plain_fields(&to, &from);
        self.written_oneofs(&to, &from);
        self.read_oneofs(&to, &from);
    }

    /// Fields outside of oneofs, by number.
    fn plain_fields(&mut self, to: &Members<'a>, from: &Members<'a>) {
        let mut numbers: Vec<i32> = to.plain.keys().chain(from.plain.keys()).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            self.place.push(number.to_string().into());
            match (to.plain.get(&number), from.plain.get(&number)) {
                (Some(to), Some(from)) => self.member(to, from),
                (Some(to), None) => match from.in_oneof(number) {
                    Some(from) => self.member(to, from),
                    None if to.required => self.add(DifferenceKind::RequiredFieldAdded),
                    None => {}
                },
                (None, Some(from)) if from.required && !to.has(number) => {
                    self.add(DifferenceKind::RequiredFieldRemoved);
                }
                (None, Some(_) | None) => {}
            }
            self.place.pop();
        }
    }

    /// A oneof may go with all its fields, and its fields may leave it. It must not lose some of them.
    fn written_oneofs(&mut self, to: &Members<'a>, from: &Members<'a>) {
        for (name, fields) in &from.oneofs {
            let is_left = to.oneof(name).is_some() || fields.keys().any(|number| to.has(*number));
            if !is_left {
                continue;
            }
            self.place.push((*name).into());
            for number in fields.keys().filter(|number| !to.has(**number)) {
                self.place.push(number.to_string().into());
                self.add(DifferenceKind::OneofFieldRemoved);
                self.place.pop();
            }
            self.place.pop();
        }
    }

    /// A new oneof takes one field that was there before, or a whole oneof; a known one takes none.
    fn read_oneofs(&mut self, to: &Members<'a>, from: &Members<'a>) {
        for (name, fields) in &to.oneofs {
            self.place.push((*name).into());
            let known = from.oneof(name);
            let outside = |number: &&i32| {
                from.has(**number) && known.is_none_or(|known| !known.contains_key(number))
            };
            let moved: Vec<&i32> = fields.keys().filter(outside).collect();
            if known.is_some() {
                if !moved.is_empty() {
                    self.add(DifferenceKind::FieldMovedToExistingOneof);
                }
            } else if from.places(&moved) > 1 {
                self.add(DifferenceKind::MultipleFieldsMovedToOneof);
            }
            for (number, to) in fields {
                let from = known
                    .and_then(|known| known.get(number))
                    .or_else(|| from.plain.get(number))
                    .or_else(|| from.in_oneof(*number));
                if let Some(from) = from {
                    self.place.push(number.to_string().into());
                    self.member(to, from);
                    self.place.pop();
                }
            }
            self.place.pop();
        }
    }

    fn member(&mut self, to: &Member<'a>, from: &Member<'a>) {
        match (&to.kind, &from.kind) {
            (FieldKind::Map(to_key, to_value), FieldKind::Map(from_key, from_value)) => {
                self.kinds(&FieldKind::Scalar(*to_key), &FieldKind::Scalar(*from_key));
                self.kinds(to_value, from_value);
            }
            (to, from) => self.kinds(to, from),
        }
    }

    fn kinds(&mut self, to: &FieldKind<'a>, from: &FieldKind<'a>) {
        match (to, from) {
            (FieldKind::Scalar(to), FieldKind::Scalar(from)) => {
                if to != from {
                    self.add(DifferenceKind::FieldScalarKindChanged);
                }
            }
            (FieldKind::Message(to), FieldKind::Message(from)) => {
                if to.0 == from.0 {
                    self.referenced(&to.0, (to.1, from.1));
                } else {
                    self.add(DifferenceKind::FieldNamedTypeChanged);
                }
            }
            (FieldKind::Group(to, reader), FieldKind::Group(from, writer)) => {
                self.group((to, *reader), (from, *writer));
            }
            (
                FieldKind::Scalar(_)
                | FieldKind::Message(_)
                | FieldKind::Map(..)
                | FieldKind::Group(..),
                _,
            ) => self.add(DifferenceKind::FieldKindChanged),
        }
    }

    /// The fields of a group stand where its message would.
    fn group(&mut self, reader: (&'a Group, Scope), writer: (&'a Group, Scope)) {
        let number = self.place.pop();
        self.place.push(reader.0.name.clone());
        let to = Members::of_group(self.reader, reader.0, reader.1);
        let from = Members::of_group(self.writer, writer.0, writer.1);
        self.plain_fields(&to, &from);
        self.place.pop();
        self.place.extend(number);
    }

    /// Messages of references are compared once, after the file itself.
    fn referenced(&mut self, name: &str, scopes: (Option<Scope>, Option<Scope>)) {
        let message = |side: &'a Side<'a>, scope: Scope| {
            let message = side.referenced.get(&side.names.full_name(scope))?;
            Some((*message, scope))
        };
        let reader = scopes.0.and_then(|scope| message(self.reader, scope));
        let writer = scopes.1.and_then(|scope| message(self.writer, scope));
        if let (Some(reader), Some(writer)) = (reader, writer)
            && self.seen.insert(name.into())
        {
            let name = name.into();
            self.open.push(Pair {
                name,
                reader,
                writer,
            });
        }
    }

    fn add(&mut self, kind: DifferenceKind) {
        if self.found.len() < PROTO_DIFFERENCES_MAX {
            self.found.push(ProtoDifference {
                kind,
                path: format!("#/{}", self.place.join("/")),
            });
        }
    }
}

/// The fields of a message. Of fields of one number, the first one counts; oneofs of one name are one.
#[derive(Default)]
struct Members<'a> {
    /// Those outside of oneofs.
    plain: BTreeMap<i32, Member<'a>>,
    /// Oneofs in their order, with their fields.
    oneofs: Vec<(&'a str, BTreeMap<i32, Member<'a>>)>,
    /// Places in `oneofs` by name.
    by_name: HashMap<&'a str, usize>,
    /// Places in `oneofs` by the numbers of their fields.
    by_number: HashMap<i32, usize>,
}

impl<'a> Members<'a> {
    fn of(side: &Side<'a>, message: &'a Message, scope: Scope) -> Self {
        let mut members = Self::default();
        for field in &message.fields {
            let member = Member::of(side, scope, field);
            members.plain.entry(field.number).or_insert(member);
        }
        for group in &message.groups {
            let member = Member::of_group(group, scope);
            members.plain.entry(group.number).or_insert(member);
        }
        for oneof in &message.oneofs {
            let next = members.oneofs.len();
            let place = *members.by_name.entry(&oneof.name).or_insert(next);
            if place == next {
                members.oneofs.push((&oneof.name, BTreeMap::new()));
            }
            let fields = oneof.fields.iter();
            let fields = fields.map(|field| (field.number, Member::of(side, scope, field)));
            let groups = oneof.groups.iter();
            let groups = groups.map(|group| (group.number, Member::of_group(group, scope)));
            for (number, member) in fields.chain(groups) {
                members.by_number.entry(number).or_insert(place);
                let known = members.oneofs.get_mut(place).map(|(_, fields)| fields);
                known.map(|known| known.entry(number).or_insert(member));
            }
        }
        members
    }

    fn of_group(side: &Side<'a>, group: &'a Group, scope: Scope) -> Self {
        let mut members = Self::default();
        for field in &group.fields {
            let member = Member::of(side, scope, field);
            members.plain.entry(field.number).or_insert(member);
        }
        members
    }

    fn oneof(&self, name: &str) -> Option<&BTreeMap<i32, Member<'a>>> {
        let place = self.by_name.get(name)?;
        self.oneofs.get(*place).map(|(_, fields)| fields)
    }

    fn in_oneof(&self, number: i32) -> Option<&Member<'a>> {
        let place = self.by_number.get(&number)?;
        self.oneofs.get(*place)?.1.get(&number)
    }

    fn has(&self, number: i32) -> bool {
        self.plain.contains_key(&number) || self.by_number.contains_key(&number)
    }

    /// From how many places fields come: each one outside of oneofs is one, each oneof is one.
    fn places(&self, numbers: &[&i32]) -> usize {
        let (plain, inside): (Vec<&i32>, Vec<&i32>) = numbers
            .iter()
            .partition(|number| self.plain.contains_key(number));
        let oneofs: HashSet<_> = inside
            .into_iter()
            .filter_map(|number| self.by_number.get(number))
            .collect();
        plain.len() + oneofs.len()
    }
}

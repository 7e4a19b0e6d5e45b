//! What is done once a text has been read: open names get their types, unions and defaults are checked, and the types
//! that the root needs move into a schema of their own.

use std::collections::{HashMap, HashSet};

use super::{
    AvroSchema, AvroSchemaBuilder, Error, Field, Json, Kind, Name, Parser, Strictness, Type, TypeId,
};
use crate::avro::equal::equal;
use crate::avro::print;
use crate::limits::{AVRO_DEFAULT_STEPS_MAX, AVRO_SCHEMA_DEPTH_MAX};

impl Parser {
    /// Closes a text whose types begin at `start`, and gives its root.
    pub(super) fn settle(&mut self, start: usize, root: TypeId) -> Result<TypeId, Error> {
        let open = std::mem::take(&mut self.open);
        let mut targets = HashMap::with_capacity(open.len());
        let mut missing: Vec<&str> = Vec::new();
        for (place, name) in &open {
            match self.names.get(name) {
                Some(target) => {
                    targets.insert(*place, *target);
                }
                None => missing.push(name),
            }
        }
        if let Some(name) = missing.into_iter().min() {
            return Err(Kind::Undefined { name: name.into() }.into());
        }
        if !targets.is_empty() {
            for id in self.types.ids_from(start) {
                for child in self.types.get_mut(id).kind.children_mut() {
                    *child = targets.get(child).copied().unwrap_or(*child);
                }
            }
        }
        for id in self.types.ids_from(start) {
            self.check_union(id)?;
        }
        let finished = std::mem::take(&mut self.finished);
        if self.strictness != Strictness::Registered {
            let mut check = Check::new(&self.types, &self.open);
            for id in finished {
                check.record(id, 0)?;
            }
        }
        Ok(targets.get(&root).copied().unwrap_or(root))
    }

    fn check_union(&self, id: TypeId) -> Result<(), Error> {
        let Type::Union(branches) = &self.types.get(id).kind else {
            return Ok(());
        };
        let mut known = HashSet::with_capacity(branches.len());
        for branch in branches {
            let kind = &self.types.get(*branch).kind;
            let name = kind
                .name()
                .map_or_else(|| kind.word().to_owned(), ToString::to_string);
            if known.contains(&name) {
                let name = name.into();
                return Err(Kind::UnionTwice { name }.into());
            }
            known.insert(name);
        }
        Ok(())
    }

    /// While names are open, a default is also checked at once: what is open counts as a record without fields.
    pub(super) fn check_open_default(&self, field: &Field) -> Result<(), Error> {
        if self.strictness == Strictness::Registered || self.open.is_empty() {
            return Ok(());
        }
        Check::new(&self.types, &self.open).field(field)
    }

    /// Java's `Schema.equals`: names, structure, defaults and properties, but no docs and no aliases. What is open equals
    /// itself only.
    pub(super) fn equal(&self, a: TypeId, b: TypeId) -> bool {
        equal(self.types.types(), |id| self.open.contains_key(&id), a, b)
    }
}

/// Defaults against types.
struct Check<'a> {
    types: &'a AvroSchemaBuilder,
    open: &'a HashMap<TypeId, Box<str>>,
    /// Records whose fields have been looked at (true), or are just now (false).
    records: HashMap<TypeId, bool>,
    steps: usize,
}

/// Why a default cannot be judged.
enum Trouble {
    /// It holds a value of a record that is not finished.
    Unfinished,
    TooManySteps,
    TooDeep,
}

impl<'a> Check<'a> {
    fn new(types: &'a AvroSchemaBuilder, open: &'a HashMap<TypeId, Box<str>>) -> Self {
        Self {
            types,
            open,
            records: HashMap::new(),
            steps: 0,
        }
    }

    /// Checks a type's records inside out, as Java finishes them: the fields of the ones around are not known yet.
    fn record(&mut self, id: TypeId, depth: usize) -> Result<(), Error> {
        if depth > AVRO_SCHEMA_DEPTH_MAX {
            return Err(too_deep());
        }
        let kind = &self.types.get(id).kind;
        let Type::Record(record) = kind else {
            return kind
                .children()
                .try_for_each(|child| self.record(child, depth + 1));
        };
        if self.records.contains_key(&id) {
            return Ok(());
        }
        self.records.insert(id, false);
        for field in &record.fields {
            self.record(field.schema, depth + 1)?;
        }
        for (index, field) in record.fields.iter().enumerate() {
            self.field(field)
                .map_err(|error| error.in_element(index).in_field("fields"))?;
        }
        self.records.insert(id, true);
        Ok(())
    }

    fn field(&mut self, field: &Field) -> Result<(), Error> {
        let Some(default) = &field.default else {
            return Ok(());
        };
        let name = || field.name.clone();
        match self.fits(field.schema, Some(default), 0) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let schema = self.types.get(field.schema).kind.word().into();
                Err(Kind::Default {
                    field: name(),
                    schema,
                }
                .into())
            }
            Err(Trouble::Unfinished) => Err(Kind::DefaultOfUnfinished { field: name() }.into()),
            Err(Trouble::TooManySteps) => Err(Kind::TooMuch {
                what: "its defaults take more than 10,000,000 steps to check",
            }
            .into()),
            Err(Trouble::TooDeep) => Err(too_deep()),
        }
    }

    /// Whether a value is one of a type.
    fn fits(&mut self, id: TypeId, value: Option<&Json>, depth: usize) -> Result<bool, Trouble> {
        self.steps += 1;
        if self.steps > AVRO_DEFAULT_STEPS_MAX {
            return Err(Trouble::TooManySteps);
        }
        // Values nest at most as deep as the text does, but defaults of fields go on where values end.
        if depth > 2 * AVRO_SCHEMA_DEPTH_MAX {
            return Err(Trouble::TooDeep);
        }
        let Some(value) = value else {
            return Ok(false);
        };
        if self.open.contains_key(&id) {
            return Ok(matches!(value, Json::Object(_)));
        }
        let types = self.types;
        Ok(match (&types.get(id).kind, value) {
            (Type::Null, Json::Null)
            | (Type::Boolean, Json::Boolean(_))
            | (Type::Long, Json::Integer(_))
            | (Type::Bytes | Type::String | Type::Enum(_) | Type::Fixed(_), Json::Text(_))
            | (
                Type::Float | Type::Double,
                Json::Integer(_) | Json::BigInteger(_) | Json::Double(_) | Json::Float(_),
            ) => true,
            (Type::Int, value) => value.as_i32().is_some(),
            (Type::Union(branches), value) => {
                for branch in branches {
                    if self.fits(*branch, Some(value), depth + 1)? {
                        return Ok(true);
                    }
                }
                false
            }
            (Type::Array(items), Json::Array(values)) => {
                self.all_fit(*items, values.iter(), depth)?
            }
            (Type::Map(items), Json::Object(members)) => {
                self.all_fit(*items, members.iter().map(|(_, value)| value), depth)?
            }
            (Type::Record(record), value @ Json::Object(_)) => {
                if self.records.get(&id) == Some(&false) {
                    return Err(Trouble::Unfinished);
                }
                for field in &record.fields {
                    let inner = value.get(&field.name).or(field.default.as_ref());
                    if !self.fits(field.schema, inner, depth + 1)? {
                        return Ok(false);
                    }
                }
                true
            }
            _ => false,
        })
    }

    fn all_fit<'v>(
        &mut self,
        id: TypeId,
        values: impl Iterator<Item = &'v Json>,
        depth: usize,
    ) -> Result<bool, Trouble> {
        for value in values {
            if !self.fits(id, Some(value), depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The types that a root needs, in the order of their first use.
pub(super) fn compact(types: &AvroSchemaBuilder, root: TypeId) -> Result<AvroSchema, Error> {
    let mut mover = Mover {
        from: types,
        to: AvroSchemaBuilder::default(),
        known: HashMap::new(),
        names: HashMap::new(),
    };
    let root = mover.take(root, 0)?;
    Ok(mover.to.build(root))
}

struct Mover<'a> {
    from: &'a AvroSchemaBuilder,
    to: AvroSchemaBuilder,
    known: HashMap<TypeId, TypeId>,
    /// Types by name: equal definitions become one.
    names: HashMap<Name, TypeId>,
}

impl Mover<'_> {
    fn take(&mut self, id: TypeId, depth: usize) -> Result<TypeId, Error> {
        if let Some(known) = self.known.get(&id) {
            return Ok(*known);
        }
        if depth > AVRO_SCHEMA_DEPTH_MAX {
            return Err(too_deep());
        }
        let mut moved = self.from.get(id).clone();
        if let Some(known) = moved.kind.name().and_then(|name| self.names.get(name)) {
            return Ok(*known);
        }
        let place = self.to.reserve();
        self.known.insert(id, place);
        if let Some(name) = moved.kind.name() {
            self.names.insert(name.clone(), place);
        }
        for child in moved.kind.children_mut() {
            *child = self.take(*child, depth + 1)?;
        }
        self.to.set(place, moved);
        Ok(place)
    }
}

fn too_deep() -> Error {
    print::too_deep()
}

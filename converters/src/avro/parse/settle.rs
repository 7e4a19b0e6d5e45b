//! What is done once a text has been read: open names get their types, unions and defaults are checked, and the types
//! that the root needs move into a schema of their own.

use std::collections::{HashMap, HashSet};

use super::defaults::Check;
use super::{
    AvroSchema, AvroSchemaBuilder, Error, Field, Kind, Name, Parser, Strictness, Type, TypeId,
};
use crate::avro::equal::equal;
use crate::avro::print;
use crate::limits::AVRO_SCHEMA_DEPTH_MAX;

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
        if self.strictness != Strictness::Registered {
            let steps = &mut self.default_steps;
            let mut check = Check::of_defined(&self.types, &targets, steps);
            for id in &self.finished {
                check.definition(*id)?;
            }
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
        // Java gives the first of equal definitions here, and everywhere else the one that stands there.
        let root = targets.get(&root).copied().unwrap_or(root);
        let name = self.types.get(root).kind.name().map(ToString::to_string);
        let first = name.and_then(|name| self.names.get(name.as_str()));
        Ok(first.copied().unwrap_or(root))
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
    pub(super) fn check_open_default(&mut self, field: &Field) -> Result<(), Error> {
        if self.strictness == Strictness::Registered || self.open.is_empty() {
            return Ok(());
        }
        Check::of_open(&self.types, &self.open, &mut self.default_steps).field(field)
    }

    /// Java's `Schema.equals`: names, structure, defaults and properties, but no docs and no aliases. What is open equals
    /// itself only.
    pub(super) fn equal(&self, a: TypeId, b: TypeId) -> bool {
        equal(self.types.types(), |id| self.open.contains_key(&id), a, b)
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
            return Err(print::too_deep());
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

//! Defaults against the types of their fields.
//!
//! Java checks a default twice: where the field is read, when a name that is not defined yet counts as a record without
//! fields, and when it copies all types to put the defined ones in the places of such names. A record that is just being
//! copied has no fields then, and a default that holds a value of it is refused.

use std::collections::{HashMap, HashSet};

use super::{AvroSchemaBuilder, Error, Field, Json, Kind, Type, TypeId};
use crate::avro::print::too_deep;
use crate::limits::{AVRO_DEFAULT_STEPS_MAX, AVRO_SCHEMA_DEPTH_MAX};

pub(super) struct Check<'a> {
    types: &'a AvroSchemaBuilder,
    names: Names<'a>,
    /// Records that have been begun.
    begun: HashSet<TypeId>,
    /// Records whose fields are known.
    done: HashSet<TypeId>,
    steps: &'a mut usize,
}

/// What the places of names that were not defined stand for.
enum Names<'a> {
    Open(&'a HashMap<TypeId, Box<str>>),
    Defined(&'a HashMap<TypeId, TypeId>),
}

/// Why a default cannot be judged.
enum Trouble {
    /// It holds a value of a record that is not done.
    Unfinished,
    TooManySteps,
    TooDeep,
}

impl<'a> Check<'a> {
    /// While a text is being read.
    pub(super) fn of_open(
        types: &'a AvroSchemaBuilder,
        open: &'a HashMap<TypeId, Box<str>>,
        steps: &'a mut usize,
    ) -> Self {
        Self::new(types, Names::Open(open), steps)
    }

    /// When it has been read.
    pub(super) fn of_defined(
        types: &'a AvroSchemaBuilder,
        targets: &'a HashMap<TypeId, TypeId>,
        steps: &'a mut usize,
    ) -> Self {
        Self::new(types, Names::Defined(targets), steps)
    }

    fn new(types: &'a AvroSchemaBuilder, names: Names<'a>, steps: &'a mut usize) -> Self {
        Self {
            types,
            names,
            begun: HashSet::new(),
            done: HashSet::new(),
            steps,
        }
    }

    /// Checks a definition and all that it leads to.
    pub(super) fn definition(&mut self, id: TypeId) -> Result<(), Error> {
        self.walk(id, &mut HashSet::new(), 0)
    }

    /// One walk meets a record once; a name that was not defined yet starts another walk, unless its record has been begun.
    fn walk(&mut self, id: TypeId, met: &mut HashSet<TypeId>, depth: usize) -> Result<(), Error> {
        if depth > AVRO_SCHEMA_DEPTH_MAX {
            return Err(too_deep());
        }
        self.step().map_err(|_| too_many_steps())?;
        if let Some(target) = self.target(id) {
            return if self.begun.contains(&target) {
                Ok(())
            } else {
                self.walk(target, &mut HashSet::new(), depth + 1)
            };
        }
        let types = self.types;
        let kind = &types.get(id).kind;
        let Type::Record(record) = kind else {
            return kind
                .children()
                .try_for_each(|child| self.walk(child, met, depth + 1));
        };
        if !met.insert(id) {
            return Ok(());
        }
        self.begun.insert(id);
        for field in &record.fields {
            self.walk(field.schema, met, depth + 1)?;
        }
        if self.done.contains(&id) {
            return Ok(());
        }
        for (index, field) in record.fields.iter().enumerate() {
            self.field(field)
                .map_err(|error| error.in_element(index).in_field("fields"))?;
        }
        self.done.insert(id);
        Ok(())
    }

    fn target(&self, id: TypeId) -> Option<TypeId> {
        match self.names {
            Names::Open(_) => None,
            Names::Defined(targets) => targets.get(&id).copied(),
        }
    }

    fn step(&mut self) -> Result<(), Trouble> {
        *self.steps += 1;
        if *self.steps > AVRO_DEFAULT_STEPS_MAX {
            return Err(Trouble::TooManySteps);
        }
        Ok(())
    }

    /// Checks the default of a field, if it has one.
    pub(super) fn field(&mut self, field: &Field) -> Result<(), Error> {
        let Some(default) = &field.default else {
            return Ok(());
        };
        let name = || field.name.clone();
        match self.fits(field.schema, Some(default), 0) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let schema = self.types.get(field.schema).kind.word().into();
                let field = name();
                Err(Kind::Default { field, schema }.into())
            }
            Err(Trouble::Unfinished) => Err(Kind::DefaultOfUnfinished { field: name() }.into()),
            Err(Trouble::TooManySteps) => Err(too_many_steps()),
            Err(Trouble::TooDeep) => Err(too_deep()),
        }
    }

    /// Whether a value is one of a type.
    fn fits(&mut self, id: TypeId, value: Option<&Json>, depth: usize) -> Result<bool, Trouble> {
        self.step()?;
        // Defaults of fields go on where the value ends, so that the depth of the text is no bound.
        if depth > 2 * AVRO_SCHEMA_DEPTH_MAX {
            return Err(Trouble::TooDeep);
        }
        let Some(value) = value else {
            return Ok(false);
        };
        if let Names::Open(open) = self.names
            && open.contains_key(&id)
        {
            return Ok(matches!(value, Json::Object(_)));
        }
        let id = self.target(id).unwrap_or(id);
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
                let is_copied = matches!(self.names, Names::Defined(_));
                if is_copied && !self.done.contains(&id) {
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

fn too_many_steps() -> Error {
    let what = "its defaults take more than 10,000,000 steps to check";
    Kind::TooMuch { what }.into()
}

//! Objects: required properties, properties, dependencies, other properties, counts.

use std::collections::{HashMap, HashSet};

use super::models::{Model, Unreadable};
use super::scalars::{Bound, Bounds};
use super::{At, Comparison, DifferenceKind, Seen, Step};
use crate::data::hash_order;
use crate::error::Error;
use crate::json_schema::schema::{ObjectRules, SchemaId};

impl<'a> Comparison<'a> {
    pub(super) fn objects(
        &mut self,
        writer: Seen<'a, ObjectRules>,
        reader: Seen<'a, ObjectRules>,
    ) -> Result<(), Error> {
        // To look names up costs something before any is compared.
        let names = |rules: &ObjectRules| rules.properties.len() + rules.required_properties.len();
        self.spend((names(writer.0) + names(reader.0)) / NAMES_PER_STEP)?;
        let (from, to) = (Properties::of(writer), Properties::of(reader));
        self.required(&from, &to);
        self.properties(&from, &to)?;
        self.name_dependencies(from.rules, to.rules)?;
        self.schema_dependencies(&from, &to)?;
        self.additional_properties(&from, &to)?;
        let (from, to) = (from.rules, to.rules);
        let maximum = (from.max_properties, to.max_properties);
        self.bounds(maximum, &MAX_PROPERTIES);
        let minimum = (from.min_properties, to.min_properties);
        self.bounds(minimum, &MIN_PROPERTIES);
        Ok(())
    }

    /// A property that is known becomes required. A name without a property says nothing about types, and counts for nothing.
    fn required(&mut self, from: &Properties<'a>, to: &Properties<'a>) {
        for name in &to.rules.required_properties {
            let name: &str = name;
            let has_default = to
                .schemas
                .get(name)
                .is_some_and(|schema| self.has_default(*schema));
            if from.schemas.contains_key(name) && !from.required.contains(name) && !has_default {
                let place = [Step::Word("required"), Step::Name(name)];
                self.add_at(&place, DifferenceKind::RequiredAttributeAdded);
            }
        }
    }

    fn properties(&mut self, from: &Properties<'a>, to: &Properties<'a>) -> Result<(), Error> {
        for name in all_names(from.rules, to.rules) {
            if self.is_done() {
                break;
            }
            let above = self.place.len();
            self.place
                .extend([Step::Word("properties"), Step::Name(name)]);
            match (from.schemas.get(name), to.schemas.get(name)) {
                (Some(from), Some(to)) => self.pair(*from, *to)?,
                (Some(schema), None) => self.removed(*schema, name, to)?,
                (None, Some(schema)) => self.added(*schema, name, from, to)?,
                (None, None) => {}
            }
            self.place.truncate(above);
        }
        Ok(())
    }

    fn added(
        &mut self,
        schema: At,
        name: &'a str,
        from: &Properties<'a>,
        to: &Properties<'a>,
    ) -> Result<(), Error> {
        let is_required = to.required.contains(name);
        let is_missed = is_required && !self.has_default(schema);
        match self.property_model(from.rules, name, Unreadable::Matching)? {
            Model::Open if is_missed => self.add(DifferenceKind::RequiredPropertyAddedToOpen),
            Model::Open if self.is_anything(schema) => {}
            Model::Open if is_required => self.add(DifferenceKind::RequiredPropertyAddedToOpen),
            Model::Open => self.add(DifferenceKind::OptionalPropertyAddedToOpen),
            Model::Closed if is_missed => self.add(DifferenceKind::RequiredPropertyAddedToUnopen),
            Model::Closed => {}
            Model::Partial(covering) => {
                let mut first = None;
                let mut is_covered = false;
                for one in covering {
                    let one = from.at.inner(one);
                    first.get_or_insert(one);
                    is_covered |= self.fits(one, schema)?;
                }
                if let (Some(one), false) = (first, is_covered) {
                    self.pair(one, schema)?;
                    self.add(DifferenceKind::PropertyAddedNotCovered);
                }
                if is_missed {
                    self.add(DifferenceKind::RequiredPropertyAddedToUnopen);
                }
            }
        }
        Ok(())
    }

    fn removed(&mut self, schema: At, name: &str, to: &Properties<'a>) -> Result<(), Error> {
        match self.property_model(to.rules, name, Unreadable::NotMatching)? {
            Model::Open => {}
            Model::Closed if self.is_nothing(schema) => {}
            Model::Closed => self.add(DifferenceKind::PropertyRemovedFromClosed),
            Model::Partial(covering) => {
                for one in covering {
                    let one = to.at.inner(one);
                    if !self.fits(schema, one)? {
                        self.pair(schema, one)?;
                        self.add(DifferenceKind::PropertyRemovedNotCovered);
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn name_dependencies(
        &mut self,
        from: &'a ObjectRules,
        to: &'a ObjectRules,
    ) -> Result<(), Error> {
        let known: HashMap<&str, &[Box<str>]> = from
            .property_dependencies
            .iter()
            .map(|(name, wanted)| (&**name, &**wanted))
            .collect();
        for (name, wanted) in &to.property_dependencies {
            self.spend(1 + wanted.len() / NAMES_PER_STEP)?;
            let kind = match known.get(&**name) {
                None => Some(DifferenceKind::DependencyArrayAdded),
                Some(known) => {
                    let known: HashSet<&str> = known.iter().map(|name| &**name).collect();
                    let wanted: HashSet<&str> = wanted.iter().map(|name| &**name).collect();
                    if wanted.is_subset(&known) {
                        None
                    } else if known.is_subset(&wanted) {
                        Some(DifferenceKind::DependencyArrayExtended)
                    } else {
                        Some(DifferenceKind::DependencyArrayChanged)
                    }
                }
            };
            if let Some(kind) = kind {
                self.add_at(&[Step::Word("dependencies"), Step::Name(name)], kind);
            }
        }
        Ok(())
    }

    fn schema_dependencies(
        &mut self,
        from: &Properties<'a>,
        to: &Properties<'a>,
    ) -> Result<(), Error> {
        let known: HashMap<&str, SchemaId> = from
            .rules
            .schema_dependencies
            .iter()
            .map(|(name, schema)| (&**name, *schema))
            .collect();
        for (name, schema) in &to.rules.schema_dependencies {
            let place = [Step::Word("dependencies"), Step::Name(name)];
            let schema = to.at.inner(*schema);
            match known.get(&**name) {
                Some(known) => self.pair_at(&place, from.at.inner(*known), schema)?,
                None if self.is_anything(schema) => {}
                None => self.add_at(&place, DifferenceKind::DependencySchemaAdded),
            }
        }
        Ok(())
    }

    fn additional_properties(
        &mut self,
        from: &Properties<'a>,
        to: &Properties<'a>,
    ) -> Result<(), Error> {
        let place = [Step::Word("additionalProperties")];
        let side = |side: &Properties<'a>| {
            let schema = side.rules.additional_properties;
            Additional {
                permits: side.rules.permits_additional,
                schema: schema.map(|schema| side.at.inner(schema)),
            }
        };
        let kinds = (
            DifferenceKind::AdditionalPropertiesRemoved,
            DifferenceKind::AdditionalPropertiesNarrowed,
        );
        self.additional(&place, (side(from), side(to)), kinds)
    }

    /// What may stand beside what is named, of objects and of arrays. The kinds are for what is refused now, and for what has to
    /// fit a schema now.
    pub(super) fn additional(
        &mut self,
        place: &[Step<'a>],
        (from, to): (Additional, Additional),
        (removed, narrowed): (DifferenceKind, DifferenceKind),
    ) -> Result<(), Error> {
        match (from.schema, to.schema) {
            (Some(from), Some(to)) => self.pair_at(place, from, to)?,
            (Some(from), None) if !to.permits && !self.is_nothing(from) => {
                self.add_at(place, removed);
            }
            (None, None) if from.permits && !to.permits => self.add_at(place, removed),
            (None, Some(to)) if from.permits && !self.is_anything(to) => {
                self.add_at(place, narrowed);
            }
            (Some(_) | None, None) | (None, Some(_)) => {}
        }
        Ok(())
    }
}

/// What one side says about what it does not name.
pub(super) struct Additional {
    pub(super) permits: bool,
    pub(super) schema: Option<At>,
}

/// An object, looked up by name.
struct Properties<'a> {
    rules: &'a ObjectRules,
    at: At,
    schemas: HashMap<&'a str, At>,
    required: HashSet<&'a str>,
}

impl<'a> Properties<'a> {
    fn of((rules, at): Seen<'a, ObjectRules>) -> Self {
        let schemas = rules.properties.iter();
        Self {
            rules,
            at,
            schemas: schemas
                .map(|(name, schema)| (&**name, at.inner(*schema)))
                .collect(),
            required: rules
                .required_properties
                .iter()
                .map(|name| &**name)
                .collect(),
        }
    }
}

/// The names of all properties in the order of the set in which Java collects them.
fn all_names<'a>(from: &'a ObjectRules, to: &'a ObjectRules) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    let properties = from.properties.iter().chain(&to.properties);
    let names: Vec<&str> = properties
        .map(|(name, _)| &**name)
        .filter(|name| seen.insert(*name))
        .collect();
    let hashes: Vec<i32> = names
        .iter()
        .map(|name| hash_order::string_hash(name))
        .collect();
    let mut order = Vec::new();
    hash_order::iteration_order(&hashes, &mut order);
    let name = |place: u32| names.get(place as usize).copied();
    order.into_iter().filter_map(name).collect()
}

/// How many names of an object count for one step of the comparison.
const NAMES_PER_STEP: usize = 8;

const MAX_PROPERTIES: Bounds = Bounds {
    keyword: "maxProperties",
    bound: Bound::Upper,
    added: DifferenceKind::MaxPropertiesAdded,
    tightened: DifferenceKind::MaxPropertiesDecreased,
};

const MIN_PROPERTIES: Bounds = Bounds {
    keyword: "minProperties",
    bound: Bound::Lower,
    added: DifferenceKind::MinPropertiesAdded,
    tightened: DifferenceKind::MinPropertiesIncreased,
};

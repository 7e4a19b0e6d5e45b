//! Properties of objects as fields of structs: which, in which order, and which may be absent.

use std::collections::HashSet;

use super::{Conversion, Place, whole};
use crate::data::{Schema, hash_order};
use crate::differs::Difference;
use crate::error::{Error, json_schema_read::Kind};
use crate::json_schema::schema::{JsonSchema, Kind as Json, ObjectRules, SchemaId};

/// Properties in the order in which the JVM goes through them, with what `required` says.
#[derive(Default)]
pub(super) struct Properties<'a> {
    list: Vec<(&'a str, SchemaId)>,
    required: HashSet<&'a str>,
}

impl Properties<'_> {
    pub(super) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// The properties of one object: in the order of Java's `HashMap`.
pub(super) fn of_object(rules: &ObjectRules) -> Properties<'_> {
    let mut properties = Properties::default();
    properties.add(rules, &mut HashSet::new());
    properties
}

/// The properties of all objects among schemas, and among what these refer to or combine. Of two with one name the first counts.
pub(super) fn of_all<'a>(schema: &'a JsonSchema, parts: &[SchemaId]) -> Properties<'a> {
    let mut properties = Properties::default();
    let mut names = HashSet::new();
    let mut seen = HashSet::new();
    let mut open: Vec<SchemaId> = parts.iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match &schema.node(id).kind {
            Json::Object(rules) => properties.add(rules, &mut names),
            Json::Reference { target } => open.push(*target),
            Json::Combined(combined) => open.extend(combined.parts.iter().rev()),
            Json::Null
            | Json::Boolean
            | Json::String(_)
            | Json::Number(_)
            | Json::Array(_)
            | Json::Enum(_)
            | Json::Const(_)
            | Json::Empty
            | Json::True
            | Json::False
            | Json::Not(_)
            | Json::Conditional => {}
        }
    }
    properties
}

impl<'a> Properties<'a> {
    fn add(&mut self, rules: &'a ObjectRules, names: &mut HashSet<&'a str>) {
        let hashes: Vec<i32> = rules
            .properties
            .iter()
            .map(|(name, _)| hash_order::string_hash(name))
            .collect();
        let mut order = Vec::new();
        hash_order::iteration_order(&hashes, &mut order);
        for index in order {
            let (name, id) = &rules.properties[index as usize];
            if names.insert(name) {
                self.list.push((name, *id));
            }
        }
        let required = rules.required_properties.iter();
        self.required.extend(required.map(|name| &**name));
    }
}

impl Conversion<'_> {
    /// Fields, ordered by `connect.index`; a property without one takes the number of those before it.
    pub(super) fn fields(
        &mut self,
        properties: &Properties<'_>,
    ) -> Result<Vec<(Box<str>, Schema)>, Error> {
        let mut fields = Vec::with_capacity(properties.list.len());
        let mut taken = HashSet::new();
        for (name, id) in &properties.list {
            let optional =
                self.config.optional_for_nonrequired && !properties.required.contains(name);
            let index = match self.schema.node(*id).connect("index") {
                Some(index) => whole(index).ok_or(Kind::IndexInvalid)?,
                None => i32::try_from(taken.len()).unwrap_or(i32::MAX),
            };
            if !taken.insert(index) {
                // The JVM puts the later one in the place of the earlier.
                self.differences.insert(Difference::PropertyIndexShared);
            }
            let place = Place {
                version: None,
                optional,
            };
            let schema = self.place(*id, place).map_err(|e| e.in_field(name))?;
            fields.push((index, (Box::from(*name), schema)));
        }
        fields.sort_by_key(|(index, _)| *index);
        Ok(fields.into_iter().map(|(_, field)| field).collect())
    }
}

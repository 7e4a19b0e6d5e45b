//! The ids of one context.

use std::collections::{BTreeMap, HashMap};

use super::Stored;
use crate::SchemaGuid;
use crate::server::names::{Name, java_place};

/// Which schema has which id, and who may be asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContextIds {
    /// The highest id ever seen, imported and deleted ones included.
    highest: i32,
    /// The subjects of an id, each with its versions in the order of their registration.
    ids: HashMap<i32, BTreeMap<Name, Vec<i32>>>,
    /// The id under which a schema was last registered.
    names: HashMap<SchemaGuid, i32>,
}

impl ContextIds {
    /// The highest id ever seen, 0 before the first.
    pub(crate) const fn highest(&self) -> i32 {
        self.highest
    }

    /// The id of a schema, by its name.
    pub(crate) fn of(&self, guid: &SchemaGuid) -> Option<i32> {
        self.names.get(guid).copied()
    }

    /// The version that a subject last registered under an id.
    pub(crate) fn version_of(&self, id: i32, subject: &Name) -> Option<i32> {
        self.ids.get(&id)?.get(subject)?.last().copied()
    }

    /// Subjects and versions of an id.
    pub(crate) fn places(&self, id: i32) -> impl Iterator<Item = (&Name, i32)> {
        let places = self.ids.get(&id).into_iter().flatten();
        places.filter_map(|(subject, versions)| Some((subject, *versions.last()?)))
    }

    /// The subject and version that stand for an id when nobody asks for one: Java's hash map decides.
    pub(crate) fn first_place(&self, id: i32) -> Option<(&Name, i32)> {
        let count = self.ids.get(&id)?.len();
        self.places(id)
            .min_by_key(|(subject, _)| java_place(subject.as_str(), count))
    }

    pub(super) fn add(&mut self, stored: &Stored) {
        self.highest = self.highest.max(stored.id);
        self.names.insert(stored.guid, stored.id);
        let places = self.ids.entry(stored.id).or_default();
        let versions = places.entry(stored.subject.clone()).or_default();
        versions.push(stored.version);
    }

    pub(super) fn remove(&mut self, stored: &Stored) {
        let Some(places) = self.ids.get_mut(&stored.id) else {
            return;
        };
        if let Some(versions) = places.get_mut(&stored.subject) {
            versions.retain(|version| *version != stored.version);
            if versions.is_empty() {
                places.remove(&stored.subject);
            }
        }
        if places.is_empty() {
            self.ids.remove(&stored.id);
            if self.of(&stored.guid) == Some(stored.id) {
                self.names.remove(&stored.guid);
            }
        }
    }
}

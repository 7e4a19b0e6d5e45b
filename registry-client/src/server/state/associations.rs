//! Associations of resources (topics) with subjects.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::server::names::Name;

/// That a topic's keys or values are described by a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Association {
    pub(crate) guid: String,
    pub(crate) subject: Name,
    pub(crate) resource_name: String,
    pub(crate) resource_namespace: String,
    pub(crate) resource_id: String,
    pub(crate) resource_type: String,
    /// `key` or `value`.
    pub(crate) association_type: String,
    pub(crate) lifecycle: Lifecycle,
    /// In milliseconds since 1970.
    pub(crate) created: i64,
    pub(crate) updated: i64,
}

/// Whether the subject lives and dies with the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Lifecycle {
    /// It is on its own.
    Weak,
    /// It belongs to the resource alone, and the association is frozen.
    Strong,
}

impl Lifecycle {
    pub(crate) const fn wire_name(self) -> &'static str {
        match self {
            Self::Weak => "WEAK",
            Self::Strong => "STRONG",
        }
    }

    pub(crate) fn from_wire_name(name: &str) -> Option<Self> {
        [Self::Weak, Self::Strong]
            .into_iter()
            .find(|lifecycle| lifecycle.wire_name() == name)
    }
}

/// All associations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AssociationSet(BTreeMap<String, Association>);

impl AssociationSet {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Association> {
        self.0.values()
    }

    pub(crate) fn of_subject(&self, subject: &Name) -> impl Iterator<Item = &Association> {
        self.iter().filter(move |known| known.subject == *subject)
    }

    pub(crate) fn of_resource(&self, id: &str) -> impl Iterator<Item = &Association> {
        self.iter().filter(move |known| known.resource_id == id)
    }

    pub(super) fn put(&mut self, association: &Association) {
        self.0.insert(association.guid.clone(), association.clone());
    }

    pub(super) fn remove(&mut self, guid: &str) {
        self.0.remove(guid);
    }
}

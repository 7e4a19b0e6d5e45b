//! What a registry knows, and how a journal record changes it. Nothing here refuses anything: that was done before the
//! record was written.

mod associations;
mod ids;
pub(crate) mod settings;
mod subjects;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(crate) use associations::{Association, AssociationSet, Lifecycle};
pub(crate) use ids::ContextIds;
pub(crate) use settings::{Modes, Scoped, Settings};
pub(crate) use subjects::{Stored, SubjectVersions, link_target};

use super::journal::{Change, Record, Registered};
use super::names::{DEFAULT_CONTEXT, Name};
use crate::SchemaGuid;

/// All of it. Two registries that saw the same records are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    subjects: BTreeMap<Name, SubjectVersions>,
    contexts: BTreeSet<String>,
    ids: BTreeMap<String, ContextIds>,
    /// Under which id each context last had a schema of this name; permanent deletion leaves it, as the
    /// recorded server does.
    guids: HashMap<SchemaGuid, BTreeMap<String, i32>>,
    /// The live versions that refer to a version.
    referrers: HashMap<(Name, i32), BTreeSet<(Name, i32)>>,
    pub(crate) settings: Scoped<Settings>,
    pub(crate) modes: Modes,
    pub(crate) associations: AssociationSet,
}

impl State {
    /// The state after a record.
    pub(crate) fn apply(&mut self, record: &Record) {
        match &record.0 {
            Change::Registered(registered) => self.put(registered),
            Change::Deleted { subject, version } => self.hide(subject, *version),
            Change::Removed { subject, version } => self.remove(subject, *version),
            Change::Configured { subject, settings } => {
                let settings = settings.as_deref().cloned();
                self.settings.set(subject.clone(), settings);
            }
            Change::Mode { subject, mode } => self.modes.set(subject.clone(), *mode),
            Change::Context { name } => {
                self.contexts.insert(name.clone());
            }
            Change::ContextRemoved { name } => {
                self.contexts.remove(name);
            }
            Change::Associated(association) => self.associations.put(association),
            Change::Dissociated { guid } => self.associations.remove(guid),
        }
    }

    /// A subject's versions, if it ever had one that is still there.
    pub(crate) fn subject(&self, name: &Name) -> Option<&SubjectVersions> {
        self.subjects.get(name)
    }

    /// All subjects in the order of their names.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = (&Name, &SubjectVersions)> {
        self.subjects.iter()
    }

    /// Whether a subject has a version; `deleted` counts the softly deleted ones too.
    pub(crate) fn has_subject(&self, name: &Name, deleted: bool) -> bool {
        self.subject(name)
            .is_some_and(|versions| deleted || versions.has_live())
    }

    /// The ids of a context.
    pub(crate) fn ids(&self, context: &str) -> Option<&ContextIds> {
        self.ids.get(context)
    }

    /// The contexts that exist besides the default one.
    pub(crate) fn contexts(&self) -> &BTreeSet<String> {
        &self.contexts
    }

    /// Context and id of each schema with this name, in the order of the contexts.
    pub(crate) fn ids_of(&self, guid: &SchemaGuid) -> impl Iterator<Item = (&str, i32)> {
        let places = self.guids.get(guid).into_iter().flatten();
        places.map(|(context, id)| (context.as_str(), *id))
    }

    /// One version.
    pub(crate) fn version(&self, subject: &Name, version: i32) -> Option<&Stored> {
        self.subject(subject)?.get(version)
    }

    /// The live versions that refer to a version.
    pub(crate) fn referrers(&self, subject: &Name, version: i32) -> impl Iterator<Item = &Stored> {
        let key = (subject.clone(), version);
        let places = self.referrers.get(&key).into_iter().flatten();
        places.filter_map(|(subject, version)| self.version(subject, *version))
    }

    fn put(&mut self, registered: &Registered) {
        let (subject, version) = (&registered.subject, registered.version);
        if self.version(subject, version).is_some() {
            self.remove(subject, version);
        }
        let stored = Stored::new(registered);
        let context = subject.context();
        let ids = self.ids.entry(context.into()).or_default();
        ids.add(&stored);
        let places = self.guids.entry(stored.guid).or_default();
        places.insert(context.into(), stored.id);
        self.refer(&stored);
        let versions = self.subjects.entry(subject.clone()).or_default();
        versions.insert(stored);
    }

    fn hide(&mut self, subject: &Name, version: i32) {
        let versions = self.subjects.get_mut(subject);
        if let Some(hidden) = versions.and_then(|versions| versions.hide(version)) {
            self.unrefer(&hidden);
        }
    }

    fn remove(&mut self, subject: &Name, version: i32) {
        let Some(versions) = self.subjects.get_mut(subject) else {
            return;
        };
        let Some(removed) = versions.remove(version) else {
            return;
        };
        if versions.is_empty() {
            self.subjects.remove(subject);
        }
        if let Some(ids) = self.ids.get_mut(subject.context()) {
            ids.remove(&removed);
        }
        self.unrefer(&removed);
    }

    fn refer(&mut self, stored: &Stored) {
        for target in stored.targets() {
            let referrers = self.referrers.entry(target).or_default();
            referrers.insert((stored.subject.clone(), stored.version));
        }
    }

    fn unrefer(&mut self, stored: &Stored) {
        let place = (stored.subject.clone(), stored.version);
        for target in stored.targets() {
            if let Some(referrers) = self.referrers.get_mut(&target) {
                referrers.remove(&place);
                if referrers.is_empty() {
                    self.referrers.remove(&target);
                }
            }
        }
    }

    /// The name of an existing subject's context, or of the default one.
    pub(crate) fn knows_context(&self, context: &str) -> bool {
        context == DEFAULT_CONTEXT || self.contexts.contains(context)
    }
}

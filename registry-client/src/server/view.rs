//! What answering a request looks at, and what it may change.

use super::journal::{Change, Record};
use super::language::{Languages, Notes};
use super::names::Name;
use super::state::{Settings, State, Stored, link_target};
use super::{Moment, Options};
use crate::{CompatibilityLevel, Mode};

/// A registry, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) state: &'a State,
    pub(crate) languages: &'a Languages,
    pub(crate) options: &'a Options,
    pub(crate) notes: &'a Notes,
}

impl<'a> View<'a> {
    /// The subject behind a name from outside: its alias is followed, once.
    pub(crate) fn subject(self, raw: &str) -> Name {
        let name = Name::parse(raw);
        let settings = self.state.settings.get(Some(&name));
        let alias = settings.and_then(|settings| settings.alias.as_deref());
        match alias.filter(|alias| !alias.is_empty()) {
            Some(alias) => link_target(&name, alias),
            None => name,
        }
    }

    /// The settings that count for a subject.
    pub(crate) fn settings(self, subject: &Name) -> Settings {
        let settings = self.state.settings.in_scope(subject);
        settings.cloned().unwrap_or_default()
    }

    /// The level that such settings mean.
    pub(crate) fn level(self, settings: &Settings) -> CompatibilityLevel {
        settings.level.unwrap_or(self.options.default_level)
    }

    /// The mode that counts for a subject.
    pub(crate) fn mode(self, subject: &Name) -> Mode {
        self.state
            .modes
            .in_scope(subject)
            .copied()
            .unwrap_or_default()
    }

    /// One version, if the subject has it; softly deleted ones only with `deleted`.
    pub(crate) fn version(self, subject: &Name, version: i32, deleted: bool) -> Option<&'a Stored> {
        let stored = self.state.version(subject, version)?;
        (deleted || !stored.deleted).then_some(stored)
    }

    /// The newest version that is not deleted.
    pub(crate) fn latest(self, subject: &Name) -> Option<&'a Stored> {
        self.state.subject(subject)?.latest()
    }
}

/// A registry, to be changed: every change is a record, applied at once and kept for the journal.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) languages: &'a Languages,
    pub(crate) options: &'a Options,
    pub(crate) notes: &'a Notes,
    pub(crate) moment: Moment,
    pub(crate) records: Vec<Record>,
}

impl Work<'_> {
    pub(crate) fn view(&self) -> View<'_> {
        View {
            state: self.state,
            languages: self.languages,
            options: self.options,
            notes: self.notes,
        }
    }

    pub(crate) fn put(&mut self, change: Change) {
        let record = Record(change);
        self.state.apply(&record);
        self.records.push(record);
    }
}

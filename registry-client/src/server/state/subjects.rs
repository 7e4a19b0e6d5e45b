//! The versions of one subject.

use std::collections::{BTreeMap, HashMap};

use crate::SchemaGuid;
use crate::server::content::Content;
use crate::server::journal::Registered;
use crate::server::names::Name;

/// One version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) subject: Name,
    pub(crate) version: i32,
    pub(crate) id: i32,
    pub(crate) guid: SchemaGuid,
    /// The name it shares with schemas of other metadata; see [`Content::loose_guid`].
    pub(crate) loose: SchemaGuid,
    pub(crate) content: Content,
    /// When it was registered, in milliseconds since 1970.
    pub(crate) ts: i64,
    /// Softly deleted.
    pub(crate) deleted: bool,
}

impl Stored {
    pub(crate) fn new(registered: &Registered) -> Self {
        let content = registered.content();
        Self {
            subject: registered.subject.clone(),
            version: registered.version,
            id: registered.id,
            guid: content.guid(),
            loose: content.loose_guid(),
            content,
            ts: registered.ts,
            deleted: false,
        }
    }

    /// The versions it refers to.
    pub(crate) fn targets(&self) -> impl Iterator<Item = (Name, i32)> {
        let links = self.content.references.iter();
        links.map(|link| (link_target(&self.subject, &link.subject), link.version))
    }
}

/// Where a reference's subject lies: in the context of the one who refers, unless it names its own.
pub(crate) fn link_target(from: &Name, subject: &str) -> Name {
    let name = Name::parse(subject);
    if name.is_default_context() && !subject.starts_with(":.") {
        Name::within(from.context(), name.local())
    } else {
        name
    }
}

/// All versions of a subject, softly deleted ones included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubjectVersions {
    versions: BTreeMap<i32, Stored>,
    /// Which versions have such a name. So a look-up by text does not compare texts.
    texts: HashMap<SchemaGuid, Vec<i32>>,
    live: usize,
}

impl SubjectVersions {
    pub(crate) fn get(&self, version: i32) -> Option<&Stored> {
        self.versions.get(&version)
    }

    /// From the oldest to the newest.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = &Stored> {
        self.versions.values()
    }

    pub(crate) fn live(&self) -> impl DoubleEndedIterator<Item = &Stored> {
        self.all().filter(|stored| !stored.deleted)
    }

    pub(crate) const fn has_live(&self) -> bool {
        self.live > 0
    }

    /// The newest that is not deleted.
    pub(crate) fn latest(&self) -> Option<&Stored> {
        self.live().next_back()
    }

    /// The highest number in use; 0 without one.
    pub(crate) fn highest(&self) -> i32 {
        self.versions.keys().next_back().copied().unwrap_or(0)
    }

    /// The versions with this text and these references, newest first.
    pub(crate) fn with_text(&self, loose: &SchemaGuid) -> impl Iterator<Item = &Stored> {
        let versions = self.texts.get(loose).into_iter().flatten();
        versions.rev().filter_map(|version| self.get(*version))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    pub(super) fn insert(&mut self, stored: Stored) {
        let texts = self.texts.entry(stored.loose).or_default();
        let at = texts.partition_point(|version| *version < stored.version);
        texts.insert(at, stored.version);
        self.live += usize::from(!stored.deleted);
        self.versions.insert(stored.version, stored);
    }

    /// Deletes softly; gives the version if it was live.
    pub(super) fn hide(&mut self, version: i32) -> Option<Stored> {
        let stored = self.versions.get_mut(&version)?;
        if stored.deleted {
            return None;
        }
        stored.deleted = true;
        self.live -= 1;
        Some(stored.clone())
    }

    pub(super) fn remove(&mut self, version: i32) -> Option<Stored> {
        let stored = self.versions.remove(&version)?;
        self.live -= usize::from(!stored.deleted);
        if let Some(texts) = self.texts.get_mut(&stored.loose) {
            texts.retain(|known| *known != version);
            if texts.is_empty() {
                self.texts.remove(&stored.loose);
            }
        }
        Some(stored)
    }
}

//! Looking a posted schema up by its text.

use std::sync::Arc;

use super::content::{Content, VERSION_PROPERTY, merged, without_version};
use super::names::{ANY_CONTEXT, Name, Prefix};
use super::posted::{Form, Posted};
use super::refusal::Refusal;
use super::state::{Settings, Stored};
use super::view::View;
use crate::guid::MetadataSets;

/// How a text is looked up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How {
    pub(crate) normalize: bool,
    /// Softly deleted versions are found too.
    pub(crate) deleted: bool,
}

/// A schema that was found.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) stored: &'a Stored,
    /// As it is kept, but for the language, which is the one that was asked for.
    pub(crate) content: Content,
    /// Found by its whole content name. The recorded server answers such a one without `ts` and `deleted`.
    pub(crate) by_name: bool,
}

/// Looks under a subject, and for a subject without a context also under that name in every other context.
///
/// # Errors
/// The text or a reference is not good (42201).
pub(crate) fn in_contexts<'a>(
    view: View<'a>,
    subject: &Name,
    posted: &Posted,
    how: How,
) -> Result<Option<Found<'a>>, Refusal> {
    if let Some(found) = under(view, subject, posted, how)? {
        return Ok(Some(found));
    }
    if !subject.is_default_context() {
        return Ok(None);
    }
    for context in view.state.contexts() {
        let name = Name::within(context, subject.local());
        if !view.state.has_subject(&name, how.deleted) {
            continue;
        }
        if let Some(found) = under(view, &name, posted, how)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Looks under one subject: first for the schema as posted, then with the metadata it would be registered with, then for
/// its text, for which metadata that name the version alone are none.
///
/// # Errors
/// The text or a reference is not good (42201).
pub(crate) fn under<'a>(
    view: View<'a>,
    subject: &Name,
    posted: &Posted,
    how: How,
) -> Result<Option<Found<'a>>, Refusal> {
    if posted.written().is_none() {
        return Ok(None);
    }
    let settings = view.settings(subject);
    let how = How {
        normalize: how.normalize || settings.normalize == Some(true),
        ..how
    };
    let form = Form {
        normalize: how.normalize,
        is_new: false,
    };
    let content = posted.canonical(view, subject, form)?;
    if posted.has_rules {
        return Ok(None);
    }
    if subject.as_str().starts_with(ANY_CONTEXT) {
        return Ok(anywhere(view, subject, content, how));
    }
    if let Some(stored) = by_name(view, subject, &content, how.deleted) {
        return Ok(Some(Found::new(stored, content, true)));
    }
    let latest = view.latest(subject);
    let mut metadata = populated(posted, &settings, latest);
    if posted.metadata.is_none() {
        metadata = without_version(metadata.as_ref());
    }
    let content = Content {
        metadata: metadata.map(Arc::new),
        ..content
    };
    if let Some(stored) = by_name(view, subject, &content, how.deleted) {
        return Ok(Some(Found::new(stored, content, true)));
    }
    let Some(versions) = view.state.subject(subject) else {
        return Ok(None);
    };
    let same = versions
        .with_text(&content.loose_guid())
        .filter(|stored| how.deleted || !stored.deleted)
        .find(|stored| {
            let metadata = stored.content.metadata.as_deref();
            let wanted = content.metadata.as_deref();
            let fits = match posted.metadata {
                Some(_) => metadata == wanted,
                None => without_version(metadata).as_ref() == wanted,
            };
            fits && stored.content.kind == content.kind
        });
    Ok(same.map(|stored| Found::new(stored, content, false)))
}

impl<'a> Found<'a> {
    fn new(stored: &'a Stored, content: Content, by_name: bool) -> Self {
        let content = Content {
            kind: content.kind,
            ..stored.content.clone()
        };
        Self {
            stored,
            content,
            by_name,
        }
    }
}

/// The version under which a subject has exactly this schema.
pub(crate) fn by_name<'a>(
    view: View<'a>,
    subject: &Name,
    content: &Content,
    deleted: bool,
) -> Option<&'a Stored> {
    let ids = view.state.ids(subject.context())?;
    let id = ids.of(&content.guid())?;
    view.version(subject, ids.version_of(id, subject)?, deleted)
}

/// The metadata a schema would be registered with: its own or else those of the latest version, laid on the configured
/// defaults, under the configured overrides.
pub(crate) fn populated(
    posted: &Posted,
    settings: &Settings,
    latest: Option<&Stored>,
) -> Option<MetadataSets> {
    let inherited = latest.and_then(|stored| stored.content.metadata.as_deref());
    let own = posted.metadata.as_ref().or(inherited);
    let merged_default = merged(settings.default_metadata.as_ref(), own);
    merged(merged_default.as_ref(), settings.override_metadata.as_ref())
}

/// The metadata with the number of the version they are registered with, where that belongs to them.
pub(crate) fn numbered(
    metadata: Option<MetadataSets>,
    version: i32,
    explicit: bool,
) -> Option<MetadataSets> {
    let has_number = |metadata: &MetadataSets| metadata.properties.contains_key(VERSION_PROPERTY);
    if !explicit && !metadata.as_ref().is_some_and(has_number) {
        return metadata;
    }
    let mut metadata = metadata.unwrap_or_default();
    let number = version.to_string();
    metadata.properties.insert(VERSION_PROPERTY.into(), number);
    Some(metadata)
}

/// Under `:*:name`, any subject of that name will do.
fn anywhere<'a>(view: View<'a>, subject: &Name, content: Content, how: How) -> Option<Found<'a>> {
    let prefix = Prefix::parse(subject.as_str());
    let loose = content.loose_guid();
    let subjects = view.state.subjects();
    let mut versions = subjects
        .filter(|(name, _)| prefix.matches(name))
        .flat_map(|(_, versions)| versions.with_text(&loose));
    let stored = versions.find(|stored| how.deleted || !stored.deleted)?;
    Some(Found::new(stored, content, false))
}

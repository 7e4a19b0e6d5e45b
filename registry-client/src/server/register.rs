//! Registering a schema.

use std::sync::Arc;

use super::Difference;
use super::content::Content;
use super::find::{self, How};
use super::journal::{Change, Registered};
use super::level;
use super::names::Name;
use super::posted::{Form, Posted, PostedLink};
use super::refusal::Refusal;
use super::state::{Settings, Stored};
use super::tags;
use super::view::{View, Work};
use crate::{Mode, SchemaType};

/// How a schema is registered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) normalize: bool,
    /// Whatever the earlier versions say.
    pub(crate) force: bool,
}

/// What became of a registration.
#[derive(Clone, Debug)]
pub(crate) struct Registration {
    pub(crate) id: i32,
    pub(crate) version: i32,
    pub(crate) content: Content,
    /// Time and deletion mark, where the recorded server shows them: for a version that it found by its text.
    pub(crate) shown: Option<(i64, bool)>,
}

/// Registers a schema, or finds it.
///
/// # Errors
/// The subject (42208), the mode (42205), the text, a reference or the version (42201), the size (42209), or the earlier
/// versions (40901) forbid it.
pub(crate) fn register(
    work: &mut Work<'_>,
    subject: &Name,
    posted: &Posted,
    terms: Terms,
) -> Result<Registration, Refusal> {
    if let Some(known) = known(work.view(), subject, posted, terms)? {
        return Ok(known);
    }
    let plan = plan(work.view(), subject, posted, terms)?;
    let Plan {
        id,
        version,
        content,
        replaced,
    } = plan;
    let context = subject.context();
    if !work.state.knows_context(context) {
        let name = context.to_owned();
        work.put(Change::Context { name });
    }
    let registered = Registered::new((subject, version), id, &content, work.moment.now);
    work.put(Change::Registered(registered));
    for version in replaced {
        let subject = subject.clone();
        work.put(Change::Removed { subject, version });
    }
    Ok(Registration {
        id,
        version,
        content,
        shown: None,
    })
}

/// A registration that changes nothing, because the subject has the schema. It is allowed in every mode.
///
/// # Errors
/// The subject (42208), the text or a reference (42201) is not good.
pub(crate) fn known(
    view: View<'_>,
    subject: &Name,
    posted: &Posted,
    terms: Terms,
) -> Result<Option<Registration>, Refusal> {
    if subject.as_str().is_empty() {
        let refusal = Refusal::bad_subject(":.:");
        return Err(refusal.differing(Difference::NamelessSubject));
    }
    if !subject.is_valid_for_schemas() {
        return Err(Refusal::bad_subject(subject.as_str()));
    }
    if !posted.tags.is_empty() || posted.version.is_some_and(|version| version != 0) {
        return Ok(None);
    }
    let how = How {
        normalize: terms.normalize,
        deleted: false,
    };
    let ruleless = Posted {
        has_rules: false,
        ..posted.clone()
    };
    let Some(found) = find::under(view, subject, &ruleless, how)? else {
        return Ok(None);
    };
    let stored = found.stored;
    if posted.wanted_id().is_some_and(|id| id != stored.id) {
        return Ok(None);
    }
    Ok(Some(Registration {
        id: stored.id,
        version: stored.version,
        shown: (!found.by_name).then_some((stored.ts, stored.deleted)),
        content: found.content,
    }))
}

struct Plan {
    id: i32,
    version: i32,
    content: Content,
    /// Softly deleted versions of the same schema, which vanish.
    replaced: Vec<i32>,
}

fn plan(view: View<'_>, subject: &Name, posted: &Posted, terms: Terms) -> Result<Plan, Refusal> {
    let mode = allowed(view, subject, posted)?;
    let settings = view.settings(subject);
    let versions = view.state.subject(subject);
    let highest = versions.map_or(0, |versions| versions.highest());
    let next = highest.checked_add(1).ok_or_else(full)?;
    let form = Form {
        normalize: terms.normalize || settings.normalize == Some(true),
        is_new: posted.wanted_id().is_none(),
    };
    let content = match mode {
        Mode::Import => posted.canonical(view, subject, form)?,
        Mode::ReadWrite | Mode::ReadOnly | Mode::ReadOnlyOverride | Mode::Forward => {
            completed(view, subject, posted, &settings, next)?.canonical(view, subject, form)?
        }
    };
    if mode != Mode::Import && !terms.force {
        let live = level::candidates(view, &settings, versions);
        let found = level::incompatibilities(view, subject, &settings, &content, &live)?;
        if !found.is_empty() {
            return Err(incompatible(subject, &found));
        }
    }
    let version = match posted.wanted_version() {
        Some(version) if version != next && mode != Mode::Import => {
            let message = "Version is not one more than previous version";
            return Err(Refusal::invalid_schema(message));
        }
        Some(version) => version,
        None => next,
    };
    let id = id_for(view, subject, posted, &content)?;
    fits(view, subject, &content)?;
    let guid = content.guid();
    let gone =
        |stored: &&Stored| stored.deleted && stored.guid == guid && stored.version != version;
    let loose = content.loose_guid();
    let replaced = versions.into_iter().flat_map(|all| all.with_text(&loose));
    let replaced = replaced.filter(gone).map(|stored| stored.version).collect();
    Ok(Plan {
        id,
        version,
        content,
        replaced,
    })
}

/// The mode, if it lets the schema in.
fn allowed(view: View<'_>, subject: &Name, posted: &Posted) -> Result<Mode, Refusal> {
    let mode = view.mode(subject);
    let refuse = |what| Err(Refusal::wrong_mode(Some(subject), what));
    match (mode, posted.wanted_id()) {
        (Mode::ReadOnly | Mode::ReadOnlyOverride, _) => refuse("in read-only"),
        (Mode::Import, Some(_)) | (Mode::ReadWrite, None) => Ok(mode),
        (Mode::ReadWrite | Mode::Forward, Some(_)) => refuse("not in import"),
        (Mode::Import | Mode::Forward, None) => refuse("not in read-write"),
    }
}

/// The posted schema with what it takes over from the latest version and the settings.
fn completed(
    view: View<'_>,
    subject: &Name,
    posted: &Posted,
    settings: &Settings,
    next: i32,
) -> Result<Posted, Refusal> {
    let latest = view.latest(subject);
    let mut completed = posted.clone();
    if let (None, Some(latest)) = (posted.written(), latest) {
        completed.kind = latest.content.kind;
        completed.text = Some(Arc::clone(&latest.content.text));
        completed.references = latest
            .content
            .references
            .iter()
            .map(PostedLink::of)
            .collect();
    }
    if !posted.tags.is_empty() {
        completed.text = match (completed.kind, completed.written()) {
            (SchemaType::Avro, Some(text)) => Some(tags::changed(text, &posted.tags)?.into()),
            (SchemaType::Avro | SchemaType::Json | SchemaType::Protobuf, _) => completed.text,
        };
    }
    let explicit = posted.wanted_version().is_some() || !posted.tags.is_empty();
    let number = posted.wanted_version().unwrap_or(next);
    let metadata = find::populated(posted, settings, latest);
    completed.metadata = find::numbered(metadata, number, explicit);
    Ok(completed)
}

/// The id under which the context has the schema, the one that was asked for, or a new one.
fn id_for(
    view: View<'_>,
    subject: &Name,
    posted: &Posted,
    content: &Content,
) -> Result<i32, Refusal> {
    let ids = view.state.ids(subject.context());
    let known = ids.and_then(|ids| ids.of(&content.guid()));
    let Some(id) = posted.wanted_id().or(known) else {
        let highest = ids.map_or(0, |ids| ids.highest());
        return highest.checked_add(1).ok_or_else(full);
    };
    let place = ids.and_then(|ids| ids.first_place(id));
    let stored = place.and_then(|(subject, version)| view.state.version(subject, version));
    if stored.is_some_and(|stored| stored.content != *content) {
        let context = subject.context_in_messages();
        return Err(Refusal::coded(
            42205,
            format!("Overwrite new schema with id {id} in context {context} is not permitted."),
        ));
    }
    Ok(id)
}

/// Whether a record of the schema is short enough to be kept.
fn fits(view: View<'_>, subject: &Name, content: &Content) -> Result<(), Refusal> {
    let links = content.references.iter();
    let links: usize = links.map(|link| link.name.len() + link.subject.len()).sum();
    let bytes = content.text.len() + subject.as_str().len() + links;
    if bytes > view.options.max_record_bytes {
        let message = "Register operation failed because schema is too large";
        return Err(Refusal::coded(42209, message));
    }
    Ok(())
}

fn incompatible(subject: &Name, messages: &[String]) -> Refusal {
    Refusal::coded(
        40901,
        format!(
            "Schema being registered is incompatible with an earlier schema for subject \"{subject}\", details: [{}]",
            messages.join(", ")
        ),
    )
}

/// All 2^31 numbers are used up.
fn full() -> Refusal {
    Refusal::coded(50001, "Error in the backend data store: no number is left")
}

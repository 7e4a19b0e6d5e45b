//! `/mode`: what may be written, per context and subject.

use super::config::scope;
use super::write::Object;
use super::{Answer, Call, Reply};
use crate::Mode;
use crate::server::Difference;
use crate::server::journal::Change;
use crate::server::names::Name;
use crate::server::refusal::Refusal;
use crate::server::view::{View, Work};

pub(super) fn get_top(view: View<'_>, _: &Call<'_>) -> Answer {
    Ok(form(
        view.state.modes.get(None).copied().unwrap_or_default(),
    ))
}

pub(super) fn get(view: View<'_>, call: &Call<'_>) -> Answer {
    let Some(subject) = scope(call) else {
        return get_top(view, call);
    };
    match view.state.modes.get(Some(&subject)) {
        Some(mode) => Ok(form(*mode)),
        None if call.query.flag("defaultToGlobal") => Ok(form(view.mode(&subject))),
        None => {
            let message =
                format!("Subject '{subject}' does not have subject-level mode configured");
            Err(Refusal::coded(40409, message))
        }
    }
}

pub(super) fn put_top(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    update(work, call, None)
}

pub(super) fn put(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    update(work, call, scope(call))
}

fn update(work: &mut Work<'_>, call: &Call<'_>, subject: Option<Name>) -> Answer {
    let name = call.read(|members| {
        if !members.has("mode") {
            return Err(bad_mode().differing(Difference::MissingMode));
        }
        members.text("mode")
    })?;
    if let Some(subject) = subject.as_ref().filter(|subject| !subject.is_valid()) {
        return Err(Refusal::bad_subject(subject.as_str()));
    }
    let mode = match &name {
        Some(name) => Some(Mode::from_wire_name(name).ok_or_else(bad_mode)?),
        None => None,
    };
    if mode == Some(Mode::Forward) {
        let message = "Forward mode only supported on global level";
        return Err(Refusal::coded(42204, message));
    }
    mutable(work.view())?;
    if mode == Some(Mode::Import) && !call.query.flag("force") {
        clear(work, subject.as_ref())?;
    }
    work.put(Change::Mode { subject, mode });
    // The answer shows the mode as it was spelled.
    let answer = match &name {
        Some(name) => Object::new().text("mode", name),
        None => Object::new().raw("mode", "null"),
    };
    Ok(Reply::ok(answer.end()))
}

/// Before schemas come with their ids there must be none; softly deleted ones go for good.
fn clear(work: &mut Work<'_>, place: Option<&Name>) -> Result<(), Refusal> {
    let covers = |name: &Name| match place {
        None => true,
        Some(place) if place.local().is_empty() => name.context() == place.context(),
        Some(place) => name == place,
    };
    let subjects = work.state.subjects();
    let covered: Vec<_> = subjects.filter(|(name, _)| covers(name)).collect();
    if covered.iter().any(|(_, versions)| versions.has_live()) {
        let message = "Cannot import since found existing subjects";
        return Err(Refusal::coded(42205, message));
    }
    let deleted = covered.into_iter().flat_map(|(_, versions)| versions.all());
    let deleted: Vec<_> = deleted
        .map(|stored| (stored.subject.clone(), stored.version))
        .collect();
    for (subject, version) in deleted {
        work.put(Change::Removed { subject, version });
    }
    Ok(())
}

pub(super) fn delete_top(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    remove(work, call, None)
}

pub(super) fn delete(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let subject = scope(call);
    if let Some(subject) = &subject
        && work.state.modes.get(Some(subject)).is_none()
    {
        return Err(Refusal::subject_not_found(subject));
    }
    remove(work, call, subject)
}

fn remove(work: &mut Work<'_>, call: &Call<'_>, place: Option<Name>) -> Answer {
    let old = work.state.modes.get(place.as_ref()).copied();
    if old.is_some() || call.query.flag("recursive") {
        mutable(work.view())?;
    }
    if call.query.flag("recursive") {
        for subject in below(work.view(), place.as_ref()) {
            let subject = Some(subject);
            work.put(Change::Mode {
                subject,
                mode: None,
            });
        }
    }
    if old.is_some() {
        work.put(Change::Mode {
            subject: place,
            mode: None,
        });
    }
    Ok(form(old.unwrap_or_default()))
}

/// The subjects of a context that have a mode of their own.
fn below(view: View<'_>, place: Option<&Name>) -> Vec<Name> {
    let top = Name::parse("");
    let place = place.unwrap_or(&top);
    let names = view.state.modes.iter().filter_map(|(name, _)| name);
    let inside = names.filter(|name| name.context() == place.context() && *name != place);
    let inside = inside.filter(|_| place.local().is_empty());
    inside.cloned().collect()
}

fn mutable(view: View<'_>) -> Result<(), Refusal> {
    if view.options.mode_is_mutable {
        return Ok(());
    }
    Err(Refusal::coded(42205, "Mode changes are not allowed"))
}

fn form(mode: Mode) -> Reply {
    Reply::ok(Object::new().text("mode", mode.wire_name()).end())
}

fn bad_mode() -> Refusal {
    let message = "Invalid mode. Valid values are READWRITE, READONLY, IMPORT and FORWARD.";
    Refusal::coded(42204, message)
}

//! Deleting versions, subjects and contexts: softly first, then for good.

use super::journal::Change;
use super::names::Name;
use super::refusal::Refusal;
use super::state::Stored;
use super::view::{View, Work};

/// Deletes one version.
///
/// # Errors
/// The mode (42205) or a reference (42206) forbids it; it is softly deleted already (40406), or not yet (40407).
pub(crate) fn version(
    work: &mut Work<'_>,
    subject: &Name,
    version: i32,
    permanent: bool,
) -> Result<(), Refusal> {
    let view = work.view();
    let Some(stored) = view.version(subject, version, true) else {
        return Err(missing(view, subject, version));
    };
    if !permanent && stored.deleted {
        let message = format!(
            "Subject '{subject}' Version {version} was soft deleted.Set permanent=true to delete permanently"
        );
        return Err(Refusal::coded(40406, message));
    }
    writable(view, subject)?;
    unreferenced(view, stored)?;
    if permanent && !stored.deleted {
        let message = format!(
            "Subject '{subject}' Version {version} was not deleted first before being permanently deleted"
        );
        return Err(Refusal::coded(40407, message));
    }
    let subject = subject.clone();
    work.put(if permanent {
        Change::Removed { subject, version }
    } else {
        Change::Deleted { subject, version }
    });
    Ok(())
}

/// Deletes all versions of a subject, and with `permanent` its settings and mode too. Gives their numbers.
///
/// # Errors
/// There is none (40401); it is softly deleted already (40404), or not yet (40405); the mode (42205), a reference (42206)
/// or an association (40904) forbids it.
pub(crate) fn subject(
    work: &mut Work<'_>,
    subject: &Name,
    permanent: bool,
) -> Result<Vec<i32>, Refusal> {
    let view = work.view();
    if !view.state.has_subject(subject, true) {
        return Err(Refusal::subject_not_found(subject));
    }
    if !permanent && !view.state.has_subject(subject, false) {
        let message = format!(
            "Subject '{subject}' was soft deleted.Set permanent=true to delete permanently"
        );
        return Err(Refusal::coded(40404, message));
    }
    writable(view, subject)?;
    if view.state.associations.of_subject(subject).next().is_some() {
        let message = format!("An association already exists for subject '{subject}'");
        return Err(Refusal::coded(40904, message));
    }
    let versions = view.state.subject(subject).into_iter();
    let versions = versions.flat_map(|versions| versions.all());
    let mut gone = Vec::new();
    for stored in versions.filter(|stored| permanent || !stored.deleted) {
        unreferenced(view, stored)?;
        if permanent && !stored.deleted {
            let message = format!(
                "Subject '{subject}' was not deleted first before being permanently deleted"
            );
            return Err(Refusal::coded(40405, message));
        }
        gone.push(stored.version);
    }
    erase(work, subject, &gone, permanent);
    Ok(gone)
}

fn erase(work: &mut Work<'_>, subject: &Name, versions: &[i32], permanent: bool) {
    for version in versions.iter().copied() {
        let subject = subject.clone();
        work.put(if permanent {
            Change::Removed { subject, version }
        } else {
            Change::Deleted { subject, version }
        });
    }
    if permanent {
        forget(work, Some(subject));
    }
}

/// Takes settings and mode of a subject or context away.
fn forget(work: &mut Work<'_>, subject: Option<&Name>) {
    if work.state.settings.get(subject).is_some() {
        let subject = subject.cloned();
        work.put(Change::Configured {
            subject,
            settings: None,
        });
    }
    if work.state.modes.get(subject).is_some() {
        let subject = subject.cloned();
        work.put(Change::Mode {
            subject,
            mode: None,
        });
    }
}

/// Deletes a subject for good whatever stands in it: it dies with its resource.
///
/// # Errors
/// The mode (42205) or a reference (42206) forbids it.
pub(crate) fn with_its_resource(work: &mut Work<'_>, subject: &Name) -> Result<(), Refusal> {
    let view = work.view();
    writable(view, subject)?;
    let versions = view.state.subject(subject).into_iter();
    let mut gone = Vec::new();
    for stored in versions.flat_map(|versions| versions.all()) {
        unreferenced(view, stored)?;
        gone.push(stored.version);
    }
    erase(work, subject, &gone, true);
    Ok(())
}

/// Deletes a context that holds no versions. An unknown one is fine.
///
/// # Errors
/// It holds versions, be they softly deleted (42211).
pub(crate) fn context(work: &mut Work<'_>, name: &str) -> Result<(), Refusal> {
    let is_inside = |subject: &Name| subject.context() == name;
    if work.state.subjects().any(|(subject, _)| is_inside(subject)) {
        let message = format!("The specified context ':{name}:' is not empty.");
        return Err(Refusal::coded(42211, message));
    }
    if work.state.contexts().contains(name) {
        let name = name.to_owned();
        work.put(Change::ContextRemoved { name });
    }
    Ok(())
}

/// Why a version is not there.
pub(crate) fn missing(view: View<'_>, subject: &Name, version: i32) -> Refusal {
    if view.state.has_subject(subject, true) {
        Refusal::version_not_found(version)
    } else {
        Refusal::subject_not_found(subject)
    }
}

fn writable(view: View<'_>, subject: &Name) -> Result<(), Refusal> {
    if view.mode(subject).is_read_only() {
        return Err(Refusal::wrong_mode(Some(subject), "in read-only"));
    }
    Ok(())
}

fn unreferenced(view: View<'_>, stored: &Stored) -> Result<(), Refusal> {
    let (subject, version) = (&stored.subject, stored.version);
    if view.state.referrers(subject, version).next().is_none() {
        return Ok(());
    }
    Err(Refusal::coded(
        42206,
        format!(
            "One or more references exist to the schema {{magic=1,keytype=SCHEMA,subject={subject},version={version}}}."
        ),
    ))
}

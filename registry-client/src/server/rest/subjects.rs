//! `/subjects` and `/subjects/{subject}`.

use super::{Answer, Call, Reply, forms, write};
use crate::server::delete;
use crate::server::find::{self, How};
use crate::server::names::{ANY_CONTEXT, Name, Prefix, utf16_order};
use crate::server::refusal::Refusal;
use crate::server::register::{self, Terms};
use crate::server::resolved;
use crate::server::view::{View, Work};

pub(super) fn list(view: View<'_>, call: &Call<'_>) -> Answer {
    let prefix = Prefix::parse(call.query.get("subjectPrefix").unwrap_or(ANY_CONTEXT));
    let (deleted, deleted_only) = (call.query.flag("deleted"), call.query.flag("deletedOnly"));
    let names = view.state.subjects().filter(|(name, versions)| {
        let shown = match (deleted_only, deleted) {
            (true, _) => !versions.has_live(),
            (false, true) => true,
            (false, false) => versions.has_live(),
        };
        shown && prefix.matches(name)
    });
    let mut names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
    names.sort_by(|left, right| utf16_order(left, right));
    Ok(Reply::ok(write::texts(call.page(names)?)))
}

pub(super) fn look_up(view: View<'_>, call: &Call<'_>) -> Answer {
    let subject = view.subject(call.parameter(0));
    let how = How {
        normalize: call.query.flag("normalize"),
        deleted: call.query.flag("deleted"),
    };
    let posted = call.read(|members| members.schema())?;
    match find::in_contexts(view, &subject, &posted, how)? {
        Some(found) => {
            let text = resolved::text(view, found.stored, call.query.get("format"));
            Ok(Reply::ok(forms::lookup(&found, &text)))
        }
        None if view.state.has_subject(&subject, how.deleted) => Err(Refusal::schema_not_found()),
        None => Err(Refusal::subject_not_found(&subject)),
    }
}

/// Answers a registration that changes nothing.
pub(super) fn registered(view: View<'_>, call: &Call<'_>) -> Option<Answer> {
    let subject = view.subject(call.parameter(0));
    let posted = match call.read(|members| members.schema()) {
        Ok(posted) => posted,
        Err(refusal) => return Some(Err(refusal)),
    };
    let known = register::known(view, &subject, &posted, terms(call)).transpose()?;
    Some(known.map(|made| Reply::ok(forms::registration(&made))))
}

pub(super) fn register(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let subject = work.view().subject(call.parameter(0));
    let posted = call.read(|members| members.schema())?;
    let made = register::register(work, &subject, &posted, terms(call))?;
    Ok(Reply::ok(forms::registration(&made)))
}

fn terms(call: &Call<'_>) -> Terms {
    Terms {
        normalize: call.query.flag("normalize"),
        force: call.query.flag("force"),
    }
}

pub(super) fn delete(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let subject: Name = work.view().subject(call.parameter(0));
    let gone = delete::subject(work, &subject, call.query.flag("permanent"))?;
    let numbers = gone.iter().map(ToString::to_string);
    Ok(Reply::ok(write::array(numbers)))
}

//! `/compatibility`.

use super::write::{self, Object};
use super::{Answer, Call, Reply, versions};
use crate::server::level;
use crate::server::names::Name;
use crate::server::posted::{Form, LATEST};
use crate::server::refusal::Refusal;
use crate::server::state::Stored;
use crate::server::view::View;

pub(super) fn with_all(view: View<'_>, call: &Call<'_>) -> Answer {
    let subject = view.subject(call.parameter(0));
    let versions = view.state.subject(&subject);
    let live = level::candidates(view, &view.settings(&subject), versions);
    answer(call, check(view, call, &subject, &live))
}

pub(super) fn with_one(view: View<'_>, call: &Call<'_>) -> Answer {
    let subject = view.subject(call.parameter(0));
    let one = match versions::parsed(call.parameter(1))? {
        LATEST => view.latest(&subject),
        version => {
            let stored = view.version(&subject, version, false);
            Some(stored.ok_or_else(|| Refusal::version_not_found(version))?)
        }
    };
    let one: Vec<&Stored> = one.into_iter().collect();
    answer(call, check(view, call, &subject, &one))
}

fn check(
    view: View<'_>,
    call: &Call<'_>,
    subject: &Name,
    versions: &[&Stored],
) -> Result<Vec<String>, Refusal> {
    let settings = view.settings(subject);
    let form = Form {
        normalize: call.query.flag("normalize") || settings.normalize == Some(true),
        is_new: true,
    };
    let posted = call.read(|members| members.schema())?;
    let new = posted.canonical(view, subject, form)?;
    level::incompatibilities(view, subject, &settings, &new, versions)
}

/// With `verbose` a schema that is none is incompatible, and the reason is a message like the others.
fn answer(call: &Call<'_>, checked: Result<Vec<String>, Refusal>) -> Answer {
    let verbose = call.query.flag("verbose");
    let messages = match checked {
        Err(refusal) if verbose && refusal.code == INVALID => vec![refusal.message],
        checked => checked?,
    };
    let object = Object::new().flag("is_compatible", messages.is_empty());
    let texts = write::texts(messages.iter().map(String::as_str));
    let object = object.maybe(verbose.then_some(texts), |object, texts| {
        object.raw("messages", &texts)
    });
    Ok(Reply::ok(object.end()))
}

const INVALID: u32 = 42201;

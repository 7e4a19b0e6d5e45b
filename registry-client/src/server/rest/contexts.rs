//! `/contexts`, the root, and what the server says about itself.

use super::write::{self, Object};
use super::{Answer, Call, Reply};
use crate::server::delete;
use crate::server::names::{DEFAULT_CONTEXT, utf16_order};
use crate::server::view::{View, Work};

pub(super) fn root(_: View<'_>, _: &Call<'_>) -> Answer {
    Ok(Reply::ok(Object::new().end()))
}

pub(super) fn list(view: View<'_>, call: &Call<'_>) -> Answer {
    let prefix = call.query.get("contextPrefix").unwrap_or_default();
    let named = view.state.contexts().iter().map(String::as_str);
    let mut names: Vec<&str> = std::iter::once(DEFAULT_CONTEXT).chain(named).collect();
    names.retain(|name| name.starts_with(prefix));
    names.sort_by(|left, right| utf16_order(left, right));
    Ok(Reply::ok(write::texts(call.page(names)?)))
}

pub(super) fn delete(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let raw = call.parameter(0);
    let name = if raw.starts_with('.') {
        raw.to_owned()
    } else {
        format!(".{raw}")
    };
    delete::context(work, &name)?;
    Ok(Reply::nothing())
}

pub(super) fn cluster(view: View<'_>, _: &Call<'_>) -> Answer {
    let clusters = Object::new()
        .text("kafka-cluster", &view.options.cluster_id)
        .text("schema-registry-cluster", &view.options.group_id);
    let scope = Object::new()
        .raw("path", "[]")
        .raw("clusters", &clusters.end());
    Ok(Reply::ok(Object::new().raw("scope", &scope.end()).end()))
}

pub(super) fn version(_: View<'_>, _: &Call<'_>) -> Answer {
    let object = Object::new().text("version", env!("CARGO_PKG_VERSION"));
    Ok(Reply::ok(object.text("commitId", "ferroconnect").end()))
}

pub(super) fn deployment(_: View<'_>, _: &Call<'_>) -> Answer {
    Ok(Reply::ok(Object::new().raw("attributes", "[]").end()))
}

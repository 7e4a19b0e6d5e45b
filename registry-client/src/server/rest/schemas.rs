//! `/schemas`: by id, by content name, all of them.

use std::collections::BTreeMap;

use super::write::{self, Object};
use super::{Answer, Call, Reply, forms, versions};
use crate::SchemaGuid;
use crate::server::Difference;
use crate::server::names::{DEFAULT_CONTEXT, Name, Prefix, utf16_order};
use crate::server::refusal::Refusal;
use crate::server::resolved;
use crate::server::state::{Association, Lifecycle, Stored};
use crate::server::view::View;

pub(super) fn types(_: View<'_>, _: &Call<'_>) -> Answer {
    Ok(Reply::ok(write::texts(["JSON", "PROTOBUF", "AVRO"])))
}

pub(super) fn by_id(view: View<'_>, call: &Call<'_>) -> Answer {
    let id = id(call)?;
    let (stored, context) = stored(view, call, id).ok_or_else(|| Refusal::no_such_schema(id))?;
    let text = resolved::text(view, stored, call.query.get("format"));
    let tags = versions::found_tags(stored, call);
    let highest = view.state.ids(context).map_or(0, |ids| ids.highest());
    let highest = call.query.flag("fetchMaxId").then_some(highest);
    Ok(Reply::ok(forms::by_id(stored, &text, true, |object| {
        let object = object.maybe(tags, |object, tags| object.raw("schemaTags", &tags));
        object.maybe(highest, |object, highest| object.number("maxId", highest))
    })))
}

pub(super) fn text(view: View<'_>, call: &Call<'_>) -> Answer {
    let id = id(call)?;
    let Some((stored, _)) = stored(view, call, id) else {
        return Err(Refusal::no_such_schema(id).differing(Difference::UnknownIdSchema));
    };
    let text = resolved::text(view, stored, call.query.get("format"));
    Ok(Reply::ok(text.into_owned()))
}

pub(super) fn subjects(view: View<'_>, call: &Call<'_>) -> Answer {
    let places = places(view, call)?;
    let names = places
        .iter()
        .map(|stored| stored.subject.as_str())
        .collect();
    Ok(Reply::ok(write::texts(call.page(names)?)))
}

pub(super) fn versions(view: View<'_>, call: &Call<'_>) -> Answer {
    let places = call.page(places(view, call)?)?;
    let places = places.iter().map(|stored| {
        let object = Object::new().text("subject", stored.subject.as_str());
        object.number("version", stored.version).end()
    });
    Ok(Reply::ok(write::array(places)))
}

/// The subjects that have the schema of an id, in order of their names.
fn places<'a>(view: View<'a>, call: &Call<'_>) -> Result<Vec<&'a Stored>, Refusal> {
    let found = stored(view, call, id(call)?);
    let (found, context) = found.ok_or_else(Refusal::schema_not_found)?;
    let deleted = call.query.flag("deleted");
    // An imported schema may have two ids; the one it was last registered with counts.
    let ids = view.state.ids(context).into_iter();
    let places = ids.flat_map(|ids| {
        ids.of(&found.guid)
            .into_iter()
            .flat_map(|id| ids.places(id))
    });
    Ok(places
        .filter_map(|(subject, version)| view.version(subject, version, deleted))
        .collect())
}

pub(super) fn by_guid(view: View<'_>, call: &Call<'_>) -> Answer {
    let raw = call.parameter(0);
    let guid = SchemaGuid::parse(raw).ok_or_else(|| Refusal::no_such_schema(raw))?;
    let live = |(at, (context, id)): (usize, (&str, i32))| {
        let (subject, version) = view.state.ids(context)?.first_place(id)?;
        let stored = view.state.version(subject, version)?;
        (stored.guid == guid).then_some((at, stored))
    };
    let mut contexts = view.state.ids_of(&guid).enumerate();
    let Some((at, stored)) = contexts.find_map(live) else {
        return Err(Refusal::no_such_schema(raw));
    };
    if at > 0 {
        view.notes.note(Difference::GuidOfAnotherContext);
    }
    let text = resolved::text(view, stored, call.query.get("format"));
    let answer = forms::by_id(stored, &text, false, |object| object);
    if at > 0 {
        view.notes.note(Difference::GuidOfAnotherContext);
    }
    Ok(Reply::ok(answer))
}

pub(super) fn ids(view: View<'_>, call: &Call<'_>) -> Answer {
    let guid = SchemaGuid::parse(call.parameter(0));
    let places = guid.iter().flat_map(|guid| view.state.ids_of(guid));
    let places = places.map(|(context, id)| {
        Object::new()
            .text("context", context)
            .number("id", id)
            .end()
    });
    Ok(Reply::ok(write::array(places)))
}

pub(super) fn list(view: View<'_>, call: &Call<'_>) -> Answer {
    let query = &call.query;
    let (deleted, latest_only) = (query.flag("deleted"), query.flag("latestOnly"));
    let filter = Filter::parse(call)?;
    let mut listed = Vec::new();
    // Rule sets are dropped, so no schema has a rule of any type.
    if query.get("ruleType").is_none_or(str::is_empty) {
        for (name, aliases) in wanted_subjects(view, call) {
            let Some(associations) = filter.associations(view, name) else {
                continue;
            };
            let versions = view.state.subject(name).into_iter();
            let mut versions: Vec<&Stored> = versions
                .flat_map(|versions| versions.all())
                .filter(|stored| deleted || !stored.deleted)
                .collect();
            if latest_only {
                versions.drain(..versions.len().saturating_sub(1));
            }
            let rows = versions.into_iter();
            listed.extend(rows.map(|stored| (stored, aliases.clone(), associations.clone())));
        }
    }
    let rows = call.page(listed)?;
    let rows = rows.iter().map(|(stored, aliases, associations)| {
        forms::listed(stored, aliases.as_deref(), associations.as_deref())
    });
    Ok(Reply::ok(write::array(rows)))
}

/// The subjects of a list with the aliases they were found by.
fn wanted_subjects<'a>(view: View<'a>, call: &Call<'_>) -> Vec<(&'a Name, Option<Vec<String>>)> {
    let prefix = Prefix::parse(call.query.get("subjectPrefix").unwrap_or_default());
    let names = view.state.subjects().map(|(name, _)| name);
    let mut wanted: BTreeMap<&Name, Option<Vec<String>>> = names
        .filter(|name| prefix.matches(name))
        .map(|name| (name, None))
        .collect();
    if call.query.flag("aliases") {
        let configured = view.state.settings.iter().filter_map(|(name, _)| name);
        for alias in configured.filter(|alias| prefix.matches(alias)) {
            let target = view.subject(alias.as_str());
            let known = view.state.subjects().find(|(name, _)| **name == target);
            if let Some((name, _)) = known.filter(|(name, _)| *name != alias) {
                let aliases = wanted.entry(name).or_default().get_or_insert_default();
                aliases.push(alias.as_str().to_owned());
            }
        }
    }
    let mut wanted: Vec<_> = wanted.into_iter().collect();
    wanted.sort_by(|(left, _), (right, _)| utf16_order(left.as_str(), right.as_str()));
    wanted
}

/// Which associations the subjects of a list must have.
struct Filter<'q> {
    resource_type: Option<&'q str>,
    association_types: Vec<&'q str>,
    lifecycle: Option<Option<Lifecycle>>,
}

impl<'q> Filter<'q> {
    fn parse(call: &'q Call<'_>) -> Result<Self, Refusal> {
        let lifecycle = match call.query.get("lifecycle") {
            None => None,
            Some("NONE") => Some(None),
            Some(name) => {
                let lifecycle = Lifecycle::from_wire_name(name);
                Some(Some(lifecycle.ok_or_else(Refusal::not_a_number)?))
            }
        };
        Ok(Self {
            resource_type: call
                .query
                .get("resourceType")
                .filter(|name| !name.is_empty()),
            association_types: call.query.all("associationType").collect(),
            lifecycle,
        })
    }

    /// What to show for a subject; nothing when it is not wanted.
    fn associations<'a>(
        &self,
        view: View<'a>,
        subject: &Name,
    ) -> Option<Option<Vec<&'a Association>>> {
        let all = view.state.associations.iter();
        let all = all.filter(|one| one.subject == *subject);
        let asks = self.resource_type.is_some() || !self.association_types.is_empty();
        let lifecycle = match self.lifecycle {
            Some(None) => return (all.count() == 0).then_some(None),
            Some(Some(lifecycle)) => Some(lifecycle),
            None if !asks => return Some(None),
            None => None,
        };
        let found: Vec<&Association> = all
            .filter(|one| {
                self.resource_type
                    .is_none_or(|kind| kind == one.resource_type)
            })
            .filter(|one| {
                self.association_types.is_empty()
                    || self
                        .association_types
                        .contains(&one.association_type.as_str())
            })
            .filter(|one| lifecycle.is_none_or(|lifecycle| lifecycle == one.lifecycle))
            .collect();
        (!found.is_empty()).then_some(Some(found))
    }
}

fn id(call: &Call<'_>) -> Result<i32, Refusal> {
    let id = call.parameter(0).parse();
    id.map_err(|_| Refusal::not_a_number())
}

/// The version that stands for an id, and its context. The subject of the question picks the context, and there itself; one
/// without a context is looked for in the other contexts too, and without luck anybody in the default context will do.
fn stored<'a>(view: View<'a>, call: &Call<'_>, id: i32) -> Option<(&'a Stored, &'a str)> {
    let asked = call
        .query
        .get("subject")
        .filter(|subject| !subject.is_empty());
    let asked = asked.map_or_else(
        || Name::within(DEFAULT_CONTEXT, ""),
        |raw| view.subject(raw),
    );
    let own = |name: &Name| {
        let version = view.state.ids(name.context())?.version_of(id, name)?;
        view.state.version(name, version)
    };
    let anybody = |context: &str| {
        let (subject, version) = view.state.ids(context)?.first_place(id)?;
        view.state.version(subject, version)
    };
    let found = if asked.local().is_empty() {
        anybody(asked.context())
    } else if !asked.is_default_context() {
        own(&asked)
    } else {
        let elsewhere = || {
            let mut contexts = view.state.contexts().iter();
            contexts.find_map(|context| own(&Name::within(context, asked.local())))
        };
        own(&asked)
            .or_else(|| anybody(DEFAULT_CONTEXT))
            .or_else(elsewhere)
    };
    found.map(|stored| (stored, stored.subject.context()))
}

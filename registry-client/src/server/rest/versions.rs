//! `/subjects/{subject}/versions` and what lies below it.

use std::collections::BTreeSet;

use super::write::{self, Object};
use super::{Answer, Call, Reply, forms};
use crate::SchemaType;
use crate::server::delete;
use crate::server::names::Name;
use crate::server::posted::{LATEST, Posted, PostedLink};
use crate::server::refusal::Refusal;
use crate::server::register::{self, Terms};
use crate::server::resolved;
use crate::server::state::Stored;
use crate::server::tags;
use crate::server::view::{View, Work};

pub(super) fn list(view: View<'_>, call: &Call<'_>) -> Answer {
    let subject = view.subject(call.parameter(0));
    let flag = |name| call.query.flag(name);
    let (deleted_only, as_negative) = (flag("deletedOnly"), flag("deletedAsNegative"));
    let deleted = flag("deleted") || deleted_only || as_negative;
    let versions = view.state.subject(&subject);
    let Some(versions) = versions.filter(|versions| deleted || versions.has_live()) else {
        return Err(Refusal::subject_not_found(&subject));
    };
    let numbers = versions.all().filter_map(|stored| match stored.deleted {
        true if as_negative => Some(-stored.version),
        true => deleted.then_some(stored.version),
        false => (as_negative || !deleted_only).then_some(stored.version),
    });
    let numbers = call.page(numbers.collect())?;
    let numbers = numbers.iter().map(ToString::to_string);
    Ok(Reply::ok(write::array(numbers)))
}

pub(super) fn get(view: View<'_>, call: &Call<'_>) -> Answer {
    let stored = wanted(view, call)?;
    let text = resolved::text(view, stored, call.query.get("format"));
    let tags = found_tags(stored, call);
    Ok(Reply::ok(forms::version_with(stored, &text, |object| {
        object.maybe(tags, |object, tags| object.raw("schemaTags", &tags))
    })))
}

pub(super) fn text(view: View<'_>, call: &Call<'_>) -> Answer {
    let stored = wanted(view, call)?;
    let text = resolved::text(view, stored, call.query.get("format"));
    Ok(Reply::ok(text.into_owned()))
}

pub(super) fn referrers(view: View<'_>, call: &Call<'_>) -> Answer {
    let stored = wanted(view, call)?;
    let referrers = view.state.referrers(&stored.subject, stored.version);
    let ids: BTreeSet<i32> = referrers.map(|stored| stored.id).collect();
    let ids = call.page(ids.into_iter().collect())?;
    Ok(Reply::ok(write::array(ids.iter().map(ToString::to_string))))
}

pub(super) fn with_metadata(view: View<'_>, call: &Call<'_>) -> Answer {
    let subject = view.subject(call.parameter(0));
    let deleted = call.query.flag("deleted");
    if !view.state.has_subject(&subject, deleted) {
        return Err(Refusal::subject_not_found(&subject));
    }
    let has_all = |stored: &&Stored| {
        let metadata = stored.content.metadata.as_deref();
        let mut pairs = call.query.all("key").zip(call.query.all("value"));
        pairs.all(|(key, value)| {
            let known = metadata.and_then(|metadata| metadata.properties.get(key));
            known.is_some_and(|known| known == value)
        })
    };
    let versions = view.state.subject(&subject).into_iter();
    let newest_first = versions.flat_map(|versions| versions.all().rev());
    let stored = newest_first
        .filter(|stored| deleted || !stored.deleted)
        .find(has_all)
        .ok_or_else(Refusal::schema_not_found)?;
    let text = resolved::text(view, stored, call.query.get("format"));
    Ok(Reply::ok(forms::version(stored, &text)))
}

pub(super) fn delete(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let view = work.view();
    let subject = view.subject(call.parameter(0));
    let version = number(view, &subject, call.parameter(1))?;
    delete::version(work, &subject, version, call.query.flag("permanent"))?;
    Ok(Reply::ok(version.to_string()))
}

/// Registers the version again with other tags and metadata.
pub(super) fn tag(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let view = work.view();
    let stored = wanted(view, call)?;
    let subject = stored.subject.clone();
    let next = view.state.subject(&subject).map_or(0, |all| all.highest());
    let posted = call.read(|members| {
        let mut tags = members.tags("tagsToAdd", false)?;
        tags.extend(members.tags("tagsToRemove", true)?);
        let own = stored.content.metadata.as_deref().cloned();
        members.rule_set("ruleSet")?;
        Ok(Posted {
            kind: stored.content.kind,
            text: Some(stored.content.text.clone()),
            references: stored
                .content
                .references
                .iter()
                .map(PostedLink::of)
                .collect(),
            metadata: members.metadata("metadata")?.or(own),
            version: members.integer("newVersion")?.or(next.checked_add(1)),
            tags,
            ..Posted::default()
        })
    })?;
    let made = register::register(work, &subject, &posted, Terms::default())?;
    Ok(Reply::ok(forms::registration(&made)))
}

/// The version that the path names.
fn wanted<'a>(view: View<'a>, call: &Call<'_>) -> Result<&'a Stored, Refusal> {
    let subject = view.subject(call.parameter(0));
    let deleted = call.query.flag("deleted");
    let raw = call.parameter(1);
    let found = match parsed(raw)? {
        LATEST => view.latest(&subject),
        version => view.version(&subject, version, deleted),
    };
    found.ok_or_else(|| {
        if view.state.has_subject(&subject, deleted) {
            Refusal::version_not_found(parsed(raw).unwrap_or(LATEST))
        } else {
            Refusal::subject_not_found(&subject)
        }
    })
}

/// The number of a version to delete; the latest has one only while it is live.
fn number(view: View<'_>, subject: &Name, raw: &str) -> Result<i32, Refusal> {
    match parsed(raw)? {
        LATEST => match view.latest(subject) {
            Some(stored) => Ok(stored.version),
            None => Err(delete::missing(view, subject, LATEST)),
        },
        version => Ok(version),
    }
}

/// A version in a path: a number from 1, `latest` in any case, or −1 for it.
pub(super) fn parsed(raw: &str) -> Result<i32, Refusal> {
    if raw.eq_ignore_ascii_case("latest") {
        return Ok(LATEST);
    }
    match raw.trim().parse() {
        Ok(version) if version >= 1 || version == LATEST => Ok(version),
        _ => Err(Refusal::bad_version(raw)),
    }
}

/// The tags in the text that were asked for.
pub(super) fn found_tags(stored: &Stored, call: &Call<'_>) -> Option<String> {
    let wanted: Vec<&str> = call.query.all("findTags").collect();
    if wanted.is_empty() || stored.content.kind != SchemaType::Avro {
        return None;
    }
    let everything = wanted.contains(&"*");
    let found = tags::present(&stored.content.text);
    let found = found
        .into_iter()
        .filter(|(_, _, tags)| everything || tags.iter().any(|tag| wanted.contains(&tag.as_str())));
    let found: Vec<String> = found
        .map(|(path, is_field, tags)| {
            let kind = if is_field { "sr_field" } else { "sr_record" };
            let entity = Object::new()
                .text("entityPath", &path)
                .text("entityType", kind);
            Object::new()
                .raw("schemaEntity", &entity.end())
                .raw("tags", &write::texts(tags.iter().map(String::as_str)))
                .end()
        })
        .collect();
    (!found.is_empty()).then(|| write::array(found))
}

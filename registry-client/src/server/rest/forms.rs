//! How schemas and settings look in answers.

use super::write::{self, Object};
use crate::SchemaGuid;
use crate::guid::MetadataSets;
use crate::server::content::{Content, Link};
use crate::server::find::Found;
use crate::server::register::Registration;
use crate::server::state::{Association, Stored};

/// What registering answers.
pub(crate) fn registration(made: &Registration) -> String {
    let object = Object::new().number("id", made.id);
    let object = object.number("version", made.version);
    let object = content_then_text(object, made.content.guid(), &made.content);
    let shown = |object: Object, (ts, deleted)| object.number("ts", ts).flag("deleted", deleted);
    object.maybe(made.shown, shown).end()
}

/// What looking up answers.
pub(crate) fn lookup(found: &Found<'_>, text: &str) -> String {
    let stored = found.stored;
    let object = members(places(stored), stored.guid, &found.content);
    object.text("schema", text).end()
}

/// A version.
pub(crate) fn version(stored: &Stored, text: &str) -> String {
    version_with(stored, text, |object| object)
}

/// A version with members before its time.
pub(crate) fn version_with(
    stored: &Stored,
    text: &str,
    extra: impl FnOnce(Object) -> Object,
) -> String {
    let object = members(places(stored), stored.guid, &stored.content);
    extra(object.text("schema", text))
        .number("ts", stored.ts)
        .flag("deleted", stored.deleted)
        .end()
}

/// A version in a list, with aliases and associations where they were asked for.
pub(crate) fn listed(
    stored: &Stored,
    aliases: Option<&[String]>,
    associations: Option<&[&Association]>,
) -> String {
    let object = content_then_text(places(stored), stored.guid, &stored.content);
    let object = object
        .number("ts", stored.ts)
        .flag("deleted", stored.deleted);
    let names = |list: &[String]| write::texts(list.iter().map(String::as_str));
    let object = object.maybe(aliases, |object, list| object.raw("aliases", &names(list)));
    let list = |list: &[&Association]| write::array(list.iter().map(|one| association(one)));
    let object = object.maybe(associations, |object, found| {
        object.raw("associations", &list(found))
    });
    object.end()
}

/// A schema by its id or name: without an id, and by name without a place too.
pub(crate) fn by_id(
    stored: &Stored,
    text: &str,
    shows_place: bool,
    extra: impl FnOnce(Object) -> Object,
) -> String {
    let object = if shows_place {
        let object = Object::new().text("subject", stored.subject.as_str());
        object.number("version", stored.version)
    } else {
        Object::new()
    };
    let object = object
        .text("guid", &stored.guid.to_string())
        .text("schemaType", stored.content.kind.wire_name())
        .text("schema", text);
    let object = references(object, &stored.content.references);
    let object = object.maybe(stored.content.metadata.as_deref(), with_metadata);
    extra(object)
        .number("ts", stored.ts)
        .flag("deleted", stored.deleted)
        .end()
}

/// The schema inside an association.
pub(crate) fn associated(stored: &Stored) -> String {
    content_then_text(places(stored), stored.guid, &stored.content).end()
}

/// An association.
pub(crate) fn association(association: &Association) -> String {
    Object::new()
        .text("subject", association.subject.as_str())
        .text("guid", &association.guid)
        .text("resourceName", &association.resource_name)
        .text("resourceNamespace", &association.resource_namespace)
        .text("resourceId", &association.resource_id)
        .text("resourceType", &association.resource_type)
        .text("associationType", &association.association_type)
        .text("lifecycle", association.lifecycle.wire_name())
        .number("createTs", association.created)
        .number("updateTs", association.updated)
        .end()
}

/// Metadata; empty members are left out.
pub(crate) fn metadata(metadata: &MetadataSets) -> String {
    let texts =
        |set: &std::collections::BTreeSet<String>| write::texts(set.iter().map(String::as_str));
    let tags = metadata.tags.iter();
    let tags = tags.fold(Object::new(), |object, (path, list)| {
        object.raw(path, &texts(list))
    });
    let properties = metadata.properties.iter();
    let properties = properties.fold(Object::new(), |object, (key, value)| {
        object.text(key, value)
    });
    let given = |is_empty: bool, json: String| (!is_empty).then_some(json);
    Object::new()
        .maybe(
            given(metadata.tags.is_empty(), tags.end()),
            |object, json| object.raw("tags", &json),
        )
        .maybe(
            given(metadata.properties.is_empty(), properties.end()),
            |object, json| object.raw("properties", &json),
        )
        .maybe(
            given(metadata.sensitive.is_empty(), texts(&metadata.sensitive)),
            |object, json| object.raw("sensitive", &json),
        )
        .end()
}

fn places(stored: &Stored) -> Object {
    Object::new()
        .text("subject", stored.subject.as_str())
        .number("version", stored.version)
        .number("id", stored.id)
}

fn content_then_text(object: Object, guid: SchemaGuid, content: &Content) -> Object {
    members(object, guid, content).text("schema", &content.text)
}

fn members(object: Object, guid: SchemaGuid, content: &Content) -> Object {
    let object = object
        .text("guid", &guid.to_string())
        .text("schemaType", content.kind.wire_name());
    let object = references(object, &content.references);
    object.maybe(content.metadata.as_deref(), with_metadata)
}

fn with_metadata(object: Object, sets: &MetadataSets) -> Object {
    object.raw("metadata", &metadata(sets))
}

/// References; without any there is no member, and empty members of one are left out.
fn references(object: Object, links: &[Link]) -> Object {
    if links.is_empty() {
        return object;
    }
    let written = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let link = |link: &Link| {
        Object::new()
            .maybe(written(&link.name), |object, name| {
                object.text("name", &name)
            })
            .maybe(written(&link.subject), |object, subject| {
                object.text("subject", &subject)
            })
            .number("version", link.version)
            .end()
    };
    object.raw("references", &write::array(links.iter().map(link)))
}

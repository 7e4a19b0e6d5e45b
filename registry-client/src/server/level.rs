//! Compatibility levels at work: with which versions a schema is compared, in which direction, and what is said about it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Difference;
use super::content::{Content, RESERVED_PROPERTY};
use super::language::Language;
use super::names::Name;
use super::posted::{resolved, resolved_of};
use super::refusal::Refusal;
use super::state::{Settings, Stored, SubjectVersions};
use super::view::View;
use crate::CompatibilityLevel;
use crate::format::{Incompatibility, InvalidSchema, SchemaFormat, SchemaSource};

/// Why `new` does not get along with the versions of a subject under its level: object-like texts, or none.
/// `versions` come from the oldest to the newest, all of them live: those of the subject, or the one that the question
/// names, which counts at every level.
///
/// # Errors
/// A schema that is compared is none for its language (42201).
pub(crate) fn incompatibilities(
    view: View<'_>,
    subject: &Name,
    settings: &Settings,
    new: &Content,
    versions: &[&Stored],
) -> Result<Vec<String>, Refusal> {
    let level = view.level(settings);
    let grouped = in_group(settings, new, versions);
    let compared = match (level, level.is_transitive()) {
        (CompatibilityLevel::None, _) => return Ok(Vec::new()),
        (_, true) => &grouped[..],
        (_, false) => &grouped[grouped.len().saturating_sub(1)..],
    };
    let validates_fields = settings.validate_fields == Some(true);
    let mut messages = Vec::new();
    if compared.iter().any(|old| old.content.kind != new.kind) {
        messages.push("Incompatible because of different schema type".to_owned());
    } else {
        if let (true, Some(latest)) = (validates_fields, grouped.last()) {
            messages.extend(reserved_fields(new, &latest.content));
        }
        messages.extend(compare(view, subject, settings, new, compared)?);
    }
    if !messages.is_empty() {
        messages.push(format!(
            "{{validateFields: '{validates_fields}', compatibility: '{level}'}}"
        ));
    }
    Ok(messages)
}

/// The live versions of a subject that may count under such settings, from the oldest to the newest. Where the latest is
/// enough, a long history costs nothing.
pub(crate) fn candidates<'a>(
    view: View<'_>,
    settings: &Settings,
    versions: Option<&'a SubjectVersions>,
) -> Vec<&'a Stored> {
    let level = view.level(settings);
    let versions = versions.into_iter();
    if level == CompatibilityLevel::None {
        Vec::new()
    } else if level.is_transitive() || settings.group.is_some() {
        versions.flat_map(|versions| versions.live()).collect()
    } else {
        versions.filter_map(|versions| versions.latest()).collect()
    }
}

/// The versions whose metadata have the same value of the configured group, or none as well.
fn in_group<'a>(settings: &Settings, new: &Content, versions: &[&'a Stored]) -> Vec<&'a Stored> {
    let Some(group) = &settings.group else {
        return versions.to_vec();
    };
    let value = |content: &Content| {
        let metadata = content.metadata.as_deref();
        metadata.and_then(|metadata| metadata.properties.get(group).cloned())
    };
    let own = value(new);
    let same = |old: &&&Stored| value(&old.content) == own;
    versions.iter().filter(same).copied().collect()
}

/// Compares with one version after the other, the newest first, until one does not get along.
fn compare(
    view: View<'_>,
    subject: &Name,
    settings: &Settings,
    new: &Content,
    versions: &[&Stored],
) -> Result<Vec<String>, Refusal> {
    let Language::Built(format) = view.languages.of(new.kind) else {
        return Ok(Vec::new());
    };
    let invalid = |reason: &str| Refusal::invalid_schema(reason);
    let references = resolved(view, subject, &new.references).map_err(|bad| invalid(&bad))?;
    let new = SchemaSource {
        text: &new.text,
        references: &references,
        is_new: true,
    };
    let pair = Pair {
        format: format.as_ref(),
        level: view.level(settings),
        view,
        settings,
        new,
    };
    for old in versions.iter().rev() {
        let references = resolved_of(view, old);
        let source = SchemaSource {
            text: &old.content.text,
            references: &references,
            is_new: false,
        };
        let messages = pair.differences(old.version, source);
        let messages = messages.map_err(|InvalidSchema { reason }| invalid(&reason))?;
        if !messages.is_empty() {
            return Ok(messages);
        }
    }
    Ok(Vec::new())
}

struct Pair<'a> {
    format: &'a dyn SchemaFormat,
    level: CompatibilityLevel,
    view: View<'a>,
    settings: &'a Settings,
    new: SchemaSource<'a>,
}

impl Pair<'_> {
    /// What stands between the new schema and an old one. The old one is shown after the differences, but not where
    /// both directions were asked for and only the forward one failed.
    fn differences(
        &self,
        version: i32,
        old: SchemaSource<'_>,
    ) -> Result<Vec<String>, InvalidSchema> {
        let (forward, backward) = match self.level {
            CompatibilityLevel::None => (false, false),
            CompatibilityLevel::Backward | CompatibilityLevel::BackwardTransitive => (false, true),
            CompatibilityLevel::Forward | CompatibilityLevel::ForwardTransitive => (true, false),
            CompatibilityLevel::Full | CompatibilityLevel::FullTransitive => (true, true),
        };
        let policy = self.settings.policy.unwrap_or_default();
        let mut messages = Vec::new();
        if forward {
            let found = self.format.incompatibilities(&old, &self.new, policy)?;
            messages.extend(self.told(found));
        }
        let mut shows_old = forward && !backward && !messages.is_empty();
        if backward {
            let found = self.format.incompatibilities(&self.new, &old, policy)?;
            shows_old |= !found.is_empty();
            messages.extend(self.told(found));
        }
        if shows_old {
            messages.push(format!("{{oldSchemaVersion: {version}}}"));
            messages.push(shown(old.text));
        }
        Ok(messages)
    }

    /// The texts; it is noted where the recorded server finds none.
    fn told(&self, found: Vec<Incompatibility>) -> impl Iterator<Item = String> {
        if found.iter().any(|one| one.kind == EXCLUSIVE_MAXIMUM) {
            self.view.notes.note(Difference::ExclusiveMaximumDecreased);
        }
        found.into_iter().map(|one| one.message)
    }
}

/// The text of an old schema in a message; a long one is cut short.
fn shown(text: &str) -> String {
    let cut = text
        .char_indices()
        .nth(MOST_SHOWN)
        .map(|(at, _)| &text[..at]);
    match cut {
        Some(cut) => format!("{{oldSchema: <truncated> '{cut}...'}}"),
        None => format!("{{oldSchema: '{text}'}}"),
    }
}

/// The kind of difference over which the recorded server fails.
const EXCLUSIVE_MAXIMUM: &str = "EXCLUSIVE_MAXIMUM_DECREASED";

/// How much of an old schema a message shows, in characters.
const MOST_SHOWN: usize = 10 * 1024;

/// Fields that the metadata reserve must neither be there nor cease to be reserved.
fn reserved_fields(new: &Content, old: &Content) -> Vec<String> {
    let (reserved, before) = (reserved(new), reserved(old));
    let removed = before.difference(&reserved).map(|field| {
        format!(
            "The new schema has reserved field {field} removed from its metadata which is present in the old schema's metadata."
        )
    });
    let fields = top_level_fields(new);
    let conflicts = reserved.intersection(&fields).map(|field| {
        format!("The new schema has field that conflicts with the reserved field {field}.")
    });
    removed.chain(conflicts).collect()
}

fn reserved(content: &Content) -> BTreeSet<String> {
    let metadata = content.metadata.as_deref();
    let list = metadata.and_then(|metadata| metadata.properties.get(RESERVED_PROPERTY));
    let names = list.into_iter().flat_map(|list| list.split(','));
    let names = names.map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// The fields of the root record or object. Protobuf has none here: its texts are not JSON.
fn top_level_fields(content: &Content) -> BTreeSet<String> {
    let Ok(schema) = serde_json::from_str::<Value>(&content.text) else {
        return BTreeSet::new();
    };
    let avro = schema.get("fields").and_then(Value::as_array);
    let avro = avro.into_iter().flatten();
    let avro = avro.filter_map(|field| field.get("name")?.as_str().map(str::to_owned));
    let json = schema.get("properties").and_then(Value::as_object);
    let json = json.into_iter().flatten().map(|(name, _)| name.clone());
    avro.chain(json).collect()
}

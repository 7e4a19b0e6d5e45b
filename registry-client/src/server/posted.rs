//! A schema as somebody posts it, and how it becomes one that can be kept: references followed, text parsed and printed.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::content::{Content, Link};
use super::language::Language;
use super::names::Name;
use super::refusal::Refusal;
use super::state::{Stored, link_target};
use super::tags::TagChange;
use super::view::View;
use crate::format::{InvalidSchema, ReferencedSchema, SchemaSource};
use crate::guid::MetadataSets;
use crate::{Reference, SchemaType, Subject, Version};

/// What a request says about a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Posted {
    pub(crate) kind: SchemaType,
    pub(crate) text: Option<Arc<str>>,
    pub(crate) references: Vec<PostedLink>,
    pub(crate) metadata: Option<MetadataSets>,
    /// A rule set came with it. The registry drops it, but looks nothing up with one.
    pub(crate) has_rules: bool,
    /// The id it shall have; below 0 it counts as none.
    pub(crate) id: Option<i32>,
    /// The version it shall have; below 1 it counts as none.
    pub(crate) version: Option<i32>,
    pub(crate) tags: Vec<TagChange>,
}

/// Into which form a schema is brought.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Form {
    pub(crate) normalize: bool,
    /// It is about to be registered, rather than looked up: its language may be stricter then.
    pub(crate) is_new: bool,
}

/// A reference as it is posted: anything may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PostedLink {
    pub(crate) name: Option<String>,
    pub(crate) subject: Option<String>,
    pub(crate) version: Option<i32>,
}

impl Posted {
    /// The text, unless it is missing or blank.
    pub(crate) fn written(&self) -> Option<&Arc<str>> {
        self.text.as_ref().filter(|text| !text.trim().is_empty())
    }

    pub(crate) fn wanted_id(&self) -> Option<i32> {
        self.id.filter(|id| *id >= 0)
    }

    pub(crate) fn wanted_version(&self) -> Option<i32> {
        self.version.filter(|version| *version >= 1)
    }

    /// The schema as it would be kept under a subject.
    ///
    /// # Errors
    /// The text or a reference is not good (42201).
    pub(crate) fn canonical(
        &self,
        view: View<'_>,
        subject: &Name,
        form: Form,
    ) -> Result<Content, Refusal> {
        let Some(text) = self.written() else {
            return Err(Refusal::invalid_schema("Empty schema"));
        };
        let invalid = |reason: &str| self.invalid(subject, reason);
        let mut links = self.links(view, subject).map_err(|bad| invalid(&bad))?;
        let referenced = resolved(view, subject, &links).map_err(|bad| invalid(&bad))?;
        let text = match view.languages.of(self.kind) {
            Language::Built(format) => {
                let source = SchemaSource {
                    text,
                    references: &referenced,
                    is_new: form.is_new,
                };
                let printed = format.canonical(&source, form.normalize);
                let read = || {
                    let source = SchemaSource {
                        is_new: false,
                        ..source
                    };
                    form.is_new && format.canonical(&source, false).is_ok()
                };
                let printed = printed.map_err(|InvalidSchema { reason }| match self.kind {
                    SchemaType::Json | SchemaType::Protobuf if read() => {
                        self.unsound(subject, &reason)
                    }
                    SchemaType::Avro | SchemaType::Json | SchemaType::Protobuf => invalid(&reason),
                })?;
                let checks_fields = form.is_new
                    && self.kind == SchemaType::Json
                    && view.settings(subject).validate_fields == Some(true);
                if checks_fields && let Some(place) = reserved_name(&printed) {
                    let reason = format!("{place}: Field names cannot start with $$ prefix");
                    return Err(self.unsound(subject, &reason));
                }
                printed.into()
            }
            Language::Verbatim => Arc::clone(text),
            Language::Absent => return Err(absent(self.kind)),
        };
        if form.normalize {
            links.sort_by(|left, right| left.name.cmp(&right.name));
        }
        Ok(Content {
            kind: self.kind,
            text,
            references: links.into(),
            metadata: self.metadata.clone().map(Arc::new),
        })
    }

    /// The references with all their members; the version −1 becomes the latest.
    fn links(&self, view: View<'_>, from: &Name) -> Result<Vec<Link>, String> {
        let mut links = Vec::with_capacity(self.references.len());
        for posted in &self.references {
            let (Some(name), Some(subject), Some(version)) =
                (&posted.name, &posted.subject, posted.version)
            else {
                return Err(format!("Invalid reference: {posted}"));
            };
            let version = match version {
                LATEST => view
                    .latest(&link_target(from, subject))
                    .map_or(version, |stored| stored.version),
                _ => version,
            };
            let link = Link {
                name: name.clone(),
                subject: subject.clone(),
                version,
            };
            if links.contains(&link) {
                return Err(format!(
                    "Invalid reference: {posted}, which stands there twice"
                ));
            }
            links.push(link);
        }
        Ok(links)
    }

    /// The refusal of a text or reference, worded as the registry words it for the language.
    fn invalid(&self, subject: &Name, reason: &str) -> Refusal {
        let kind = self.kind;
        let lead = format!("Invalid schema of type {kind}, details: ");
        Refusal::invalid_schema(match kind {
            SchemaType::Avro => {
                let number = |number: Option<i32>| number.map_or("null".into(), |n| n.to_string());
                let schema = self.described(subject, number(self.version), number(self.id));
                let references = list(&self.references);
                format!(
                    "{lead}Invalid schema {schema} with refs {references} of type {kind}, details: {reason}"
                )
            }
            SchemaType::Json | SchemaType::Protobuf => format!("{lead}{lead}{reason}"),
        })
    }

    /// The refusal of a text that can be read and makes no sense.
    fn unsound(&self, subject: &Name, reason: &str) -> Refusal {
        let (version, id) = (self.version.unwrap_or(0), self.id.unwrap_or(-1));
        let schema = self.described(subject, version.to_string(), id.to_string());
        Refusal::invalid_schema(format!("Invalid schema {schema}, details: {reason}"))
    }

    /// The posted schema as the registry's messages show it.
    fn described(&self, subject: &Name, version: String, id: String) -> String {
        let text = self.text.as_deref().unwrap_or("null");
        let mut digest = crate::guid::ContentDigest::of_text(self.text.as_deref().unwrap_or(""));
        for link in &self.references {
            let text = |member: &Option<String>| member.clone().unwrap_or_default();
            let version = link.version.unwrap_or_default();
            digest.reference(&text(&link.name), &text(&link.subject), version);
        }
        format!(
            "{{subject={subject},version={version},id={id},guid={},schemaType={},references={},metadata=null,\
             ruleSet=null,schema={text},schemaTags=null,ts=null,deleted=null}}",
            digest.finish(),
            self.kind,
            list(&self.references),
        )
    }
}

impl fmt::Display for PostedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("null");
        let subject = self.subject.as_deref().unwrap_or("null");
        let version = self.version.map_or("null".into(), |v| v.to_string());
        write!(
            f,
            "{{name='{name}', subject='{subject}', version={version}}}"
        )
    }
}

fn list(links: &[PostedLink]) -> String {
    let texts: Vec<_> = links.iter().map(ToString::to_string).collect();
    format!("[{}]", texts.join(", "))
}

/// Everything that references lead to, each after what it needs itself. A name counts once: the first one wins.
///
/// # Errors
/// A reference leads nowhere, or to too many schemas.
pub(crate) fn resolved(
    view: View<'_>,
    from: &Name,
    links: &[Link],
) -> Result<Vec<ReferencedSchema>, String> {
    let mut found = Vec::new();
    follow(view, from, links, &mut HashSet::new(), &mut found)?;
    Ok(found)
}

fn follow(
    view: View<'_>,
    from: &Name,
    links: &[Link],
    seen: &mut HashSet<String>,
    found: &mut Vec<ReferencedSchema>,
) -> Result<(), String> {
    for link in links {
        if !seen.insert(link.name.clone()) {
            continue;
        }
        if seen.len() > MOST_REFERENCED {
            return Err(format!("it refers to more than {MOST_REFERENCED} schemas"));
        }
        let target = link_target(from, &link.subject);
        let stored = view.version(&target, link.version, true);
        let place = Subject::new(&link.subject).zip(Version::new(link.version));
        let Some((stored, (subject, version))) = stored.zip(place) else {
            return Err(format!(
                "No schema reference found for subject \"{}\" and version {}",
                link.subject, link.version
            ));
        };
        follow(view, &target, &stored.content.references, seen, found)?;
        found.push(ReferencedSchema {
            reference: Reference {
                name: link.name.as_str().into(),
                subject,
                version,
            },
            text: stored.content.text.as_ref().into(),
        });
    }
    Ok(())
}

/// The references of a kept version. One that leads nowhere any more is left out: the language says what is missing.
pub(crate) fn resolved_of(view: View<'_>, stored: &Stored) -> Vec<ReferencedSchema> {
    resolved(view, &stored.subject, &stored.content.references).unwrap_or_default()
}

/// Where a JSON Schema has a property whose name the registry keeps for itself (`validateFields`).
fn reserved_name(text: &str) -> Option<String> {
    // The parser bounds the depth.
    fn within(schema: &Value, place: &str) -> Option<String> {
        let properties = schema.get("properties")?.as_object()?;
        if properties.keys().any(|name| name.starts_with("$$")) {
            return Some(place.to_owned());
        }
        let mut inner = properties.iter();
        inner.find_map(|(name, schema)| within(schema, &format!("{place}/properties/{name}")))
    }
    within(&serde_json::from_str(text).ok()?, "#")
}

fn absent(kind: SchemaType) -> Refusal {
    let message = format!(
        "Invalid schema of type {kind}, details: this registry does not read {kind} schemas; register it in a registry that does"
    );
    Refusal::invalid_schema(message)
}

/// The version that means the latest one.
pub(crate) const LATEST: i32 = -1;

/// How many schemas one schema may lead to. It bounds the recursion over references.
const MOST_REFERENCED: usize = 1000;

impl PostedLink {
    /// A kept reference, posted again.
    pub(crate) fn of(link: &Link) -> Self {
        Self {
            name: Some(link.name.clone()),
            subject: Some(link.subject.clone()),
            version: Some(link.version),
        }
    }
}

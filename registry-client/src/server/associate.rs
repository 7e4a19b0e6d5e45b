//! Associating resources with subjects, and taking that back.

use super::delete;
use super::journal::Change;
use super::names::Name;
use super::posted::Posted;
use super::refusal::Refusal;
use super::register::{self, Registration, Terms};
use super::state::{Association, Lifecycle, Stored};
use super::view::{View, Work};
use crate::SchemaGuid;
use crate::guid::ContentDigest;

/// A topic, as a request names it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resource {
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) kind: String,
}

/// One association that is wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    pub(crate) subject: Option<String>,
    /// `key` or `value`.
    pub(crate) kind: Option<String>,
    pub(crate) lifecycle: Option<Lifecycle>,
    pub(crate) frozen: Option<bool>,
    pub(crate) schema: Option<Posted>,
    pub(crate) normalize: bool,
}

/// How wishes are fulfilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// The resource is new, or at least the associations are.
    Create,
    /// Existing associations are changed.
    Upsert,
}

/// An association that was made or changed, and the schema that came with it.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) association: Association,
    pub(crate) registered: Option<(Name, i32)>,
}

/// Which associations to take away.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Removal<'a> {
    pub(crate) resource_type: Option<&'a str>,
    pub(crate) kinds: &'a [&'a str],
    /// Strong associations go too, with their subjects.
    pub(crate) cascade: bool,
}

/// Fulfils all wishes for a resource or none. What is there already is not among the answers.
///
/// # Errors
/// A property is not good (42212), a subject has no version (40907), or its schema cannot be registered.
pub(crate) fn fulfil(
    work: &mut Work<'_>,
    resource: &Resource,
    wishes: &[Wish],
    verb: Verb,
) -> Result<Vec<Made>, Refusal> {
    let known = checked(resource, wishes)?;
    let plans = plan(work.view(), &known, wishes, verb)?;
    // Only a schema can still be refused, and then the ones before it must not stay.
    let before = plans.iter().any(|plan| plan.wish.schema.is_some());
    let before = before.then(|| (work.state.clone(), work.records.len()));
    let made = carry_out(work, &known, &plans);
    if let (Err(_), Some((state, length))) = (&made, before) {
        *work.state = state;
        work.records.truncate(length);
    }
    made
}

/// A resource with all its names.
struct Known<'a> {
    name: &'a str,
    namespace: &'a str,
    id: &'a str,
    kind: &'a str,
}

struct Plan<'a> {
    wish: &'a Wish,
    association: Association,
}

fn checked<'a>(resource: &'a Resource, wishes: &[Wish]) -> Result<Known<'a>, Refusal> {
    let given = |property, text: &'a Option<String>| {
        let text = text.as_deref().filter(|text| !text.is_empty());
        text.ok_or_else(|| bad(property, "cannot be null or empty"))
    };
    let known = Known {
        name: given("resourceName", &resource.name)?,
        namespace: given("resourceNamespace", &resource.namespace)?,
        id: given("resourceId", &resource.id)?,
        kind: &resource.kind,
    };
    if known.kind != TOPIC {
        return Err(bad("resourceType", "must be 'topic'"));
    }
    if wishes.is_empty() {
        return Err(bad("associations", "cannot be null or empty"));
    }
    for wish in wishes {
        if !matches!(wish.kind(), "key" | "value") {
            return Err(bad("associationType", "must be either 'key' or 'value'"));
        }
    }
    Ok(known)
}

fn plan<'a>(
    view: View<'_>,
    known: &Known<'_>,
    wishes: &'a [Wish],
    verb: Verb,
) -> Result<Vec<Plan<'a>>, Refusal> {
    let mut plans = Vec::new();
    for wish in wishes {
        let mut existing = view.state.associations.of_resource(known.id);
        let existing = existing.find(|one| one.association_type == wish.kind());
        if verb == Verb::Upsert && existing.is_none() && wish.schema.is_some() {
            return Err(bad(
                "schema",
                "cannot be provided when adding an association to an existing topic; an association with a schema must be created with the topic",
            ));
        }
        let lifecycle = lifecycle(wish, existing)?;
        let strong = Name::within(
            &format!(".{}", known.namespace),
            &format!("{}-{}", known.name, wish.kind()),
        );
        let subject = match (&wish.subject, existing) {
            (Some(subject), _) => view.subject(subject),
            (None, Some(existing)) => existing.subject.clone(),
            (None, None) => strong.clone(),
        };
        plans.push(Plan {
            wish,
            association: Association {
                guid: existing.map_or_else(String::new, |one| one.guid.clone()),
                subject,
                resource_name: known.name.into(),
                resource_namespace: known.namespace.into(),
                resource_id: known.id.into(),
                resource_type: known.kind.into(),
                association_type: wish.kind().into(),
                lifecycle,
                created: existing.map_or(0, |one| one.created),
                updated: existing.map_or(0, |one| one.updated),
            },
        });
    }
    one_lifecycle(view, known, &plans)?;
    for plan in &plans {
        owned(known, &plan.association)?;
        unchanged(view, known, plan, verb)?;
        if plan.wish.schema.is_none() && !view.state.has_subject(&plan.association.subject, false) {
            let message = format!(
                "No active (non-deleted) version exists for subject '{}'",
                plan.association.subject
            );
            return Err(Refusal::coded(40907, message));
        }
    }
    Ok(plans)
}

/// The wanted lifecycle; a strong association is frozen, a weak one is not, and what exists stays what it is.
fn lifecycle(wish: &Wish, existing: Option<&Association>) -> Result<Lifecycle, Refusal> {
    let before = existing.map(|one| one.lifecycle);
    let by_default = match &wish.subject {
        Some(_) => Lifecycle::Weak,
        None => Lifecycle::Strong,
    };
    let lifecycle = wish.lifecycle.or(before).unwrap_or(by_default);
    let was_frozen = before.map(|before| before == Lifecycle::Strong);
    let is_strong = lifecycle == Lifecycle::Strong;
    let frozen = wish.frozen.or(was_frozen).unwrap_or(is_strong);
    match (lifecycle, frozen) {
        (Lifecycle::Strong, false) => Err(bad(
            "frozen",
            "association with lifecycle of STRONG cannot be frozen=false",
        )),
        (Lifecycle::Weak, true) if was_frozen != Some(true) || wish.frozen == Some(true) => {
            Err(bad(
                "frozen",
                "association with lifecycle of WEAK cannot be frozen=true",
            ))
        }
        (Lifecycle::Strong | Lifecycle::Weak, _) => Ok(lifecycle),
    }
}

/// All associations of a resource are weak, or all are strong.
fn one_lifecycle(view: View<'_>, known: &Known<'_>, plans: &[Plan<'_>]) -> Result<(), Refusal> {
    let existing = view.state.associations.of_resource(known.id);
    let is_planned = |one: &&Association| {
        let mut planned = plans.iter().map(|plan| &plan.association.association_type);
        planned.any(|kind| *kind == one.association_type)
    };
    let others = existing.filter(|one| !is_planned(one));
    let all = others.chain(plans.iter().map(|plan| &plan.association));
    let all: Vec<_> = all
        .map(|one| (&one.association_type, one.lifecycle))
        .collect();
    if all.windows(2).all(|pair| pair[0].1 == pair[1].1) {
        return Ok(());
    }
    let shown = all
        .iter()
        .map(|(kind, lifecycle)| format!("{kind}={}", lifecycle.wire_name()));
    let shown: Vec<_> = shown.collect();
    let detail = format!(
        "all associations for a resource must have the same lifecycle, but got {}",
        shown.join(", ")
    );
    Err(bad("lifecycle", &detail))
}

/// A strong association belongs to a subject that bears the resource's name.
fn owned(known: &Known<'_>, association: &Association) -> Result<(), Refusal> {
    let kind = &association.association_type;
    let own = format!(":.{}:{}-{kind}", known.namespace, known.name);
    if association.lifecycle == Lifecycle::Strong && association.subject.as_str() != own {
        let detail = format!("frozen associations must use subject '{own}'");
        return Err(bad("subject", &detail));
    }
    Ok(())
}

/// Creating does not change what exists.
fn unchanged(
    view: View<'_>,
    known: &Known<'_>,
    plan: &Plan<'_>,
    verb: Verb,
) -> Result<(), Refusal> {
    let kind = plan.wish.kind();
    let mut existing = view.state.associations.of_resource(known.id);
    let existing = existing.find(|one| one.association_type == kind);
    match existing {
        Some(one) if verb == Verb::Create && *one != plan.association => Err(Refusal::coded(
            40902,
            format!(
                "An association of type '{kind}' already exists for resource '{}'",
                known.id
            ),
        )),
        _ => Ok(()),
    }
}

fn carry_out(
    work: &mut Work<'_>,
    known: &Known<'_>,
    plans: &[Plan<'_>],
) -> Result<Vec<Made>, Refusal> {
    replace_older(work, known);
    let mut all = Vec::new();
    for plan in plans {
        let mut association = plan.association.clone();
        let registered = match &plan.wish.schema {
            Some(schema) => Some(registered(work, &association.subject, schema, plan.wish)?),
            None => None,
        };
        let existing = work.state.associations.iter();
        let is_there = existing.into_iter().any(|one| *one == association);
        if is_there && registered.is_none() {
            continue;
        }
        if association.guid.is_empty() {
            association.guid = random_guid(work);
            association.created = work.moment.now;
        }
        association.updated = work.moment.now;
        work.put(Change::Associated(association.clone().into()));
        let registered = registered.map(|made| (association.subject.clone(), made.version));
        all.push(Made {
            association,
            registered,
        });
    }
    Ok(all)
}

fn registered(
    work: &mut Work<'_>,
    subject: &Name,
    schema: &Posted,
    wish: &Wish,
) -> Result<Registration, Refusal> {
    let terms = Terms {
        normalize: wish.normalize,
        force: false,
    };
    register::register(work, subject, schema, terms)
}

/// A topic of the same name with another id is another topic: the older one is gone.
fn replace_older(work: &mut Work<'_>, known: &Known<'_>) {
    let is_older = |one: &&Association| {
        one.resource_name == known.name
            && one.resource_namespace == known.namespace
            && one.resource_id != known.id
    };
    let older = work.state.associations.iter().filter(is_older);
    let older: Vec<String> = older.map(|one| one.guid.clone()).collect();
    for guid in older {
        work.put(Change::Dissociated { guid });
    }
}

/// Takes associations of a resource away; says whether there were any.
///
/// # Errors
/// One is frozen and nothing cascades (40908), or its subject cannot be deleted.
pub(crate) fn remove(
    work: &mut Work<'_>,
    resource_id: &str,
    removal: Removal<'_>,
) -> Result<bool, Refusal> {
    let found = work.state.associations.of_resource(resource_id);
    let found = found
        .filter(|one| {
            removal
                .resource_type
                .is_none_or(|kind| kind == one.resource_type)
        })
        .filter(|one| {
            removal.kinds.is_empty() || removal.kinds.contains(&one.association_type.as_str())
        });
    let mut found: Vec<Association> = found.cloned().collect();
    found.sort_by(|left, right| left.association_type.cmp(&right.association_type));
    let is_frozen = |one: &&Association| one.lifecycle == Lifecycle::Strong && !removal.cascade;
    if let Some(frozen) = found.iter().find(is_frozen) {
        let message = format!(
            "The association of type  '{}' is frozen for subject '{}'",
            frozen.association_type, frozen.subject
        );
        return Err(Refusal::coded(40908, message));
    }
    let existed = !found.is_empty();
    for association in found {
        work.put(Change::Dissociated {
            guid: association.guid,
        });
        if association.lifecycle == Lifecycle::Strong {
            delete::with_its_resource(work, &association.subject)?;
        }
    }
    Ok(existed)
}

impl Wish {
    /// `value` unless it says otherwise.
    pub(crate) fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("value")
    }
}

/// The schema that stands behind an association.
pub(crate) fn latest<'a>(view: View<'a>, association: &Association) -> Option<&'a Stored> {
    view.latest(&association.subject)
}

fn random_guid(work: &Work<'_>) -> String {
    let drawn = format!("{:032x}/{}", work.moment.seed, work.records.len());
    let mut bytes = *ContentDigest::of_text(&drawn).finish().bytes();
    // A random UUID (RFC 9562, version 4).
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    SchemaGuid::from_bytes(bytes).to_string()
}

fn bad(property: &str, detail: &str) -> Refusal {
    let message = format!(
        "The association specified an invalid value for property: '{property}', detail: {detail}"
    );
    Refusal::coded(42212, message)
}

/// The refusal of a resource id that is not the one of the path.
pub(crate) fn other_resource() -> Refusal {
    bad(
        "resourceId",
        "Resource ID in the path parameter does not match the resource ID in the request body",
    )
}

/// The only type of resource.
pub(crate) const TOPIC: &str = "topic";

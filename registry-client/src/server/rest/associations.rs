//! `/associations`.

use super::body::Members;
use super::forms;
use super::write::{self, Object};
use super::{Answer, Call, Reply};
use crate::server::associate::{self, Made, Removal, Resource, TOPIC, Verb, Wish};
use crate::server::refusal::Refusal;
use crate::server::state::{Association, Lifecycle};
use crate::server::view::{View, Work};

pub(super) fn of_resource(view: View<'_>, call: &Call<'_>) -> Answer {
    let id = call.parameter(0);
    list(view, call, |one| one.resource_id == id)
}

pub(super) fn of_name(view: View<'_>, call: &Call<'_>) -> Answer {
    let (namespace, name) = (call.parameter(0), call.parameter(1));
    list(view, call, |one| {
        one.resource_name == name && (namespace == "-" || one.resource_namespace == namespace)
    })
}

pub(super) fn of_subject(view: View<'_>, call: &Call<'_>) -> Answer {
    let subject = view.subject(call.parameter(0));
    list(view, call, |one| one.subject == subject)
}

fn list(view: View<'_>, call: &Call<'_>, covers: impl Fn(&Association) -> bool) -> Answer {
    let query = &call.query;
    let lifecycle = query.get("lifecycle").map(Lifecycle::from_wire_name);
    if lifecycle == Some(None) {
        return Err(Refusal::not_a_number());
    }
    let resource_type = query.get("resourceType").filter(|kind| !kind.is_empty());
    let kinds: Vec<&str> = query.all("associationType").collect();
    let all = view.state.associations.iter().filter(|one| covers(one));
    let mut found: Vec<&Association> = all
        .filter(|one| resource_type.is_none_or(|kind| kind == one.resource_type))
        .filter(|one| kinds.is_empty() || kinds.contains(&one.association_type.as_str()))
        .filter(|one| lifecycle.is_none_or(|lifecycle| lifecycle == Some(one.lifecycle)))
        .collect();
    found.sort_by_key(|one| (&one.subject, &one.resource_name, &one.association_type));
    let found = call.page(found)?;
    Ok(Reply::ok(write::array(
        found.into_iter().map(forms::association),
    )))
}

pub(super) fn create(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    one(work, call, Verb::Create)
}

pub(super) fn upsert(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    one(work, call, Verb::Upsert)
}

fn one(work: &mut Work<'_>, call: &Call<'_>, verb: Verb) -> Answer {
    let (resource, wishes) = call.read(|members| Ok((resource(members)?, wishes(members)?)))?;
    let path = call.parameters.first();
    if let (Some(path), Some(id)) = (path, &resource.id)
        && path != id
    {
        return Err(associate::other_resource());
    }
    if call.query.flag("dryRun") {
        return rehearsed(work, |work| {
            associate::fulfil(work, &resource, &wishes, verb)?;
            Ok(Reply::ok(form(&resource).end()))
        });
    }
    let made = associate::fulfil(work, &resource, &wishes, verb)?;
    Ok(Reply::ok(made_form(work.view(), &resource, &made)))
}

pub(super) fn delete(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let id = call.parameter(0);
    let kinds: Vec<&str> = call.query.all("associationType").collect();
    let removal = Removal {
        resource_type: call.query.get("resourceType"),
        kinds: &kinds,
        cascade: call.query.flag("cascadeLifecycle"),
    };
    let remove = |work: &mut Work<'_>| {
        if associate::remove(work, id, removal)? {
            return Ok(Reply::nothing());
        }
        Err(Refusal::coded(
            40410,
            format!("Association for '{id}' not found."),
        ))
    };
    if call.query.flag("dryRun") {
        return rehearsed(work, remove);
    }
    undone_when_refused(work, remove)
}

pub(super) fn batch_get(view: View<'_>, call: &Call<'_>) -> Answer {
    let with_schemas = call.query.flag("includeSchemas");
    let asked = call.read(|members| {
        let requests = members.objects("requests")?.unwrap_or_default();
        requests
            .into_iter()
            .map(resource)
            .collect::<Result<Vec<_>, _>>()
    })?;
    let results = asked.into_iter().map(|mut asked| {
        let is_it = |one: &&Association| match &asked.id {
            Some(id) => one.resource_id == *id,
            None => {
                asked.name.as_ref() == Some(&one.resource_name)
                    && asked.namespace.as_ref() == Some(&one.resource_namespace)
            }
        };
        let found: Vec<&Association> = view.state.associations.iter().filter(is_it).collect();
        if let Some(one) = found.first() {
            asked.id = Some(one.resource_id.clone());
            asked.name = Some(one.resource_name.clone());
            asked.namespace = Some(one.resource_namespace.clone());
        }
        let shown = found.iter().map(|one| {
            let schema = associate::latest(view, one).filter(|_| with_schemas);
            let schema = schema.map(forms::associated);
            short_form(one, schema)
        });
        let object = form(&asked);
        let object = object.maybe((!found.is_empty()).then(|| write::array(shown)), with_list);
        Object::new().raw("result", &object.end()).end()
    });
    let results = write::array(results);
    Ok(Reply::parts(Object::new().raw("results", &results).end()))
}

pub(super) fn batch_mutate(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let requests = call.read(|members| {
        let requests = members.objects("requests")?.unwrap_or_default();
        let read = |members: Members<'_>| Ok((resource(members)?, operations(members)?));
        requests
            .into_iter()
            .map(read)
            .collect::<Result<Vec<_>, Refusal>>()
    })?;
    let mut results = Vec::new();
    for (resource, operations) in requests {
        let done = undone_when_refused(work, |work| mutate(work, &resource, &operations));
        results.push(match done {
            Ok(json) => Object::new().raw("result", &json).end(),
            Err(refusal) => {
                let error = Object::new().number("error_code", refusal.code);
                let error = error.text("message", &refusal.message).end();
                Object::new().raw("error", &error).end()
            }
        });
    }
    let results = write::array(results);
    Ok(Reply::parts(Object::new().raw("results", &results).end()))
}

fn mutate(
    work: &mut Work<'_>,
    resource: &Resource,
    operations: &[Operation],
) -> Result<String, Refusal> {
    let mut made = Vec::new();
    for operation in operations {
        match operation {
            Operation::Fulfil(verb, wish) => {
                let wishes = std::slice::from_ref(wish);
                made.extend(associate::fulfil(work, resource, wishes, *verb)?);
            }
            Operation::Remove { kind, cascade } => {
                let kinds: Vec<&str> = kind.as_deref().into_iter().collect();
                let removal = Removal {
                    resource_type: None,
                    kinds: &kinds,
                    cascade: *cascade,
                };
                associate::remove(work, resource.id.as_deref().unwrap_or_default(), removal)?;
            }
        }
    }
    Ok(made_form(work.view(), resource, &made))
}

enum Operation {
    Fulfil(Verb, Wish),
    Remove { kind: Option<String>, cascade: bool },
}

fn operations(members: Members<'_>) -> Result<Vec<Operation>, Refusal> {
    let all = members.objects("associations")?.unwrap_or_default();
    let read = |members: Members<'_>| {
        let verb = members.word("opType", &["CREATE", "UPSERT", "DELETE"])?;
        Ok(match verb.as_deref() {
            Some("DELETE") => Operation::Remove {
                kind: members.text("associationType")?,
                cascade: members.flag("cascadeLifecycle")?.unwrap_or_default(),
            },
            Some("UPSERT") => Operation::Fulfil(Verb::Upsert, wish(members)?),
            _ => Operation::Fulfil(Verb::Create, wish(members)?),
        })
    };
    all.into_iter().map(read).collect()
}

fn resource(members: Members<'_>) -> Result<Resource, Refusal> {
    Ok(Resource {
        name: members.text("resourceName")?,
        namespace: members.text("resourceNamespace")?,
        id: members.text("resourceId")?,
        kind: members
            .text("resourceType")?
            .unwrap_or_else(|| TOPIC.into()),
    })
}

fn wishes(members: Members<'_>) -> Result<Vec<Wish>, Refusal> {
    let all = members.objects("associations")?.unwrap_or_default();
    all.into_iter().map(wish).collect()
}

fn wish(members: Members<'_>) -> Result<Wish, Refusal> {
    let lifecycle = members.word("lifecycle", &["WEAK", "STRONG"])?;
    let schema = members.inner("schema")?;
    Ok(Wish {
        subject: members
            .text("subject")?
            .filter(|subject| !subject.is_empty()),
        kind: members.text("associationType")?,
        lifecycle: lifecycle.as_deref().and_then(Lifecycle::from_wire_name),
        frozen: members.flag("frozen")?,
        schema: schema.map(Members::schema).transpose()?,
        normalize: members.flag("normalize")?.unwrap_or_default(),
    })
}

/// The resource as answers show it: what is not known is left out.
fn form(resource: &Resource) -> Object {
    let text = |name: &'static str| move |object: Object, value: &str| object.text(name, value);
    Object::new()
        .maybe(resource.name.as_deref(), text("resourceName"))
        .maybe(resource.namespace.as_deref(), text("resourceNamespace"))
        .maybe(resource.id.as_deref(), text("resourceId"))
        .text("resourceType", &resource.kind)
}

fn made_form(view: View<'_>, resource: &Resource, made: &[Made]) -> String {
    let shown = made.iter().map(|made| {
        let place = made.registered.as_ref();
        let stored = place.and_then(|(subject, version)| view.state.version(subject, *version));
        short_form(&made.association, stored.map(forms::associated))
    });
    let shown = (!made.is_empty()).then(|| write::array(shown));
    form(resource).maybe(shown, with_list).end()
}

fn with_list(object: Object, json: String) -> Object {
    object.raw("associations", &json)
}

fn short_form(association: &Association, schema: Option<String>) -> String {
    Object::new()
        .text("subject", association.subject.as_str())
        .text("associationType", &association.association_type)
        .text("lifecycle", association.lifecycle.wire_name())
        .maybe(schema, |object, schema| object.raw("schema", &schema))
        .end()
}

/// Does something, says how it went, and leaves everything as it was.
fn rehearsed(work: &mut Work<'_>, act: impl FnOnce(&mut Work<'_>) -> Answer) -> Answer {
    let (state, length) = (work.state.clone(), work.records.len());
    let answer = act(work);
    *work.state = state;
    work.records.truncate(length);
    answer
}

/// Does something wholly or not at all.
fn undone_when_refused<T>(
    work: &mut Work<'_>,
    act: impl FnOnce(&mut Work<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let (state, length) = (work.state.clone(), work.records.len());
    let done = act(work);
    if done.is_err() {
        *work.state = state;
        work.records.truncate(length);
    }
    done
}

//! `/config`: compatibility level and what else is set per context and subject.

use super::body::Members;
use super::forms;
use super::write::Object;
use super::{Answer, Call, Reply};
use crate::CompatibilityLevel;
use crate::server::journal::Change;
use crate::server::names::Name;
use crate::server::refusal::Refusal;
use crate::server::state::Settings;
use crate::server::state::settings::{policy_name, policy_of};
use crate::server::view::{View, Work};

pub(super) fn get_top(view: View<'_>, _: &Call<'_>) -> Answer {
    let settings = view.state.settings.get(None).cloned().unwrap_or_default();
    Ok(Reply::ok(read_form(view, &settings)))
}

pub(super) fn get(view: View<'_>, call: &Call<'_>) -> Answer {
    let Some(subject) = scope(call) else {
        return get_top(view, call);
    };
    let own = view.state.settings.get(Some(&subject)).cloned();
    let settings = match own {
        None if call.query.flag("defaultToGlobal") => view.settings(&subject),
        own => own.ok_or_else(|| {
            let message =
                format!("Subject '{subject}' does not have subject-level compatibility configured");
            Refusal::coded(40408, message)
        })?,
    };
    Ok(Reply::ok(read_form(view, &settings)))
}

pub(super) fn put_top(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    update(work, call, None)
}

pub(super) fn put(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    update(work, call, scope(call))
}

fn update(work: &mut Work<'_>, call: &Call<'_>, subject: Option<Name>) -> Answer {
    let view = work.view();
    let old = view.state.settings.get(subject.as_ref());
    let old = old.cloned().unwrap_or_default();
    let settings = call.read(|members| changed(&old, members))?;
    writable(view, subject.as_ref())?;
    let answer = written_form(&settings);
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let settings = Settings {
        alias: given(settings.alias),
        alias_for_deks: given(settings.alias_for_deks),
        ..settings
    };
    work.put(Change::Configured {
        subject,
        settings: Some(settings.into()),
    });
    Ok(Reply::ok(answer))
}

/// The settings with the members of a request: what is left out stays, null clears.
fn changed(old: &Settings, members: Members<'_>) -> Result<Settings, Refusal> {
    let level = match members.text("compatibility")? {
        None => None,
        Some(name) => Some(CompatibilityLevel::from_wire_name(&name).ok_or_else(bad_level)?),
    };
    let policy = members.text("compatibilityPolicy")?;
    let policy = policy.as_deref().and_then(policy_of);
    Ok(Settings {
        alias: either(members, "alias", members.text("alias")?, &old.alias),
        alias_for_deks: either(
            members,
            "aliasForDeks",
            members.text("aliasForDeks")?,
            &old.alias_for_deks,
        ),
        normalize: either(
            members,
            "normalize",
            members.flag("normalize")?,
            &old.normalize,
        ),
        validate_fields: either(
            members,
            "validateFields",
            members.flag("validateFields")?,
            &old.validate_fields,
        ),
        validate_new_schemas: either(
            members,
            "validateNewSchemas",
            members.flag("validateNewSchemas")?,
            &old.validate_new_schemas,
        ),
        validate_rules: either(
            members,
            "validateRules",
            members.flag("validateRules")?,
            &old.validate_rules,
        ),
        level: either(members, "compatibility", level, &old.level),
        policy: either(members, "compatibilityPolicy", policy, &old.policy),
        group: either(
            members,
            "compatibilityGroup",
            members.text("compatibilityGroup")?,
            &old.group,
        ),
        ..metadata(old, members)?
    })
}

fn metadata(old: &Settings, members: Members<'_>) -> Result<Settings, Refusal> {
    members.rule_set("defaultRuleSet")?;
    members.rule_set("overrideRuleSet")?;
    let new = |name| members.metadata(name);
    Ok(Settings {
        default_metadata: either(
            members,
            "defaultMetadata",
            new("defaultMetadata")?,
            &old.default_metadata,
        ),
        override_metadata: either(
            members,
            "overrideMetadata",
            new("overrideMetadata")?,
            &old.override_metadata,
        ),
        ..Settings::default()
    })
}

/// The new value where the request has the member, the old one otherwise.
fn either<T: Clone>(
    members: Members<'_>,
    name: &str,
    new: Option<T>,
    old: &Option<T>,
) -> Option<T> {
    if members.has(name) { new } else { old.clone() }
}

pub(super) fn delete_top(work: &mut Work<'_>, _: &Call<'_>) -> Answer {
    let view = work.view();
    let settings = view.state.settings.get(None).cloned();
    let answer = read_form(view, &settings.clone().unwrap_or_default());
    if settings.is_some() {
        remove(work, None)?;
    }
    Ok(Reply::ok(answer))
}

pub(super) fn delete(work: &mut Work<'_>, call: &Call<'_>) -> Answer {
    let Some(subject) = scope(call) else {
        return delete_top(work, call);
    };
    let view = work.view();
    let settings = view.state.settings.get(Some(&subject));
    let settings = settings.ok_or_else(|| Refusal::subject_not_found(&subject))?;
    let answer = read_form(view, settings);
    remove(work, Some(subject))?;
    Ok(Reply::ok(answer))
}

fn remove(work: &mut Work<'_>, subject: Option<Name>) -> Result<(), Refusal> {
    writable(work.view(), subject.as_ref())?;
    work.put(Change::Configured {
        subject,
        settings: None,
    });
    Ok(())
}

/// The place that a path names; the default context has no name.
pub(super) fn scope(call: &Call<'_>) -> Option<Name> {
    let name = Name::parse(call.parameter(0));
    (!name.as_str().is_empty()).then_some(name)
}

fn writable(view: View<'_>, subject: Option<&Name>) -> Result<(), Refusal> {
    if let Some(subject) = subject.filter(|subject| !subject.is_valid()) {
        return Err(Refusal::bad_subject(subject.as_str()));
    }
    let top = Name::parse("");
    if view.mode(subject.unwrap_or(&top)).is_read_only() {
        return Err(Refusal::wrong_mode(subject, "in read-only"));
    }
    Ok(())
}

fn bad_level() -> Refusal {
    Refusal::coded(
        42203,
        "Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, forward_transitive, and full_transitive",
    )
}

/// What reading answers: the level is always there.
fn read_form(view: View<'_>, settings: &Settings) -> String {
    let level = view.level(settings).wire_name();
    form(settings, Some(("compatibilityLevel", level)))
}

/// What writing answers: what is set.
fn written_form(settings: &Settings) -> String {
    let level = settings.level.map(CompatibilityLevel::wire_name);
    form(settings, level.map(|level| ("compatibility", level)))
}

fn form(settings: &Settings, level: Option<(&str, &str)>) -> String {
    let text = |object: Object, (name, value): (&str, &str)| object.text(name, value);
    let flag = |name: &'static str, value: Option<bool>| {
        move |object: Object| object.maybe(value, |object, value| object.flag(name, value))
    };
    let object = Object::new()
        .maybe(settings.alias.as_deref(), |object, alias| {
            object.text("alias", alias)
        })
        .maybe(settings.alias_for_deks.as_deref(), |object, alias| {
            object.text("aliasForDeks", alias)
        });
    let object = flag("normalize", settings.normalize)(object);
    let object = flag("validateFields", settings.validate_fields)(object);
    let object = flag("validateNewSchemas", settings.validate_new_schemas)(object);
    let object = flag("validateRules", settings.validate_rules)(object);
    object
        .maybe(level, text)
        .maybe(settings.policy, |object, policy| {
            object.text("compatibilityPolicy", policy_name(policy))
        })
        .maybe(settings.group.as_deref(), |object, group| {
            object.text("compatibilityGroup", group)
        })
        .maybe(settings.default_metadata.as_ref(), |object, metadata| {
            object.raw("defaultMetadata", &forms::metadata(metadata))
        })
        .maybe(settings.override_metadata.as_ref(), |object, metadata| {
            object.raw("overrideMetadata", &forms::metadata(metadata))
        })
        .end()
}

//! Settings and modes of contexts and subjects, and which of them counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::format::CompatibilityPolicy;
use crate::guid::MetadataSets;
use crate::server::names::{GLOBAL_CONTEXT, Name};
use crate::{CompatibilityLevel, Mode};

/// What is configured for a subject or a context. A member that is absent is not set; nothing is taken
/// over from the settings further out once there are own ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) alias: Option<String>,
    pub(crate) alias_for_deks: Option<String>,
    pub(crate) normalize: Option<bool>,
    pub(crate) validate_fields: Option<bool>,
    pub(crate) validate_new_schemas: Option<bool>,
    pub(crate) validate_rules: Option<bool>,
    #[serde(with = "level")]
    pub(crate) level: Option<CompatibilityLevel>,
    #[serde(with = "policy")]
    pub(crate) policy: Option<CompatibilityPolicy>,
    pub(crate) group: Option<String>,
    pub(crate) default_metadata: Option<MetadataSets>,
    pub(crate) override_metadata: Option<MetadataSets>,
}

/// Something set per subject, per context, and for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scoped<T>(BTreeMap<Option<Name>, T>);

impl<T> Default for Scoped<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Scoped<T> {
    /// What is set right there.
    pub(crate) fn get(&self, subject: Option<&Name>) -> Option<&T> {
        self.0.get(&subject.cloned())
    }

    /// What counts for a subject: its own, its context's, the global context's.
    pub(crate) fn in_scope(&self, subject: &Name) -> Option<&T> {
        let context = if subject.is_default_context() {
            None
        } else {
            Some(Name::within(subject.context(), ""))
        };
        self.0
            .get(&Some(subject.clone()))
            .or_else(|| self.0.get(&context))
            .or_else(|| self.0.get(&Some(Name::within(GLOBAL_CONTEXT, ""))))
    }

    pub(crate) fn set(&mut self, subject: Option<Name>, value: Option<T>) {
        match value {
            Some(value) => self.0.insert(subject, value),
            None => self.0.remove(&subject),
        };
    }

    /// All places with something set.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Option<&Name>, &T)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }
}

/// The modes in force.
pub(crate) type Modes = Scoped<Mode>;

mod level {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::CompatibilityLevel;

    pub(super) fn serialize<S: Serializer>(
        level: &Option<CompatibilityLevel>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        level.map(CompatibilityLevel::wire_name).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<CompatibilityLevel>, D::Error> {
        let name = Option::<String>::deserialize(from)?;
        Ok(name.and_then(|name| CompatibilityLevel::from_wire_name(&name)))
    }
}

mod policy {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::format::CompatibilityPolicy;
    use crate::server::state::settings::{policy_name, policy_of};

    pub(super) fn serialize<S: Serializer>(
        policy: &Option<CompatibilityPolicy>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        policy.map(policy_name).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<CompatibilityPolicy>, D::Error> {
        let name = Option::<String>::deserialize(from)?;
        Ok(name.as_deref().and_then(policy_of))
    }
}

/// The policy's name in REST bodies.
pub(crate) const fn policy_name(policy: CompatibilityPolicy) -> &'static str {
    match policy {
        CompatibilityPolicy::Strict => "STRICT",
        CompatibilityPolicy::Lenient => "LENIENT",
    }
}

/// The policy of that name, in any case.
pub(crate) fn policy_of(name: &str) -> Option<CompatibilityPolicy> {
    [CompatibilityPolicy::Strict, CompatibilityPolicy::Lenient]
        .into_iter()
        .find(|policy| policy_name(*policy).eq_ignore_ascii_case(name))
}

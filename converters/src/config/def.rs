use std::collections::BTreeMap;

use super::{Key, Problem, Problems, RawConfig, Setting, Settings, setting};

/// The keys a component understands, in the order they were defined. See the [module](super) for an example.
#[derive(Clone, Debug, Default)]
pub struct ConfigDef {
    keys: Vec<Key>,
}

impl ConfigDef {
    /// A definition without keys.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key; a key of the same name is replaced in its place.
    #[must_use]
    pub fn define(mut self, key: Key) -> Self {
        match self.keys.iter_mut().find(|known| known.name == key.name) {
            Some(known) => *known = key,
            None => self.keys.push(key),
        }
        self
    }

    /// Adds all keys of `other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        other.keys.into_iter().fold(self, Self::define)
    }

    /// All keys in order of definition.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name() == name)
    }

    /// Parses and checks every key.
    ///
    /// # Errors
    /// All problems at once, in order of definition. Unknown keys are no problem; see [`Settings::unknown`].
    pub fn parse(&self, raw: &RawConfig) -> Result<Settings, Problems> {
        let mut problems = Problems::new();
        let mut values = BTreeMap::new();
        for checked in self.check(raw) {
            if let Some(setting) = problems.collect(checked.value) {
                values.insert(checked.key.name.clone(), setting);
            }
        }
        problems.into_result()?;
        Ok(Settings::new(values, raw.clone()))
    }

    /// Every key with its value or its problem: the raw material of a validation answer.
    pub fn check<'a>(&'a self, raw: &RawConfig) -> Vec<Checked<'a>> {
        self.keys
            .iter()
            .map(|key| Checked {
                key,
                value: setting::parse_key(key, raw.get(key.name()).map(String::as_str)),
            })
            .collect()
    }
}

/// One key with what came of it.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// The key.
    pub key: &'a Key,
    /// Its value, or why there is none.
    pub value: Result<Setting, Problem>,
}

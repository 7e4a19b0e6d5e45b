use std::borrow::Cow;
use std::collections::BTreeSet;

use ferroconnect_converters::config::{HIDDEN, Secret};

/// Values that came from providers, and the keys they are in: nothing of them is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Secrets {
    keys: BTreeSet<String>,
    values: Vec<Secret>,
}

impl Secrets {
    /// Adds a value that is part of a key's value.
    pub fn add(&mut self, key: &str, value: &Secret) {
        self.keys.insert(key.to_owned());
        if value.reveal().chars().count() >= CHARS_MIN && !self.values.contains(value) {
            self.values.push(value.clone());
            // A longer one first: a shorter one may be a part of it.
            self.values
                .sort_by_key(|value| std::cmp::Reverse(value.reveal().len()));
        }
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.keys.extend(other.keys.iter().cloned());
        for value in &other.values {
            if !self.values.contains(value) {
                self.values.push(value.clone());
            }
        }
        self.values
            .sort_by_key(|value| std::cmp::Reverse(value.reveal().len()));
    }

    /// Whether the key's value is, in part or whole, from a provider.
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// The text without any of the values.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for value in &self.values {
            if out.contains(value.reveal()) {
                out = Cow::Owned(out.replace(value.reveal(), HIDDEN));
            }
        }
        out
    }
}

/// Shorter values are hidden by their key only: they would be found in every text.
const CHARS_MIN: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hidden_wherever_they_are() {
        let mut secrets = Secrets::default();
        secrets.add("a", &Secret::new("hunter2"));
        secrets.add("b", &Secret::new("hunter2-long"));
        secrets.add("c", &Secret::new("1"));
        assert_eq!(
            secrets.hide("no hunter2-long and no hunter2, 1"),
            "no [hidden] and no [hidden], 1"
        );
        assert!(secrets.has_key("c") && !secrets.has_key("d"));
        assert!(!format!("{secrets:?}").contains("hunter"));
    }
}

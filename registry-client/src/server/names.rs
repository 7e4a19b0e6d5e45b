//! Subject names with their contexts, prefixes of them, and Java's orders.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The context without a name of its own.
pub(crate) const DEFAULT_CONTEXT: &str = ".";

/// The context whose settings every context falls back to; it holds no subjects.
pub(crate) const GLOBAL_CONTEXT: &str = ".__GLOBAL";

/// A subject in the registry's own spelling: `name`, or `:.context:name` outside the default context.
/// Without a name it stands for the context, which only settings have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(crate) struct Name(Arc<str>);

impl Name {
    /// Reads any spelling: `:.:x` is `x`, `:.a` is `:.a:`.
    pub(crate) fn parse(raw: &str) -> Self {
        let Some(rest) = raw.strip_prefix(":.") else {
            return Self(raw.into());
        };
        let (context, local) = rest.split_once(':').unwrap_or((rest, ""));
        if context.is_empty() {
            Self(local.into())
        } else {
            Self(format!(":.{context}:{local}").into())
        }
    }

    /// The subject `local` of a context such as `.lab`.
    pub(crate) fn within(context: &str, local: &str) -> Self {
        if context == DEFAULT_CONTEXT {
            Self(local.into())
        } else {
            Self(format!(":{context}:{local}").into())
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// `.` or `.lab`.
    pub(crate) fn context(&self) -> &str {
        self.split().map_or(DEFAULT_CONTEXT, |(context, _)| context)
    }

    /// The name without its context; empty for a context.
    pub(crate) fn local(&self) -> &str {
        self.split().map_or(&self.0, |(_, local)| local)
    }

    pub(crate) fn is_default_context(&self) -> bool {
        self.split().is_none()
    }

    /// How messages write the context: nothing for the default one.
    pub(crate) fn context_in_messages(&self) -> String {
        match self.split() {
            None => String::new(),
            Some((context, _)) => format!(":{context}:"),
        }
    }

    /// Whether schemas and settings may be kept under it (error 42208 otherwise).
    pub(crate) fn is_valid(&self) -> bool {
        let local = self.local();
        !matches!(local, "__GLOBAL" | "__EMPTY") && !self.0.chars().any(char::is_control)
    }

    /// Whether schemas may be registered under it: not under the global context.
    pub(crate) fn is_valid_for_schemas(&self) -> bool {
        self.is_valid() && self.context() != GLOBAL_CONTEXT && !self.0.is_empty()
    }

    fn split(&self) -> Option<(&str, &str)> {
        let rest = self.0.strip_prefix(':').filter(|r| r.starts_with('.'))?;
        rest.split_once(':')
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0.as_ref().into()
    }
}

/// Which subjects a list shows: those of one context or of all, whose names begin with a text.
#[derive(Debug)]
pub(crate) struct Prefix {
    context: Option<String>,
    local: String,
}

impl Prefix {
    /// `:*:x` looks into every context, `:.lab:x` into one, `x` into the default one.
    pub(crate) fn parse(raw: &str) -> Self {
        if let Some(local) = raw.strip_prefix(ANY_CONTEXT) {
            return Self {
                context: None,
                local: local.into(),
            };
        }
        let name = Name::parse(raw);
        Self {
            context: Some(name.context().into()),
            local: name.local().into(),
        }
    }

    pub(crate) fn matches(&self, name: &Name) -> bool {
        let context = self.context.as_deref();
        context.is_none_or(|context| context == name.context())
            && name.local().starts_with(&self.local)
    }
}

/// How a prefix names all contexts.
pub(crate) const ANY_CONTEXT: &str = ":*:";

/// Java's order of texts: by UTF-16 code units.
pub(crate) fn utf16_order(left: &str, right: &str) -> Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}

/// Where Java's hash maps of `count` entries keep a key: what comes first in their iteration has the
/// smallest place.
pub(crate) fn java_place(key: &str, count: usize) -> u32 {
    let hash = key.encode_utf16().fold(0u32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(u32::from(unit))
    });
    let mut buckets = 16usize;
    while count > buckets / 4 * 3 && buckets < MOST_BUCKETS {
        buckets *= 2;
    }
    let mask = u32::try_from(buckets - 1).unwrap_or(u32::MAX);
    (hash ^ (hash >> 16)) & mask
}

/// `HashMap.MAXIMUM_CAPACITY`.
const MOST_BUCKETS: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_subject_are_one_name() {
        for (raw, name, context, local) in [
            ("x", "x", ".", "x"),
            (":.:x", "x", ".", "x"),
            (":.lab:x", ":.lab:x", ".lab", "x"),
            (":.a", ":.a:", ".a", ""),
            (":.a:", ":.a:", ".a", ""),
            (":.a:b:c", ":.a:b:c", ".a", "b:c"),
            (":.x::y", ":.x::y", ".x", ":y"),
            (":a:b", ":a:b", ".", ":a:b"),
            ("::x", "::x", ".", "::x"),
            (":", ":", ".", ":"),
        ] {
            let parsed = Name::parse(raw);
            assert_eq!(
                (parsed.as_str(), parsed.context(), parsed.local()),
                (name, context, local),
                "{raw}"
            );
        }
    }

    #[test]
    fn reserved_names_and_control_characters_hold_no_schemas() {
        for raw in ["__GLOBAL", "__EMPTY", "a\u{80}b", ":.__GLOBAL:x", ":.:"] {
            assert!(!Name::parse(raw).is_valid_for_schemas(), "{raw}");
        }
        assert!(Name::parse(":.__GLOBAL:").is_valid());
        assert!(Name::parse("__x").is_valid_for_schemas());
    }

    #[test]
    fn a_prefix_chooses_contexts_and_names() {
        let matches = |prefix: &str, name: &str| Prefix::parse(prefix).matches(&Name::parse(name));
        assert!(matches("", "a") && !matches("", ":.lab:a"));
        assert!(matches(":*:a", ":.lab:a") && matches(":*:a", "ab") && !matches(":*:a", "b"));
        assert!(matches(":.lab", ":.lab:a") && !matches(":.lab:b", ":.lab:a"));
    }

    #[test]
    fn javas_places_are_those_of_its_hash_maps() {
        let place = |key| java_place(key, 2);
        assert!(place("clients-value") < place("orders-value"));
        assert_eq!(place("a"), 1);
    }
}

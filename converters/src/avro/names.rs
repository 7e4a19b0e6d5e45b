//! Names: which are allowed, what a text means in a namespace, and how short one may be written.
//!
//! Source: Avro specification, "Names"; the checks and the shortening are those of `Schema.Name` in Avro's Java library
//! with its strict validator, which is the one a registry uses.

use super::model::{Kind as Type, Name};
use crate::error::avro_schema::Kind;

/// The eight words that are never looked up.
pub(super) fn primitive(word: &str) -> Option<Type> {
    Some(match word {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        "bytes" => Type::Bytes,
        "string" => Type::String,
        _ => return None,
    })
}

/// Whether a word is one part of a name: `[A-Za-z_][A-Za-z0-9_]*`.
pub(super) fn check_part(name: &str) -> Result<(), Kind> {
    let Some(first) = name.bytes().next() else {
        return Err(Kind::NameEmpty);
    };
    if !(first.is_ascii_alphabetic() || first == b'_') {
        return Err(Kind::NameFirstCharacter { name: name.into() });
    }
    if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(Kind::NameCharacter { name: name.into() });
    }
    Ok(())
}

impl Name {
    /// The name that `text` means where `namespace` applies: a dot in it brings its own namespace. Only the last part is
    /// checked.
    pub(super) fn resolve(text: &str, namespace: Option<&str>) -> Result<Self, Kind> {
        let (namespace, name) = match text.rsplit_once('.') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (namespace, text),
        };
        check_part(name)?;
        Ok(Self {
            namespace: namespace.filter(|space| !space.is_empty()).map(Into::into),
            name: name.into(),
        })
    }

    /// What a type of this name is refused for.
    pub(super) fn check_type(&self) -> Result<(), Kind> {
        if self.namespace.is_none() && primitive(&self.name).is_some() {
            let name = self.name.clone();
            return Err(Kind::NameOfPrimitive { name });
        }
        self.namespace
            .iter()
            .flat_map(|space| space.split('.'))
            .try_for_each(check_part)
    }

    /// The shortest text that means this name where `namespace` applies.
    pub(super) fn qualified(&self, namespace: Option<&str>) -> String {
        let short = self.namespace.is_some() && self.namespace.as_deref() == namespace;
        if short && !is_type_word(&self.name) {
            return self.name.to_string();
        }
        self.to_string()
    }
}

/// A word that a type reference must not consist of.
fn is_type_word(word: &str) -> bool {
    primitive(word).is_some()
        || matches!(
            word,
            "record" | "enum" | "array" | "map" | "union" | "fixed"
        )
}

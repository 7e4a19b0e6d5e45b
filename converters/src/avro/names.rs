//! Names: which are allowed, what a text means in a namespace, and how short one may be written.
//!
//! Source: Avro specification, "Names"; the checks and the shortening are those of `Schema.Name` in Avro's Java library
//! with its two validators: the strict one, which a registry uses for new texts, and the default one.

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

/// Which letters names are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Letters {
    /// `[A-Za-z_][A-Za-z0-9_]*`.
    Ascii,
    /// Letters and digits of all scripts up to U+FFFF (`Character.isLetterOrDigit(char)`).
    AllScripts,
}

impl Letters {
    fn has_letter(self, c: char) -> bool {
        match self {
            Self::Ascii => c.is_ascii_alphabetic(),
            Self::AllScripts => {
                c.is_ascii_alphabetic()
                    || (c <= '\u{ffff}'
                        && c.is_alphabetic()
                        && !c.is_numeric()
                        // Letters in circles are symbols.
                        && !('\u{24b6}'..='\u{24e9}').contains(&c))
            }
        }
    }

    fn has_digit(self, c: char) -> bool {
        match self {
            Self::Ascii => c.is_ascii_digit(),
            Self::AllScripts => {
                let code = u32::from(c);
                DIGIT_ZEROS
                    .iter()
                    .any(|zero| (*zero..zero + 10).contains(&code))
            }
        }
    }
}

/// The zeros of all decimal digits up to U+FFFF; nine digits follow each.
const DIGIT_ZEROS: [u32; 37] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
    0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// Whether a word is one part of a name.
pub(crate) fn check_part(name: &str, letters: Letters) -> Result<(), Kind> {
    let Some(first) = name.chars().next() else {
        return Err(Kind::NameEmpty);
    };
    if !(letters.has_letter(first) || first == '_') {
        return Err(Kind::NameFirstCharacter { name: name.into() });
    }
    let inner = |c| letters.has_letter(c) || letters.has_digit(c) || c == '_';
    if !name.chars().all(inner) {
        return Err(Kind::NameCharacter { name: name.into() });
    }
    Ok(())
}

impl Name {
    /// The name that `text` means where `namespace` applies: a dot in it brings its own namespace. Only the last part is
    /// checked.
    pub(super) fn resolve(
        text: &str,
        namespace: Option<&str>,
        letters: Letters,
    ) -> Result<Self, Kind> {
        let (namespace, name) = match text.rsplit_once('.') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (namespace, text),
        };
        check_part(name, letters)?;
        Ok(Self {
            namespace: namespace.filter(|space| !space.is_empty()).map(Into::into),
            name: name.into(),
        })
    }

    /// What a type of this name is refused for.
    pub(super) fn check_type(&self, letters: Letters) -> Result<(), Kind> {
        if self.namespace.is_none() && primitive(&self.name).is_some() {
            let name = self.name.clone();
            return Err(Kind::NameOfPrimitive { name });
        }
        self.namespace
            .iter()
            .flat_map(|space| space.split('.'))
            .try_for_each(|part| check_part(part, letters))
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

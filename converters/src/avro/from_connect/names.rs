//! Names of Connect schemas as names of Avro types.

use super::super::Name;
use crate::error::{Error, avro_schema::Kind};

/// A name that Avro takes: as it is, unless `scrub` and a character is not `[A-Za-z0-9_]` or the first one is a digit.
/// Then it is encoded as in URLs, and what is still not allowed becomes `_`: `Foo-Bar` is `Foo_Bar`, `é` is `_C3_A9`.
pub(in crate::avro) fn scrub(name: &str, scrub: bool) -> String {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts_with_digit = |name: &str| name.as_bytes().first().is_some_and(u8::is_ascii_digit);
    if !scrub || (name.bytes().all(allowed) && !starts_with_digit(name)) {
        return name.into();
    }
    let mut out = String::new();
    for byte in name.bytes() {
        match byte {
            // What `java.net.URLEncoder` leaves, and the blank, which it makes a plus.
            b'.' | b'-' | b'*' | b' ' => out.push('_'),
            _ if allowed(byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("_{byte:02X}")),
        }
    }
    if starts_with_digit(&out) {
        out.insert(0, 'x');
    }
    out
}

/// Splits a full name at its last dot, each part scrubbed. Empty parts at the end vanish, as `String.split` has it.
pub(super) fn split(full: &str, scrubbed: bool) -> Name {
    let (namespace, name) = split_full(full, scrubbed);
    Name {
        // An empty namespace is none.
        namespace: namespace.filter(|space| !space.is_empty()).map(Into::into),
        name: name.into(),
    }
}

/// As [`split`], with an empty namespace kept.
pub(in crate::avro) fn split_full(full: &str, scrubbed: bool) -> (Option<String>, String) {
    if full.is_empty() {
        return (None, String::new());
    }
    let mut parts: Vec<&str> = full.split('.').collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    let mut parts: Vec<String> = parts
        .into_iter()
        .map(|part| scrub(part, scrubbed))
        .collect();
    let name = parts.pop().unwrap_or_default();
    ((!parts.is_empty()).then(|| parts.join(".")), name)
}

/// A full name, scrubbed; without scrubbing it stays as it is.
pub(in crate::avro) fn full_name(full: &str, scrubbed: bool) -> String {
    if !scrubbed {
        return full.into();
    }
    match split_full(full, true) {
        (Some(namespace), name) => format!("{namespace}.{name}"),
        (None, name) => name,
    }
}

/// Whether a word is a name to Avro's library when a program makes a schema: letters and digits of any script. (A schema
/// *text* must keep to ASCII; a registry refuses others.)
pub(super) fn check_part(name: &str) -> Result<(), Error> {
    let Some(first) = name.chars().next() else {
        return Err(Kind::NameEmpty.into());
    };
    if !(first.is_alphabetic() || first == '_') {
        return Err(Kind::NameFirstCharacter { name: name.into() }.into());
    }
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Err(Kind::NameCharacter { name: name.into() }.into());
    }
    Ok(())
}

/// As [`check_part`], of a type: its namespace is not looked at.
pub(super) fn check_type(name: &Name) -> Result<(), Error> {
    check_part(&name.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrubbing_encodes_what_avro_does_not_allow() {
        let table = [
            ("Foo", "Foo"),
            ("Foo-Bar", "Foo_Bar"),
            ("a b", "a_b"),
            ("1abc", "x1abc"),
            ("é", "_C3_A9"),
            ("f é", "f__C3_A9"),
            ("a$b", "a_24b"),
            ("", ""),
        ];
        for (name, scrubbed) in table {
            assert_eq!(scrub(name, true), scrubbed);
            assert_eq!(scrub(name, false), name);
        }
    }

    #[test]
    fn full_names_split_at_the_last_dot() {
        assert_eq!(split("a.b.C", false).to_string(), "a.b.C");
        assert_eq!(split(".A", false).namespace, None);
        assert_eq!(split("A.B.", false).to_string(), "A.B");
        assert_eq!(split("com.9x.T", true).to_string(), "com.x9x.T");
        assert_eq!(full_name("a.b-c.D", true), "a.b_c.D");
    }

    #[test]
    fn names_are_letters_and_digits_of_any_script() {
        for good in ["A", "_f", "日本", "é1"] {
            assert!(check_part(good).is_ok(), "{good}");
        }
        for bad in ["", "1a", "a-b", "a b", "a.b", "f$"] {
            assert!(check_part(bad).is_err(), "{bad}");
        }
    }
}

//! Names of Connect schemas as names of Protobuf.

/// A name that Protobuf takes: as it is, unless `scrub`. Then it is encoded as in URLs, and what is still not allowed becomes `_`:
/// `Foo-Bar` is `Foo_Bar`, `é` is `_C3_A9`. A name that begins with a digit or `_` gets an `x` in front.
pub(in crate::protobuf) fn scrub(name: &str, scrub: bool) -> String {
    if !scrub {
        return name.into();
    }
    let mut out = String::with_capacity(name.len() + 1);
    if matches!(name.as_bytes().first(), Some(b'0'..=b'9' | b'_')) {
        out.push('x');
    }
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => out.push(char::from(byte)),
            // What `java.net.URLEncoder` leaves, and the blank, which it makes a plus.
            b'.' | b'-' | b'*' | b' ' => out.push('_'),
            _ => out.push_str(&format!("_{byte:02X}")),
        }
    }
    out
}

/// A full name as package and short name, each part scrubbed. Empty parts at the end vanish, as `String.split` has it.
pub(super) fn split(full: &str, scrubbed: bool) -> (Option<Box<str>>, String) {
    let mut parts: Vec<&str> = full.split('.').collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    let mut parts: Vec<String> = (parts.into_iter())
        .map(|part| scrub(part, scrubbed))
        .collect();
    let name = parts.pop().unwrap_or_default();
    let package = parts.join(".");
    ((!package.is_empty()).then(|| package.into()), name)
}

/// The message that is an entry of a map: `my_map` gives `MyMapEntry`, `tags` gives `tagsEntry`.
pub(in crate::protobuf) fn entry(map: &str) -> String {
    if !map.contains('_') {
        return format!("{map}Entry");
    }
    let mut out = String::with_capacity(map.len() + "Entry".len());
    for word in map.split('_') {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.extend(letters.map(|letter| letter.to_ascii_lowercase()));
    }
    out.push_str("Entry");
    out
}

/// Whether a word is a name to Protobuf.
pub(super) fn is_valid(name: &str) -> bool {
    let is_allowed = |(at, byte): (usize, u8)| {
        byte.is_ascii_alphabetic() || byte == b'_' || (byte.is_ascii_digit() && at > 0)
    };
    !name.is_empty() && name.bytes().enumerate().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrubbing_encodes_what_protobuf_does_not_allow() {
        let table = [
            ("Foo", "Foo"),
            ("Foo-Bar", "Foo_Bar"),
            ("a b", "a_b"),
            ("a.b", "a_b"),
            ("1abc", "x1abc"),
            ("_f", "x_f"),
            ("é", "_C3_A9"),
            ("日本", "_E6_97_A5_E6_9C_AC"),
            ("a$b", "a_24b"),
            ("", ""),
        ];
        for (name, scrubbed) in table {
            assert_eq!(scrub(name, true), scrubbed);
            assert_eq!(scrub(name, false), name);
        }
    }

    #[test]
    fn a_full_name_is_split_at_its_last_dot() {
        let split = |name, scrubbed| {
            let (package, name) = split(name, scrubbed);
            (package.unwrap_or_default().into_string(), name)
        };
        assert_eq!(split("a.b.C", false), ("a.b".into(), "C".into()));
        assert_eq!(split("C", false), (String::new(), "C".into()));
        assert_eq!(split("A.", true), (String::new(), "A".into()));
        assert_eq!(split(".A", false), (String::new(), "A".into()));
        assert_eq!(split("a.1b-c.D", true), ("a.x1b_c".into(), "D".into()));
    }

    #[test]
    fn entries_are_named_in_camel_case_only_where_there_is_an_underscore() {
        let table = [
            ("tags", "tagsEntry"),
            ("myMap", "myMapEntry"),
            ("my_map", "MyMapEntry"),
            ("my__map", "MyMapEntry"),
            ("_m", "MEntry"),
            ("MY_MAP", "MyMapEntry"),
            ("m_N", "MNEntry"),
        ];
        for (map, message) in table {
            assert_eq!(entry(map), message);
        }
    }

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for good in ["A", "_f", "a1", "message"] {
            assert!(is_valid(good), "{good}");
        }
        for bad in ["", "1a", "a-b", "a b", "a.b", "é"] {
            assert!(!is_valid(bad), "{bad}");
        }
    }
}

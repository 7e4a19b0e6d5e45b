//! Addresses of schemas: relative ones against the address of the schema around them.
//!
//! Source: RFC 3986, section 5.2. Nothing is decoded or checked.

/// The address that `reference` means where `base` is in force. Neither has a fragment.
pub(super) fn resolved(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    if scheme(reference).is_some() || base.is_empty() {
        return reference.to_owned();
    }
    let (scheme, rest) = match scheme(base) {
        Some(at) => base.split_at(at),
        None => ("", base),
    };
    if reference.starts_with("//") {
        return format!("{scheme}{reference}");
    }
    let (authority, path) = match rest.strip_prefix("//") {
        Some(inner) => rest.split_at(inner.find('/').map_or(rest.len(), |at| at + 2)),
        None => ("", rest),
    };
    if reference.starts_with('/') {
        return format!("{scheme}{authority}{}", without_dots(reference));
    }
    // The rest of an opaque address (`urn:a:b`) has no levels.
    let folder = match path.rfind('/') {
        Some(at) => &path[..=at],
        None if authority.is_empty() => "",
        None => "/",
    };
    format!(
        "{scheme}{authority}{}",
        without_dots(&format!("{folder}{reference}"))
    )
}

/// Where the rest behind the colon of a scheme begins.
fn scheme(address: &str) -> Option<usize> {
    let colon = address.find(':')?;
    let name = &address.as_bytes()[..colon];
    let is_scheme = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    is_scheme.then_some(colon + 1)
}

fn without_dots(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    let mut open = false;
    for step in path.split('/').skip(usize::from(rooted)) {
        open = matches!(step, "." | "..");
        match step {
            "." => {}
            ".." => {
                steps.pop();
            }
            _ => steps.push(step),
        }
    }
    let mut out = String::from(if rooted { "/" } else { "" });
    out.push_str(&steps.join("/"));
    if open && !steps.is_empty() {
        out.push('/');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn relative_addresses_are_those_of_the_rfc() {
        for (reference, address) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("", "http://a/b/c/d"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../../../g", "http://a/g"),
        ] {
            assert_eq!(
                resolved("http://a/b/c/d", reference),
                address,
                "{reference}"
            );
        }
        assert_eq!(resolved("http://a", "g"), "http://a/g");
        assert_eq!(resolved("", "g.json"), "g.json");
        assert_eq!(resolved("a/b.json", "g.json"), "a/g.json");
    }
}

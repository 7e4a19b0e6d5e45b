//! Request targets: what the HTTP container refuses, segments, query parameters.

use percent_encoding::percent_decode_str;

use crate::server::refusal::{Refusal, Shape};

/// A request target that came through the container.
#[derive(Debug)]
pub(crate) struct Target {
    /// Decoded segments, without the empty one after a slash at the end.
    pub(crate) segments: Vec<String>,
    pub(crate) query: Query,
}

impl Target {
    /// Reads a raw target, percent-encoded as it came.
    ///
    /// # Errors
    /// What a servlet container does not let through (400, a page of HTML).
    pub(crate) fn parse(raw: &str) -> Result<Self, Refusal> {
        let raw = raw.split('#').next().unwrap_or(raw);
        let (path, query) = raw.split_once('?').unwrap_or((raw, ""));
        let path = path.strip_prefix('/').ok_or_else(|| page("Bad Request"))?;
        let mut segments = Vec::new();
        let mut raws = path.split('/').peekable();
        while let Some(raw) = raws.next() {
            let is_last = raws.peek().is_none();
            match raw {
                "" if is_last => {}
                "" => return Err(page("Ambiguous URI empty segment")),
                "." => {}
                ".." => {
                    segments.pop().ok_or_else(|| page("Bad URI"))?;
                }
                _ => segments.push(segment(raw)?),
            }
        }
        Ok(Self {
            segments,
            query: Query::parse(query),
        })
    }
}

/// One segment, decoded, without its matrix parameters.
fn segment(raw: &str) -> Result<String, Refusal> {
    let plain = raw.split(';').next().unwrap_or(raw);
    let bytes = raw.as_bytes();
    for (at, _) in raw.match_indices('%') {
        let digits = bytes.get(at + 1..at + 3).unwrap_or_default();
        let is_escape = digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
        if !is_escape || digits == b"00" {
            return Err(page("Bad Request"));
        }
    }
    let decoded: Vec<u8> = percent_decode_str(plain).collect();
    if decoded
        .iter()
        .any(|byte| byte.is_ascii_control() || *byte == b'\\')
    {
        return Err(page("Suspicious Path Character"));
    }
    let decoded = String::from_utf8(decoded).map_err(|_| page("Bad UTF-8 encoding"))?;
    if matches!(decoded.as_str(), "." | "..") && plain != decoded {
        return Err(page("Ambiguous URI path segment"));
    }
    Ok(decoded)
}

fn page(title: &str) -> Refusal {
    Refusal::plain(400, format!("Error 400 {title}")).shaped(Shape::Page)
}

/// Query parameters, decoded.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    fn parse(raw: &str) -> Self {
        let decode = |text: &str| {
            let text = text.replace('+', " ");
            percent_decode_str(&text).decode_utf8_lossy().into_owned()
        };
        let pairs = raw.split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(name, value)| (decode(name), decode(value)))
                .collect(),
        )
    }

    /// The first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of a parameter, in order.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let same = move |(known, _): &&(String, String)| known == name;
        self.0.iter().filter(same).map(|(_, value)| value.as_str())
    }

    /// Whether a parameter is `true`, in any case. Everything else is not, and no error.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// A number; without the parameter there is none.
    ///
    /// # Errors
    /// It is no number of 32 bits (plain 404).
    pub(crate) fn number(&self, name: &str) -> Result<Option<i32>, Refusal> {
        let value = self.get(name).map(str::parse::<i32>);
        value.transpose().map_err(|_| Refusal::not_a_number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(raw: &str) -> Result<Vec<String>, String> {
        let target = Target::parse(raw);
        target
            .map(|t| t.segments)
            .map_err(|refusal| refusal.message)
    }

    #[test]
    fn segments_are_decoded_and_keep_their_slashes() {
        assert_eq!(
            segments("/subjects/a%2Fb+c/").unwrap(),
            ["subjects", "a/b+c"]
        );
        assert_eq!(segments("/a/./b/../c;x=1").unwrap(), ["a", "c"]);
        assert!(segments("/").unwrap().is_empty());
    }

    #[test]
    fn what_a_container_refuses_never_arrives() {
        for (raw, title) in [
            (
                "/subjects//versions",
                "Error 400 Ambiguous URI empty segment",
            ),
            ("/a%5Cb", "Error 400 Suspicious Path Character"),
            ("/a%7Fb", "Error 400 Suspicious Path Character"),
            ("/a%00b", "Error 400 Bad Request"),
            ("/a%ZZ", "Error 400 Bad Request"),
            ("/a%4", "Error 400 Bad Request"),
            ("/%FF", "Error 400 Bad UTF-8 encoding"),
            ("/%2e", "Error 400 Ambiguous URI path segment"),
            ("/%2e.", "Error 400 Ambiguous URI path segment"),
        ] {
            assert_eq!(segments(raw).unwrap_err(), title, "{raw}");
        }
    }

    #[test]
    fn the_first_value_counts_and_only_true_is_true() {
        let query = Target::parse("/x?deleted=TRUE&deleted=false&limit=x&a+b=%31")
            .unwrap()
            .query;
        assert!(query.flag("deleted") && !query.flag("limit"));
        assert_eq!(query.get("a b"), Some("1"));
        assert!(query.number("limit").is_err() && query.number("offset").unwrap().is_none());
    }
}

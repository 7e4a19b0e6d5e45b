//! Which media types come in and go out.

use crate::server::refusal::{Refusal, Shape};

/// The types an answer may have, best first.
pub(crate) const PRODUCED: [&str; 3] = [
    "application/vnd.schemaregistry.v1+json",
    "application/vnd.schemaregistry+json",
    "application/json",
];

/// The types a body may have.
const CONSUMED: [&str; 4] = [
    "application/vnd.schemaregistry.v1+json",
    "application/vnd.schemaregistry+json",
    "application/json",
    "application/octet-stream",
];

/// Whether a body of that `Content-Type` is read; one without is.
///
/// # Errors
/// Another type (415), or no type at all (400).
pub(crate) fn consumes(content_type: Option<&str>) -> Result<(), Refusal> {
    let Some(content_type) = content_type else {
        return Ok(());
    };
    let essence = essence(content_type);
    if !essence.contains('/') {
        return Err(Refusal::plain(400, "Bad Request").shaped(Shape::Json));
    }
    if CONSUMED
        .iter()
        .any(|known| known.eq_ignore_ascii_case(essence))
    {
        return Ok(());
    }
    Err(Refusal::plain(415, "HTTP 415 Unsupported Media Type"))
}

/// The type of the answer: the one the client likes best, ours where it does not care.
///
/// # Errors
/// None of ours is acceptable (406).
pub(crate) fn produces(accept: Option<&str>) -> Result<&'static str, Refusal> {
    let Some(accept) = accept.filter(|accept| !accept.trim().is_empty()) else {
        return Ok(PRODUCED[0]);
    };
    let mut best: Option<(&'static str, u32)> = None;
    for known in PRODUCED {
        let wishes = accept.split(',').filter(|wish| fits(essence(wish), known));
        // The most exact wish for a type says how much it is liked.
        let exact = wishes.max_by_key(|wish| essence(wish).bytes().filter(|b| *b != b'*').count());
        let Some(liking) = exact.map(quality).filter(|liking| *liking > 0) else {
            continue;
        };
        if best.is_none_or(|(_, most)| liking > most) {
            best = Some((known, liking));
        }
    }
    let refusal = || Refusal::plain(406, "HTTP 406 Not Acceptable").shaped(Shape::Bare);
    best.map(|(known, _)| known).ok_or_else(refusal)
}

fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or(value).trim()
}

fn fits(wish: &str, known: &str) -> bool {
    wish == "*/*" || wish == "application/*" || wish.eq_ignore_ascii_case(known)
}

/// The `q` of a wish in thousandths; 1000 without one.
fn quality(wish: &str) -> u32 {
    let mut parameters = wish.split(';').skip(1);
    let q = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    let Some(q) = q else {
        return MOST_LIKED;
    };
    let (whole, rest) = q.split_once('.').unwrap_or((q, ""));
    if whole.starts_with('1') {
        return MOST_LIKED;
    }
    let digits = rest.bytes().chain(std::iter::repeat(b'0')).take(3);
    digits.fold(0, |sum, digit| {
        sum * 10 + u32::from(digit.saturating_sub(b'0').min(9))
    })
}

/// `q=1`.
const MOST_LIKED: u32 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_wish_decides_and_ours_where_it_has_none() {
        let [v1, plain, json] = PRODUCED;
        for (accept, produced) in [
            ("*/*", v1),
            ("application/json", json),
            (
                "application/json, application/vnd.schemaregistry.v1+json;q=0.9",
                json,
            ),
            (
                "application/vnd.schemaregistry.v1+json; qs=0.9, application/json; qs=0.5",
                v1,
            ),
            ("text/html, image/gif, image/jpeg, */*; q=0.2", v1),
            ("application/vnd.schemaregistry+json", plain),
        ] {
            assert_eq!(produces(Some(accept)), Ok(produced), "{accept}");
        }
        for accept in ["text/html", "junk", "application/json;q=0"] {
            assert_eq!(produces(Some(accept)).unwrap_err().status, 406, "{accept}");
        }
    }

    #[test]
    fn bodies_are_json_or_bytes() {
        for content_type in [
            None,
            Some("Application/JSON; charset=utf-8"),
            Some("application/octet-stream"),
        ] {
            assert!(consumes(content_type).is_ok(), "{content_type:?}");
        }
        assert_eq!(consumes(Some("text/plain")).unwrap_err().status, 415);
        assert_eq!(consumes(Some("junk")).unwrap_err().status, 400);
    }
}

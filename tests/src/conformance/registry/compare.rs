//! Comparing bodies as far as they count.

use serde_json::Value as Json;

/// Whether a body is the recorded one.
pub(super) fn body(line: &Json, got: &[u8]) -> Result<(), String> {
    let want = &line["response"];
    let text = String::from_utf8_lossy(got);
    if let Some(want) = want.as_str() {
        return raw(line, want, &text);
    }
    let got: Json = serde_json::from_slice(got).map_err(|error| format!("no JSON: {error}"))?;
    if want.get("error_code").is_some() {
        return refusal(want, &got);
    }
    let target = Target::of(line);
    let (mut want, mut got) = (want.clone(), got);
    if target.shows_any_place() {
        for member in ["subject", "version"] {
            for side in [&mut want, &mut got] {
                if let Some(value) = side.get_mut(member) {
                    *value = Json::Null;
                }
            }
        }
    }
    if target.is_set() {
        if let (Some(want), Some(got), true) = (want.as_array(), got.as_array(), target.is_page()) {
            return same(want.len() == got.len(), || "length of the page".into());
        }
        sort(&mut want);
        sort(&mut got);
    }
    equal(&want, &got)
}

/// Bodies that are no JSON, or a schema text.
fn raw(line: &Json, want: &str, got: &str) -> Result<(), String> {
    if let Some(page) = want.strip_prefix("<html page of the HTTP container: ") {
        let title = page.trim_end_matches('>');
        return same(got.contains(title), || "page".into());
    }
    let is_list = line["method"] == "OPTIONS";
    let methods = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(',')
            .map(|method| method.trim().to_owned())
            .collect()
    };
    let is_same = want == got
        || (is_list && methods(want) == methods(got))
        || serde_json::from_str::<Json>(got).is_ok_and(|json| json == want);
    same(is_same, || "text".into())
}

/// Answers that say no.
fn refusal(want: &Json, got: &Json) -> Result<(), String> {
    equal(&want["error_code"], &got["error_code"])?;
    let (want, message) = (&want["error_code"], (&want["message"], &got["message"]));
    let loose = *want == 400 || *want == 422;
    same(loose || messages_equal(message.0, message.1), || {
        "message".into()
    })
}

/// Whether two messages are equal, as far as they are the registry's own words.
fn messages_equal(want: &Json, got: &Json) -> bool {
    match (want.as_str(), got.as_str()) {
        (Some(want), Some(got)) => own_words(want) == own_words(got),
        _ => want == got,
    }
}

/// The text up to where a schema library speaks.
fn own_words(message: &str) -> &str {
    if !message.starts_with("Invalid schema") {
        return message;
    }
    // Some types repeat the schema before the details.
    let end = message.find("details:").unwrap_or(message.len());
    let end = message.find(" {").map_or(end, |brace| end.min(brace));
    message[..end].trim_end()
}

/// Equal, member by member in order; texts in angle brackets stand for anything.
pub(super) fn equal(want: &Json, got: &Json) -> Result<(), String> {
    match (want, got) {
        (Json::String(text), _) if stands_for_anything(text) => {
            same(!got.is_null(), || format!("nothing for {text}"))
        }
        (Json::String(text), Json::String(other)) if text.starts_with("Invalid schema") => {
            same(own_words(text) == own_words(other), || text.clone())
        }
        (Json::Object(want), Json::Object(got)) => {
            let names = |object: &serde_json::Map<String, Json>| -> Vec<String> {
                object.keys().cloned().collect()
            };
            same(names(want) == names(got), || {
                format!("members {:?} instead of {:?}", names(got), names(want))
            })?;
            want.iter().try_for_each(|(name, value)| {
                equal(value, &got[name]).map_err(|problem| format!("{name}: {problem}"))
            })
        }
        (Json::Array(want), Json::Array(got)) => {
            same(want.len() == got.len(), || "length".into())?;
            let mut pairs = want.iter().zip(got);
            pairs.try_for_each(|(want, got)| equal(want, got))
        }
        _ => same(want == got, || format!("{got} instead of {want}")),
    }
}

fn stands_for_anything(text: &str) -> bool {
    text.len() > 2
        && text.starts_with('<')
        && text.ends_with('>')
        && text[1..text.len() - 1]
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b' ')
}

fn same(is_same: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if is_same { Ok(()) } else { Err(problem()) }
}

/// Lists within as well, by the text of what does not stand for anything.
fn sort(json: &mut Json) {
    match json {
        Json::Array(items) => {
            items.iter_mut().for_each(sort);
            items.sort_by_key(key);
        }
        Json::Object(members) => members.iter_mut().for_each(|(_, value)| sort(value)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn key(item: &Json) -> String {
    let mut item = item.clone();
    if let Some(members) = item.as_object_mut() {
        for volatile in ["guid", "createTs", "updateTs", "ts"] {
            members.shift_remove(volatile);
        }
    }
    item.to_string()
}

/// What a path says about the answer.
struct Target<'a> {
    segments: Vec<&'a str>,
    query: &'a str,
}

impl<'a> Target<'a> {
    fn of(line: &'a Json) -> Self {
        let path = line["path"].as_str().unwrap_or_default();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        Self {
            segments: path.trim_matches('/').split('/').collect(),
            query,
        }
    }

    /// A schema by its id alone names any of its subjects.
    fn shows_any_place(&self) -> bool {
        let has_subject = self.query.split('&').any(|pair| {
            pair.strip_prefix("subject=")
                .is_some_and(|value| !value.is_empty())
        });
        matches!(self.segments[..], ["schemas", "ids", _]) && !has_subject
    }

    /// A list in the order of a hash map.
    fn is_set(&self) -> bool {
        match self.segments[..] {
            ["schemas", "types"] | ["schemas", "ids", _, "subjects" | "versions"] => true,
            ["schemas"] => ["resourceType", "associationType", "lifecycle"]
                .iter()
                .any(|name| self.query.contains(name)),
            [first, ..] => first.starts_with("associations"),
            [] => false,
        }
    }

    fn is_page(&self) -> bool {
        self.query.contains("offset=") || self.query.contains("limit=")
    }
}

//! Steps of transcripts.

use std::io::{Result, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize as _;
use serde_json::Value as Json;
use serde_json::ser::Formatter;

use super::peer::{Ask, CONTENT_TYPE, Got, Peer};
use super::{Verdict, compare, failed, mismatch};

pub(super) fn recognises(line: &Json) -> bool {
    ["scenario", "step", "method", "path", "status"]
        .iter()
        .all(|member| line.get(member).is_some())
}

pub(super) fn run(peer: &mut Peer, line: &Json) -> Verdict {
    let text = |member: &str| line[member].as_str().unwrap_or_default();
    let Ok(body) = body(line) else {
        return failed(line, "request_base64 is not Base64");
    };
    let got = peer.send(&Ask {
        method: text("method"),
        target: text("path"),
        headers: headers(line, !body.is_empty() || line.get("request").is_some()),
        body,
    });
    match check(line, &got) {
        Ok(()) => Verdict::Passed,
        Err(problem) => {
            let body = String::from_utf8_lossy(&got.body);
            let shown = format!("{problem}: {} {:?} {body}", got.status, got.content_type);
            let want = serde_json::json!([
                line["method"],
                line["path"],
                line["status"],
                line["response"]
            ]);
            mismatch(&want, &shown, got.differs)
        }
    }
}

fn body(line: &Json) -> std::result::Result<Vec<u8>, base64::DecodeError> {
    if let Some(encoded) = line["request_base64"].as_str() {
        return STANDARD.decode(encoded);
    }
    Ok(match line.get("request") {
        None => Vec::new(),
        Some(Json::String(raw)) if line["request_is_raw_text"] == true => raw.clone().into_bytes(),
        Some(json) => spaced(json),
    })
}

/// JSON with a blank after each colon and comma, as it was sent: limits count bytes.
fn spaced(json: &Json) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Spaced);
    // Writing to a vector cannot fail, and keys of JSON are texts.
    let _ = json.serialize(&mut serializer);
    bytes
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> Result<()> {
        to.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> Result<()> {
        to.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, to: &mut W) -> Result<()> {
        to.write_all(b": ")
    }
}

/// The headers of a request: defaults, over them those of the step; null takes one away.
fn headers(line: &Json, has_body: bool) -> Vec<(&str, &str)> {
    let own = |name: &str| {
        let mut headers = line["headers"].as_object().into_iter().flatten();
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name))
    };
    let mut headers = Vec::new();
    let defaults = [
        ("content-type", has_body.then_some(CONTENT_TYPE)),
        ("accept", Some("*/*")),
    ];
    for (name, default) in defaults {
        let value = match own(name) {
            Some((_, value)) => value.as_str(),
            None => default,
        };
        headers.extend(value.map(|value| (name, value)));
    }
    headers
}

fn check(line: &Json, got: &Got) -> std::result::Result<(), String> {
    if line["status"] != got.status {
        return Err("status".into());
    }
    let media = match line.get("response_content_type") {
        None => Some(CONTENT_TYPE),
        Some(media) => media.as_str(),
    };
    if media.map(without_blanks) != got.content_type.as_deref().map(without_blanks) {
        return Err("content type".into());
    }
    if let Some(allow) = line["response_headers"]["allow"].as_str() {
        let methods = |text: &str| -> std::collections::BTreeSet<String> {
            text.split(',')
                .map(|method| method.trim().to_owned())
                .collect()
        };
        if got.allow.as_deref().map(methods) != Some(methods(allow)) {
            return Err("allow".into());
        }
    }
    compare::body(line, &got.body)
}

fn without_blanks(media: &str) -> String {
    media.replace(' ', "").to_ascii_lowercase()
}

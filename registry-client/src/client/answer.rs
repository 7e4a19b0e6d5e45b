//! From a response to what it means.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::transport::Response;
use crate::body::{Known, SchemaAnswer};
use crate::{Error, RegisteredSchema, RegistryCode};

/// Characters of an unreadable body that an error shows at most.
const EXCERPT_CHARS: usize = 300;

/// The error in a response that is none of success. Bodies of other registries and of things in between are understood: Karapace's bare
/// strings and lists, objects without a code, pages in HTML.
pub(super) fn error_of(response: &Response) -> Error {
    let status = response.status;
    let (code, message) = match serde_json::from_slice::<Value>(&response.body) {
        Ok(Value::Object(members)) => {
            let code = members
                .get("error_code")
                .and_then(Value::as_u64)
                .and_then(|code| u32::try_from(code).ok());
            let message = match members.get("message") {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => format!("HTTP {status}"),
            };
            (code, message)
        }
        Ok(Value::String(text)) => (None, text),
        Ok(_) | Err(_) => {
            let body = excerpt(&response.body);
            let message = format!("Unable to parse error message from schema registry: '({body})'");
            (Some(RegistryCode::UNREADABLE_ANSWER.get()), message)
        }
    };
    let code = RegistryCode::new(code.unwrap_or_else(|| u32::from(status)));
    Error::refused(status, code, message)
}

/// The body of a good response.
pub(super) fn parse<T: DeserializeOwned>(response: &Response) -> Result<T, Error> {
    serde_json::from_slice(&response.body).map_err(|error| unreadable(response, &error.to_string()))
}

/// The schema in a good response.
pub(super) fn schema(response: &Response, known: &Known<'_>) -> Result<RegisteredSchema, Error> {
    parse::<SchemaAnswer>(response)?
        .registered(known)
        .map_err(|why| unreadable(response, &why))
}

/// The body as text.
pub(super) fn text(response: &Response) -> Result<String, Error> {
    String::from_utf8(response.body.to_vec()).map_err(|_| unreadable(response, "it is not UTF-8"))
}

#[cold]
pub(super) fn unreadable(response: &Response, why: &str) -> Error {
    Error::refused(
        response.status,
        RegistryCode::UNREADABLE_ANSWER,
        format!(
            "the answer is not what a schema registry sends ({why}); check schema.registry.url, and what lies between. It begins: {}",
            excerpt(&response.body)
        ),
    )
}

fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(4 * EXCERPT_CHARS)]);
    text.chars()
        .take(EXCERPT_CHARS)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

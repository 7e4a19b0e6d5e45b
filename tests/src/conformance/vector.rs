//! [`Vector`]: one line of a vector file.

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::{RawHeaders, Role};
use serde_json::Value as Json;

use crate::tagged::{self, Reject};

/// Which call a converter vector makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "Connect's own names")]
pub(super) enum Op {
    FromConnect,
    ToConnect,
    HeaderFromConnect,
    HeaderToConnect,
}

/// A case of a converter: what goes in, what Java gave.
#[derive(Debug)]
pub(super) struct Vector {
    pub(super) id: String,
    pub(super) converter: String,
    pub(super) op: Op,
    pub(super) config: RawConfig,
    pub(super) role: Role,
    pub(super) topic: String,
    pub(super) want: Json,
    /// What is registered before the call; `None` for converters without a registry.
    pub(super) registry: Option<Vec<Json>>,
    /// The record's headers; `None` when the call is made without.
    pub(super) headers: Option<RawHeaders>,
    line: Json,
}

impl Vector {
    /// Whether a line is a converter vector at all.
    pub(super) fn recognises(line: &Json) -> bool {
        line.get("converter").is_some() && line.get("op").is_some()
    }

    /// Reads a converter vector.
    pub(super) fn parse(line: Json) -> Result<Self, String> {
        let text = |key: &str| {
            line[key]
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| format!("no text under `{key}`"))
        };
        let op = match line["op"].as_str() {
            Some("from_connect") => Op::FromConnect,
            Some("to_connect") => Op::ToConnect,
            Some("header_from_connect") => Op::HeaderFromConnect,
            Some("header_to_connect") => Op::HeaderToConnect,
            _ => return Err(format!("unknown op {}", line["op"])),
        };
        let config = line["config"].as_object().into_iter().flatten();
        let config = config.map(|(key, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (key.clone(), text)
        });
        let want = line
            .get("expect_jdk25")
            .or_else(|| line.get("expect"))
            .cloned();
        let mut vector = Self {
            id: text("id")?,
            converter: text("converter")?,
            op,
            config: config.collect(),
            role: if line["is_key"].as_bool() == Some(true) {
                Role::Key
            } else {
                Role::Value
            },
            topic: text("topic")?,
            want: want.ok_or("no `expect`")?,
            registry: line.get("registry").and_then(Json::as_array).cloned(),
            headers: line.get("headers").map(headers).transpose()?,
            line,
        };
        if vector.registry.is_some() {
            // Left out of the vectors; nobody connects to it.
            let url = "mock://vectors".to_owned();
            vector
                .config
                .entry("schema.registry.url".into())
                .or_insert(url);
        }
        if vector.is_header() {
            vector
                .config
                .entry("converter.type".into())
                .or_insert_with(|| "header".into());
        }
        Ok(vector)
    }

    pub(super) const fn is_header(&self) -> bool {
        matches!(self.op, Op::HeaderFromConnect | Op::HeaderToConnect)
    }

    /// The input of a write.
    pub(super) fn datum(&self) -> Result<ferroconnect_converters::data::SchemaAndValue, Reject> {
        let schema = tagged::schema_from(&self.line["schema"])?;
        tagged::value_from(schema, &self.line["value"])
    }

    /// The input of a read.
    pub(super) fn bytes(&self) -> Result<Option<Bytes>, Reject> {
        bytes(&self.line["bytes"])
    }
}

/// Bytes in hexadecimal digits, or null.
pub(super) fn bytes(form: &Json) -> Result<Option<Bytes>, Reject> {
    if form.is_null() {
        Ok(None)
    } else {
        tagged::hex(form).map(|bytes| Some(bytes.into()))
    }
}

/// Headers as pairs of a name and hexadecimal digits or null.
pub(super) fn headers(form: &Json) -> Result<RawHeaders, String> {
    let mut headers = RawHeaders::new();
    for pair in form.as_array().into_iter().flatten() {
        let value = bytes(&pair[1]).map_err(|error| format!("no header value: {error:?}"))?;
        headers.push(pair[0].as_str().unwrap_or_default(), value);
    }
    Ok(headers)
}

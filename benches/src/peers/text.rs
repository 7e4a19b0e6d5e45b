//! `serde_json`: a document as a tree, without its schema. What a converter of JSON Schema does beside parsing is what the schema asks.

use super::{Given, Peer};
use crate::Trouble;

pub(super) fn peer(given: &Given<'_>) -> Result<Peer, Trouble> {
    let body = given.body.clone();
    let value: serde_json::Value = serde_json::from_slice(&body)?;
    let mut out = Vec::with_capacity(body.len() * 2);
    Ok(Peer {
        library: "serde_json 1 Value",
        name: "serde_json",
        read: Some(Box::new(move || {
            let value: Result<serde_json::Value, _> = serde_json::from_slice(&body);
            std::hint::black_box(value.ok());
        })),
        write: Some(Box::new(move || {
            out.clear();
            std::hint::black_box(serde_json::to_writer(&mut out, &value).ok());
            std::hint::black_box(&out);
        })),
    })
}

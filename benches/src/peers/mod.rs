//! Other libraries on the same bytes, each with what it gives by itself, and each in the fastest way that it documents for many
//! records of one schema.
//!
//! | library | reads into | writes from |
//! | --- | --- | --- |
//! | apache-avro | its `Value`, with a reader that is kept | its `Value`, by reference, with a writer that is kept |
//! | `serde_avro_fast` | a struct, with its own texts or with borrowed ones | that struct |
//! | `schema_registry_converter` | apache-avro's `Value` (0.22), id and schema looked up in its cache | that `Value`, of which it takes a copy |
//! | prost-reflect | its `DynamicMessage`, of a descriptor that is kept | that message, by reference |
//! | `serde_json` | its `Value`; no schema is asked | that `Value`, by reference |
//!
//! A struct that the compiler knows is less work than any schema at run time, so `serde_avro_fast` shows what is left on the table.
//! `schema_registry_converter` meets a real HTTP server once, before anything is timed; its futures are then ready at once.

mod apache;
mod fast;
mod over_http;
mod reflect;
mod text;

use bytes::Bytes;

use crate::{Benchmark, Sample, Trouble};

/// What one library does with a sample.
struct Peer {
    library: &'static str,
    /// Part of the benchmark's name.
    name: &'static str,
    read: Option<Box<dyn FnMut()>>,
    write: Option<Box<dyn FnMut()>>,
}

/// A sample as other libraries get it.
struct Given<'a> {
    /// The text of the schema in the registry.
    schema: &'a str,
    id: i32,
    /// The record without what names its schema.
    body: Bytes,
    framed: Bytes,
}

/// Readers and writers of other libraries for a sample, whose names contain the filter or are part of it.
pub(crate) fn of(
    sample: &Sample,
    filter: &str,
) -> Result<(Vec<Benchmark>, Vec<Benchmark>), Trouble> {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let registry = sample.registry.borrow();
    let Some(registered) = registry.registered().next() else {
        return Ok((reads, writes));
    };
    if !sample.name.contains(filter) && !filter.starts_with(&sample.name) {
        return Ok((reads, writes));
    }
    let given = Given {
        schema: registered.schema.text(),
        id: registered.id.get(),
        body: sample.bytes.slice(PREFIX..),
        framed: sample.bytes.clone(),
    };
    let is_bench = sample.name.ends_with("/bench");
    let peers = match sample.format.name {
        "protobuf" if is_bench => vec![reflect::peer(&given)?],
        "json_schema" => vec![text::peer(&given)?],
        "avro" if is_bench => {
            let mut peers = vec![apache::peer(&given)?];
            peers.extend(fast::peers(&given)?);
            peers.push(over_http::peer(&given)?);
            peers
        }
        "avro" => vec![apache::peer(&given)?],
        _ => Vec::new(),
    };
    for peer in peers {
        let benchmark = |direction: &str, run| Benchmark {
            name: format!("{}/{direction}/{}", sample.name, peer.name),
            peer: Some(peer.library),
            target_ns: None,
            recorded_jvm_ns: None,
            bytes: sample.bytes.len(),
            allocations_max: None,
            run,
        };
        reads.extend(peer.read.map(|run| benchmark("decode", run)));
        writes.extend(peer.write.map(|run| benchmark("encode", run)));
    }
    Ok((reads, writes))
}

/// The magic byte and the schema's id.
const PREFIX: usize = 5;

/// A text of the bench record that everybody must have read.
const NAME: &str = "Alexandra Hamilton-Whitfield";
